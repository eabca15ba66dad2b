//! Constants that a function reads: what its module, or a class around it, gives a name once; and whatever the
//! headers of the classes around it read, which cannot be defined otherwise (`class Box(Generic[T])`). What functions
//! change is the state of the module, which callers find in another state than the module leaves it in. Of the variables of
//! functions around it those are kept that it binds itself (`nonlocal`), because without them it would not compile, and those
//! with the name of a builtin, which it would find instead.

use std::collections::BTreeSet;

use ruff_python_ast::{self as ast, Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::imported::names_in;
use super::module::{Defined, is_constant, path_to, table};
use super::variables::value_of;
use crate::cleanup::blocks;
use crate::matching_texts::pattern_of;
use crate::semantic::builtin::is_builtin;
use crate::semantic::scope::BindingFlags;
use crate::semantic::{SourceModel, bytes};

/// Where the assignments stand.
pub(super) fn read_by(model: &SourceModel, def: &StmtFunctionDef) -> Vec<TextRange> {
    let suite = model.suite();
    let path = path_to(suite, def);
    let read: BTreeSet<&str> = path.last().into_iter().flat_map(|own| names_in(model, bytes(*own))).collect();
    let functions = path.iter().filter_map(|stmt| stmt.as_function_def_stmt());
    let functions: Vec<&StmtFunctionDef> = functions.filter(|outer| outer.range() != def.range()).collect();
    let mut bound = nonlocal_names(&def.body);
    bound.extend(read.iter().filter(|name| is_builtin(name)));
    let of_functions = functions.iter().flat_map(|outer| first_values(&outer.body, &bound));
    let of_functions: Vec<TextRange> = of_functions.collect();
    let classes: Vec<&StmtClassDef> = path.into_iter().filter_map(Stmt::as_class_def_stmt).collect();
    let state = names_of_state(model);
    let of_module = in_suite(suite, &read).filter(|(name, stmt)| !state.contains(name.as_str()) && !is_empty(stmt));
    // What a class gives its instances until they have something else.
    let of_classes = classes.iter().flat_map(|class| in_suite(&class.body, &read));
    let of_classes = of_classes.filter(|(_, stmt)| !is_empty(stmt) && !is_none(stmt));
    let mut found: Vec<TextRange> = of_module.chain(of_classes).map(|(_, stmt)| stmt.range()).collect();
    found.extend(of_headers(model, &classes, &functions));
    found.extend(of_functions);
    found
}

/// Names that a function, or one inside of it, binds in a function around.
fn nonlocal_names(suite: &[Stmt]) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut open = vec![suite];
    while let Some(suite) = open.pop() {
        for stmt in suite {
            if let Stmt::Nonlocal(stmt) = stmt {
                found.extend(stmt.names.iter().map(ast::Identifier::as_str));
            }
            open.extend(blocks(stmt));
        }
    }
    found
}

/// The first assignment of the body of a function to each of these names.
fn first_values(suite: &[Stmt], names: &BTreeSet<&str>) -> Vec<TextRange> {
    let mut seen = BTreeSet::new();
    let assigned = |stmt: &Stmt| match stmt {
        Stmt::Assign(assign) => assign.targets.first().and_then(Expr::as_name_expr).map(|name| name.id.to_string()),
        Stmt::AnnAssign(assign) if assign.value.is_some() => {
            assign.target.as_name_expr().map(|name| name.id.to_string())
        }
        _ => None,
    };
    let of_names = |stmt: &&Stmt| assigned(stmt).is_some_and(|name| names.contains(name.as_str()) && seen.insert(name));
    suite.iter().filter(of_names).map(Ranged::range).collect()
}

/// Variables of the module that functions bind: `global NAME`.
fn names_of_state(model: &SourceModel) -> BTreeSet<&str> {
    let bindings = model.tables.scopes.bindings.iter().filter(|binding| binding.is(BindingFlags::GLOBAL));
    bindings.map(|binding| model.name(binding.symbol)).collect()
}

/// True for a variable that is an empty container at first: the module is to fill it.
fn is_empty(stmt: &Stmt) -> bool {
    value_of(stmt).is_some_and(|value| match value {
        Expr::List(list) => list.elts.is_empty(),
        Expr::Dict(dict) => dict.items.is_empty(),
        _ => false,
    })
}

fn is_none(stmt: &Stmt) -> bool {
    value_of(stmt).is_some_and(Expr::is_none_literal_expr)
}

/// Assignments of the module that the headers of classes read, directly or through others, and functions that are defined beside
/// the classes in the functions around them.
fn of_headers(model: &SourceModel, classes: &[&StmtClassDef], functions: &[&StmtFunctionDef]) -> Vec<TextRange> {
    let (of_module, of_functions) = (table(model.suite()), functions.iter().map(|outer| table(&outer.body)));
    let of_functions: Vec<_> = of_functions.collect();
    let mut open: Vec<&str> = Vec::new();
    for class in classes {
        open.extend(class.decorator_list.iter().flat_map(|decorator| names_in(model, bytes(decorator))));
        open.extend(class.arguments.iter().flat_map(|arguments| names_in(model, bytes(&**arguments))));
    }
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(name) = open.pop() {
        let inner = of_functions.iter().rev().find_map(|table| table.get(name));
        let Some(Defined { stmt: Some(stmt), repeated: false }) = inner.or_else(|| of_module.get(name)) else {
            continue;
        };
        let is_taken = match stmt {
            Stmt::Assign(_) | Stmt::AnnAssign(_) => inner.is_none(),
            Stmt::FunctionDef(_) => inner.is_some(),
            _ => false,
        };
        if is_taken && seen.insert(name) {
            found.push(stmt.range());
            open.extend(names_in(model, bytes(*stmt)));
        }
    }
    found
}

/// True for what is written out, a compiled regular expression among it.
fn is_value(value: &Expr) -> bool {
    let compiles = |call: &ast::ExprCall| {
        let keywords = call.arguments.keywords.iter().map(|keyword| &keyword.value);
        pattern_of(call).is_some()
            && call.arguments.args.iter().chain(keywords).all(|one| is_constant(one) || is_flag(one))
    };
    is_constant(value) || value.as_call_expr().is_some_and(compiles)
}

/// True for `re.I`, and for several of such.
fn is_flag(value: &Expr) -> bool {
    match value {
        Expr::BinOp(both) => is_flag(&both.left) && is_flag(&both.right),
        Expr::Attribute(flag) => {
            flag.value.as_name_expr().is_some_and(|owner| matches!(owner.id.as_str(), "re" | "regex"))
        }
        _ => false,
    }
}

fn in_suite<'a>(suite: &'a [Stmt], read: &BTreeSet<&str>) -> impl Iterator<Item = (String, &'a Stmt)> {
    let constant = |stmt: &Stmt| match stmt {
        Stmt::Assign(assign) => assign.targets.iter().all(Expr::is_name_expr) && is_value(&assign.value),
        Stmt::AnnAssign(assign) => assign.value.as_deref().is_some_and(is_value),
        _ => false,
    };
    let once = table(suite).into_iter().filter(|(name, defined)| !defined.repeated && read.contains(name.as_str()));
    once.filter_map(move |(name, defined)| Some((name, defined.stmt.filter(|stmt| constant(stmt))?)))
}

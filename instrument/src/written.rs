//! What a source itself writes to objects and does with classes: tells missing code from bugs of the code at hand.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Expr, Stmt, StmtClassDef};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::cleanup::blocks;
use crate::semantic::symbol::Symbol;
use crate::semantic::uses::{Form, Use, UseFlags};
use crate::semantic::{SourceModel, bytes};

/// Names that a source gives a meaning beyond a single scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Attributes that some object is given: `total` of `self.total = 0`, but not of `self.total += 1`.
    pub attributes: BTreeSet<String>,
    /// Bases of classes that are raised or caught: `Failure` of `class Late(Failure): ...` and `except Late:`.
    pub error_bases: BTreeSet<String>,
    /// Names that stand for any type: `T` of `class Box(Generic[T])`.
    pub type_parameters: BTreeSet<String>,
    /// Classes of the module that are shown whole, with all that makes their instances: they have an `__init__`, no
    /// decorators, keywords or bases but other such classes, and take no attributes by way of `__getattr__`, `setattr` or `__dict__`.
    pub whole_classes: BTreeSet<String>,
}

impl Written {
    /// Asks a model.
    #[must_use]
    pub fn of(model: &SourceModel) -> Self {
        let name = |symbol: Symbol| model.name(symbol).to_owned();
        let written = |used: &&Use| used.form == Form::AttributeTarget && !used.is(UseFlags::BARE);
        let raised: FxHashSet<Symbol> = model.tables.raised.iter().copied().collect();
        let error_bases = model.tables.bases.iter().filter(|(class, _)| raised.contains(class));
        Self {
            attributes: model.tables.uses.iter().filter(written).map(|used| name(used.symbol)).collect(),
            error_bases: error_bases.map(|&(_, base)| name(base)).collect(),
            type_parameters: type_parameters(model),
            whole_classes: whole_classes(model),
        }
    }
}

fn whole_classes(model: &SourceModel) -> BTreeSet<String> {
    const DYNAMIC: [&str; 6] = ["setattr", "vars", "exec", "__dict__", "__class__", "update_wrapper"];
    let is_dynamic = |used: &Use| DYNAMIC.contains(&model.name(used.symbol));
    if model.tables.uses.iter().any(is_dynamic) {
        return BTreeSet::new();
    }
    let classes = || model.suite().iter().filter_map(Stmt::as_class_def_stmt);
    let methods = |class: &StmtClassDef| {
        class.body.iter().filter_map(Stmt::as_function_def_stmt).map(|def| def.name.to_string()).collect::<Vec<_>>()
    };
    let mut names: Vec<&str> = classes().map(|class| class.name.as_str()).collect();
    names.sort_unstable();
    // Of a class that is defined several times nobody knows which one is meant.
    let is_single = |name: &str| names.iter().filter(|other| **other == name).count() == 1;
    let is_plain = |class: &StmtClassDef| {
        let is_own = |name: &String| !matches!(&**name, "__getattr__" | "__getattribute__" | "__setattr__" | "__new__");
        let is_plain = |stmt: &Stmt| match stmt {
            Stmt::FunctionDef(_) | Stmt::Pass(_) | Stmt::Assign(_) | Stmt::AnnAssign(_) => true,
            Stmt::Expr(expression) => expression.value.is_string_literal_expr(),
            _ => false,
        };
        let has_keywords = class.arguments.as_ref().is_some_and(|arguments| !arguments.keywords.is_empty());
        !has_keywords
            && class.decorator_list.is_empty()
            && is_single(&class.name)
            && class.body.iter().all(is_plain)
            && methods(class).iter().all(is_own)
    };
    // Bases stand before the classes that have them: whether all of a class is shown, and whether it has an `__init__`.
    let mut shown: BTreeMap<String, bool> = BTreeMap::new();
    for class in classes().filter(|class| is_plain(class)) {
        let bases = class.arguments.iter().flat_map(|arguments| &arguments.args);
        let bases: Option<Vec<bool>> = bases.map(|base| shown.get(base.as_name_expr()?.id.as_str()).copied()).collect();
        if let Some(bases) = bases {
            let is_made = bases.contains(&true) || methods(class).iter().any(|name| name == "__init__");
            shown.insert(class.name.to_string(), is_made);
        }
    }
    shown.into_iter().filter(|(_, is_made)| *is_made).map(|(name, _)| name).collect()
}

/// Names in the brackets of `Generic[...]` and `Protocol[...]` behind the names of classes.
fn type_parameters(model: &SourceModel) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut suites = vec![model.suite()];
    while let Some(suite) = suites.pop() {
        for stmt in suite {
            if let Stmt::ClassDef(class) = stmt {
                let bases = class.arguments.iter().flat_map(|arguments| &arguments.args);
                for base in bases.filter_map(Expr::as_subscript_expr).filter(|base| is_generic(&base.value)) {
                    let names = model.uses_in(bytes(&*base.slice)).filter(|used| used.form == Form::Name);
                    found.extend(names.map(|used| model.name(used.symbol).to_owned()));
                }
            }
            suites.extend(blocks(stmt));
        }
    }
    found
}

fn is_generic(base: &Expr) -> bool {
    let name = match base {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => return false,
    };
    matches!(name, "Generic" | "Protocol")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_error_bases_are_those_that_the_source_writes() {
        let source = "class Late(net.Failure): pass\nclass Other(Base): pass\n\
            def f(self):\n    self.a = self.b, (self.c, x.d) = 1\n    self.e += 1\n    self.f: int\n    raise Late('x')\n";
        let written = Written::of(&SourceModel::parse(source).expect("it parses"));
        let texts = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(texts(&written.attributes), "a b c d");
        assert_eq!(texts(&written.error_bases), "Failure");
        let source = "class A:\n    def __init__(self): pass\nclass B(A): pass\nclass C(B, D): pass\nclass D: pass\n\
            class E(D): pass\nclass A2: pass\nclass A2(A): pass\n";
        let written = Written::of(&SourceModel::parse(source).expect("it parses"));
        assert_eq!(texts(&written.whole_classes), "A B");
        let source = "class Box(t.Generic[K, Pair[V]], Base[W]):\n    class In(Protocol[T]): pass\n";
        let written = Written::of(&SourceModel::parse(source).expect("it parses"));
        assert_eq!(texts(&written.type_parameters), "K Pair T V");
    }
}

//! Constants that a function reads: what its module, or a class around it, gives a name once; and whatever the
//! headers of the classes around it read, which cannot be defined otherwise (`class Box(Generic[T])`).

use std::collections::BTreeSet;

use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::imported::names_in;
use super::module::{Defined, is_constant, path_to, table};
use crate::semantic::{SourceModel, bytes};

/// Where the assignments stand.
pub(super) fn read_by(model: &SourceModel, def: &StmtFunctionDef) -> Vec<TextRange> {
    let suite = model.suite();
    let path = path_to(suite, def);
    let read: BTreeSet<&str> = path.last().into_iter().flat_map(|own| names_in(model, bytes(*own))).collect();
    let classes: Vec<&StmtClassDef> = path.into_iter().filter_map(Stmt::as_class_def_stmt).collect();
    let suites = std::iter::once(suite).chain(classes.iter().map(|class| class.body.as_slice()));
    let mut found: Vec<TextRange> = suites.flat_map(|suite| in_suite(suite, &read)).collect();
    found.extend(of_headers(model, &classes));
    found
}

/// Assignments of the module that the headers of classes read, directly or through others.
fn of_headers(model: &SourceModel, classes: &[&StmtClassDef]) -> Vec<TextRange> {
    let table = table(model.suite());
    let mut open: Vec<&str> = Vec::new();
    for class in classes {
        open.extend(class.decorator_list.iter().flat_map(|decorator| names_in(model, bytes(decorator))));
        open.extend(class.arguments.iter().flat_map(|arguments| names_in(model, bytes(&**arguments))));
    }
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(name) = open.pop() {
        let Some(Defined { stmt: Some(stmt), repeated: false }) = table.get(name) else { continue };
        if seen.insert(name) && matches!(stmt, Stmt::Assign(_) | Stmt::AnnAssign(_)) {
            found.push(stmt.range());
            open.extend(names_in(model, bytes(*stmt)));
        }
    }
    found
}

fn in_suite(suite: &[Stmt], read: &BTreeSet<&str>) -> Vec<TextRange> {
    let constant = |stmt: &Stmt| match stmt {
        Stmt::Assign(assign) => assign.targets.iter().all(Expr::is_name_expr) && is_constant(&assign.value),
        Stmt::AnnAssign(assign) => assign.value.as_deref().is_some_and(is_constant),
        _ => false,
    };
    let once = table(suite).into_iter().filter(|(name, defined)| !defined.repeated && read.contains(name.as_str()));
    once.filter_map(|(_, defined)| defined.stmt.filter(|stmt| constant(stmt)).map(Ranged::range)).collect()
}

//! Constants that a function reads: literals that its module, or a class around it, gives a name once.

use std::collections::BTreeSet;

use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::imported::names_in;
use super::module::{is_literal, path_to, table};
use crate::semantic::{SourceModel, bytes};

/// Where the assignments stand.
pub(super) fn read_by(model: &SourceModel, def: &StmtFunctionDef) -> Vec<TextRange> {
    let suite = model.suite();
    let path = path_to(suite, def);
    let read: BTreeSet<&str> = path.last().into_iter().flat_map(|own| names_in(model, bytes(*own))).collect();
    let classes = path.into_iter().filter_map(Stmt::as_class_def_stmt);
    let suites = std::iter::once(suite).chain(classes.map(|class| class.body.as_slice()));
    suites.flat_map(|suite| in_suite(suite, &read)).collect()
}

fn in_suite(suite: &[Stmt], read: &BTreeSet<&str>) -> Vec<TextRange> {
    let literal = |stmt: &Stmt| match stmt {
        Stmt::Assign(assign) => assign.targets.iter().all(Expr::is_name_expr) && is_literal(&assign.value),
        Stmt::AnnAssign(assign) => assign.value.as_deref().is_some_and(is_literal),
        _ => false,
    };
    let once = table(suite).into_iter().filter(|(name, defined)| !defined.repeated && read.contains(name.as_str()));
    once.filter_map(|(_, defined)| defined.stmt.filter(|stmt| literal(stmt)).map(Ranged::range)).collect()
}

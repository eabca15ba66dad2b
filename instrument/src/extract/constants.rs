//! Constants that a function reads: literals that its module, or a class around it, gives a name once.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::module::{is_literal, path_to, table};

/// Where the assignments stand.
pub(super) fn read_by(suite: &[Stmt], def: &StmtFunctionDef) -> Vec<TextRange> {
    let path = path_to(suite, def);
    let mut read = Read::default();
    path.last().into_iter().for_each(|own| read.visit_stmt(own));
    let classes = path.into_iter().filter_map(Stmt::as_class_def_stmt);
    let suites = std::iter::once(suite).chain(classes.map(|class| class.body.as_slice()));
    suites.flat_map(|suite| in_suite(suite, &read.names)).collect()
}

fn in_suite(suite: &[Stmt], read: &BTreeSet<String>) -> Vec<TextRange> {
    let literal = |stmt: &Stmt| match stmt {
        Stmt::Assign(assign) => assign.targets.iter().all(Expr::is_name_expr) && is_literal(&assign.value),
        Stmt::AnnAssign(assign) => assign.value.as_deref().is_some_and(is_literal),
        _ => false,
    };
    let once = table(suite).into_iter().filter(|(name, defined)| !defined.repeated && read.contains(name));
    once.filter_map(|(_, defined)| defined.stmt.filter(|stmt| literal(stmt)).map(Ranged::range)).collect()
}

/// Names and attributes that code reads.
#[derive(Default)]
struct Read {
    names: BTreeSet<String>,
}

impl Visitor<'_> for Read {
    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) => self.names.insert(name.id.to_string()),
            Expr::Attribute(attribute) => self.names.insert(attribute.attr.to_string()),
            _ => false,
        };
        visitor::walk_expr(self, expr);
    }
}

//! What the body of a `try` reads.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt};

use super::{Checks, PERHAPS};

/// Collects what a body reads and works on: no functions that it calls, and nothing of which it only takes a part.
pub(super) struct Read<'a> {
    checks: &'a Checks<'a>,
    keys: BTreeSet<String>,
}

impl<'a> Read<'a> {
    pub(super) fn keys_of(checks: &'a Checks<'a>, body: &[Stmt]) -> BTreeSet<String> {
        let mut read = Self { checks, keys: BTreeSet::new() };
        read.visit_body(body);
        read.keys.iter().map(|key| key.strip_prefix(PERHAPS).unwrap_or(key).to_owned()).collect()
    }

    /// The same for an expression.
    pub(super) fn keys_in(checks: &'a Checks<'a>, expr: &Expr) -> BTreeSet<String> {
        let mut read = Self { checks, keys: BTreeSet::new() };
        read.visit_expr(expr);
        read.keys.iter().map(|key| key.strip_prefix(PERHAPS).unwrap_or(key).to_owned()).collect()
    }
}

impl Visitor<'_> for Read<'_> {
    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) => {
                let name = name.id.as_str();
                if self.checks.parameters.contains(name) || self.checks.sources.contains_key(name) {
                    self.keys.extend(self.checks.keys(expr));
                }
            }
            Expr::Attribute(_) => self.keys.extend(self.checks.keys(expr)),
            Expr::Subscript(subscript) => {
                self.keys.extend(self.checks.keys(expr));
                self.visit_expr(&subscript.slice);
            }
            Expr::Call(call) => {
                match &*call.func {
                    Expr::Name(_) => {}
                    Expr::Attribute(method) => self.visit_expr(&method.value),
                    other => self.visit_expr(other),
                }
                self.visit_arguments(&call.arguments);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}

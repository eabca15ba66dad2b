//! The walk over a tree that lists mutants: statements and expressions, with what the source binds.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, Stmt};
use ruff_text_size::Ranged;
use rustc_hash::FxHashSet;

use super::{Edit, Mutant, Operator};
use crate::semantic::bytes;

/// Mutants of one source, as they are found.
pub(super) struct Walk<'t> {
    pub(super) text: &'t str,
    found: Vec<Mutant>,
    seen: FxHashSet<Vec<Edit>>,
    /// Names that the source binds, in the order in which they are first bound.
    pub(super) bound: Vec<&'t str>,
    /// Names that the source calls.
    pub(super) called: Vec<&'t str>,
    /// Every place of every name.
    pub(super) names: Vec<(&'t str, std::ops::Range<u32>)>,
    /// Names of the functions around.
    pub(super) functions: Vec<&'t str>,
}

impl<'t> Walk<'t> {
    /// The mutants of a module.
    pub(super) fn of(text: &'t str, suite: &'t [Stmt]) -> Vec<Mutant> {
        let mut names = Names::default();
        names.visit_body(suite);
        let Names { bound, called, places: names } = names;
        let (found, seen, functions) = (Vec::new(), FxHashSet::default(), Vec::new());
        let mut walk = Self { text, found, seen, bound, called, names, functions };
        walk.shadow_builtins();
        walk.visit_body(suite);
        walk.found.sort_by_key(|mutant| mutant.edits[0].range.start);
        walk.found
    }

    /// The text of a node.
    pub(super) fn slice(&self, node: &impl Ranged) -> &'t str {
        &self.text[node.range()]
    }

    /// A mutant that replaces one node.
    pub(super) fn replace(&mut self, operator: Operator, node: &impl Ranged, text: impl Into<String>) {
        self.edit(operator, vec![Edit { range: bytes(node), text: text.into() }]);
    }

    /// A mutant of several edits.
    pub(super) fn edit(&mut self, operator: Operator, mut edits: Vec<Edit>) {
        edits.sort_by_key(|edit| edit.range.start);
        let changes = |edit: &Edit| self.text[edit.range.start as usize..edit.range.end as usize] != edit.text;
        if edits.iter().any(changes) && self.seen.insert(edits.clone()) {
            self.found.push(Mutant { operator, edits });
        }
    }
}

impl<'t> Visitor<'t> for Walk<'t> {
    fn visit_stmt(&mut self, stmt: &'t Stmt) {
        self.statement(stmt);
        if let Stmt::FunctionDef(function) = stmt {
            self.functions.push(function.name.as_str());
            walk_stmt(self, stmt);
            self.functions.pop();
        } else {
            walk_stmt(self, stmt);
        }
    }

    fn visit_expr(&mut self, expr: &'t Expr) {
        self.expression(expr);
        // What stands inside an f-string cannot be edited everywhere in every version of Python.
        if !matches!(expr, Expr::FString(_) | Expr::TString(_)) {
            walk_expr(self, expr);
        }
    }

    fn visit_annotation(&mut self, _: &'t Expr) {}
}

/// Which names a source binds, calls and reads.
#[derive(Default)]
struct Names<'t> {
    bound: Vec<&'t str>,
    called: Vec<&'t str>,
    places: Vec<(&'t str, std::ops::Range<u32>)>,
}

impl<'t> Visitor<'t> for Names<'t> {
    fn visit_stmt(&mut self, stmt: &'t Stmt) {
        if let Stmt::FunctionDef(function) = stmt {
            self.bind(function.name.as_str());
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'t Expr) {
        match expr {
            Expr::Name(name) => {
                self.places.push((name.id.as_str(), bytes(name)));
                if name.ctx == ExprContext::Store {
                    self.bind(name.id.as_str());
                }
            }
            Expr::Call(call) => {
                if let Expr::Name(name) = &*call.func
                    && !self.called.contains(&name.id.as_str())
                {
                    self.called.push(name.id.as_str());
                }
            }
            _ => {}
        }
        walk_expr(self, expr);
    }
}

impl<'t> Names<'t> {
    fn bind(&mut self, name: &'t str) {
        if !self.bound.contains(&name) {
            self.bound.push(name);
        }
    }
}

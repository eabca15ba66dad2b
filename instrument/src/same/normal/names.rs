//! Names of a source by what is done with them.

use std::cell::RefCell;
use std::collections::BTreeSet;

use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::transformer::{self, Transformer};
use ruff_python_ast::{self as ast, Expr, ExprContext, Stmt};
use rustc_hash::FxHashMap;

/// Which names a source binds, and how often it reads each.
#[derive(Default)]
pub(super) struct Names {
    pub(super) bound: RefCell<BTreeSet<Name>>,
    /// How often each is read.
    pub(super) read: RefCell<FxHashMap<Name, usize>>,
}

impl Names {
    pub(super) fn is_read(&self, name: &Name) -> bool {
        self.read.borrow().contains_key(name)
    }

    fn reads(&self, name: &Name) {
        *self.read.borrow_mut().entry(name.clone()).or_default() += 1;
    }
}

impl Transformer for Names {
    fn visit_stmt(&self, stmt: &mut Stmt) {
        match stmt {
            Stmt::AugAssign(assign) => {
                if let Expr::Name(name) = &*assign.target {
                    self.reads(&name.id);
                }
            }
            // Names that others may see.
            Stmt::Global(ast::StmtGlobal { names, .. }) | Stmt::Nonlocal(ast::StmtNonlocal { names, .. }) => {
                for name in names {
                    self.reads(&name.id);
                }
            }
            Stmt::FunctionDef(def) => _ = self.bound.borrow_mut().insert(def.name.id.clone()),
            _ => {}
        }
        transformer::walk_stmt(self, stmt);
    }

    fn visit_expr(&self, expr: &mut Expr) {
        if let Expr::Name(name) = expr {
            match name.ctx {
                ExprContext::Load => self.reads(&name.id),
                _ => _ = self.bound.borrow_mut().insert(name.id.clone()),
            }
            if matches!(name.id.as_str(), "locals" | "vars" | "eval" | "exec") {
                // Any name may be read.
                let bound: Vec<Name> = self.bound.borrow().iter().cloned().collect();
                for name in &bound {
                    self.reads(name);
                }
            }
        }
        transformer::walk_expr(self, expr);
    }

    fn visit_parameter(&self, parameter: &mut ast::Parameter) {
        self.bound.borrow_mut().insert(parameter.name.id.clone());
        transformer::walk_parameter(self, parameter);
    }

    fn visit_alias(&self, alias: &mut ast::Alias) {
        self.bound.borrow_mut().insert(alias.asname.as_ref().unwrap_or(&alias.name).id.clone());
    }
}

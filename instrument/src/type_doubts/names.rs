//! What a source, or a body of it, binds, and what else is to be known of a body.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{self as ast, ExceptHandler, Expr, ExprContext, Pattern, Stmt, StmtFunctionDef};
use rustc_hash::FxHashSet;

use crate::semantic::builtin::is_standard_module;

/// Names that a source binds, with each of its functions.
#[derive(Default)]
pub(super) struct Names<'t> {
    /// A name for each place that binds it.
    pub(super) bound: Vec<&'t str>,
    /// Those that a name means: methods are reached through their objects.
    pub(super) functions: Vec<&'t StmtFunctionDef>,
    /// Names with `global` or `nonlocal`, which are bound elsewhere.
    pub(super) untold: Vec<&'t str>,
    /// A module may bring any name, also those of builtins: `from numpy import *`.
    pub(super) hides_builtins: bool,
    /// Functions are not gone into.
    is_shallow: bool,
    /// The statements are those of a class.
    is_class: bool,
}

impl<'t> Names<'t> {
    pub(super) fn collect(&mut self, suite: &'t [Stmt]) {
        self.visit_body(suite);
    }

    fn inside(&mut self, stmt: &'t Stmt, is_class: bool) {
        let around = std::mem::replace(&mut self.is_class, is_class);
        walk_stmt(self, stmt);
        self.is_class = around;
    }
}

impl<'t> Visitor<'t> for Names<'t> {
    fn visit_stmt(&mut self, stmt: &'t Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                self.bound.push(function.name.as_str());
                if !self.is_class {
                    self.functions.push(function);
                }
                if !self.is_shallow {
                    self.inside(stmt, false);
                }
                return;
            }
            Stmt::ClassDef(class) => {
                self.bound.push(class.name.as_str());
                if !self.is_shallow {
                    self.inside(stmt, true);
                }
                return;
            }
            Stmt::Import(import) => {
                let name = |alias: &'t ast::Alias| match &alias.asname {
                    Some(name) => name.as_str(),
                    None => alias.name.as_str().split('.').next().unwrap_or_default(),
                };
                self.bound.extend(import.names.iter().map(name));
            }
            Stmt::ImportFrom(import) => {
                // Modules of the standard library hide hardly any builtin.
                let module = import.module.as_ref().map_or("", |module| module.as_str());
                self.hides_builtins |= import.names.iter().any(|alias| alias.name.as_str() == "*")
                    && (import.level > 0 || module == "os" || !is_standard_module(module));
                let name = |alias: &'t ast::Alias| alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                self.bound.extend(import.names.iter().map(name));
            }
            Stmt::Global(global) => self.untold.extend(global.names.iter().map(ast::Identifier::as_str)),
            Stmt::Nonlocal(nonlocal) => self.untold.extend(nonlocal.names.iter().map(ast::Identifier::as_str)),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_parameter(&mut self, parameter: &'t ast::Parameter) {
        self.bound.push(parameter.name.as_str());
    }

    fn visit_except_handler(&mut self, handler: &'t ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        self.bound.extend(inner.name.as_ref().map(ast::Identifier::as_str));
        ast::visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'t Pattern) {
        let name = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        self.bound.extend(name.map(ast::Identifier::as_str));
        ast::visitor::walk_pattern(self, pattern);
    }

    fn visit_expr(&mut self, expr: &'t Expr) {
        if let Expr::Name(name) = expr
            && name.ctx != ExprContext::Load
        {
            self.bound.push(name.id.as_str());
        }
        walk_expr(self, expr);
    }
}

/// True if a body has a `yield` of its own.
pub(super) fn is_generator(body: &[Stmt]) -> bool {
    struct Yields(bool);
    impl Visitor<'_> for Yields {
        fn visit_stmt(&mut self, stmt: &Stmt) {
            if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
                walk_stmt(self, stmt);
            }
        }
        fn visit_expr(&mut self, expr: &Expr) {
            self.0 |= matches!(expr, Expr::Yield(_) | Expr::YieldFrom(_));
            walk_expr(self, expr);
        }
    }
    let mut yields = Yields(false);
    yields.visit_body(body);
    yields.0
}

/// Names that a body binds itself, without its functions.
pub(super) fn bound_in(body: &[Stmt]) -> FxHashSet<&str> {
    let mut names = Names { is_shallow: true, ..Names::default() };
    names.collect(body);
    names.bound.into_iter().collect()
}

/// Names of whose types a condition asks: `isinstance(x, A)`, `type(x) is A`, `hasattr(x, "a")`.
pub(super) fn asked(test: &Expr) -> Vec<&str> {
    #[derive(Default)]
    struct Asked<'t>(Vec<&'t str>);
    impl<'t> Visitor<'t> for Asked<'t> {
        fn visit_expr(&mut self, expr: &'t Expr) {
            if let Expr::Call(call) = expr
                && let (Expr::Name(function), Some(Expr::Name(name))) = (&*call.func, call.arguments.args.first())
                && matches!(function.id.as_str(), "isinstance" | "issubclass" | "type" | "hasattr" | "callable")
            {
                self.0.push(name.id.as_str());
            }
            walk_expr(self, expr);
        }
    }
    let mut asked = Asked::default();
    asked.visit_expr(test);
    asked.0
}

/// True if a loop with this body has a `break` of its own.
pub(super) fn has_break(body: &[Stmt]) -> bool {
    struct Breaks(bool);
    impl Visitor<'_> for Breaks {
        fn visit_stmt(&mut self, stmt: &Stmt) {
            match stmt {
                Stmt::Break(_) => self.0 = true,
                Stmt::For(_) | Stmt::While(_) | Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
                _ => walk_stmt(self, stmt),
            }
        }
    }
    let mut breaks = Breaks(false);
    breaks.visit_body(body);
    breaks.0
}

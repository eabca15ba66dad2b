//! The places of names in a tree, and the names that must stay because something other than a variable's use spells them.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, ExceptHandler, Expr, Keyword, Parameter, Pattern, Stmt};
use rustc_hash::FxHashSet;

use crate::semantic::SourceModel;
use crate::semantic::scope::captured;

/// Functions that see variables by their names.
const SEE_NAMES: [&str; 6] = ["locals", "vars", "eval", "exec", "dir", "globals"];

/// What a tree spells.
#[derive(Default)]
pub(super) struct Places<'t> {
    /// Names as expressions.
    pub(super) names: Vec<&'t ast::ExprName>,
    /// Names that are spelled otherwise: by `def`, `import`, `except ... as`, `global`, as keywords and parameters.
    pub(super) kept: FxHashSet<&'t str>,
    /// Something may see all names.
    pub(super) is_opaque: bool,
}

impl<'t> Places<'t> {
    pub(super) fn of(body: &'t [Stmt]) -> Self {
        let mut places = Self::default();
        places.visit_body(body);
        places
    }

    fn keep(&mut self, names: impl IntoIterator<Item = &'t ast::Identifier>) {
        self.kept.extend(names.into_iter().map(ast::Identifier::as_str));
    }
}

impl<'t> Visitor<'t> for Places<'t> {
    fn visit_stmt(&mut self, stmt: &'t Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => self.keep([&def.name]),
            Stmt::ClassDef(def) => self.keep([&def.name]),
            Stmt::Global(ast::StmtGlobal { names, .. }) | Stmt::Nonlocal(ast::StmtNonlocal { names, .. }) => {
                self.keep(names);
            }
            Stmt::Import(ast::StmtImport { names, .. }) | Stmt::ImportFrom(ast::StmtImportFrom { names, .. }) => {
                self.keep(names.iter().map(|alias| alias.asname.as_ref().unwrap_or(&alias.name)));
            }
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'t Expr) {
        match expr {
            Expr::Name(name) => {
                self.is_opaque |= SEE_NAMES.contains(&name.id.as_str());
                self.names.push(name);
            }
            // `{x=}` prints the name.
            Expr::FString(text) => {
                let parts = text.value.elements().filter_map(|part| part.as_interpolation());
                for part in parts.filter(|part| part.debug_text.is_some()) {
                    let mut inner = Self::default();
                    inner.visit_expr(&part.expression);
                    self.kept.extend(inner.names.iter().map(|name| name.id.as_str()));
                }
            }
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }

    fn visit_except_handler(&mut self, handler: &'t ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        self.keep(&inner.name);
        visitor::walk_except_handler(self, handler);
    }

    fn visit_parameter(&mut self, parameter: &'t Parameter) {
        self.keep([&parameter.name]);
        visitor::walk_parameter(self, parameter);
    }

    fn visit_keyword(&mut self, keyword: &'t Keyword) {
        self.keep(&keyword.arg);
        visitor::walk_keyword(self, keyword);
    }

    fn visit_pattern(&mut self, pattern: &'t Pattern) {
        self.keep(captured(pattern));
        visitor::walk_pattern(self, pattern);
    }
}

/// A name that the source does not have.
pub(super) fn free_name(model: &SourceModel, name: &str) -> String {
    let mut free = format!("{name}_value");
    while model.tables.scopes.symbols.get(&free).is_some() {
        free.push('_');
    }
    free
}

//! Questions of what a value offers: whether it has an attribute, and whether it can be called.

use ruff_python_ast::{self as ast, Expr};
use ruff_python_stdlib::identifiers::is_identifier;

use super::{Checks, OFFERS};

impl Checks<'_> {
    /// `hasattr(x, 'name')`, `getattr(x, 'name', default)`, `callable(x)`. The function is part of the question: what has an
    /// attribute need not be callable.
    pub(super) fn ask_offered(&mut self, call: &ast::ExprCall) {
        let Expr::Name(function) = &*call.func else { return };
        let name = match (function.id.as_str(), &*call.arguments.args) {
            ("hasattr", [_, name]) | ("getattr", [_, name, _]) => {
                name.as_string_literal_expr().map(|name| name.value.to_str())
            }
            ("callable", [Expr::Name(_)]) => Some("__call__"),
            _ => None,
        };
        if let (Some(name), Some(subject)) = (name.filter(|name| is_identifier(name)), call.arguments.args.first()) {
            self.keep(subject, &format!("{OFFERS}{name}\0{}", function.id));
        }
    }
}

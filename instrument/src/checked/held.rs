//! What containers hold: the elements of a copy are those of the original.

use std::collections::BTreeSet;

use ruff_python_ast::Expr;

use super::Checks;

/// Builtin functions whose results hold what their argument holds.
const COPYING: [&str; 6] = ["dict", "frozenset", "list", "set", "sorted", "tuple"];

impl Checks<'_> {
    /// What an expression holds, as far as it is the same as what variables and attributes hold.
    pub(super) fn elements(&self, holder: &Expr) -> BTreeSet<String> {
        match holder {
            Expr::Name(name) => {
                let mut keys = self.held.get(name.id.as_str()).cloned().unwrap_or_default();
                keys.insert(format!("element:{}", name.id));
                keys
            }
            Expr::Attribute(attribute) => BTreeSet::from([format!("element:{}", attribute.attr)]),
            Expr::BoolOp(several) => several.values.iter().flat_map(|one| self.elements(one)).collect(),
            Expr::If(choice) => [&choice.body, &choice.orelse].into_iter().flat_map(|one| self.elements(one)).collect(),
            Expr::Call(call) => match (&*call.func, &*call.arguments.args) {
                (Expr::Attribute(method), []) if matches!(method.attr.as_str(), "copy" | "values") => {
                    self.elements(&method.value)
                }
                (Expr::Name(name), [copied]) if COPYING.contains(&name.id.as_str()) => self.elements(copied),
                _ => BTreeSet::new(),
            },
            _ => BTreeSet::new(),
        }
    }

    /// Binds a variable to what another container holds.
    pub(super) fn bind_held(&mut self, target: &Expr, held: &BTreeSet<String>) {
        if let Expr::Name(name) = target
            && !held.is_empty()
        {
            self.held.entry(name.id.to_string()).or_default().extend(held.iter().cloned());
        }
    }
}

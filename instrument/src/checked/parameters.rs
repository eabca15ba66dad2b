//! Parameters of functions that the source itself calls: what these check is asked of the arguments.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, Stmt};
use rustc_hash::FxHashMap;

use super::Checks;

/// The functions of a source, by name, with their parameters, and the calls in it.
#[derive(Default)]
struct Calls<'a> {
    parameters: FxHashMap<&'a str, Vec<&'a str>>,
    /// What variables are bound to.
    values: FxHashMap<&'a str, Vec<&'a Expr>>,
    all: Vec<&'a ast::ExprCall>,
}

impl<'a> Visitor<'a> for Calls<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if let Stmt::FunctionDef(def) = stmt {
            let parameters = def.parameters.iter_non_variadic_params().map(|one| one.parameter.name.as_str());
            self.parameters.insert(def.name.as_str(), parameters.collect());
        }
        if let Stmt::Assign(assign) = stmt {
            for name in assign.targets.iter().filter_map(Expr::as_name_expr) {
                self.values.entry(name.id.as_str()).or_default().push(&assign.value);
            }
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Call(call) = expr {
            self.all.push(call);
        }
        visitor::walk_expr(self, expr);
    }
}

impl Checks<'_> {
    /// Binds the parameters of the functions of a source to the variables that its calls give them.
    pub(super) fn bind_parameters(&mut self, suite: &[Stmt]) {
        let mut found = Calls::default();
        found.visit_body(suite);
        for call in found.all {
            let (name, skipped) = match &*call.func {
                Expr::Name(name) => (name.id.as_str(), 0),
                Expr::Attribute(method) if is_own(&method.value) => (method.attr.as_str(), 1),
                _ => continue,
            };
            let Some(parameters) = found.parameters.get(name) else { continue };
            for (argument, parameter) in call.arguments.args.iter().zip(parameters.iter().skip(skipped)) {
                if let Expr::Name(given) = argument
                    && given.id.as_str() != *parameter
                {
                    let values = found.values.get(given.id.as_str()).into_iter().flatten();
                    let mut keys: BTreeSet<String> = values.flat_map(|value| self.keys(value)).collect();
                    keys.insert(format!("variable:{}", given.id));
                    self.sources.entry((*parameter).to_owned()).or_default().extend(keys);
                }
            }
        }
    }
}

/// True for the object that a method is called on, or its class.
fn is_own(owner: &Expr) -> bool {
    owner.as_name_expr().is_some_and(|name| matches!(name.id.as_str(), "self" | "cls"))
}

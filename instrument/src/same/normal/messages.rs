//! Texts of exceptions, log records and warnings, of which what is put into them counts.

use ruff_python_ast::{self as ast, AtomicNodeIndex, Expr, Operator};

use super::{Form, fresh, last_name, tuple};

/// Exceptions whose first argument is no message.
const WITH_VALUES: &[&str] = &["SystemExit", "StopIteration", "StopAsyncIteration", "KeyError"];
const LOGGING: &[&str] = &["debug", "info", "warning", "warn", "error", "exception", "critical"];

impl Form {
    /// A class that is raised is called without arguments; the text of a message becomes what is put into it.
    pub(super) fn rewrite_exception(&self, exc: &mut Expr) {
        let is_class = last_name(exc).is_some_and(|name| name.starts_with(|letter: char| letter.is_uppercase()));
        if is_class && matches!(exc, Expr::Name(_) | Expr::Attribute(_)) {
            let (node_index, range) = fresh();
            let arguments = ast::Arguments { range, node_index, args: Box::default(), keywords: Vec::new().into() };
            let func = Box::new(exc.clone());
            let node_index = AtomicNodeIndex::NONE;
            *exc = ast::ExprCall { node_index, range_start: range.start(), func, arguments }.into();
        }
        if let Expr::Call(call) = exc
            && !self.messages_count
            && last_name(&call.func).is_some_and(|name| !WITH_VALUES.contains(&name))
        {
            for argument in &mut call.arguments.args {
                let operands = message(argument);
                first_of(argument, operands);
            }
        }
    }
}

/// What a text is made of besides its literal parts; `None` for what is no text.
pub(super) fn message(expr: &Expr) -> Option<Vec<Expr>> {
    match expr {
        Expr::StringLiteral(_) => Some(Vec::new()),
        Expr::FString(text) => {
            let elements = text.value.elements();
            let inside = elements.filter_map(|element| Some((*element.as_interpolation()?.expression).clone()));
            Some(inside.collect())
        }
        Expr::BinOp(operation) if operation.op == Operator::Add => {
            Some([message(&operation.left)?, message(&operation.right)?].concat())
        }
        Expr::BinOp(operation) if operation.op == Operator::Mod => {
            let mut operands = message(&operation.left)?;
            match &*operation.right {
                Expr::Tuple(tuple) => operands.extend(tuple.elts.iter().cloned()),
                Expr::Dict(_) => return None,
                other => operands.push(other.clone()),
            }
            Some(operands)
        }
        Expr::Call(call) if call.arguments.keywords.is_empty() => match &*call.func {
            Expr::Attribute(method) if method.attr.as_str() == "format" && method.value.is_string_literal_expr() => {
                Some(call.arguments.args.to_vec())
            }
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn first_of(expr: &mut Expr, operands: Option<Vec<Expr>>) {
    if let Some(operands) = operands {
        *expr = tuple(operands);
    }
}

pub(super) fn is_log_or_warning(func: &Expr) -> bool {
    match func {
        Expr::Name(name) => name.id.as_str() == "warn",
        Expr::Attribute(method) => {
            let owner = last_name(&method.value).unwrap_or_default();
            let is_log = matches!(owner, "log" | "logger" | "logging" | "_log" | "_logger" | "LOG" | "LOGGER");
            method.attr.as_str() == "warn" && owner == "warnings" || is_log && LOGGING.contains(&method.attr.as_str())
        }
        _ => false,
    }
}

//! What is looked up in dictionaries that the source writes down: a key that one has keeps the code from raising.

use ruff_python_ast::{self as ast, Expr, Stmt};
use rustc_hash::FxHashMap;

use super::hints::{Wish, literal};
use super::outcomes::{Outcome, Question, Requirement};
use crate::semantic::bytes;

/// Dictionaries that are written out, by the names of the variables and attributes that hold them.
#[derive(Default)]
pub(super) struct Dictionaries<'a> {
    keys: FxHashMap<&'a str, Vec<Wish>>,
}

impl<'a> Dictionaries<'a> {
    /// Takes note of what an assignment gives to a name.
    pub(super) fn statement(&mut self, stmt: &'a Stmt) {
        let (targets, value) = match stmt {
            Stmt::Assign(assign) => (assign.targets.as_slice(), &*assign.value),
            Stmt::AnnAssign(ast::StmtAnnAssign { target, value: Some(value), .. }) => {
                (std::slice::from_ref(&**target), &**value)
            }
            _ => return,
        };
        let Expr::Dict(dict) = value else { return };
        let is_injected = |key: &Wish| match key {
            Wish::Text(text) => !text.is_empty(),
            Wish::Integer(number) => *number != 0,
            _ => false,
        };
        let keys: Vec<Wish> = dict.iter_keys().flatten().filter_map(literal).filter(is_injected).collect();
        if !keys.is_empty() {
            for name in targets.iter().filter_map(Expr::as_name_expr) {
                self.keys.entry(name.id.as_str()).or_insert_with(|| keys.clone());
            }
        }
    }

    /// Adds the outcome of a lookup that finds something.
    pub(super) fn expression(&self, expression: &Expr, into: &mut Vec<Outcome>) {
        let Expr::Subscript(lookup) = expression else { return };
        let holder = match &*lookup.value {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) if attribute.value.is_name_expr() => attribute.attr.as_str(),
            _ => return,
        };
        if !lookup.ctx.is_load() {
            return;
        }
        let Some(keys) = self.keys.get(holder) else { return };
        let (subject, changes) = unchanged(&lookup.slice);
        let is_read = matches!(subject, Expr::Name(_) | Expr::Attribute(_) | Expr::Call(_));
        let Some(key) = keys.iter().find(|key| changes.iter().all(|change| keeps(change, key))) else { return };
        let kind = if matches!(key, Wish::Text(_)) { "str" } else { "int" };
        if is_read {
            into.push(Outcome {
                decides: bytes(lookup),
                truth: true,
                is_guard: true,
                requires: vec![Requirement {
                    subject: bytes(subject),
                    question: Question::Instance(kind),
                    answer: true,
                    wish: Some(key.clone()),
                    other: None,
                }],
            });
        }
    }
}

/// What an expression makes its text of, and the methods that it calls for that: `text` and `lower` of
/// `str(text).lower()`.
fn unchanged(mut expression: &Expr) -> (&Expr, Vec<&str>) {
    let mut changes = Vec::new();
    while let Expr::Call(call) = expression {
        expression = match (&*call.func, &*call.arguments.args) {
            (Expr::Name(name), [one]) if name.id == "str" => one,
            (Expr::Attribute(method), []) if CHANGES.contains(&method.attr.as_str()) => {
                changes.push(method.attr.as_str());
                &method.value
            }
            _ => break,
        };
    }
    (expression, changes)
}

const CHANGES: [&str; 6] = ["lower", "casefold", "upper", "strip", "lstrip", "rstrip"];

/// True for a key that a method leaves as it is.
fn keeps(change: &str, key: &Wish) -> bool {
    let Wish::Text(text) = key else { return false };
    match change {
        "lower" | "casefold" => text.to_lowercase() == *text,
        "upper" => text.to_uppercase() == *text,
        _ => text.trim() == text,
    }
}

//! What is looked up in dictionaries that the source writes down: a key that one has keeps the code from raising.

use ruff_python_ast::{self as ast, Expr, Stmt};
use rustc_hash::FxHashMap;

use super::literals::literal;
use super::outcomes::{Outcome, Question, Requirement};
use super::wishes::Wish;
use crate::semantic::bytes;

/// Dictionaries that are written out, and hold what is written there wherever the text has come to.
#[derive(Default)]
pub(super) struct Dictionaries<'a> {
    /// Keys by the name of the variable.
    variables: FxHashMap<&'a str, Vec<Wish>>,
    /// Keys by the name of the attribute that a class gives its instances.
    attributes: FxHashMap<&'a str, Vec<Wish>>,
}

/// The dictionaries around a function.
pub(super) struct Around<'a>(FxHashMap<&'a str, Vec<Wish>>);

impl<'a> Dictionaries<'a> {
    /// Goes into a function, whose parameters are no dictionaries of the code around.
    pub(super) fn enter(&mut self, parameters: &'a ast::Parameters) -> Around<'a> {
        let around = Around(self.variables.clone());
        for parameter in parameters {
            self.variables.remove(parameter.name().as_str());
        }
        around
    }

    /// Leaves a function, whose variables are its own.
    pub(super) fn leave(&mut self, around: Around<'a>) {
        self.variables = around.0;
    }

    /// Takes note of what an assignment gives to a name: a dictionary, or another value.
    pub(super) fn statement(&mut self, stmt: &'a Stmt, is_of_class: bool) {
        let (targets, value) = match stmt {
            Stmt::Assign(assign) => (assign.targets.as_slice(), &*assign.value),
            Stmt::AnnAssign(ast::StmtAnnAssign { target, value: Some(value), .. }) => {
                (std::slice::from_ref(&**target), &**value)
            }
            Stmt::For(looped) => return self.forget(&looped.target),
            _ => return,
        };
        for target in targets {
            self.forget(target);
        }
        let Expr::Dict(dict) = value else { return };
        let is_injected = |key: &Wish| match key {
            Wish::Text(text) => !text.is_empty(),
            Wish::Integer(number) => *number != 0,
            _ => false,
        };
        let keys: Vec<Wish> = dict.iter_keys().flatten().filter_map(literal).filter(is_injected).collect();
        if !keys.is_empty() {
            let held = if is_of_class { &mut self.attributes } else { &mut self.variables };
            held.extend(targets.iter().filter_map(Expr::as_name_expr).map(|name| (name.id.as_str(), keys.clone())));
        }
    }

    /// A name that is bound to something else, or a dictionary that gets further keys.
    fn forget(&mut self, target: &Expr) {
        match target {
            Expr::Name(name) => drop(self.variables.remove(name.id.as_str())),
            Expr::Subscript(item) => match &*item.value {
                Expr::Attribute(attribute) => drop(self.attributes.remove(attribute.attr.as_str())),
                held => self.forget(held),
            },
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                for element in elts {
                    self.forget(element);
                }
            }
            _ => {}
        }
    }

    /// Adds the outcome of a lookup that finds something.
    pub(super) fn expression(&self, expression: &Expr, into: &mut Vec<Outcome>) {
        let Expr::Subscript(lookup) = expression else { return };
        let keys = match &*lookup.value {
            Expr::Name(name) => self.variables.get(name.id.as_str()),
            Expr::Attribute(attribute) if attribute.value.is_name_expr() => {
                self.attributes.get(attribute.attr.as_str())
            }
            _ => None,
        };
        let Some(keys) = keys.filter(|_| lookup.ctx.is_load()) else { return };
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

//! What is looked up in containers that the source writes down, and matched by regular expressions of it.

use ruff_python_ast::{self as ast, CmpOp, Expr};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use super::equated::{Equated, constants};
use super::{Checks, ONE_OF};
use crate::guards::quoted;
use crate::matching_texts::{Pattern, matching, pattern_of};

/// Longer containers are tables of data, of which few values are looked up.
const MOST_ITEMS: usize = 200;

/// Variables that hold such containers and expressions.
#[derive(Default)]
pub(super) struct Tables {
    /// The items of containers, each with what it stands for.
    items: FxHashMap<String, Vec<(String, String)>>,
    patterns: FxHashMap<String, Pattern>,
    /// Texts and numbers that containers hold.
    constants: FxHashMap<String, Vec<Equated>>,
}

impl Tables {
    /// Takes note of what an assignment binds a name to.
    pub(super) fn bind(&mut self, target: &Expr, value: &Expr, text: &str) {
        let Some(name) = target.as_name_expr().map(|name| name.id.to_string()) else { return };
        let constants = constants(value);
        if !constants.is_empty() {
            self.constants.insert(name.clone(), constants);
        }
        if let Some((pattern, None)) = value.as_call_expr().and_then(pattern_of) {
            self.patterns.insert(name, pattern);
        } else if let Some(items) = items(value, text) {
            self.items.insert(name, items);
        }
    }
}

/// The name of a variable, also of one of a class.
fn name_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => {
            let owner = attribute.value.as_name_expr()?.id.as_str();
            matches!(owner, "self" | "cls").then_some(attribute.attr.as_str())
        }
        _ => None,
    }
}

/// The literals of a container, with what they stand for in a dictionary.
fn items(value: &Expr, text: &str) -> Option<Vec<(String, String)>> {
    let written = |expr: &Expr| text[expr.range()].to_owned();
    let found: Vec<(String, String)> = match value {
        Expr::Dict(dict) => {
            let items = dict.items.iter().filter_map(|item| Some((item.key.as_ref()?, &item.value)));
            items.filter(|(key, _)| is_literal(key)).map(|(key, value)| (written(key), written(value))).collect()
        }
        Expr::List(ast::ExprList { elts, .. })
        | Expr::Tuple(ast::ExprTuple { elts, .. })
        | Expr::Set(ast::ExprSet { elts, .. }) => {
            elts.iter().filter(|one| is_literal(one)).map(|one| (written(one), String::new())).collect()
        }
        Expr::Call(call) => {
            let name = call.func.as_name_expr()?.id.as_str();
            let [one] = &*call.arguments.args else { return None };
            return matches!(name, "frozenset" | "set" | "tuple" | "list" | "dict").then(|| items(one, text))?;
        }
        _ => return None,
    };
    (!found.is_empty() && found.len() <= MOST_ITEMS).then_some(found)
}

fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_literal),
        expr => expr.is_literal_expr(),
    }
}

impl Checks<'_> {
    /// A container is asked for what it holds by a method, or a text is matched.
    pub(super) fn ask_tables(&mut self, call: &ast::ExprCall) {
        if let Some((pattern, subject)) = pattern_of(call) {
            let subject = subject.and_then(|at| call.arguments.find_positional(at));
            return subject.into_iter().for_each(|subject| self.ask_match(subject, &pattern));
        }
        let Some(method) = call.func.as_attribute_expr() else { return };
        if let ("get", Expr::Dict(_), Some(subject)) =
            (method.attr.as_str(), &*method.value, call.arguments.find_positional(0))
        {
            self.equate_all(subject, &method.value);
        }
        let Some(name) = name_of(&method.value) else { return };
        match method.attr.as_str() {
            "get" | "pop" | "index" | "count" => {
                if let Some(subject) = call.arguments.find_positional(0) {
                    self.ask_items(subject, &method.value);
                }
            }
            "match" | "search" | "fullmatch" | "findall" | "finditer" | "split" | "sub" | "subn" => {
                let at = usize::from(matches!(method.attr.as_str(), "sub" | "subn"));
                if let (Some(pattern), Some(subject)) =
                    (self.tables.patterns.get(name).cloned(), call.arguments.find_positional(at))
                {
                    self.ask_match(subject, &pattern);
                }
            }
            _ => {}
        }
    }

    /// `x in container`, `container[x]`.
    pub(super) fn ask_items(&mut self, subject: &Expr, container: &Expr) {
        if let Expr::StringLiteral(text) = container {
            return self.ask_characters(subject, text.value.to_str());
        }
        match name_of(container) {
            Some(name) => {
                let constants = self.tables.constants.get(name).cloned().unwrap_or_default();
                for one in &constants {
                    self.equate_with(subject, one);
                }
            }
            None => self.equate_all(subject, container),
        }
        let Some(items) = name_of(container).and_then(|name| self.tables.items.get(name)).cloned() else { return };
        for (item, stands_for) in items {
            self.keep(subject, &format!("{ONE_OF}{item}\0{stands_for}"));
        }
    }

    /// `x in 'abc'`, where `x` is one of the characters of a text.
    fn ask_characters(&mut self, subject: &Expr, text: &str) {
        let whole: Vec<String> = self
            .keys(subject)
            .iter()
            .filter_map(|key| Some(format!("variable:{}", key.strip_prefix("element:")?)))
            .collect();
        for character in text.chars().filter_map(|one| quoted(one.encode_utf8(&mut [0; 4]))) {
            let check = format!("{ONE_OF}{character}\0");
            self.found.extend(whole.iter().map(|key| (key.clone(), check.clone())));
        }
    }

    /// `x in container`, `x not in container`.
    pub(super) fn ask_membership(&mut self, compare: &ast::ExprCompare) {
        if let ([CmpOp::In | CmpOp::NotIn], [container]) = (&*compare.ops, &*compare.comparators) {
            self.ask_items(&compare.left, container);
        }
    }

    fn ask_match(&mut self, subject: &Expr, pattern: &Pattern) {
        for text in matching(pattern).iter().filter_map(|text| quoted(text)) {
            self.keep(subject, &format!("{ONE_OF}{text}\0{}", pattern.0));
        }
    }
}

//! What conditions compare values with: candidates for a value that takes the other side.

use std::ops::Range;

use ruff_python_ast::name::UnqualifiedName;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{self as ast, CmpOp, Expr, Operator, Pattern, Singleton};
use ruff_text_size::Ranged;

use super::joined_texts;
use super::literals::{FEW, Literals, elements, first_literal, is_ordinal, literal, measured};
use super::wishes::{Hint, Wish};
use crate::semantic::bytes;

/// Builtin types that classes of values stand for.
const TYPES: [&str; 8] = ["str", "int", "float", "bool", "list", "tuple", "dict", "set"];

/// Collects the hints of a condition.
pub(super) fn collect(condition: &Expr, literals: &Literals<'_>, into: &mut Vec<Hint>) {
    Collector { literals, hints: into }.visit_expr(condition);
}

/// Collects the hints of a pattern for its subject.
pub(super) fn collect_pattern(pattern: &Pattern, subject: &Range<u32>, into: &mut Vec<Hint>) {
    let mut push = |wish| into.push(Hint { subject: subject.clone(), wish });
    match pattern {
        Pattern::MatchValue(value) => literal(&value.value).into_iter().for_each(push),
        Pattern::MatchSingleton(singleton) => push(match singleton.value {
            Singleton::None => Wish::Nothing,
            Singleton::True => Wish::Truth(true),
            Singleton::False => Wish::Truth(false),
        }),
        Pattern::MatchSequence(sequence) => {
            push(Wish::Length(u16::try_from(sequence.patterns.len()).unwrap_or(u16::MAX)));
        }
        Pattern::MatchMapping(mapping) => match mapping.keys.first().and_then(literal) {
            Some(Wish::Text(key)) => push(Wish::Holds(key)),
            _ => push(Wish::Instance("dict")),
        },
        Pattern::MatchClass(class) => instance(&class.cls).into_iter().for_each(push),
        Pattern::MatchOr(or) => or.patterns.iter().take(FEW).for_each(|one| collect_pattern(one, subject, into)),
        Pattern::MatchAs(ast::PatternMatchAs { pattern: Some(pattern), .. }) => collect_pattern(pattern, subject, into),
        Pattern::MatchAs(_) | Pattern::MatchStar(_) => {}
    }
}

/// Collects the text that an assignment takes apart: `name, value = line.split("=")`. Its parts are numbers, which are
/// texts, too.
pub(super) fn collect_parts(assign: &ast::StmtAssign, into: &mut Vec<Hint>) {
    let ([Expr::Tuple(ast::ExprTuple { elts, .. })], Expr::Call(call)) = (assign.targets.as_slice(), &*assign.value)
    else {
        return;
    };
    let Expr::Attribute(method) = &*call.func else { return };
    if !matches!(method.attr.as_str(), "split" | "rsplit") || elts.len() < 2 || elts.iter().any(Expr::is_starred_expr) {
        return;
    }
    let separator = match call.arguments.args.first().map(literal) {
        None => " ".to_owned(),
        Some(Some(Wish::Text(separator))) => separator,
        Some(_) => return,
    };
    into.push(Hint { subject: bytes(&*method.value), wish: Wish::Text(vec!["1"; elts.len()].join(&separator)) });
}

/// Collects the text that a call makes a number of, whole or of a slice of it.
pub(super) fn collect_number(call: &ast::ExprCall, into: &mut Vec<Hint>) {
    let (Expr::Name(name), Some(read)) = (&*call.func, call.arguments.args.first()) else { return };
    if !matches!(name.id.as_str(), "int" | "float") {
        return;
    }
    let (subject, text) = match read {
        Expr::Subscript(ast::ExprSubscript { value, slice, .. }) if slice.is_slice_expr() => (&**value, "11111111"),
        read => (read, "1"),
    };
    into.push(Hint { subject: bytes(subject), wish: Wish::Text(text.to_owned()) });
}

struct Collector<'a> {
    literals: &'a Literals<'a>,
    hints: &'a mut Vec<Hint>,
}

impl<'a> Collector<'a> {
    fn push(&mut self, subject: &Expr, wish: Wish) {
        // What has the number of a character comes of the character.
        if let Wish::Integer(number) = wish
            && let Some(letter) = u32::try_from(number).ok().and_then(char::from_u32)
            && self.is_ordinal(subject)
        {
            self.hints.push(Hint { subject: bytes(subject), wish: Wish::Text(letter.to_string()) });
        }
        self.hints.push(Hint { subject: subject.start().to_u32()..subject.end().to_u32(), wish });
    }

    /// The value that an expression is compared with, written out there or under its name before.
    fn value_of(&self, expression: &Expr) -> Option<Wish> {
        literal(expression).or_else(|| self.values_of(expression)?.first().cloned())
    }

    /// What leads to the container whose length an expression is: the container, or the name that was given its length.
    fn measured<'e>(&self, expression: &'e Expr) -> Option<&'e Expr> {
        let is_length = |name: &&ast::ExprName| self.literals.lengths.contains(name.id.as_str());
        measured(expression).or_else(|| expression.as_name_expr().filter(is_length).map(|_| expression))
    }

    fn is_ordinal(&self, expression: &Expr) -> bool {
        let is_named = |name: &ast::ExprName| self.literals.ordinals.contains(name.id.as_str());
        is_ordinal(expression) || expression.as_name_expr().is_some_and(is_named)
    }

    fn values_of(&self, expression: &Expr) -> Option<&'a [Wish]> {
        self.literals.values.get(expression.as_name_expr()?.id.as_str()).map(Vec::as_slice)
    }

    /// Numbers beside one that a value is compared with, or that make a remainder what it is compared with.
    fn near(&mut self, left: &Expr, number: i64, is_equality: bool) {
        if let Expr::BinOp(ast::ExprBinOp { left: divided, op: Operator::Mod, right: divisor, .. }) = left
            && let Some(Wish::Integer(divisor)) = literal(divisor)
        {
            for other in [number.saturating_add(divisor), number.saturating_add(divisor).saturating_add(1)] {
                self.push(divided, Wish::Integer(other));
            }
            return;
        }
        self.push(left, Wish::Integer(number.saturating_add(1)));
        if !is_equality {
            self.push(left, Wish::Integer(number.saturating_sub(1)));
        }
    }

    /// An instance of a class, or of the class of the object whose method this is.
    fn instance(&self, class: &Expr) -> Option<Wish> {
        let is_own = |object: &Expr| object.as_name_expr().is_some_and(|name| name.id == "self");
        if class_of(class).is_some_and(is_own) || class.as_name_expr().is_some_and(|name| name.id == "cls") {
            return Some(Wish::OtherInstance(self.literals.class?.to_owned()));
        }
        if class_of(class).is_some() { None } else { instance(class) }
    }

    fn compare(&mut self, left: &Expr, op: CmpOp, right: &Expr) {
        if !matches!(op, CmpOp::In | CmpOp::NotIn) {
            for (object, class) in [(left, right), (right, left)] {
                if let (Some(object), Some(wish)) = (class_of(object), self.instance(class)) {
                    self.push(object, wish);
                }
            }
        }
        match (op, self.value_of(right)) {
            (CmpOp::In | CmpOp::NotIn, _) => {
                let written = literal(left);
                let is_open = written.is_none();
                if let Some(Wish::Text(text)) = written {
                    self.push(right, Wish::Holds(text));
                }
                if let Some(elements) = elements(right) {
                    let named = |one| self.name_of(one).filter(|name| is_constant(name)).map(Wish::Named);
                    let wishes = elements.iter().filter_map(|one| literal(one).or_else(|| named(one)));
                    for wish in wishes.take(FEW).collect::<Vec<_>>() {
                        self.push(left, wish);
                    }
                } else if let Some(Wish::Text(text)) = literal(right) {
                    self.push(left, Wish::Text(text.chars().take(1).collect()));
                } else {
                    for wish in self.values_of(right).into_iter().flatten() {
                        self.push(left, wish.clone());
                    }
                    if let Some(name) = self.name_of(right).filter(|_| is_open) {
                        self.push(left, Wish::Member(name));
                    }
                }
            }
            (_, Some(wish)) => match (wish, self.measured(left)) {
                (Wish::Integer(number), Some(container)) => {
                    for length in [number + 1, number, number - 1] {
                        if let Ok(length) = u16::try_from(length) {
                            self.push(container, Wish::Length(length.min(64)));
                        }
                    }
                }
                (Wish::Integer(number), None) => {
                    self.push(left, Wish::Integer(number));
                    self.near(left, number, matches!(op, CmpOp::Eq | CmpOp::NotEq | CmpOp::Is | CmpOp::IsNot));
                }
                (Wish::Real(number), _) => {
                    for number in [number, number + 1.0, number - 1.0] {
                        self.push(left, Wish::Real(number));
                    }
                }
                (wish, _) => self.push(left, wish),
            },
            (CmpOp::Is | CmpOp::IsNot, None) => {
                if let Some(name) = self.name_of(right) {
                    self.push(left, Wish::Named(name));
                }
            }
            (_, None) => {
                if let Some(name) = self.name_of(right).filter(|name| is_constant(name)) {
                    self.push(left, Wish::Named(name));
                }
            }
        }
    }

    /// A dotted name; what the object of a method has, its class has under `Class.name`.
    fn name_of(&self, expression: &Expr) -> Option<String> {
        let name = UnqualifiedName::from_expr(expression)?.to_string();
        let own = ["self.", "cls."].iter().find_map(|own| name.strip_prefix(own));
        match own {
            Some(attribute) => Some(format!("{}.{attribute}", self.literals.class?)),
            None => Some(name),
        }
    }

    fn call(&mut self, call: &ast::ExprCall) {
        match (&*call.func, &*call.arguments.args) {
            (Expr::Name(name), [subject, kinds]) if name.id == "isinstance" => {
                for kind in elements(kinds).unwrap_or(std::slice::from_ref(kinds)) {
                    if let Some(wish) = self.instance(kind) {
                        self.push(subject, wish);
                    }
                }
            }
            (Expr::Name(name), [subject]) if name.id == "callable" => self.push(subject, Wish::Instance("callable")),
            (Expr::Attribute(method), arguments) => {
                let text = match (method.attr.as_str(), arguments) {
                    ("startswith" | "endswith", [start, ..]) => match first_literal(start) {
                        Some(Wish::Text(text)) => text,
                        _ => return,
                    },
                    ("isdigit" | "isdecimal" | "isnumeric" | "isalnum", []) => "1".to_owned(),
                    ("isalpha" | "islower", []) => "a".to_owned(),
                    ("isupper" | "istitle", []) => "A".to_owned(),
                    ("isspace", []) => " ".to_owned(),
                    _ => return,
                };
                self.push(&method.value, Wish::Text(text));
            }
            _ => {}
        }
    }
}

impl Visitor<'_> for Collector<'_> {
    fn visit_expr(&mut self, expression: &Expr) {
        match expression {
            Expr::Compare(compare) => {
                let mut left = &*compare.left;
                for (op, right) in compare.ops.iter().zip(&compare.comparators) {
                    self.compare(left, *op, right);
                    if self.value_of(left).is_some()
                        && literal(right).is_none()
                        && !matches!(op, CmpOp::In | CmpOp::NotIn)
                    {
                        self.compare(right, *op, left);
                    }
                    left = right;
                }
            }
            Expr::Call(call) => self.call(call),
            Expr::BoolOp(ast::ExprBoolOp { op: ast::BoolOp::And, values, .. }) => {
                joined_texts::collect(values, self.hints);
            }
            Expr::Lambda(_) => return,
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// The object that an expression is the class of: `type(x)`, `x.__class__`.
fn class_of(expression: &Expr) -> Option<&Expr> {
    match expression {
        Expr::Call(call) if call.func.as_name_expr().is_some_and(|name| name.id == "type") => {
            if let [object] = &*call.arguments.args { Some(object) } else { None }
        }
        Expr::Attribute(attribute) if attribute.attr.as_str() == "__class__" => Some(&attribute.value),
        _ => None,
    }
}

/// True for a dotted name that is written as constants are: `State.DONE`, `UNSET`.
fn is_constant(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.contains(|letter: char| letter.is_ascii_uppercase())
        && !last.contains(|letter: char| letter.is_ascii_lowercase())
}

/// An instance of a class.
fn instance(class: &Expr) -> Option<Wish> {
    let named = || Some(Wish::OtherInstance(UnqualifiedName::from_expr(class)?.to_string()));
    builtin_type(class).map(Wish::Instance).or_else(named)
}

pub(super) fn builtin_type(expression: &Expr) -> Option<&'static str> {
    let Expr::Name(name) = expression else { return None };
    TYPES.into_iter().find(|kind| name.id == **kind)
}

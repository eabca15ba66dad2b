//! Conditions in negation normal form, and their logical negation.

use std::fmt::{self, Display};

use compact_str::CompactString;
use ruff_python_ast::{BoolOp, CmpOp, Expr, UnaryOp};
use ruff_text_size::Ranged;

use super::spelling::{Slot, Template, operator};

/// Operators in one another that are followed.
const DEEPEST: u32 = 24;

/// A condition without side effects: `not` stands only before what has no negation of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A single test.
    Test(Test),
    /// All of them hold.
    All(Vec<Condition>),
    /// At least one of them holds.
    Any(Vec<Condition>),
}

/// A test without `and` and `or`: `x is None`, `not x`, `isinstance(x, str)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Its spelling, with `$0` for what it is about.
    pub template: Template,
}

impl Test {
    /// The template of the test that holds where this one does not.
    #[must_use]
    pub fn negated(&self) -> Self {
        let text = negated_template(&self.template.text);
        Self { template: Template { text: text.into(), slots: self.template.slots.clone() } }
    }
}

/// Operators of comparisons with their negations. Those that order values assume that one of `<`, `==` and `>` holds,
/// which is not so for sets and for `nan`.
const NEGATIONS: [(&str, &str); 10] = [
    (" is not ", " is "),
    (" not in ", " in "),
    (" == ", " != "),
    (" != ", " == "),
    (" <= ", " > "),
    (" >= ", " < "),
    (" < ", " >= "),
    (" > ", " <= "),
    (" is ", " is not "),
    (" in ", " not in "),
];

/// The template of the negated test.
#[must_use]
pub fn negated_template(template: &str) -> String {
    if let Some(positive) = template.strip_prefix("not ") {
        return positive.to_owned();
    }
    let Some((at, operator)) = comparison(template) else { return format!("not {template}") };
    let negation = NEGATIONS.iter().find(|(positive, _)| *positive == operator).map_or(operator, |(_, other)| other);
    format!("{}{negation}{}", &template[..at], &template[at + operator.len()..])
}

/// The operator of a comparison that stands in no brackets and no text, and where it begins.
fn comparison(template: &str) -> Option<(usize, &'static str)> {
    let (mut depth, mut quoted) = (0_i32, false);
    let bytes = template.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quoted => at += 1,
            b'\'' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b' ' if depth == 0 => {
                let rest = &template[at..];
                if let Some((found, _)) = NEGATIONS.iter().find(|(operator, _)| rest.starts_with(operator)) {
                    return Some((at, found));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

impl Condition {
    /// The condition that an expression states. `None` if it may have side effects or is of a kind that is not taken.
    pub(crate) fn of(expr: &Expr) -> Option<Self> {
        Self::stated(expr, false, 0)
    }

    fn stated(expr: &Expr, negated: bool, depth: u32) -> Option<Self> {
        if depth > DEEPEST {
            return None;
        }
        match expr {
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => Self::stated(&unary.operand, !negated, depth + 1),
            Expr::BoolOp(operation) => {
                let parts = operation.values.iter().map(|value| Self::stated(value, negated, depth + 1));
                let parts: Vec<Self> = parts.collect::<Option<_>>()?;
                // De Morgan's laws.
                Some(Self::joined((operation.op == BoolOp::And) != negated, parts))
            }
            // Each operand is evaluated once in a chain; without side effects, twice is the same.
            Expr::Compare(compare) if compare.ops.len() > 1 => {
                let operands: Vec<&Expr> = std::iter::once(&*compare.left).chain(&*compare.comparators).collect();
                let links = operands.windows(2).zip(&compare.ops);
                let parts: Option<Vec<Self>> =
                    links.map(|(pair, op)| Some(Self::test(link(pair[0], *op, pair[1])?, negated))).collect();
                Some(Self::joined(!negated, parts?))
            }
            _ => Some(Self::test(Template::of(expr)?, negated)),
        }
    }

    fn test(template: Template, negated: bool) -> Self {
        let test = Test { template: template.about_a_path_first() };
        Self::Test(if negated { test.negated() } else { test })
    }

    fn joined(all: bool, parts: Vec<Self>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match (part, all) {
                (Self::All(inner), true) | (Self::Any(inner), false) => flat.extend(inner),
                (other, _) => flat.push(other),
            }
        }
        if all { Self::All(flat) } else { Self::Any(flat) }
    }

    /// The condition that holds exactly where this one does not.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Self::Test(test) => Self::Test(test.negated()),
            Self::All(parts) => Self::Any(parts.iter().map(Self::negated).collect()),
            Self::Any(parts) => Self::All(parts.iter().map(Self::negated).collect()),
        }
    }

    /// The tests that all hold where the condition does.
    #[must_use]
    pub fn required(&self) -> Vec<&Test> {
        match self {
            Self::Test(test) => vec![test],
            Self::All(parts) => {
                parts.iter().filter_map(|part| if let Self::Test(test) = part { Some(test) } else { None }).collect()
            }
            Self::Any(_) => Vec::new(),
        }
    }

    /// All of its tests.
    #[must_use]
    pub fn tests(&self) -> Vec<&Test> {
        match self {
            Self::Test(test) => vec![test],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::tests).collect(),
        }
    }
}

/// One comparison of a chain.
fn link(left: &Expr, op: CmpOp, right: &Expr) -> Option<Template> {
    let [mut left, right] = [Template::of(left)?, Template::of(right)?];
    let bracketed = |expr: &Template, is_compound: bool| {
        if is_compound { format!("({})", expr.text) } else { expr.text.to_string() }
    };
    let mut names = Vec::new();
    for slot in right.slots {
        let known = left.slots.iter().position(|known: &Slot| known.text == slot.text);
        names.push(format!("${}", known.unwrap_or(left.slots.len())));
        if known.is_none() {
            left.slots.push(slot);
        }
    }
    if left.slots.len() > super::spelling::MOST_SLOTS {
        return None;
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let second = Template { text: super::spelling::fill(&right.text, &names).into(), slots: Vec::new() };
    let is_compound = |template: &Template| comparison(&template.text).is_some();
    let text = format!(
        "{} {} {}",
        bracketed(&left, is_compound(&left)),
        operator(op),
        bracketed(&second, is_compound(&second))
    );
    Some(Template { text: CompactString::from(text), slots: left.slots })
}

impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parts, word) = match self {
            Self::Test(test) => return f.write_str(&test.template.filled()),
            Self::All(parts) => (parts, " and "),
            Self::Any(parts) => (parts, " or "),
        };
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                f.write_str(word)?;
            }
            match part {
                Self::Any(_) => write!(f, "({part})")?,
                _ => write!(f, "{part}")?,
            }
        }
        Ok(())
    }
}

/// A condition as text, with its logical negation; `None` where the text is no condition that is taken.
#[must_use]
pub fn with_negation(text: &str) -> Option<(String, String)> {
    let parsed = ruff_python_parser::parse_expression(text).ok()?;
    let condition = Condition::of(parsed.expr())?;
    debug_assert!(parsed.expr().range().end().to_usize() <= text.len());
    Some((condition.to_string(), condition.negated().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negations_are_logical() {
        for (text, condition, negation) in [
            ("x", "x", "not x"),
            ("not  x", "not x", "x"),
            ("x is  None", "x is None", "x is not None"),
            ("not x in y", "x not in y", "x in y"),
            ("0 < x <= n", "0 < x and x <= n", "0 >= x or x > n"),
            ("a and (b or not c)", "a and (b or not c)", "not a or not b and c"),
            ("not (a or b == 1)", "not a and b != 1", "a or b == 1"),
            ("isinstance(x, (int, str))", "isinstance(x, (int, str))", "not isinstance(x, (int, str))"),
            ("'a == b' in x", "'a == b' in x", "'a == b' not in x"),
            ("x[ 0 ].y == \"it's\"", "x[0].y == 'it\\'s'", "x[0].y != 'it\\'s'"),
            ("(a + b) * 3 > 2 ** -c", "(a + b) * 3 > 2 ** -c", "(a + b) * 3 <= 2 ** -c"),
            ("f.get('k', [])[1:]", "f.get('k', [])[1:]", "not f.get('k', [])[1:]"),
            ("(a < b) == c", "(a < b) == c", "(a < b) != c"),
        ] {
            let found = with_negation(text);
            assert_eq!(found, Some((condition.to_owned(), negation.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_may_have_side_effects_is_no_condition() {
        for text in
            ["(y := x)", "await x", "(lambda: x)()", "x.pop()", "f(x)", "[y for y in x]", "f'{x}'", "x if y else z"]
        {
            assert_eq!(with_negation(text), None, "{text}");
        }
    }
}

//! Values that guards ask for by constants, also where these are computed: `x * 2 + 1 == 7` asks for 3, and
//! `len(s) == 3 and s[1] == "q"` for a text of three letters; and texts that regular expressions and formats of dates match.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, BoolOp, CmpOp, Expr, Number, Operator, Stmt, UnaryOp};

use crate::matching_texts::{formatted, matching, pattern_of};

/// Longer texts are not made.
const LONGEST: usize = 200;

/// Numbers and texts that conditions of some statements ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Solved {
    /// Whole numbers.
    pub(crate) numbers: Vec<i64>,
    /// Texts.
    pub(crate) texts: Vec<String>,
}

impl Solved {
    /// Of all conditions in a body.
    pub(crate) fn of(body: &[Stmt]) -> Self {
        let mut solved = Self::default();
        solved.visit_body(body);
        solved
    }

    /// What the operands of `and` ask for, as far as they ask for parts of one text.
    fn solve_text(&mut self, conditions: &[Expr]) {
        let mut wanted: Vec<(&str, Text)> = Vec::new();
        for condition in conditions {
            if let Some((name, part)) = part_of_text(condition) {
                let known = wanted.iter().position(|(other, _)| *other == name);
                let at = known.unwrap_or_else(|| {
                    wanted.push((name, Text::default()));
                    wanted.len() - 1
                });
                wanted[at].1.add(&part);
            }
        }
        self.texts.extend(wanted.into_iter().filter_map(|(_, text)| text.made()));
    }
}

impl Visitor<'_> for Solved {
    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::BoolOp(both) if both.op == BoolOp::And => self.solve_text(&both.values),
            Expr::Compare(compare) => {
                let sides = std::iter::once(&*compare.left).chain(&compare.comparators);
                for (one, other) in sides.clone().zip(sides.skip(1)) {
                    let found = [(one, other), (other, one)]
                        .into_iter()
                        .filter_map(|(computed, constant)| solved(computed, number(constant)?));
                    self.numbers.extend(found);
                }
            }
            Expr::Call(call) => self.texts.extend(matched_by(call)),
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

/// Texts that a call of `re` or `strptime` takes apart.
fn matched_by(call: &ast::ExprCall) -> Vec<String> {
    if let Some((pattern, _)) = pattern_of(call) {
        return matching(&pattern);
    }
    let is_date = call.func.as_attribute_expr().is_some_and(|function| function.attr.as_str() == "strptime");
    let format = is_date.then(|| call.arguments.find_argument_value("format", 1).and_then(text)).flatten();
    format.and_then(formatted).into_iter().collect()
}

fn number(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::NumberLiteral(ast::ExprNumberLiteral { value: Number::Int(number), .. }) => number.as_i64(),
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => number(&unary.operand)?.checked_neg(),
        _ => None,
    }
}

/// The number for which an expression of one value and constants comes to a given one.
fn solved(expr: &Expr, value: i64) -> Option<i64> {
    let operation = match expr {
        Expr::BinOp(operation) => operation,
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => return solved(&unary.operand, value.checked_neg()?),
        Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) | Expr::Call(_) => return Some(value),
        _ => return None,
    };
    let (left, right) = (&*operation.left, &*operation.right);
    if let Some(constant) = number(right) {
        let before = match operation.op {
            Operator::Add => value.checked_sub(constant)?,
            Operator::Sub => value.checked_add(constant)?,
            Operator::Mult => quotient(value, constant)?,
            Operator::FloorDiv => value.checked_mul(constant)?,
            Operator::BitXor => value ^ constant,
            Operator::Mod => value,
            _ => return None,
        };
        return solved(left, before);
    }
    let constant = number(left)?;
    let before = match operation.op {
        Operator::Add => value.checked_sub(constant)?,
        Operator::Sub => constant.checked_sub(value)?,
        Operator::Mult => quotient(value, constant)?,
        Operator::BitXor => value ^ constant,
        _ => return None,
    };
    solved(right, before)
}

fn quotient(value: i64, by: i64) -> Option<i64> {
    (value.checked_rem(by)? == 0).then(|| value / by)
}

/// A part of a text that a condition asks for.
enum Part<'a> {
    Length(usize),
    Letter(i64, &'a str),
    Start(&'a str),
    End(&'a str),
    Inside(&'a str),
}

fn text(expr: &Expr) -> Option<&str> {
    expr.as_string_literal_expr().map(|text| text.value.to_str())
}

/// The name of a text, and what a condition asks of it.
fn part_of_text(condition: &Expr) -> Option<(&str, Part<'_>)> {
    let name = |expr: &'_ Expr| -> Option<String> { Some(expr.as_name_expr()?.id.to_string()) };
    match condition {
        Expr::Compare(compare) => {
            let ([op], [other]) = (&*compare.ops, &*compare.comparators) else { return None };
            match (op, &*compare.left) {
                (CmpOp::Eq, Expr::Call(call)) => {
                    let [argument] = &*call.arguments.args else { return None };
                    let is_length = name(&call.func).is_some_and(|name| name == "len");
                    let length = usize::try_from(number(other)?).ok().filter(|_| is_length)?;
                    Some((argument.as_name_expr()?.id.as_str(), Part::Length(length)))
                }
                (CmpOp::Eq, Expr::Subscript(part)) => {
                    let letter = text(other).filter(|letter| letter.chars().count() == 1)?;
                    Some((part.value.as_name_expr()?.id.as_str(), Part::Letter(number(&part.slice)?, letter)))
                }
                (CmpOp::In, Expr::StringLiteral(inside)) => {
                    Some((other.as_name_expr()?.id.as_str(), Part::Inside(inside.value.to_str())))
                }
                _ => None,
            }
        }
        Expr::Call(call) => {
            let method = call.func.as_attribute_expr()?;
            let argument = text(call.arguments.args.first()?)?;
            let part = match method.attr.as_str() {
                "startswith" => Part::Start(argument),
                "endswith" => Part::End(argument),
                _ => return None,
            };
            Some((method.value.as_name_expr()?.id.as_str(), part))
        }
        _ => None,
    }
}

/// A text by what is asked of it.
#[derive(Default)]
struct Text {
    length: Option<usize>,
    letters: Vec<(i64, char)>,
    start: String,
    inside: String,
    end: String,
}

impl Text {
    fn add(&mut self, part: &Part<'_>) {
        match *part {
            Part::Length(length) => self.length = Some(length),
            Part::Letter(at, letter) => self.letters.extend(letter.chars().map(|letter| (at, letter))),
            Part::Start(start) => start.clone_into(&mut self.start),
            Part::End(end) => end.clone_into(&mut self.end),
            Part::Inside(inside) => self.inside.push_str(inside),
        }
    }

    /// The text, if it can be.
    fn made(self) -> Option<String> {
        let mut letters: Vec<char> = self.start.chars().chain(self.inside.chars()).collect();
        let end: Vec<char> = self.end.chars().collect();
        let from_start = self.letters.iter().map(|&(at, _)| at + 1).max().unwrap_or(0).max(0);
        let from_end = self.letters.iter().map(|&(at, _)| -at).max().unwrap_or(0).max(0);
        let least = (letters.len() + end.len()).max(usize::try_from(from_start + from_end).ok()?);
        let length = self.length.unwrap_or(least);
        if length < letters.len() + end.len() || length > LONGEST {
            return None;
        }
        letters.resize(length - end.len(), 'a');
        letters.extend(end);
        for (at, letter) in self.letters {
            let at = usize::try_from(if at < 0 { at + length as i64 } else { at }).ok()?;
            *letters.get_mut(at)? = letter;
        }
        Some(letters.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantic::SourceModel;

    fn of(condition: &str) -> Solved {
        let model = SourceModel::parse(format!("if {condition}:\n    pass\n")).expect("it parses");
        model.with_tree(|tree| Solved::of(tree.suite())).expect("it has a tree")
    }

    #[test]
    fn computed_numbers_are_solved_for() {
        for (condition, number) in [
            ("x * 2 + 1 == 7", 3),
            ("4711 == 3 * x - 5", 1572),
            ("10 - x.a > 4", 6),
            ("x[0] // 60 == 2", 120),
            ("-(x + 1) == 5", -6),
            ("x % 97 == 13", 13),
            ("x ^ 12 == 5", 9),
        ] {
            assert!(of(condition).numbers.contains(&number), "{condition}: {:?}", of(condition));
        }
        for condition in ["x * 2 == 7", "x * y == 4", "x * 0 == 1", "x + 9223372036854775807 == -3"] {
            assert!(of(condition).numbers.is_empty(), "{condition}");
        }
    }

    #[test]
    fn texts_are_made_of_what_is_asked_of_them() {
        for (condition, text) in [
            ("len(s) == 3 and s[1] == 'q'", "aqa"),
            ("s.startswith('ab') and s.endswith('yz') and len(s) == 6", "abaayz"),
            ("s.startswith('x-') and ':' in s", "x-:"),
            ("s[0] == 'b' and s[-1] == 'c'", "bc"),
        ] {
            assert_eq!(of(condition).texts, [text], "{condition}");
        }
        for condition in ["len(s) == 1 and s.startswith('ab')", "len(s) == 2 and s[3] == 'q'", "a and b"] {
            assert!(of(condition).texts.is_empty(), "{condition}");
        }
    }
}

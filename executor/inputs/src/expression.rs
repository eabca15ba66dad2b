//! Sizes and bounds of a description: `2 × 10^5`, `N - 1`, `min(N, K)`.

use std::collections::BTreeMap;
use std::fmt;

use crate::token::Token;

/// A whole number that may depend on others of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Number(i64),
    /// A value of the input; `|S|` is the length of `S`.
    Name(String),
    /// Two numbers and the sign of their operation: `+`, `-`, `*`, `/`, `^`.
    Binary(Box<Self>, char, Box<Self>),
    /// The smallest, or the largest, of several.
    Extreme(bool, Vec<Self>),
}

/// Nesting of expressions that are read.
const DEEPEST: usize = 20;

impl Expression {
    /// Reads an expression as Python or a description writes it; `None` for what is none, or not that alone.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let tokens = crate::token::tokens(&crate::token::clean(text));
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, multiplies: true };
        let found = parser.sum()?;
        (parser.at == tokens.len()).then_some(found)
    }

    /// The number, if everything that it depends on is known.
    #[must_use]
    pub fn value(&self, known: &BTreeMap<String, i64>) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Name(name) => known.get(name).copied(),
            Self::Binary(left, sign, right) => {
                let (left, right) = (left.value(known)?, right.value(known)?);
                Some(match sign {
                    '+' => left.saturating_add(right),
                    '-' => left.saturating_sub(right),
                    '*' => left.saturating_mul(right),
                    '/' => left.checked_div(right)?,
                    _ => left.saturating_pow(u32::try_from(right).ok()?),
                })
            }
            Self::Extreme(is_least, of) => {
                let of: Option<Vec<i64>> = of.iter().map(|one| one.value(known)).collect();
                let of = of?.into_iter();
                if *is_least { of.min() } else { of.max() }
            }
        }
    }

    /// The names that the number depends on.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name(name) => vec![name],
            Self::Binary(left, _, right) => [left.names(), right.names()].concat(),
            Self::Extreme(_, of) => of.iter().flat_map(Self::names).collect(),
        }
    }

    pub(crate) fn minus(self, number: i64) -> Self {
        match (self, number) {
            (same, 0) => same,
            (Self::Number(own), _) => Self::Number(own.saturating_sub(number)),
            (same, 1..) => Self::Binary(Box::new(same), '-', Box::new(Self::Number(number))),
            (same, _) => Self::Binary(Box::new(same), '+', Box::new(Self::Number(-number))),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "{name}"),
            Self::Binary(left, sign, right) => {
                let side = |side: &Self| match side {
                    Self::Binary(_, '+' | '-', _) if !matches!(sign, '+') => format!("({side})"),
                    _ => side.to_string(),
                };
                let space = if matches!(sign, '+' | '-') { " " } else { "" };
                write!(f, "{}{space}{sign}{space}{}", side(left), side(right))
            }
            Self::Extreme(is_least, of) => {
                let of: Vec<String> = of.iter().map(Self::to_string).collect();
                write!(f, "{}({})", if *is_least { "min" } else { "max" }, of.join(", "))
            }
        }
    }
}

/// Reads expressions from tokens.
pub(crate) struct Parser<'t> {
    pub(crate) tokens: &'t [Token],
    pub(crate) at: usize,
    pub(crate) depth: usize,
    /// A number right before a name is a factor of it: `2 N`.
    pub(crate) multiplies: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, sign: char) -> bool {
        let is_there = self.peek().is_some_and(|token| token.is(sign));
        self.at += usize::from(is_there);
        is_there
    }

    /// The longest expression that begins here.
    pub(crate) fn sum(&mut self) -> Option<Expression> {
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        let mut left = self.product()?;
        while let Some(sign) = ['+', '-'].into_iter().find(|sign| self.peek().is_some_and(|token| token.is(*sign))) {
            let before = self.at;
            self.at += 1;
            let Some(right) = self.product() else {
                self.at = before;
                break;
            };
            left = Expression::Binary(Box::new(left), sign, Box::new(right));
        }
        self.depth -= 1;
        Some(left)
    }

    fn product(&mut self) -> Option<Expression> {
        let mut left = self.power()?;
        loop {
            let before = self.at;
            let sign = match self.peek() {
                Some(Token::Sign('×' | '*')) => '*',
                Some(Token::Sign('/')) => '/',
                Some(Token::Sign('(')) if self.multiplies => {
                    // `N (N - 1)`; a remark in parentheses is no factor.
                    let factor = self.power();
                    match factor {
                        Some(right) if matches!(left, Expression::Name(_)) && !right.names().is_empty() => {
                            left = Expression::Binary(Box::new(left), '*', Box::new(right));
                            continue;
                        }
                        _ => {
                            self.at = before;
                            return Some(left);
                        }
                    }
                }
                Some(Token::Name(name))
                    if self.multiplies && name.subscripts.is_empty() && matches!(left, Expression::Number(_)) =>
                {
                    let right = self.power()?;
                    left = Expression::Binary(Box::new(left), '*', Box::new(right));
                    continue;
                }
                _ => return Some(left),
            };
            self.at += 1;
            // `//` in Python.
            self.take('/');
            let Some(right) = self.power() else {
                self.at = before;
                return Some(left);
            };
            left = Expression::Binary(Box::new(left), sign, Box::new(right));
        }
    }

    fn power(&mut self) -> Option<Expression> {
        let base = self.atom()?;
        let before = self.at;
        let is_power = self.take('^') || (self.take('*') && self.take('*'));
        if !is_power {
            self.at = before;
            return Some(base);
        }
        let braced = self.take('{');
        let exponent = if braced { self.sum() } else { self.atom() };
        let closed = !braced || self.take('}');
        let Some(exponent) = exponent.filter(|_| closed) else {
            self.at = before;
            return Some(base);
        };
        Some(Expression::Binary(Box::new(base), '^', Box::new(exponent)))
    }

    fn atom(&mut self) -> Option<Expression> {
        let before = self.at;
        let found = self.bare_atom();
        if found.is_none() {
            self.at = before;
        }
        found
    }

    fn bare_atom(&mut self) -> Option<Expression> {
        let token = self.peek()?.clone();
        self.at += 1;
        match token {
            Token::Number(number) => Some(Expression::Number(number)),
            Token::Sign('-') => match self.atom()? {
                Expression::Number(number) => {
                    let power = Expression::Number(-number);
                    if self.peek().is_some_and(|token| token.is('^')) {
                        // `-10^9` is `-(10^9)`.
                        self.at -= 1;
                        let positive = self.power()?;
                        return Some(Expression::Binary(Box::new(Expression::Number(0)), '-', Box::new(positive)));
                    }
                    Some(power)
                }
                other => Some(Expression::Binary(Box::new(Expression::Number(0)), '-', Box::new(other))),
            },
            Token::Name(name) if matches!(name.base.as_str(), "min" | "max") && self.take('(') => {
                let mut of = vec![self.sum()?];
                while self.take(',') {
                    of.push(self.sum()?);
                }
                self.take(')').then_some(Expression::Extreme(name.base == "min", of))
            }
            Token::Name(name) => Some(Expression::Name(name.base)),
            Token::Sign('|') => {
                let Some(Token::Name(name)) = self.peek().cloned() else { return None };
                self.at += 1;
                self.take('|').then(|| Expression::Name(format!("|{}|", name.base)))
            }
            Token::Sign('(') => {
                let inside = self.sum()?;
                self.take(')').then_some(inside)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_values() {
        let known = BTreeMap::from([("N".to_owned(), 4), ("K".to_owned(), 7), ("|S|".to_owned(), 3)]);
        for (text, value) in [
            ("2 × 10^5", 200_000),
            (r"10 ^ { 9 } + 7", 1_000_000_007),
            ("N - 1", 3),
            ("2N", 8),
            ("N(N-1)/2", 6),
            (r"\frac{N(N-1)}{2}", 6),
            ("min(N, K)", 4),
            ("|S|", 3),
            ("-10^9", -1_000_000_000),
            ("-5", -5),
            ("2**3", 8),
            ("K // 2", 3),
        ] {
            let read = Expression::parse(text).unwrap_or_else(|| panic!("`{text}` is not read"));
            assert_eq!(read.value(&known), Some(value), "{text}: {read}");
        }
        assert_eq!(Expression::parse("10^99").and_then(|read| read.value(&known)), Some(i64::MAX));
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["", "N -", "(N", "a b", "x[0]", "1 / ", &"(".repeat(1000)] {
            assert_eq!(Expression::parse(text), None, "{text}");
        }
        assert_eq!(Expression::parse("M").and_then(|read| read.value(&BTreeMap::new())), None);
        assert_eq!(Expression::parse("1/0").and_then(|read| read.value(&BTreeMap::new())), None);
    }
}

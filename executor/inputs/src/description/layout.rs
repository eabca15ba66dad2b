//! The picture of an input: `N M A_1 A_2 ... A_N`, as elements in their order.

use std::sync::LazyLock;

use regex::Regex;

use super::constraints::variable;
use crate::expression::Expression;
use crate::grammar::{Field, Grammar, Kind};
use crate::token::{Name, Token, tokens};

/// A part of an input, before it is known where lines end.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Element {
    /// One value.
    One(String),
    /// Values beside each other.
    Row { variable: String, count: Expression, separator: String },
    /// Lines below each other, with what stands in each.
    Lines { count: Expression, fields: Vec<Field> },
    /// Parts that come again and again.
    Cases { count: Expression, body: Vec<Element> },
    /// A line of which it is said that these values stand in it.
    Line(Vec<Field>),
}

/// Short words of English that are no names of values.
const WORDS: [&str; 24] = [
    "is", "in", "of", "on", "to", "be", "by", "as", "at", "it", "an", "An", "In", "If", "or", "It", "if", "we", "We",
    "no", "No", "do", "so", "On",
];

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is written out here")
}

/// The elements of the picture in a description; `None` if it has none.
pub(super) fn elements(text: &str, values: &Grammar) -> Option<Vec<Element>> {
    static FORMAT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)format[^:.]{0,60}[:.]|形式[^。.:]{0,30}[。.:]"));
    static CASES: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?i)\b([A-Z])\s+(?:test\s+)?(?:cases|datasets|data\s+sets|queries)\s+follow"));
    static START: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(?:Input|入力)\s*:"));
    let formats: Vec<usize> = FORMAT.find_iter(text).map(|found| found.end()).collect();
    let mut found = if let (Some(&first), Some(&last)) = (formats.first(), formats.last()) {
        let cases = CASES.captures(text).map(|found| found[1].to_owned());
        // The second picture is that of one case.
        match cases.map(|count| (count, grouped(&region(&text[last..])))) {
            Some((count, body)) if !body.is_empty() && !body.contains(&Element::One(count.clone())) => {
                let cases = Element::Cases { count: Expression::Name(count.clone()), body };
                vec![Element::One(count), cases]
            }
            _ => grouped(&region(&text[first..])),
        }
    } else {
        let at = START.find(text)?.end();
        let region = region(&text[at..]);
        let is_known = |token: &Token| match token {
            Token::Name(name) => {
                !name.subscripts.is_empty() || values.variables.iter().any(|known| name.base.starts_with(&known.name))
            }
            _ => true,
        };
        if region.len() < 2 || !region.iter().all(is_known) {
            return None;
        }
        grouped(&region)
    };
    found.truncate(64);
    (!found.is_empty()).then_some(found)
}

/// The tokens at the start of a text that can stand in a picture.
fn region(text: &str) -> Vec<Token> {
    let is_formal = |token: &Token| match token {
        Token::Name(name) => {
            (!name.subscripts.is_empty() && name.base.len() <= 4)
                || (name.base.len() <= 2 && !WORDS.contains(&name.base.as_str()))
        }
        Token::Dots | Token::Vertical => true,
        Token::Sign(sign) => matches!(sign, ':' | '{' | '}'),
        Token::Number(_) | Token::Foreign(_) => false,
    };
    let all = numbered(without_commas(&tokens(text)));
    let mut end = all.iter().position(|token| !is_formal(token)).unwrap_or(all.len());
    // `A sequence of`: the article before a word is none of it.
    let is_word = |token: Option<&Token>| token.and_then(Token::name).is_some_and(|name| name.base.len() > 2);
    while end > 0
        && is_word(all.get(end))
        && all[end - 1]
            .name()
            .is_some_and(|name| matches!(name.base.as_str(), "A" | "a" | "I") && name.subscripts.is_empty())
    {
        end -= 1;
    }
    let kept = all.into_iter().take(end).filter(|token| !token.is('{') && !token.is('}'));
    let mut found: Vec<Token> = kept.map(|token| if token.is(':') { Token::Vertical } else { token }).collect();
    while matches!(found.last(), Some(Token::Vertical | Token::Dots)) {
        found.pop();
    }
    subscripted(&mut found);
    found
}

/// Leaves out commas beside dots: `a_0 a_1 , ⋯ , a_{n-1}`.
fn without_commas(all: &[Token]) -> Vec<Token> {
    let is_dots = |at: usize| all.get(at) == Some(&Token::Dots);
    let is_beside_dots = |at: usize| is_dots(at + 1) || at.checked_sub(1).is_some_and(is_dots);
    let kept = all.iter().enumerate().filter(|(at, token)| !(token.is(',') && is_beside_dots(*at)));
    kept.map(|(_, token)| token.clone()).collect()
}

/// Joins words with the numbers after them: `name 1 a1 b1`.
fn numbered(all: Vec<Token>) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::with_capacity(all.len());
    for token in all {
        match (found.last_mut(), &token) {
            (Some(Token::Name(name)), Token::Number(number)) if name.base.len() > 2 && name.subscripts.is_empty() => {
                name.subscripts.push(number.to_string());
            }
            _ => found.push(token),
        }
    }
    found
}

/// Takes subscripts apart that were written without signs between them: `dm` after `d1`, `a_{HW}` after `a_{11}`.
fn subscripted(all: &mut [Token]) {
    let names = |all: &[Token]| -> Vec<Name> { all.iter().filter_map(|token| token.name().cloned()).collect() };
    let before = names(all);
    for token in all.iter_mut() {
        let Token::Name(name) = token else { continue };
        let is_numbered =
            |other: &&Name| other.is_loose && name.base.len() > other.base.len() && name.base.starts_with(&other.base);
        if name.subscripts.is_empty()
            && let Some(first) = before.iter().find(is_numbered)
        {
            let last = &name.base[first.base.len()..];
            let known =
                before.iter().find(|known| known.subscripts.is_empty() && known.base.eq_ignore_ascii_case(last));
            let last = known.map_or_else(|| last.to_owned(), |known| known.base.clone());
            *name = Name { base: first.base.clone(), subscripts: vec![last], is_loose: true };
        }
    }
    let before = names(all);
    let is_square = |base: &str| {
        let mut of = before.iter().filter(|name| name.base == base && name.subscripts.len() == 1);
        of.clone().any(|name| name.subscripts[0] == "11")
            && of.any(|name| {
                name.subscripts[0].len() > 1 && name.subscripts[0].contains(|c: char| c.is_ascii_alphabetic())
            })
    };
    let square: Vec<String> = before.iter().map(|name| name.base.clone()).filter(|base| is_square(base)).collect();
    for token in all.iter_mut() {
        if let Token::Name(name) = token
            && square.contains(&name.base)
            && let [both] = name.subscripts.as_slice()
            && both.len() > 1
        {
            let (row, column) = both.split_at(1);
            name.subscripts = vec![row.to_owned(), column.to_owned()];
        }
    }
}

/// The elements of a picture's tokens.
fn grouped(all: &[Token]) -> Vec<Element> {
    let mut found = Vec::new();
    let mut rest = all;
    while !rest.is_empty() {
        if let Some((start, end, lines)) = lines(rest) {
            let before = &rest[..start];
            found.extend(rows(before));
            found.push(lines);
            rest = &rest[end..];
        } else {
            found.extend(rows(rest));
            rest = &[];
        }
    }
    found
}

/// Lines below each other up to the first vertical dots: where they begin and end.
fn lines(all: &[Token]) -> Option<(usize, usize, Element)> {
    let dots = all.iter().position(|token| *token == Token::Vertical).or_else(|| tuple_dots(all))?;
    let last = all.get(dots + 1)?.name()?;
    let index = last.subscripts.first()?.clone();
    let is_last = |token: &Token| token.name().is_some_and(|name| name.subscripts.first() == Some(&index));
    let mut end = dots + 1;
    let mut bases: Vec<&str> = Vec::new();
    while let Some(token) = all.get(end) {
        let dotted = *token == Token::Dots && all.get(end + 1).is_some_and(&is_last);
        // `x_N y_N z_N`, and not the next element, which has the same last index.
        let starts_again =
            token.name().is_some_and(|name| bases.contains(&name.base.as_str()) && name.subscripts.len() < 2);
        if !(dotted || is_last(token)) || starts_again {
            break;
        }
        bases.extend(token.name().map(|name| name.base.as_str()));
        end += 1;
    }
    let belongs = |token: &Token| match token {
        Token::Name(name) => bases.contains(&name.base.as_str()) && !name.subscripts.is_empty(),
        Token::Dots => true,
        _ => false,
    };
    let before = all[..dots].iter().rev().take_while(|token| belongs(token)).count();
    let start = dots - before;
    if before == 0 {
        return None;
    }
    // What stands on the last line and on no other is no part of it.
    let first_bases: Vec<&str> =
        all[start..dots].iter().filter_map(Token::name).map(|name| name.base.as_str()).collect();
    while end > dots + 2 && all[end - 1].name().is_some_and(|name| !first_bases.contains(&name.base.as_str())) {
        end -= 1;
    }
    let first = all[start].name().and_then(|name| name.subscripts.first()?.parse::<i64>().ok()).unwrap_or(1);
    let count = Expression::parse(&index)?.minus(first - 1);
    let fields = rows(&all[dots + 1..end]).into_iter().filter_map(|element| match element {
        Element::One(name) => Some(Field::One(name)),
        Element::Row { variable, count, separator } => Some(Field::Row { variable, count, separator }),
        _ => None,
    });
    let fields: Vec<Field> = fields.collect();
    Some((start, end, Element::Lines { count, fields }))
}

/// Dots between tuples: `x_1 y_1 x_2 y_2 ... x_N y_N`.
fn tuple_dots(all: &[Token]) -> Option<usize> {
    all.iter().enumerate().find_map(|(at, token)| {
        let (one, other) = (all.get(at + 1)?.name()?, all.get(at + 2)?.name()?);
        let is_tuple = *token == Token::Dots
            && one.base != other.base
            && one.subscripts.len() == 1
            && one.subscripts == other.subscripts
            && at.checked_sub(1).and_then(|before| all[before].name()).is_some_and(|before| before.base == other.base);
        is_tuple.then_some(at)
    })
}

/// The single values and rows of tokens without vertical dots.
fn rows(all: &[Token]) -> Vec<Element> {
    let mut found: Vec<Element> = Vec::new();
    let mut at = 0;
    // Where the names of the row begin that the next dots are part of.
    let mut pending: Vec<&Name> = Vec::new();
    while at < all.len() {
        match &all[at] {
            Token::Name(name) => pending.push(name),
            Token::Dots => {
                let Some(mut last) = all.get(at + 1).and_then(Token::name) else {
                    at += 1;
                    continue;
                };
                // `W_1 W_2 ... W_{N-1} W_N`
                while let Some(further) =
                    all.get(at + 2).and_then(Token::name).filter(|further| further.base == last.base)
                {
                    last = further;
                    at += 1;
                }
                let same = |name: &&&Name| name.base == last.base && !name.subscripts.is_empty();
                let of_row = pending.iter().rev().take_while(same).count();
                let row = pending.split_off(pending.len() - of_row);
                found.extend(pending.drain(..).map(single));
                found.extend(row_of(&row, last));
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.extend(pending.into_iter().map(single));
    found
}

fn single(name: &Name) -> Element {
    // Of `x_1 y_1 x_2 y_2` each is a value of its own.
    let is_counted = name.subscripts.iter().all(|one| one.parse::<u32>().is_ok());
    let subscripts = if is_counted { name.subscripts.join(",") } else { String::new() };
    let name = if subscripts.is_empty() { name.base.clone() } else { format!("{}_{subscripts}", name.base) };
    Element::One(name)
}

fn row_of(row: &[&Name], last: &Name) -> Option<Element> {
    let end = Expression::parse(last.subscripts.last()?)?;
    let first = row.first().and_then(|name| name.subscripts.last()?.parse::<i64>().ok()).unwrap_or(1);
    let count = end.minus(first - 1);
    Some(Element::Row { variable: last.base.clone(), count, separator: " ".to_owned() })
}

/// Makes variables of all names in elements; a numbered one has the bounds of those that are called alike.
pub(super) fn declare(elements: &[Element], values: &mut Grammar) {
    for element in elements {
        match element {
            Element::One(name) | Element::Row { variable: name, .. } => declare_one(name, values),
            Element::Lines { fields, .. } | Element::Line(fields) => {
                for field in fields {
                    if let Field::One(name) | Field::Row { variable: name, .. } = field {
                        declare_one(name, values);
                    }
                }
            }
            Element::Cases { body, .. } => declare(body, values),
        }
    }
}

fn declare_one(name: &str, values: &mut Grammar) {
    let base = name.split('_').next().unwrap_or(name);
    let known = values.variable(base).cloned();
    let of = variable(values, name);
    if let Some(known) = known.filter(|known| known.name != name) {
        let name = std::mem::take(&mut of.name);
        *of = crate::grammar::Variable { name, ..known };
    }
}

/// Rows of single characters stand without spaces.
pub(super) fn join_letters(elements: &mut [Element], values: &Grammar) {
    let is_letters = |name: &str| {
        let of = values.variable(name);
        of.is_some_and(|of| matches!(of.kind, Kind::Text(_)) && of.most.is_empty())
    };
    for element in elements {
        match element {
            Element::Row { variable, separator, .. } if is_letters(variable) => separator.clear(),
            Element::Lines { fields, .. } => {
                for field in fields {
                    if let Field::Row { variable, separator, .. } = field
                        && is_letters(variable)
                    {
                        separator.clear();
                    }
                }
            }
            Element::Cases { body, .. } => join_letters(body, values),
            _ => {}
        }
    }
}

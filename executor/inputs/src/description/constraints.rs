//! What is true of the values: `1 ≤ A_i , B_i ≤ N`, `A < B`, "N is even", "all different".

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::{Expression, Parser};
use crate::grammar::{Grammar, Relation, Variable};
use crate::token::{Name, Token, tokens};

/// One side of a comparison: expressions between commas; none for dots.
struct Operand {
    of: Vec<(Expression, Option<Name>)>,
}

/// Bounds, relations and properties of the values of a description in uniform spelling.
pub(super) fn constraints(text: &str) -> Grammar {
    let mut grammar = Grammar::default();
    let all = tokens(text);
    let mut at = 0;
    while at < all.len() {
        match chain(&all, at) {
            Some((operands, signs, end)) => {
                add(&mut grammar, &operands, &signs);
                at = end;
            }
            None => at += 1,
        }
    }
    between(&mut grammar, text);
    properties(&mut grammar, text);
    grammar
}

/// The variable of a name, made where it is new.
pub(super) fn variable<'g>(grammar: &'g mut Grammar, name: &str) -> &'g mut Variable {
    let at = grammar.variables.iter().position(|variable| variable.name == name);
    let at = at.unwrap_or_else(|| {
        grammar.variables.push(Variable::new(name));
        grammar.variables.len() - 1
    });
    &mut grammar.variables[at]
}

fn sign(token: Option<&Token>) -> Option<char> {
    match token? {
        Token::Sign(sign @ ('≤' | '<' | '≥' | '>' | '=' | '≠')) => Some(*sign),
        _ => None,
    }
}

/// A chain of comparisons that begins at a token, and where it ends.
fn chain(all: &[Token], start: usize) -> Option<(Vec<Operand>, Vec<char>, usize)> {
    let (first, mut at) = operand(all, start, true)?;
    let (mut operands, mut signs) = (vec![first], Vec::new());
    while let Some(found) = sign(all.get(at)) {
        let (next, end) = operand(all, at + 1, false)?;
        signs.push(found);
        operands.push(next);
        at = end;
    }
    (!signs.is_empty()).then_some((operands, signs, at))
}

/// An operand of a chain, and where it ends. A number before a name is a factor of it where the name could not begin
/// the next chain.
fn operand(all: &[Token], start: usize, is_first: bool) -> Option<(Operand, usize)> {
    if all.get(start) == Some(&Token::Dots) {
        return Some((Operand { of: Vec::new() }, start + 1));
    }
    let (mut of, mut at) = (Vec::new(), start);
    loop {
        let begins_next = || {
            let name = all[at..].iter().position(|token| token.name().is_some());
            let after = name.and_then(|name| all.get(at + name + 1));
            // `≤ 100 S is a string`: a word goes on with another sentence.
            sign(after).is_some()
                || after.is_some_and(|after| after.is(',') || after.name().is_some_and(|word| word.base.len() > 1))
        };
        let multiplies = is_first || !begins_next();
        let mut parser = Parser { tokens: all, at, depth: 0, multiplies };
        let found = parser.sum()?;
        let name = match (&all[at], parser.at - at) {
            (Token::Name(name), 1) => Some(name.clone()),
            _ => None,
        };
        of.push((found, name));
        at = parser.at;
        // `( A_i , B_i )` and words after a comma are no operands.
        let more =
            all.get(at).is_some_and(|token| token.is(',')) && all.get(at + 1).is_some_and(|next| next.name().is_some());
        let joined = more && {
            let mut parser = Parser { tokens: all, at: at + 1, depth: 0, multiplies: false };
            let is_operand = parser.sum().is_some();
            is_operand
                && (sign(all.get(parser.at)).is_some() || all.get(parser.at).is_some_and(|t| t.is(',')) || !is_first)
        };
        if !joined {
            return Some((Operand { of }, at));
        }
        at += 1;
    }
}

/// Adds what a chain says.
fn add(grammar: &mut Grammar, operands: &[Operand], signs: &[char]) {
    let is_ordered = |down: bool| {
        signs.iter().all(|sign| if down { matches!(sign, '≥' | '>') } else { matches!(sign, '≤' | '<' | '=') })
    };
    ascending(grammar, operands, signs);
    if is_ordered(false) {
        bounds(grammar, operands, signs);
    } else if is_ordered(true) {
        let operands: Vec<&Operand> = operands.iter().rev().collect();
        let signs: Vec<char> = signs.iter().rev().map(|sign| if *sign == '≥' { '≤' } else { '<' }).collect();
        bounds_of(grammar, &operands, &signs);
    }
    for (pair, sign) in operands.windows(2).zip(signs) {
        for (left, left_name) in &pair[0].of {
            for (right, right_name) in &pair[1].of {
                different(grammar, *sign, (left, left_name.as_ref()), (right, right_name.as_ref()));
            }
        }
    }
}

fn different(
    grammar: &mut Grammar,
    sign: char,
    (left, left_name): (&Expression, Option<&Name>),
    (right, right_name): (&Expression, Option<&Name>),
) {
    let of_same = match (left_name, right_name) {
        (Some(one), Some(other)) => one.base == other.base,
        _ => false,
    };
    if of_same {
        if sign == '≠' {
            variable(grammar, &left_name.expect("it was compared").base).is_distinct = true;
        }
        return;
    }
    let names = [left.names(), right.names()].concat();
    let is_index = |name: &&str| matches!(*name, "i" | "j" | "k");
    if names.is_empty() || (sign == '≠' && names.iter().all(is_index)) {
        return;
    }
    let (left, sign, right) = match sign {
        '≥' => (right, '≤', left),
        '>' => (right, '<', left),
        sign => (left, sign, right),
    };
    let relation = Relation { left: left.clone(), sign, right: right.clone() };
    if !grammar.relations.contains(&relation) {
        grammar.relations.push(relation);
    }
}

/// `s_1 < s_2 < ... < s_A`
fn ascending(grammar: &mut Grammar, operands: &[Operand], signs: &[char]) {
    for (pair, sign) in operands.windows(2).zip(signs) {
        let name = |operand: &Operand| operand.of.last().and_then(|(_, name)| name.clone());
        let first = |operand: &Operand| operand.of.first().and_then(|(_, name)| name.clone());
        if let (Some(left), Some(right)) = (name(&pair[0]), first(&pair[1]))
            && left.base == right.base
            && matches!(sign, '<' | '≤')
            && left.subscripts != right.subscripts
        {
            let of = variable(grammar, &left.base);
            (of.is_increasing, of.is_distinct) = (true, of.is_distinct || *sign == '<');
        }
    }
}

fn bounds(grammar: &mut Grammar, operands: &[Operand], signs: &[char]) {
    bounds_of(grammar, &operands.iter().collect::<Vec<_>>(), signs);
}

/// Takes every name of an ascending chain with the nearest bounds on its sides that are not the name's own.
fn bounds_of(grammar: &mut Grammar, operands: &[&Operand], signs: &[char]) {
    for (at, operand) in operands.iter().enumerate() {
        for (expression, name) in &operand.of {
            let name = match (expression, name) {
                (Expression::Name(length), None) if length.starts_with('|') => length.trim_matches('|').to_owned(),
                (_, Some(name)) => name.base.clone(),
                _ => continue,
            };
            let own = |bound: &Expression| bound.names().contains(&name.as_str());
            let mut least = Vec::new();
            let mut is_below = 0;
            for (other, sign) in operands[..at].iter().zip(&signs[..at]).rev() {
                is_below += i64::from(*sign == '<');
                let found = other.of.iter().map(|(bound, _)| bound).find(|bound| !own(bound));
                least.extend(found.map(|bound| bound.clone().minus(-is_below)));
            }
            let mut most = Vec::new();
            is_below = 0;
            for (other, sign) in operands[at + 1..].iter().zip(&signs[at..]) {
                is_below += i64::from(*sign == '<');
                let found = other.of.iter().map(|(bound, _)| bound).find(|bound| !own(bound));
                most.extend(found.map(|bound| bound.clone().minus(is_below)));
            }
            // What it equals is both.
            let equal = |sign: Option<&char>, other: Option<&&Operand>| {
                let other = other.filter(|_| sign == Some(&'='))?;
                other.of.iter().map(|(bound, _)| bound).find(|bound| !own(bound)).cloned()
            };
            least.extend(equal(signs.get(at), operands.get(at + 1)));
            most.extend(at.checked_sub(1).and_then(|before| equal(signs.get(before), operands.get(before))));
            let of = variable(grammar, &name);
            of.least.extend(least);
            of.most.extend(most);
        }
    }
}

/// "between 1 and 100", `1以上 100以下`, after the names that it is said of.
fn between(grammar: &mut Grammar, text: &str) {
    static BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"([A-Za-z][A-Za-z0-9_{},]*(?:\s*(?:,|and)\s*[A-Za-z][A-Za-z0-9_{},]*)*)[^.;A-Z]{0,40}?\bbetween\s+([^.]{1,24}?)\s+and\s+([^.;(]{1,24}?)\s*(?:\(|\.|,|;|$|inclusive)",
        )
        .expect("the pattern is written out here")
    });
    static JAPANESE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"([A-Za-z][A-Za-z0-9_]*)?[^A-Za-z0-9。.]{0,12}(-?\d+)\s*以上[^0-9A-Za-z]{0,4}(-?\d+|[A-Za-z])\s*以下",
        )
        .expect("the pattern is written out here")
    });
    for found in BETWEEN.captures_iter(text).chain(JAPANESE.captures_iter(text)) {
        let (Some(least), Some(most)) = (Expression::parse(&found[2]), Expression::parse(&found[3])) else { continue };
        let Some(named) = found.get(1) else { continue };
        // The length of a text is no bound of a number.
        if found[0].to_lowercase().contains("length") {
            continue;
        }
        for token in tokens(named.as_str()) {
            if let Token::Name(name) = token
                && (name.base.len() <= 2 || !name.subscripts.is_empty())
                && name.base != "is"
            {
                let of = variable(grammar, &name.base);
                of.least.push(least.clone());
                of.most.push(most.clone());
            }
        }
    }
}

/// Properties that are said in words.
fn properties(grammar: &mut Grammar, text: &str) {
    let squeezed: String = text.to_lowercase().split_whitespace().collect();
    grammar.is_tree = squeezed.contains("isatree") || squeezed.contains("木である");
    grammar.is_graph = ["simplegraph", "multipleedges", "self-loop", "selfloop", "graphisconnected", "connectedgraph"]
        .iter()
        .any(|said| squeezed.contains(said));
    for sentence in text.split(['.', '。', ';']) {
        let squeezed: String = sentence.to_lowercase().split_whitespace().collect();
        let says = |words: &[&str]| words.iter().any(|word| squeezed.contains(word));
        let distinct =
            says(&["distinct", "alldifferent", "differentfromeachother", "互いに異なる", "重複はない", "重複しない"]);
        let permutation = says(&["permutation", "順列"]);
        let parity = if says(&["iseven", "isanevennumber", "は偶数"]) {
            Some(0)
        } else if says(&["isodd", "isanoddnumber", "は奇数"]) {
            Some(1)
        } else {
            None
        };
        if !distinct && !permutation && parity.is_none() {
            continue;
        }
        let all = tokens(sentence);
        let of_distinct = subjects(&all, &["distinct", "different", "重複"]);
        let of_permutation = subjects(&all, &["permutation", "順列"]);
        let of_parity = subjects(&all, &["even", "odd", "偶数", "奇数"]);
        for variable in &mut grammar.variables {
            let is_named = |subjects: &[Name]| subjects.iter().any(|name| name.base == variable.name);
            let is_several = |subjects: &[Name]| {
                subjects.iter().any(|name| name.base == variable.name && !name.subscripts.is_empty())
            };
            variable.is_distinct |= distinct && is_several(&of_distinct);
            variable.is_permutation |= permutation && is_several(&of_permutation);
            if parity.is_some() && is_named(&of_parity) {
                variable.parity = parity;
            }
        }
    }
}

/// The names that stand right before one of these words, with a few words between: `A_1, A_2, ..., A_N are all distinct`.
fn subjects(all: &[Token], words: &[&str]) -> Vec<Name> {
    let is_one = |token: &Token| match token {
        Token::Name(name) => words.contains(&name.base.as_str()),
        Token::Foreign(text) => words.iter().any(|word| text.contains(word)),
        _ => false,
    };
    let Some(at) = all.iter().position(is_one) else { return Vec::new() };
    let is_word = |token: &&Token| match token {
        Token::Name(name) => {
            name.subscripts.is_empty() && name.base.len() > 2 || matches!(name.base.as_str(), "is" | "of" | "an" | "a")
        }
        Token::Foreign(_) => true,
        _ => false,
    };
    let between = all[..at].iter().rev().take_while(is_word).count();
    let mut found = Vec::new();
    for token in all[..at - between].iter().rev() {
        match token {
            Token::Name(name) if name.base.len() <= 2 => found.push(name.clone()),
            Token::Dots | Token::Sign(',') => {}
            _ => break,
        }
        // `X_i are distinct` after other statements without a sign between.
        let before = at - between - found.len();
        let joined = all.get(before.wrapping_sub(1)).is_some_and(|token| token.is(',') || *token == Token::Dots);
        if !joined && !found.is_empty() {
            break;
        }
    }
    found
}

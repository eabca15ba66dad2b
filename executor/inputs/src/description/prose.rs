//! Inputs that a description puts into words: "The first line contains an integer n. In the following n lines, ...".

use std::sync::LazyLock;

use regex::Regex;

use super::layout::Element;
use crate::expression::Expression;
use crate::grammar::{Field, Grammar};
use crate::token::{Token, tokens};

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is written out here")
}

/// The elements of an input that is described in sentences; `None` where they do not say it.
pub(super) fn elements(text: &str, values: &Grammar) -> Option<Vec<Element>> {
    static LINES: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)(?:following|next|remaining)\s+([a-z0-9]+|\d+)\s+lines|([A-Za-z]|\d+)\s*行|(?:following|each|every)\s+(?:of\s+the\s+)?(?:line|lines)\b",
        )
    });
    static FIRST: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?i)(?:first|second|third|next|a|one|single|same)\s+line|[1-9１-９一二]\s*行目|1\s*行")
    });
    static CONSTRAINTS: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)Constraints\s*:|制約\s*:"));
    // How many lines there are in all says nothing of one of them.
    static TOTAL: LazyLock<Regex> = LazyLock::new(|| regex(r"\+\s*[0-9]+\s*行\s*から"));
    static EACH: LazyLock<Regex> = LazyLock::new(|| regex(r"各\s*行|それぞれ"));
    let end = CONSTRAINTS.find(text).map_or(text.len(), |found| found.start());
    let mut found: Vec<Element> = Vec::new();
    let mut taken: Vec<String> = Vec::new();
    for sentence in text[..end].split(['.', '。', ';']).filter(|sentence| !TOTAL.is_match(sentence)) {
        let names = names(sentence, values);
        let count = LINES.captures(sentence).map(|found| {
            let named = found.get(1).or_else(|| found.get(2));
            named.and_then(|named| Expression::parse(named.as_str()))
        });
        let new: Vec<String> = names.iter().filter(|name| !taken.contains(name)).cloned().collect();
        let fields = |names: &[String]| names.iter().cloned().map(Field::One).collect::<Vec<Field>>();
        match count {
            Some(Some(count)) => {
                // `In the following n lines` may name n again, which is known by then.
                let counted = count.names().first().map(|name| (*name).to_owned());
                let inside: Vec<String> = new.iter().filter(|name| Some(*name) != counted.as_ref()).cloned().collect();
                if inside.is_empty() && !EACH.is_match(text) {
                    continue;
                }
                let inside = if inside.is_empty() { vec!["x".to_owned()] } else { inside };
                found.push(Element::Lines { count, fields: fields(&inside) });
                taken.extend(inside);
            }
            _ if new.is_empty() => {}
            _ if FIRST.is_match(sentence) => {
                found.push(Element::Line(fields(&new)));
                taken.extend(new);
            }
            Some(None) | None => {}
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Names of values in a sentence: those that constraints speak of, and single letters in the middle of words.
fn names(sentence: &str, values: &Grammar) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let all = tokens(sentence);
    let is_ordinal =
        |token: &Token| matches!(token, Token::Foreign(word) if word.starts_with("行目") || word.starts_with("番目"));
    let counted = all.windows(2).filter(|pair| is_ordinal(&pair[1])).filter_map(|pair| pair[0].name());
    let counted: Vec<&str> = counted.map(|name| name.base.as_str()).filter(|name| name.len() == 1).collect();
    for (at, token) in all.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let is_known = values.variables.iter().any(|known| known.name == name.base);
        let is_letter = name.base.len() == 1 && !matches!(name.base.as_str(), "a" | "A" | "I");
        // `( t = 0, 1, ... )` speaks of an index, and so does `i 行目`.
        let is_index = all.get(at + 1).is_some_and(|next| next.is('=')) || counted.contains(&name.base.as_str());
        if (is_known || is_letter) && !is_index && !found.contains(&name.base) {
            found.push(name.base.clone());
        }
    }
    found
}

//! Which values are texts, of which characters, and which are numbers with a fraction.

use crate::expression::Expression;
use crate::grammar::{Grammar, Kind, Variable};
use crate::token::{Token, tokens};

/// Names that are texts where nothing is said of them.
const TEXTS: [&str; 8] = ["S", "s", "T", "t", "w", "W", "c", "str"];

/// Finds the kind of each variable.
pub(super) fn kinds(text: &str, grammar: &mut Grammar) {
    let sentences = sentences(text);
    let squeezed: String = text.to_lowercase().split_whitespace().collect();
    let only_integers =
        ["valuesininputareinteger", "inputvaluesareinteger", "numbersininputareinteger", "allareinteger"]
            .iter()
            .any(|said| squeezed.contains(said));
    let lengths: Vec<String> = lengths(text);
    let names: Vec<String> = grammar.variables.iter().map(|variable| variable.name.clone()).collect();
    for name in names {
        let about: Vec<&String> = sentences.iter().filter(|sentence| names_in(sentence).contains(&name)).collect();
        let squeezed: Vec<String> = about.iter().map(|sentence| squeeze(sentence)).collect();
        let said = squeezed.iter().any(|sentence| is_said_text(sentence, &name));
        let real = about.iter().any(|sentence| is_said_real(sentence, &name));
        let words = about.iter().find_map(|sentence| words(sentence, &name));
        let letters: Vec<char> = about.iter().flat_map(|sentence| letters(sentence)).collect();
        // A sequence of numbers has a length, too.
        let is_sequence = only_integers && !said && letters.is_empty();
        let has_length = lengths.contains(&name) && !is_sequence;
        let is_bounded = grammar.variable(&name).is_some_and(|variable| !variable.most.is_empty()) && !has_length;
        let by_name = TEXTS.contains(&name.as_str()) && !is_bounded && !only_integers;
        let Some(variable) = grammar.variables.iter_mut().find(|variable| variable.name == name) else { continue };
        if let Some(words) = words.filter(|_| !is_bounded) {
            variable.kind = Kind::Word(words);
            (variable.least, variable.most) = (Vec::new(), Vec::new());
        } else if has_length
            || (said && !is_bounded)
            || by_name && !squeezed.iter().any(|of| is_said_integer(of, &name))
            || (!letters.is_empty() && !is_bounded)
        {
            let letters = if letters.is_empty() { ('a'..='z').collect() } else { distinct(letters) };
            variable.kind = Kind::Text(letters);
            if !has_length {
                (variable.least, variable.most) = (Vec::new(), Vec::new());
            }
            length_in_words(variable, &about);
        } else if real {
            variable.kind = Kind::Real;
        }
    }
}

/// Sentences of a description. Those about values seldom end before the next `X is`.
fn sentences(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let words: Vec<&str> = text.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        // A full stop that is one of several characters in a list ends nothing.
        let listed = at > 0 && matches!(words[at - 1], "and" | "or" | "," | "of" | "`");
        let current = found.last_mut().expect("there is one");
        current.push_str(word);
        current.push(' ');
        if (matches!(*word, "." | "..") && !listed) || word.ends_with('。') || *word == ":" {
            found.push(String::new());
        }
    }
    found
}

fn squeeze(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect()
}

fn names_in(sentence: &str) -> Vec<String> {
    tokens(sentence).iter().filter_map(|token| token.name().map(|name| name.base.clone())).collect()
}

/// Variables of which `|S|` or "the length of S" is spoken.
fn lengths(text: &str) -> Vec<String> {
    let all = tokens(text);
    let mut found = Vec::new();
    for window in all.windows(3) {
        if let [Token::Sign('|'), Token::Name(name), Token::Sign('|')] = window {
            found.push(name.base.clone());
        }
        if let [Token::Name(length), Token::Name(of), Token::Name(name)] = window
            && length.base.eq_ignore_ascii_case("length")
            && of.base == "of"
        {
            found.push(name.base.clone());
        }
    }
    found
}

fn is_said_text(squeezed: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let nouns =
        ["string", "sequenceofcharacters", "character", "letter", "word", "文字列", "文字", "digitsequence", "letters"];
    nouns.iter().any(|noun| squeezed.contains(noun)) && squeezed.contains(&name)
}

/// `A_i is given with at most 9 digits after the decimal`, `x and y are real numbers`
fn is_said_real(sentence: &str, name: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let is_real = |word: &&str| matches!(*word, "real" | "decimal" | "decimals" | "floating" | "実数" | "小数");
    let Some(at) = words.iter().position(is_real) else { return false };
    let is = words[..at].iter().rposition(|word| matches!(*word, "is" | "are" | "は"));
    let before = is.map_or(&words[..at], |is| &words[..is]);
    let mut names = before.iter().rev().take_while(|word| {
        matches!(**word, "," | "and")
            || tokens(word).first().is_some_and(|token| token.name().is_some_and(|of| of.base.len() <= 2))
    });
    names.any(|word| tokens(word).first().and_then(Token::name).is_some_and(|of| of.base == name))
}

fn is_said_integer(squeezed: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    [
        format!("{name}isaninteger"),
        format!("{name}areinteger"),
        format!("{name}_iareinteger"),
        format!("{name}_iisaninteger"),
    ]
    .iter()
    .any(|said| squeezed.contains(said))
        || (squeezed.contains("areallintegers") || squeezed.contains("areintegers"))
}

/// Characters that a sentence lists, or the name of a set of them.
fn letters(sentence: &str) -> Vec<char> {
    let squeezed = squeeze(sentence);
    let has = |words: &[&str]| words.iter().any(|word| squeezed.contains(word));
    let mut found = Vec::new();
    let lower = has(&["lowercase", "英小文字", "小文字"]);
    let upper = has(&["uppercase", "英大文字", "大文字"]);
    let digits = has(&["digit", "consistsof0and1", "数字"]) && !has(&["digitsafter"]);
    if lower {
        found.extend('a'..='z');
    }
    if upper {
        found.extend('A'..='Z');
    }
    if digits {
        found.extend('0'..='9');
    }
    if !lower && !upper && has(&["alphabet", "englishletter", "アルファベット"]) {
        found.extend(('a'..='z').chain('A'..='Z'));
    }
    if found.is_empty() && has(&["consist", "character", "iseither", "からなる", "stringof", "ris", "eachof"])
        || listed_alone(&squeezed)
    {
        found.extend(listed(sentence));
    }
    found
}

/// `s_i is R or B`
fn listed_alone(squeezed: &str) -> bool {
    squeezed.contains("is") && squeezed.contains("or")
}

/// Single characters between commas, `and` and `or`, at least two of them.
fn listed(sentence: &str) -> Vec<char> {
    let words: Vec<&str> =
        sentence.split_whitespace().filter(|word| !matches!(*word, "`" | "\"" | "'" | "``" | "''")).collect();
    let single = |word: &str| {
        let word = word.trim_matches(|c| matches!(c, '`' | '"' | '\'' | '“' | '”' | '‘' | '’'));
        let word = if word == ".." { "." } else { word };
        let mut letters = word.chars();
        letters.next().filter(|letter| letters.next().is_none() && !matches!(letter, ',' | ':' | '(' | ')'))
    };
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| words[at]);
        let after = words.get(at + 1).copied();
        let is_joint = |word: Option<&str>| matches!(word, Some("," | "and" | "or" | "と" | "または" | "か"));
        let ends = is_joint(before) || is_joint(after);
        if let Some(letter) = single(word)
            && ends
            && before != Some("between")
            && !word.contains('_')
        {
            found.push(letter);
        }
    }
    filled(&mut found);
    // The name of the variable itself may stand before a comma: `S , T consist of ...`.
    if found.len() < 2 { Vec::new() } else { found }
}

/// Puts all characters between in the place of dots: `1 , 2 , ⋯ , 9`.
fn filled(letters: &mut Vec<char>) {
    while let Some(dots) = letters.iter().position(|letter| *letter == '⋯') {
        let between = match (dots.checked_sub(1).and_then(|before| letters.get(before)), letters.get(dots + 1)) {
            (Some(&first), Some(&last)) if first.is_alphanumeric() && last.is_alphanumeric() => {
                (first..=last).collect()
            }
            _ => Vec::new(),
        };
        letters.splice(dots..=dots, between);
    }
}

/// `S is SUN , MON or TUE`
fn words(sentence: &str, name: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let is = words.windows(2).position(|pair| {
        tokens(pair[0]).first().and_then(Token::name).is_some_and(|of| of.base == name)
            && matches!(pair[1], "is" | "are")
    })?;
    let mut rest = &words[is + 2..];
    if rest.first().is_some_and(|word| matches!(*word, "either" | "one")) {
        rest = &rest[1..];
    }
    let (mut found, mut joined) = (Vec::new(), false);
    for word in rest {
        match *word {
            "," | "`" | "\"" | "'" | "of" => {}
            "or" | "and" => joined = true,
            "." | ":" => break,
            word => {
                let word = word.trim_matches(|c: char| !c.is_alphanumeric());
                if word.len() < 2 || !word.chars().all(char::is_alphanumeric) {
                    return None;
                }
                found.push(word.to_owned());
            }
        }
    }
    let is_capital = |word: &String| word.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric());
    (joined && found.len() > 1 && found.iter().all(is_capital)).then_some(found)
}

/// "of length N", "of length 4", "of length between 1 and 10", "three-character".
fn length_in_words(variable: &mut Variable, about: &[&String]) {
    for sentence in about {
        let all = tokens(sentence);
        let is_word = |token: &Token, word: &str| token.name().is_some_and(|name| name.base.eq_ignore_ascii_case(word));
        // `a 4 - character string`
        let characters = all.windows(3).find_map(|three| match three {
            [Token::Number(number), Token::Sign('-'), word] if is_word(word, "character") => Some(*number),
            _ => None,
        });
        if let Some(number) = characters {
            (variable.least, variable.most) = (vec![Expression::Number(number)], vec![Expression::Number(number)]);
            return;
        }
        let Some(at) = all.iter().position(|token| is_word(token, "length") || is_word(token, "lengths")) else {
            continue;
        };
        let rest = &all[at + 1..];
        let rest = if rest.first().is_some_and(|token| is_word(token, "of") || is_word(token, "is")) {
            // `The length of S is N`
            let is = rest.iter().position(|token| is_word(token, "is"));
            is.map_or(rest, |is| &rest[is + 1..])
        } else {
            rest
        };
        let number = |token: Option<&Token>| match token? {
            Token::Number(number) => Some(Expression::Number(*number)),
            Token::Name(name) if name.base.len() <= 2 && !matches!(name.base.as_str(), "is" | "of" | "in" | "at") => {
                Some(Expression::Name(name.base.clone()))
            }
            _ => None,
        };
        if rest.first().is_some_and(|token| is_word(token, "between")) {
            if let (Some(least), Some(most)) = (number(rest.get(1)), number(rest.get(3))) {
                (variable.least, variable.most) = (vec![least], vec![most]);
            }
        } else if let Some(length) = number(rest.first()) {
            (variable.least, variable.most) = (vec![length.clone()], vec![length]);
        } else {
            continue;
        }
        return;
    }
}

fn distinct(letters: Vec<char>) -> Vec<char> {
    let mut found = Vec::new();
    for letter in letters {
        if !found.contains(&letter) {
            found.push(letter);
        }
    }
    found.sort_unstable();
    found
}

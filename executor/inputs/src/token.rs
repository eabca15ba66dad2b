//! Words of a description: its spelling made uniform, then names with subscripts, numbers, signs and dots.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use unicode_normalization::UnicodeNormalization;

/// A word of a description.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// `N`, `A_1`, `a_{i, j}`: Latin letters, with subscripts.
    Name(Name),
    /// A whole number.
    Number(i64),
    /// Dots between the first and the last of several: `...`.
    Dots,
    /// Vertical dots.
    Vertical,
    /// Any other sign.
    Sign(char),
    /// Letters of another script.
    Foreign(String),
}

/// A name with its subscripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) base: String,
    pub(crate) subscripts: Vec<String>,
    /// Written without an underscore: `a1`.
    pub(crate) is_loose: bool,
}

impl Token {
    /// The name that the token is.
    pub(crate) fn name(&self) -> Option<&Name> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }

    pub(crate) fn is(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }
}

/// Text that is looked at, in bytes: what describes an input is short.
const MOST_BYTES: usize = 1 << 16;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is written out here")
}

/// A description in uniform spelling: one form of each character, signs in place of LaTeX commands, numbers without
/// separators, names with subscripts in one piece.
pub(crate) fn clean(text: &str) -> String {
    static FRACTION: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\\\s*d?frac\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*\{((?:[^{}]|\{[^{}]*\})*)\}"));
    static COMMAND: LazyLock<Regex> = LazyLock::new(|| regex(r"\\\s*([a-zA-Z]+)"));
    static ESCAPE: LazyLock<Regex> = LazyLock::new(|| regex(r"\\\s*[,;:!]?"));
    static SUBSCRIPT: LazyLock<Regex> = LazyLock::new(|| regex(r"([A-Za-z0-9])\s*_\s*([A-Za-z0-9{])"));
    static BRACED: LazyLock<Regex> = LazyLock::new(|| regex(r"_\{\s*((?:[^{}]|\{[^{}]*\})*?)\s*\}"));
    static GROUPS: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(\d{1,3}(?:\s*,\s*\d{3})+)\b"));
    static THOUSANDS: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(\d{1,3}(?:\s+000)+)\b"));
    static NEGATIVE: LazyLock<Regex> = LazyLock::new(|| regex(r"\$\s*\$\s*-"));
    static DOTS: LazyLock<Regex> = LazyLock::new(|| regex(r"\.\s?\.\s?\.[.\s]*|・(?:\s*・)+|‥|⋯"));
    let mut cut = text.len().min(MOST_BYTES);
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    let text: String = text[..cut].nfkc().collect();
    // A formula that begins with a minus ends the one before it.
    let text = NEGATIVE.replace_all(&text, " ; -").replace('$', " ");
    let text = FRACTION.replace_all(&text, "(($1)/($2))");
    let text = COMMAND.replace_all(&text, |found: &Captures<'_>| command(&found[1]).to_owned());
    let text = ESCAPE.replace_all(&text, " ");
    let text = SUBSCRIPT.replace_all(&text, "${1}_${2}");
    let text = BRACED.replace_all(&text, |found: &Captures<'_>| {
        let inside: String = found[1].chars().filter(|c| !c.is_whitespace() && !matches!(c, '{' | '}')).collect();
        format!("_{{{inside}}}")
    });
    let digits = |found: &Captures<'_>| found[0].chars().filter(char::is_ascii_digit).collect::<String>();
    let text = GROUPS.replace_all(&text, digits);
    let text = THOUSANDS.replace_all(&text, digits);
    let text = DOTS.replace_all(&text, " ⋯ ");
    text.replace("<=", "≤").replace(">=", "≥").replace("!=", "≠").replace(['≦', '⩽'], "≤").replace(['≧', '⩾'], "≥")
}

/// The sign of a LaTeX command; a space for those that only change how something looks.
fn command(name: &str) -> &'static str {
    match name {
        "leq" | "le" | "leqq" | "leqslant" => " ≤ ",
        "geq" | "ge" | "geqq" | "geqslant" => " ≥ ",
        "lt" => " < ",
        "gt" => " > ",
        "neq" | "ne" => " ≠ ",
        "times" | "cdot" | "ast" => " × ",
        "ldots" | "cdots" | "dots" | "dotsc" => " ⋯ ",
        "vdots" => " ⋮ ",
        "lvert" | "rvert" | "vert" | "mid" => " | ",
        "ell" => "l",
        _ => " ",
    }
}

/// The tokens of a text in uniform spelling.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some(&(start, first)) = rest.peek() {
        let mut take = |is: &dyn Fn(char) -> bool| {
            let mut end = start;
            while let Some(&(at, c)) = rest.peek().filter(|(_, c)| is(*c)) {
                end = at + c.len_utf8();
                rest.next();
            }
            &text[start..end]
        };
        if first.is_ascii_alphabetic() {
            let word = take(&|c| c.is_ascii_alphanumeric());
            let mut subscripts = Vec::new();
            let mut is_loose = false;
            let mut base = word;
            let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
            if letters.len() < word.len() {
                (base, is_loose) = (letters, true);
                subscripts.push(word[letters.len()..].to_owned());
            }
            while rest.peek().is_some_and(|(_, c)| *c == '_') {
                rest.next();
                is_loose = false;
                let inside: String = if rest.peek().is_some_and(|(_, c)| *c == '{') {
                    rest.next();
                    let inside: String =
                        std::iter::from_fn(|| rest.next_if(|(_, c)| *c != '}')).map(|(_, c)| c).collect();
                    rest.next();
                    inside
                } else {
                    std::iter::from_fn(|| rest.next_if(|(_, c)| c.is_ascii_alphanumeric())).map(|(_, c)| c).collect()
                };
                subscripts.extend(inside.split(',').filter(|part| !part.is_empty()).map(str::to_owned));
            }
            found.push(Token::Name(Name { base: base.to_owned(), subscripts, is_loose }));
        } else if first.is_ascii_digit() {
            let digits = take(&|c| c.is_ascii_digit());
            found.push(Token::Number(digits.parse().unwrap_or(i64::MAX)));
        } else if first == '⋯' || first == '⋮' {
            rest.next();
            found.push(if first == '⋯' { Token::Dots } else { Token::Vertical });
        } else if first.is_whitespace() {
            rest.next();
        } else if first.is_alphabetic() {
            let word = take(&|c| c.is_alphabetic() && !c.is_ascii());
            found.push(Token::Foreign(word.to_owned()));
        } else {
            rest.next();
            found.push(Token::Sign(first));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_is_made_uniform() {
        assert_eq!(clean(r"1 \ leq N \ leq 2 \ times 10 ^ { 5 }"), "1  ≤  N  ≤  2  ×  10 ^ { 5 }");
        assert_eq!(clean("a_ { N - 1 } X _2 T _1"), "a_{N-1} X_2 T_1");
        assert_eq!(clean(r"N ≦ 200 \ , 000 , 1 , 000 , 000"), "N ≤ 200000 , 1000000");
        assert_eq!(clean("\\ frac { N ( N - 1 )} { 2 }"), "(( N ( N - 1 ))/( 2 ))");
        assert_eq!(clean("１ ≤ Ｎ ， a . . . b"), "1 ≤ N , a  ⋯ b");
    }

    #[test]
    fn names_have_subscripts() {
        let name = |base: &str, subscripts: &[&str], is_loose| {
            let subscripts = subscripts.iter().map(|one| (*one).to_owned()).collect();
            Token::Name(Name { base: base.to_owned(), subscripts, is_loose })
        };
        assert_eq!(
            tokens("N A_1 a_{i,j} d1 ⋯ 12"),
            [
                name("N", &[], false),
                name("A", &["1"], false),
                name("a", &["i", "j"], false),
                name("d", &["1"], true),
                Token::Dots,
                Token::Number(12)
            ]
        );
        assert_eq!(tokens("入力 :"), [Token::Foreign("入力".into()), Token::Sign(':')]);
        assert_eq!(tokens("x_{"), [name("x", &[], false)]);
    }
}

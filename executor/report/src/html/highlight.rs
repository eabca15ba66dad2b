//! Looks of Python's tokens, line by line, for sources that may not even parse.

const KEYWORDS: [&str; 37] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// A line's pieces with their looks. `open` is the quote of a string that goes on over lines.
pub(super) fn tokens<'a>(line: &'a str, open: &mut Option<&'static str>) -> Vec<(&'static str, &'a str)> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (look, length) = if let Some(quote) = *open {
            ("string", string(rest, 0, quote, open))
        } else if first == '#' {
            ("comment", rest.len())
        } else if first.is_ascii_digit() {
            ("number-literal", rest.find(|character| !is_word(character) && character != '.').unwrap_or(rest.len()))
        } else {
            let word = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
            let is_prefix = word <= 2 && rest[..word].chars().all(|letter| "rRbBuUfFtT".contains(letter));
            match opening(&rest[word..]).filter(|_| is_prefix) {
                Some(quote) => ("string", string(rest, word + quote.len(), quote, open)),
                None if word == 0 => ("", first.len_utf8()),
                None if KEYWORDS.binary_search(&&rest[..word]).is_ok() => ("keyword", word),
                None => ("", word),
            }
        };
        let (token, more) = rest.split_at(length);
        tokens.push((look, token));
        rest = more;
    }
    tokens
}

fn opening(text: &str) -> Option<&'static str> {
    ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| text.starts_with(quote))
}

/// Where a string ends whose body starts at `from`. Only triple quotes stay open at the end of the line.
fn string(text: &str, from: usize, quote: &'static str, open: &mut Option<&'static str>) -> usize {
    let mut escaped = false;
    for (at, character) in text[from..].char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if text[from + at..].starts_with(quote) {
            *open = None;
            return from + at + quote.len();
        }
    }
    *open = (quote.len() == 3).then_some(quote);
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_line_again() {
        let mut open = None;
        let look = |line: &'static str, open: &mut Option<&'static str>| {
            let tokens = tokens(line, open);
            assert_eq!(tokens.iter().map(|(_, token)| *token).collect::<String>(), line);
            tokens.into_iter().filter(|(look, _)| !look.is_empty()).collect::<Vec<_>>()
        };
        assert_eq!(
            look(r##"if x1 == rb"a\"#" or 1.5: # é"##, &mut open),
            [
                ("keyword", "if"),
                ("string", r##"rb"a\"#""##),
                ("keyword", "or"),
                ("number-literal", "1.5"),
                ("comment", "# é")
            ]
        );
        assert_eq!(look("don't", &mut open), [("string", "'t")]);
        assert_eq!((look("x = '''é", &mut open), open), (vec![("string", "'''é")], Some("'''")));
        assert_eq!((look("a''' + b", &mut open), open), (vec![("string", "a'''")], None));
        assert!(KEYWORDS.is_sorted());
    }
}

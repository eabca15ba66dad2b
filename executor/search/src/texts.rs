//! Texts in the shapes that programs read: a word, a number, a line of numbers.

use surmise_engine::protocol::Raised;

use crate::repair::expected_count;

/// Numbers of a line: unsorted, one twice.
const NUMBERS: [u8; 4] = [3, 1, 2, 2];
/// Fields of a line at most.
const FIELDS: usize = 16;

/// A text as Python writes it: in quotes, with escapes.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

fn numbers(count: usize) -> String {
    let numbers: Vec<String> = (0..count.min(FIELDS)).map(|at| NUMBERS[at % NUMBERS.len()].to_string()).collect();
    numbers.join(" ")
}

fn words(count: usize) -> String {
    let words: Vec<&str> = (0..count.min(FIELDS)).map(|at| ["b", "a", "c", "a"][at % 4]).collect();
    words.join(" ")
}

fn is_numeric(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit())
}

/// Texts that may be read where `now` (as Python writes it) was not.
pub(crate) fn after(now: &str, error: &Raised) -> Vec<String> {
    let message = error.message.to_lowercase();
    let numeric = is_numeric(now);
    if message.contains("invalid literal for int") || message.contains("to float") {
        // What was read shows whether it was a line of several: `'3 1 2 2'`.
        let several = message.rsplit_once(": ").is_some_and(|(_, read)| read.trim_matches('\'').contains(' '));
        return if several || !numeric {
            vec!["2".to_owned(), numbers(4), numbers(2), numbers(3)]
        } else {
            vec![numbers(4), numbers(2), numbers(3), "2\n".to_owned() + &numbers(4)]
        };
    }
    if let Some(count) = expected_count(&message).map(usize::from) {
        let (first, second) = (numbers(count), words(count));
        return if numeric {
            vec![first, second]
        } else {
            vec![second, first, "abcdefgh".chars().take(count).collect()]
        };
    }
    match error.kind.as_str() {
        "IndexError" if numeric => vec![numbers(4), numbers(8), numbers(16), words(4)],
        "IndexError" => vec![words(4), numbers(4), "abcdefgh".to_owned()],
        _ => vec![numbers(1), numbers(4), words(3)],
    }
}

/// Texts of the same shape, the given one first.
pub(crate) fn like(now: &str) -> Vec<String> {
    let fields = now.trim_matches('\'').split(' ').count();
    if !is_numeric(now) {
        let others = ["''", "'a'", "'aab'"].into_iter().map(str::to_owned);
        return std::iter::once(now.to_owned()).chain(others).collect();
    }
    let all = |number: &str| format!("'{}'", vec![number; fields].join(" "));
    vec![now.to_owned(), all("0"), all("1"), all("5")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(kind: &str, message: &str) -> Raised {
        Raised { kind: kind.to_owned(), message: message.to_owned(), ..Raised::default() }
    }

    #[test]
    fn errors_tell_the_shape_of_a_text() {
        let int = |read: &str| raised("ValueError", &format!("invalid literal for int() with base 10: {read}"));
        assert_eq!(after("'abc'", &int("'abc'"))[0], "2");
        assert_eq!(after("'3 1 2 2'", &int("'3 1 2 2'"))[0], "2");
        let few = raised("ValueError", "not enough values to unpack (expected 2, got 1)");
        assert_eq!(after("'2'", &few)[0], "3 1");
        assert_eq!(after("'abc'", &few)[0], "b a");
    }

    #[test]
    fn texts_are_varied_field_by_field() {
        assert_eq!(like("'3 1'"), ["'3 1'", "'0 0'", "'1 1'", "'5 5'"]);
        assert_eq!(like("'abc'")[1], "''");
        assert_eq!(quoted("a'\n"), "'a\\'\\n'");
    }
}

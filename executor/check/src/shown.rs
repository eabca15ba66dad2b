//! What a page says of errors: it shows them, or announces them.

use std::sync::LazyLock;

use regex::Regex;

/// `ValueError: ...`, `mypackage.Broken: ...` as Python prints it at the end of a traceback, or `ValueError` alone.
static LAST_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:\*{3} )?(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning|Iteration|Failure|Violation|Fault|Invalid\w*)\b(?:$|:|\()")
        .expect("it compiles")
});
/// Words with which a page says that code does not work.
static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:rais(?:e|es|ed|ing)|throws?|throwing|\w*(?:error|exception)s?|fail(?:s|ed|ing|ure)?|wrong|invalid|incorrect|illegal|broken|crash(?:es)?|bugs?|bad|bogus|mistakes?|not\s+(?:work|allowed|valid|possible|permitted|supported)|(?:won|doesn|can|couldn)['’]t|cannot|unsupported|not\s+do|don['’]t\s+do|no\s+longer|removed|deprecated|before:|old(?:er)?\b|instead\s+of|python\s*2|python\s*(?:>=?\s*)?3\.\d+|pseudo-?code|will\s+not|not\s+yet|forbidden|disallowed|prohibited|complains?|reject(?:s|ed)?|violat\w+|conflict\w*|gotchas?|pitfalls?|avoid|anti-?patterns?|misus\w+)\b",
    )
    .expect("it compiles")
});

/// True for output that shows an error.
pub(crate) fn is_error(output: &[&str]) -> bool {
    output.iter().any(|line| line.trim_start().starts_with("Traceback ("))
        || output.iter().any(|line| LAST_LINE.is_match(line))
}

/// True for prose or a comment that says that something does not work.
pub(crate) fn is_announced(text: &str) -> bool {
    ANNOUNCED.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_known_by_how_python_prints_them() {
        for output in [
            &["Traceback (most recent call last):", "  ..."][..],
            &["ValueError: no"],
            &["my.package.BrokenError"],
            &["*** KeyError: 'a'"],
        ] {
            assert!(is_error(output), "{output:?}");
        }
        for output in [&["1"][..], &["<Error code=1>"], &["an Error: no"], &["[ValueError('a')]"]] {
            assert!(!is_error(output), "{output:?}");
        }
    }

    #[test]
    fn words_announce_errors() {
        for text in ["This raises a `TypeError`:", "# won't work", "# ValueError", "Do not do this", "This is wrong"] {
            assert!(is_announced(text), "{text}");
        }
        for text in ["Prints the result", "# a comment", "The raisin is dry"] {
            assert!(!is_announced(text), "{text}");
        }
    }
}

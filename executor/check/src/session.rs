//! What was typed at a prompt, and what it printed.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use regex::Regex;

use crate::page::CodeLine;
use crate::shown;

/// A session without its prompts and output.
#[derive(Debug, Default)]
pub(crate) struct Session {
    /// The lines of code.
    pub(crate) lines: Vec<CodeLine>,
    /// First and last index, in these, of what each first prompt begins.
    pub(crate) examples: Vec<RangeInclusive<usize>>,
    /// Lines of the page whose statements are shown to raise.
    pub(crate) raising: Vec<RangeInclusive<u32>>,
}

static PROMPT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(\s*)(?:>>>|In ?\[[ \d]*\]:)(?: |$)").expect("it compiles"));
static CONTINUATION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*\.{3,}:?(?: |$)").expect("it compiles"));

/// True for a block that was typed at a prompt.
pub(crate) fn is_session(lines: &[CodeLine]) -> bool {
    lines.iter().any(|line| PROMPT.is_match(&line.text))
}

/// The number of brackets that lines leave open, those in texts and comments included.
fn opened(lines: &[CodeLine]) -> i32 {
    let weight = |character: char| match character {
        '(' | '[' | '{' => 1,
        ')' | ']' | '}' => -1,
        _ => 0,
    };
    lines.iter().flat_map(|line| line.text.chars()).map(weight).sum()
}

/// Reads a session. Examples that ask doctest to skip them are left out; the number of these comes back, too.
pub(crate) fn read(block: &[CodeLine]) -> (Session, u32) {
    let (mut session, mut skipped) = (Session::default(), 0);
    let mut at = 0;
    // A definition may stand before the session that uses it, without prompts; what does not parse is text.
    let first = block.iter().position(|line| PROMPT.is_match(&line.text)).unwrap_or(block.len());
    let is_code = |lines: &[CodeLine]| {
        let text: String = lines.iter().map(|line| line.text.clone() + "\n").collect();
        surmise_instrument::SourceModel::parse(text).is_ok()
    };
    if block[..first].iter().any(|line| !line.text.trim().is_empty()) && is_code(&block[..first]) {
        session.lines.extend(block[..first].iter().cloned());
        session.examples.push(0..=first - 1);
    }
    at += first;
    while at < block.len() {
        let Some(prompt) = PROMPT.find(&block[at].text) else {
            at += 1;
            continue;
        };
        let mut code = vec![block[at].from_byte(prompt.end())];
        at += 1;
        while let Some(line) = block.get(at)
            && let Some(prompt) = CONTINUATION.find(&line.text)
        {
            code.push(line.from_byte(prompt.end()));
            at += 1;
        }
        // A decorator is no statement by itself, whatever prompt follows it, and neither is an open bracket.
        while (code.last().is_some_and(|line| line.text.trim_start().starts_with('@'))
            || opened(&code) > 0 && !is_code(&code))
            && let Some(line) = block.get(at)
            && let Some(prompt) = PROMPT.find(&line.text).or_else(|| CONTINUATION.find(&line.text))
        {
            code.push(line.from_byte(prompt.end()));
            at += 1;
            while let Some(line) = block.get(at)
                && let Some(prompt) = CONTINUATION.find(&line.text)
            {
                code.push(line.from_byte(prompt.end()));
                at += 1;
            }
        }
        // IDLE has no prompt for lines that go on with a statement.
        while opened(&code) > 0
            && let Some(line) = block.get(at).filter(|line| !PROMPT.is_match(&line.text))
        {
            code.push(line.clone());
            at += 1;
        }
        let from = at;
        while block.get(at).is_some_and(|line| !PROMPT.is_match(&line.text)) {
            at += 1;
        }
        let output: Vec<&str> = block[from..at].iter().map(|line| line.text.as_str()).collect();
        let directive = |name: &str| code.iter().any(|line| line.text.contains("doctest:") && line.text.contains(name));
        if directive("+SKIP") {
            skipped += 1;
            continue;
        }
        if shown::is_error(&output) || directive("IGNORE_EXCEPTION") {
            session.raising.push(code[0].line..=code[code.len() - 1].line);
        }
        let begin = session.lines.len();
        session.lines.append(&mut code);
        session.examples.push(begin..=session.lines.len() - 1);
    }
    (session, skipped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Columns, lines_of};

    #[test]
    fn prompts_and_output_are_left_out() {
        let text = "def f():\n    pass\n>>> for x in y:\n...     print(x)\n1\n>>> 1 / 0\nTraceback (most recent call last):\n  ...\nZeroDivisionError: division by zero\n>>> g()  # doctest: +SKIP\n>>> h\n";
        let (session, skipped) = read(&lines_of(text));
        let lines: Vec<&str> = session.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(lines, ["def f():", "    pass", "for x in y:", "    print(x)", "1 / 0", "h"]);
        assert_eq!(session.examples, [0..=1, 2..=3, 4..=4, 5..=5]);
        assert_eq!((session.raising, skipped), (vec![6..=6], 1));
        assert_eq!((session.lines[2].line, &session.lines[2].columns), (3, &Columns::Shift(4)));
    }

    #[test]
    fn brackets_go_on_without_prompts() {
        let (session, _) = read(&lines_of(">>> f(\n    1,\n)\n2\n>>> x\n"));
        let lines: Vec<&str> = session.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(lines, ["f(", "    1,", ")", "x"]);
    }

    #[test]
    fn decorators_and_brackets_go_on_at_the_next_prompt() {
        let (session, _) = read(&lines_of(">>> f(\n>>>     1,\n>>> )\n2\n>>> x\n"));
        assert_eq!(session.examples, [0..=2, 3..=3]);
        let (session, _) = read(&lines_of(">>> @a\n>>> @b\n>>> def f():\n...     pass\n>>> f\n"));
        let lines: Vec<&str> = session.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(lines, ["@a", "@b", "def f():", "    pass", "f"]);
        assert_eq!(session.examples, [0..=3, 4..=4]);
    }

    #[test]
    fn ipython_has_prompts_of_its_own() {
        let (session, _) = read(&lines_of("In [1]: x = [\n   ...:  1]\n\nIn [2]: x\nOut[2]: [1]\n"));
        let lines: Vec<&str> = session.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(lines, ["x = [", " 1]", "x"]);
    }
}

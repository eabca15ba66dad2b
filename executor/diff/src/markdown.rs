//! Comparisons as Markdown, for a comment under a change.

use std::fmt::Write as _;

use super::comparison::Comparison;
use super::render::{SHOWN, Totals, summary};
use super::verdict::{Verdict, Witness};

/// GitHub takes comments of 65,536 characters; what follows this much is counted only.
const LONGEST: usize = 60_000;

/// All comparisons: the totals, a table with the different ones first, and the witnesses.
pub fn markdown(comparisons: &[Comparison]) -> String {
    let mut totals = Totals::default();
    for comparison in comparisons {
        totals.add(comparison);
    }
    let mut text = format!("**Behaviour:** {totals}\n");
    if comparisons.is_empty() {
        return text;
    }
    let rank = |comparison: &&Comparison| match comparison.verdict {
        Verdict::Different(_) => 0,
        Verdict::Possible(_) => 1,
        Verdict::Unknown(_) => 2,
        Verdict::Equal(_) => 3,
        Verdict::Added | Verdict::Removed => 4,
    };
    let mut sorted: Vec<&Comparison> = comparisons.iter().collect();
    sorted.sort_by_key(rank);
    text.push_str("\n| function | verdict | |\n|---|---|---|\n");
    let rows = sorted.iter().map(|comparison| row(comparison));
    // Witnesses are worth more than the end of the table.
    append(&mut text, rows, LONGEST / 2, "rows");
    let details = sorted.iter().filter_map(|comparison| Some(details(&comparison.name, comparison.verdict.witness()?)));
    append(&mut text, details, LONGEST, "witnesses");
    text
}

/// Appends as many parts as fit, and says how many do not.
fn append(text: &mut String, parts: impl Iterator<Item = String>, limit: usize, what: &str) {
    let mut left = 0;
    for part in parts {
        if left == 0 && text.len() + part.len() <= limit {
            text.push_str(&part);
        } else {
            left += 1;
        }
    }
    if left > 0 {
        let _infallible = writeln!(text, "\n{left} more {what} are not shown.");
    }
}

fn row(comparison: &Comparison) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace(['\n', '\r'], " ");
    let name = cell(&comparison.name).replace('`', "'");
    format!("| `{name}` | {} | {} |\n", comparison.verdict.as_str(), escaped(&cell(&summary(comparison))))
}

/// Both behaviours from the first difference on, as a patch.
fn details(name: &str, witness: &Witness) -> String {
    let mut text = format!("\n<details><summary><code>{}</code></summary>\n\n```diff\n", escaped(name));
    let mut line = |sign: char, entry: &str| {
        let _infallible = writeln!(text, "{sign} {}", entry.replace("```", "'''").replace(['\n', '\r'], " "));
    };
    for (path, value) in witness.given.iter().take(SHOWN) {
        line(' ', &format!("{path} = {value}"));
    }
    if witness.given.len() > SHOWN {
        line(' ', &format!("... {} more values", witness.given.len() - SHOWN));
    }
    for (sign, entries) in [('-', &witness.old_entries), ('+', &witness.new_entries)] {
        for entry in entries {
            line(sign, entry);
        }
    }
    text.push_str("```\n\n</details>\n");
    text
}

/// Text that Markdown does not take for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::verdict::Ground;

    fn comparison(name: &str, verdict: Verdict) -> Comparison {
        let path = "a.py".to_owned();
        Comparison {
            name: name.into(),
            path,
            lines: (1, 1),
            verdict,
            in_place: false,
            unplaced: None,
            reads: Vec::new(),
            runs: 1,
            changed: (1, 1),
            time: Duration::ZERO,
        }
    }

    fn witness(entry: &str) -> Verdict {
        Verdict::Different(Box::new(Witness {
            given: vec![("x".into(), "1".into())],
            kind: "call".into(),
            old: Some(entry.into()),
            new: None,
            old_entries: vec![entry.into()],
            new_entries: Vec::new(),
            test: None,
        }))
    }

    #[test]
    fn nothing_breaks_out_of_its_cell_or_block() {
        let all = [
            comparison("a|b<c>", Verdict::Equal(Ground::Runs)),
            comparison("f<T>", witness("call g('```\n</details>')")),
        ];
        let text = markdown(&all);
        let expected = "**Behaviour:** 1 different, 0 possible, 1 equal, 0 unknown, 0 added, 0 removed\n\n\
            | function | verdict | |\n|---|---|---|\n\
            | `f<T>` | different | another call, shown by run 1 |\n\
            | `a\\|b<c>` | equal | equal under 1 run, all changed lines covered |\n\n\
            <details><summary><code>f&lt;T&gt;</code></summary>\n\n```diff\n  x = 1\n- call g('''' </details>')\n```\n\n</details>\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_comment_has_an_end() {
        let all: Vec<Comparison> =
            (0..3000).map(|number| comparison(&format!("f{number}"), witness(&"x".repeat(200)))).collect();
        let text = markdown(&all);
        assert!(text.len() < 65_536, "{}", text.len());
        assert!(text.contains("more rows are not shown") && text.ends_with("more witnesses are not shown.\n"));
    }
}

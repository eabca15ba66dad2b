//! What was found on pages, for people and for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};
use surmise_identity::Identity;
use surmise_report::terminal::Style;
use surmise_report::visible::visible;

use crate::checked::{Checked, Found, Summary, Verdict};

/// Characters of a line of code that are shown.
const LONGEST_LINE: usize = 200;

/// The findings of a page; empty where there are none.
pub fn text(checked: &Checked, conditional: bool, style: Style) -> String {
    let mut out = String::new();
    if let Some(problem) = &checked.problem {
        let _ = writeln!(out, "{}: {}: {problem}", checked.page, style.paint("1;33", "not checked"));
    }
    let shown = checked.findings.iter().filter(|found| conditional || found.verdict == Verdict::Certain);
    for found in shown {
        self::found(&mut out, &checked.page, found, style);
    }
    out
}

fn found(out: &mut String, page: &str, found: &Found, style: Style) {
    let column = found.column.map(|column| format!(":{}", column + 1)).unwrap_or_default();
    let cell = found.cell.map(|cell| format!(" (cell {cell})")).unwrap_or_default();
    let message = visible(&found.message);
    let mut message = message.lines();
    let first = message.next().unwrap_or_default();
    let kind = style.paint("1;31", &found.kind);
    let _ = writeln!(out, "{page}:{}{column}{cell}: {kind}: {first}", found.line);
    for line in message {
        let _ = writeln!(out, "      {line}");
    }
    let text = visible(found.text.trim_end());
    if text.chars().count() <= LONGEST_LINE && !text.trim().is_empty() {
        let _ = writeln!(out, "    │ {}", text.trim_start().replace('\t', " "));
    }
    let (colour, name) = match found.verdict {
        Verdict::Certain => ("1;31", "certain"),
        Verdict::Conditional => ("1;33", "conditional"),
    };
    let why = found.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
    let called = found.function.as_ref().map(|name| format!(", in a call of `{name}`")).unwrap_or_default();
    let _ = writeln!(out, "    = {}{why}{called}", style.paint(colour, name));
}

/// The sums, in a line.
pub fn totals(summary: &Summary, plural: impl Fn(u64, &str) -> String) -> String {
    let mut parts = vec![
        plural(summary.pages, "page"),
        plural(summary.blocks, "block"),
        format!("{} certain", summary.certain),
        format!("{} conditional", summary.conditional),
    ];
    if summary.expected > 0 {
        parts.push(format!("{} that the pages show", plural(summary.expected, "error")));
    }
    if summary.unfinished > 0 {
        parts.push(format!("{} not ended in time", plural(summary.unfinished, "program")));
    }
    if summary.unusable > 0 {
        parts.push(format!("{} not checked", plural(summary.unusable, "page")));
    }
    let left_out: Vec<String> =
        summary.left_out.iter().map(|(reason, count)| format!("{count} {}", reason.name())).collect();
    if !left_out.is_empty() {
        parts.push(format!("left out {}", left_out.join(", ")));
    }
    parts.join("; ") + "\n"
}

/// The document of `--json`: schema `surmise.check/1`. Keys stay; new ones may be added.
pub fn document(pages: &[Checked], summary: &Summary, identity: &Identity) -> Value {
    json!({
        "schema": "surmise.check/1",
        "pages": pages,
        "summary": summary,
        "runtime": identity.runtime,
        "model": identity.model,
    })
}

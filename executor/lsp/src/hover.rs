//! The runs behind a value or an error, shown where the pointer is.

use std::fmt::Write;

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position, Range};
use surmise_blame::Finding;
use surmise_report::visible::visible;
use surmise_report::{TriedPlace, reason};

use super::diagnostics::shortened;
use super::document::{Analysis, Document};
use super::position::{Encoding, Lines};

/// Errors and places that are shown at once.
const MOST: usize = 4;

/// What is known of a place; nothing where the line has changed since it was run.
pub(crate) fn of(document: &Document, at: Position, encoding: Encoding) -> Option<Hover> {
    let analysis = document.analysis.as_ref()?;
    let line = at.line + 1;
    if !document.is_as_run(line) {
        return None;
    }
    let lines = Lines::new(&analysis.report.source, encoding);
    let column = encoding.characters(lines.line(line), at.character);
    let mut text = String::new();
    let mut shown: Option<Range> = None;
    let places = analysis.report.tried.places.iter().filter(|place| is_under(place, line, column));
    for place in places.take(MOST) {
        let end = place.column + place.name.chars().count() as u32;
        shown = shown.or_else(|| Some(lines.range(line, Some(place.column), Some(end))));
        of_place(&mut text, place, analysis);
    }
    let errors = analysis.report.errors.iter().filter(|finding| {
        let range = lines.range(finding.raised.line, finding.raised.column, finding.raised.end_column);
        finding.raised.line == line && range.start.character <= at.character && at.character <= range.end.character
    });
    for finding in errors.take(MOST) {
        let raised = &finding.raised;
        shown = shown.or_else(|| Some(lines.range(line, raised.column, raised.end_column)));
        of_error(&mut text, finding, analysis);
    }
    shown.map(|range| Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text }),
        range: Some(range),
    })
}

/// True if the name of a place is written at this column.
fn is_under(place: &TriedPlace, line: u32, column: u32) -> bool {
    let end = place.column + place.name.chars().count() as u32;
    place.line == line && (place.column..=end).contains(&column)
}

/// The values that runs had at a place.
fn of_place(text: &mut String, place: &TriedPlace, analysis: &Analysis) {
    let is_here = |value: &&surmise_engine::protocol::Injection| {
        value.line == place.line && value.column == place.column && value.kind == place.kind && value.name == place.name
    };
    let probability = analysis.report.injections.iter().find(is_here).and_then(|value| value.probability);
    let probability = probability.map(|share| format!(" ({:.0} %)", share * 100.0)).unwrap_or_default();
    let _infallible = match place.kind.as_str() {
        "implicit import" => writeln!(text, "{} is not imported here: the real module was\n", code(&place.name)),
        kind => writeln!(text, "{kind} {} is missing: predicted{probability}\n", code(&place.name)),
    };
    let _infallible = writeln!(text, "| value | runs | ended by |\n|---|---:|---|");
    for value in &place.values {
        let error = match &value.error {
            Some((error, count)) if *count == value.runs => cell(error),
            Some((error, count)) => format!("{}, {count} of them", cell(error)),
            None => String::new(),
        };
        let _infallible = writeln!(text, "| {} | {} | {error} |", code(&value.value), value.runs);
    }
    text.push('\n');
}

/// How far an error is the code's own, and how many runs it ended.
fn of_error(text: &mut String, finding: &Finding, analysis: &Analysis) {
    let raised = &finding.raised;
    let _infallible = writeln!(text, "**{}**: {}\n", cell(&raised.kind), cell(&shortened(&raised.message)));
    if analysis.report.runs == 0 {
        return;
    }
    let why = reason::reason(finding, &analysis.report);
    let _infallible = writeln!(text, "{}: {}\n", reason::word(finding), cell(&shortened(&why)));
    if let Some(counts) = analysis.report.tried.raised(raised) {
        let _infallible =
            writeln!(text, "ended {} of the {} runs that reached the line\n", counts.runs, counts.reached);
    }
    if let Some(hint) = &finding.hint {
        let _infallible = writeln!(text, "hint: {}\n", cell(hint));
    }
}

/// A text in a code span of a table.
fn code(text: &str) -> String {
    let text = shortened(text).replace('\n', " ").replace('|', "\\|");
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A text that means nothing in Markdown.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in visible(text).chars() {
        match character {
            '\n' => out.push(' '),
            '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '!' => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_markdown() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(cell("<b>*a*\n[x](y)"), "\\<b\\>\\*a\\* \\[x\\](y)");
    }
}

//! Injected values as inlay hints: behind the name that was read, or at the end of the line.

use std::collections::{BTreeMap, BTreeSet};

use lsp_types::{InlayHint, InlayHintLabel, InlayHintTooltip, Position, Range};
use surmise_engine::protocol::Injection;
use surmise_report::visible::visible;

use super::document::Document;
use super::position::{Encoding, Lines};

/// Hints of one answer.
const MOST: usize = 2000;
/// Characters of a value.
const LONGEST: usize = 40;
/// Values that are listed at the end of a line.
const MOST_AT_END: usize = 4;

/// The hints of a range, for lines that are as they were when they were run.
pub(crate) fn of(document: &Document, range: Range, encoding: Encoding) -> Vec<InlayHint> {
    let Some(analysis) = &document.analysis else { return Vec::new() };
    let lines = Lines::new(&analysis.report.source, encoding);
    let (mut hints, mut at_end) = (Vec::new(), BTreeMap::<u32, Vec<&Injection>>::new());
    let (mut seen, mut is_as_run) = (BTreeSet::new(), BTreeMap::new());
    for value in &analysis.report.injections {
        let is_inside = (range.start.line..=range.end.line).contains(&value.line.saturating_sub(1));
        if value.line == 0 || !is_inside || !seen.insert((value.line, value.column, &value.kind, &value.name)) {
            continue;
        }
        if !*is_as_run.entry(value.line).or_insert_with(|| document.is_as_run(value.line)) {
            continue;
        }
        match end_of_name(value, &lines) {
            Some(position) => hints.push(hint(position, format!("= {}", short(&value.value)), tooltip(value))),
            None => at_end.entry(value.line).or_default().push(value),
        }
    }
    for (line, values) in at_end {
        let more = values.len().saturating_sub(MOST_AT_END);
        let mut listed: Vec<String> = values.iter().take(MOST_AT_END).map(|value| answered(value)).collect();
        listed.extend((more > 0).then(|| format!("{more} more")));
        let tooltips: Vec<String> = values.iter().map(|value| tooltip(value)).collect();
        hints.push(hint(lines.end(line), listed.join(", "), tooltips.join("\n")));
    }
    hints.sort_by_key(|hint| hint.position);
    hints.truncate(MOST);
    hints
}

/// Where the name ends that a variable or an attribute is read by; none for what else is injected.
fn end_of_name(value: &Injection, lines: &Lines<'_>) -> Option<Position> {
    if !matches!(value.kind.as_str(), "variable" | "attribute") {
        return None;
    }
    let length = value.name.chars().count();
    let written: String = lines.line(value.line).chars().skip(value.column as usize).take(length).collect();
    (written == value.name).then(|| lines.position(value.line, value.column + length as u32))
}

/// What a report says at the end of a line.
fn answered(value: &Injection) -> String {
    let (name, is) = (short(&value.name), short(&value.value));
    match value.kind.as_str() {
        "variable" => format!("{name} = {is}"),
        "attribute" => format!(".{name} = {is}"),
        "return value" => format!("{name}() = {is}"),
        "implicit import" => format!("import {name}"),
        "import" | "absent name" => format!("{name} is missing"),
        kind => format!("{kind} of {name} = {is}"),
    }
}

fn tooltip(value: &Injection) -> String {
    let probability = value.probability.map(|share| format!(" with {:.0} %", share * 100.0)).unwrap_or_default();
    match value.kind.as_str() {
        "implicit import" => format!("`{}` is not imported here; the real module was", value.name),
        "import" | "absent name" => format!("`{}` cannot be imported; a stand-in was", value.name),
        kind => format!("{kind} `{}` is missing: {} was predicted{probability}", value.name, visible(&value.value)),
    }
}

fn short(text: &str) -> String {
    let text = visible(text).replace('\n', " ");
    if text.chars().count() <= LONGEST { text } else { text.chars().take(LONGEST - 3).chain("...".chars()).collect() }
}

fn hint(position: Position, label: String, tooltip: String) -> InlayHint {
    InlayHint {
        position,
        label: InlayHintLabel::String(label),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(tooltip)),
        padding_left: Some(true),
        padding_right: Some(false),
        data: None,
    }
}

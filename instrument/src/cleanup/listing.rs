//! What web pages and printed listings add to code: entities, typographic quotes, line numbers.

use super::scan::{Physical, physical_lines};
use super::{Draft, RepairKind};

/// Characters as HTML and typesetting write them, and as Python has them.
const SPELLED: [(&str, &str); 12] = [
    ("&gt;", ">"),
    ("&lt;", "<"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&#34;", "\""),
    ("&nbsp;", " "),
    ("&amp;", "&"),
    ("\u{201c}", "\""),
    ("\u{201d}", "\""),
    ("\u{2018}", "'"),
    ("\u{2019}", "'"),
    ("\u{2212}", "-"),
];
/// Numbers of lines are fewer than that.
const DIGITS: usize = 5;

/// Puts characters back that a web page has spelled in its own way.
pub(super) fn spelling(draft: &mut Draft) {
    if !SPELLED.iter().any(|(spelled, _)| draft.text.contains(spelled)) {
        return;
    }
    let text = SPELLED.iter().fold(draft.text.clone(), |text, (spelled, meant)| text.replace(spelled, meant));
    adopt(draft, text, RepairKind::Spelling, "characters of a web page replaced");
}

/// Removes the line numbers of a listing, if each line of the text has one.
pub(super) fn numbers(draft: &mut Draft) {
    let lines: Vec<Physical<'_>> = physical_lines(&draft.text).collect();
    let mut last = None;
    let mut ends = Vec::with_capacity(lines.len());
    for line in &lines {
        if line.content.trim().is_empty() {
            ends.push(None);
            continue;
        }
        let Some((number, end)) = numbered(line.content) else { return };
        if last.is_some_and(|last: u32| number != last + 1) {
            return;
        }
        last = Some(number);
        ends.push(Some(end));
    }
    if ends.iter().flatten().count() < 2 {
        return;
    }
    // The code begins in one column, or so many blanks behind each number.
    let without = |blanks: bool| {
        let mut text = String::with_capacity(draft.text.len());
        for (line, end) in lines.iter().zip(&ends) {
            let end = end.unwrap_or(0);
            text.push_str(&" ".repeat(if blanks { end } else { 0 }));
            text.push_str(&line.content[end..]);
            text.push_str(line.ending);
        }
        text
    };
    let (aligned, following) = (without(true), without(false));
    // Indentation that is left is removed in the next step; what is wrong beside that decides.
    let errors = |text: &str| {
        let mut draft = Draft::new(text);
        super::paste::indentation(&mut draft);
        draft.errors()
    };
    let text = if errors(&aligned) <= errors(&following) { aligned } else { following };
    draft.report_changes(&text, RepairKind::LineNumber, "line numbers removed");
    draft.adopt(text);
}

/// The number that a line begins with, and where what follows begins: behind `12`, `12:`, `12.`, `12 |`.
fn numbered(line: &str) -> Option<(u32, usize)> {
    let start = line.len() - line.trim_start().len();
    let digits = line[start..].bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > DIGITS {
        return None;
    }
    let end = start + digits;
    let rest = &line[end..];
    let marked = [":", ".", "|", " |", ")"].into_iter().find(|mark| rest.starts_with(mark));
    let end = end + marked.map_or(0, str::len);
    let rest = &line[end..];
    let apart = rest.is_empty() || rest.starts_with([' ', '\t']);
    Some((line[start..start + digits].parse().ok()?, end)).filter(|_| apart)
}

fn adopt(draft: &mut Draft, text: String, kind: RepairKind, message: &str) {
    let before = draft.text.clone();
    if draft.adopt_if_better(text) {
        let after = std::mem::replace(&mut draft.text, before);
        draft.report_changes(&after, kind, message);
        draft.text = after;
    }
}

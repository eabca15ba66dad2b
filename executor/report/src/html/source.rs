//! The source with its notes, line by line.

use surmise_instrument::LineIndex;
use surmise_instrument::cleanup::Repair;

use super::highlight::tokens;
use super::text::{Part, Shown, plain, shown};
use super::{
    BEFORE_RANGE, CONTEXT, ERRORS, FRAME, LINE, LINE_INJECTIONS, MESSAGE, NAME, SOURCE_CHARS, SOURCE_LINES, VALUE,
};
use crate::{Report, gaps, reason};
use surmise_blame::Finding;
use surmise_engine::protocol::{Injection, Raised};

/// Whether a line counts and was reached: a class of the style sheet, which has its mark, and the words for it.
pub(super) struct State {
    pub(super) class: &'static str,
    pub(super) title: &'static str,
}

const COVERED: State = State { class: "covered", title: "covered" };
const ELSEWHERE: State = State { class: "covered elsewhere", title: "covered by other runs" };
const MISSED: State = State { class: "missed", title: "missed" };
const NOT_COUNTED: State = State { class: "uncounted", title: "not counted" };

pub(super) struct ErrorView {
    pub(super) kind: Vec<Part>,
    pub(super) message: Vec<Part>,
    pub(super) line: u32,
    pub(super) frame: Vec<FrameRow>,
    pub(super) verdict: Option<Verdict>,
}

/// An error of any run.
pub(super) struct Other {
    pub(super) line: u32,
    pub(super) kind: Vec<Part>,
    pub(super) message: Vec<Part>,
    pub(super) verdict: Verdict,
}

/// How far an error is the snippet's own, and why.
pub(super) struct Verdict {
    pub(super) name: &'static str,
    pub(super) why: Vec<Part>,
}

impl Verdict {
    fn of(finding: &Finding, report: &Report) -> Self {
        let (name, why) = (reason::word(finding), reason::reason(finding, report));
        let called = finding.function.as_ref().map(|name| format!(", in a call of `{name}`")).unwrap_or_default();
        let hint = finding.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        Self { name, why: shown(&format!("{why}{called}{hint}"), MESSAGE) }
    }
}

pub(super) struct FrameRow {
    pub(super) here: bool,
    pub(super) gutter: String,
    pub(super) blank: String,
    pub(super) text: Vec<Part>,
    pub(super) carets: String,
}

pub(super) struct LineView {
    pub(super) number: u32,
    /// The last line of a gap: blank lines, which are not shown.
    pub(super) gap_to: Option<u32>,
    pub(super) state: State,
    pub(super) text: Vec<Part>,
    pub(super) indent: usize,
    pub(super) values: Vec<ValueView>,
    pub(super) more: usize,
    pub(super) repairs: Vec<RepairView>,
    pub(super) raised: bool,
}

impl LineView {
    fn gap(number: u32, last: u32) -> Self {
        Self {
            number,
            gap_to: Some(last),
            state: NOT_COUNTED,
            text: Vec::new(),
            indent: 0,
            values: Vec::new(),
            more: 0,
            repairs: Vec::new(),
            raised: false,
        }
    }

    pub(super) fn has_notes(&self) -> bool {
        self.raised || !self.values.is_empty() || !self.repairs.is_empty()
    }
}

pub(super) struct ValueView {
    pub(super) kind: String,
    pub(super) subject: Vec<Part>,
    pub(super) sign: &'static str,
    pub(super) value: Vec<Part>,
    pub(super) about: String,
}

pub(super) struct RepairView {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) message: Vec<Part>,
}

pub(super) struct Row {
    pub(super) line: u32,
    pub(super) column: usize,
    pub(super) kind: String,
    pub(super) name: Vec<Part>,
    pub(super) value: Vec<Part>,
    pub(super) class: String,
    pub(super) probability: String,
    pub(super) rank: String,
}

/// The source with its lines as `CPython` counts them.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) index: LineIndex,
}

impl<'a> Source<'a> {
    /// The line after a final line break is none.
    pub(super) fn count(&self) -> u32 {
        let count = self.index.count();
        count - u32::from(self.index.start(count) as usize == self.text.len())
    }

    fn line(&self, number: u32) -> &'a str {
        let start = self.index.start(number) as usize;
        let end = if number < self.index.count() { self.index.start(number + 1) as usize } else { self.text.len() };
        self.text.get(start..end).unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    pub(super) fn lines(&self, report: &Report) -> Vec<LineView> {
        let mut injections: Vec<&Injection> = report.injections.iter().collect();
        injections.sort_by_key(|injection| injection.line);
        let mut repairs: Vec<&Repair> = report.repairs.iter().collect();
        repairs.sort_by_key(|repair| repair.line);
        let raised = report.error.as_ref().map_or(0, |error| error.line);
        let (mut open, mut left) = (None, SOURCE_CHARS);
        let mut lines = Vec::new();
        let mut behind_gap = 1;
        for number in (1..=self.count()).take(SOURCE_LINES) {
            if number < behind_gap {
                continue;
            }
            if let Some(last) = gaps::at(number, self.count(), |line| self.line(line).trim().is_empty()) {
                behind_gap = last + 1;
                lines.push(LineView::gap(number, last));
                continue;
            }
            let text = self.line(number);
            let Some(rest) = left.checked_sub(text.len().min(LINE)) else { break };
            left = rest;
            let mut shown = Shown::new(LINE);
            for (look, token) in tokens(text, &mut open) {
                shown.push(look, token);
            }
            let values = of_line(&injections, number, |injection| injection.line);
            lines.push(LineView {
                number,
                gap_to: None,
                state: state(report, number),
                text: shown.finish(),
                indent: indent(text),
                values: values.iter().take(LINE_INJECTIONS).map(|injection| ValueView::new(injection)).collect(),
                more: values.len().saturating_sub(LINE_INJECTIONS),
                repairs: of_line(&repairs, number, |repair| repair.line)
                    .iter()
                    .take(LINE_INJECTIONS)
                    .map(|repair| RepairView::new(repair))
                    .collect(),
                raised: number == raised,
            });
        }
        lines
    }

    pub(super) fn error(&self, error: &Raised, report: &Report) -> ErrorView {
        let line = self.line_of(error);
        let frame = if line == 0 { Vec::new() } else { self.frame(line, error.column.zip(error.end_column)) };
        let verdict = report.finding().map(|finding| Verdict::of(finding, report));
        ErrorView { kind: shown(&error.kind, NAME), message: shown(&error.message, MESSAGE), line, frame, verdict }
    }

    /// Errors of other runs, and those in whose place a value was injected.
    pub(super) fn other_errors(&self, report: &Report) -> Vec<Other> {
        let own = report.finding();
        let others = report.errors.iter().filter(|finding| !own.is_some_and(|own| std::ptr::eq(own, *finding)));
        let view = |finding: &Finding| Other {
            line: self.line_of(&finding.raised),
            kind: shown(&finding.raised.kind, NAME),
            message: shown(&finding.raised.message, MESSAGE),
            verdict: Verdict::of(finding, report),
        };
        others.take(ERRORS).map(view).collect()
    }

    /// The line of an error; 0 where it has none.
    fn line_of(&self, error: &Raised) -> u32 {
        if error.line <= self.count() { error.line } else { 0 }
    }

    /// The line that raised with the lines around it; columns count characters.
    fn frame(&self, line: u32, columns: Option<(u32, u32)>) -> Vec<FrameRow> {
        let (first, last) = (line.saturating_sub(CONTEXT).max(1), line.saturating_add(CONTEXT).min(self.count()));
        let digits = last.to_string().len();
        let row = |number: u32| {
            let here = number == line;
            let text = self.line(number);
            let columns = columns.filter(|_| here);
            let (text, carets) =
                columns.map_or_else(|| (shown(text, FRAME), String::new()), |range| marked(text, range));
            let mark = if here { '>' } else { ' ' };
            FrameRow { here, gutter: format!("{mark} {number:>digits$}"), blank: " ".repeat(digits + 2), text, carets }
        };
        (first..=last).map(row).collect()
    }

    pub(super) fn row(injection: &Injection) -> Row {
        Row {
            line: injection.line,
            column: injection.column as usize + 1,
            kind: plain(&injection.kind, NAME),
            name: shown(&injection.name, NAME),
            value: shown(&injection.value, VALUE),
            class: injection.class.as_ref().map_or_else(|| "–".to_owned(), |class| plain(class, NAME)),
            probability: injection.probability.map_or_else(|| "–".to_owned(), percent),
            rank: injection.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
        }
    }
}

/// A line with its range marked, and the carets that go below it.
pub(super) fn marked(text: &str, (start, end): (u32, u32)) -> (Vec<Part>, String) {
    let boundary = |column: u32| text.char_indices().nth(column as usize).map_or(text.len(), |(at, _)| at);
    let (start, end) = (boundary(start), boundary(end.max(start)));
    let (before, range, after) = (&text[..start], &text[start..end], &text[end..]);
    let skipped = before.chars().count().saturating_sub(BEFORE_RANGE);
    let skipped = if text.len() > FRAME { skipped } else { 0 };
    let mut shown = Shown::new(FRAME);
    if skipped > 0 {
        shown.push("cut", "…");
    }
    let before = before.char_indices().nth(skipped).map_or("", |(at, _)| &before[at..]);
    shown.push("", before);
    // Tabs stay tabs, so that the carets stand where the text does.
    let mut carets: String = shown.parts.iter().flat_map(|part| part.text.chars()).map(blank).collect();
    let known = shown.parts.len();
    shown.push("range", range);
    let width: usize = shown.parts[known.min(shown.parts.len())..].iter().map(|part| part.text.chars().count()).sum();
    carets.push_str(&"^".repeat(width.max(1)));
    shown.push("", after);
    (shown.finish(), carets)
}

fn blank(character: char) -> char {
    if character == '\t' { '\t' } else { ' ' }
}

fn state(report: &Report, line: u32) -> State {
    match (report.lines.binary_search(&line), report.covered.binary_search(&line)) {
        (_, Ok(_)) if report.best.binary_search(&line).is_err() => ELSEWHERE,
        (_, Ok(_)) => COVERED,
        (Ok(_), Err(_)) => MISSED,
        (Err(_), Err(_)) => NOT_COUNTED,
    }
}

/// The items of a sorted list that belong to a line.
fn of_line<'a, T>(sorted: &'a [&'a T], line: u32, of: impl Fn(&T) -> u32) -> &'a [&'a T] {
    let first = sorted.partition_point(|item| of(item) < line);
    let last = sorted.partition_point(|item| of(item) <= line);
    &sorted[first..last]
}

fn indent(text: &str) -> usize {
    let blanks = text.chars().take_while(|character| matches!(character, ' ' | '\t'));
    blanks.map(|character| if character == '\t' { 4 } else { 1 }).sum::<usize>().min(40)
}

fn percent(probability: f32) -> String {
    format!("{:.0}%", probability * 100.0)
}

impl RepairView {
    pub(super) fn new(repair: &Repair) -> Self {
        Self { first: repair.line, last: repair.last_line, message: shown(&repair.message, VALUE) }
    }
}

impl ValueView {
    pub(super) fn new(injection: &Injection) -> Self {
        let name = &injection.name;
        let (subject, sign) = match injection.kind.as_str() {
            "variable" | "import" | "absent name" | "implicit import" => (name.clone(), "="),
            "attribute" => (format!(".{name}"), "="),
            "return value" => (format!("{name}()"), "="),
            _ => (name.clone(), "→"),
        };
        let class = injection.class.as_ref().map(|class| plain(class, NAME));
        let rank = injection.rank.map(|rank| format!("rank\u{a0}{rank}"));
        let about: Vec<String> = [class, injection.probability.map(percent), rank].into_iter().flatten().collect();
        Self {
            kind: plain(&injection.kind, NAME),
            subject: shown(&subject, NAME),
            sign,
            value: shown(&injection.value, VALUE),
            about: about.join(" · "),
        }
    }
}

//! The report as one self-contained HTML page: no script, nothing loaded, every value escaped by the template engine.
//!
//! What a snippet says is hostile. Characters that are invisible or that reorder text are shown as escapes, and
//! whatever is long is cut with a note of how much is missing.

mod highlight;
mod source;
mod text;

use std::time::Duration;

use askama::Template;
use surmise_instrument::LineIndex;

use self::source::{ErrorView, LineView, Other, RepairView, Row, Source};
use self::text::{Part, plain, shown, stream};
use super::Report;
use surmise_engine::execute::Outcome;

/// Characters shown of a name, a value, a message, a line of source.
const NAME: usize = 160;
const VALUE: usize = 400;
const MESSAGE: usize = 4_000;
const LINE: usize = 2_000;
/// Lines and characters shown of the source as a whole.
const SOURCE_LINES: usize = 20_000;
const SOURCE_CHARS: usize = 2_000_000;
/// Injections shown below a line and in the table; repairs and ranges of missed lines listed.
const LINE_INJECTIONS: usize = 16;
const TABLE_INJECTIONS: usize = 2_000;
const REPAIRS: usize = 500;
/// Errors of other runs that are listed.
const ERRORS: usize = 200;
const RANGES: usize = 30;
/// Lines shown before and after the one that raised; columns shown before the range if that line is long.
const CONTEXT: u32 = 2;
const BEFORE_RANGE: usize = 60;
const FRAME: usize = 400;

/// The style sheet of pages that lie in a folder together.
pub const STYLE: &str = include_str!("../templates/report.css");

/// What pages of a folder share, by the way to it from a page.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'a> {
    /// The page that links to all of them.
    pub index: &'a str,
    /// The file with [`STYLE`].
    pub style: &'a str,
}

/// Renders a report as a page of its own.
pub fn render(report: &Report) -> String {
    rendered(report, None)
}

/// Renders a report as one of many pages.
pub fn render_in(report: &Report, folder: Folder<'_>) -> String {
    rendered(report, Some(folder))
}

fn rendered(report: &Report, folder: Option<Folder<'_>>) -> String {
    let page = Page::new(report, folder);
    // The only error is the writer's, and a string takes everything.
    page.render().unwrap_or_else(|error| format!("<!doctype html><title>Surmise</title><p>{error}"))
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 1.0 { format!("{seconds:.2} s") } else { format!("{:.1} ms", seconds * 1e3) }
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    folder: Option<Folder<'a>>,
    style: &'static str,
    title: String,
    name: Vec<Part>,
    good: bool,
    outcome: String,
    exit_code: i32,
    covered: usize,
    total: usize,
    share: usize,
    missed: Vec<Range>,
    missed_more: usize,
    uses: (u32, u32),
    runs: u32,
    best: usize,
    unsteady: bool,
    others: Vec<Other>,
    others_cut: usize,
    time: String,
    instrument: String,
    predict: String,
    execute: String,
    internal: Option<Vec<Part>>,
    error: Option<ErrorView>,
    lines: Vec<LineView>,
    lines_cut: u32,
    repairs: Vec<RepairView>,
    repairs_cut: usize,
    stdout: Vec<Part>,
    stderr: Vec<Part>,
    injections: Vec<Row>,
    injections_cut: usize,
    version: &'static str,
    identity: String,
}

/// Lines that were missed, one after the other but for lines that do not count.
struct Range {
    first: u32,
    text: String,
}

impl<'a> Page<'a> {
    fn new(report: &Report, folder: Option<Folder<'a>>) -> Self {
        let source = Source { text: &report.source, index: LineIndex::new(&report.source) };
        let (covered, total) = (report.covered.len(), report.lines.len());
        let lines = source.lines(report);
        let (missed, missed_more) = ranges(report);
        let internal = report.internal.as_ref();
        let others = source.other_errors(report);
        let all_others = report.errors.len() - usize::from(report.finding().is_some());
        Self {
            folder,
            style: STYLE,
            title: plain(&report.name, NAME),
            name: shown(&report.name, VALUE),
            good: report.outcome == Outcome::Completed,
            outcome: outcome(report),
            exit_code: report.exit_code,
            covered,
            total,
            share: share(covered, total),
            missed,
            missed_more,
            uses: report.uses,
            runs: report.runs,
            best: report.best.len(),
            unsteady: report.unsteady,
            others_cut: all_others.saturating_sub(others.len()),
            others,
            time: duration(report.times.total),
            instrument: duration(report.times.instrument),
            predict: duration(report.times.predict),
            execute: duration(report.times.execute),
            internal: internal.map(|message| shown(message, MESSAGE)),
            error: report.error.as_ref().map(|error| source.error(error, report)),
            lines_cut: source.count().saturating_sub(lines.last().map_or(0, |line| line.gap_to.unwrap_or(line.number))),
            lines,
            repairs: report.repairs.iter().take(REPAIRS).map(RepairView::new).collect(),
            repairs_cut: report.repairs.len().saturating_sub(REPAIRS),
            stdout: stream(&report.stdout),
            stderr: stream(&report.stderr),
            injections: report.injections.iter().take(TABLE_INJECTIONS).map(Source::row).collect(),
            injections_cut: report.injections.len().saturating_sub(TABLE_INJECTIONS),
            version: env!("CARGO_PKG_VERSION"),
            identity: report.identity.to_string(),
        }
    }
}

/// In percent, rounded; only all is 100.
fn share(covered: usize, total: usize) -> usize {
    let rounded = (covered * 200 + total).checked_div(total * 2).unwrap_or(0);
    if covered < total { rounded.min(99) } else { rounded }
}

fn outcome(report: &Report) -> String {
    match report.outcome {
        Outcome::Completed if report.exit_code == 0 => "completed".to_owned(),
        Outcome::Completed => format!("completed with exit code {}", report.exit_code),
        Outcome::Error if report.internal.is_some() => "Surmise failed".to_owned(),
        Outcome::Error => "raised an error".to_owned(),
        Outcome::Timeout => "did not end in time".to_owned(),
        Outcome::Killed => "was killed".to_owned(),
        Outcome::SyntaxError => "does not compile".to_owned(),
    }
}

/// Runs of missed lines, and the number of those that are not listed.
fn ranges(report: &Report) -> (Vec<Range>, usize) {
    let is_missed = |line: &u32| report.covered.binary_search(line).is_err();
    let runs = report.lines.chunk_by(|before, after| is_missed(before) == is_missed(after));
    let runs: Vec<(u32, u32)> =
        runs.filter_map(|run| Some((*run.first()?, *run.last()?))).filter(|(first, _)| is_missed(first)).collect();
    let text = |&(first, last): &(u32, u32)| {
        let text = if first == last { first.to_string() } else { format!("{first}–{last}") };
        Range { first, text }
    };
    (runs.iter().take(RANGES).map(text).collect(), runs.len().saturating_sub(RANGES))
}

#[cfg(test)]
mod tests;

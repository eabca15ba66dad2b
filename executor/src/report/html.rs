//! The report as one self-contained HTML page: no script, nothing loaded, every value escaped by the template engine.
//!
//! What a snippet says is hostile. Characters that are invisible or that reorder text are shown as escapes, and
//! whatever is long is cut with a note that tells how much is missing.

mod highlight;
mod text;

use std::time::Duration;

use askama::Template;
use surmise_instrument::LineIndex;
use surmise_instrument::cleanup::Repair;

use self::highlight::tokens;
use self::text::{Part, Shown, plain, shown, stream};
use super::Report;
use crate::execute::Outcome;
use crate::protocol::{Injection, Raised};

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
const RANGES: usize = 30;
/// Lines shown before and after the one that raised; columns shown before the range if that line is long.
const CONTEXT: u32 = 2;
const BEFORE_RANGE: usize = 60;
const FRAME: usize = 400;

/// Renders a report.
#[must_use]
pub fn render(report: &Report) -> String {
    let page = Page::new(report);
    // The only error is the writer's, and a string takes everything.
    page.render().unwrap_or_else(|error| format!("<!doctype html><title>Surmise</title><p>{error}"))
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 1.0 { format!("{seconds:.2} s") } else { format!("{:.1} ms", seconds * 1e3) }
}

/// Whether a line counts and was reached: a class of the style sheet, the words for it and its mark.
struct State {
    class: &'static str,
    title: &'static str,
    glyph: &'static str,
}

const COVERED: State = State { class: "covered", title: "covered", glyph: "✓" };
const MISSED: State = State { class: "missed", title: "missed", glyph: "✗" };
const NOT_COUNTED: State = State { class: "uncounted", title: "not counted", glyph: "" };

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
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
    time: String,
    instrument: String,
    predict: String,
    execute: String,
    internal: Option<Vec<Part>>,
    error: Option<ErrorView>,
    lines: Vec<LineView>,
    lines_cut: usize,
    repairs: Vec<RepairView>,
    repairs_cut: usize,
    stdout: Vec<Part>,
    stderr: Vec<Part>,
    injections: Vec<Row>,
    injections_cut: usize,
    version: &'static str,
}

/// Lines that were missed, one after the other but for lines that do not count.
struct Range {
    first: u32,
    text: String,
}

struct ErrorView {
    kind: Vec<Part>,
    message: Vec<Part>,
    line: u32,
    frame: Vec<FrameRow>,
}

struct FrameRow {
    here: bool,
    gutter: String,
    blank: String,
    text: Vec<Part>,
    carets: String,
}

struct LineView {
    number: u32,
    state: State,
    text: Vec<Part>,
    indent: usize,
    values: Vec<ValueView>,
    more: usize,
    repairs: Vec<RepairView>,
    raised: bool,
}

impl LineView {
    fn has_notes(&self) -> bool {
        self.raised || !self.values.is_empty() || !self.repairs.is_empty()
    }
}

struct ValueView {
    kind: String,
    subject: Vec<Part>,
    sign: &'static str,
    value: Vec<Part>,
    about: String,
}

struct RepairView {
    first: u32,
    last: u32,
    message: Vec<Part>,
}

struct Row {
    line: u32,
    column: usize,
    kind: String,
    name: Vec<Part>,
    value: Vec<Part>,
    class: String,
    probability: String,
    rank: String,
}

impl Page {
    fn new(report: &Report) -> Self {
        let source = Source { text: &report.source, index: LineIndex::new(&report.source) };
        let (covered, total) = (report.covered.len(), report.lines.len());
        let lines = source.lines(report);
        let (missed, missed_more) = ranges(report);
        let internal = report.internal.as_ref();
        Self {
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
            time: duration(report.times.total),
            instrument: duration(report.times.instrument),
            predict: duration(report.times.predict),
            execute: duration(report.times.execute),
            internal: internal.map(|message| shown(message, MESSAGE)),
            error: report.error.as_ref().map(|error| source.error(error)),
            lines_cut: source.count() as usize - lines.len(),
            lines,
            repairs: report.repairs.iter().take(REPAIRS).map(RepairView::new).collect(),
            repairs_cut: report.repairs.len().saturating_sub(REPAIRS),
            stdout: stream(&report.stdout),
            stderr: stream(&report.stderr),
            injections: report.injections.iter().take(TABLE_INJECTIONS).map(Source::row).collect(),
            injections_cut: report.injections.len().saturating_sub(TABLE_INJECTIONS),
            version: env!("CARGO_PKG_VERSION"),
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

/// The source with its lines as `CPython` counts them.
struct Source<'a> {
    text: &'a str,
    index: LineIndex,
}

impl<'a> Source<'a> {
    /// The line after a final line break is none.
    fn count(&self) -> u32 {
        let count = self.index.count();
        count - u32::from(self.index.start(count) as usize == self.text.len())
    }

    fn line(&self, number: u32) -> &'a str {
        let start = self.index.start(number) as usize;
        let end = if number < self.index.count() { self.index.start(number + 1) as usize } else { self.text.len() };
        self.text.get(start..end).unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    fn lines(&self, report: &Report) -> Vec<LineView> {
        let mut injections: Vec<&Injection> = report.injections.iter().collect();
        injections.sort_by_key(|injection| injection.line);
        let mut repairs: Vec<&Repair> = report.repairs.iter().collect();
        repairs.sort_by_key(|repair| repair.line);
        let raised = report.error.as_ref().map_or(0, |error| error.line);
        let (mut open, mut left) = (None, SOURCE_CHARS);
        let mut lines = Vec::new();
        for number in (1..=self.count()).take(SOURCE_LINES) {
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

    fn error(&self, error: &Raised) -> ErrorView {
        let line = if error.line <= self.count() { error.line } else { 0 };
        let frame = if line == 0 { Vec::new() } else { self.frame(line, error.column.zip(error.end_column)) };
        ErrorView { kind: shown(&error.kind, NAME), message: shown(&error.message, MESSAGE), line, frame }
    }

    /// The line that raised with its neighbours; columns count characters.
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

    fn row(injection: &Injection) -> Row {
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
fn marked(text: &str, (start, end): (u32, u32)) -> (Vec<Part>, String) {
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
        (_, Ok(_)) => COVERED,
        (Ok(_), Err(_)) => MISSED,
        (Err(_), Err(_)) => NOT_COUNTED,
    }
}

/// Those of sorted items that belong to a line.
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
    fn new(repair: &Repair) -> Self {
        Self { first: repair.line, last: repair.last_line, message: shown(&repair.message, VALUE) }
    }
}

impl ValueView {
    fn new(injection: &Injection) -> Self {
        let name = &injection.name;
        let (subject, sign) = match injection.kind.as_str() {
            "variable" | "import" | "left-out import" => (name.clone(), "="),
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

#[cfg(test)]
mod tests {
    use surmise_instrument::cleanup::RepairKind;

    use super::text::is_deceptive;
    use super::*;
    use crate::report::Times;

    fn report(source: &str) -> Report {
        Report {
            name: "snippet.py".into(),
            source: source.into(),
            outcome: Outcome::Completed,
            exit_code: 0,
            error: None,
            lines: Vec::new(),
            covered: Vec::new(),
            injections: Vec::new(),
            errors: Vec::new(),
            best: Vec::new(),
            runs: 1,
            unsteady: false,
            uses: (0, 0),
            repairs: Vec::new(),
            stdout: String::new(),
            stderr: String::new(),
            times: Times::default(),
            internal: None,
            recording: None,
            script: None,
        }
    }

    fn injection(line: u32, kind: &str, name: &str, value: &str) -> Injection {
        Injection {
            line,
            column: 0,
            kind: kind.into(),
            name: name.into(),
            class: Some("object".into()),
            value: value.into(),
            probability: Some(0.625),
            rank: Some(2),
            site: Some(0),
        }
    }

    fn raised(line: u32, column: u32, end_column: u32) -> Raised {
        Raised {
            kind: "KeyError".into(),
            message: "'port'".into(),
            line,
            column: Some(column),
            end_column: Some(end_column),
            exit_code: 1,
        }
    }

    /// Every field with the same text.
    fn everywhere(text: &str) -> Report {
        let repair = Repair { line: 1, last_line: 1, kind: RepairKind::Blanked, message: text.into() };
        Report {
            name: text.into(),
            outcome: Outcome::Error,
            error: Some(Raised { kind: text.into(), message: text.into(), ..raised(1, 0, u32::MAX) }),
            lines: vec![1],
            covered: vec![1],
            injections: vec![
                Injection { class: Some(text.into()), ..injection(1, text, text, text) },
                injection(0, "variable", text, text),
                injection(u32::MAX, "attribute", text, text),
            ],
            repairs: vec![repair],
            stdout: text.into(),
            stderr: text.into(),
            internal: Some(text.into()),
            ..report(text)
        }
    }

    #[test]
    fn hostile_text_is_escaped_in_every_field() {
        let hostile = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)></style><!--&amp;";
        let page = render(&everywhere(hostile));
        for markup in ["<script", "</script", "<img", "<!--", "alert(1)>\"", "&amp;"] {
            assert!(!page.contains(markup), "{markup}");
        }
        assert_eq!(page.matches("</style").count(), 1);
        let escaped = "&#60;/script&#62;&#60;script&#62;alert(1)&#60;/script&#62;";
        assert!(page.matches(escaped).count() >= 20, "{}", page.matches(escaped).count());
    }

    #[test]
    fn what_cannot_be_seen_is_shown_as_an_escape() {
        let page = render(&everywhere("a\0\u{202e}b\u{2066}\u{200b}\u{1b}[31m\u{85}\u{feff}\u{e0041}\r."));
        assert!(page.chars().all(|character| !is_deceptive(character)));
        let shown = r#"a<span class="escape">\x00\u202e</span>b<span class="escape">\u2066\u200b\x1b</span>[31m<span class="escape">\x85\ufeff\U000e0041\r</span>."#;
        assert!(page.contains(shown), "in the name");
        assert!(page.contains(r"<title>a\x00\u202eb"), "in the title");
    }

    #[test]
    fn what_is_long_is_cut_with_a_note() {
        let long = "x".repeat(1 << 20);
        let page = render(&everywhere(&long));
        assert!(page.len() < 300_000, "{}", page.len());
        assert!(page.contains("… 948,576 more characters …"), "streams");
        assert!(page.contains("… 1,046,576 more characters …"), "lines");
        let mut many = report(&"x\n".repeat(30_000));
        many.injections = (0..10_000).map(|_| injection(7, "variable", "x", "1")).collect();
        let page = render(&many);
        for note in ["10000 more lines are not shown", "8000 more injections are not shown", ">9984 more<"] {
            assert!(page.contains(note), "{note}");
        }
    }

    #[test]
    fn rows_have_the_marks_of_their_lines() {
        let mut report = report("a\r\nb\rc\nd\n");
        (report.lines, report.covered) = (vec![1, 2, 4], vec![1, 4]);
        let page = render(&report);
        assert_eq!(page.matches("class=\"line covered\"").count(), report.covered.len());
        assert_eq!(page.matches("class=\"line missed\"").count(), report.missed().len());
        assert_eq!(page.matches("class=\"line uncounted\"").count(), 1);
        assert_eq!(page.matches(">✓</span><span class=\"hidden\">covered<").count(), 2);
        assert_eq!(page.matches(">✗</span><span class=\"hidden\">missed<").count(), 1);
        assert!(page.contains("title=\"missed\""));
        assert!(page.contains("2 of 3 (67%)") && page.contains("missed: <a href=\"#L2\">2</a>"));
    }

    #[test]
    fn shares_are_rounded_but_only_all_is_everything() {
        assert_eq!([share(0, 0), share(1, 3), share(2, 3), share(999, 1000), share(7, 7)], [0, 33, 67, 99, 100]);
    }

    #[test]
    fn missed_lines_are_listed_in_ranges() {
        let mut report = report("");
        (report.lines, report.covered) = (vec![1, 2, 4, 5, 9, 11], vec![1, 5]);
        let (ranges, more) = ranges(&report);
        let texts: Vec<&str> = ranges.iter().map(|range| range.text.as_str()).collect();
        assert_eq!((texts.as_slice(), more), (["2–4", "9–11"].as_slice(), 0));
    }

    #[test]
    fn injections_stand_below_their_lines_and_in_the_table() {
        assert!(render(&report("")).contains("Nothing was injected"));
        let mut report = report("import a\nx = f(a.b)\n");
        report.injections = vec![injection(2, "attribute", "b", "[1]"), injection(2, "return value", "f", "<f()>")];
        report.injections.push(Injection {
            class: None,
            probability: None,
            rank: None,
            ..injection(1, "import", "a", "m")
        });
        let page = render(&report);
        assert_eq!(page.matches("class=\"injection\"").count(), report.injections.len());
        assert!(page.contains("<code>.b = [1]</code> <span class=\"about\">object · 62% · rank\u{a0}2</span>"));
        assert!(page.contains("<code>f() = &#60;f()&#62;</code>"));
        assert!(page.contains("<code>a = m</code></li>"), "no class, no probability");
    }

    #[test]
    fn the_error_has_a_frame_with_its_range() {
        let mut report = report("a = 1\n\té = b[\"c\"] + 1\nd\n");
        report.error = Some(raised(2, 5, 11));
        let page = render(&report);
        let line = "\té = <span class=\"range\">b[&#34;c&#34;]</span> + 1</span></div>";
        assert!(page.contains(line), "{page}");
        assert!(page.contains("<span class=\"gutter\">    │ </span><span class=\"text\">\t    ^^^^^^</span></div>"));
        assert!(page.contains("raised KeyError"));
        for (column, end) in [(7, 3), (90, 95), (2, 2), (0, u32::MAX)] {
            report.error = Some(raised(2, column, end));
            assert!(render(&report).contains('^'), "{column}, {end}");
        }
        report.error = Some(raised(9, 0, 1));
        assert!(!render(&report).contains("#L9"), "no such line");
    }

    #[test]
    fn a_long_line_is_shown_where_it_raised() {
        let text = format!("{}boom{}", "x".repeat(5_000), "y".repeat(5_000));
        let (parts, carets) = marked(&text, (5_000, 5_004));
        assert_eq!(parts[2], Part { look: "range", text: "boom".into() });
        assert_eq!(carets, format!("{}^^^^", " ".repeat(BEFORE_RANGE + 1)));
        assert_eq!(parts.last().map(|part| part.look), Some("cut"));
    }

    #[test]
    fn the_page_is_whole_and_follows_the_colour_scheme() {
        let page = render(&everywhere("x"));
        for rule in ["color-scheme: light dark", "prefers-color-scheme: dark", "@media print", "max-width: 40rem"] {
            assert!(page.contains(rule), "{rule}");
        }
        for landmark in ["<!doctype html>", "<html lang=\"en\">", "<header>", "<main>", "<footer>", "<h1>", "<nav "] {
            assert_eq!(page.matches(landmark).count(), 1, "{landmark}");
        }
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}

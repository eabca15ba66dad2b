//! The report for a terminal: annotated source, error with a code frame, coverage, output.

use std::fmt::Write;

use super::{Report, visible};
use surmise_blame::{Finding, Verdict};
use surmise_engine::execute::Outcome;
use surmise_engine::protocol::{Injection, Raised};

/// Errors of other runs that are shown, and characters of their messages.
const MOST_OTHERS: usize = 10;
/// Lines that are named of those that the most plausible run did not reach.
const MOST_LINES: usize = 8;
const LONGEST_MESSAGE: usize = 200;
/// Characters of a source line that are shown.
const LONGEST_LINE: usize = 500;

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Use ANSI escapes.
    pub colour: bool,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Renders a report.
pub fn render(report: &Report, style: Style) -> String {
    let report = &visible::of_report(report);
    let mut out = String::new();
    plausible(&mut out, report, style);
    source(&mut out, report, style);
    for repair in &report.repairs {
        let _ = writeln!(out, "{} line {}: {}", style.paint("33", "mended"), repair.line, repair.message);
    }
    if let Some(sampled) = &report.sampled_input {
        let _ = write!(out, "{}: {}", style.paint("1", "standard input"), sampled.lines());
    }
    output(&mut out, "output", &report.stdout, style);
    if report.outcome != Outcome::Error {
        output(&mut out, "standard error", &report.stderr, style);
    }
    error(&mut out, report, style);
    other_errors(&mut out, report, style);
    summary(&mut out, report, style);
    if let Some(line) = report.surroundings.line() {
        let _ = writeln!(out, "{line}");
    }
    if let Some(hint) = report.surroundings.hint(&report.injections) {
        let _ = writeln!(out, "hint: {hint}");
    }
    out
}

/// The most plausible run, where another one covered more.
fn plausible(out: &mut String, report: &Report, style: Style) {
    let run = &report.plausible;
    if report.runs < 2 || run.covered_lines == report.best {
        return;
    }
    let total = report.lines.len();
    let end = match (&run.error, run.outcome) {
        (Some(error), _) => format!("ends with {error}"),
        (None, Outcome::Completed) => "completes".to_owned(),
        (None, _) => "does not end in time".to_owned(),
    };
    let missed = report.best.iter().filter(|line| run.covered_lines.binary_search(line).is_err());
    let missed: Vec<String> = missed.take(MOST_LINES).map(u32::to_string).collect();
    let _ = writeln!(
        out,
        "{}: run {} of {}, which reaches {} of {total} lines and {end}; below (✓) the one that covered most: {} lines, \
         among them {}",
        style.paint("1", "most plausible"),
        run.run,
        report.runs,
        run.covered,
        report.best.len(),
        missed.join(", "),
    );
}

fn source(out: &mut String, report: &Report, style: Style) {
    let lines: Vec<&str> = report.source.lines().collect();
    let digits = lines.len().to_string().len();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0).min(72);
    for (number, text) in (1u32..).zip(&lines) {
        let counted = report.lines.binary_search(&number).is_ok();
        let covered = report.covered.binary_search(&number).is_ok();
        let best = report.best.binary_search(&number).is_ok();
        let mark = match (counted, covered) {
            (false, _) => " ".to_owned(),
            (true, true) if best => style.paint("32", "✓"),
            (true, true) => style.paint("36", "+"),
            (true, false) => style.paint("31", "✗"),
        };
        let values: Vec<String> =
            report.injections.iter().filter(|injection| injection.line == number).map(value).collect();
        let mut text = text.replace('\t', "    ");
        if text.chars().count() > LONGEST_LINE {
            text = text.chars().take(LONGEST_LINE).chain("...".chars()).collect();
        }
        if values.is_empty() {
            let _ = writeln!(out, "{mark} {number:>digits$} │ {text}");
        } else {
            let note = style.paint("36", &format!("# {}", values.join(", ")));
            let gap = width.saturating_sub(text.chars().count());
            let _ = writeln!(out, "{mark} {number:>digits$} │ {text}{:gap$}  {note}", "");
        }
    }
}

/// `name = value` for what was injected, `operation(name) → value` for what was answered.
fn value(injection: &Injection) -> String {
    match injection.kind.as_str() {
        "variable" | "implicit import" => format!("{} = {}", injection.name, injection.value),
        "attribute" => format!(".{} = {}", injection.name, injection.value),
        "return value" => format!("{}() = {}", injection.name, injection.value),
        "import" | "absent name" => format!("{} is missing", injection.name),
        kind => format!("{kind} of {} = {}", injection.name, injection.value),
    }
}

fn output(out: &mut String, title: &str, text: &str, style: Style) {
    if text.is_empty() {
        return;
    }
    let _ = writeln!(out, "{}", style.paint("1", title));
    for line in text.lines().take(200) {
        let _ = writeln!(out, "  {line}");
    }
    let more = text.lines().count().saturating_sub(200);
    if more > 0 {
        let _ = writeln!(out, "  ... {more} more lines (see --json)");
    }
}

fn error(out: &mut String, report: &Report, style: Style) {
    let Some(error) = &report.error else {
        return;
    };
    let _ = writeln!(out, "{}: {}", style.paint("1;31", &error.kind), error.message);
    if error.line == 0 {
        return;
    }
    let Some(text) = report.source.lines().nth(error.line as usize - 1) else {
        return;
    };
    let _ = writeln!(out, "  ┌─ {}:{}", report.name, error.line);
    if text.chars().count() > LONGEST_LINE {
        return;
    }
    let _ = writeln!(out, "  │ {}", text.replace('\t', " "));
    if let (Some(start), Some(end)) = (error.column, error.end_column) {
        let (start, end) = (start as usize, end as usize);
        let carets = style.paint("31", &"^".repeat(end.saturating_sub(start).max(1)));
        let _ = writeln!(out, "  │ {}{carets}", " ".repeat(start));
    }
    if let Some(finding) = report.finding() {
        let _ = writeln!(out, "  = {}", verdict(finding, report, style));
    }
}

/// Why the error is, or may not be, the snippet's own; one run has nothing to compare with.
fn verdict(finding: &Finding, report: &Report, style: Style) -> String {
    let once = report.runs == 1;
    let input = finding.input.zip(report.sampled_input.as_ref());
    let values: Vec<String> = finding
        .depends_on
        .iter()
        .take(3)
        .map(|value| {
            let is = if value.value.starts_with("raises ") { "" } else { "is " };
            format!("`{}` (line {}) {is}{}", value.name, value.line, value.value)
        })
        .collect();
    let when = if values.is_empty() {
        "under some injected values".to_owned()
    } else {
        format!("when {}", values.join(" and "))
    };
    let (colour, name) = match finding.verdict {
        _ if finding.passed_over => ("1;33", "probable"),
        Verdict::Certain => ("1;31", "certain"),
        Verdict::Conditional => ("1;33", "conditional"),
        Verdict::Guess => ("1;34", "guess"),
    };
    let by_input =
        input.filter(|_| !finding.passed_over && finding.verdict != Verdict::Guess).map(|(share, sampled)| {
            let (of, text) = (format!("{} of {} inputs", share.raised, share.tried), sampled.shown(share.sample));
            match finding.verdict {
                Verdict::Certain => format!("raised whatever the input is ({of}), such as {text}"),
                _ if values.is_empty() => format!("raised with standard input {text} ({of})"),
                _ => format!("raised {when} and standard input is {text} ({of})"),
            }
        });
    let why = match finding.verdict {
        _ if finding.passed_over => "a value was injected here instead".to_owned(),
        Verdict::Certain if once => "nothing that was injected has led to it".to_owned(),
        Verdict::Certain => "raised whatever was injected".to_owned(),
        Verdict::Conditional if once => "other injected values may lead elsewhere".to_owned(),
        Verdict::Guess if once => "an injected value may be of the wrong kind".to_owned(),
        Verdict::Conditional => format!("raised {when}"),
        Verdict::Guess if values.is_empty() => "other injected values avoid it".to_owned(),
        Verdict::Guess => format!("raised {when}, other values avoid it"),
    };
    format!("{}: {}", style.paint(colour, name), by_input.unwrap_or(why))
}

/// Errors of other runs, a line each.
fn other_errors(out: &mut String, report: &Report, style: Style) {
    let own = report.finding();
    let others: Vec<&Finding> =
        report.errors.iter().filter(|finding| !own.is_some_and(|own| std::ptr::eq(own, *finding))).collect();
    if others.is_empty() {
        return;
    }
    let _ = writeln!(out, "{}", style.paint("1", "also found"));
    for finding in others.iter().take(MOST_OTHERS) {
        let Raised { kind, message, line, .. } = &finding.raised;
        let place = if *line == 0 { String::new() } else { format!("line {line}: ") };
        let message: String = message.chars().take(LONGEST_MESSAGE).collect();
        let called = finding.function.as_ref().map(|name| format!(" in a call of `{name}`")).unwrap_or_default();
        let _ = writeln!(out, "  {place}{kind}: {message}{called}");
        let _ = writeln!(out, "    = {}", verdict(finding, report, style));
        if let Some(hint) = &finding.hint {
            let _ = writeln!(out, "    = hint: {hint}");
        }
    }
    let more = others.len().saturating_sub(MOST_OTHERS);
    if more > 0 {
        let _ = writeln!(out, "  ... {more} more (see --json)");
    }
}

fn summary(out: &mut String, report: &Report, style: Style) {
    let outcome = match report.outcome {
        Outcome::Completed if report.exit_code == 0 => style.paint("1;32", "completed"),
        Outcome::Completed => style.paint("1;32", &format!("completed with exit code {}", report.exit_code)),
        Outcome::Error => style.paint("1;31", "raised an error"),
        Outcome::Timeout => style.paint("1;31", "did not end in time"),
        Outcome::Killed => style.paint("1;31", "was killed"),
        Outcome::SyntaxError => style.paint("1;31", "does not compile"),
    };
    let (covered, total) = (report.covered.len(), report.lines.len());
    let runs = match report.runs {
        0 | 1 => String::new(),
        runs => format!(" in {runs} runs, {} in the best", report.best.len()),
    };
    let unsteady = if report.unsteady { ", not the same when repeated" } else { "" };
    let share = if total == 0 { 100.0 } else { covered as f64 * 100.0 / total as f64 };
    let _ = writeln!(
        out,
        "{} {outcome}: {covered} of {total} lines covered ({share:.0}%){runs}, {} of {} uses injected, {:.1} ms{unsteady}",
        report.name,
        report.uses.1,
        report.uses.0,
        report.times.total.as_secs_f64() * 1e3,
    );
    if let Some(advice) = &report.language_model {
        let _ = writeln!(out, "{advice}");
    }
}

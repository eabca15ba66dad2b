//! Answer of the tool that explains errors: what raised them and what they depend on, as runs have shown.

use schemars::JsonSchema;
use serde::Serialize;
use surmise_blame::Finding;
use surmise_report::{Report, TriedPlace, TriedValue};
use surmise_serve::Ran;

use super::answers::{ErrorAnswer, warnings};
use super::bounded::{self, LeftOut, short};

/// Errors of a program, explained.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainAnswer {
    /// Whether there are errors, in a sentence.
    pub(crate) summary: String,
    /// The errors, certain ones first.
    pub(crate) errors: Vec<Explained>,
    /// Number of runs that the explanation rests on.
    pub(crate) runs: u32,
    /// What else is to be known.
    pub(crate) warnings: Vec<String>,
    /// What this answer leaves out to stay short.
    pub(crate) left_out: Vec<String>,
}

/// An error, and what runs show of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explained {
    /// The error.
    pub(crate) error: ErrorAnswer,
    /// The line that raised it, as it is written.
    pub(crate) source_line: Option<String>,
    /// Number of runs that it ended.
    pub(crate) raised_in: u32,
    /// Number of runs that reached its line.
    pub(crate) reached_by: u32,
    /// The values that runs tried for what the error depends on, and for what its line reads.
    pub(crate) values: Vec<Tried>,
    /// The explanation in sentences.
    pub(crate) explanation: String,
}

/// The values of a place that runs tried.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Tried {
    /// Name that is read there, or what is operated on.
    pub(crate) name: String,
    /// `variable`, `attribute`, `return value`, `implicit import`, or the operation that was answered.
    pub(crate) kind: String,
    /// Line, from 1.
    pub(crate) line: u32,
    /// The values, those of most runs first.
    pub(crate) values: Vec<TriedAnswer>,
}

/// A value, and how the runs with it ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TriedAnswer {
    /// The value as it prints.
    pub(crate) value: String,
    /// Number of runs with it.
    pub(crate) runs: u32,
    /// The error that ended most of them, if one did.
    pub(crate) error: Option<String>,
    /// Number of runs that this error ended.
    pub(crate) ended: u32,
}

impl ExplainAnswer {
    pub(crate) fn new(ran: &Ran, line: Option<u32>) -> Self {
        let report = &ran.report;
        let mut left_out = LeftOut::default();
        let found = report.errors.iter().filter(|finding| line.is_none_or(|line| finding.raised.line == line));
        let errors: Vec<Explained> = found.map(|finding| Explained::new(finding, report)).collect();
        Self {
            summary: summary(report, errors.len(), line),
            errors: left_out.items("errors", errors, bounded::ITEMS),
            runs: report.runs,
            warnings: warnings(ran),
            left_out: left_out.into_notes(),
        }
    }
}

fn summary(report: &Report, errors: usize, line: Option<u32>) -> String {
    let place = line.map(|line| format!(" in line {line}")).unwrap_or_default();
    let runs = if report.runs == 1 { "1 run".to_owned() } else { format!("{} runs", report.runs) };
    let is_reached = |line| report.covered.binary_search(&line).is_ok() || report.lines.binary_search(&line).is_err();
    match (errors, line) {
        (0, Some(line)) if !is_reached(line) => format!("no run reached line {line}, in {runs}"),
        (0, _) => format!("no error was found{place}, in {runs}"),
        (1, _) => format!("1 error was found{place}, in {runs}"),
        _ => format!("{errors} errors were found{place}, in {runs}"),
    }
}

impl Explained {
    fn new(finding: &Finding, report: &Report) -> Self {
        let raised = &finding.raised;
        let line = report.source.lines().nth((raised.line as usize).wrapping_sub(1));
        let counts = report.tried.raised(raised);
        let is_behind = |place: &&TriedPlace| {
            let is_named = finding.depends_on.iter().any(|value| value.line == place.line && value.name == place.name);
            is_named || raised.line > 0 && place.line == raised.line
        };
        let values: Vec<Tried> =
            report.tried.places.iter().filter(is_behind).take(bounded::ITEMS).map(Tried::new).collect();
        let error = ErrorAnswer::new(finding, report);
        let (raised_in, reached_by) = counts.map_or((0, 0), |counts| (counts.runs, counts.reached));
        Self {
            explanation: sentences(&error, (raised_in, reached_by), &values),
            source_line: line.map(|line| short(line.trim())),
            raised_in,
            reached_by,
            values,
            error,
        }
    }
}

impl Tried {
    fn new(place: &TriedPlace) -> Self {
        let value = |value: &TriedValue| TriedAnswer {
            value: short(&value.value),
            runs: value.runs,
            error: value.error.as_ref().map(|(error, _)| short(error)),
            ended: value.error.as_ref().map_or(0, |(_, ended)| *ended),
        };
        Self {
            name: short(&place.name),
            kind: short(&place.kind),
            line: place.line,
            values: place.values.iter().map(value).collect(),
        }
    }
}

/// What was raised, why it counts as the code's own or not, and which values lead elsewhere.
fn sentences(error: &ErrorAnswer, (raised, reached): (u32, u32), values: &[Tried]) -> String {
    let place = error.line.map_or_else(|| "The program raises".to_owned(), |line| format!("Line {line} raises"));
    let mut sentences = vec![format!("{place} {}: {}.", error.kind, error.message.trim_end_matches('.'))];
    if reached > 0 {
        sentences.push(format!("It ended {raised} of the {reached} runs that reached the line."));
    }
    sentences.push(match error.verdict.as_str() {
        "certain" => format!("It is the code's own error: {}.", error.why),
        "conditional" => format!("It depends on a value that the code does not define: {}.", error.why),
        "probable" => format!("It is probably a mistake: {}.", error.why),
        _ => format!("It may come of the injected values alone: {}.", error.why),
    });
    for place in values {
        let others: Vec<String> = place
            .values
            .iter()
            .filter(|value| value.ended < value.runs)
            .filter(|value| {
                error
                    .depends_on
                    .iter()
                    .any(|own| own.name == place.name && own.line == place.line && own.value != value.value)
            })
            .take(3)
            .map(|value| value.value.clone())
            .collect();
        if !others.is_empty() {
            sentences.push(format!(
                "Runs in which `{}` (line {}) was {} went on.",
                place.name,
                place.line,
                others.join(" or ")
            ));
        }
    }
    sentences.extend(error.hint.iter().map(|hint| format!("Hint: {hint}.")));
    sentences.join(" ")
}

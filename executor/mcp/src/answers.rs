//! Answers of the tools that run code: what the runs came to, cut to a bounded size.

use schemars::JsonSchema;
use serde::Serialize;
use surmise_blame::Finding;
use surmise_engine::execute::Outcome;
use surmise_engine::protocol::Injection;
use surmise_instrument::cleanup::RepairKind;
use surmise_report::{Report, reason};
use surmise_serve::Ran;

use super::bounded::{self, LeftOut, short};

/// How the run that reached most lines ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum End {
    /// It came to its end, or called `exit`.
    Completed,
    /// It raised.
    Error,
    /// It did not end in time.
    Timeout,
    /// A signal or a limit ended it.
    Killed,
    /// It does not compile.
    SyntaxError,
}

/// What runs of a program came to.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunAnswer {
    /// All of it in a sentence.
    pub(crate) summary: String,
    /// How the run that reached most lines ended.
    pub(crate) outcome: End,
    /// The program's own exit code in that run.
    pub(crate) exit_code: i32,
    /// Distinct errors of all runs, the certain ones first.
    pub(crate) errors: Vec<ErrorAnswer>,
    /// Lines of the code that runs reached.
    pub(crate) lines: Lines,
    /// Values that stood in for missing ones.
    pub(crate) injected: Vec<Injected>,
    /// Number of runs.
    pub(crate) runs: u32,
    /// Standard output of the run that reached most lines.
    pub(crate) stdout: String,
    /// Standard error of that run.
    pub(crate) stderr: String,
    /// What else is to be known, such as parts of the sandbox that this machine refuses.
    pub(crate) warnings: Vec<String>,
    /// What this answer leaves out to stay short.
    pub(crate) left_out: Vec<String>,
    /// Wall-clock time in milliseconds.
    pub(crate) time_ms: f64,
}

/// Lines that count, as CPython's line table has them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Lines {
    /// Their number.
    pub(crate) total: usize,
    /// Number of those that some run reached.
    pub(crate) covered: usize,
    /// Numbers of those that no run reached.
    pub(crate) missed: Vec<u32>,
}

/// An error that runs raised, and how far it is the code's own.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorAnswer {
    /// Class of the exception.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Its message.
    pub(crate) message: String,
    /// Line that raised it, from 1; none where it has no line.
    pub(crate) line: Option<u32>,
    /// Column in characters, from 0.
    pub(crate) column: Option<u32>,
    /// `certain`: whatever was injected; `conditional`: under values that could be real; `guess`: other values avoid it;
    /// `probable`: a missing name that is probably a mistake, for which a value was injected.
    pub(crate) verdict: String,
    /// What the verdict rests on.
    pub(crate) why: String,
    /// Injected values without which it is not raised.
    pub(crate) depends_on: Vec<DependsOn>,
    /// The function that was called for this error, where the code itself does not call it.
    pub(crate) function: Option<String>,
    /// What was probably meant.
    pub(crate) hint: Option<String>,
}

/// An injected value that an error depends on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DependsOn {
    /// Name that was read.
    pub(crate) name: String,
    /// Its line, from 1.
    pub(crate) line: u32,
    /// The value with which the error was raised.
    pub(crate) value: String,
}

/// A value that stood in for a missing one.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Injected {
    /// Line, from 1.
    pub(crate) line: u32,
    /// Column in characters, from 0.
    pub(crate) column: u32,
    /// `variable`, `attribute`, `return value`, `implicit import`, or the operation that was answered.
    pub(crate) kind: String,
    /// Name that was read, or what was operated on.
    pub(crate) name: String,
    /// The value as it prints.
    pub(crate) value: String,
    /// The predictor's probability of it.
    pub(crate) probability: Option<f32>,
}

impl RunAnswer {
    pub(crate) fn new(ran: &Ran) -> Self {
        let report = &ran.report;
        let mut left_out = LeftOut::default();
        let errors = report.errors.iter().map(|finding| ErrorAnswer::new(finding, report)).collect();
        let missed = report.missed();
        Self {
            summary: summary(report),
            outcome: report.outcome.into(),
            exit_code: report.exit_code,
            errors: left_out.items("errors", errors, bounded::ITEMS),
            lines: Lines {
                total: report.lines.len(),
                covered: report.covered.len(),
                missed: left_out.items("missed lines", missed, bounded::LINES),
            },
            injected: left_out.items(
                "injected values",
                report.injections.iter().map(Injected::new).collect(),
                bounded::VALUES,
            ),
            runs: report.runs,
            stdout: left_out.text("stdout", &report.stdout, bounded::OUTPUT),
            stderr: left_out.text("stderr", &report.stderr, bounded::OUTPUT),
            warnings: warnings(ran),
            left_out: left_out.into_notes(),
            time_ms: (report.times.total.as_secs_f64() * 1e5).round() / 1e2,
        }
    }
}

/// Warnings of a run, with those that the report itself makes.
pub(crate) fn warnings(ran: &Ran) -> Vec<String> {
    let report = &ran.report;
    let mut warnings: Vec<String> = ran.warnings.iter().map(|warning| short(warning)).collect();
    warnings.extend(report.repairs.iter().map(|repair| {
        let is_gone = if repair.kind == RepairKind::Blanked { " does not parse and was left out" } else { "" };
        short(&format!("line {}{is_gone}: {}", repair.line, repair.message))
    }));
    warnings.extend(report.surroundings.line().map(|line| short(&line)));
    if report.unsteady {
        warnings.push("the code does something else each time it is run".to_owned());
    }
    warnings.truncate(bounded::ITEMS);
    warnings
}

impl From<Outcome> for End {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Completed => Self::Completed,
            Outcome::Error => Self::Error,
            Outcome::Timeout => Self::Timeout,
            Outcome::Killed => Self::Killed,
            Outcome::SyntaxError => Self::SyntaxError,
        }
    }
}

impl ErrorAnswer {
    pub(crate) fn new(finding: &Finding, report: &Report) -> Self {
        let raised = &finding.raised;
        let depends_on = finding.depends_on.iter().take(bounded::ITEMS).map(|value| DependsOn {
            name: short(&value.name),
            line: value.line,
            value: short(&value.value),
        });
        Self {
            kind: short(&raised.kind),
            message: short(&raised.message),
            line: (raised.line > 0).then_some(raised.line),
            column: raised.column,
            verdict: reason::word(finding).to_owned(),
            why: short(&reason::reason(finding, report)),
            depends_on: depends_on.collect(),
            function: finding.function.as_deref().map(short),
            hint: finding.hint.as_deref().map(short),
        }
    }
}

impl Injected {
    fn new(value: &Injection) -> Self {
        Self {
            line: value.line,
            column: value.column,
            kind: short(&value.kind),
            name: short(&value.name),
            value: short(&value.value),
            probability: value.probability,
        }
    }
}

fn summary(report: &Report) -> String {
    let end = match (report.outcome, &report.error) {
        (Outcome::Completed, _) if report.exit_code == 0 => "completed".to_owned(),
        (Outcome::Completed, _) => format!("completed with exit code {}", report.exit_code),
        (Outcome::SyntaxError, _) => "does not compile".to_owned(),
        (Outcome::Timeout, _) => "did not end in time".to_owned(),
        (Outcome::Killed, _) => "was killed".to_owned(),
        (Outcome::Error, Some(error)) => {
            let verdict = report.finding().map(|finding| format!(" ({})", reason::word(finding))).unwrap_or_default();
            let line = if error.line > 0 { format!(" in line {}", error.line) } else { String::new() };
            short(&format!("raised {}{line}{verdict}: {}", error.kind, error.message))
        }
        (Outcome::Error, None) => "raised an error".to_owned(),
    };
    let runs = if report.runs == 1 { "1 run".to_owned() } else { format!("{} runs", report.runs) };
    let (covered, total) = (report.covered.len(), report.lines.len());
    format!("{end}; {covered} of {total} lines reached in {runs}")
}

//! `surmise run --json`: schema `surmise.run/1`. Keys stay; new ones may be added.

use serde::Serialize;
use surmise_instrument::cleanup::Repair;

use super::{Branch, Report, Script};
use surmise_blame::{Dependence, Finding, Verdict};
use surmise_engine::execute::Outcome;
use surmise_engine::protocol::{Injection, Raised};
use surmise_identity::Identity;

/// The document.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    outcome: Outcome,
    exit_code: i32,
    error: Option<Error<'a>>,
    errors: Vec<Error<'a>>,
    lines: Lines<'a>,
    best_run: BestRun<'a>,
    runs: u32,
    unsteady: bool,
    #[serde(flatten)]
    identity: &'a Identity,
    injections: &'a [Injection],
    uses: Uses,
    repairs: &'a [Repair],
    stdout: &'a str,
    stderr: &'a str,
    time_ms: Milliseconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<&'a Script>,
}

#[derive(Serialize)]
struct Error<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    message: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    verdict: Option<Verdict>,
    depends_on: &'a [Dependence],
    /// The function that we called, where the snippet did not.
    function: Option<&'a str>,
    /// A value was injected in its place: it was not raised.
    passed_over: bool,
    hint: Option<&'a str>,
}

impl<'a> Error<'a> {
    fn new(error: &'a Raised, finding: Option<&'a Finding>) -> Self {
        Self {
            kind: &error.kind,
            message: &error.message,
            line: (error.line > 0).then_some(error.line),
            column: error.column,
            verdict: finding.map(|finding| finding.verdict),
            depends_on: finding.map_or(&[], |finding| &finding.depends_on),
            function: finding.and_then(|finding| finding.function.as_deref()),
            passed_over: finding.is_some_and(|finding| finding.passed_over),
            hint: finding.and_then(|finding| finding.hint.as_deref()),
        }
    }
}

#[derive(Serialize)]
struct Lines<'a> {
    total: usize,
    covered: usize,
    #[serde(rename = "covered_lines")]
    reached: &'a [u32],
    #[serde(rename = "missed_lines")]
    missed: Vec<u32>,
}

#[derive(Serialize)]
struct BestRun<'a> {
    covered: usize,
    covered_lines: &'a [u32],
    /// What its branches led to, as far as blocks have lines of their own.
    branches: &'a [Branch],
    /// Under the predictor, of all values that it injected.
    log_probability: f64,
}

#[derive(Serialize)]
struct Uses {
    total: u32,
    guided: u32,
}

#[derive(Serialize)]
struct Milliseconds {
    instrument: f64,
    predict: f64,
    execute: f64,
    start: f64,
    total: f64,
}

/// Renders a report as one JSON object.
///
/// # Errors
/// Only if serialization fails, which it does not for these types.
pub fn render(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string(&Document::new(report))
}

/// A report as a JSON value.
///
/// # Errors
/// As [`render`].
pub fn document(report: &Report) -> serde_json::Result<serde_json::Value> {
    serde_json::to_value(Document::new(report))
}

impl<'a> Document<'a> {
    fn new(report: &'a Report) -> Self {
        let millis = |time: std::time::Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        Self {
            schema: "surmise.run/1",
            file: &report.name,
            outcome: report.outcome,
            exit_code: report.exit_code,
            error: report.error.as_ref().map(|error| Error::new(error, report.finding())),
            errors: report.errors.iter().map(|finding| Error::new(&finding.raised, Some(finding))).collect(),
            lines: Lines {
                total: report.lines.len(),
                covered: report.covered.len(),
                reached: &report.covered,
                missed: report.missed(),
            },
            best_run: BestRun {
                covered: report.best.len(),
                covered_lines: &report.best,
                branches: &report.branches,
                log_probability: report.log_probability,
            },
            runs: report.runs,
            unsteady: report.unsteady,
            identity: &report.identity,
            injections: &report.injections,
            uses: Uses { total: report.uses.0, guided: report.uses.1 },
            repairs: &report.repairs,
            stdout: &report.stdout,
            stderr: &report.stderr,
            script: report.script.as_ref(),
            time_ms: Milliseconds {
                instrument: millis(report.times.instrument),
                predict: millis(report.times.predict),
                execute: millis(report.times.execute),
                start: millis(report.times.start),
                total: millis(report.times.total),
            },
        }
    }
}

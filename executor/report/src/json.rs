//! `surmise run --json`: schema `surmise.run/1`. Keys stay; new ones may be added.

use serde::Serialize;
use serde_json::{Value, json};
use surmise_instrument::cleanup::Repair;

use super::{Candidate, PlausibleRun, Report, SampledInput, Script, Surroundings};
use surmise_advice::Advice;
use surmise_blame::{Dependence, Finding, InputShare, Verdict};
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
    lines: Value,
    /// With the probability of all values that the run injected, under the predictor.
    best_run: Value,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    candidates: &'a [Candidate],
    /// The run that is the likeliest to be a real one.
    plausible_run: &'a PlausibleRun,
    runs: u32,
    unsteady: bool,
    surroundings: &'a Surroundings,
    #[serde(skip_serializing_if = "Option::is_none")]
    sampled_input: Option<&'a SampledInput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language_model: Option<&'a Advice>,
    #[serde(flatten)]
    identity: &'a Identity,
    injections: &'a [Injection],
    uses: Value,
    repairs: &'a [Repair],
    stdout: &'a str,
    stderr: &'a str,
    time_ms: Value,
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
    /// As the line, where the end is known: CPython names ranges that lie in a line.
    end_line: Option<u32>,
    end_column: Option<u32>,
    verdict: Option<Verdict>,
    depends_on: &'a [Dependence],
    /// The function that we called, where the snippet did not.
    function: Option<&'a str>,
    /// A value was injected in its place: it was not raised.
    passed_over: bool,
    hint: Option<&'a str>,
    /// The sample of standard input with which it was raised, and under how many it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdin: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<InputShare>,
}

impl<'a> Error<'a> {
    fn new(error: &'a Raised, finding: Option<&'a Finding>, sampled: Option<&'a SampledInput>) -> Self {
        let inputs = finding.and_then(|finding| finding.input);
        let sample = |share: InputShare| sampled?.samples.get(share.sample as usize);
        Self {
            kind: &error.kind,
            message: &error.message,
            line: (error.line > 0).then_some(error.line),
            column: error.column,
            end_line: error.end_column.map(|_| error.line),
            end_column: error.end_column,
            verdict: finding.map(|finding| finding.verdict),
            depends_on: finding.map_or(&[], |finding| &finding.depends_on),
            function: finding.and_then(|finding| finding.function.as_deref()),
            passed_over: finding.is_some_and(|finding| finding.passed_over),
            hint: finding.and_then(|finding| finding.hint.as_deref()),
            stdin: inputs.and_then(sample).map(String::as_str),
            inputs,
        }
    }
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
pub fn document(report: &Report) -> serde_json::Result<Value> {
    serde_json::to_value(Document::new(report))
}

impl<'a> Document<'a> {
    fn new(report: &'a Report) -> Self {
        let sampled = report.sampled_input.as_ref();
        let millis = |time: std::time::Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        Self {
            schema: "surmise.run/1",
            file: &report.name,
            outcome: report.outcome,
            exit_code: report.exit_code,
            error: report.error.as_ref().map(|error| Error::new(error, report.finding(), sampled)),
            errors: report.errors.iter().map(|finding| Error::new(&finding.raised, Some(finding), sampled)).collect(),
            lines: json!({
                "total": report.lines.len(),
                "covered": report.covered.len(),
                "covered_lines": report.covered,
                "missed_lines": report.missed(),
            }),
            best_run: json!({
                "covered": report.best.len(),
                "covered_lines": report.best,
                "branches": report.branches,
                "log_probability": report.log_probability,
            }),
            candidates: &report.candidates,
            plausible_run: &report.plausible,
            runs: report.runs,
            unsteady: report.unsteady,
            surroundings: &report.surroundings,
            sampled_input: sampled,
            language_model: report.language_model.as_ref(),
            identity: &report.identity,
            injections: &report.injections,
            uses: json!({ "total": report.uses.0, "guided": report.uses.1 }),
            repairs: &report.repairs,
            stdout: &report.stdout,
            stderr: &report.stderr,
            script: report.script.as_ref(),
            time_ms: json!({
                "instrument": millis(report.times.instrument),
                "predict": millis(report.times.predict),
                "execute": millis(report.times.execute),
                "start": millis(report.times.start),
                "total": millis(report.times.total),
            }),
        }
    }
}

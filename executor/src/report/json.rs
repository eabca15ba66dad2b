//! `surmise run --json`: schema `surmise.run/1`. Keys stay; new ones may be added.

use serde::Serialize;
use surmise_instrument::cleanup::Repair;

use crate::execute::{Outcome, Report};
use crate::protocol::Injection;

/// The document.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    outcome: Outcome,
    exit_code: i32,
    error: Option<Error<'a>>,
    lines: Lines<'a>,
    best_run: BestRun,
    runs: u32,
    injections: &'a [Injection],
    uses: Uses,
    repairs: &'a [Repair],
    stdout: &'a str,
    stderr: &'a str,
    time_ms: Milliseconds,
}

#[derive(Serialize)]
struct Error<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    message: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    /// Until runs are compared with each other there is none.
    verdict: Option<&'static str>,
    depends_on: Vec<u32>,
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
struct BestRun {
    covered: usize,
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
    total: f64,
}

/// Renders a report as one JSON object.
///
/// # Errors
/// Only if serialization fails, which it does not for these types.
pub fn render(report: &Report) -> serde_json::Result<String> {
    let millis = |time: std::time::Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
    serde_json::to_string(&Document {
        schema: "surmise.run/1",
        file: &report.name,
        outcome: report.outcome,
        exit_code: report.exit_code,
        error: report.error.as_ref().map(|error| Error {
            kind: &error.kind,
            message: &error.message,
            line: (error.line > 0).then_some(error.line),
            column: error.column,
            verdict: None,
            depends_on: Vec::new(),
        }),
        lines: Lines {
            total: report.lines.len(),
            covered: report.covered.len(),
            reached: &report.covered,
            missed: report.missed(),
        },
        best_run: BestRun { covered: report.covered.len() },
        runs: 1,
        injections: &report.injections,
        uses: Uses { total: report.uses.0, guided: report.uses.1 },
        repairs: &report.repairs,
        stdout: &report.stdout,
        stderr: &report.stderr,
        time_ms: Milliseconds {
            instrument: millis(report.times.instrument),
            predict: millis(report.times.predict),
            execute: millis(report.times.execute),
            total: millis(report.times.total),
        },
    })
}

//! The training log: a JSON line for each report, so that a run that was cut can go on with it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Measurements of training since the last report.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Steps taken, over all runs.
    pub step: u64,
    /// Complete passes over the training data.
    pub epoch: u64,
    /// Sites learned from, over all epochs.
    pub sites: u64,
    /// Seconds spent training, over all runs.
    pub seconds: f64,
    /// Mean loss since the last report, in nats a pair.
    pub loss: f64,
    /// Share of pairs since the last report whose class was ranked first.
    pub top1: f64,
    /// Measurements on the held-out projects, in reports that have them.
    pub held_out: Option<HeldOut>,
}

/// Measurements on the held-out projects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// Mean loss in nats a pair.
    pub loss: f64,
    /// Share of pairs whose class was ranked first.
    pub top1: f64,
    /// Share of sites whose first-ranked class was seen there.
    pub seen_there: f64,
}

/// Appends a report to the log.
///
/// # Errors
/// An error of the operating system.
pub(super) fn append(path: &Path, report: &impl Serialize) -> std::io::Result<()> {
    let line = serde_json::to_string(report)?;
    writeln!(OpenOptions::new().create(true).append(true).open(path)?, "{line}")
}

/// Reads the reports up to a step, and drops later ones from the file: they belong to a run that was cut before its
/// next checkpoint.
///
/// # Errors
/// An error of the operating system.
pub(super) fn rewind(path: &Path, step: u64) -> std::io::Result<Vec<Report>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let reports: Vec<Report> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let kept: Vec<Report> = reports.into_iter().filter(|report| report.step <= step).collect();
    let lines: Vec<String> = kept.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    let text = lines.join("\n") + if lines.is_empty() { "" } else { "\n" };
    crate::files::replace(path, text.as_bytes())?;
    Ok(kept)
}

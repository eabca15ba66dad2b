//! The training log: a JSON line for each report, so that a run that was cut can go on with it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What was seen after some steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Steps taken.
    pub step: u64,
    /// Passes over the training data.
    pub epoch: u64,
    /// Sites learned from.
    pub sites: u64,
    /// Seconds spent training, over all runs.
    pub seconds: f64,
    /// Mean loss since the last report, nats a pair.
    pub loss: f64,
    /// Share of pairs since the last report whose class was ranked first.
    pub top1: f64,
    /// The same on the held-out projects, if they were measured.
    pub held_out: Option<HeldOut>,
}

/// Measured on the held-out projects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// Mean loss.
    pub loss: f64,
    /// Share of pairs right.
    pub top1: f64,
    /// Share of sites whose first class was seen there.
    pub seen_there: f64,
}

/// Adds a line.
///
/// # Errors
/// As files do.
pub fn append(path: &Path, report: &Report) -> std::io::Result<()> {
    let line = serde_json::to_string(report)?;
    writeln!(OpenOptions::new().create(true).append(true).open(path)?, "{line}")
}

/// Reads the lines up to a step; later ones belong to a run that did not get to its checkpoint, and are dropped from
/// the file.
///
/// # Errors
/// As files do.
pub fn rewind(path: &Path, step: u64) -> std::io::Result<Vec<Report>> {
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

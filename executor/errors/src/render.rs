//! A prediction as text for a terminal.

use std::fmt::Write;

use surmise_report::visible::visible;

use crate::{Report, Verified};

/// Errors and lines that are shown.
const SHOWN: usize = 5;

/// Renders a prediction with the text of its lines.
#[must_use]
pub fn terminal(report: &Report, source: &str) -> String {
    let percent = |share: f32| format!("{:5.1} %", share * 100.0);
    let mut text = match report.expected() {
        Some(error) => format!("{}: {} is likely\n", visible(&report.file), error.kind),
        None => format!("{}: no error is likely\n", visible(&report.file)),
    };
    // A string takes everything.
    let _ = writeln!(text, "\n{}  no error", percent(report.none));
    for error in report.errors.iter().take(SHOWN) {
        let _ = writeln!(text, "{}  {}", percent(error.probability), error.kind);
    }
    if !report.lines.is_empty() {
        text += "\nif there is one, it is raised at\n";
        for line in report.lines.iter().take(SHOWN) {
            let written = source.lines().nth(line.line as usize - 1).unwrap_or_default().trim();
            let written: String = written.chars().take(80).collect();
            let _ = writeln!(text, "{}  line {}: {}", percent(line.probability), line.line, visible(&written));
        }
    }
    if !report.doubts.is_empty() {
        text += "\nwhat the source says\n";
        for doubt in report.doubts.iter().take(SHOWN) {
            let _ = writeln!(text, "  line {}: {}", doubt.line, doubt.kind.clause());
        }
    }
    if let Some(verified) = &report.verified {
        text += &ran(verified, report);
    }
    if !report.described {
        text += "\nno description of the input was read (--stdin-description)\n";
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {}", visible(note));
    }
    text
}

/// What runs came to: predicted and found, found only, or not found.
fn ran(verified: &Verified, report: &Report) -> String {
    let mut text = format!("\nin {} runs under sampled inputs\n", verified.runs);
    let predicted = report.expected();
    for found in &verified.found {
        let as_predicted =
            if predicted.is_some_and(|error| error.kind == found.kind) { "predicted and found" } else { "found" };
        let (kind, message) = (visible(&found.kind), visible(&found.message));
        let _ = writeln!(text, "{as_predicted}: {kind} on line {}: {message}", found.line);
        let stdin: String = found.stdin.chars().take(200).collect();
        let unusual = if found.typical { "" } else { ", on unusual inputs only" };
        let _ = writeln!(
            text,
            "    in {} of {} runs{unusual}, such as standard input {stdin:?}",
            found.raised, verified.runs
        );
    }
    if let Some(error) = predicted.filter(|error| verified.found.iter().all(|found| found.kind != error.kind)) {
        let _ = writeln!(text, "not found: {}", error.kind);
    } else if verified.found.is_empty() {
        text += "no error was found\n";
    }
    if let Some(named) = &verified.named {
        let how = if named.found { "" } else { ", of which the network is sure though no run raised it" };
        let _ = writeln!(text, "named first: {} on line {}{how}", visible(&named.kind), named.line);
    }
    if verified.timeouts > 0 {
        let _ = writeln!(text, "{} of the runs did not end in time", verified.timeouts);
    }
    text
}

//! A prediction as text for a terminal.

use std::fmt::Write;

use surmise_report::visible::visible;

use crate::Report;

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
    if !report.described {
        text += "\nno description of the input was read (--stdin-description)\n";
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {}", visible(note));
    }
    text
}

//! Errors in the report of a snippet, for tests that say what is expected of them.

use super::{naive_report as report, report_by};
use serde_json::Value;

/// Class, line and verdict of each error.
#[track_caller]
pub fn errors(snippet: &str) -> Vec<(String, u64, String)> {
    errors_of(&report(snippet, &[]))
}

/// Class, line and verdict of each error, where the shipped model predicts values.
#[track_caller]
pub fn errors_with_model(snippet: &str) -> Vec<(String, u64, String)> {
    errors_of(&report_by("model", snippet, &[]))
}

fn errors_of(report: &Value) -> Vec<(String, u64, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let errors = report["errors"].as_array().expect("a list").iter();
    errors
        .map(|error| (text(&error["type"]), error["line"].as_u64().unwrap_or_default(), text(&error["verdict"])))
        .collect()
}

#[track_caller]
pub fn has(snippet: &str, kind: &str, line: u64, verdicts: &[&str]) {
    let errors = errors(snippet);
    let fits =
        |(own, at, verdict): &(String, u64, String)| own == kind && *at == line && verdicts.contains(&verdict.as_str());
    assert!(errors.iter().any(fits), "{snippet}\n{errors:?}");
}

#[track_caller]
pub fn missed(snippet: &str, arguments: &[&str]) -> Value {
    report(snippet, arguments)["lines"]["missed_lines"].clone()
}

/// True if some error has a verdict that names it as the code's.
#[track_caller]
pub fn blames(snippet: &str) -> bool {
    errors(snippet).iter().any(|(_, _, verdict)| verdict != "guess")
}

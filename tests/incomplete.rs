//! Incomplete snippets run, and their reports agree with their `.json` files (see `incomplete/README.md`).

use std::path::Path;

use crate::support::{Stdin, check_all, file_name, programs, python_minor, run, surmise, tests_folder};
use serde::Deserialize;
use serde_json::Value;

/// Expected content of a report.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    #[serde(rename = "why")]
    _why: String,
    /// The minor version of the first Python 3 that can compile it.
    #[serde(default)]
    requires: u32,
    outcome: String,
    error_type: Option<String>,
    #[serde(default)]
    inject: Vec<Expected>,
    #[serde(default)]
    not_injected: Vec<String>,
    stdout: Option<String>,
    #[serde(default)]
    covered: Vec<u64>,
    #[serde(default)]
    missed: Vec<u64>,
}

/// An injection that the report must contain.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    name: String,
    line: u64,
    kind: String,
}

impl Expected {
    fn is(&self, injection: &Value) -> bool {
        injection["name"] == *self.name && injection["line"] == self.line && injection["kind"] == *self.kind
    }
}

/// Kinds of injections that replace a value of the snippet; other kinds answer operations on stand-ins.
const VALUES: [&str; 3] = ["variable", "attribute", "return value"];

#[test]
fn incomplete_snippets_run_and_report_what_they_missed() {
    check_all(&programs(&tests_folder().join("incomplete")), |program| file_name(program), |program| check(program));
}

#[test]
fn every_expectation_has_its_snippet() {
    for entry in std::fs::read_dir(tests_folder().join("incomplete")).expect("tests/incomplete is there") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|end| end == "json") {
            assert!(path.with_extension("py").is_file(), "{} has no snippet", path.display());
        }
    }
}

fn check(program: &Path) -> Result<(), String> {
    let path = program.with_extension("json");
    let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let expectation: Expectation = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    if python_minor() < expectation.requires {
        return Ok(());
    }
    let before = std::fs::read(program).map_err(|error| error.to_string())?;
    let mut command = surmise();
    command.args(["run", "--json", "--predictor", "naive", "--runs", "1", "--no-drive", &file_name(program)]);
    let ended = run(command.current_dir(tests_folder().join("incomplete")), Stdin::Empty)?;
    let report = ended.try_report()?;
    let mut complaints = expectation.complaints(&report);
    let exit = i32::from(report["outcome"] != "completed");
    if ended.code() != exit {
        complaints.push(format!("exit code {} with the outcome {}", ended.code(), report["outcome"]));
    }
    if std::fs::read(program).ok() != Some(before) {
        complaints.push("the snippet itself was changed".to_owned());
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

impl Expectation {
    fn complaints(&self, report: &Value) -> Vec<String> {
        let mut complaints = Vec::new();
        if report["outcome"] != *self.outcome {
            complaints.push(format!("outcome {} instead of {}: {}", report["outcome"], self.outcome, report["error"]));
        }
        if let Some(kind) = self.error_type.as_deref().filter(|kind| report["error"]["type"] != **kind) {
            complaints.push(format!("error {} instead of {kind}", report["error"]));
        }
        if let Some(stdout) = self.stdout.as_deref().filter(|stdout| report["stdout"] != **stdout) {
            complaints.push(format!("stdout {} instead of {stdout:?}", report["stdout"]));
        }
        self.injections(report, &mut complaints);
        self.lines(report, &mut complaints);
        complaints
    }

    fn injections(&self, report: &Value, complaints: &mut Vec<String>) {
        let injections = report["injections"].as_array().map(Vec::as_slice).unwrap_or_default();
        for expected in &self.inject {
            if !injections.iter().any(|injection| expected.is(injection)) {
                complaints.push(format!("not injected: {expected:?}"));
            }
        }
        for name in &self.not_injected {
            let value = |injection: &&Value| VALUES.iter().any(|kind| injection["kind"] == **kind);
            if let Some(wrong) = injections.iter().filter(value).find(|injection| injection["name"] == **name) {
                complaints.push(format!("injected: {wrong}"));
            }
        }
    }

    fn lines(&self, report: &Value, complaints: &mut Vec<String>) {
        let lines = &report["lines"];
        let list = |key: &str| -> Vec<u64> {
            lines[key].as_array().map(|lines| lines.iter().filter_map(Value::as_u64).collect()).unwrap_or_default()
        };
        let (covered, missed) = (list("covered_lines"), list("missed_lines"));
        if lines["covered"] != covered.len() || lines["total"] != covered.len() + missed.len() {
            complaints.push(format!("counts of lines that do not add up: {lines}"));
        }
        let not_covered: Vec<_> = self.covered.iter().filter(|line| !covered.contains(line)).collect();
        if !not_covered.is_empty() {
            complaints.push(format!("not covered: {not_covered:?}"));
        }
        let not_missed: Vec<_> = self.missed.iter().filter(|line| covered.contains(line)).collect();
        if !not_missed.is_empty() {
            complaints.push(format!("covered: {not_missed:?}"));
        }
    }
}

//! Arguments of the tools. Their documentation is what a client shows to its model.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use surmise_serve::{Code, CompareRequest, Failure, Limits, Old, RunRequest};

/// Runs and seconds, unless a call says otherwise.
const RUNS: u32 = 64;
const COMPARED_RUNS: u32 = 32;
const SECONDS: f64 = 10.0;
/// Runs and seconds at most.
const MOST_RUNS: u32 = 10_000;
const MOST_SECONDS: f64 = 300.0;
/// Seconds of a single run.
const TIMEOUT: f64 = 5.0;

/// A snippet to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSnippet {
    /// Python source. Names, imports and files may be missing: predicted values stand in for them.
    pub(crate) code: String,
    /// Text that the program reads from standard input.
    #[serde(default)]
    pub(crate) stdin: Option<String>,
    /// Maximum number of runs (default: 64). Each changes injected values, to reach lines and errors no run has reached.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) runs: Option<u32>,
    /// Time limit of all runs together in seconds (default: 10).
    #[serde(default)]
    #[schemars(range(min = 0.01, max = 300))]
    pub(crate) time: Option<f64>,
}

/// A function of a file to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunFunction {
    /// Path of the Python file; relative paths start at the folder in which the server was started.
    pub(crate) path: PathBuf,
    /// Qualified name: `function` or `Class.method`.
    pub(crate) function: String,
    /// Source to use in place of the file's content, for example one that is not saved yet.
    #[serde(default)]
    pub(crate) code: Option<String>,
    /// Maximum number of runs (default: 64). Each calls the function with other predicted arguments.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) runs: Option<u32>,
    /// Time limit of all runs together in seconds (default: 10).
    #[serde(default)]
    #[schemars(range(min = 0.01, max = 300))]
    pub(crate) time: Option<f64>,
}

/// Two versions to compare.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareVersions {
    /// Source of the old version. If it is left out, `path` names a file whose last commit (HEAD) is the old version.
    #[serde(default)]
    pub(crate) old: Option<String>,
    /// Source of the new version. If it is left out, it is the content of the file at `path`.
    #[serde(default)]
    pub(crate) new: Option<String>,
    /// Path of the Python file that both are versions of.
    #[serde(default)]
    pub(crate) path: Option<PathBuf>,
    /// Compare only this function (`function` or `Class.method`).
    #[serde(default)]
    pub(crate) function: Option<String>,
    /// Maximum number of runs of each function (default: 32).
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) runs: Option<u32>,
    /// Time limit for all functions together in seconds (default: 10).
    #[serde(default)]
    #[schemars(range(min = 0.01, max = 300))]
    pub(crate) time: Option<f64>,
}

/// Code whose errors are to be explained.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainError {
    /// Python source. Give this, or `path`, or both to use it in place of the file's content.
    #[serde(default)]
    pub(crate) code: Option<String>,
    /// Path of the Python file.
    #[serde(default)]
    pub(crate) path: Option<PathBuf>,
    /// Explain errors of this function (`function` or `Class.method`) when it is called.
    #[serde(default)]
    pub(crate) function: Option<String>,
    /// Explain only errors of this line (from 1).
    #[serde(default)]
    pub(crate) line: Option<u32>,
    /// Text that the program reads from standard input.
    #[serde(default)]
    pub(crate) stdin: Option<String>,
    /// Maximum number of runs (default: 64).
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) runs: Option<u32>,
    /// Time limit of all runs together in seconds (default: 10).
    #[serde(default)]
    #[schemars(range(min = 0.01, max = 300))]
    pub(crate) time: Option<f64>,
}

impl RunSnippet {
    pub(crate) fn request(self) -> Result<RunRequest, Failure> {
        Ok(RunRequest {
            code: code(Some(self.code), None)?,
            function: None,
            stdin: self.stdin.unwrap_or_default(),
            limits: limits(self.runs, self.time, RUNS)?,
        })
    }
}

impl RunFunction {
    pub(crate) fn request(self) -> Result<RunRequest, Failure> {
        Ok(RunRequest {
            code: code(self.code, Some(self.path))?,
            function: Some(self.function),
            stdin: String::new(),
            limits: limits(self.runs, self.time, RUNS)?,
        })
    }
}

impl ExplainError {
    pub(crate) fn request(self) -> Result<RunRequest, Failure> {
        if self.code.is_none() && self.path.is_none() {
            return Err(refused("there is nothing to explain", "give `code`, or the `path` of a file"));
        }
        Ok(RunRequest {
            code: code(self.code, self.path)?,
            function: self.function,
            stdin: self.stdin.unwrap_or_default(),
            limits: limits(self.runs, self.time, RUNS)?,
        })
    }
}

impl CompareVersions {
    pub(crate) fn request(self) -> Result<CompareRequest, Failure> {
        let hint = "give `old` and `new`, or the `path` of a file in a Git repository";
        let old = match (self.old, &self.path) {
            (Some(text), path) => Old::Code(code(Some(text), path.clone())?),
            (None, Some(_)) => Old::Head,
            (None, None) => return Err(refused("the old version is missing", hint)),
        };
        if self.new.is_none() && self.path.is_none() {
            return Err(refused("the new version is missing", hint));
        }
        Ok(CompareRequest {
            old,
            new: code(self.new, self.path)?,
            function: self.function,
            limits: limits(self.runs, self.time, COMPARED_RUNS)?,
        })
    }
}

fn refused(message: impl Into<String>, hint: &str) -> Failure {
    Failure { message: message.into(), hint: Some(hint.to_owned()), exit: Some(surmise_engine::exit::Exit::Usage) }
}

fn code(text: Option<String>, path: Option<PathBuf>) -> Result<Code, Failure> {
    if text.as_ref().is_some_and(|text| text.contains('\0')) {
        return Err(refused("the code has a NUL character", "give Python source text"));
    }
    if path.as_ref().is_some_and(|path| path.as_os_str().as_encoded_bytes().contains(&0)) {
        return Err(refused("the path has a NUL character", "give the path of a Python file"));
    }
    Ok(Code { name: "<snippet>".to_owned(), path, text })
}

fn limits(runs: Option<u32>, time: Option<f64>, usual: u32) -> Result<Limits, Failure> {
    let (runs, time) = (runs.unwrap_or(usual), time.unwrap_or(SECONDS));
    if !(1..=MOST_RUNS).contains(&runs) {
        return Err(refused(format!("`runs` is {runs}"), "give a number from 1 to 10000"));
    }
    if !(0.01..=MOST_SECONDS).contains(&time) {
        return Err(refused(format!("`time` is {time}"), "give seconds from 0.01 to 300"));
    }
    Ok(Limits { runs, time: Duration::from_secs_f64(time), timeout: Duration::from_secs_f64(time.min(TIMEOUT)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_run_is_refused_with_a_hint() {
        let explain = |text: &str| serde_json::from_str::<ExplainError>(text).map(ExplainError::request);
        let message = |text: &str| explain(text).expect("it is of the form").expect_err("it is refused").message;
        assert_eq!(message("{}"), "there is nothing to explain");
        assert_eq!(message(r#"{"code": "x", "runs": 0}"#), "`runs` is 0");
        assert_eq!(message(r#"{"code": "x", "time": 1e9}"#), "`time` is 1000000000");
        assert_eq!(message(r#"{"code": "x\u0000"}"#), "the code has a NUL character");
        let unknown = explain(r#"{"code": "x", "run": 1}"#).expect_err("there is no `run`").to_string();
        assert!(unknown.starts_with("unknown field `run`, expected one of"), "{unknown}");
    }

    #[test]
    fn a_file_without_an_old_version_is_compared_with_its_last_commit() {
        let request = |text: &str| serde_json::from_str::<CompareVersions>(text).expect("it is of the form").request();
        let found = request(r#"{"path": "a.py"}"#).expect("it can be compared");
        assert!(found.old == Old::Head && found.new.text.is_none());
        let found = request(r#"{"old": "a", "new": "b"}"#).expect("it can be compared");
        assert!(matches!(found.old, Old::Code(code) if code.text.as_deref() == Some("a")));
        assert_eq!(request(r#"{"old": "a"}"#).expect_err("half is missing").message, "the new version is missing");
        assert_eq!(request(r#"{"new": "a"}"#).expect_err("half is missing").message, "the old version is missing");
    }
}

//! What is known about a snippet after its runs, and how it is shown to people and to programs.

pub mod html;
pub mod json;
pub mod terminal;

use std::time::Duration;

use surmise_instrument::cleanup::Repair;

use crate::execute::Outcome;
use crate::protocol::{Injection, Raised};

/// Everything known about a snippet.
#[derive(Clone, Debug)]
pub struct Report {
    /// The file's name.
    pub name: String,
    /// The source as given.
    pub source: String,
    /// How the best run ended: the one that covered most.
    pub outcome: Outcome,
    /// The program's own exit code in the best run; 128 plus the signal's number if a signal ended it.
    pub exit_code: i32,
    /// The error that ended the best run.
    pub error: Option<Raised>,
    /// All distinct errors, certain ones first.
    pub errors: Vec<Finding>,
    /// Lines that count, as CPython's line table has them.
    pub lines: Vec<u32>,
    /// Those of them that some run reached.
    pub covered: Vec<u32>,
    /// Those of them that the best run reached.
    pub best: Vec<u32>,
    /// What was injected and answered, in order: by the best run, and on lines that only others reached by those.
    pub injections: Vec<Injection>,
    /// Uses of values on lines that the best run reached, and those of them that were guided.
    pub uses: (u32, u32),
    /// What the clean-up changed.
    pub repairs: Vec<Repair>,
    /// Standard output of the best run.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// How many runs there were.
    pub runs: u32,
    /// The same run went differently when it was repeated.
    pub unsteady: bool,
    /// Time for rewriting, predicting and executing.
    pub times: Times,
    /// Our own failure, if a worker reported one.
    pub internal: Option<String>,
    /// What a script is made of, if one was asked for.
    pub recording: Option<Recording>,
    /// The script that was written.
    pub script: Option<Script>,
}

/// What the best run told when it was repeated for a script.
#[derive(Clone, Debug)]
pub struct Recording {
    /// JSON of `runtime/recording.py`; `None` where the run did not come to its end.
    pub recorded: Option<String>,
    /// The repeated run reached the same lines and ended alike.
    pub same: bool,
    /// The function that we called after the module ran.
    pub driven: Option<String>,
}

/// A script that makes the best run happen under plain Python.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Script {
    /// Where it is.
    pub path: String,
    /// It reproduces all that was injected.
    pub complete: bool,
    /// What it does not reproduce.
    pub missing: Vec<String>,
}

/// An error, and how far it is the snippet's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was raised, and where.
    pub raised: Raised,
    /// How far it is the snippet's own.
    pub verdict: Verdict,
    /// The injected values without which it is not raised.
    pub depends_on: Vec<Dependence>,
    /// The function that we called, if it was not the snippet that did.
    pub function: Option<String>,
    /// A value was injected in its place, so that the run went on: it was not raised.
    pub passed_over: bool,
    /// What was probably meant.
    pub hint: Option<String>,
}

impl Finding {
    /// A finding that depends on nothing.
    #[must_use]
    pub fn new(raised: Raised, verdict: Verdict) -> Self {
        Self { raised, verdict, depends_on: Vec::new(), function: None, passed_over: false, hint: None }
    }
}

/// How far an error is the snippet's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Raised whatever was injected.
    Certain,
    /// Raised under some injected values, which could be real ones.
    Conditional,
    /// Raised because an injected value does not bear what is done with it; with another it is not.
    Guess,
}

/// An injected value that an error depends on.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Dependence {
    /// What was read.
    pub name: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 0.
    pub column: u32,
    /// The value with which the error was raised.
    pub value: String,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Clean-up and rewriting.
    pub instrument: Duration,
    /// Prediction.
    pub predict: Duration,
    /// Execution of all runs, the workers' starts included.
    pub execute: Duration,
    /// The part of that until the workers were behind all steps of the sandbox.
    pub start: Duration,
    /// All of it.
    pub total: Duration,
}

impl Report {
    /// Lines that count and were not reached.
    #[must_use]
    pub fn missed(&self) -> Vec<u32> {
        self.lines.iter().copied().filter(|line| self.covered.binary_search(line).is_err()).collect()
    }

    /// What is known about the error that ended the best run.
    #[must_use]
    pub fn finding(&self) -> Option<&Finding> {
        let error = self.error.as_ref()?;
        self.errors.iter().find(|finding| &finding.raised == error)
    }

    /// The report of a source that could not be run at all.
    #[must_use]
    pub fn of_syntax_error(name: &str, source: &str, line: u32, message: &str) -> Self {
        let raised = Raised::of_syntax_error(line, message);
        let certain = Verdict::Certain;
        let found = Finding::new(raised.clone(), certain);
        Self {
            name: name.to_owned(),
            source: source.to_owned(),
            outcome: Outcome::SyntaxError,
            exit_code: 1,
            errors: vec![found],
            error: Some(raised),
            lines: Vec::new(),
            covered: Vec::new(),
            best: Vec::new(),
            injections: Vec::new(),
            uses: (0, 0),
            repairs: Vec::new(),
            stdout: String::new(),
            stderr: String::new(),
            runs: 0,
            unsteady: false,
            times: Times::default(),
            internal: None,
            recording: None,
            script: None,
        }
    }
}

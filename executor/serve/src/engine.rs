//! What a server asks of the engine, and what it gets.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use surmise_diff::comparison::Comparison;
use surmise_engine::exit::Exit;
use surmise_engine::stop::Stop;
use surmise_report::Report;

/// A program: a file, a text, or the text that an editor has in the place of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Name of the program in messages, for a text that has no file.
    pub name: String,
    /// The file.
    pub path: Option<PathBuf>,
    /// The text; none where that of the file counts.
    pub text: Option<String>,
}

/// How many runs there may be, and how long they may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Runs at most.
    pub runs: u32,
    /// Wall-clock time of all runs together.
    pub time: Duration,
    /// Wall-clock time of one run.
    pub timeout: Duration,
}

/// A program to run.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The program.
    pub code: Code,
    /// The function to run in place of the whole program.
    pub function: Option<String>,
    /// What the program reads from standard input.
    pub stdin: String,
    /// How much may be spent.
    pub limits: Limits,
}

/// The old version of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Old {
    /// This program.
    Code(Code),
    /// The file of the new version as the last commit of its repository has it.
    Head,
}

/// Two versions to compare.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// The old version.
    pub old: Old,
    /// The new version.
    pub new: Code,
    /// The only function that is asked for.
    pub function: Option<String>,
    /// How much may be spent on each function; `time` is that of all functions together.
    pub limits: Limits,
}

/// What runs of a program came to.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What is known of it.
    pub report: Report,
    /// What the user should know besides.
    pub warnings: Vec<String>,
}

/// What a comparison came to.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// What was found of each function, in the order of the new version.
    pub comparisons: Vec<Comparison>,
    /// Functions that the time did not suffice for.
    pub left_out: Vec<String>,
    /// What the user should know besides.
    pub warnings: Vec<String>,
}

/// Why a request was not answered; never for what a program does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// What the command would have ended with; none where somebody asked to stop.
    pub exit: Option<Exit>,
}

impl Failure {
    /// Somebody asked to stop.
    #[must_use]
    pub fn cancelled() -> Self {
        Self { message: "the request was cancelled".to_owned(), hint: None, exit: None }
    }

    /// A fault of our own.
    #[must_use]
    pub fn internal(problem: impl fmt::Display) -> Self {
        let hint = "this is a fault of Surmise, not of the code that it runs";
        Self { message: problem.to_string(), hint: Some(hint.to_owned()), exit: Some(Exit::Internal) }
    }

    /// True if somebody asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.exit.is_none()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(out, "\nhint: {hint}"))
    }
}

/// Runs and compares programs, and keeps what it needs for the next ones.
pub trait Engine {
    /// Runs a program; ends early, with [`Failure::cancelled`], once `stop` is asked for.
    ///
    /// # Errors
    /// Where the command would end without a report.
    fn run(&mut self, request: &RunRequest, stop: &Stop) -> Result<Ran, Failure>;

    /// Compares two versions; ends early, with [`Failure::cancelled`], once `stop` is asked for.
    ///
    /// # Errors
    /// Where the command would end without a comparison.
    fn compare(&mut self, request: &CompareRequest, stop: &Stop) -> Result<Compared, Failure>;
}

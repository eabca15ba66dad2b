//! Which run-time error a program raises, and where, before anything runs: what the network of
//! [`surmise_value_model::ipagnn`] says, as text, JSON and a page with the instruction pointer over time.

mod page;
mod render;

use std::time::Duration;

use serde::Serialize;
use surmise_value_model::ipagnn::{Doubt, ErrorConfig, ErrorPrediction};

pub use page::page;
pub use render::terminal;

/// How likely an error has to be to be named although no run raised it: chosen on half 1 and quarter 2 of
/// `scripts/bench-inputs.py`.
const SURE: f32 = 0.7;

/// Name of the form of the JSON.
const SCHEMA: &str = "surmise.predict/1";

/// What is predicted of a program.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Names the form: `surmise.predict/1`.
    pub schema: &'static str,
    /// The file's name.
    pub file: String,
    /// Whether a description of the input was read.
    pub described: bool,
    /// Probability that the program raises nothing.
    pub none: f32,
    /// Probabilities of the errors, likeliest first.
    pub errors: Vec<ErrorProbability>,
    /// Lines by the probability that the error is raised there, if there is one; likeliest first.
    pub lines: Vec<LineProbability>,
    /// What the source itself, or the description of the input, says against lines; part of what the network reads.
    pub doubts: Vec<LineDoubt>,
    /// Statements and steps that the network executed.
    pub statements: usize,
    /// Steps of execution.
    pub steps: usize,
    /// Milliseconds from the source's text to the prediction, without reading the weights.
    pub time_ms: f64,
    /// What the prediction leaves out.
    pub notes: Vec<String>,
    /// What runs came to, if they were asked for.
    #[serde(flatten)]
    pub verified: Option<Verified>,
}

/// What runs of the program under sampled inputs came to.
#[derive(Clone, Debug, Serialize)]
pub struct Verified {
    /// The error that is named first; none if the program seems right.
    pub named: Option<NamedError>,
    /// Errors that were raised, those of most runs first.
    pub found: Vec<FoundError>,
    /// Runs that came to an end of any kind.
    pub runs: u32,
    /// Runs that did not end in time.
    pub timeouts: u32,
    /// What the inputs look like, for people.
    pub inputs: String,
}

/// The error of a program, by its runs and by the network: the first that runs raised on usual inputs, else the one that the
/// network is sure of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedError {
    /// Name of the exception's class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Line of the program, from 1.
    pub line: u32,
    /// Whether a run raised it.
    pub found: bool,
}

/// An error that runs raised.
#[derive(Clone, Debug, Serialize)]
pub struct FoundError {
    /// Name of the exception's class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Line of the program, from 1.
    pub line: u32,
    /// Message of the first run that raised it.
    pub message: String,
    /// Standard input of that run.
    pub stdin: String,
    /// Runs that raised it.
    pub raised: u32,
    /// Whether the program has it on usual inputs: most runs on those raised it, or it is an error of the code alone, such
    /// as an undefined name. Others may be those of an input that the description does not mean.
    pub typical: bool,
}

/// An error and its probability.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorProbability {
    /// Name of the exception; `Timeout` where the program does not end, `Other` for rare ones.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its probability.
    pub probability: f32,
}

/// A line with what is in doubt about it.
#[derive(Clone, Debug, Serialize)]
pub struct LineDoubt {
    /// The line, from 1 on.
    pub line: u32,
    /// What is in doubt.
    pub kind: Doubt,
}

/// A line and its probability.
#[derive(Clone, Debug, Serialize)]
pub struct LineProbability {
    /// The line, from 1 on.
    pub line: u32,
    /// Its share of the lines' probability.
    pub probability: f32,
}

impl Report {
    /// Reports a prediction of a network of that kind, which took that time.
    #[must_use]
    pub fn new(file: &str, prediction: &ErrorPrediction, config: &ErrorConfig, time: Duration) -> Self {
        let (program, execution) = (&prediction.program, &prediction.execution);
        let errors = config.classes.iter().zip(&execution.classes);
        let mut errors: Vec<ErrorProbability> =
            errors.map(|(kind, &probability)| ErrorProbability { kind: kind.clone(), probability }).collect();
        errors.sort_by(|left, right| right.probability.total_cmp(&left.probability).then(left.kind.cmp(&right.kind)));
        let lines = prediction.lines().into_iter().map(|(line, probability)| LineProbability { line, probability });
        let mut notes: Vec<String> = program.skipped.iter().map(ToString::to_string).collect();
        if program.left_out > 0 {
            let all = program.left_out + program.rows.len();
            notes.push(format!("{} of {all} statements are beyond the limit (--max-statements)", program.left_out));
        }
        if let Some(wanted) = program.wanted_steps {
            notes.push(format!("execution is cut after {} of {wanted} steps (--max-steps)", program.steps));
        }
        notes.extend(config.note.clone());
        Self {
            schema: SCHEMA,
            file: file.to_owned(),
            described: !program.description.is_empty(),
            none: execution.none,
            errors,
            lines: lines.collect(),
            doubts: prediction.doubts().into_iter().map(|(line, kind)| LineDoubt { line, kind }).collect(),
            statements: program.rows.len(),
            steps: program.steps,
            time_ms: time.as_secs_f64() * 1e3,
            notes,
            verified: None,
        }
    }

    /// The error that is likelier than none, if one is.
    #[must_use]
    pub fn expected(&self) -> Option<&ErrorProbability> {
        self.errors.first().filter(|error| error.probability > self.none)
    }

    /// Adds what runs came to, and names the error to look at first.
    #[must_use]
    pub fn with_runs(mut self, mut verified: Verified) -> Self {
        let found = verified.found.iter().find(|found| found.typical);
        let found = found.map(|error| NamedError { kind: error.kind.clone(), line: error.line, found: true });
        let sure = self.errors.first().zip(self.lines.first()).filter(|(error, _)| error.probability >= SURE);
        verified.named = found.or_else(|| {
            sure.map(|(error, line)| NamedError { kind: error.kind.clone(), line: line.line, found: false })
        });
        self.verified = Some(verified);
        self
    }

    /// True if an error is likely or, where the program was run, if one was found.
    #[must_use]
    pub fn has_error(&self) -> bool {
        self.verified.as_ref().map_or(self.expected().is_some(), |verified| !verified.found.is_empty())
    }
}

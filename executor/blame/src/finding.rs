//! An error, and how far it is the program's own.

use surmise_engine::protocol::{Injection, Raised};

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
    /// How the samples of standard input affect it, if there were several.
    pub input: Option<InputShare>,
}

impl Finding {
    /// A finding that depends on nothing.
    #[must_use]
    pub fn new(raised: Raised, verdict: Verdict) -> Self {
        Self { raised, verdict, depends_on: Vec::new(), function: None, passed_over: false, hint: None, input: None }
    }
}

/// Under how many samples of standard input an error was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct InputShare {
    /// The sample under which the run that is reported raised it.
    #[serde(skip)]
    pub sample: u32,
    /// Samples under which it was raised by a run without other changes.
    pub raised: u32,
    /// Samples under which the program was run to an end.
    pub tried: u32,
}

/// How far an error is the snippet's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Raised whatever was injected.
    Certain,
    /// Raised under some injected values, which could be real ones.
    Conditional,
    /// Raised because an injected value does not allow what is done with it; with another it is not.
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

impl Dependence {
    /// What a finding says of an injected value.
    pub(crate) fn of(value: &Injection) -> Self {
        Self { name: value.name.clone(), line: value.line, column: value.column, value: value.value.clone() }
    }
}

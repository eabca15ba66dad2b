//! A condition, and what is known of it.

use serde::Serialize;

/// A condition that a region of code expects to hold.
#[derive(Clone, Debug, Serialize)]
pub struct Invariant {
    /// Qualified name of the function.
    pub function: String,
    /// First line of the region.
    pub line: u32,
    /// Last line of the region.
    pub end_line: u32,
    /// The condition, as Python.
    pub condition: String,
    /// Minus the logarithm of its probability under the model, in bits: the lower, the more certain.
    pub entropy: f32,
    /// `precondition` of a whole body, or of a `region` in it.
    pub kind: &'static str,
    /// What the source says of the path that the condition is about, and how many guards are written so.
    pub evidence: Vec<String>,
    /// What it came to while a command ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validated: Option<Validation>,
    /// What guided runs showed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Its template.
    #[serde(skip)]
    pub template: String,
    /// What the slots of the template stand for.
    #[serde(skip)]
    pub slots: Vec<String>,
    /// Column of the region in bytes, from 0.
    #[serde(skip)]
    pub column: u32,
    /// Offset of the region.
    #[serde(skip)]
    pub start: u32,
}

/// What guided runs showed of a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// Whether each run that came there failed after the condition was violated, and one without that went through.
    pub proved: bool,
    /// How the condition was violated: an assignment.
    pub violation: String,
    /// The error that followed, if each run that came there had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Whether a run without the violation went through the region.
    pub runs_through_otherwise: bool,
}

/// An error that a guard would prevent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Name of its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text.
    pub message: String,
    /// Line of the source.
    pub line: u32,
}

/// What a condition came to while a command ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Validation {
    /// `held`, `violated`, `never reached`, or `not evaluable`.
    pub status: Status,
    /// How often it held.
    pub held: u64,
    /// How often it did not hold.
    pub violated: u64,
    /// How often it could not be evaluated.
    pub failed: u64,
}

/// The outcome of a validation, in a word or two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It held each time.
    Held,
    /// It did not hold at least once.
    Violated,
    /// No process came to its place.
    #[default]
    NeverReached,
    /// Its place was reached, and it raised each time.
    NotEvaluable,
}

impl Status {
    /// The word for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Violated => "violated",
            Self::NeverReached => "never reached",
            Self::NotEvaluable => "not evaluable",
        }
    }
}

//! Whether a change matters, and what shows it.

use serde::{Deserialize, Serialize};

/// Does the change matter?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The change matters, and this run shows it.
    Different(Box<Witness>),
    /// Runs differ, but only under values that are unlikely there.
    Possible(Box<Witness>),
    /// No run showed a difference, or there cannot be one.
    Equal(Ground),
    /// Whether the change matters could not be found out, for this reason.
    Unknown(String),
    /// Only the new version has the function.
    Added,
    /// Only the old version has it.
    Removed,
}

impl Verdict {
    /// The values under which two versions do different things, if some were found.
    pub fn witness(&self) -> Option<&Witness> {
        match self {
            Self::Different(witness) | Self::Possible(witness) => Some(witness),
            _ => None,
        }
    }

    /// One word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Verdict::Different(_) => "different",
            Verdict::Possible(_) => "possible",
            Verdict::Equal(_) => "equal",
            Verdict::Unknown(_) => "unknown",
            Verdict::Added => "added",
            Verdict::Removed => "removed",
        }
    }
}

/// Why two versions count as equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ground {
    /// But for comments, formatting, docstrings and annotations the code is the same.
    SameCode,
    /// So it is with other names of local variables.
    RenamedLocals,
    /// So it is but for ways to write the same.
    OneForm,
    /// All runs went the same way.
    Runs,
}

impl Ground {
    /// For people and for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Ground::SameCode => "same code",
            Ground::RenamedLocals => "same code, local variables renamed",
            Ground::OneForm => "same code, written in another way",
            Ground::Runs => "same behaviour",
        }
    }
}

/// Values under which two versions do different things.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// What was injected and answered: path and value.
    pub given: Vec<(String, String)>,
    /// In what they differ first: `call`, `return`, `raise`, `output`, ...
    pub kind: String,
    /// What the old version does there; nothing if it is over.
    pub old: Option<String>,
    /// What the new version does there.
    pub new: Option<String>,
    /// What the old version did, as far as it matters.
    pub old_entries: Vec<String>,
    /// What the new version did.
    pub new_entries: Vec<String>,
    /// The same as a test, where the call can be written without Surmise.
    pub test: Option<TestCase>,
}

/// A call of the function that ends otherwise in the two versions, with nothing injected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCase {
    /// The modules that the expressions need.
    pub imports: Vec<String>,
    /// The call, as an expression.
    pub call: String,
    /// How it ends in the old version.
    pub old: CallEnd,
    /// How it ends in the new version.
    pub new: CallEnd,
}

/// How a call ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallEnd {
    /// It returns what this expression says.
    Returns(String),
    /// It raises an exception of a class of this name.
    Raises(String),
}

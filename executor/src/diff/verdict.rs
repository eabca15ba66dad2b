//! What a comparison found.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::changed::Candidate;

/// What is said of one function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The function, or the record.
    pub name: String,
    /// The file it lies in, or lay in if it is gone; empty for records.
    pub path: String,
    /// First line in the old version and in the new.
    pub lines: (u32, u32),
    /// What was found.
    pub verdict: Verdict,
    /// How many runs there were of each version.
    pub runs: u32,
    /// Changed lines that some run reached, and all of them.
    pub changed: (u32, u32),
    /// Time spent.
    pub time: Duration,
}

impl Comparison {
    /// What is known of a candidate without a run.
    #[must_use]
    pub fn known(candidate: &Candidate) -> Self {
        let verdict = match &candidate.versions {
            Ok(_) => Verdict::Unknown("it was not run".to_owned()),
            Err((verdict, _)) => verdict.clone(),
        };
        Self {
            name: candidate.name.clone(),
            path: candidate.path.clone(),
            lines: candidate.lines(),
            verdict,
            runs: 0,
            changed: (0, 0),
            time: Duration::ZERO,
        }
    }

    /// Nothing was found out.
    #[must_use]
    pub fn unknown(candidate: &Candidate, why: String) -> Self {
        Self { verdict: Verdict::Unknown(why), ..Self::known(candidate) }
    }
}

/// Does the change matter?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It does, and this shows it.
    Different(Box<Witness>),
    /// No run showed a difference, or there cannot be one.
    Equal(Ground),
    /// That could not be found out.
    Unknown(String),
    /// Only the new version has the function.
    Added,
    /// Only the old version has it.
    Removed,
}

impl Verdict {
    /// One word.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Verdict::Different(_) => "different",
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
    /// All runs went the same way.
    Runs,
}

impl Ground {
    /// For people and for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Ground::SameCode => "same code",
            Ground::RenamedLocals => "same code, local variables renamed",
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
}

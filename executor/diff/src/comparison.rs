//! What a comparison found.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::candidate::Candidate;
use super::verdict::Verdict;

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
    /// True if both versions ran in their modules.
    pub in_place: bool,
    /// Why they ran as excerpts though they stand in modules.
    pub unplaced: Option<String>,
    /// Variables outside the function that it reads and whose values differ between the versions.
    pub reads: Vec<String>,
    /// How many runs there were of each version.
    pub runs: u32,
    /// Changed lines that some run reached, and all of them.
    pub changed: (u32, u32),
    /// Time spent.
    pub time: Duration,
}

impl Comparison {
    /// What is known of a candidate without a run.
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
            in_place: false,
            unplaced: None,
            reads: candidate
                .versions
                .as_ref()
                .map(|versions| versions.1.reads.keys().cloned().collect())
                .unwrap_or_default(),
            runs: 0,
            changed: (0, 0),
            time: Duration::ZERO,
        }
    }

    /// Nothing was found out.
    pub fn unknown(candidate: &Candidate, why: String) -> Self {
        Self { verdict: Verdict::Unknown(why), ..Self::known(candidate) }
    }
}

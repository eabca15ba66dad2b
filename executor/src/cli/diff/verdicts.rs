//! Options of `surmise diff` that name verdicts.

use surmise_diff::render::Totals;
use surmise_diff::verdict::Verdict;

/// A verdict (`--only`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Shown {
    /// Runs differ.
    Different,
    /// Runs differ under unlikely values only.
    Possible,
    /// Nothing was found out, or part of the change was not reached.
    Unknown,
    /// No run differs, or the code is the same.
    Equal,
    /// Only the new version has the function.
    Added,
    /// Only the old version has it.
    Removed,
}

impl Shown {
    pub(super) fn fits(self, verdict: &Verdict) -> bool {
        match self {
            Self::Different => matches!(verdict, Verdict::Different(_)),
            Self::Possible => matches!(verdict, Verdict::Possible(_)),
            Self::Unknown => matches!(verdict, Verdict::Unknown(_)),
            Self::Equal => matches!(verdict, Verdict::Equal(_)),
            Self::Added => matches!(verdict, Verdict::Added),
            Self::Removed => matches!(verdict, Verdict::Removed),
        }
    }
}

/// A verdict that the exit code tells of (`--fail-on`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FailOn {
    /// Runs differ.
    Different,
    /// Runs differ under unlikely values only.
    Possible,
    /// Nothing was found out, or part of the change was not reached.
    Unknown,
}

impl FailOn {
    pub(super) fn count(self, totals: &Totals) -> u32 {
        match self {
            Self::Different => totals.different,
            Self::Possible => totals.possible,
            Self::Unknown => totals.unknown,
        }
    }
}

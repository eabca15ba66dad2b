//! The run that is the likeliest to be a real one, beside the one that covered most.

use surmise_engine::execute::Outcome;
use surmise_engine::protocol::Injection;
use surmise_ledger::Facts;
use surmise_plausibility::{candidates, most_plausible};
use surmise_value_model::plausibility::Features;

use super::branches::Branch;
use super::positions::Positions;

/// The run that is the likeliest to be a real one (`surmise_plausibility`).
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct PlausibleRun {
    /// Its place among the runs, from 1.
    pub run: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// Class of the error that ended it.
    pub error: Option<String>,
    /// Number of lines that count and that it reached.
    pub covered: usize,
    /// These lines.
    pub covered_lines: Vec<u32>,
    /// Blocks that branches led it to.
    pub branches: Vec<Branch>,
    /// What it injected and answered, in order.
    pub injections: Vec<Injection>,
}

/// A run that may be the most plausible one.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Candidate {
    /// Lines that count and that the run reached.
    pub covered_lines: Vec<u32>,
    /// What decides how plausible it is, in the order of [`surmise_value_model::plausibility::FEATURES`].
    pub features: Features,
}

impl PlausibleRun {
    /// The most plausible run of a ledger; `positions` are those of the source as given.
    pub(crate) fn of(facts: Facts<'_>, positions: &Positions) -> Self {
        let number = most_plausible(facts);
        let entry = &facts.ledger.entries()[number];
        Self {
            run: number + 1,
            outcome: entry.outcome,
            error: entry.error.as_ref().map(|error| error.kind.clone()),
            covered: entry.covered.len(),
            covered_lines: entry.covered.clone(),
            branches: Branch::taken(facts, entry),
            injections: entry.injections.iter().map(|value| positions.injection(value.clone())).collect(),
        }
    }
}

impl Candidate {
    /// The runs of a ledger that may be the most plausible one, in their order.
    pub(crate) fn all(facts: Facts<'_>) -> Vec<Self> {
        let candidate = |(number, features): (usize, Features)| {
            let entry = &facts.ledger.entries()[number];
            Self { covered_lines: entry.covered.clone(), features }
        };
        candidates(facts).into_iter().map(candidate).collect()
    }
}

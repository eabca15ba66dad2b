//! Which of the runs of a program is the likeliest to be one that really happens.
//!
//! A search looks for what no run has reached, so that the run which covers most is seldom a usual one. Each run is
//! described by features; weights that were learned from recorded calls ([`surmise_value_model::plausibility`]) score it,
//! and the run with the highest score is the most plausible.

mod features;
#[cfg(test)]
mod tests;

use surmise_ledger::Facts;
use surmise_value_model::Plausibility;
use surmise_value_model::plausibility::Features;

/// Places in the ledger and features of the runs that may be the most plausible one: those of the program itself whose
/// values the predictor or an error suggested. Calls that the search makes beside the program, and probes of it, are not
/// what happens to it.
#[must_use]
pub fn candidates(facts: Facts<'_>) -> Vec<(usize, Features)> {
    let conditions = features::Conditions::of(facts);
    let entries = facts.ledger.entries().iter().enumerate();
    let own = entries.filter(|(_, entry)| entry.trial.call.is_none() && !entry.trial.is_probe());
    own.map(|(number, entry)| (number, conditions.features(entry))).collect()
}

/// The place in the ledger of the most plausible run.
#[must_use]
pub fn most_plausible(facts: Facts<'_>) -> usize {
    if facts.ledger.entries().len() < 2 {
        return 0;
    }
    let (numbers, features): (Vec<usize>, Vec<Features>) = candidates(facts).into_iter().unzip();
    numbers.get(Plausibility::built_in().choose(&features)).copied().unwrap_or(0)
}

//! What runs under several samples of standard input say of an error.

use std::collections::BTreeMap;

use surmise_engine::execute::Outcome;
use surmise_engine::protocol::Raised;
use surmise_ledger::{Entry, Facts};

use crate::{Finding, InputShare, Verdict};

/// The finding with its share of the samples. An error that some samples avoid is conditional on the input.
pub(crate) fn weighed(facts: Facts<'_>, entry: &Entry, error: &Raised, finding: Finding) -> Finding {
    let is_plain = |run: &&Entry| run.trial.changes() == 0 && run.trial.call == entry.trial.call;
    let mut by_sample: BTreeMap<u32, &Entry> = BTreeMap::new();
    for run in facts.ledger.entries().iter().filter(is_plain) {
        by_sample.entry(run.trial.sample).or_insert(run);
    }
    by_sample.retain(|_, run| run.outcome != Outcome::Timeout);
    if by_sample.len() < 2 {
        return finding;
    }
    let raised = by_sample.values().filter(|run| run.raised(&error.kind, error.line)).count() as u32;
    let avoids = |run: &&Entry| run.outcome == Outcome::Completed || run.passes_operation(error);
    let is_avoided = by_sample.values().any(avoids);
    let verdict =
        if finding.verdict == Verdict::Certain && is_avoided { Verdict::Conditional } else { finding.verdict };
    let input = InputShare { sample: entry.trial.sample, raised, tried: by_sample.len() as u32 };
    Finding { verdict, input: Some(input), ..finding }
}

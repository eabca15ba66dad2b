//! Which errors are a program's own, and how far.
//!
//! Three sources are weighed, all of them runs that were made already: an error is compared with the runs that do not
//! raise it ([`comparison`]), with those on real values ([`standing`]), and names that were filled in are looked at for
//! themselves ([`names`]). Everything here is a function over [`Facts`]; nothing is run.

mod comparison;
mod finding;
mod lookups;
mod names;
mod standing;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use surmise_engine::execute::Outcome;
use surmise_engine::protocol::Raised;
use surmise_ledger::{Entry, Facts};

pub use finding::{Dependence, Finding, Verdict};

/// All distinct errors of a program, certain ones first.
#[must_use]
pub fn findings(facts: Facts<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut seen = BTreeSet::new();
    let entries = facts.ledger.entries();
    let isolated: Vec<Entry> = entries.iter().flat_map(|entry| entry.isolated_failures()).map(Entry::from).collect();
    let failed = entries.iter().filter(|entry| entry.outcome == Outcome::Error);
    let mut entries: Vec<&Entry> = failed.chain(&isolated).collect();
    entries.sort_by_key(|entry| entry.trial.changes());
    // The error of the best run is named as it was raised there.
    entries.insert(0, facts.ledger.best());
    for entry in entries {
        let Some(error) = &entry.error else { continue };
        // Subclasses override a method that does nothing but `raise NotImplementedError`; only the harness calls it as
        // it is.
        let is_abstract = |error: &Raised| {
            error.kind == "NotImplementedError"
                && comparison::is_on_purpose(facts, error.line)
                && comparison::is_without_branches(facts, error.line)
        };
        if entry.trial.call.is_some() && is_abstract(error) {
            continue;
        }
        // What we cannot make an exception of is no error of the code.
        if error.kind == "InjectedError" {
            continue;
        }
        if seen.insert((error.kind.clone(), error.line, error.column)) {
            let finding = judged(facts, entry, error);
            // Of what only fails on values in shapes that the code is not meant for, nothing is to be said.
            if finding.verdict != Verdict::Guess || !entry.trial.is_probe() {
                findings.push(finding);
            }
        }
    }
    for finding in names::suspicions(facts) {
        if seen.insert((finding.raised.kind.clone(), finding.raised.line, finding.raised.column)) {
            findings.push(finding);
        }
    }
    findings.sort_by_key(|finding| (finding.verdict, finding.raised.line));
    findings
}

/// The verdict on an error; what real values say of it goes before what stand-ins do.
fn judged(facts: Facts<'_>, entry: &Entry, error: &Raised) -> Finding {
    let finding = comparison::compared(facts, entry, error);
    let settled = comparison::is_on_purpose(facts, error.line)
        || lookups::is_in_own_container(facts, error)
        || lookups::is_of_missing_return(facts, error);
    if finding.verdict == Verdict::Certain || settled {
        return finding;
    }
    match standing::probed(facts, entry.trial.call.as_ref(), error) {
        Some(verdict) => Finding { verdict, ..finding },
        None => finding,
    }
}

//! Which errors are a program's own, and how far.
//!
//! Three sources are weighed, all of them runs that were made already: an error is compared with the runs that do not
//! raise it ([`comparison`]), with those on real values ([`standing`]), and names that were filled in are looked at for
//! themselves ([`names`]). Everything here is a function over [`Facts`]; nothing is run.

mod comparison;
mod finding;
mod inputs;
mod instances;
mod lookups;
mod names;
mod other_versions;
mod standing;
mod surroundings;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use surmise_engine::execute::Outcome;
use surmise_engine::protocol::{Choice, Injection, Raised};
use surmise_ledger::{Entry, Facts, is_of_values};

pub use comparison::names_type_of_stand_in;
pub use finding::{Dependence, Finding, InputShare, Verdict};

/// All distinct errors of a program, certain ones first.
#[must_use]
pub fn findings(facts: Facts<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut seen = BTreeSet::new();
    let entries = facts.ledger.entries();
    let further: Vec<Entry> = entries.iter().flat_map(|entry| entry.further_failures()).map(Entry::from).collect();
    let failed = entries.iter().filter(|entry| entry.outcome == Outcome::Error);
    let mut entries: Vec<&Entry> = failed.chain(&further).collect();
    entries.sort_by_key(|entry| entry.trial.changes());
    // The error of the best run is named as it was raised there.
    entries.insert(0, facts.ledger.best());
    for entry in entries {
        let Some(error) = &entry.error else { continue };
        // Subclasses override a method that does nothing but `raise NotImplementedError`; only the harness calls it as
        // it is. A function that was asked for and always raises is meant to.
        let is_called = entry.trial.call.is_some();
        let is_of_function = facts.ledger.function.is_some();
        let is_meant = |error: &Raised| {
            let raises = comparison::is_on_purpose(facts, error.line);
            raises && comparison::is_without_branches(facts, error.line) && !error.elsewhere
        };
        if (is_of_function || is_called && error.kind == "NotImplementedError") && is_meant(error) {
            continue;
        }
        // What we cannot make an exception of is no error of the code.
        if error.kind == "InjectedError" {
            continue;
        }
        if seen.insert((error.kind.clone(), error.line, error.column)) {
            let finding = inputs::weighed(facts, entry, error, judged(facts, entry, error));
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

/// True if something that was made up may have led to an error, in every run that raised it.
#[must_use]
pub fn is_of_made_up(facts: Facts<'_>, error: &Raised) -> bool {
    let is_same = |own: &Raised| own.kind == error.kind && own.line == error.line;
    let entries = facts.ledger.entries().iter();
    let mut raising = entries.filter(|entry| entry.error.as_ref().is_some_and(is_same)).peekable();
    raising.peek().is_some() && raising.all(|entry| comparison::is_of_made_up(facts, entry, error))
}

/// True for an error that may come of the state of the function's imported module, or of others.
fn is_of_state(facts: Facts<'_>, error: &Raised) -> bool {
    let reads_state = || facts.failing(error).into_iter().any(|range| facts.plan.paths().reads_unbound(&range));
    let is_of_context = error.kind == "LookupError" && error.message.starts_with("<ContextVar");
    let is_of_thread = error.message.starts_with("'_thread._local' object");
    // Other code may have put another object in place of `sys.stdout`.
    let reads_stream = || {
        let lines = facts.failing(error).into_iter();
        let texts = lines.filter_map(|range| facts.plan.text.get(range.start as usize..range.end as usize));
        texts.into_iter().any(|text| ["stdin", "stdout", "stderr"].iter().any(|name| text.contains(name)))
    };
    let is_of_stream = error.message.starts_with("'_io.TextIOWrapper' object has no attribute") && reads_stream();
    error.elsewhere || is_of_context || is_of_thread || is_of_stream || reads_state()
}

/// The variable of the imported module that a search has changed in every run that raises an error: the state that it stands for
/// may be another machine's.
fn changed_state(facts: Facts<'_>, error: &Raised) -> Option<Dependence> {
    let raising: Vec<&Entry> =
        facts.ledger.entries().iter().filter(|entry| entry.raised(&error.kind, error.line)).collect();
    let changed = |entry: &&Entry| {
        let is_chosen = |value: &&Injection| entry.trial.choices.contains_key(&format!("state:{}", value.name));
        entry.injections.iter().find(is_chosen).map(Dependence::of)
    };
    raising.first().and_then(changed).filter(|_| raising.iter().all(|entry| changed(entry).is_some()))
}

/// True for an error of a value that comes of a stand-in without elements alone: no real value is in the wrong shape for
/// that, and probes do not vary what calls give.
fn is_of_emptiness(entry: &Entry, error: &Raised) -> bool {
    let is_empty = |choice: &Choice| *choice == Choice::Count(0);
    is_of_values(error) && entry.trial.values.is_empty() && entry.trial.choices.values().any(is_empty)
}

/// The name that a read did not find.
fn unbound_name(error: &Raised) -> Option<&str> {
    let quoted = || error.message.split('\'').nth(1);
    let is_read = match error.kind.as_str() {
        "NameError" => error.message.ends_with("is not defined"),
        "UnboundLocalError" => true,
        _ => false,
    };
    is_read.then(quoted).flatten()
}

/// True for a read of a name that the imported module binds nowhere: names that it may come to have are injected.
fn is_of_nobodys_name(facts: Facts<'_>, entry: &Entry, error: &Raised) -> bool {
    let is_read = error.kind == "NameError";
    is_read
        && unbound_name(error).is_some_and(|name| !facts.plan.paths().is_assigned(name))
        && !error.elsewhere
        && entry.in_place == Some(Ok(()))
        && !comparison::is_on_purpose(facts, error.line)
        && !comparison::is_of_made_up_code(facts, entry, error)
}

/// True for a name that an excerpt lacks whose module could not be imported: it was to be there, and was cut away.
fn is_of_cut_module(entry: &Entry, error: &Raised) -> bool {
    error.kind == "NameError" && error.message.ends_with("is not defined") && matches!(entry.in_place, Some(Err(_)))
}

/// The verdict on an error; what real values say of it goes before what stand-ins do.
fn judged(facts: Facts<'_>, entry: &Entry, error: &Raised) -> Finding {
    let mut finding = comparison::compared(facts, entry, error);
    if is_of_nobodys_name(facts, entry, error) {
        finding.verdict = Verdict::Certain;
        if let Some(condition) = other_versions::way_there(facts, entry, error) {
            finding.verdict = Verdict::Conditional;
            finding.depends_on.extend(condition);
        }
        return finding;
    }
    let is_elsewhere = || is_of_cut_module(entry, error) || other_versions::is_of_absent_function(entry, error);
    if finding.verdict == Verdict::Certain && is_elsewhere() {
        return Finding { verdict: Verdict::Guess, ..finding };
    }
    // What a function that was asked for raises on purpose, it raises for callers that are not here.
    let is_asked_for = entry.trial.call.is_some() || facts.ledger.function.is_some();
    if finding.verdict == Verdict::Certain && is_asked_for && comparison::is_on_purpose(facts, error.line) {
        finding.verdict = Verdict::Conditional;
    }
    if finding.verdict == Verdict::Certain && entry.in_place == Some(Ok(())) {
        // The state of an imported module is one that callers put into another before they call.
        if is_of_state(facts, error) {
            finding.verdict = Verdict::Guess;
        } else if comparison::is_of_made_up(facts, entry, error) {
            finding.verdict = Verdict::Conditional;
        }
    }
    let is_unnamed = finding.verdict == Verdict::Conditional && finding.depends_on.is_empty();
    if (finding.verdict == Verdict::Certain || is_unnamed)
        && let Some(variable) = changed_state(facts, error)
    {
        finding.verdict = Verdict::Conditional;
        finding.depends_on.push(variable);
        return finding;
    }
    if finding.verdict == Verdict::Certain
        && let Some(object) = instances::new_object(facts, entry, error)
            .or_else(|| instances::own_class(facts, entry, error))
            .or_else(|| lookups::absent_import(facts, error))
            .or_else(|| lookups::awaited_import(facts, entry, error))
            .or_else(|| surroundings::read(facts, error))
    {
        finding.verdict = Verdict::Conditional;
        finding.depends_on.push(object);
        return finding;
    }
    if finding.verdict == Verdict::Certain
        && let Some(condition) = other_versions::way_there(facts, entry, error)
    {
        finding.verdict = Verdict::Conditional;
        finding.depends_on.extend(condition);
        return finding;
    }
    // Callers see to it that a loop has an element.
    if finding.verdict == Verdict::Certain
        && entry.in_place == Some(Ok(()))
        && unbound_name(error).is_some_and(|name| facts.plan.paths().is_only_looped(name))
    {
        finding.verdict = Verdict::Conditional;
    }
    let settled = comparison::is_on_purpose(facts, error.line)
        || comparison::is_of_made_up_code(facts, entry, error)
        || lookups::is_in_own_container(facts, error)
        || lookups::is_of_missing_return(facts, error)
        || lookups::is_of_search_without_match(facts, entry, error)
        || is_of_emptiness(entry, error);
    if finding.verdict == Verdict::Certain || settled {
        return finding;
    }
    if lookups::is_of_record(facts, error) {
        return Finding { verdict: Verdict::Guess, ..finding };
    }
    match standing::probed(facts, entry.trial.call.as_ref(), error) {
        Some(verdict) => Finding { verdict, ..finding },
        None => finding,
    }
}

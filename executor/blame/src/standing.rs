//! What runs on real values say of an error: whether it comes with the values that the code is meant for.

use std::collections::{BTreeMap, BTreeSet};

use surmise_engine::execute::Outcome;
use surmise_engine::protocol::Raised;
use surmise_ledger::shapes::Shape;
use surmise_ledger::{Entry, Facts, is_of_types, is_of_values};

use crate::Verdict;
use crate::names::is_program;

/// Probes with the same shapes.
struct Group<'a> {
    runs: Vec<&'a Entry>,
    /// Lines that any of them reached.
    covered: BTreeSet<u32>,
    /// Most lines of one that came to its end; `None` if none did.
    clean: Option<usize>,
}

/// True if a text or container was not what the code wants to take out of it.
fn is_of_reading(error: &Raised) -> bool {
    let of_literal = ["invalid literal", "could not convert", "unpack"].iter().any(|part| error.message.contains(part));
    error.kind != "ValueError" || of_literal
}

/// The verdict that probes give; `None` if they say nothing.
pub(crate) fn probed(facts: Facts<'_>, call: Option<&String>, error: &Raised) -> Option<Verdict> {
    if !is_of_types(error) && !is_of_values(error) {
        return None;
    }
    let groups = groups(facts, call);
    let probed = || groups.values().flat_map(|group| &group.runs);
    if groups.is_empty() || !probed().any(|run| run.reached(error.line)) {
        return None;
    }
    let Some(most) = groups.values().filter_map(|group| group.clean).max() else {
        if !facts.ledger.unsolved.contains(&call.cloned()) {
            return None;
        }
        // No values whatever: the error that the code gets to last is in its way.
        let deepest = probed().filter(|run| run.outcome == Outcome::Error).map(|run| run.covered.len());
        let deepest = deepest.max()?;
        let found = probed().find(|run| run.raised(&error.kind, error.line) && run.covered.len() == deepest);
        return Some(match found {
            Some(run) if !is_of_text(facts, run, error) || !is_of_reading(error) => Verdict::Conditional,
            _ => Verdict::Guess,
        });
    };
    let own = |group: &Group<'_>, run: &Entry| {
        let raised = run.error.as_ref().unwrap_or(error);
        let accepted = group.clean == Some(most);
        if is_of_types(raised) {
            // Two made-up values that do not go together: either could be another. One that does not go with what
            // the code made itself: that the code is meant for others is seen where they go farther.
            let made = group.clean.is_some() && group.covered.len() >= most && is_of_combination(facts, raised);
            (accepted || made) && facts.named_operands(run, raised).len() < 2
        } else {
            accepted && !is_of_text(facts, run, raised)
        }
    };
    let is_own =
        |group: &Group<'_>| group.runs.iter().any(|run| run.raised(&error.kind, error.line) && own(group, run));
    let found = groups.values().any(is_own);
    Some(if found { Verdict::Conditional } else { Verdict::Guess })
}

/// True if two values of wrong types meet, as in `rows += row`.
fn is_of_combination(facts: Facts<'_>, error: &Raised) -> bool {
    let message = &error.message;
    let extends = || {
        let statement = facts.plan.paths().statement(error.line);
        statement.is_some_and(|range| facts.plan.text[range.start as usize..range.end as usize].contains("+="))
    };
    message.contains("can only concatenate")
        || message.contains("unsupported operand")
        || (message.contains("is not iterable") && extends())
}

/// The probes of a call, by the shapes of the values that they gave.
fn groups<'a>(facts: Facts<'a>, call: Option<&String>) -> BTreeMap<Vec<(&'a str, Shape)>, Group<'a>> {
    let mut groups: BTreeMap<Vec<(&str, Shape)>, Group<'a>> = BTreeMap::new();
    for run in facts.ledger.probes().filter(|run| run.trial.call.as_ref() == call) {
        let shapes = run.given.iter().map(|(key, given)| (key.as_str(), given.shape)).collect();
        let group =
            groups.entry(shapes).or_insert_with(|| Group { runs: Vec::new(), covered: BTreeSet::new(), clean: None });
        group.covered.extend(&run.covered);
        let clean = (run.outcome == Outcome::Completed).then_some(run.covered.len());
        group.clean = group.clean.max(clean);
        group.runs.push(run);
    }
    groups
}

/// True for what fails because a made-up text is in no format, or is not the input that the program was promised.
fn is_of_text(facts: Facts<'_>, run: &Entry, error: &Raised) -> bool {
    let text = |name: &String| run.given[name].shape == Shape::Text;
    is_of_values(error) && (is_program(facts) || facts.named_operands(run, error).iter().any(text))
}

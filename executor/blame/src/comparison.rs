//! The verdict on an error by comparison: what differs in runs that do not raise it.

use std::ops::Range;

use surmise_engine::protocol::{Injection, Raised};
use surmise_instrument::paths::Branch;
use surmise_ledger::{Entry, Facts, is_of_names, is_of_types};
use surmise_value_model::Class;

use crate::{Dependence, Finding, Verdict};

/// Errors of reading something out of a text.
const OF_TEXTS: [&str; 3] = ["ValueError", "IndexError", "KeyError"];
/// So many other values have to have failed, too, before an error of an injected value's type is the code's.
const ENOUGH_ATTEMPTS: usize = 3;

/// The verdict by comparison of the runs that raise an error with those that do not.
pub(crate) fn compared(facts: Facts<'_>, entry: &Entry, error: &Raised) -> Finding {
    let finding = |verdict, depends_on| Finding {
        depends_on,
        function: entry.trial.call.clone(),
        ..Finding::new(error.clone(), verdict)
    };
    // Nothing may also have been injected because the code expects the failure; another run insists.
    if entry.injections.iter().all(Injection::is_implicit_import) && entry.expected.is_empty() {
        return finding(Verdict::Certain, Vec::new());
    }
    let operands = facts.operands(entry, error);
    // To raise is what a `raise` is for: the question is what led there.
    let on_purpose = is_on_purpose(facts, error.line);
    let same_call: Vec<&Entry> = facts.ledger.of_call(entry.trial.call.as_ref()).collect();
    let without = |other: &&&Entry| {
        other.passes(error.line) || (on_purpose && other.error.as_ref().is_none_or(|other| other.line != error.line))
    };
    let of_types = is_of_types(error);
    // A made-up text is in no format: what reads one out of it fails for that alone.
    let is_text = |site| facts.assigned(entry, site).is_some_and(|assigned| assigned.class == Class::Str);
    let of_text = !on_purpose && OF_TEXTS.contains(&error.kind.as_str()) && operands.iter().any(|&site| is_text(site));
    let avoiding = same_call.iter().filter(without).min_by_key(|other| entry.differing_sites(other).len());
    let Some(avoiding) = avoiding else {
        // Probes try what the code may not be meant for.
        let guided = same_call.iter().filter(|other| !other.trial.is_probe());
        let again = guided.filter(|other| other.error.as_ref().is_some_and(|e| e.line == error.line));
        let tried = again.count() > ENOUGH_ATTEMPTS;
        let verdict = if on_purpose && !tried && is_led_to(facts, entry, error.line) {
            Verdict::Conditional
        } else if is_of_names(error) || !is_fed(facts, entry, error) || (of_types && tried) {
            Verdict::Certain
        } else if of_types || of_text {
            Verdict::Guess
        } else {
            // Some value that nobody tried may be right.
            Verdict::Conditional
        };
        return finding(verdict, Vec::new());
    };
    let differing = entry.differing_sites(avoiding);
    let of_differing = |value: &&Injection| value.site.is_some_and(|site| differing.contains(&site));
    let depends_on = entry.injections.iter().filter(of_differing).map(Dependence::of).collect();
    let of_operand = differing.iter().any(|site| operands.contains(site));
    finding(if of_text || of_operand && of_types { Verdict::Guess } else { Verdict::Conditional }, depends_on)
}

/// True for a line that raises by design: `raise`, `assert`.
pub(crate) fn is_on_purpose(facts: Facts<'_>, line: u32) -> bool {
    let statement = facts.plan.paths().statement(line).map(|range| &facts.plan.text[range.start as usize..]);
    statement.is_some_and(|text| text.starts_with("raise") || text.starts_with("assert"))
}

/// True if something that was injected or answered may reach the failing operation.
fn is_fed(facts: Facts<'_>, entry: &Entry, error: &Raised) -> bool {
    facts.failing(error).into_iter().next().is_none_or(|failing| reaches(facts, entry, failing))
}

/// True if something that was injected or answered may reach a condition around a line.
fn is_led_to(facts: Facts<'_>, entry: &Entry, line: u32) -> bool {
    let around = |branch: &&Branch| branch.ways.iter().any(|way| (way.lines.0..=way.lines.1).contains(&line));
    facts.plan.paths().branches.iter().filter(around).any(|branch| reaches(facts, entry, branch.decides.clone()))
}

/// True if something that was injected or answered may reach a range of the text.
fn reaches(facts: Facts<'_>, entry: &Entry, range: Range<u32>) -> bool {
    let Some(fed) = facts.plan.paths().origins(range) else { return true };
    let mut sites = Vec::new();
    facts.standing_in(entry.sites(), fed.clone(), &mut sites);
    if !sites.is_empty() {
        return true;
    }
    // What was imported for the code is real.
    let made_up = |value: &&Injection| value.site.is_none() && !value.is_implicit_import();
    entry.injections.iter().filter(made_up).any(|answer| {
        // Answers have a line, and a column only sometimes.
        let start = facts.line_start(answer.line);
        let (start, end) = match answer.column {
            0 => (start, facts.line_start(answer.line + 1).max(start + 1)),
            column => (start + column, start + column + 1),
        };
        fed.iter().any(|(_, range)| range.start < end && start < range.end)
    })
}

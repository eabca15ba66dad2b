//! Answers of a run that a search may turn: what operations on stand-ins, arguments and the environment gave.

use std::ops::Range;

use surmise_engine::plan::Trial;
use surmise_engine::protocol::{Choice, Chosen};
use surmise_instrument::paths::{Branch, Wish};
use surmise_ledger::{Entry, Facts};

/// Answers that make an argument or a variable of the environment, or the number of arguments, what the conditions
/// of a branch compare it with.
pub(crate) fn compared_with<'a>(
    facts: Facts<'a>,
    chosen: &'a Chosen,
    branch: &'a Branch,
) -> impl Iterator<Item = Choice> + 'a {
    let inside = |range: &Range<u32>| branch.decides.start <= range.start && range.end <= branch.decides.end;
    let hints = facts.plan.paths().hints.iter().filter(move |hint| inside(&hint.subject));
    hints.filter_map(|hint| match (&chosen.answer, &hint.wish) {
        (Choice::Text(_), Wish::Text(text) | Wish::Holds(text)) => Some(Choice::Text(text.clone())),
        (Choice::Text(_), Wish::Integer(number)) => Some(Choice::Text(number.to_string())),
        (Choice::Text(_), Wish::Real(number)) => Some(Choice::Text(number.to_string())),
        (Choice::Count(_), Wish::Length(count)) if chosen.key.starts_with("length:") => Some(Choice::Count(*count)),
        (Choice::Count(_), Wish::Integer(number)) if chosen.key.starts_with("number:") => {
            u16::try_from(*number).ok().map(Choice::Count)
        }
        _ => None,
    })
}

/// True for an answer at a branch, for an option that the branch reads, and for what a function was called with.
pub(crate) fn may_decide(facts: Facts<'_>, chosen: &Chosen, branch: &Branch) -> bool {
    if let Some(option) = chosen.key.strip_prefix("argument:") {
        let origins = &facts.plan.paths().origins;
        let is_option = |read: &str| read.strip_prefix('.') == Some(option);
        let mut ranges = origins.near(branch.decides.clone()).into_iter();
        return ranges.any(|(_, range)| origins.read_in(range).any(|read| is_option(read)));
    }
    if chosen.key.starts_with("number:") {
        let on_line = |(_, range): &(u32, Range<u32>)| {
            (facts.position(range.start).0..=facts.position(range.end).0).contains(&chosen.line)
        };
        return facts.plan.paths().origins.near(branch.decides.clone()).iter().any(on_line);
    }
    if let Choice::Text(_) = chosen.answer {
        let origins = &facts.plan.paths().origins;
        let name = chosen.key.strip_prefix("text:").unwrap_or_default();
        let covers = |range: &Range<u32>| {
            let lines = facts.position(range.start).0..=facts.position(range.end).0;
            lines.contains(&chosen.line)
                || facts.plan.text[range.start as usize..range.end as usize].contains(name)
                || origins.read_in(range.clone()).any(|read| read.strip_prefix('.') == Some(name))
        };
        return origins.near(branch.decides.clone()).iter().any(|(_, range)| covers(range));
    }
    (branch.lines.0..=branch.lines.1).contains(&chosen.line)
        || ["instance:", "star:", "stars:"].iter().any(|kind| chosen.key.starts_with(kind))
}

/// The same trial with a decision turned the other way.
pub(crate) fn flipped(base: &Entry, chosen: &Chosen) -> Option<Trial> {
    let answer = match chosen.answer {
        Choice::Truth(truth) => Choice::Truth(!truth),
        Choice::Count(count) => Choice::Count((count == 0).into()),
        // Of a few that are allowed, what is none of them stands for another one.
        Choice::Text(ref text) => Choice::Text(if text == "1" { "a" } else { "1" }.to_owned()),
        Choice::Raises(_) => return None,
    };
    Some(base.trial.with_choice(&chosen.key, answer))
}

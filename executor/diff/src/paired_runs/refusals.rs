//! Differences in how values are refused, which may say more about the values than about the change.

use surmise_blame::is_of_made_up;
use surmise_engine::protocol::{Literal, Raised};
use surmise_ledger::{Entry, Facts};
use surmise_value_model::Class;

use super::{Given, PairedRuns, is_likely};
use crate::behaviour::difference;
use crate::verdict::Witness;

/// A number of calls that may be too many: half of the depth that CPython allows.
const LARGE: u128 = 500;

/// True where code that is not the function's own refused a value, or names what only Python 2 has, which says little of the
/// function.
pub(super) fn is_refusal_elsewhere(error: &Raised) -> bool {
    error.elsewhere && matches!(error.kind.as_str(), "TypeError" | "AttributeError" | "NameError")
}

impl PairedRuns<'_> {
    /// True for a difference that says more about the values of two runs than about the change.
    pub(super) fn is_weak_under(&self, given: &Given, runs: [&Entry; 2]) -> bool {
        let is_unusual = |run: &Entry| run.behaviour.as_ref().is_some_and(|behaviour| behaviour.is_unusual);
        let is_likely = is_likely(given) && !runs.into_iter().any(is_unusual) || self.fails_by_itself(runs);
        is_weak(runs[0], runs[1], is_likely) || is_out_of_stack(runs) || self.is_narrowed(runs)
    }

    /// True where one version alone fails for the types of values that are its own, and nothing that was made up can have led to
    /// them: it does so under any values.
    pub(super) fn fails_by_itself(&self, runs: [&Entry; 2]) -> bool {
        let fails = |version: usize| {
            let error = runs[version].error.as_ref();
            let error =
                error.filter(|error| !error.elsewhere && matches!(error.kind.as_str(), "TypeError" | "AttributeError"));
            let facts = Facts { plan: &self.plans[version], ledger: &self.ledgers[version] };
            error.is_some_and(|error| !is_of_made_up(facts, error))
        };
        fails(0) != fails(1)
    }

    /// True where a version differs in that it asserts of which type a value is: what is asserted for type checkers holds
    /// wherever else the code runs.
    fn is_narrowed(&self, runs: [&Entry; 2]) -> bool {
        let Some(witness) = difference(runs[0], runs[1]) else { return false };
        let ends = [witness.old, witness.new].into_iter().zip(runs).zip(&self.narrowing);
        ends.into_iter().any(|((end, run), lines)| {
            let line = run.error.as_ref().map(|error| error.line);
            end.as_deref() == Some("raise AssertionError") && line.is_some_and(|line| lines.contains(&line))
        })
    }

    /// True where a version refuses a value for its type, and that type is another one than is predicted there: the smallest
    /// values that show the difference have it.
    pub(super) fn is_refusal_of_class(&self, smallest: &Given, witness: &Witness) -> bool {
        let is_drawn = |(key, (_, literal)): (&String, &(Class, Option<Literal>))| {
            literal.is_none() && !self.shared.base[0].whole.contains(key)
        };
        refusals(witness).contains(&true) && smallest.classes.iter().any(is_drawn)
    }
}

/// A difference in how values of unusual types are refused says more about the values than about the change; so does one
/// between ways to refuse a value that both versions do.
fn is_weak(old: &Entry, new: &Entry, is_likely: bool) -> bool {
    difference(old, new).is_some_and(|witness| {
        let ends = [&witness.old, &witness.new].map(Option::as_deref);
        let is_way = |end| is_refusal(end) || end == Some("raise AssertionError");
        let both = ends.into_iter().all(is_way) && ends.into_iter().any(is_refusal);
        both || !is_likely && refusals(&witness).contains(&true)
    })
}

/// True where one version alone runs out of stack under a large number: what calls itself that often may as well be a loop.
fn is_out_of_stack(runs: [&Entry; 2]) -> bool {
    let is_out = |run: &Entry| run.error.as_ref().is_some_and(|error| error.kind == "RecursionError");
    let is_large = |text: &str| text.parse::<i128>().is_ok_and(|number| number.unsigned_abs() >= LARGE);
    let has_large = |run: &Entry| {
        run.behaviour.as_ref().is_some_and(|behaviour| behaviour.given.iter().any(|(_, value)| is_large(value)))
    };
    is_out(runs[0]) != is_out(runs[1]) && runs.into_iter().all(has_large)
}

/// True where both versions refuse the values in the end and one of them calls more before that: neither would come further
/// with values of that kind, and what is called first is a matter of order.
pub(super) fn is_order_of_refusals(old: &Entry, new: &Entry) -> bool {
    let is_refused = |run: &Entry| {
        run.error.as_ref().is_some_and(|error| matches!(error.kind.as_str(), "TypeError" | "AttributeError"))
    };
    let is_call = |entry: Option<&str>| entry.is_some_and(|entry| entry.starts_with("call "));
    let is_earlier = |witness: Witness| {
        let (old, new) = (witness.old.as_deref(), witness.new.as_deref());
        is_refusal(old) && is_call(new) || is_call(old) && is_refusal(new)
    };
    is_refused(old) && is_refused(new) && difference(old, new).is_some_and(is_earlier)
}

fn is_refusal(entry: Option<&str>) -> bool {
    matches!(entry, Some("raise TypeError" | "raise AttributeError"))
}

/// Whether each version refuses the values.
fn refusals(witness: &Witness) -> [bool; 2] {
    let both = [(&witness.old, &witness.old_entries), (&witness.new, &witness.new_entries)];
    both.map(|(end, around)| is_refusal(end.as_deref()) || is_late_refusal(end.as_deref(), around))
}

/// True where a run gave an iterator that refuses the values before it gives anything.
fn is_late_refusal(entry: Option<&str>, around: &[String]) -> bool {
    let is_iterator = entry == Some("return iterator");
    is_iterator && matches!(around, [.., given, end] if Some(given.as_str()) == entry && is_refusal(Some(end)))
}

#[cfg(test)]
mod tests {
    use surmise_engine::execute::Execution;
    use surmise_engine::protocol::Behaviour;

    use super::*;

    #[test]
    fn depth_is_no_difference_under_large_numbers() {
        let entry = |kind: Option<&str>, value: &str| {
            let given = vec![("n".to_owned(), value.to_owned())];
            let behaviour = Behaviour { given, ..Behaviour::default() };
            let error = kind.map(|kind| Raised { kind: kind.to_owned(), ..Raised::default() });
            Entry::from(Execution { behaviour: Some(behaviour), error, ..Execution::default() })
        };
        let (deep, loops) = (Some("RecursionError"), None);
        assert!(is_out_of_stack([&entry(deep, "1000"), &entry(loops, "1000")]));
        assert!(is_out_of_stack([&entry(loops, "-1000000"), &entry(deep, "-1000000")]));
        assert!(!is_out_of_stack([&entry(deep, "3"), &entry(loops, "3")]), "it never ends");
        assert!(!is_out_of_stack([&entry(Some("ValueError"), "1000"), &entry(loops, "1000")]));
        assert!(!is_out_of_stack([&entry(deep, "'1000'"), &entry(loops, "'1000'")]));
    }

    #[test]
    fn two_ways_to_refuse_a_value_are_no_difference() {
        let entry = |kind: &str, text: &str| {
            let behaviour = Behaviour { entries: vec![(kind.to_owned(), text.to_owned())], ..Behaviour::default() };
            Entry::from(Execution { behaviour: Some(behaviour), ..Execution::default() })
        };
        let (returns, raises) = (entry("return", "1"), entry("raise", "ValueError"));
        let (first, second) = (entry("raise", "TypeError"), entry("raise", "AttributeError"));
        assert!(is_weak(&first, &second, true), "both refuse it");
        let entries =
            [("return", "iterator"), ("raise", "TypeError")].map(|(kind, text)| (kind.to_owned(), text.to_owned()));
        let late = Behaviour { entries: entries.to_vec(), ..Behaviour::default() };
        let late = Entry::from(Execution { behaviour: Some(late), ..Execution::default() });
        assert!(is_weak(&late, &returns, false), "an iterator does once it is iterated");
        assert!(!is_weak(&late, &first, true), "a caller sees the difference");
        assert!(is_weak(&first, &entry("raise", "AssertionError"), true), "both refuse it");
        assert!(!is_weak(&first, &returns, true), "one works with a likely value");
        assert!(is_weak(&first, &returns, false), "one works with an unlikely value");
        assert!(!is_weak(&raises, &returns, false) && !is_weak(&raises, &second, true), "not by its type");
    }
}

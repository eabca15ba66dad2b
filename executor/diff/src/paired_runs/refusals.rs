//! Differences in how values are refused, which may say more about the values than about the change.

use surmise_engine::protocol::Raised;
use surmise_ledger::Entry;

use crate::behaviour::difference;
use crate::verdict::Witness;

/// True where code that is not the function's own refused a value, which says little of the function.
pub(super) fn is_refusal_elsewhere(error: &Raised) -> bool {
    error.elsewhere && matches!(error.kind.as_str(), "TypeError" | "AttributeError")
}

/// A difference in how values of unusual types are refused says more about the values than about the change; so does one
/// between ways to refuse a value that both versions do.
pub(super) fn is_weak(old: &Entry, new: &Entry, is_likely: bool) -> bool {
    difference(old, new).is_some_and(|witness| {
        let (old, new) = (is_refusal(witness.old.as_deref()), is_refusal(witness.new.as_deref()));
        old && new || !is_likely && (old || new)
    })
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

#[cfg(test)]
mod tests {
    use surmise_engine::execute::Execution;
    use surmise_engine::protocol::Behaviour;

    use super::*;

    #[test]
    fn two_ways_to_refuse_a_value_are_no_difference() {
        let entry = |kind: &str, text: &str| {
            let behaviour = Behaviour { entries: vec![(kind.to_owned(), text.to_owned())], ..Behaviour::default() };
            Entry::from(Execution { behaviour: Some(behaviour), ..Execution::default() })
        };
        let (returns, raises) = (entry("return", "1"), entry("raise", "ValueError"));
        let (first, second) = (entry("raise", "TypeError"), entry("raise", "AttributeError"));
        assert!(is_weak(&first, &second, true), "both refuse it");
        assert!(!is_weak(&first, &returns, true), "one works with a likely value");
        assert!(is_weak(&first, &returns, false), "one works with an unlikely value");
        assert!(!is_weak(&raises, &returns, false) && !is_weak(&raises, &second, true), "not by its type");
    }
}

//! Orders in which changes are tried, and changes that are made at once.

use surmise_engine::plan::{Trial, Value};
use surmise_ledger::Entry;

/// Trials with the changes of two of these at once: a condition of several parts may need both.
pub(crate) fn together(base: &Trial, parts: &[Trial]) -> Vec<Trial> {
    let mut pairs = Vec::new();
    for (number, one) in parts.iter().enumerate() {
        for other in &parts[number + 1..] {
            let mut both = one.clone();
            let new_values = other.values.iter().filter(|(site, value)| base.values.get(*site) != Some(*value));
            let new_choices = other.choices.iter().filter(|(key, choice)| base.choices.get(*key) != Some(*choice));
            both.values.extend(new_values.map(|(site, value)| (*site, value.clone())));
            both.choices.extend(new_choices.map(|(key, choice)| (key.clone(), choice.clone())));
            // Where both change the same, one of the changes is lost.
            if both != *one && both != *other {
                pairs.push(both);
            }
        }
    }
    pairs
}

/// The first of each, then the second, and so on.
pub(crate) fn alternating<T>(ones: Vec<T>, others: Vec<T>) -> Vec<T> {
    let (mut ones, mut others) = (ones.into_iter(), others.into_iter());
    let pairs =
        std::iter::from_fn(|| Some([ones.next(), others.next()]).filter(|pair| pair.iter().any(Option::is_some)));
    pairs.flatten().flatten().collect()
}

/// Trials with the first value of each site, then with the second ones, and so on.
pub(crate) fn in_turn(base: &Entry, sites: &[u32], values: &[Vec<Value>], trials: &mut Vec<Trial>) {
    for place in 0..values.iter().map(Vec::len).max().unwrap_or(0) {
        for (&site, values) in sites.iter().zip(values) {
            trials.extend(values.get(place).map(|value| base.trial.with_value(site, value.clone())));
        }
    }
}

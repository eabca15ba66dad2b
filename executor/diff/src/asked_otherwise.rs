//! What two versions ask of values in different ways: one kind of value that answers all of them alike tells whether they do the
//! same.

use std::collections::{BTreeMap, BTreeSet};

use surmise_engine::protocol::{Aliases, Drawing, Literal};
use surmise_instrument::SourceModel;
use surmise_instrument::checked::{Equated, equated};
use surmise_instrument::counted::{counted, ordered};
use surmise_instrument::mappings::is_flag;

use super::checked_values::Checked;

/// Methods that texts have and hardly anything else, and that give texts.
const TEXTS_GIVEN_BY: [&str; 10] = [
    "strip",
    "lstrip",
    "rstrip",
    "lower",
    "upper",
    "casefold",
    "capitalize",
    "swapcase",
    "removeprefix",
    "removesuffix",
];

/// Values that two versions count with in different ways, or that one counts with and the other only puts in an order: another
/// formula gives the same number, but another stand-in.
pub(crate) fn counted_otherwise([old, new]: [&SourceModel; 2], aliases: &Aliases) -> BTreeSet<String> {
    let counted = [old, new].map(counted);
    let renamed = |keys: BTreeSet<String>| keys.iter().map(|key| aliases.key(key)).collect::<BTreeSet<String>>();
    let [in_old, in_new] = counted.each_ref().map(|ways| ways.keys().cloned().collect::<BTreeSet<String>>());
    let counts = [in_old, renamed(in_new)];
    let orders = [ordered(old), renamed(ordered(new))];
    let [of_old, of_new] = counted;
    let of_new = of_new.into_iter().map(|(key, ways)| (aliases.key(&key), ways)).collect();
    let mut found: BTreeSet<String> = in_other_ways(of_old, &of_new).into_keys().collect();
    for (one, other) in [(0, 1), (1, 0)] {
        let both = orders[one].intersection(&counts[other]);
        found.extend(both.filter(|key| !counts[one].contains(*key) || !orders[other].contains(*key)).cloned());
    }
    found
}

/// What methods of texts give, where only one version compares it with a text: the other may ask whether it is true.
pub(crate) fn compared_texts(models: [&SourceModel; 2]) -> BTreeSet<String> {
    let [old, new] = models.map(|model| equated(model).into_keys().collect::<BTreeSet<String>>());
    let gives_text =
        |key: &&String| key.strip_prefix("return value:").is_some_and(|method| TEXTS_GIVEN_BY.contains(&method));
    old.symmetric_difference(&new).filter(gives_text).cloned().collect()
}

/// Values that only one version compares with `True` or `False`: the other takes them for either, and so they are.
pub(crate) fn compared_with_bools(ways: [&BTreeMap<String, BTreeSet<String>>; 2]) -> BTreeSet<String> {
    let [old, new] = ways.map(|ways| -> BTreeSet<&String> {
        ways.iter().filter(|(_, ways)| is_flag(ways)).map(|(key, _)| key).collect()
    });
    old.symmetric_difference(&new).map(|key| (*key).clone()).collect()
}

/// What values are compared with in either version: first what it is in the old one, in its order.
pub(crate) fn equated_by_both([old, new]: [&SourceModel; 2], aliases: &Aliases) -> BTreeMap<String, Vec<Equated>> {
    let mut found = equated(old);
    for (key, constants) in equated(new) {
        let known = found.entry(aliases.key(&key)).or_default();
        for constant in constants {
            if !known.contains(&constant) {
                known.push(constant);
            }
        }
    }
    found
}

/// Values that both versions use, each in other ways than the other, with the ways of both: one kind of value that answers all of
/// them alike tells whether they do the same.
pub(crate) fn in_other_ways(
    old: BTreeMap<String, BTreeSet<String>>,
    new: &BTreeMap<String, BTreeSet<String>>,
) -> BTreeMap<String, BTreeSet<String>> {
    let both = old.into_iter().filter_map(|(key, ways)| Some((ways, new.get(&key)?, key)));
    both.filter(|(old, new, _)| old != *new).map(|(old, new, key)| (key, &old | new)).collect()
}

/// Leaves out values that fit no version: calls of one version alone fail in none, and what is asked in several ways what it holds is of
/// one kind, or nothing.
pub(crate) fn keep_fitting(checked: &mut Checked, drawing: &Drawing, called_by_both: &BTreeSet<String>) {
    let beginnings: [(&BTreeSet<String>, &[&str]); 3] = [
        (&drawing.asked_as_texts, &["'"]),
        (&drawing.sequences, &["[", "("]),
        (&drawing.mappings, &["{", "collections."]),
    ];
    for (key, values) in &mut *checked {
        let is_call_of_both = called_by_both.contains(key);
        let beginnings = beginnings.iter().find(|(keys, _)| keys.contains(key)).map(|(_, beginnings)| *beginnings);
        values.retain(|(_, value)| match value {
            Some(Literal::Raises(_)) => is_call_of_both,
            Some(Literal::Written(text)) => {
                beginnings.is_none_or(|all| text == "None" || all.iter().any(|beginning| text.starts_with(beginning)))
            }
            _ => true,
        });
    }
    checked.retain(|_, values| !values.is_empty());
}

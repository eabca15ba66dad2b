//! Runs next to those that reached a changed line: with another value where only one version asks for something.

use std::collections::BTreeSet;

use surmise_engine::plan::Plan;

use super::{Given, PairedRuns, is_likely};
use crate::candidate::Version;
use crate::changed_lines::{Indentation, changed_lines};

/// Runs of which others are made.
const MOST_REACHING: usize = 4;
/// How many are made.
const MOST_NEAR: usize = 16;

/// Runs that reached changed lines.
#[derive(Debug, Default)]
pub(super) struct Reaching {
    /// The first lines of the changed statements of each version.
    lines: [BTreeSet<u32>; 2],
    /// How many of them a run reached, and its values.
    runs: Vec<(usize, Given)>,
}

impl Reaching {
    pub(super) fn of(versions: [&Version; 2], plans: [&Plan; 2]) -> Self {
        let (old, new) = changed_lines(versions[0], versions[1], Indentation::Ignored);
        let first_lines = |(lines, plan): (Vec<u32>, &Plan)| {
            lines.into_iter().map(|line| plan.instrumented.marks.first_line(line)).collect()
        };
        Self { lines: [(old, plans[0]), (new, plans[1])].map(first_lines), runs: Vec::new() }
    }
}

impl PairedRuns<'_> {
    /// Takes note of a run that reached a changed line.
    pub(super) fn keep_if_reaching(&mut self, given: &Given, numbers: [usize; 2]) {
        let entries = self.entries(numbers);
        let reached = |version: usize| {
            entries[version].covered.iter().filter(|line| self.reaching.lines[version].contains(line)).count()
        };
        let reached = reached(0) + reached(1);
        if reached > 0 {
            self.reaching.runs.push((reached, given.clone()));
        }
    }

    /// The runs that reached most, likely ones first, each with one of the values that tell the versions apart.
    pub(super) fn near(&mut self) -> Vec<Given> {
        let mut reaching = std::mem::take(&mut self.reaching.runs);
        reaching.sort_by_key(|(reached, given)| (!is_likely(given), std::cmp::Reverse(*reached)));
        reaching.truncate(MOST_REACHING);
        let values: Vec<_> =
            self.shared.checked.iter().flat_map(|(key, values)| values.iter().map(move |value| (key, value))).collect();
        let mut pairs: Vec<(usize, usize)> =
            (0..values.len()).flat_map(|value| (0..reaching.len()).map(move |run| (value, run))).collect();
        pairs.sort_by_key(|(value, run)| value + run);
        let near = pairs.into_iter().map(|(value, run)| {
            let (key, value) = values[value];
            let mut near = reaching[run].1.clone();
            near.classes.insert(key.clone(), value.clone());
            near
        });
        near.take(MOST_NEAR).collect()
    }
}

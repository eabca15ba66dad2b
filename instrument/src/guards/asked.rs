//! What the guards of a file ask for, by the paths that they test. Code that is like other code of its file is often
//! guarded as that is, so a place knows the guards of the other places.

use std::collections::BTreeMap;
use std::ops::Range;

use compact_str::CompactString;
use rustc_hash::FxHashMap;

use super::condition::{Condition, Test};

/// Answers about one path at most, the nearest and most frequent first.
const MOST_ASKED: usize = 12;
/// Guards of one path or one name that are looked at.
const MOST_LOOKED_AT: usize = 64;
/// The nearest guards that a place knows.
const MOST_NEAR: usize = 6;
/// Guards of regions with the same beginning that a place knows.
const MOST_ALIKE: usize = 4;

/// Where a guard stands that tests the same path, or another path with the same last name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nearness {
    /// The same path in the same function.
    Function,
    /// The same path elsewhere in the file.
    File,
    /// A path with the same last name: `other.items` for `self.items`.
    Name,
}

/// A test of guards of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its template, as it holds in the regions of these guards.
    pub template: CompactString,
    /// What stands in its slots after the first.
    pub others: Vec<CompactString>,
    /// Where they are.
    pub nearness: Nearness,
    /// Number of guards.
    pub times: u32,
}

/// How a guard elsewhere in the file is like the place that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Likeness {
    /// The nearest one.
    Nearest,
    /// The second nearest.
    Second,
    /// One of the next.
    Near,
    /// The first that guards a region with the same beginning.
    Alike,
    /// Another one that guards a region with the same beginning.
    AlsoAlike,
}

/// One test of one guard.
#[derive(Clone, Debug)]
struct Stated {
    template: CompactString,
    slots: Vec<CompactString>,
    /// Where the condition begins in the source.
    at: u32,
    /// Where its function begins.
    function: u32,
}

/// The guards of a file.
#[derive(Debug, Default)]
pub(super) struct FileGuards {
    stated: Vec<Stated>,
    by_path: FxHashMap<CompactString, Vec<usize>>,
    by_name: FxHashMap<CompactString, Vec<usize>>,
    /// Paths by the name at their roots; those that begin with a name of the module under the empty text.
    by_root: BTreeMap<CompactString, Vec<CompactString>>,
    /// Where tests compare with `None`, and where they ask for truth.
    habits: [Vec<u32>; 2],
    /// Numbers of all tests in the order of the text.
    order: Vec<usize>,
    by_beginning: FxHashMap<CompactString, Vec<usize>>,
}

impl FileGuards {
    /// Adds a guard of the function that begins at `function`; `is_bound` says which names the function binds.
    pub(super) fn add(
        &mut self,
        (condition, begins): &(Condition, CompactString),
        function: u32,
        is_bound: impl Fn(&str) -> bool,
    ) {
        let Some(at) = start(condition) else { return };
        for Test { template } in condition.required() {
            let Some(subject) = template.slots.first().filter(|subject| !subject.is_text()) else { continue };
            let number = self.stated.len();
            self.by_path.entry(subject.text.clone()).or_default().push(number);
            self.by_name.entry(last(&subject.text).into()).or_default().push(number);
            let root = if is_bound(&subject.root) { subject.root.clone() } else { CompactString::default() };
            self.by_root.entry(root).or_default().push(subject.text.clone());
            match template.text.as_str() {
                "$0 is None" | "$0 is not None" => self.habits[0].push(at),
                "$0" | "not $0" => self.habits[1].push(at),
                _ => {}
            }
            self.stated.push(Stated {
                template: template.text.clone(),
                slots: template.slots.iter().map(|slot| slot.text.clone()).collect(),
                at,
                function,
            });
            self.by_beginning.entry(begins.clone()).or_default().push(number);
        }
    }

    /// What guards ask for about a path, but for those that begin in `removed`.
    pub(super) fn about(&self, path: &str, function: u32, removed: &[Range<u32>]) -> Vec<Asked> {
        let own = self.by_path.get(path).into_iter().flatten().take(MOST_LOOKED_AT);
        let named = self.by_name.get(last(path)).into_iter().flatten().take(MOST_LOOKED_AT);
        let named = named.filter(|&&number| self.stated[number].slots[0] != path);
        let mut found: Vec<Asked> = Vec::new();
        for stated in own.chain(named).map(|&number| &self.stated[number]) {
            if is_in(stated.at, removed) {
                continue;
            }
            let nearness = match (stated.slots[0] == path, stated.function == function) {
                (true, true) => Nearness::Function,
                (true, false) => Nearness::File,
                (false, _) => Nearness::Name,
            };
            let others = &stated.slots[1..];
            let known = found.iter_mut().find(|known| {
                known.nearness == nearness && known.template == stated.template && known.others == others
            });
            match known {
                Some(known) => known.times += 1,
                None => {
                    found.push(Asked {
                        template: stated.template.clone(),
                        others: others.to_vec(),
                        nearness,
                        times: 1,
                    });
                }
            }
        }
        found.sort_by_key(|asked| (asked.nearness, std::cmp::Reverse(asked.times)));
        found.truncate(MOST_ASKED);
        found
    }

    /// Paths of the module, and of the instance that `own` names, that guards test, the most frequent first.
    pub(super) fn paths(&self, own: Option<&str>, removed: &[Range<u32>], most: usize) -> Vec<&CompactString> {
        let is_kept = |path: &&CompactString| {
            let of = self.by_path.get(path.as_str()).into_iter().flatten();
            of.map(|&number| self.stated[number].at).any(|at| !is_in(at, removed))
        };
        let own = own.and_then(|own| self.by_root.get(own)).into_iter().flatten().filter(is_kept).take(most);
        let global = self.by_root.get("").into_iter().flatten().filter(is_kept).take(most);
        own.chain(global).collect()
    }

    /// How the file asks whether something is there: tests that compare with `None`, and those that ask for truth.
    pub(super) fn habits(&self, removed: &[Range<u32>]) -> [usize; 2] {
        let count = |places: &Vec<u32>| {
            let within = |range: &Range<u32>| {
                places.partition_point(|&at| at < range.end) - places.partition_point(|&at| at < range.start)
            };
            places.len().saturating_sub(removed.iter().map(within).sum())
        };
        [count(&self.habits[0]), count(&self.habits[1])]
    }

    /// Templates of the guards that are nearest to a place, and of those that guard regions with the same beginning.
    pub(super) fn like(&self, place: u32, begins: &str, removed: &[Range<u32>]) -> Vec<(CompactString, Likeness)> {
        let is_kept = |number: &usize| !is_in(self.stated[*number].at, removed);
        let (before, after) = self.order.split_at(self.order.partition_point(|&number| self.stated[number].at < place));
        let before = before.iter().rev().copied().filter(is_kept).take(MOST_NEAR);
        let mut near: Vec<usize> = before.chain(after.iter().copied().filter(is_kept).take(MOST_NEAR)).collect();
        near.sort_by_key(|&number| self.stated[number].at.abs_diff(place));
        near.truncate(MOST_NEAR);
        let near = near.into_iter().enumerate().map(|(rank, number)| {
            let likeness = [Likeness::Nearest, Likeness::Second, Likeness::Near][rank.min(2)];
            (self.stated[number].template.clone(), likeness)
        });
        let alike = self.by_beginning.get(begins).into_iter().flatten().copied().take(MOST_LOOKED_AT);
        let mut alike: Vec<usize> = alike.filter(is_kept).collect();
        alike.sort_by_key(|&number| self.stated[number].at.abs_diff(place));
        let alike = alike.into_iter().take(MOST_ALIKE).enumerate().map(|(rank, number)| {
            let likeness = if rank == 0 { Likeness::Alike } else { Likeness::AlsoAlike };
            (self.stated[number].template.clone(), likeness)
        });
        near.chain(alike).collect()
    }

    /// Sorts what was added.
    pub(super) fn finish(&mut self) {
        self.order = (0..self.stated.len()).collect();
        self.order.sort_by_key(|&number| self.stated[number].at);
        self.habits.iter_mut().for_each(|places| places.sort_unstable());
        for paths in self.by_root.values_mut() {
            paths.sort_by_key(|path| (std::cmp::Reverse(self.by_path.get(path).map_or(0, Vec::len)), path.clone()));
            paths.dedup();
        }
    }
}

/// True for a place in one of some ranges.
pub(super) fn is_in(at: u32, ranges: &[Range<u32>]) -> bool {
    ranges.iter().any(|range| range.contains(&at))
}

/// Where a condition begins.
fn start(condition: &Condition) -> Option<u32> {
    condition.tests().iter().flat_map(|test| &test.template.slots).map(|slot| slot.start).min()
}

/// The last name of a path.
fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use crate::SourceModel;
    use crate::guards::{Nearness, Sample, samples};

    fn guards_of(condition: &str) -> Vec<Sample> {
        let text = format!(
            "\
class Reader:
    def open(self, path=None, mode='r'):
        if {condition}:
            path.open(mode)
            self.log.write(path)
        self.log.close()

    def close(self, path):
        if path is not None:
            path.close()
        if self.log:
            self.log.close()
"
        );
        samples(&SourceModel::parse(text).expect("Python")).found
    }

    #[test]
    fn a_guard_that_was_taken_away_leaves_nothing_behind() {
        let seen = |condition: &str| {
            let view = guards_of(condition).swap_remove(0).view;
            let candidates = view.candidates.into_iter();
            let candidates: Vec<_> = candidates.map(|found| (found.text, found.features, found.asked)).collect();
            (view.features, view.like, candidates)
        };
        let first = seen("path is not None");
        for condition in ["path", "mode == 'w'", "self.log is None and not path", "self.other", "len(path) > 3"] {
            assert_eq!(seen(condition), first, "{condition}");
        }
    }

    #[test]
    fn guards_of_the_file_are_known_by_their_paths() {
        let found = guards_of("not self.log");
        let of = |sample: usize, path: &str| {
            let candidate = found[sample].view.candidates.iter().find(|candidate| candidate.text == path);
            let asked = candidate.map(|candidate| candidate.asked.iter());
            asked.into_iter().flatten().map(|asked| (asked.template.as_str(), asked.nearness)).collect::<Vec<_>>()
        };
        assert_eq!(of(0, "path"), [("$0 is not None", Nearness::File)]);
        assert_eq!(of(0, "self.log"), [("$0", Nearness::File)]);
        assert_eq!(of(1, "self.log"), [("$0", Nearness::Function), ("not $0", Nearness::File)]);
        assert_eq!(of(2, "self.log"), [("not $0", Nearness::File)]);
    }

    #[test]
    fn what_guards_of_the_file_name_may_be_named_here() {
        let found = guards_of("self.other and mode == 'binary'");
        let names = |sample: usize, path: &str| found[sample].view.candidates.iter().any(|found| found.text == path);
        assert!(names(1, "self.other") && !names(0, "self.other"));
        assert!(!names(0, "'binary'"));
    }
}

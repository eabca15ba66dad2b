//! Which files only changed their names, and which functions moved from one file to another.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

/// How much of two files must be the same for one to be the other under a new name, as for `git`.
const ALIKE: f64 = 0.5;
/// Pairs of files that are compared at most; beyond this, only those with the same name in other folders.
const MOST_PAIRS: usize = 250_000;

/// What is known of a file: its path and how often each line stands in it, by hash.
pub struct Contents {
    path: String,
    lines: Vec<(u64, u32)>,
    total: u32,
}

impl Contents {
    /// Of a file.
    pub fn of(path: &str, text: &str) -> Self {
        let mut counts: HashMap<u64, u32, rustc_hash::FxBuildHasher> = HashMap::default();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        for line in lines {
            *counts.entry(hash(line)).or_default() += 1;
        }
        let mut lines: Vec<(u64, u32)> = counts.into_iter().collect();
        lines.sort_unstable();
        let total = lines.iter().map(|(_, count)| count).sum();
        Self { path: path.to_owned(), lines, total }
    }

    fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The share of lines that both have.
    fn likeness(&self, other: &Self) -> f64 {
        let (mut mine, mut its, mut common) = (self.lines.iter().peekable(), other.lines.iter().peekable(), 0);
        while let (Some((one, count)), Some((two, times))) = (mine.peek(), its.peek()) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => drop(mine.next()),
                std::cmp::Ordering::Greater => drop(its.next()),
                std::cmp::Ordering::Equal => {
                    common += count.min(times);
                    mine.next();
                    its.next();
                }
            }
        }
        f64::from(common) / f64::from(self.total.max(other.total).max(1))
    }
}

/// A hash that is the same in each process.
pub fn hash<T: Hash>(value: T) -> u64 {
    rustc_hash::FxBuildHasher.hash_one(value)
}

/// Pairs of removed and added files that are one, the most alike first: the places in both lists.
pub fn renamed(removed: &[Contents], added: &[Contents]) -> Vec<(usize, usize)> {
    let names_only = removed.len().saturating_mul(added.len()) > MOST_PAIRS;
    let mut alike = Vec::new();
    for (from, old) in removed.iter().enumerate() {
        for (to, new) in added.iter().enumerate() {
            let same_name = old.file_name() == new.file_name();
            if names_only && !same_name || old.total == 0 {
                continue;
            }
            let likeness = old.likeness(new);
            if likeness >= ALIKE {
                // Of two that are as much alike, the one with the same name.
                alike.push((likeness + if same_name { 0.001 } else { 0.0 }, from, to));
            }
        }
    }
    one_to_one(alike)
}

/// How much the lines of two definitions have in common, from 0 to 1.
pub fn likeness<T: PartialEq>(one: &[T], other: &[T]) -> f64 {
    let common = one.iter().filter(|line| other.contains(line)).count() * 2;
    common as f64 / (one.len() + other.len()).max(1) as f64
}

/// Takes pairs by their likeness, each place once.
pub fn one_to_one(mut alike: Vec<(f64, usize, usize)>) -> Vec<(usize, usize)> {
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut from_taken, mut to_taken) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    let free = |(_, from, to): &(f64, usize, usize)| {
        let free = !from_taken.contains(from) && !to_taken.contains(to);
        free && from_taken.insert(*from) && to_taken.insert(*to)
    };
    let mut taken: Vec<_> = alike;
    taken.retain(free);
    taken.into_iter().map(|(_, from, to)| (from, to)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_paired_by_what_they_hold() {
        let text = |lines: &[&str]| lines.join("\n");
        let old = [
            Contents::of("a/x.py", &text(&["1", "2", "3", "4"])),
            Contents::of("a/y.py", &text(&["a", "b", "c", "d"])),
            Contents::of("a/z.py", "lone"),
        ];
        let new = [
            Contents::of("b/y.py", &text(&["a", "b", "c", "e"])),
            Contents::of("b/other.py", &text(&["1", "2", "3", "4"])),
            Contents::of("b/x.py", &text(&["1", "2", "3", "4"])),
            Contents::of("b/z.py", "another"),
        ];
        assert_eq!(renamed(&old, &new), [(0, 2), (1, 0)]);
    }
}

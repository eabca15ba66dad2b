//! Values observed at one site, and how the observations of several processes are joined.

use compact_str::CompactString;
use surmise_recorder::layout::{LENGTH_BUCKETS, Text};

/// Number of types and of literals that are kept for a site: the most frequent ones.
pub const KEPT: usize = 8;
/// Number that is kept while processes are joined; above it, the rarer half is dropped.
const HELD: usize = 64;

/// Counts of how often each distinct entry was observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally<T>(Vec<(T, u32)>);

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> FromIterator<(T, u32)> for Tally<T> {
    fn from_iter<I: IntoIterator<Item = (T, u32)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl<T> Tally<T> {
    /// Entries with their counts.
    pub fn entries(&self) -> &[(T, u32)] {
        &self.0
    }

    fn map<U>(self, mut to: impl FnMut(T) -> U) -> Tally<U> {
        self.0.into_iter().map(|(what, count)| (to(what), count)).collect()
    }
}

impl<T: Ord> Tally<T> {
    /// Adds to the count of an entry.
    pub fn add(&mut self, what: T, count: u32) {
        if let Some((_, known)) = self.0.iter_mut().find(|(known, _)| *known == what) {
            *known = known.saturating_add(count);
            return;
        }
        if self.0.len() >= HELD {
            self.trim(HELD / 2);
        }
        self.0.push((what, count));
    }

    /// Sorts the entries by frequency and keeps the most frequent ones.
    pub fn trim(&mut self, limit: usize) {
        self.0.sort_unstable_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b)));
        self.0.truncate(limit);
    }

    fn join(&mut self, other: Self) {
        for (what, count) in other.0 {
            self.add(what, count);
        }
    }
}

/// A short value that was observed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// Type of the value: `Str`, `Int` or `Float`.
    pub kind: Text,
    /// The string itself, or the number as `repr` prints it.
    pub value: CompactString,
}

/// Names of the kinds of literals in recordings.
const KINDS: [(Text, &str); 3] = [(Text::Str, "str"), (Text::Int, "int"), (Text::Float, "float")];

impl Literal {
    /// Name of the literal's kind in recordings.
    pub fn kind_name(&self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self.kind).map_or("", |(_, name)| name)
    }

    /// Makes a literal from the name of its kind in recordings; `None` for an unknown name.
    pub fn new(kind: &str, value: &str) -> Option<Self> {
        let (kind, _) = KINDS.iter().find(|(_, name)| *name == kind)?;
        Some(Self { kind: *kind, value: CompactString::new(value) })
    }
}

/// Observations at a site. While processes are joined, types and literals are numbers of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen<T = CompactString, L = Literal> {
    /// Observed classes, a bit mask over [`surmise_recorder::layout::CLASSES`].
    pub classes: u32,
    /// Number of observations.
    pub total: u32,
    /// How often each class was observed, by its bit; covers the first six classes of each process.
    pub counts: Tally<u8>,
    /// Types of values whose class does not imply the type.
    pub types: Tally<T>,
    /// Sampled short values.
    pub literals: Tally<L>,
    /// Classes of sampled elements of containers, a bit mask.
    pub elements: u32,
    /// Sampled lengths, counted in [`LENGTH_BUCKETS`].
    pub lengths: [u32; LENGTH_BUCKETS.len()],
}

impl<T, L> Default for Seen<T, L> {
    fn default() -> Self {
        Self {
            classes: 0,
            total: 0,
            counts: Tally::default(),
            types: Tally::default(),
            literals: Tally::default(),
            elements: 0,
            lengths: [0; LENGTH_BUCKETS.len()],
        }
    }
}

impl<T: Ord, L: Ord> Seen<T, L> {
    /// Adds other observations of the same site.
    pub fn join(&mut self, other: Self) {
        self.classes |= other.classes;
        self.elements |= other.elements;
        self.total = self.total.saturating_add(other.total);
        self.counts.join(other.counts);
        self.types.join(other.types);
        self.literals.join(other.literals);
        for (bucket, more) in self.lengths.iter_mut().zip(other.lengths) {
            *bucket = bucket.saturating_add(more);
        }
    }

    /// Sorts all counts, and keeps the most frequent types and literals.
    pub fn finish(&mut self) {
        self.counts.trim(usize::MAX);
        self.types.trim(KEPT);
        self.literals.trim(KEPT);
    }

    /// Replaces the representation of types and literals.
    pub fn map<U, M>(self, of_type: impl FnMut(T) -> U, of_literal: impl FnMut(L) -> M) -> Seen<U, M> {
        Seen {
            classes: self.classes,
            total: self.total,
            counts: self.counts,
            types: self.types.map(of_type),
            literals: self.literals.map(of_literal),
            elements: self.elements,
            lengths: self.lengths,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_joined() {
        let account = |class: u8, text: &str| Seen::<String, u32> {
            classes: 1 << class,
            total: u32::MAX / 2 + 2,
            counts: [(class, 2)].into_iter().collect(),
            types: [(text.to_owned(), 1), ("both".to_owned(), 1)].into_iter().collect(),
            ..Seen::default()
        };
        let mut seen = account(0, "left");
        seen.join(account(3, "right"));
        seen.finish();
        assert_eq!((seen.classes, seen.total), (0b1001, u32::MAX));
        assert_eq!(seen.counts.entries(), [(0, 2), (3, 2)]);
        let types: Vec<_> = seen.types.entries().iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(types, [("both", 2), ("left", 1), ("right", 1)]);
    }

    #[test]
    fn the_most_frequent_stay() {
        let mut tally = Tally::default();
        tally.add(7_u32, 1000);
        for what in 100..1000 {
            tally.add(what, 1);
        }
        assert!(tally.entries().len() <= HELD);
        tally.trim(KEPT);
        assert_eq!((tally.entries().len(), tally.entries()[0]), (KEPT, (7, 1000)));
    }
}

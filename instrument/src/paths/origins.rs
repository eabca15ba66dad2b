//! Where values come from: which expressions may give a name, an attribute or a result its value.

use std::ops::Range;

use compact_str::{CompactString, format_compact};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::sites::{Kind, Site};

/// How far values are followed through assignments.
const FAR: u32 = 4;
/// Ranges that are followed at most.
const MANY: usize = 200;
/// Ranges that are followed at most where nothing may be missed.
const ALL: usize = 2000;

/// What reads what: names are followed by their spelling, without regard to scopes, so that nothing is missed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Origins {
    /// Reads of names and attributes (`.name`) and calls (`name()`), by their start.
    pub(super) reads: Vec<(u32, CompactString)>,
    /// Targets of augmented assignments, which read them as well (`total += 1`), by their start.
    pub(super) augmented: Vec<(u32, CompactString)>,
    /// What each of them may come from.
    pub(super) feeds: FxHashMap<CompactString, Vec<Range<u32>>>,
    /// What is put into the container of this name, passed as the parameter of this name, or imported under it.
    pub(super) put: FxHashMap<CompactString, Vec<Range<u32>>>,
    /// Calls that a name is handed to, which may change its value.
    pub(super) handed: FxHashMap<CompactString, Vec<Range<u32>>>,
    /// Arguments of calls of functions that the source defines, by their start: what such a call gives is what the
    /// function returns.
    pub(super) own_arguments: Vec<Range<u32>>,
    /// Names that are only bound to displays and literals, and to what methods of such give: their types are known.
    pub(super) written: FxHashSet<CompactString>,
}

/// What a run made up: values of sites, and answers to operations.
#[derive(Clone, Debug, Default)]
pub struct MadeUp {
    /// Names and attributes (`.name`) that have one value wherever they are read.
    names: FxHashSet<CompactString>,
    /// Byte ranges of expressions.
    places: Vec<Range<u32>>,
}

impl MadeUp {
    /// A site got a value.
    pub fn add_site(&mut self, site: &Site) {
        match site.kind {
            Kind::Variable => drop(self.names.insert(site.name.clone())),
            Kind::Attribute => drop(self.names.insert(format_compact!(".{}", site.name))),
            Kind::ReturnValue => {}
        }
        self.places.push(site.start..site.end);
    }

    /// An operation in a range was answered.
    pub fn add_place(&mut self, range: Range<u32>) {
        self.places.push(range);
    }
}

impl Origins {
    /// Byte ranges whose values reach the expressions in a range, with the number of assignments between, nearest
    /// first; the range itself is the first.
    #[must_use]
    pub fn near(&self, range: Range<u32>) -> Vec<(u32, Range<u32>)> {
        self.followed(range, FAR, MANY, true)
    }

    /// Byte ranges whose values reach the expressions in a range, however far; `None` if they are too many.
    #[must_use]
    pub fn all(&self, range: Range<u32>) -> Option<Vec<(u32, Range<u32>)>> {
        self.followed_to_the_end(range, true)
    }

    fn followed_to_the_end(&self, range: Range<u32>, with_arguments: bool) -> Option<Vec<(u32, Range<u32>)>> {
        let all = self.followed(range, u32::MAX, ALL, with_arguments);
        (all.len() < ALL).then_some(all)
    }

    fn followed(&self, range: Range<u32>, far: u32, many: usize, with_arguments: bool) -> Vec<(u32, Range<u32>)> {
        let mut found = vec![(0, range)];
        let mut followed = FxHashSet::default();
        let mut next = 0;
        while next < found.len() && found.len() < many {
            let (distance, range) = found[next].clone();
            next += 1;
            if distance == far {
                continue;
            }
            for (at, name) in self.reads_in(range.clone()) {
                if (with_arguments || !self.is_argument(*at, &range)) && followed.insert(name) {
                    let handed = self.handed.get(name).filter(|_| far == u32::MAX);
                    let sources = self.feeds.get(name).into_iter().chain(self.put.get(name)).chain(handed).flatten();
                    found.extend(sources.map(|source| (distance + 1, source.clone())));
                }
            }
        }
        found
    }

    /// True if something that was made up may reach the expressions in a range.
    #[must_use]
    pub fn is_reached(&self, range: Range<u32>, made_up: &MadeUp) -> bool {
        let Some(ranges) = self.all(range) else { return true };
        ranges.into_iter().any(|(_, range)| {
            let holds = |place: &Range<u32>| place.start < range.end && range.start < place.end;
            made_up.places.iter().any(holds) || self.read_in(range).any(|name| made_up.names.contains(name))
        })
    }

    /// True if what an expression gives may be something that was made up, or made from it. What decides which way the
    /// code went is no part of that.
    #[must_use]
    pub fn may_give(&self, range: Range<u32>, made_up: &MadeUp) -> bool {
        let Some(ranges) = self.followed_to_the_end(range, false) else { return true };
        ranges.into_iter().any(|(_, range)| {
            let gives = |place: &Range<u32>| {
                place.start < range.end && range.start < place.end && !self.is_argument(place.start, &range)
            };
            made_up.places.iter().any(gives) || {
                let mut reads = self.reads_in(range.clone()).filter(|(at, _)| !self.is_argument(*at, &range));
                reads.any(|(_, name)| made_up.names.contains(name))
            }
        })
    }

    /// True for a place among the arguments of a call, in a range, of a function that the source defines.
    #[must_use]
    pub fn is_argument(&self, at: u32, range: &Range<u32>) -> bool {
        let inside = self.own_arguments[self.own_arguments.partition_point(|own| own.start < range.start)..].iter();
        inside.take_while(|own| own.start < range.end).any(|own| own.contains(&at) && own.end <= range.end)
    }

    /// True if a call of a function that the source defines lies in a range.
    #[must_use]
    pub fn holds_own_call(&self, range: &Range<u32>) -> bool {
        let from = self.own_arguments.partition_point(|own| own.start < range.start);
        self.own_arguments[from..].first().is_some_and(|own| own.end <= range.end)
    }

    /// True for a name whose values the source writes out, so that their types are known: `rows = []`.
    #[must_use]
    pub fn is_written(&self, name: &str) -> bool {
        self.written.contains(name)
    }

    /// Names, attributes (`.name`) and results (`name()`) that are read in a range.
    pub fn read_in(&self, range: Range<u32>) -> impl Iterator<Item = &CompactString> {
        self.reads_in(range).map(|(_, name)| name)
    }

    fn reads_in(&self, range: Range<u32>) -> impl Iterator<Item = &(u32, CompactString)> {
        let (first, end) = (range.start, range.end);
        let all = [&self.reads, &self.augmented].into_iter();
        all.flat_map(move |reads| {
            let from = reads.partition_point(|(start, _)| *start < first);
            reads[from..].iter().take_while(move |(start, _)| *start < end)
        })
    }
}

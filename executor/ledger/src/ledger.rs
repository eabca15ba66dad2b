//! The list of a program's runs.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use surmise_engine::execute::Outcome;
use surmise_engine::plan::Plan;
use surmise_instrument::LineIndex;

use crate::Entry;

/// For each branch and each of its ways, the first line that counts; none where the way has no line of its own.
pub(crate) type FirstLines = Vec<Vec<Option<u32>>>;

/// The runs of one program, in order, with what they found together.
pub struct Ledger {
    entries: Vec<Entry>,
    /// Lines that some run reached.
    covered: BTreeSet<u32>,
    seen: BTreeSet<Seen>,
    news: usize,
    /// The function that every run calls after the module; none where the module alone is run.
    pub function: Option<String>,
    /// Calls that no real values bring to their end, though many were tried: functions, or the module.
    pub unsolved: BTreeSet<Option<String>>,
    /// The first run went differently when it was repeated.
    pub unsteady: bool,
    /// What the best run recorded when it was repeated for a script, if a script was asked for.
    pub recording: Option<Recording>,
    /// When work on the program began, its plan included.
    pub begin: Instant,
    pub(crate) lines: LineIndex,
    /// Sites in the order of the source.
    pub(crate) by_start: Vec<u32>,
    pub(crate) first_lines: OnceCell<FirstLines>,
    pub(crate) staying_real: RefCell<StayingReal>,
}

/// Sites that stay real whatever a trial has for them, as far as so many runs showed it.
#[derive(Debug, Default)]
pub(crate) struct StayingReal {
    pub(crate) runs: usize,
    pub(crate) sites: FxHashSet<u32>,
}

/// What the best run recorded when it was repeated for a script.
#[derive(Clone, Debug)]
pub struct Recording {
    /// JSON of `runtime/recording.py`; `None` where the run did not come to its end.
    pub recorded: Option<String>,
    /// The repeated run reached the same lines and ended alike.
    pub same: bool,
    /// The function that we called after the module ran.
    pub called: Option<String>,
}

/// Something that a run can be the first to show, besides lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    /// A value injected at a site.
    Site(u32),
    /// An answer of an operation on a stand-in, by its key.
    Answer(String),
    /// An error of a class in a line.
    Error(String, u32),
}

impl Ledger {
    /// An empty ledger of a plan, whose sites are final.
    #[must_use]
    pub fn new(plan: &Plan, function: Option<String>, begin: Instant) -> Self {
        let mut by_start: Vec<u32> = (0..plan.sites.len() as u32).collect();
        by_start.sort_by_key(|&site| plan.sites[site as usize].start);
        Self {
            entries: Vec::new(),
            covered: BTreeSet::new(),
            seen: BTreeSet::new(),
            news: 0,
            function,
            unsolved: BTreeSet::new(),
            unsteady: false,
            recording: None,
            begin,
            lines: LineIndex::new(&plan.text),
            by_start,
            first_lines: OnceCell::new(),
            staying_real: RefCell::default(),
        }
    }

    /// Adds a run.
    pub fn add(&mut self, entry: impl Into<Entry>) {
        let entry = entry.into();
        let before = (self.covered.len(), self.seen.len());
        // A function whose template ended may run as an excerpt later, of which other lines count.
        let first = self.entries.first().filter(|first| first.in_place != entry.in_place);
        let counts = |line: &&u32| first.is_none_or(|first| first.lines.contains(line));
        self.covered.extend(entry.covered.iter().filter(counts));
        self.seen.extend(entry.sites().map(Seen::Site));
        self.seen.extend(entry.chosen.iter().map(|chosen| Seen::Answer(chosen.key.clone())));
        self.seen.extend(entry.error.iter().map(|error| Seen::Error(error.kind.clone(), error.line)));
        self.news += usize::from((self.covered.len(), self.seen.len()) != before);
        self.entries.push(entry);
    }

    /// All runs, in the order in which they were made.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All runs, to be added to another ledger of the program.
    #[must_use]
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// The run without a change.
    ///
    /// # Panics
    /// When no run was added yet.
    #[must_use]
    pub fn first(&self) -> &Entry {
        &self.entries[0]
    }

    /// The run that was made last.
    ///
    /// # Panics
    /// When no run was added yet.
    #[must_use]
    pub fn last(&self) -> &Entry {
        &self.entries[self.entries.len() - 1]
    }

    /// Runs in which this function was called after the module; with `None`, those of the module alone.
    pub fn of_call<'l>(&'l self, function: Option<&'l String>) -> impl Iterator<Item = &'l Entry> {
        self.entries.iter().filter(move |entry| entry.trial.call.as_ref() == function)
    }

    /// Runs on real values.
    pub fn probes(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !entry.given.is_empty())
    }

    /// Runs whose values the predictor or an error suggested; probes try what the code may not be meant for.
    pub fn guided(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !entry.trial.is_probe())
    }

    /// Lines that count, as any run's table has them.
    #[must_use]
    pub fn lines(&self) -> BTreeSet<u32> {
        self.entries.iter().flat_map(|entry| &entry.lines).copied().collect()
    }

    /// How many runs ended with each error: its class and line.
    #[must_use]
    pub fn errors(&self) -> BTreeMap<(&str, u32), usize> {
        let mut errors = BTreeMap::new();
        for error in self.entries.iter().filter_map(|entry| entry.error.as_ref()) {
            *errors.entry((error.kind.as_str(), error.line)).or_default() += 1;
        }
        errors
    }

    /// Lines that some run reached.
    #[must_use]
    pub fn covered(&self) -> &BTreeSet<u32> {
        &self.covered
    }

    /// Parts of expressions that some run evaluated, by number, where they are marked.
    #[must_use]
    pub fn parts(&self) -> BTreeSet<u32> {
        self.entries.iter().flat_map(|entry| &entry.parts).copied().collect()
    }

    /// Lines that count and that no run reached.
    #[must_use]
    pub fn missing(&self) -> BTreeSet<u32> {
        self.first().lines.iter().copied().filter(|line| !self.covered.contains(line)).collect()
    }

    /// How many runs showed a line, a site, an answer or an error that none had shown before.
    #[must_use]
    pub fn news(&self) -> usize {
        self.news
    }

    /// The run that covers most of those in which the snippet itself ran; of equal ones that which ended well, then the
    /// first.
    #[must_use]
    pub fn best(&self) -> &Entry {
        let own = self.entries.iter().enumerate().filter(|(_, entry)| entry.trial.call.is_none());
        let key = |(at, entry): &(usize, &Entry)| {
            (entry.covered.len(), entry.outcome == Outcome::Completed, std::cmp::Reverse(*at))
        };
        own.max_by_key(key).map_or(self.first(), |(_, entry)| entry)
    }

    /// The longest that a run took which was not cut off.
    #[must_use]
    pub fn longest(&self) -> Duration {
        let is_recursion = |entry: &Entry| entry.error.as_ref().is_some_and(|error| error.kind == "RecursionError");
        let ended = self.entries.iter().filter(|entry| entry.outcome != Outcome::Timeout && !is_recursion(entry));
        ended.map(|entry| entry.wall).max().unwrap_or_default()
    }

    /// Our own failure, if a worker reported one.
    #[must_use]
    pub fn internal(&self) -> Option<&String> {
        self.entries.iter().find_map(|entry| entry.internal.as_ref())
    }
}

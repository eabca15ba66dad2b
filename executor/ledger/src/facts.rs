//! A plan and its runs, read together: which sites' values an operation worked on.

use std::ops::Range;

use rustc_hash::FxHashSet;
use surmise_engine::plan::{Plan, Value};
use surmise_engine::protocol::{Assigned, Literal, Raised};
use surmise_instrument::{Kind, Site};

use crate::{Entry, Ledger};

/// One program and what its runs left.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The program: its text, its sites, what is assigned to them.
    pub plan: &'a Plan,
    /// The runs of the program.
    pub ledger: &'a Ledger,
}

impl Facts<'_> {
    /// Byte offset at which a line starts.
    #[must_use]
    pub fn line_start(self, line: u32) -> u32 {
        self.ledger.lines.start(line)
    }

    /// Line and column of a byte offset.
    #[must_use]
    pub fn position(self, offset: u32) -> (u32, u32) {
        self.ledger.lines.position(offset)
    }

    /// First and last line that only a call of a function reaches.
    #[must_use]
    pub fn body(self, function: &surmise_instrument::extract::Function) -> (u32, u32) {
        self.plan.body(function, &self.ledger.lines)
    }

    /// The class that a site takes in a run if something is injected there.
    #[must_use]
    pub fn assigned(self, entry: &Entry, site: u32) -> Option<Assigned> {
        let predicted = || self.plan.assignment.get(site as usize)?.as_ref();
        entry.trial.values.get(&site).or_else(predicted).map(|value| value.assigned)
    }

    /// The failing expression, where CPython names it, and the statement that it stands in.
    #[must_use]
    pub fn failing(self, error: &Raised) -> Vec<Range<u32>> {
        let mut ranges = Vec::new();
        if let (Some(column), Some(end)) = (error.column, error.end_column) {
            let start = self.line_start(error.line);
            let line = self.plan.text[start as usize..].lines().next().unwrap_or_default();
            let offset =
                |column: u32| line.char_indices().nth(column as usize).map_or(line.len(), |(at, _)| at) as u32 + start;
            ranges.push(offset(column)..offset(end));
        }
        ranges.extend(self.plan.paths().statement(error.line));
        ranges
    }

    /// Sites whose values reach the operation that failed, nearest first.
    #[must_use]
    pub fn operands(self, entry: &Entry, error: &Raised) -> Vec<u32> {
        let mut sites = Vec::new();
        for range in self.failing(error) {
            self.feeding(entry, range, &mut sites);
        }
        sites
    }

    /// Sites that were injected in a run, or could have been in place of a default, and whose values may reach a range,
    /// nearest first.
    pub fn feeding(self, entry: &Entry, range: Range<u32>, into: &mut Vec<u32>) {
        let sites = entry.sites().chain(self.defaults(entry));
        self.standing_in(sites, self.plan.paths().origins.near(range), into);
    }

    /// Sites that may be given other values in a run, and whose values may reach a range, nearest first: those of
    /// [`Self::feeding`], and what is real in an imported module.
    pub fn changeable(self, entry: &Entry, range: Range<u32>, into: &mut Vec<u32>) {
        let sites = entry.sites().chain(self.defaults(entry)).chain(self.replaceable(entry));
        self.standing_in(sites, self.plan.paths().origins.near(range), into);
    }

    /// Attributes and calls of a function that ran in its imported module: what is real there comes of made-up objects, and a
    /// value can be put in its place. What the run did not come to is left out, and what one showed to stay real, such as a
    /// call of other code than the project's.
    pub fn replaceable(self, entry: &Entry) -> impl Iterator<Item = u32> {
        let is_read = |site: &Site| site.kind != Kind::Variable && !site.annotation && !site.name.is_empty();
        let sites = (0..).zip(self.plan.uses()).filter(|_| entry.in_place == Some(Ok(())));
        let real = self.staying_real();
        let found = sites.filter(move |(number, site)| {
            is_read(site) && entry.reached_statement(site.line) && !real.contains(number)
        });
        found.map(|(number, _)| number)
    }

    /// Sites that a run came past and left real, although its trial had other values for them.
    fn staying_real(self) -> FxHashSet<u32> {
        let mut known = self.ledger.staying_real.borrow_mut();
        for entry in &self.ledger.entries()[known.runs..] {
            known.sites.extend(self.left_real(entry));
        }
        known.runs = self.ledger.entries().len();
        known.sites.clone()
    }

    /// Those of one run.
    fn left_real(self, entry: &Entry) -> Vec<u32> {
        let mut real = Vec::new();
        let is_value = |(_, value): &(&u32, &Value)| !matches!(value.literal, Some(Literal::Raises(_)));
        let values = entry.trial.values.iter().filter(|_| entry.in_place == Some(Ok(()))).filter(is_value);
        for row in values.filter_map(|(&site, _)| self.plan.sites.get(site as usize)) {
            // An attribute is replaced wherever its name is read.
            let is_of_value = |other: &Site| match row.kind {
                Kind::Attribute => other.kind == row.kind && other.name == row.name,
                _ => other.start == row.start && other.kind == row.kind,
            };
            let sites = (0..).zip(self.plan.uses()).filter(|(_, other)| is_of_value(other));
            let sites: Vec<u32> = sites.filter(|(_, other)| entry.passes(other.line)).map(|(site, _)| site).collect();
            if entry.sites().all(|injected| !sites.contains(&injected)) {
                real.extend(sites);
            }
        }
        real
    }

    /// Finds those of some sites that stand in one of the ranges, or whose name is read there.
    pub fn standing_in(self, sites: impl Iterator<Item = u32>, ranges: Vec<(u32, Range<u32>)>, into: &mut Vec<u32>) {
        let (all, by_start) = (&self.plan.sites, &self.ledger.by_start);
        let mut seen: FxHashSet<u32> = into.iter().copied().collect();
        let mut left: Vec<u32> = sites.filter(|&site| seen.insert(site)).collect();
        for (_, range) in ranges {
            let from = by_start.partition_point(|&site| all[site as usize].start < range.start);
            let rows = by_start[from..].iter().map(|&site| &all[site as usize]);
            let rows = rows.take_while(|row| row.start < range.end).filter(|row| row.end <= range.end);
            let read: FxHashSet<(Kind, &str)> = rows.map(|row| (row.kind, row.name.as_str())).collect();
            if read.is_empty() {
                continue;
            }
            left.retain(|&site| {
                let Some(row) = all.get(site as usize) else { return false };
                // A name has one value everywhere: its first read is where it was injected.
                let named = row.kind != Kind::ReturnValue || self.lies_in(site, &range);
                let found = named && read.contains(&(row.kind, row.name.as_str()));
                if found {
                    into.push(site);
                }
                !found
            });
        }
    }

    /// Parameters of the function that was called which took their defaults, or may have.
    fn defaults(self, entry: &Entry) -> Vec<u32> {
        let functions = &self.plan.instrumented.functions;
        let called = entry.trial.call.as_deref().or(self.ledger.function.as_deref());
        let class = called.and_then(|called| called.rsplit_once('.')).map(|(class, _)| format!("{class}.__init__"));
        let own = |site: &Site| {
            let function = functions.get(site.function as usize).map(String::as_str);
            function.is_some() && (function == called || function == class.as_deref())
        };
        let parameters = (0..).zip(&self.plan.sites).skip(self.plan.uses().len());
        parameters.filter(|(_, site)| own(site)).map(|(number, _)| number).collect()
    }

    /// True if a site stands in a range.
    #[must_use]
    pub fn lies_in(self, site: u32, range: &Range<u32>) -> bool {
        self.plan.sites.get(site as usize).is_some_and(|site| range.start <= site.start && site.end <= range.end)
    }

    /// The name under which a site's value is given in [`Entry::given`], if it can be given a real one.
    #[must_use]
    pub fn name_of(self, site: u32) -> Option<String> {
        let row = self.plan.sites.get(site as usize)?;
        match row.kind {
            Kind::Variable if (site as usize) < self.plan.uses().len() => Some(row.name.to_string()),
            Kind::Variable => Some(format!("{}#{site}", row.name)),
            Kind::ReturnValue if matches!(row.name.as_str(), "input" | "raw_input") => Some(format!("input()#{site}")),
            _ => None,
        }
    }

    /// Names that the run gave real values and whose values reach the operation that failed, nearest first.
    #[must_use]
    pub fn named_operands(self, entry: &Entry, error: &Raised) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.operands(entry, error).into_iter().filter_map(|site| self.name_of(site)) {
            if entry.given.contains_key(&name) && !names.contains(&name) {
                names.push(name);
            }
        }
        // What others pass to functions is not followed: there it could be any.
        if names.is_empty() && self.plan.paths().has_functions() {
            names.extend(entry.given.keys().cloned());
        }
        names
    }
}

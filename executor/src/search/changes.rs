//! Which changes may reach a goal, the likeliest first.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashSet;
use surmise_instrument::paths::{Branch, Side, Wish};
use surmise_instrument::{Kind, Site};
use surmise_value_model::Class;

use super::goals::Goal;
use super::values::is_falsy;
use super::{Search, repair};
use crate::execute::{Execution, Outcome};
use crate::plan::{Trial, Value, bears};
use crate::protocol::{Choice, Literal, Raised};

/// Runs that a goal's changes start from.
const BASES: usize = 4;
/// Sites that are changed for one goal.
const SITES: usize = 6;
/// Other classes that are tried at a site.
const CLASSES: usize = 4;
/// Of these, classes of the truth that does not seem to lead to the goal.
const TURNED: usize = 2;

impl Search<'_> {
    /// Trials that may reach the goal; some may have been tried.
    pub(super) fn changes(&self, goal: &Goal) -> Vec<Trial> {
        let mut trials = Vec::new();
        match goal {
            Goal::Avoid { line, kind, drive, .. } => {
                let failed = |run: &&Execution| {
                    run.trial.drive == *drive
                        && run.error.as_ref().is_some_and(|error| error.line == *line && error.kind == *kind)
                };
                for base in self.bases(failed) {
                    if let Some(error) = &base.error {
                        self.without_error(base, error, &mut trials);
                    }
                }
            }
            Goal::End { drive } => {
                let stuck = |run: &&Execution| run.trial.drive == *drive && run.outcome == Outcome::Timeout;
                for base in self.bases(stuck) {
                    for branch in self.plan.paths().branches.iter().rev() {
                        if base.reached_any(branch.lines) {
                            self.way(base, branch, &Side::No, &mut trials);
                        }
                    }
                }
            }
            Goal::Insist { key, .. } => {
                for base in self.bases(|run| run.expected.iter().any(|(told, _)| told == key)) {
                    trials.push(base.trial.with_choice(key, Choice::Truth(false)));
                }
            }
            Goal::Call { function, .. } => {
                let mut bases = vec![Trial::default()];
                bases.extend(self.bases(|run| run.trial.drive.is_none()).map(|run| run.trial.clone()));
                trials.extend(bases.into_iter().map(|base| Trial { drive: Some(function.clone()), ..base }));
            }
            Goal::Answer { key } => {
                for base in self.bases(|run| run.chosen.iter().any(|chosen| chosen.key == *key)).take(1) {
                    let mut told = base.chosen.iter().filter(|chosen| chosen.key == *key);
                    let other = told.find_map(|chosen| flipped(&chosen.answer));
                    trials.extend(other.map(|answer| base.trial.with_choice(key, answer)));
                }
            }
            Goal::Probe { site } => {
                let has = |run: &&Execution| run.injections.iter().any(|injection| injection.site == Some(*site));
                if let Some(base) = self.bases(has).next() {
                    for wish in self.edge_values(*site) {
                        trials.extend(self.granted(base, *site, wish).map(|value| base.trial.with_value(*site, value)));
                    }
                }
            }
            Goal::Take { branch, way, .. } => {
                let branch = &self.plan.paths().branches[*branch];
                for base in self.bases(|run| run.reached_any(branch.lines)) {
                    self.way(base, branch, &branch.ways[*way].side, &mut trials);
                }
            }
        }
        trials
    }

    /// Runs to start from: those with the fewest changes, of each that asked for values in other places one first.
    fn bases(&self, fits: impl Fn(&&Execution) -> bool) -> impl Iterator<Item = &Execution> {
        let mut runs: Vec<&Execution> = self.runs.iter().filter(|run| !run.trial.is_probe()).filter(fits).collect();
        runs.sort_by_key(|run| run.trial.changes());
        let mut seen = BTreeSet::new();
        let places =
            |run: &Execution| -> BTreeSet<u32> { run.injections.iter().filter_map(|told| told.site).collect() };
        let (mut first, again): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| seen.insert(places(run)));
        first.extend(again);
        first.truncate(BASES);
        first.into_iter()
    }

    /// Other values for what the failing operation works on, then the other side of the branches around it.
    fn without_error(&self, base: &Execution, error: &Raised, trials: &mut Vec<Trial>) {
        let paths = self.plan.paths();
        let mut sites = Vec::new();
        for range in self.failing(error) {
            self.sites_feeding(base, range, &mut sites);
        }
        let wishes = repair::wishes(error);
        for &site in sites.iter().take(SITES) {
            let text = self.plan.sites.get(site as usize).is_some_and(|row| bears(Class::Str, row));
            for wish in wishes.iter().filter(|wish| text || !matches!(wish, Wish::Text(_))) {
                trials.extend(self.granted(base, site, wish).map(|value| base.trial.with_value(site, value)));
            }
        }
        // First one other class at each site, then the next: the sites are candidates, too.
        let others: Vec<Vec<Value>> = sites.iter().take(SITES).map(|&site| self.others(base, site, |_| true)).collect();
        for place in 0..=CLASSES {
            for (&site, values) in sites.iter().zip(&others) {
                trials.extend(values.get(place).map(|value| base.trial.with_value(site, value.clone())));
            }
        }
        for chosen in base.chosen.iter().filter(|chosen| chosen.line == error.line) {
            trials.extend(flipped(&chosen.answer).map(|answer| base.trial.with_choice(&chosen.key, answer)));
        }
        let around = |branch: &&Branch| (branch.whole.0..=branch.whole.1).contains(&error.line);
        for branch in paths.branches.iter().filter(around).rev() {
            for way in branch.ways.iter().filter(|way| !(way.lines.0..=way.lines.1).contains(&error.line)) {
                self.way(base, branch, &way.side, trials);
            }
        }
    }

    /// The failing expression, and the statement that it stands in.
    pub(super) fn failing(&self, error: &Raised) -> Vec<Range<u32>> {
        let mut ranges = Vec::new();
        if let (Some(column), Some(end)) = (error.column, error.end_column) {
            let start = self.lines.start(error.line);
            let line = self.plan.text[start as usize..].lines().next().unwrap_or_default();
            let offset =
                |column: u32| line.char_indices().nth(column as usize).map_or(line.len(), |(at, _)| at) as u32 + start;
            ranges.push(offset(column)..offset(end));
        }
        ranges.extend(self.plan.paths().statement(error.line));
        ranges
    }

    /// Changes that may lead from a branch to one of its ways.
    fn way(&self, base: &Execution, branch: &Branch, side: &Side, trials: &mut Vec<Trial>) {
        let mut sites = Vec::new();
        self.sites_feeding(base, branch.decides.clone(), &mut sites);
        sites.truncate(SITES);
        let in_condition = base.chosen.iter().filter(|chosen| (branch.lines.0..=branch.lines.1).contains(&chosen.line));
        if let Side::Handler(names) = side {
            let inside = |site: &u32| self.lies_in(*site, &branch.decides);
            for name in names {
                let calls = base.injections.iter().filter_map(|injection| injection.site);
                let calls = calls.filter(|site| inside(site) && self.kind(*site) == Kind::ReturnValue);
                for site in calls {
                    if let Some(assigned) = self.assigned(base, site) {
                        let value = Value { assigned, literal: Some(Literal::Raises(name.clone())) };
                        trials.push(base.trial.with_value(site, value));
                    }
                }
                let raises = Choice::Raises(name.clone());
                trials.extend(in_condition.clone().map(|chosen| base.trial.with_choice(&chosen.key, raises.clone())));
            }
        } else {
            for chosen in in_condition {
                trials.extend(flipped(&chosen.answer).map(|answer| base.trial.with_choice(&chosen.key, answer)));
            }
        }
        let hints = self.plan.paths().hints.iter();
        let inside = |range: &Range<u32>| branch.decides.start <= range.start && range.end <= branch.decides.end;
        for hint in hints.filter(|hint| inside(&hint.subject)) {
            let mut subjects = Vec::new();
            self.sites_feeding(base, hint.subject.clone(), &mut subjects);
            for &site in subjects.iter().take(2) {
                trials.extend(self.granted(base, site, &hint.wish).map(|value| base.trial.with_value(site, value)));
            }
        }
        // The likelier truth first. A `not` somewhere inside can turn it round: a few of the other truth come after.
        let negated = self.plan.text[branch.decides.start as usize..].starts_with("not ");
        let wanted = |class: Class| match side {
            Side::Yes => is_falsy(class) == negated,
            Side::No => is_falsy(class) != negated,
            Side::Handler(_) | Side::Case => true,
        };
        let others = sites.iter().map(|&site| {
            let mut values = self.others(base, site, wanted);
            values.truncate(CLASSES);
            values.extend(self.others(base, site, |class| !wanted(class)).into_iter().take(TURNED));
            values
        });
        let others: Vec<Vec<Value>> = others.collect();
        for place in 0..CLASSES + TURNED {
            for (&site, values) in sites.iter().zip(&others) {
                trials.extend(values.get(place).map(|value| base.trial.with_value(site, value.clone())));
            }
        }
    }

    /// Sites that were injected in a run, or could have been in place of a default, and whose values may reach a range,
    /// nearest first.
    pub(super) fn sites_feeding(&self, run: &Execution, range: Range<u32>, into: &mut Vec<u32>) {
        self.sites_in(injected(run).chain(self.defaults(run)), self.plan.paths().feeding(range), into);
    }

    /// Those of some sites that stand in one of the ranges, or whose name does.
    pub(super) fn sites_in(
        &self,
        sites: impl Iterator<Item = u32>,
        ranges: Vec<(u32, Range<u32>)>,
        into: &mut Vec<u32>,
    ) {
        let mut seen: FxHashSet<u32> = into.iter().copied().collect();
        let mut left: Vec<u32> = sites.filter(|&site| seen.insert(site)).collect();
        for (_, range) in ranges {
            let from = self.by_start.partition_point(|&site| self.plan.sites[site as usize].start < range.start);
            let rows = self.by_start[from..].iter().map(|&site| &self.plan.sites[site as usize]);
            let rows = rows.take_while(|row| row.start < range.end).filter(|row| row.end <= range.end);
            let read: FxHashSet<(Kind, &str)> = rows.map(|row| (row.kind, row.name.as_str())).collect();
            if read.is_empty() {
                continue;
            }
            left.retain(|&site| {
                let Some(row) = self.plan.sites.get(site as usize) else { return false };
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

    /// Parameters of a function that we called which took their defaults, or may have.
    fn defaults<'r>(&'r self, run: &'r Execution) -> impl Iterator<Item = u32> + 'r {
        let functions = &self.plan.instrumented.functions;
        let called = run.trial.drive.as_deref().or(self.settings.function.as_deref());
        let class = called.and_then(|called| called.rsplit_once('.')).map(|(class, _)| format!("{class}.__init__"));
        let own = move |site: &Site| {
            let function = functions.get(site.function as usize).map(String::as_str);
            function.is_some() && (function == called || function == class.as_deref())
        };
        let parameters = (0..).zip(&self.plan.sites).skip(self.plan.uses().len());
        parameters.filter(move |(_, site)| own(site)).map(|(number, _)| number)
    }

    fn lies_in(&self, site: u32, range: &Range<u32>) -> bool {
        self.plan.sites.get(site as usize).is_some_and(|site| range.start <= site.start && site.end <= range.end)
    }

    fn kind(&self, site: u32) -> Kind {
        self.plan.sites.get(site as usize).map_or(Kind::Variable, |site| site.kind)
    }
}

/// Sites that were injected in a run. What an expression comes to is what it asked for last.
pub(super) fn injected(run: &Execution) -> impl Iterator<Item = u32> {
    run.injections.iter().rev().filter_map(|injection| injection.site)
}

/// Other answers.
fn flipped(answer: &Choice) -> Option<Choice> {
    match answer {
        Choice::Truth(truth) => Some(Choice::Truth(!truth)),
        Choice::Count(0) => Some(Choice::Count(1)),
        Choice::Count(_) => Some(Choice::Count(0)),
        Choice::Raises(_) => None,
    }
}

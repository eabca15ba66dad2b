//! Which changes may reach a goal, the likeliest first.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use surmise_engine::execute::Outcome;
use surmise_engine::plan::{Settings, Trial, Value, is_falsy, may_have, satisfies};
use surmise_engine::protocol::{Choice, Injection, Literal, Raised};
use surmise_instrument::paths::{Branch, Hint, Side, Wish};
use surmise_instrument::{Kind, Site};
use surmise_ledger::{Entry, Facts};
use surmise_value_model::Class;

use crate::answers::{compared_with, flipped, may_decide};
use crate::combined::{alternating, in_turn, together};
use crate::detours::{detours, with_detours};
use crate::goals::{Goal, edge_values, exit};
use crate::likes::{like, may_be_compared};
use crate::refused::raising;
use crate::values::Alternatives;

/// Runs that a goal's changes start from.
const BASES: usize = 4;
/// Sites that are changed for one goal.
pub(crate) const SITES: usize = 6;
/// Other classes that are tried at a site.
pub(crate) const CLASSES: usize = 4;
/// How many of the other classes are of the truth that does not seem to lead to the goal.
const TURNED: usize = 2;

/// Changes for the parts of one condition that are tried two at a time.
const PARTS: usize = 6;
/// Sites of what a condition asks about that get the value which it asks for.
const HINTED: usize = 2;
/// Sites of a `try` that get values which its handlers are there for.
const REFUSED: usize = 3;

/// How many of the values that recorded runs had are tried before other classes.
const OBSERVED: usize = 2;

/// Lists the changes that may reach a goal.
pub(crate) struct Changes<'a> {
    pub(crate) facts: Facts<'a>,
    pub(crate) values: Alternatives<'a>,
}

impl<'a> Changes<'a> {
    /// Changes of the runs in a ledger.
    pub(crate) fn new(facts: Facts<'a>, settings: &Settings) -> Self {
        let is_compared = settings.drawing.is_some();
        Self { facts, values: Alternatives { facts, concretization: settings.values, is_compared } }
    }

    /// Trials that may reach the goal; some may have been tried.
    pub(crate) fn of(&self, goal: &Goal) -> Vec<Trial> {
        let mut trials = Vec::new();
        match goal {
            Goal::Avoid { line, kind, call, .. } => {
                let failed = |run: &&Entry| run.trial.call == *call && run.raised(kind, *line);
                for base in self.bases(failed) {
                    if let Some(error) = &base.error {
                        self.without_error(base, error, &mut trials);
                    }
                }
            }
            Goal::End { call } => {
                let left = |run: &&Entry| run.trial.call == *call && exit(self.facts, run).is_some();
                for base in self.bases(left) {
                    let line = exit(self.facts, base).unwrap_or_default();
                    let error = Raised { kind: "SystemExit".to_owned(), line, ..Raised::default() };
                    self.without_error(base, &error, &mut trials);
                }
                let stuck = |run: &&Entry| run.trial.call == *call && run.outcome == Outcome::Timeout;
                for base in self.bases(stuck) {
                    for branch in self.facts.plan.paths().branches.iter().rev() {
                        if base.reached_any(branch.lines) {
                            self.way(base, branch, &Side::No, &mut trials);
                        }
                    }
                }
            }
            Goal::Complete { branch, .. } => self.completed(&self.facts.plan.paths().branches[*branch], &mut trials),
            Goal::Insist { key, .. } => {
                for base in self.bases(|run| run.expected.iter().any(|(expected, _)| expected == key)) {
                    trials.push(base.trial.with_choice(key, Choice::Truth(false)));
                }
            }
            Goal::Call { function, .. } => {
                let mut bases = vec![Trial::default()];
                bases.extend(self.bases(|run| run.trial.call.is_none()).map(|run| run.trial.clone()));
                trials.extend(bases.into_iter().map(|base| Trial { call: Some(function.clone()), ..base }));
            }
            Goal::Answer { key } => {
                for base in self.bases(|run| run.chosen.iter().any(|chosen| chosen.key == *key)).take(1) {
                    let mut answers = base.chosen.iter().filter(|chosen| chosen.key == *key);
                    trials.extend(answers.find_map(|chosen| flipped(base, chosen)));
                }
            }
            Goal::Probe { site } => {
                let has = |run: &&Entry| run.injections.iter().any(|injection| injection.site == Some(*site));
                if let Some(base) = self.bases(has).next() {
                    for wish in edge_values(self.facts, *site) {
                        trials.extend(self.granted(base, *site, wish));
                    }
                }
            }
            Goal::Take { branch, way, .. } => {
                let branch = &self.facts.plan.paths().branches[*branch];
                let reached = |run: &&Entry| run.reached_any(branch.lines);
                let deepest = self.deepest(branch, reached);
                let others =
                    self.bases(reached).filter(|run| deepest.is_none_or(|deepest| !std::ptr::eq(deepest, *run)));
                let of_bases = deepest.into_iter().chain(others).take(BASES).map(|base| {
                    let (mut own, mut past) = (Vec::new(), Vec::new());
                    self.way(base, branch, &branch.ways[*way].side, &mut own);
                    for (around, side) in detours(self.facts, base, branch) {
                        self.way(base, around, &side, &mut past);
                    }
                    with_detours(own, past)
                });
                trials.extend(of_bases.flatten());
            }
        }
        trials
    }

    /// The run in which most of the values in a condition of several parts were asked for: `a == 1 and b == 2` asks for `b`
    /// once `a` is 1.
    fn deepest(&self, branch: &Branch, fits: impl Fn(&&Entry) -> bool) -> Option<&'a Entry> {
        if !self.has_parts(branch, &Side::Yes) {
            return None;
        }
        let asked = |run: &Entry| {
            let sites = run.sites().filter(|&site| self.facts.lies_in(site, &branch.decides));
            let answers = run.chosen.iter().filter(|chosen| (branch.lines.0..=branch.lines.1).contains(&chosen.line));
            sites.collect::<BTreeSet<u32>>().len() + answers.map(|chosen| &chosen.key).collect::<BTreeSet<_>>().len()
        };
        let runs = self.facts.ledger.guided().filter(fits);
        runs.min_by_key(|run| (Reverse(asked(run)), run.trial.changes()))
    }

    /// Runs to start from: those with the fewest changes, of each that asked for values in other places one first.
    pub(crate) fn bases(&self, fits: impl Fn(&&Entry) -> bool) -> impl Iterator<Item = &'a Entry> {
        let mut runs: Vec<&Entry> = self.facts.ledger.guided().filter(fits).collect();
        runs.sort_by_key(|run| run.trial.changes());
        let mut seen = BTreeSet::new();
        let asks_elsewhere = |run: &&Entry| seen.insert(run.sites().collect::<BTreeSet<u32>>());
        let (mut first, again): (Vec<_>, Vec<_>) = runs.into_iter().partition(asks_elsewhere);
        first.extend(again);
        first.truncate(BASES);
        first.into_iter()
    }

    /// Changes that may lead from a branch to one of its ways.
    pub(crate) fn way(&self, base: &Entry, branch: &Branch, side: &Side, trials: &mut Vec<Trial>) {
        let mut sites = Vec::new();
        self.facts.changeable(base, branch.decides.clone(), &mut sites);
        sites.truncate(SITES);
        let deciding = base.chosen.iter().filter(|chosen| may_decide(self.facts, chosen, branch));
        let (numbers, in_condition): (Vec<_>, Vec<_>) = deciding.partition(|chosen| chosen.key.starts_with("number:"));
        let in_condition = in_condition.into_iter();
        let first = trials.len();
        for chosen in in_condition.clone() {
            trials.extend(
                compared_with(self.facts, chosen, branch).map(|answer| base.trial.with_choice(&chosen.key, answer)),
            );
        }
        if let Side::Handler(names) = side {
            let inside = |site: &u32| self.facts.lies_in(*site, &branch.decides);
            for name in names {
                let calls = base.injections.iter().filter_map(|injection| injection.site);
                let calls =
                    calls.chain(self.facts.replaceable(base)).filter(|site| inside(site) && self.is_call(*site));
                for site in calls {
                    if let Some(assigned) = self.facts.assigned(base, site) {
                        let value = Value { assigned, literal: Some(Literal::Raises(name.clone())) };
                        trials.push(base.trial.with_value(site, value));
                    }
                }
                // What is missing may be found missing, too.
                let missing = in_condition.clone().filter(|chosen| chosen.key.starts_with("expected:"));
                trials.extend(missing.map(|chosen| base.trial.with_choice(&chosen.key, Choice::Truth(true))));
                let raises = Choice::Raises(name.clone());
                trials.extend(in_condition.clone().map(|chosen| base.trial.with_choice(&chosen.key, raises.clone())));
                // Values of other types are among the other classes, below.
                let name = name.as_deref().filter(|name| *name != "TypeError");
                for &site in sites.iter().take(REFUSED) {
                    let refused = name.map_or(&[][..], raising).iter();
                    let refused = refused.filter_map(|&text| self.values.written(site, text));
                    trials.extend(refused.map(|value| base.trial.with_value(site, value)));
                }
            }
        } else {
            trials.extend(in_condition.filter_map(|chosen| flipped(base, chosen)));
        }
        let hints = self.facts.plan.paths().hints.iter();
        let inside = |range: &Range<u32>| branch.decides.start <= range.start && range.end <= branch.decides.end;
        for hint in hints.filter(|hint| inside(&hint.subject)) {
            trials.extend(self.hinted(base, hint));
            // `rows[key] is None`: an item of a stand-in is no site.
            if hint.wish == Wish::Nothing && self.facts.plan.text[..hint.subject.end as usize].ends_with(']') {
                let (line, _) = self.facts.position(hint.subject.start);
                trials.push(base.trial.with_choice(&format!("none:{line}"), Choice::Truth(true)));
            }
        }
        // What a stand-in is converted to, if no value of a site leads there.
        for chosen in numbers {
            trials.extend(
                compared_with(self.facts, chosen, branch).map(|answer| base.trial.with_choice(&chosen.key, answer)),
            );
            trials.extend(flipped(base, chosen));
        }
        if self.has_parts(branch, side) {
            let parts: Vec<Trial> = trials[first..].iter().take(PARTS).cloned().collect();
            trials.extend(together(&base.trial, &parts));
        }
        // The likelier truth first. A `not` somewhere inside can turn it round: a few of the other truth come after.
        let negated = self.facts.plan.text[branch.decides.start as usize..].starts_with("not ");
        let wanted = |class: Class| match side {
            Side::Yes => is_falsy(class) == negated,
            Side::No => is_falsy(class) != negated,
            Side::Handler(_) | Side::Case => true,
        };
        if self.has_parts(branch, side) {
            trials.extend(
                [true, false].iter().filter_map(|&truth| self.at_once(base, &sites, |one| wanted(one) == truth)),
            );
        }
        let of_types = |name: &Option<String>| matches!(name.as_deref(), Some("TypeError" | "AttributeError"));
        let is_refused = matches!(side, Side::Handler(names) if names.iter().any(of_types));
        let others = sites.iter().map(|&site| {
            let mut values = self.values.others(base, site, wanted);
            if is_refused {
                values.sort_by_key(|value| satisfies(value.assigned.class, &self.facts.plan.sites[site as usize]));
            }
            values.truncate(CLASSES);
            values.extend(self.values.others(base, site, |class| !wanted(class)).into_iter().take(TURNED));
            let values = self.with_observed(base, site, values);
            let likes = if matches!(side, Side::Yes | Side::No) { self.likes(base, site) } else { Vec::new() };
            alternating(likes, values)
        });
        let (others, mut in_order): (Vec<Vec<Value>>, _) = (others.collect(), Vec::new());
        in_turn(base, &sites, &others, &mut in_order);
        trials.extend(alternating(in_order, self.in_forms(base, branch)));
    }

    /// Values for what a condition asks about, as it asks for them.
    pub(crate) fn hinted(&self, base: &Entry, hint: &Hint) -> Vec<Trial> {
        let mut subjects = Vec::new();
        self.facts.changeable(base, hint.subject.clone(), &mut subjects);
        let granted = subjects.iter().filter_map(|&site| Some((site, self.values.granted(base, site, &hint.wish)?)));
        let feeding = self.facts.plan.paths().origins.near(hint.subject.clone());
        let row = |site: u32| &self.facts.plan.sites[site as usize];
        // Of `day.year > 2000` the year is a number, and not the day; of `x = a.find()` the result is None.
        let is_whole = |row: &Site| {
            feeding.iter().any(|(_, range)| *range == (row.start..row.end))
                || self.facts.plan.text[hint.subject.start as usize..hint.subject.end as usize] == *row.name
        };
        let fitting =
            granted.filter(|(site, value)| is_whole(row(*site)) || may_have(row(*site), value.assigned.class));
        // What a variable was assigned goes before what it was made of.
        let is_variable =
            !self.facts.plan.text[hint.subject.start as usize..hint.subject.end as usize].contains(['.', '[', '(']);
        let is_value = |row: &Site| is_variable && feeding.contains(&(1, row.start..row.end));
        let (first, others): (Vec<_>, Vec<_>) = fitting.partition(|(site, _)| is_value(row(*site)));
        first.into_iter().chain(others).take(HINTED).map(|(site, value)| base.trial.with_value(site, value)).collect()
    }

    /// Texts in the form in which the code reads them before it asks what came of that: `m = re.match(…, text)`, `if m:`.
    fn in_forms(&self, base: &Entry, branch: &Branch) -> Vec<Trial> {
        let paths = self.facts.plan.paths();
        let feeding = paths.origins.near(branch.decides.clone());
        let feeds = |hint: &&Hint| {
            feeding.iter().any(|(_, range)| range.start <= hint.subject.start && hint.subject.end <= range.end)
        };
        let hints = paths.formats.iter().chain(&paths.other_formats).filter(feeds);
        let granted = hints.filter_map(|hint| {
            let mut sites = Vec::new();
            self.facts.changeable(base, hint.subject.clone(), &mut sites);
            let site = sites.into_iter().find(|&site| may_have(&self.facts.plan.sites[site as usize], Class::Str))?;
            self.granted(base, site, &hint.wish)
        });
        granted.collect()
    }

    /// The trial with another value for each of several variables.
    fn at_once(&self, base: &Entry, sites: &[u32], wanted: impl Fn(Class) -> bool) -> Option<Trial> {
        let is_variable = |site: &&u32| self.facts.plan.sites[**site as usize].kind == Kind::Variable;
        let found = sites.iter().filter(is_variable).filter_map(|&site| {
            let value = self.values.others(base, site, &wanted).into_iter().next()?;
            Some((site, value))
        });
        let found: Vec<(u32, Value)> = found.collect();
        let with = |trial: Trial, (site, value): (u32, Value)| trial.with_value(site, value);
        (found.len() > 1).then(|| found.into_iter().fold(base.trial.clone(), with))
    }

    /// True for a way that a condition of several parts leads to.
    fn has_parts(&self, branch: &Branch, side: &Side) -> bool {
        let condition = self.facts.plan.text.get(branch.decides.start as usize..branch.decides.end as usize);
        let joined = condition.is_some_and(|text| text.contains(" and ") || text.contains(" or "));
        joined && matches!(side, Side::Yes | Side::No)
    }

    /// Values for a site, with those of recorded runs: the most frequent before the others, the rest after them.
    pub(crate) fn with_observed(&self, base: &Entry, site: u32, others: Vec<Value>) -> Vec<Value> {
        let mut observed = self.values.observed(base, site).into_iter();
        let first: Vec<Value> = observed.by_ref().take(OBSERVED).collect();
        first.into_iter().chain(others).chain(observed).collect()
    }

    /// Other values of the kind that a site has in a run.
    fn likes(&self, base: &Entry, site: u32) -> Vec<Value> {
        let Some(name) = self.facts.plan.sites.get(site as usize).map(|row| &row.name) else { return Vec::new() };
        // Or the kind of what it was converted to.
        let is_of_site = |injected: &&Injection| match injected.site {
            Some(other) => other == site,
            None => injected.name == *name,
        };
        let found = base.injections.iter().filter(is_of_site).map(|injected| like(&injected.value));
        let likes = found.into_iter().find(|likes| !likes.is_empty()).unwrap_or_default();
        let likes = likes.iter().filter(|text| !self.values.is_compared || may_be_compared(text));
        likes.filter_map(|&text| self.values.written(site, text)).collect()
    }

    /// The trial with a value that fulfils a wish.
    pub(crate) fn granted(&self, base: &Entry, site: u32, wish: &Wish) -> Option<Trial> {
        self.values.granted(base, site, wish).map(|value| base.trial.with_value(site, value))
    }

    /// True if a site is a call: its value is what the call returns.
    fn is_call(&self, site: u32) -> bool {
        self.facts.plan.sites.get(site as usize).is_some_and(|site| site.kind == Kind::ReturnValue)
    }
}

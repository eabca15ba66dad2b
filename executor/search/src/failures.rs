//! Changes that may lead past an error, whether a run ended with it or a handler took it.

use surmise_engine::plan::{Trial, Value, satisfies};
use surmise_engine::protocol::Raised;
use surmise_instrument::Kind;
use surmise_instrument::paths::{Branch, Hint, Side, Wish};
use surmise_ledger::Entry;
use surmise_value_model::Class;

use crate::answers::flipped;
use crate::changes::{CLASSES, Changes, SITES};
use crate::combined::in_turn;
use crate::repair;

/// Values that are tried first because the `assert` that fails asks for them.
const ASSERTED: usize = 4;

impl Changes<'_> {
    /// Other values for what the failing operation works on, then the other side of the branches around it.
    pub(crate) fn without_error(&self, base: &Entry, error: &Raised, trials: &mut Vec<Trial>) {
        let paths = self.facts.plan.paths();
        let mut sites = if error.kind == "RecursionError" { self.recursive_calls(base) } else { Vec::new() };
        for range in self.facts.failing(error) {
            self.facts.changeable(base, range, &mut sites);
        }
        let asserted = self.asserted(error).flat_map(|hint| self.hinted(base, hint)).take(ASSERTED);
        trials.extend(asserted);
        let wishes = repair::wishes(error);
        for &site in sites.iter().take(SITES) {
            let text = self.facts.plan.sites.get(site as usize).is_some_and(|row| satisfies(Class::Str, row));
            for wish in wishes.iter().filter(|wish| text || !matches!(wish, Wish::Text(_))) {
                trials.extend(self.granted(base, site, wish));
            }
        }
        // First one other class at each site, then the next: the sites are candidates, too.
        let others = sites.iter().take(SITES).map(|&site| {
            let mut values = self.values.others(base, site, |_| true);
            values.truncate(CLASSES + 1);
            self.with_observed(base, site, values)
        });
        let others: Vec<Vec<Value>> = others.collect();
        in_turn(base, &sites, &others, trials);
        let here = base.chosen.iter().filter(|chosen| chosen.line == error.line);
        trials.extend(here.filter_map(|chosen| flipped(base, chosen)));
        let around = |branch: &&Branch| (branch.whole.0..=branch.whole.1).contains(&error.line);
        for branch in paths.branches.iter().filter(around).rev() {
            for way in branch.ways.iter().filter(|way| !(way.lines.0..=way.lines.1).contains(&error.line)) {
                self.way(base, branch, &way.side, trials);
            }
        }
    }

    /// Where the function that was asked for calls itself: a value in place of what is called there ends the recursion.
    fn recursive_calls(&self, base: &Entry) -> Vec<u32> {
        let called = base.trial.call.as_ref().or(self.facts.ledger.function.as_ref());
        let name = called.map(|qualname| qualname.rsplit('.').next().unwrap_or(qualname));
        let is_own = |site: &u32| {
            let site = &self.facts.plan.sites[*site as usize];
            site.kind != Kind::Variable && name.is_some_and(|name| site.name == *name)
        };
        self.facts.replaceable(base).filter(is_own).collect()
    }

    /// What the `assert` asks for that fails.
    fn asserted(&self, error: &Raised) -> impl Iterator<Item = &Hint> {
        let paths = self.facts.plan.paths();
        let failed = if error.kind == "AssertionError" { paths.statement(error.line) } else { None };
        let inside = move |hint: &&Hint| {
            failed.as_ref().is_some_and(|range| range.start <= hint.subject.start && hint.subject.end <= range.end)
        };
        paths.hints.iter().filter(inside)
    }

    /// Changes that may lead past errors in the body of a `try` that one of its handlers is for.
    pub(crate) fn completed(&self, branch: &Branch, trials: &mut Vec<Trial>) {
        let handled = |run: &&Entry| {
            let mut handlers = branch.ways.iter().filter(|way| matches!(way.side, Side::Handler(_)));
            handlers.any(|way| run.reached_any(way.lines))
        };
        for base in self.bases(handled) {
            let body = base.covered.iter().filter(|line| (branch.lines.0..=branch.lines.1).contains(*line));
            let Some(&line) = body.max() else { continue };
            let of_object = base.chosen.iter().filter(|chosen| chosen.key.starts_with("instance:"));
            trials.extend(of_object.filter_map(|chosen| flipped(base, chosen)));
            for way in branch.ways.iter().filter(|way| base.reached_any(way.lines)) {
                let Side::Handler(names) = &way.side else { continue };
                for kind in names {
                    let error = Raised { kind: kind.clone().unwrap_or_default(), line, ..Raised::default() };
                    self.without_error(base, &error, trials);
                }
            }
        }
    }
}

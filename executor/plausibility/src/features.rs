//! What is asked of a run: how its conditions came out, how it ended, how much of the code it ran, and how far it is
//! from the first run.

use surmise_engine::execute::Outcome;
use surmise_engine::protocol::Raised;
use surmise_instrument::paths::{Branch, Side};
use surmise_ledger::{Entry, Facts, is_of_types};
use surmise_value_model::plausibility::Features;

/// Probabilities are taken as no smaller.
const LEAST: f32 = 0.02;

/// The conditions of a program, with what is expected of them.
pub(crate) struct Conditions<'a> {
    facts: Facts<'a>,
    /// In the order of the program's branches.
    conditions: Vec<Condition<'a>>,
}

/// A branch that is decided by a condition, or by whether a loop has an element.
struct Condition<'a> {
    branch: &'a Branch,
    /// Number of the branch, and of the way that is taken where the condition holds.
    yes: (usize, usize),
    /// How likely the condition holds.
    probability: f32,
    /// The truth that keeps the code from raising, if the other makes it raise.
    guard: Option<bool>,
    is_loop: bool,
}

/// What the conditions of a run came to.
#[derive(Default)]
struct Outcomes {
    log_odds: f32,
    unlikeliest: f32,
    failed_guards: u32,
    empty_loops: u32,
}

impl<'a> Conditions<'a> {
    pub(crate) fn of(facts: Facts<'a>) -> Self {
        let paths = facts.plan.paths();
        let odds = facts.plan.odds();
        let condition = |(number, branch): (usize, &'a Branch)| {
            let way = branch.ways.iter().position(|way| way.side == Side::Yes)?;
            // Where the block begins on the line of the condition, lines do not tell.
            let is_told = branch.ways[way].lines.0 > branch.lines.1;
            let probability = *odds.get(&branch.decides.start).filter(|_| is_told)?;
            let own = paths.outcomes.iter().filter(|outcome| outcome.decides == branch.decides);
            let guard = own.clone().find(|outcome| outcome.is_guard).map(|outcome| outcome.truth);
            // What a loop goes over is no condition.
            let is_loop = own.count() == 0;
            Some(Condition { branch, yes: (number, way), probability, guard, is_loop })
        };
        Self { facts, conditions: paths.branches.iter().enumerate().filter_map(condition).collect() }
    }

    /// The features of a run, in the order of [`surmise_value_model::plausibility::FEATURES`].
    pub(crate) fn features(&self, entry: &Entry) -> Features {
        let outcomes = self.outcomes(entry);
        let first = self.facts.ledger.first();
        let (covered, lines) = (entry.covered.len() as f32, first.lines.len().max(1) as f32);
        let ended = entry.error.as_ref().filter(|_| entry.outcome == Outcome::Error);
        let raised = ended.is_some_and(|error| self.is_explicit(error));
        let of_types = !raised && ended.is_some_and(is_of_types);
        let cut_off = matches!(entry.outcome, Outcome::Timeout | Outcome::Killed);
        let is = |what: bool| f32::from(u8::from(what));
        [
            outcomes.log_odds,
            outcomes.unlikeliest,
            outcomes.failed_guards as f32,
            is(raised),
            is(of_types),
            is(ended.is_some() && !raised && !of_types),
            is(cut_off),
            self.handlers(entry) as f32,
            outcomes.empty_loops as f32,
            covered / lines,
            covered.ln_1p(),
            entry.trial.changes() as f32,
            is(std::ptr::eq(entry, first)),
        ]
    }

    fn outcomes(&self, entry: &Entry) -> Outcomes {
        let taken: Vec<(usize, usize)> = self.facts.outcomes(entry).collect();
        let mut found = Outcomes::default();
        for condition in self.conditions.iter().filter(|condition| is_decided(entry, condition.branch)) {
            let holds = taken.binary_search(&condition.yes).is_ok();
            let probability = if holds { condition.probability } else { 1.0 - condition.probability };
            // To the likelier outcome: a run that decides more conditions is no less plausible for that.
            let likeliest = condition.probability.max(1.0 - condition.probability);
            let log_odds = (probability.max(LEAST) / likeliest.max(LEAST)).ln();
            found.log_odds += log_odds;
            found.unlikeliest = found.unlikeliest.min(log_odds);
            found.failed_guards += u32::from(condition.guard.is_some_and(|truth| truth != holds));
            found.empty_loops += u32::from(condition.is_loop && !holds);
        }
        found
    }

    /// True for what a `raise` or an `assert` of the program raised.
    fn is_explicit(&self, error: &Raised) -> bool {
        let statement = self.facts.plan.paths().statement(error.line);
        let text = statement.and_then(|range| self.facts.plan.text.get(range.start as usize..range.end as usize));
        text.is_some_and(|text| text.starts_with("raise") || text.starts_with("assert"))
    }

    /// Number of handlers that a run entered.
    fn handlers(&self, entry: &Entry) -> usize {
        let branches = &self.facts.plan.paths().branches;
        let is_handler = |&(branch, way): &(usize, usize)| matches!(branches[branch].ways[way].side, Side::Handler(_));
        self.facts.outcomes(entry).filter(is_handler).count()
    }
}

/// True if a run came to a condition and went on from there.
fn is_decided(entry: &Entry, branch: &Branch) -> bool {
    let (first, last) = branch.lines;
    let failed = |error: &Raised| entry.outcome == Outcome::Error && (first..=last).contains(&error.line);
    entry.reached_any(branch.lines) && !entry.error.as_ref().is_some_and(failed)
}

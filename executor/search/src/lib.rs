//! Many runs of one plan: each changes what an earlier one injected, to reach what none has reached.
//!
//! A run costs about as much as a fork, and the predictions are already there. So the search asks, after each run, what
//! the [`Ledger`] leaves to reach ([`goals`]): the code after an error, the other side of a branch, a handler, a function
//! that nobody calls. For each it lists changes that may lead there, the likeliest first ([`changes`]), and tries them in
//! turn ([`frontier`]) while the [`budget`] lasts. Nothing is skipped or forced: a line counts only if CPython ran it.
//! Which value a branch depends on is found by running: syntax proposes candidates, a run confirms them.
//! `docs/how-it-searches.md` has an example.

mod answers;
mod budget;
mod changes;
mod combined;
mod detours;
mod failures;
mod frontier;
mod givens;
mod goals;
mod likes;
mod probes;
mod refused;
mod repair;
mod texts;
mod values;

use std::time::Instant;

use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::execute::{self, Execution, Outcome};
use surmise_engine::plan::{Plan, PredictorChoice, Settings, Trial};
use surmise_engine::stdin::Input;
use surmise_instrument::extract::Function;
use surmise_ledger::{Entry, Facts, Ledger, Recording};

use budget::Budget;
use changes::Changes;
use frontier::Frontier;

pub use refused::raising;

/// One run of so many is kept for probes until the first round of changes is over.
const RESERVED_SHARE: u32 = 3;

/// A search at work: the program, what its runs left, and what may still be tried.
struct Search<'a> {
    zygote: &'a mut Zygote,
    plan: &'a Plan,
    settings: &'a Settings,
    input: &'a mut Input,
    ledger: Ledger,
    frontier: Frontier,
    budget: Budget,
    /// Functions that may be called by us.
    functions: Vec<Function>,
}

/// Runs a plan as often as the settings allow and as it finds something new, then asks whether runs can be repeated, and
/// repeats the best one for a script if one is wanted. The plan is afterwards the one that was run: without what CPython
/// refused, with a site for each parameter of the functions that were called.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub fn search(
    zygote: &mut Zygote,
    plan: &mut Plan,
    settings: &Settings,
    input: &mut Input,
) -> Result<Ledger, ClientError> {
    let mut search = Search::begun(zygote, plan, settings, input)?;
    search.ledger.unsteady = search.is_unsteady()?;
    search.ledger.recording = search.recording()?;
    Ok(search.ledger)
}

/// Runs a plan as [`search`] does, and asks nothing afterwards.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub fn explore(
    zygote: &mut Zygote,
    plan: &mut Plan,
    settings: &Settings,
    input: &mut Input,
) -> Result<Ledger, ClientError> {
    Ok(Search::begun(zygote, plan, settings, input)?.ledger)
}

impl<'a> Search<'a> {
    /// The search after its last run.
    fn begun(
        zygote: &'a mut Zygote,
        plan: &'a mut Plan,
        settings: &'a Settings,
        input: &'a mut Input,
    ) -> Result<Self, ClientError> {
        // The time of a search includes what the plan took.
        let begin = Instant::now();
        let begin = begin.checked_sub(plan.instrument_time + plan.predict_time).unwrap_or(begin);
        let budget = Budget::new(settings, begin);
        let first = execute::first(zygote, plan, settings, input, budget.for_first())?;
        let compiles = first.outcome != Outcome::SyntaxError;
        let goes_on = compiles && settings.runs > 1 && settings.predictor != PredictorChoice::None;
        let calls = goes_on && settings.harness_calls && settings.function.is_none();
        let functions = if calls { plan.callable() } else { Vec::new() };
        if !functions.is_empty() {
            plan.assign_parameters(settings);
        }
        let ledger = Ledger::new(plan, settings.function.clone(), begin);
        let frontier = Frontier::default();
        let mut search = Self { zygote, plan, settings, input, ledger, frontier, budget, functions };
        search.add(first);
        if compiles {
            search.read_samples()?;
        }
        if goes_on {
            search.go_on()?;
        }
        Ok(search)
    }

    fn facts(&self) -> Facts<'_> {
        Facts { plan: self.plan, ledger: &self.ledger }
    }

    /// Takes a run into account.
    fn add(&mut self, entry: impl Into<Entry>) {
        let entry = entry.into();
        self.frontier.note(&entry.trial);
        self.ledger.add(entry);
    }

    /// Runs the program under each of the other samples of standard input.
    fn read_samples(&mut self) -> Result<(), ClientError> {
        for sample in 1..self.input.samples() {
            if !self.may_run() {
                break;
            }
            let run = self.run(&Trial { sample, ..Trial::default() })?;
            self.add(run);
        }
        Ok(())
    }

    /// Covers what can be covered; then, if errors are asked for, it probes the code with real values.
    fn go_on(&mut self) -> Result<(), ClientError> {
        if self.settings.probes {
            self.budget.reserved = self.settings.runs / RESERVED_SHARE;
            self.follow(false)?;
            self.budget.reserved = 0;
            self.probe()?;
        }
        self.follow(true)
    }

    /// Tries changes until none is left; values at their edges come last, if at all.
    fn follow(&mut self, edges: bool) -> Result<(), ClientError> {
        while self.may_run() {
            let Some(trial) = self.next_trial(edges) else { return Ok(()) };
            let run = self.run(&trial)?;
            self.add(run);
        }
        Ok(())
    }

    /// True while runs and time are left and a further run can say something.
    fn may_run(&self) -> bool {
        self.budget.allows(self.ledger.entries().len())
            && self.input.is_repeatable()
            && self.ledger.internal().is_none()
            && !self.zygote.is_stopped()
    }

    fn run(&mut self, trial: &Trial) -> Result<Execution, ClientError> {
        let timeout = self.budget.for_next(trial, &self.ledger);
        execute::once(self.zygote, self.plan, self.settings, self.input, trial, timeout)
    }

    fn next_trial(&mut self, edges: bool) -> Option<Trial> {
        let Self { plan, settings, ledger, frontier, budget, functions, .. } = self;
        let facts = Facts { plan, ledger };
        let changes = Changes::new(facts, settings);
        let mut next =
            |goals| frontier.next(goals, ledger.news(), |goal| (!budget.is_over()).then(|| changes.of(goal)));
        let found = next(goals::goals(facts, functions));
        if edges { found.or_else(|| next(goals::edges(facts))) } else { found }
    }

    /// Repeats the first run, unless it says all there is to say: a snippet that answers differently every time was not
    /// searched as well as it seems.
    fn is_unsteady(&mut self) -> Result<bool, ClientError> {
        let first = self.ledger.first();
        let settled =
            self.ledger.entries().len() == 1 && first.outcome == Outcome::Completed && self.ledger.missing().is_empty();
        let unrepeatable = self.settings.runs == 1
            || matches!(first.outcome, Outcome::Timeout | Outcome::SyntaxError)
            || !self.input.is_repeatable();
        if settled || unrepeatable || self.budget.is_over() || self.zygote.is_stopped() {
            return Ok(false);
        }
        let again = self.run(&Trial::default())?;
        Ok(!self.ledger.first().is_like(&again))
    }

    /// The best run once more, with all that a script needs.
    fn recording(&mut self) -> Result<Option<Recording>, ClientError> {
        let (settings, best) = (self.settings, self.ledger.best());
        if !settings.record {
            return Ok(None);
        }
        let none = Recording { recorded: None, same: false, called: settings.function.clone() };
        if !self.input.is_repeatable() || matches!(best.outcome, Outcome::Timeout | Outcome::SyntaxError) {
            return Ok(Some(none));
        }
        let trial = Trial { record: true, ..best.trial.clone() };
        let again = execute::once(self.zygote, self.plan, settings, self.input, &trial, settings.timeout)?;
        Ok(Some(Recording { same: best.is_like(&again), recorded: again.recording, ..none }))
    }
}

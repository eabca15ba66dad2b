//! Many runs of one plan: each changes what an earlier one injected, to reach what none has reached.
//!
//! A run costs about as much as a fork, and the predictions are already there. So the search asks, after each run, what
//! is left to reach ([`goals`]): the code after an error, the other side of a branch, a handler, a function that nobody
//! calls. For each it lists changes that may lead there, the likeliest first ([`changes`]), and tries them in turn.
//! Nothing is skipped or forced: a line counts only if CPython ran it. Which value a branch depends on is found by
//! running: syntax proposes candidates, a run confirms them. `docs/how-it-searches.md` has an example.

mod blame;
mod changes;
mod goals;
mod names;
mod probes;
mod repair;
mod shapes;
mod standing;
mod texts;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use surmise_instrument::LineIndex;
use surmise_instrument::extract::Function;

use crate::client::{ClientError, Zygote};
use crate::execute::{self, Execution, Outcome};
use crate::plan::{Plan, PredictorChoice, Settings, Trial};
use crate::protocol::Injection;
use crate::report::{Recording, Report, Times};
use crate::stdin::Input;

use goals::Goal;

/// A change gets at least this long, and ten times what the longest run took that came to an end.
const LEAST_TIMEOUT: Duration = Duration::from_millis(500);

/// One run of so many is kept for probes until the first round of changes is over.
const RESERVED_SHARE: u32 = 3;

/// The state of a search.
struct Search<'a> {
    zygote: &'a mut Zygote,
    plan: Plan,
    lines: LineIndex,
    /// The sites in the order of the source.
    by_start: Vec<u32>,
    settings: &'a Settings,
    input: &'a mut Input,
    /// When the plan was begun.
    begin: Instant,
    runs: Vec<Execution>,
    /// What all runs together reached.
    covered: BTreeSet<u32>,
    /// What was tried, in a form that compares.
    tried: BTreeSet<String>,
    /// How often each goal was tried.
    attempts: BTreeMap<Goal, u32>,
    /// Goals without an untried change, and how many runs there were that told something new.
    exhausted: BTreeMap<Goal, usize>,
    /// Runs that told something new.
    news: usize,
    /// Sites and answers that some run told of.
    told: BTreeSet<String>,
    /// Functions that may be called by us.
    functions: Vec<Function>,
    /// Runs on real values, by their number, with those values.
    probes: Vec<(usize, probes::Values)>,
    /// What does not come to its end with any real values, though many were tried: the module or functions.
    unsolved: BTreeSet<Option<String>>,
    /// Runs that are kept for probes.
    reserved: u32,
}

/// Runs a plan as often as the settings allow and as it finds something new.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub fn search(zygote: &mut Zygote, plan: Plan, settings: &Settings, input: &mut Input) -> Result<Report, ClientError> {
    let mut search = searched(zygote, plan, settings, input)?;
    let unsteady = search.is_unsteady()?;
    let recording = search.recording()?;
    Ok(Report { recording, ..search.report(unsteady) })
}

/// All runs of a search; the plan is the one that was run, after the clean-up of what CPython refused.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub(crate) fn explore(
    zygote: &mut Zygote,
    plan: &mut Plan,
    settings: &Settings,
    input: &mut Input,
) -> Result<Vec<Execution>, ClientError> {
    let search = searched(zygote, plan.clone(), settings, input)?;
    *plan = search.plan;
    Ok(search.runs)
}

fn searched<'a>(
    zygote: &'a mut Zygote,
    mut plan: Plan,
    settings: &'a Settings,
    input: &'a mut Input,
) -> Result<Search<'a>, ClientError> {
    // The time of a search includes what the plan took.
    let begin = Instant::now();
    let begin = begin.checked_sub(plan.instrument_time + plan.predict_time).unwrap_or(begin);
    // A first run that does not end leaves time for those that might.
    let patience = if settings.runs > 1 { settings.time / 2 } else { settings.time };
    let first = execute::first(zygote, &mut plan, settings, input, settings.timeout.min(patience))?;
    let mut search = Search {
        zygote,
        lines: LineIndex::new(&plan.text),
        by_start: Vec::new(),
        plan,
        settings,
        input,
        begin,
        runs: Vec::new(),
        covered: BTreeSet::new(),
        tried: BTreeSet::new(),
        attempts: BTreeMap::new(),
        exhausted: BTreeMap::new(),
        news: 0,
        told: BTreeSet::new(),
        functions: Vec::new(),
        probes: Vec::new(),
        unsolved: BTreeSet::new(),
        reserved: 0,
    };
    let compiles = first.outcome != Outcome::SyntaxError;
    search.add(first);
    let goes_on = compiles && settings.runs > 1 && settings.predictor != PredictorChoice::None;
    if goes_on {
        search.prepare_driving();
    }
    let sites = &search.plan.sites;
    search.by_start = (0..sites.len() as u32).collect();
    search.by_start.sort_by_key(|&site| sites[site as usize].start);
    if goes_on {
        search.go_on()?;
    }
    Ok(search)
}

impl Search<'_> {
    /// Takes a run into account.
    fn add(&mut self, run: Execution) {
        let before = (self.covered.len(), self.told.len());
        self.covered.extend(&run.covered);
        let sites = run.injections.iter().filter_map(|injection| injection.site);
        self.told.extend(sites.map(|site| site.to_string()));
        self.told.extend(run.chosen.iter().map(|chosen| chosen.key.clone()));
        self.told.extend(run.error.iter().map(|error| format!("{} {}", error.kind, error.line)));
        self.news += usize::from((self.covered.len(), self.told.len()) != before);
        self.tried.insert(format!("{:?}", run.trial));
        self.runs.push(run);
    }

    fn prepare_driving(&mut self) {
        if !self.settings.drive || self.settings.function.is_some() {
            return;
        }
        self.functions = self.plan.callable();
        if !self.functions.is_empty() {
            self.plan.assign_parameters(self.settings);
        }
    }

    /// Covers what can be covered; then, if errors are asked for, it probes the code with real values.
    fn go_on(&mut self) -> Result<(), ClientError> {
        if self.settings.probes {
            self.reserved = self.settings.runs / RESERVED_SHARE;
            self.follow(false)?;
            self.reserved = 0;
            self.probe()?;
        }
        self.follow(true)
    }

    fn follow(&mut self, edges: bool) -> Result<(), ClientError> {
        while self.may_run() {
            let Some((goal, trial)) = self.next_trial(edges) else {
                return Ok(());
            };
            *self.attempts.entry(goal).or_default() += 1;
            let run = self.run(&trial)?;
            self.add(run);
        }
        Ok(())
    }

    /// True while runs and time are left.
    fn may_run(&self) -> bool {
        // One run is kept for the question whether runs can be repeated.
        (self.runs.len() as u32) + 1 + self.reserved < self.settings.runs
            && self.begin.elapsed() < self.settings.time
            && self.input.is_repeatable()
            && self.runs.iter().all(|run| run.internal.is_none())
    }

    fn run(&mut self, trial: &Trial) -> Result<Execution, ClientError> {
        let ended = self.runs.iter().filter(|run| run.outcome != Outcome::Timeout).map(|run| run.wall);
        let least = if trial.is_probe() { LEAST_TIMEOUT / 2 } else { LEAST_TIMEOUT };
        let patience = (ended.max().unwrap_or_default() * 10).max(least);
        let left = self.settings.time.saturating_sub(self.begin.elapsed()).max(Duration::from_millis(1));
        let timeout = self.settings.timeout.min(patience).min(left);
        execute::once(self.zygote, &self.plan, self.settings, self.input, trial, timeout)
    }

    /// The least tried goal that has an untried change, with that change.
    fn next_trial(&mut self, edges: bool) -> Option<(Goal, Trial)> {
        let next = self.next_for(self.goals());
        if edges { next.or_else(|| self.next_for(self.edges())) } else { next }
    }

    fn next_for(&mut self, mut goals: Vec<Goal>) -> Option<(Goal, Trial)> {
        goals.sort_by_key(|goal| (self.attempts.get(goal).copied().unwrap_or(0), goal.clone()));
        for goal in goals {
            if self.begin.elapsed() >= self.settings.time {
                return None;
            }
            let attempts = self.attempts.get(&goal).copied().unwrap_or(0);
            if attempts >= goal.most_attempts() || self.exhausted.get(&goal) == Some(&self.news) {
                continue;
            }
            let untried = |trial: &Trial| !self.tried.contains(&format!("{trial:?}"));
            match self.changes(&goal).into_iter().find(untried) {
                Some(trial) => return Some((goal, trial)),
                None => {
                    self.exhausted.insert(goal, self.news);
                }
            }
        }
        None
    }

    /// Repeats the first run, unless it says all there is to say: a snippet that answers differently every time was not searched
    /// as well as it seems.
    fn is_unsteady(&mut self) -> Result<bool, ClientError> {
        let first = &self.runs[0];
        let settled = self.runs.len() == 1 && first.outcome == Outcome::Completed && self.missing().is_empty();
        let unrepeatable = self.settings.runs == 1
            || matches!(first.outcome, Outcome::Timeout | Outcome::SyntaxError)
            || !self.input.is_repeatable();
        if settled || unrepeatable || self.begin.elapsed() >= self.settings.time {
            return Ok(false);
        }
        let again = self.run(&Trial::default())?;
        let first = &self.runs[0];
        let same = again.covered == first.covered && again.outcome == first.outcome && again.error == first.error;
        Ok(!same)
    }

    /// The run that covers most of those in which the snippet itself ran; of equal ones that which ended well, then the
    /// first.
    fn best(&self) -> &Execution {
        let own = self.runs.iter().enumerate().filter(|(_, run)| run.trial.drive.is_none());
        let key = |(at, run): &(usize, &Execution)| {
            (run.covered.len(), run.outcome == Outcome::Completed, std::cmp::Reverse(*at))
        };
        own.max_by_key(key).map_or(&self.runs[0], |(_, run)| run)
    }

    /// The best run once more, with all that a script needs.
    fn recording(&mut self) -> Result<Option<Recording>, ClientError> {
        if !self.settings.record {
            return Ok(None);
        }
        let none = Recording { recorded: None, same: false, driven: self.settings.function.clone() };
        if !self.input.is_repeatable() || matches!(self.best().outcome, Outcome::Timeout | Outcome::SyntaxError) {
            return Ok(Some(none));
        }
        let (trial, settings) = (self.best().trial.clone(), self.settings);
        let again = execute::recorded(self.zygote, &self.plan, settings, self.input, &trial, settings.timeout)?;
        let best = self.best();
        let same = again.covered == best.covered && again.outcome == best.outcome && again.error == best.error;
        Ok(Some(Recording { recorded: again.recording, same, ..none }))
    }

    fn report(&self, unsteady: bool) -> Report {
        let (plan, best) = (&self.plan, self.best());
        let covered: Vec<u32> = self.covered.iter().copied().collect();
        let reached = |line: u32| best.reached(plan.instrumented.marks.first_line(line));
        let uses = plan.uses().iter().filter(|site| !site.name.is_empty() && reached(site.line)).count() as u32;
        let own = |injection: &&Injection| injection.site.is_some_and(|site| (site as usize) < plan.uses().len());
        let guided = best.injections.iter().filter(own).count() as u32;
        let errors = self.errors();
        Report {
            name: plan.source.name.clone(),
            source: plan.source.text.clone(),
            outcome: best.outcome,
            exit_code: best.exit_code,
            error: best.error.clone(),
            errors,
            lines: self.runs[0].lines.clone(),
            covered,
            best: best.covered.clone(),
            injections: self.injections(best),
            uses: (uses.max(guided), guided),
            repairs: plan.repairs.clone(),
            stdout: best.stdout.clone(),
            stderr: best.stderr.clone(),
            runs: self.runs.len() as u32,
            unsteady,
            times: Times {
                instrument: plan.instrument_time,
                predict: plan.predict_time,
                execute: self.runs.iter().map(|run| run.wall).sum(),
                start: self.runs.iter().filter_map(|run| run.start).sum(),
                total: self.begin.elapsed(),
            },
            internal: self.runs.iter().find_map(|run| run.internal.clone()),
            recording: None,
            script: None,
        }
    }

    /// Those of the best run, and those of the runs that first reached other lines, on these lines.
    fn injections(&self, best: &Execution) -> Vec<Injection> {
        let mut injections = best.injections.clone();
        let mut shown: BTreeSet<u32> = best.covered.iter().copied().collect();
        let first_line = |line: u32| self.plan.instrumented.marks.first_line(line);
        for run in &self.runs {
            let new: BTreeSet<u32> = run.covered.iter().copied().filter(|line| !shown.contains(line)).collect();
            let on_new = run.injections.iter().filter(|injection| new.contains(&first_line(injection.line)));
            injections.extend(on_new.cloned());
            shown.extend(new);
        }
        injections
    }
}

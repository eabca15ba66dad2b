//! What is known about a snippet after its runs, and how it is shown to people and to programs.
//!
//! A [`Report`] is a function of the ledger; [`terminal`], [`json`] and [`html`] only render it.

mod branches;
mod gaps;
pub mod html;
pub mod json;
mod plausible;
mod positions;
pub mod reason;
mod sampled;
pub mod sarif;
mod surroundings;
pub mod terminal;
mod tried;
pub mod visible;

use std::collections::BTreeSet;
use std::time::Duration;

use surmise_advice::Advice;
use surmise_blame::{Finding, Verdict, findings};
use surmise_engine::execute::Outcome;
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::protocol::{Injection, Raised};
use surmise_identity::Identity;
use surmise_instrument::cleanup::Repair;
use surmise_ledger::{Entry, Facts, Ledger, Recording};

pub use branches::Branch;
pub use plausible::{Candidate, PlausibleRun};
use positions::Positions;
pub use sampled::SampledInput;
pub use surroundings::Surroundings;
pub use tried::{RaisedIn, Tried, TriedPlace, TriedValue};

/// Everything known about a snippet.
#[derive(Clone, Debug)]
pub struct Report {
    /// The file's name.
    pub name: String,
    /// The source as given.
    pub source: String,
    /// How the best run ended: the one that covered most.
    pub outcome: Outcome,
    /// The program's own exit code in the best run; 128 plus the signal's number if a signal ended it.
    pub exit_code: i32,
    /// The error that ended the best run.
    pub error: Option<Raised>,
    /// All distinct errors, certain ones first.
    pub errors: Vec<Finding>,
    /// Lines that count, as CPython's line table has them.
    pub lines: Vec<u32>,
    /// Lines that count and that some run reached.
    pub covered: Vec<u32>,
    /// Lines that count and that the best run reached.
    pub best: Vec<u32>,
    /// The run that is the likeliest to be a real one.
    pub plausible: PlausibleRun,
    /// The runs that may be it, in their order; empty unless they were asked for.
    pub candidates: Vec<Candidate>,
    /// What the runs tried, place by place.
    pub tried: Tried,
    /// Blocks that branches led the best run to.
    pub branches: Vec<Branch>,
    /// The logarithm of the predictor's probability of all values that the best run injected.
    pub log_probability: f64,
    /// What was injected and answered, in order: by the best run, and on lines that only others reached by those.
    pub injections: Vec<Injection>,
    /// Uses of values on lines that the best run reached, and those of them that were guided.
    pub uses: (u32, u32),
    /// What the clean-up changed.
    pub repairs: Vec<Repair>,
    /// Standard output of the best run.
    pub stdout: String,
    /// Standard error of the best run.
    pub stderr: String,
    /// How many runs there were.
    pub runs: u32,
    /// The first run went differently when it was repeated.
    pub unsteady: bool,
    /// Where the runs took place.
    pub surroundings: Surroundings,
    /// The grammar of standard input and its samples, if there are such.
    pub sampled_input: Option<SampledInput>,
    /// What came of asking a language model, if one was asked.
    pub language_model: Option<Advice>,
    /// The weights and the runtime that it depends on.
    pub identity: Identity,
    /// Time for rewriting, predicting and executing.
    pub times: Times,
    /// Our own failure, if a worker reported one.
    pub internal: Option<String>,
    /// What a script is made of, if one was asked for.
    pub recording: Option<Recording>,
    /// The script that was written.
    pub script: Option<Script>,
}

/// A script that makes the best run happen under plain Python.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Script {
    /// Where it is.
    pub path: String,
    /// True if the script reproduces all that was injected.
    pub complete: bool,
    /// What it does not reproduce.
    pub missing: Vec<String>,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Clean-up and rewriting.
    pub instrument: Duration,
    /// Prediction.
    pub predict: Duration,
    /// Execution of all runs, the workers' starts included.
    pub execute: Duration,
    /// The part of that until the workers were behind all steps of the sandbox.
    pub start: Duration,
    /// All of it.
    pub total: Duration,
}

impl Report {
    /// Lines that count and were not reached.
    pub fn missed(&self) -> Vec<u32> {
        self.lines.iter().copied().filter(|line| self.covered.binary_search(line).is_err()).collect()
    }

    /// The report of a program that was run.
    pub fn new(plan: &Plan, settings: &Settings, ledger: Ledger, identity: Identity) -> Self {
        let surroundings = Surroundings::of(plan, settings, &ledger);
        let facts = Facts { plan, ledger: &ledger };
        let best = ledger.best();
        let reached = |line: u32| best.reached(plan.instrumented.marks.first_line(line));
        let uses = plan.uses().iter().filter(|site| !site.name.is_empty() && reached(site.line)).count() as u32;
        let own = |value: &&Injection| value.site.is_some_and(|site| (site as usize) < plan.uses().len());
        let guided = best.injections.iter().filter(own).count() as u32;
        let positions = Positions::new(&plan.source.text, &plan.text);
        let mut error = best.error.clone();
        if let Some(error) = &mut error {
            positions.raised(error);
        }
        let errors = findings(facts).into_iter().map(|finding| positions.finding(finding)).collect();
        let injections = injections(facts, best).into_iter().map(|value| positions.injection(value)).collect();
        Self {
            name: plan.source.name.clone(),
            source: plan.source.text.clone(),
            outcome: best.outcome,
            exit_code: best.exit_code,
            error,
            errors,
            lines: ledger.first().lines.clone(),
            covered: ledger.covered().iter().copied().collect(),
            best: best.covered.clone(),
            plausible: PlausibleRun::of(facts, &positions),
            candidates: if settings.candidates { Candidate::all(facts) } else { Vec::new() },
            tried: Tried::of(facts, &positions),
            branches: Branch::taken(facts, best),
            log_probability: best.log_probability,
            injections,
            uses: (uses.max(guided), guided),
            repairs: plan.repairs.clone(),
            stdout: best.stdout.clone(),
            stderr: best.stderr.clone(),
            runs: ledger.entries().len() as u32,
            unsteady: ledger.unsteady,
            surroundings,
            sampled_input: None,
            language_model: None,
            identity,
            times: Times {
                instrument: plan.instrument_time,
                predict: plan.predict_time,
                execute: ledger.entries().iter().map(|entry| entry.wall).sum(),
                start: ledger.entries().iter().filter_map(|entry| entry.start).sum(),
                total: ledger.begin.elapsed(),
            },
            internal: ledger.internal().cloned(),
            script: None,
            recording: ledger.recording,
        }
    }

    /// What is known about the error that ended the best run.
    pub fn finding(&self) -> Option<&Finding> {
        let error = self.error.as_ref()?;
        self.errors.iter().find(|finding| &finding.raised == error)
    }

    /// The report of a source that could not be run at all.
    pub fn of_syntax_error(name: &str, source: &str, line: u32, message: &str, identity: Identity) -> Self {
        let raised = Raised::of_syntax_error(line, message);
        let certain = Verdict::Certain;
        let found = Finding::new(raised.clone(), certain);
        Self {
            name: name.to_owned(),
            source: source.to_owned(),
            outcome: Outcome::SyntaxError,
            exit_code: 1,
            errors: vec![found],
            error: Some(raised),
            lines: Vec::new(),
            covered: Vec::new(),
            best: Vec::new(),
            plausible: PlausibleRun { outcome: Outcome::SyntaxError, ..PlausibleRun::default() },
            candidates: Vec::new(),
            tried: Tried::default(),
            branches: Vec::new(),
            log_probability: 0.0,
            injections: Vec::new(),
            uses: (0, 0),
            repairs: Vec::new(),
            stdout: String::new(),
            stderr: String::new(),
            runs: 0,
            unsteady: false,
            surroundings: Surroundings::default(),
            sampled_input: None,
            language_model: None,
            identity,
            times: Times::default(),
            internal: None,
            recording: None,
            script: None,
        }
    }
}

/// What the best run injected, and what those runs injected that first reached other lines, on these lines.
fn injections(facts: Facts<'_>, best: &Entry) -> Vec<Injection> {
    let mut injections = best.injections.clone();
    let mut shown: BTreeSet<u32> = best.covered.iter().copied().collect();
    let first_line = |line: u32| facts.plan.instrumented.marks.first_line(line);
    for entry in facts.ledger.entries() {
        let new: BTreeSet<u32> = entry.covered.iter().copied().filter(|line| !shown.contains(line)).collect();
        injections.extend(entry.injections.iter().filter(|value| new.contains(&first_line(value.line))).cloned());
        shown.extend(new);
    }
    injections
}

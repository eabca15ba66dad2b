//! Runs a program under inputs that fit its grammar, to see which errors it really raises.
//!
//! Nothing is injected: an error that is found is the program's own, under the input that stands beside it. The one
//! exception is a module that is not installed: it is stood in for, and only errors of runs that used no value of it
//! count.

use std::time::{Duration, Instant};

use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::execute::{self, Execution, Outcome};
use surmise_engine::plan::{Plan, PredictorChoice, Settings, Trial};
use surmise_engine::protocol::Raised;
use surmise_engine::source::Source;
use surmise_engine::stdin::Input;

use crate::inputs::Inputs;
use crate::sample::{Profile, Sample};

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Inputs under which it is run, at most.
    pub runs: u32,
    /// Seed of the inputs.
    pub seed: u64,
    /// Time limit of one run.
    pub timeout: Duration,
    /// Time limit of all runs together.
    pub time: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { runs: 16, seed: 0, timeout: Duration::from_secs(2), time: Duration::from_secs(10) }
    }
}

/// An error that runs raised.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Found {
    /// Name of the exception's class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Line of the program, from 1.
    pub line: u32,
    /// Message of the first run that raised it.
    pub message: String,
    /// Standard input of that run.
    pub stdin: String,
    /// Runs that raised it.
    pub raised: u32,
    /// Whether it is named first: most runs on typical inputs raised it, or it is an error that no right code raises.
    pub is_typical: bool,
}

/// What runs under sampled inputs came to.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The grammars.
    pub inputs: Inputs,
    /// The one of them that the inputs were drawn from.
    pub layout: usize,
    /// Errors, those that most runs raised first.
    pub found: Vec<Found>,
    /// Runs that came to an end of any kind.
    pub runs: u32,
    /// Runs that did not end in time.
    pub timeouts: u32,
    /// Modules that are not installed, and were stood in for.
    pub missing_modules: Vec<String>,
}

impl Verified {
    /// The error that the program raises on typical inputs, if there is one.
    #[must_use]
    pub fn typical(&self) -> Option<&Found> {
        self.found.iter().find(|found| found.is_typical)
    }
}

/// Settings with which a complete program runs as `python FILE` would run it.
#[must_use]
pub fn plain_settings(seed: u64, timeout: Duration) -> Settings {
    Settings {
        predictor: PredictorChoice::None,
        seed,
        timeout,
        harness_calls: false,
        inject_io: false,
        inject_imports: false,
        ..Settings::default()
    }
}

/// Runs a program once with a text as its standard input.
///
/// # Errors
/// When the worker process failed us, never for what the program does.
pub fn run_with(
    zygote: &mut Zygote,
    plan: &Plan,
    settings: &Settings,
    stdin: &str,
    timeout: Duration,
) -> Result<Execution, ClientError> {
    let mut input = Input::of_text(stdin.as_bytes()).map_err(ClientError::Setup)?;
    execute::once(zygote, plan, settings, &mut input, &Trial::default(), timeout)
}

/// The grammar to go by, of those that a description leaves open: the program is run under one input of each.
///
/// # Errors
/// When the worker process failed us.
pub fn settled(
    zygote: &mut Zygote,
    source: &Source,
    settings: &Settings,
    inputs: &Inputs,
) -> Result<usize, ClientError> {
    if inputs.layouts.len() < 2 {
        return Ok(0);
    }
    match Plan::new(source.clone(), settings) {
        Ok(plan) => settled_by(zygote, &plan, settings, inputs),
        Err(_) => Ok(0),
    }
}

fn settled_by(zygote: &mut Zygote, plan: &Plan, settings: &Settings, inputs: &Inputs) -> Result<usize, ClientError> {
    inputs.settle(|grammar| {
        let sample = grammar.sample(Profile::Typical, settings.seed);
        let run = run_with(zygote, plan, settings, &sample.text, settings.timeout)?;
        Ok(run.outcome == Outcome::Completed)
    })
}

/// Runs a program under inputs that fit a description, or what its code reads.
///
/// # Errors
/// `Ok(Err(_))` for a program that does not parse; `Err` when the worker process failed us.
pub fn verify(
    zygote: &mut Zygote,
    source: Source,
    description: Option<&str>,
    options: &Options,
) -> Result<Result<Verified, surmise_instrument::Error>, ClientError> {
    let begin = Instant::now();
    let mut settings = plain_settings(options.seed, options.timeout);
    let mut plan = match Plan::new(source.clone(), &settings) {
        Ok(plan) => plan,
        Err(error) => return Ok(Err(error)),
    };
    let inputs = Inputs::of(description, &plan.model);
    let typical = inputs.layouts[0].grammar.sample(Profile::Typical, options.seed);
    let first = run_with(zygote, &plan, &settings, &typical.text, options.timeout)?;
    let mut missing_modules = Vec::new();
    if missing_module(&first).is_some() {
        settings = Settings { predictor: PredictorChoice::Naive, ..settings };
        plan = match Plan::new(source, &settings) {
            Ok(plan) => plan,
            Err(error) => return Ok(Err(error)),
        };
    }
    let layout = settled_by(zygote, &plan, &settings, &inputs)?;
    let samples = inputs.layouts[layout].grammar.samples(options.runs as usize, options.seed);
    let mut runs: Vec<(Sample, Execution)> = Vec::new();
    for sample in samples {
        let left = options.time.saturating_sub(begin.elapsed());
        if !runs.is_empty() && left.is_zero() {
            break;
        }
        let run = run_with(zygote, &plan, &settings, &sample.text, options.timeout)?;
        for value in run.injections.iter().filter(|value| value.kind == "import") {
            if !missing_modules.contains(&value.name) {
                missing_modules.push(value.name.clone());
            }
        }
        runs.push((sample, run));
    }
    let timeouts = runs.iter().filter(|(_, run)| run.outcome == Outcome::Timeout).count() as u32;
    let found = found(&runs);
    Ok(Ok(Verified { inputs, layout, found, runs: runs.len() as u32, timeouts, missing_modules }))
}

/// The module that a run failed to import, if it is not one that the interpreter should have.
fn missing_module(run: &Execution) -> Option<&str> {
    let error = run.error.as_ref().filter(|error| error.kind == "ModuleNotFoundError")?;
    error.message.split('\'').nth(1)
}

/// The error of a run that is the program's own.
fn own(run: &Execution) -> Option<Raised> {
    let missing: Vec<&str> =
        run.injections.iter().filter(|value| value.kind == "import").map(|value| value.name.as_str()).collect();
    // A name that a module does not have, though the module is there: with nothing injected the import fails.
    let absent = run.injections.iter().filter(|value| value.kind == "absent name");
    let absent = absent.filter_map(|value| Some((value, value.name.rsplit_once('.')?)));
    let mut absent = absent.filter(|(_, (module, _))| !missing.iter().any(|one| module.starts_with(one)));
    if let Some((value, (module, name))) = absent.next() {
        let message = format!("cannot import name '{name}' from '{module}'");
        return Some(Raised {
            kind: "ImportError".into(),
            message,
            line: value.line,
            exit_code: 1,
            ..Raised::default()
        });
    }
    let nothing_used = run.injections.iter().all(|value| value.is_missing_import() || value.is_implicit_import());
    let error = run.error.as_ref().filter(|_| run.outcome == Outcome::Error && nothing_used)?;
    // Limits of the sandbox are ours.
    let is_ours = matches!(error.kind.as_str(), "MemoryError" | "Killed" | "KeyboardInterrupt");
    (!is_ours && error.line > 0).then(|| error.clone())
}

/// Errors that are the code's whatever the values are; others may be those of an input at the edge of what is allowed.
const OF_CODE: [&str; 6] =
    ["NameError", "UnboundLocalError", "AttributeError", "TypeError", "ImportError", "ModuleNotFoundError"];

/// The distinct errors of runs.
fn found(runs: &[(Sample, Execution)]) -> Vec<Found> {
    let typical =
        |(sample, run): &&(Sample, Execution)| sample.profile == Profile::Typical && run.outcome != Outcome::Timeout;
    let all_typical = runs.iter().filter(typical).count();
    let mut found: Vec<(Found, usize)> = Vec::new();
    for pair in runs {
        let Some(error) = own(&pair.1) else { continue };
        let at = found.iter().position(|(known, _)| known.kind == error.kind && known.line == error.line);
        let at = at.unwrap_or_else(|| {
            let new = Found {
                kind: error.kind.clone(),
                line: error.line,
                message: error.message.clone(),
                stdin: pair.0.text.clone(),
                raised: 0,
                is_typical: false,
            };
            found.push((new, 0));
            found.len() - 1
        });
        found[at].0.raised += 1;
        found[at].1 += usize::from(typical(&pair));
    }
    for (one, raised) in &mut found {
        // Code that is right raises these under no input that fits.
        let is_of_code = OF_CODE.contains(&one.kind.as_str());
        one.is_typical = is_of_code || *raised * 2 > all_typical;
    }
    found.sort_by_key(|(one, _)| (!one.is_typical, std::cmp::Reverse(one.raised)));
    found.into_iter().map(|(one, _)| one).collect()
}

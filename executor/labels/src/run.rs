//! Runs one program and its mutants, and labels them.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::execute::{Execution, Outcome};
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::source::Source;
use surmise_inputs::verify::{plain_settings, run_with};
use surmise_inputs::{Inputs, Profile};
use surmise_instrument::SourceModel;

use crate::bugs::Bugs;
use crate::programs::{Program, Split};

/// Inputs under which a mutant is run until one makes it fail.
const INPUTS: usize = 2;
/// Inputs that are drawn to find those.
const DRAWN: u64 = 8;
/// A mutant may take so many times as long as its original, and this long in any case.
const PATIENCE: (u32, Duration) = (20, Duration::from_millis(150));
/// An original may take this part of the time limit: each of its hundreds of mutants takes as long.
const QUICK: u32 = 10;

/// A labelled program, as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// Name of the program: the original's, with a number for mutants.
    pub id: String,
    /// The problem that the original is meant to solve.
    pub problem: String,
    /// The source.
    pub code: String,
    /// What its standard input looks like.
    pub description: String,
    /// The input under which it was run; none for originals that are taken as they were labelled.
    pub stdin: Option<String>,
    /// `No error`, or the class of the error.
    pub error_class: String,
    /// The line that raised it.
    pub error_line: Option<u32>,
    /// How the program was changed; none for originals.
    pub operator: Option<String>,
    /// What the program may be used for.
    pub split: Split,
}

/// Why a program got no label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unlabelled {
    /// It does not parse, or CPython does not compile it.
    Syntax,
    /// It did not end in time.
    Timeout,
    /// A limit of the sandbox ended it.
    Limit,
    /// The original does not come to its end under any input that was drawn.
    NoInput,
    /// The original takes more than a tenth of the time limit.
    Slow,
}

impl Unlabelled {
    /// True if no round will label a mutant of the program.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::NoInput | Self::Slow)
    }
}

/// What the work on one program gave.
#[derive(Clone, Debug, Default)]
pub struct Labelled {
    /// Labels.
    pub labels: Vec<Label>,
    /// Programs without a label, by what kept them from it.
    pub unlabelled: Vec<Unlabelled>,
}

/// How programs are labelled.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Seed of mutants and inputs.
    pub seed: u64,
    /// Time limit of one run.
    pub timeout: Duration,
    /// Mutants of a program in one round.
    pub per_round: usize,
}

/// The label of an original by the data that it comes from, without a run.
#[must_use]
pub fn original(program: &Program) -> Option<Label> {
    Some(Label {
        id: program.id.clone(),
        problem: program.problem().to_owned(),
        code: program.code.clone()?,
        description: program.description.clone(),
        stdin: program.trigger_stdin.clone(),
        error_class: program.error_class.clone()?,
        error_line: program.error_line,
        operator: None,
        split: program.split(),
    })
}

/// Labels the mutants of one round of a program.
///
/// # Errors
/// When the worker process failed us.
pub fn mutants(
    zygote: &mut Zygote,
    program: &Program,
    round: usize,
    options: &Options,
) -> Result<Labelled, ClientError> {
    let mut labelled = Labelled::default();
    let code = program.code.as_deref().unwrap_or_default();
    let Ok(model) = SourceModel::parse(code) else {
        labelled.unlabelled.push(Unlabelled::Syntax);
        return Ok(labelled);
    };
    // One run alone needs no second process.
    let settings = Settings { runs: 1, ..plain_settings(options.seed, options.timeout) };
    let mut runner = Runner { zygote, settings, timeout: options.timeout };
    let (inputs, wall) = match runner.inputs(program, code, &model)? {
        Ok(found) => found,
        Err(why) => {
            labelled.unlabelled.push(why);
            return Ok(labelled);
        }
    };
    runner.timeout = options.timeout.min((wall * PATIENCE.0).max(PATIENCE.1));
    let first = round * options.per_round;
    let bugs = Bugs::of(&model, options.seed);
    for (number, bug) in (first..).zip(bugs.slice(first, options.per_round)) {
        let id = format!("{}~{number:05}", program.id);
        match runner.label(&bug.text, &inputs)? {
            Ok((error, stdin)) => labelled.labels.push(Label {
                id,
                problem: program.problem().to_owned(),
                code: bug.text,
                description: program.description.clone(),
                stdin: Some(stdin),
                error_class: error.as_ref().map_or_else(|| "No error".to_owned(), |(kind, _)| kind.clone()),
                error_line: error.map(|(_, line)| line),
                operator: Some(bug.operator),
                split: program.split(),
            }),
            Err(why) => labelled.unlabelled.push(why),
        }
    }
    Ok(labelled)
}

struct Runner<'z> {
    zygote: &'z mut Zygote,
    settings: Settings,
    timeout: Duration,
}

/// Class and line of the error that a run raised, if it raised one, and the input.
type Outcomes = (Option<(String, u32)>, String);
/// Inputs under which a program comes to its end, and how long it takes.
type Ended = (Vec<String>, Duration);

impl Runner<'_> {
    fn plan(&self, text: &str) -> Option<Plan> {
        let source = Source { name: "program.py".to_owned(), path: None, text: text.to_owned() };
        Plan::new(source, &self.settings).ok()
    }

    fn run(&mut self, plan: &Plan, stdin: &str, timeout: Duration) -> Result<Execution, ClientError> {
        run_with(self.zygote, plan, &self.settings, stdin, timeout)
    }

    /// Inputs under which a program comes to its end soon enough.
    fn inputs(
        &mut self,
        program: &Program,
        code: &str,
        model: &SourceModel,
    ) -> Result<Result<Ended, Unlabelled>, ClientError> {
        let Some(plan) = self.plan(code) else { return Ok(Err(Unlabelled::Syntax)) };
        let quick = self.timeout / QUICK;
        let mut why = Unlabelled::NoInput;
        let described = Some(program.description.as_str()).filter(|text| !text.trim().is_empty());
        for inputs in [Inputs::of(described, model), Inputs::of(None, model)] {
            for layout in &inputs.layouts {
                let (mut found, mut wall) = (Vec::<String>::new(), Duration::ZERO);
                for seed in 0..DRAWN {
                    let profile = if found.is_empty() || seed % 2 == 0 { Profile::Typical } else { Profile::Mixed };
                    let text = layout.grammar.sample(profile, self.settings.seed.wrapping_add(seed)).text;
                    if found.contains(&text) {
                        continue;
                    }
                    let run = self.run(&plan, &text, quick)?;
                    if run.outcome == Outcome::Timeout {
                        why = Unlabelled::Slow;
                    }
                    if run.outcome == Outcome::Completed {
                        wall = wall.max(run.wall);
                        found.push(text);
                    } else if found.is_empty() && seed > 1 {
                        break;
                    }
                    if found.len() == INPUTS {
                        break;
                    }
                }
                if !found.is_empty() {
                    return Ok(Ok((found, wall)));
                }
            }
        }
        Ok(Err(why))
    }

    /// What a program raises under the first input that makes it fail.
    fn label(&mut self, text: &str, inputs: &[String]) -> Result<Result<Outcomes, Unlabelled>, ClientError> {
        let Some(plan) = self.plan(text) else { return Ok(Err(Unlabelled::Syntax)) };
        for stdin in inputs {
            let run = self.run(&plan, stdin, self.timeout)?;
            match (run.outcome, &run.error) {
                (Outcome::Completed, _) => {}
                (Outcome::Error, Some(error)) if error.line > 0 && error.kind != "MemoryError" => {
                    return Ok(Ok((Some((error.kind.clone(), error.line)), stdin.clone())));
                }
                (Outcome::SyntaxError, _) => return Ok(Err(Unlabelled::Syntax)),
                (Outcome::Timeout, _) => return Ok(Err(Unlabelled::Timeout)),
                _ => return Ok(Err(Unlabelled::Limit)),
            }
        }
        Ok(Ok((None, inputs[0].clone())))
    }
}

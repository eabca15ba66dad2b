//! `surmise predict`: what a language model says that a program does, beside what it does.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use surmise_engine::client::ClientError;
use surmise_engine::execute::{self, Execution};
use surmise_engine::exit::{Exit, Status};
use surmise_engine::plan::{Settings, Trial};
use surmise_engine::stdin::Input;
use surmise_llm::Literal;
use surmise_orca::{Blocks, Comparison, Entry, Known, Trace, page, question, terminal};
use surmise_search::explore;
use surmise_value_model::files;

use super::numbers::seconds;
use super::prepared::{Prepared, prepared};
use super::refusal::{Refusal, write};
use super::{llm, printer, sandbox, surroundings};

/// Bytes of standard input that are read for the question.
const MOST_INPUT: u64 = 1 << 20;

/// Predict what a program does, and run it to see whether that is right.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Python file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Ask a language model to walk the control flow graph with a symbol table (ORCA), in one request.
    #[arg(long, required = true)]
    orca: bool,
    /// File to use as standard input of the program; the model sees it, too.
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Seed of random choices; the same seed gives the same runs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Time limit for one run, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,
    /// Print the comparison as JSON (schema surmise.predict-orca/1).
    #[arg(long)]
    json: bool,
    /// Write a page with the predicted trace beside the executed one.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    llm: llm::Options,
    #[command(flatten)]
    surroundings: surroundings::Options,
    #[command(flatten)]
    confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
The program is run first: values that are missing are injected, and the model is told which. Its answer is read as data \
and compared with the run that covered most lines.

Examples:
  surmise predict --orca --llm-url http://localhost:8080/v1 --llm-model tiny program.py
  surmise predict --orca --llm-url URL --llm-model NAME --stdin input.txt --html page.html program.py

Exit codes: 0 the predicted trace and error are those of the run; 1 they differ; 2 bad usage, unreadable input or no \
answer; 3 the run left no trace, because of a timeout or a limit; 4 the sandbox could not be set up; 70 an internal \
error of Surmise.";

impl Arguments {
    fn settings(&self, environment: Option<std::sync::Arc<surmise_project::Environment>>) -> Settings {
        Settings {
            seed: self.seed,
            timeout: Duration::from_secs_f64(self.timeout),
            python_path: self.surroundings.python_path.clone(),
            environment,
            in_place: !self.surroundings.alone,
            harness_calls: false,
            ..Settings::default()
        }
    }
}

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    let client = arguments.llm.client()?;
    let input_text = input_text(arguments)?;
    let (confinement, surroundings) = (&arguments.confinement, &arguments.surroundings);
    let Prepared { name, settings, mut plan, mut zygote } =
        prepared(&arguments.file, confinement, surroundings, arguments.timeout, |found| arguments.settings(found))?;
    let mut input = Input::open(arguments.stdin.as_deref()).map_err(ClientError::Setup)?;
    let ledger = explore(&mut zygote, &mut plan, &settings, &mut input)?;
    let blocks = Blocks::of(&plan.model);
    let trial = Trial { trace: Some(blocks.shared_lines()), ..ledger.best().trial.clone() };
    let traced = execute::once(&mut zygote, &plan, &settings, &mut input, &trial, settings.timeout)?;
    let Some(steps) = &traced.traced else {
        let hint = "the run was ended before it could tell which lines ran; raise --timeout or --memory";
        return Err(Refusal::new(format!("`{name}` left no trace"), hint).with(Exit::Killed));
    };
    let executed = Trace::executed(&plan.model, &blocks, steps, traced.error.as_ref());
    let known = known(&traced, input_text);
    let answer = client.ask(&question(&blocks, &known, arguments.llm.answer_tokens()))?;
    let model = client.endpoint().model().to_owned();
    let comparison = Comparison::new((&name, &model), &blocks, known, executed, answer, client.spent());
    present(&comparison, arguments)
}

/// Standard input of the program as the model sees it.
fn input_text(arguments: &Arguments) -> Result<Option<String>, Refusal> {
    let Some(path) = &arguments.stdin else { return Ok(None) };
    let read = files::read(path, MOST_INPUT);
    let bytes = read.map_err(|error| Refusal::bare(format!("cannot read `{}`: {error}", path.display())))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// What a run was given that the program does not have itself.
fn known(run: &Execution, input: Option<String>) -> Known {
    let mut known = Known { input, ..Known::default() };
    for injection in &run.injections {
        let value = injection.value.clone();
        if injection.kind == "variable" {
            let kind = Literal::parse(&value).map_or("object", |literal| literal.type_name()).to_owned();
            known.symbols.entry(injection.name.clone()).or_insert(Entry { value, kind });
        } else {
            known.values.push(format!("line {}: {} `{}` is {value}", injection.line, injection.kind, injection.name));
        }
    }
    known
}

fn present(comparison: &Comparison, arguments: &Arguments) -> Result<Status, Refusal> {
    if let Some(path) = &arguments.html {
        write(path, page(comparison))?;
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(comparison);
        printer::data(&(text.map_err(|error| Refusal::bare(error).with(Exit::Internal))? + "\n"));
    } else {
        printer::data(&terminal(comparison));
    }
    let same_error = comparison.predicted.error == comparison.executed.error;
    Ok(if comparison.metrics.exact_match && same_error { Exit::Success } else { Exit::Found }.into())
}

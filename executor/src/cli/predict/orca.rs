//! `surmise predict --orca`: what a language model says that a program does, beside what it does.

use std::time::Duration;

use surmise_engine::client::ClientError;
use surmise_engine::execute::{self, Execution};
use surmise_engine::exit::{Exit, Status};
use surmise_engine::plan::{Settings, Trial};
use surmise_engine::stdin::Input;
use surmise_llm::Literal;
use surmise_orca::{Blocks, Comparison, Entry, Known, Trace, page, question, terminal};
use surmise_search::explore;
use surmise_value_model::files;

use super::Arguments;
use crate::cli::llm;
use crate::cli::prepared::{Prepared, prepared};
use crate::cli::printer;
use crate::cli::refusal::{Refusal, write};

/// Bytes of standard input that are read for the question.
const MOST_INPUT: u64 = 1 << 20;

fn settings(arguments: &Arguments, environment: Option<std::sync::Arc<surmise_project::Environment>>) -> Settings {
    Settings {
        seed: arguments.seed,
        timeout: Duration::from_secs_f64(arguments.timeout),
        python_path: arguments.surroundings.python_path.clone(),
        environment,
        in_place: !arguments.surroundings.alone,
        harness_calls: false,
        ..Settings::default()
    }
}

/// Runs the program, asks the model, and returns the exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    let client = arguments.llm.client()?;
    let input_text = input_text(arguments)?;
    let (confinement, surroundings) = (&arguments.confinement, &arguments.surroundings);
    let Prepared { name, settings, mut plan, mut zygote } =
        prepared(&arguments.file, confinement, surroundings, arguments.timeout, |found| settings(arguments, found))?;
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
    let question = question(&blocks, &known, arguments.llm.answer_tokens());
    let answer = llm::ask(&client, &question, &name, arguments.json)?;
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
            known.symbols.entry(injection.name.clone()).or_insert(Entry { value, kind, is_cut: false });
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
    // How a trace ends that was cut, nobody knows.
    let same_error = comparison.executed.is_cut || comparison.predicted.error == comparison.executed.error;
    Ok(if comparison.metrics.exact_match && same_error { Exit::Success } else { Exit::Found }.into())
}

//! `surmise predict` without `--orca`: a network executes the program in place of an interpreter.

use std::time::{Duration, Instant};

use surmise_engine::exit::{Exit, Status};
use surmise_engine::source::{self, Source};
use surmise_errors::{FoundError, Report, Verified, page, terminal};
use surmise_inputs::verify::{Options, verify};
use surmise_instrument::SourceModel;
use surmise_instrument::cleanup;
use surmise_instrument::program_graph::Limits;
use surmise_value_model::ipagnn::ErrorModel;

use super::Arguments;
use crate::cli::refusal::{Refusal, write};
use crate::cli::run::{description, resource};
use crate::cli::{printer, sandbox};

/// Time limits of a run and of all runs together, in seconds.
const MOST_SECONDS: f64 = 2.0;
const SECONDS_IN_ALL: u64 = 60;

/// Predicts, and returns the exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    let source = source::read(&arguments.file).map_err(|error| Refusal::new(&error, error.hint()))?;
    let given = arguments.stdin_description.as_deref().map(description).transpose()?.flatten();
    let model = match &arguments.errors_model {
        None => ErrorModel::built_in(),
        Some(folder) => ErrorModel::open(folder).map_err(|error| {
            let hint = "--errors-model takes a folder with `errors.json` and `errors.safetensors` of one network";
            Refusal::new(format!("cannot use the network: {error}"), hint)
        })?,
    };
    let start = Instant::now();
    // Pasted code is mended without moving lines.
    let prepared = cleanup::prepare(&source.text);
    let parsed = SourceModel::parse(prepared.text.as_str());
    let parsed = parsed.map_err(|error| Refusal::bare(format!("`{}` {error}", source.name)))?;
    let limits = Limits { nodes: arguments.max_statements as usize, steps: arguments.max_steps as usize };
    let resource = given.as_deref().map(|text| resource(text, &parsed)).unwrap_or_default();
    let prediction = model.predict(&parsed, &resource, limits);
    let prediction = prediction.map_err(|error| Refusal::bare(error).with(Exit::Internal))?;
    let mut report = Report::new(&source.name, &prediction, model.config(), start.elapsed());
    if !prepared.repairs.is_empty() {
        let count = printer::plural(prepared.repairs.len() as u64, "change");
        report.notes.push(format!("the source is not Python as it stands; it was read with {count}"));
    }
    if let Some(runs) = arguments.verify {
        report = report.with_runs(ran(arguments, source, given.as_deref(), runs)?);
    }
    if let Some(path) = &arguments.html {
        write(path, page(&report, &prediction, parsed.text()))?;
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&report);
        printer::data(&(text.map_err(|error| Refusal::bare(error).with(Exit::Internal))? + "\n"));
    } else {
        printer::data(&terminal(&report, parsed.text()));
    }
    Ok(if report.has_error() { Exit::Found } else { Exit::Success }.into())
}

/// Runs the program under inputs that fit its description, or what its code reads.
fn ran(arguments: &Arguments, source: Source, description: Option<&str>, runs: u32) -> Result<Verified, Refusal> {
    let (confinement, surroundings) = (&arguments.confinement, &arguments.surroundings);
    confinement.check(&surroundings.python_path)?;
    let environment = surroundings.environment(&arguments.file)?;
    let paths = std::slice::from_ref(&arguments.file);
    let (folders, readable) = (surroundings.folders(paths), surroundings.readable(environment.as_deref()));
    let timeout = arguments.timeout.min(MOST_SECONDS);
    let program = sandbox::Program { paths, folders: &folders, readable: &readable, timeout };
    let mut zygote = confinement.start(&program)?;
    zygote.wait_until_ready()?;
    confinement.warn(&zygote);
    let name = source.name.clone();
    let options = Options {
        runs,
        seed: arguments.seed,
        timeout: Duration::from_secs_f64(timeout),
        time: Duration::from_secs(SECONDS_IN_ALL),
    };
    let verified = verify(&mut zygote, source, description, &options)?;
    let verified = verified.map_err(|error| Refusal::bare(format!("`{name}` {error}")))?;
    for note in &verified.inputs.notes {
        printer::warning(note);
    }
    let found = verified.found.into_iter().map(|found| FoundError {
        kind: found.kind,
        line: found.line,
        message: found.message,
        stdin: found.stdin,
        raised: found.raised,
        typical: found.is_typical,
    });
    let inputs = verified.inputs.layouts[verified.layout].grammar.to_string();
    Ok(Verified { named: None, found: found.collect(), runs: verified.runs, timeouts: verified.timeouts, inputs })
}

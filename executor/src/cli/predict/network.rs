//! `surmise predict` without `--orca`: a network executes the program in place of an interpreter.

use std::path::Path;

use surmise_engine::exit::{Exit, Status};
use surmise_engine::source;
use surmise_errors::{Report, page, terminal};
use surmise_instrument::SourceModel;
use surmise_instrument::cleanup;
use surmise_instrument::program_graph::Limits;
use surmise_value_model::files;
use surmise_value_model::ipagnn::ErrorModel;

use super::Arguments;
use crate::cli::printer;
use crate::cli::refusal::{Refusal, write};

/// Bytes of a description that are read; the network reads its beginning.
const MOST_DESCRIPTION: u64 = 1 << 20;

/// Predicts, and returns the exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    let source = source::read(&arguments.file).map_err(|error| Refusal::new(&error, error.hint()))?;
    let description = description(arguments.stdin_description.as_deref())?;
    let model = match &arguments.errors_model {
        None => ErrorModel::built_in(),
        Some(folder) => ErrorModel::open(folder).map_err(|error| {
            let hint = "--errors-model takes a folder with `errors.json` and `errors.safetensors` of one network";
            Refusal::new(format!("cannot use the network: {error}"), hint)
        })?,
    };
    // Pasted code is mended without moving lines.
    let prepared = cleanup::prepare(&source.text);
    let parsed = SourceModel::parse(prepared.text.as_str());
    let parsed = parsed.map_err(|error| Refusal::bare(format!("`{}` {error}", source.name)))?;
    let limits = Limits { nodes: arguments.max_statements as usize, steps: arguments.max_steps as usize };
    let prediction = model.predict(&parsed, &description, limits);
    let prediction = prediction.map_err(|error| Refusal::bare(error).with(Exit::Internal))?;
    let mut report = Report::new(&source.name, &prediction, model.config());
    if !prepared.repairs.is_empty() {
        let count = printer::plural(prepared.repairs.len() as u64, "change");
        report.notes.push(format!("the source is not Python as it stands; it was read with {count}"));
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
    Ok(if report.expected().is_some() { Exit::Found } else { Exit::Success }.into())
}

/// The description of the input: a text, or what a file of that name has.
fn description(given: Option<&str>) -> Result<String, Refusal> {
    let Some(given) = given else { return Ok(String::new()) };
    let path = Path::new(given);
    if !path.is_file() {
        return Ok(given.to_owned());
    }
    let read = files::read(path, MOST_DESCRIPTION);
    let bytes = read.map_err(|error| Refusal::bare(format!("cannot read `{given}`: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

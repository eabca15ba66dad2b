//! `surmise run --stdin-description`: samples of a standard input that is described.

use std::path::Path;

use surmise_engine::client::Zygote;
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::protocol::Raised;
use surmise_inputs::description::Description;
use surmise_inputs::verify::{plain_settings, settled};
use surmise_inputs::{Inputs, Origin};
use surmise_instrument::SourceModel;
use surmise_instrument::program_graph::Limits;
use surmise_report::{Report, SampledInput};
use surmise_value_model::files;
use surmise_value_model::ipagnn::{ErrorModel, ResourceDescription};

use super::Arguments;
use crate::cli::refusal::Refusal;

/// Bytes of a description that are read.
const MOST_BYTES: u64 = 1 << 20;
/// The value that stands for what the code itself reads.
const OF_CODE: &str = "code";

/// The description that the arguments give; none where the code is to speak.
pub(in crate::cli) fn description(given: &str) -> Result<Option<String>, Refusal> {
    if given == OF_CODE {
        return Ok(None);
    }
    let path = Path::new(given);
    let is_like_path = !given.contains(char::is_whitespace) && (given.contains('/') || path.extension().is_some());
    // A long text is no path that the system would look at.
    if given.len() < 4096 && path.is_file() {
        let read = files::read(path, MOST_BYTES);
        let bytes = read.map_err(|error| Refusal::bare(format!("cannot read `{given}`: {error}")))?;
        return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
    }
    if is_like_path {
        let hint = "--stdin-description takes a text, a file that contains it, or `code`";
        return Err(Refusal::new(format!("`{given}` is not a file"), hint));
    }
    Ok(Some(given.to_owned()))
}

/// Puts errors of one verdict into the order in which the network of `surmise predict` expects them.
pub(super) fn name_likeliest_first(report: &mut Report, model: &SourceModel, description: Option<&str>) {
    let is_open = report.errors.windows(2).any(|pair| pair[0].verdict == pair[1].verdict);
    if !is_open {
        return;
    }
    // What the network cannot read stays in the order of its lines.
    let network = ErrorModel::built_in();
    let resource = description.map(|text| resource(text, model)).unwrap_or_default();
    let Ok(prediction) = network.predict(model, &resource, Limits::PAPER) else { return };
    let classes = network.config().classes.iter().zip(&prediction.execution.classes);
    let likely: Vec<(&str, f32)> = classes.map(|(class, share)| (class.as_str(), *share)).collect();
    let lines = prediction.lines();
    let share = |raised: &Raised| {
        let line = lines.iter().find(|(line, _)| *line == raised.line).map_or(0.0, |(_, share)| *share);
        line * likely.iter().find(|(class, _)| *class == raised.kind).map_or(0.0, |(_, share)| *share)
    };
    report.errors.sort_by(|left, right| {
        let verdict = left.verdict.cmp(&right.verdict);
        verdict.then_with(|| share(&right.raised).total_cmp(&share(&left.raised)))
    });
}

/// A description, and what it says of the code.
pub(in crate::cli) fn resource(text: &str, model: &SourceModel) -> ResourceDescription {
    ResourceDescription { text: text.to_owned(), doubts: surmise_inputs::doubts(&Description::read(text), model) }
}

/// The grammar of the program's input and samples of it, if a description was given.
pub(super) fn sampled(
    zygote: &mut Zygote,
    plan: &Plan,
    settings: &Settings,
    arguments: &Arguments,
) -> Result<Option<SampledInput>, Refusal> {
    let Some(given) = &arguments.stdin_description else { return Ok(None) };
    let description = description(given)?;
    let mut inputs = Inputs::of(description.as_deref(), &plan.model);
    let plain =
        Settings { python_path: settings.python_path.clone(), ..plain_settings(settings.seed, settings.timeout) };
    let layout = settled(zygote, &plan.source, &plain, &inputs)?;
    let grammar = &inputs.layouts[layout].grammar;
    let samples = grammar.samples(arguments.stdin_samples as usize, settings.seed);
    if samples.iter().any(|sample| sample.is_cut) {
        inputs.notes.push("by its sizes the input would be longer than what is sampled: samples are cut".to_owned());
    }
    let origin = match inputs.origin {
        Origin::Description => "description",
        Origin::DescriptionAndCode => "description-and-code",
        Origin::Code => "code",
    };
    Ok(Some(SampledInput {
        origin: origin.to_owned(),
        grammar: grammar.to_string(),
        notes: inputs.notes,
        samples: samples.into_iter().map(|sample| sample.text).collect(),
    }))
}

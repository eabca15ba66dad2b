//! `surmise train`: learns predictors from recorded executions.

mod bundle;
mod conditions;
#[cfg(feature = "torch")]
mod curve;
mod invariants;
mod literals;
#[cfg(feature = "torch")]
mod model;
mod plausibility;
#[cfg(feature = "torch")]
mod stacker;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use surmise_value_model::FrequencyBuilder;

use super::printer;
use super::refusal::{Refusal, write};
use surmise_engine::exit::{Exit, Status};
use surmise_trace::dataset::{self, DataError, Split};

/// Kind of predictor to train (`--predictor`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Trained {
    /// The T5 model.
    Model,
    /// The second model, which corrects the T5 model by evidence in the source: literals, annotations, imports.
    Stacker,
    /// A table of the most frequent classes for each kind of use and name.
    Frequency,
    /// Which way conditions go, from a table of conditions (`corpora/collect.py`).
    Conditions,
    /// Strings that names usually are, from data sets with literals (`corpora/collect.py` without `--slim`).
    Literals,
    /// Which of several runs is the likeliest to be a real one, from examples (`scripts/plausibility-examples.py`).
    Plausibility,
    /// Conditions that code expects to hold, from the guards of projects (`--data corpora/projects.json`).
    Invariants,
}

/// Learn a predictor from recorded executions.
///
/// Learns from the files `train-*.parquet` of data sets (`surmise trace`, `corpora/build.py`). Files `dev-*.parquet`
/// decide when to stop, and files `test-*.parquet` are not read. A model is trained from a bundle of tokens and sites,
/// which is made from the data and the sources if it does not exist. The same command continues after an interruption.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  surmise train --predictor frequency --data DATASET -o frequency.fst
  surmise train --data DATASET --sources SOURCES -o MODEL --bundle-only
  surmise train --bundle MODEL/bundle.zst -o MODEL --minutes 60
  surmise train --data DATASET --sources SOURCES --init codet5-small -o MODEL --rate 0.0001
  surmise train --predictor stacker --data DATASET --sources SOURCES --init MODEL/int8 -o MODEL/int8/stacker.safetensors
  surmise train --predictor conditions --data DATASET/conditions --sources SOURCES -o conditions.safetensors
  surmise train --predictor literals --data CORPUS -o literals.fst
  surmise train --predictor plausibility --data examples.jsonl -o plausibility.json
  surmise train --predictor invariants --data corpora/projects.json --data corpora/wheels.json --sources SOURCES -o invariants")]
pub(super) struct Arguments {
    /// Kind of predictor to train.
    #[arg(long, value_enum, default_value_t = Trained::Model)]
    predictor: Trained,
    /// Folder with `SPLIT-PROJECT.parquet` files (repeatable); a project that several folders have is read from the
    /// first. For plausibility: a file of examples. For invariants: a manifest of projects.
    #[arg(long, value_name = "PATH")]
    data: Vec<PathBuf>,
    /// Folder with the unpacked sources of each project (`corpora/sources.py`).
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// File with the tokens and sites of all projects; made from --data and --sources if it does not exist (default:
    /// `bundle.zst` in the output folder).
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// Make the bundle, and do not train.
    #[arg(long)]
    bundle_only: bool,
    /// Start from the tokenizer and the weights of this model, a Hugging Face folder such as that of `CodeT5` or of a
    /// model trained with this command. For a stacker: the model that it corrects (default: the built-in model). For
    /// invariants: a folder that the example `train-reranker` wrote.
    #[arg(long, value_name = "DIR")]
    init: Option<PathBuf>,
    /// Number of entries of a new tokenizer.
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = clap::value_parser!(u32).range(512..=65_536))]
    vocabulary: u32,
    #[cfg(feature = "torch")]
    #[command(flatten)]
    model: model::Options,
    /// Where to write the predictor: a folder for a model, a file for all others.
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,
}

/// Whether random pairs are held out from training (`--hold-out random`).
#[cfg(feature = "torch")]
fn random_held_out(arguments: &Arguments) -> bool {
    arguments.model.hold_out == model::HoldOut::Random
}

/// Always false: without the feature `torch`, `surmise` cannot train and has no option `--hold-out`.
#[cfg(not(feature = "torch"))]
fn random_held_out(_: &Arguments) -> bool {
    false
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    match arguments.predictor {
        Trained::Frequency => frequency(arguments)?,
        Trained::Model => model(arguments)?,
        Trained::Stacker => stacker(arguments)?,
        Trained::Conditions => conditions::train(arguments)?,
        Trained::Literals => literals::train(arguments)?,
        Trained::Plausibility => plausibility::train(arguments)?,
        Trained::Invariants => invariants::train(arguments)?,
    }
    Ok(Exit::Success.into())
}

#[cfg(not(feature = "torch"))]
fn without_training() -> Refusal {
    let hint = "build it with `--features torch`: see value-model/TRAINING.md";
    Refusal::new("this `surmise` was built without training", hint)
}

fn frequency(arguments: &Arguments) -> Result<(), Refusal> {
    if arguments.data.is_empty() {
        return Err(Refusal::new("no data to learn from", "name a folder with --data"));
    }
    let mut builder = FrequencyBuilder::default();
    let (mut projects, mut pairs) = (0, 0);
    for part in dataset::parts(&arguments.data)?.iter().filter(|part| part.split == Split::Train) {
        projects += 1;
        for example in dataset::examples(part).map_err(DataError::from)? {
            let example = example.map_err(DataError::from)?;
            for class in example.classes {
                builder.add(example.kind, &example.name, class);
                pairs += 1;
            }
        }
    }
    let (table, path) = (builder.build(), &arguments.output);
    write(path, table.as_bytes())?;
    let bytes = table.as_bytes().len();
    printer::data(&format!("frequency: {pairs} pairs of {projects} projects, {bytes} bytes in {}\n", path.display()));
    Ok(())
}

fn model(arguments: &Arguments) -> Result<(), Refusal> {
    let folder = &arguments.output;
    std::fs::create_dir_all(folder)
        .map_err(|error| Refusal::bare(format!("cannot make `{}`: {error}", folder.display())))?;
    let prepared = bundle::prepare(arguments)?;
    if arguments.bundle_only {
        return Ok(());
    }
    #[cfg(feature = "torch")]
    return model::train(arguments, &prepared);
    #[cfg(not(feature = "torch"))]
    {
        let (tokens, sites) = prepared.bundle.totals();
        printer::note(&format!("the bundle has {tokens} tokens and {sites} sites"));
        Err(without_training())
    }
}

#[cfg(feature = "torch")]
use stacker::train as stacker;

#[cfg(not(feature = "torch"))]
fn stacker(_: &Arguments) -> Result<(), Refusal> {
    Err(without_training())
}

//! Training of the T5 model.

use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use surmise_value_model::encoding::{Bundle, Plain, Recorded, Shape};
use surmise_value_model::t5::{Config, T5, Tensors, Weights};
use surmise_value_model::torch::{Net, device};
use surmise_value_model::train::{Cut, Progress, Recipe, TrainError, Trainer, drawn};
use surmise_value_model::{Class, QueryForm};

use super::bundle::Prepared;
use super::curve::curve;
use super::{Arguments, random_held_out};
use crate::cli::printer;
use crate::cli::refusal::{Refusal, write};
use surmise_trace::dataset::{self, draw};

/// Number of sites of a dense window; windows with fewer sites are drawn less often.
const DENSE: usize = 24;

/// Measurements of a long run on what is held out.
const MEASUREMENTS: u64 = 40;

/// Default width of a new model.
const WIDTH: usize = 128;
/// Default number of encoder blocks of a new model.
const LAYERS: usize = 4;

/// Device that holds the tensors and computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Where {
    /// The processor.
    Cpu,
    /// The first CUDA device.
    Cuda,
}

/// Which data are held out from training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum HoldOut {
    /// Hold out the projects that decide when to stop: `dev-*`, or else every sixteenth project.
    Projects,
    /// Hold out the 5 % of pairs that `surmise eval --split random` measures on with the same seed. The projects that
    /// decide when to stop are learned from as well.
    Random,
}

/// Form of the model's queries, in training and in every later use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// All sites of a window at once, with a mark after each.
    Marks,
    /// One site, as in `LExecutor`: name, kind of use, code before, mask, code after.
    Plain,
}

/// Options for training a model.
#[derive(Args, Debug)]
pub(in crate::cli) struct Options {
    /// Total number of training steps.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Number of tokens in a batch.
    #[arg(long, value_name = "N", default_value_t = 2560)]
    batch: usize,
    /// Number of tokens that the encoder reads at once. A bundle has 512 tokens around each site, so larger windows may
    /// not be filled.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = sizes(32..=4096))]
    window: usize,
    /// Highest learning rate.
    #[arg(long, value_name = "RATE", default_value_t = 2e-3)]
    rate: f64,
    /// Width of the model; each attention head has 32 (default: 128, or the width of --init). A multiple of the width
    /// of --init widens that model: at the start it predicts the same, with more capacity to learn.
    #[arg(long, value_name = "N", value_parser = sizes(32..=1024))]
    width: Option<usize>,
    /// Number of encoder blocks (default: 4, or that of --init). More blocks than --init has deepen that model, as
    /// --width widens it.
    #[arg(long, value_name = "N", value_parser = sizes(1..=24))]
    layers: Option<usize>,
    /// Form of the model's queries, in training and in every later use (default: that of --init, or else marks).
    #[arg(long, value_enum)]
    query: Option<Form>,
    /// Learn from this share of the projects only (0 to 1), drawn by --seed.
    #[arg(long, value_name = "PART", default_value_t = 1.0, value_parser = part)]
    share: f64,
    /// Weight of rare classes, an exponent from 0 to 1: with 0 all pairs weigh the same, with 1 all classes together
    /// do.
    #[arg(long, value_name = "POWER", default_value_t = 0.0, value_parser = part)]
    balance: f64,
    /// Label smoothing: share (0 to 1) of each target that is spread evenly over all classes.
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = part)]
    smoothing: f64,
    /// Dropout: share (0 to 1) of the activations that each step sets to zero, for many passes over the same data.
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = part)]
    dropout: f64,
    /// Export the mean of the trained weights and those of --init, which can predict better than either.
    #[arg(long, requires = "init")]
    average: bool,
    /// Seed of initial weights and of the order of training data.
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Which data are held out from training.
    #[arg(long, value_enum, default_value_t = HoldOut::Projects)]
    pub(super) hold_out: HoldOut,
    /// Device to compute on.
    #[arg(long, value_enum, default_value_t = Where::Cpu)]
    device: Where,
    /// Multiply in bf16, with weights and sums in f32: three times as fast on devices with instructions for it
    /// (AVX512-BF16, AMX, GPUs), slower on others.
    #[arg(long)]
    bf16: bool,
    /// Number of threads on the processor.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) threads: i32,
    /// Stop with a checkpoint after this many minutes; the same command continues.
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
}

/// Parses a size within a range.
fn sizes(range: RangeInclusive<u64>) -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u64).range(range).map(|size| size as usize)
}

/// Parses a number from 0 to 1.
fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&part) { Ok(part) } else { Err("not from 0 to 1".to_owned()) }
}

/// An existing model that training starts from (`--init`).
struct Start {
    config: Config,
    weights: Weights<'static>,
}

impl Start {
    fn open(folder: &Path) -> Result<Self, Refusal> {
        let hint = "--init takes a Hugging Face folder of a T5, such as CodeT5's";
        let failed = |error| Refusal::new(error, hint);
        let (config, weights) = T5::parts(folder).map_err(failed)?;
        // Weights that contradict their own configuration would pass for those of a narrower model.
        Net::open(&config, &weights, tch::Device::Cpu).map_err(failed)?;
        Ok(Self { config, weights })
    }

    fn grown(&self, width: Option<usize>, layers: Option<usize>) -> Result<Config, Refusal> {
        let (narrow, shallow) = (self.config.d_model, self.config.num_layers);
        let (width, layers) = (width.unwrap_or(narrow), layers.unwrap_or(shallow));
        if width < narrow || !width.is_multiple_of(narrow) {
            let problem = format!("a model of width {narrow} cannot be widened to {width}");
            return Err(Refusal::new(problem, "--width takes a multiple of the width of --init"));
        }
        if layers < shallow {
            let problem = format!("a model with {shallow} blocks cannot be deepened to {layers}");
            return Err(Refusal::new(problem, "--layers takes no less than --init has"));
        }
        Ok(self.config.widened(width / narrow).deepened(layers))
    }
}

pub(super) fn train(arguments: &Arguments, prepared: &Prepared) -> Result<(), Refusal> {
    let Options { steps, batch, window, rate, width, layers, share, balance, smoothing, dropout, seed, .. } =
        arguments.model;
    let Prepared { bundle, vocabulary } = prepared;
    let start = arguments.init.as_deref().map(Start::open).transpose()?;
    let config = match &start {
        Some(start) => start.grown(width, layers)?,
        None => Config::small(vocabulary.size(), width.unwrap_or(WIDTH), layers.unwrap_or(LAYERS)),
    };
    if arguments.model.average && start.as_ref().is_some_and(|start| start.config != config) {
        return Err(Refusal::new("only models of one shape have a mean", "leave out --average, or the sizes"));
    }
    let query = match arguments.model.query {
        Some(Form::Marks) => QueryForm::Marks,
        Some(Form::Plain) => QueryForm::Plain,
        None => config.query,
    };
    let config = config.asked(query);
    if config.vocab_size < vocabulary.size() {
        let problem = format!("the tokenizer has {} entries, the model {}", vocabulary.size(), config.vocab_size);
        return Err(Refusal::new(problem, "tokenizer and weights are of different models"));
    }
    let recipe = Recipe {
        config,
        seed,
        steps,
        warm_up: 300.min(steps / 10),
        cool_down: steps / 3,
        rate,
        decay: 0.01,
        measure_every: (steps / MEASUREMENTS).max(500),
        patience: 20,
        random_held_out: random_held_out(arguments),
        bf16: arguments.model.bf16,
        share,
        balance,
        smoothing,
        dropout,
    };
    tch::set_num_threads(arguments.model.threads);
    let random = recipe.random_held_out;
    let (learned, held_out) = split(bundle);
    let mut learned = drawn(learned, share, seed);
    if random {
        learned.extend(&held_out);
    }
    let keep =
        |site: &Recorded, class: Class| !random || !draw(site.identity, seed, class).is_multiple_of(dataset::DRAWN);
    let shape = Shape { length: window, zone: window * 3 / 4 };
    let plain = (query == QueryForm::Plain).then(|| Plain::new(vocabulary));
    let of = |projects, dense| Cut {
        bundle,
        projects,
        marks: vocabulary.marks(),
        pad: vocabulary.pad(),
        plain: plain.as_ref(),
        shape,
        tokens: batch,
        dense,
        keep: &keep,
    };
    let failed = |error: TrainError| match error {
        TrainError::Checkpoint { .. } => Refusal::new(error, "another recipe needs another output folder"),
        error => Refusal::bare(error),
    };
    let on = device(arguments.model.device == Where::Cuda)
        .map_err(|error| Refusal::new(error, "libtorch with CUDA must be on LD_LIBRARY_PATH"))?;
    let weights = start.as_ref().map(|start| &start.weights);
    let mut trainer = Trainer::new(recipe, &arguments.output, vocabulary, on, weights).map_err(failed)?;
    // Written only now, so that a folder which was refused is not changed.
    write(&arguments.output.join("config.json"), config.to_json())?;
    if trainer.step() > 0 {
        printer::note(&format!("continues after step {}", trainer.step()));
    }
    let begin = std::time::Instant::now();
    let limit = arguments.model.minutes.map(|minutes| Duration::from_secs_f64(minutes.max(0.0) * 60.0));
    let finished = trainer
        .train(&of(&learned, DENSE), &of(&held_out, 0), 50, |progress| {
            print_progress(progress);
            limit.is_none_or(|limit| begin.elapsed() < limit)
        })
        .map_err(failed)?;
    printer::note(if finished { "finished" } else { "stopped; run the same command again to continue" });
    write(&arguments.output.join("curve.svg"), curve(&trainer.reports))?;
    let before = start.as_ref().filter(|_| arguments.model.average).map(|start| &start.weights);
    export(&arguments.output, before)
}

/// Exports the best weights so far, or their mean with those `before`, with int8 matrices, tokenizer and configuration:
/// the form that `--model` takes and that is built in.
fn export(folder: &Path, before: Option<&Weights<'_>>) -> Result<(), Refusal> {
    let weights = folder.join("model.safetensors");
    if !weights.exists() {
        printer::note("no weights yet: nothing was measured on the held-out projects");
        return Ok(());
    }
    let target = folder.join("int8");
    let copied = std::fs::create_dir_all(&target).and_then(|()| {
        for name in ["config.json", "tokenizer.json"] {
            std::fs::copy(folder.join(name), target.join(name))?;
        }
        Ok(())
    });
    copied.map_err(|error| Refusal::bare(format!("`{}`: {error}", target.display())))?;
    let small = Weights::open(&weights).and_then(|weights| match before {
        None => Tensors::quantized(&weights),
        Some(before) => Tensors::quantized(&Weights::from_safetensors(Tensors::mean(&weights, before)?.to_bytes()?)?),
    });
    let written = small.and_then(|small| small.save(&target.join("model.safetensors")));
    written.map_err(Refusal::bare)?;
    printer::data(&format!("model: the best weights are in {}, small in {}\n", folder.display(), target.display()));
    Ok(())
}

/// Splits the projects into those to learn from and those that decide when to stop: `dev-*`, or else every sixteenth.
fn split(bundle: &Bundle) -> (Vec<usize>, Vec<usize>) {
    let any = bundle.projects.iter().any(|project| project.starts_with("dev-"));
    let held = |number: &usize| {
        if any { bundle.projects[*number].starts_with("dev-") } else { number % 16 == 5 }
    };
    (0..bundle.projects.len()).partition(|number| !held(number))
}

fn print_progress(progress: &Progress) {
    let Progress { report, steps, pace, left } = progress;
    if report.held_out.is_none() && !std::io::stderr().is_terminal() && !report.step.is_multiple_of(250) {
        return;
    }
    let held_out = report.held_out.map_or(String::new(), |found| {
        let [top1, seen] = [found.top1, found.seen_there].map(|share| share * 100.0);
        format!("; held out: loss {:.4}, top-1 {top1:.1} %, seen there {seen:.1} %", found.loss)
    });
    printer::note(&format!(
        "step {}/{steps}, epoch {}: loss {:.4}, top-1 {:.1} %, {pace:.0} sites/s, {:.0} min left{held_out}",
        report.step,
        report.epoch,
        report.loss,
        report.top1 * 100.0,
        left / 60.0,
    ));
}

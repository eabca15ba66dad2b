//! Trains a network that predicts errors, and measures it: see `docs/predicting-errors.md`.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Parser;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use surmise_inputs::description::Description;
use surmise_inputs::doubts;
use surmise_instrument::SourceModel;
use surmise_instrument::program_graph::Limits;
use surmise_value_model::ipagnn::{ErrorConfig, Fusion, NO_ERROR, NetworkKind, Pooling, Scope};
use surmise_value_model::seeded;
use surmise_value_model::torch::device;
use surmise_value_model::train::errors::{ErrorRecipe, ErrorTrainer, Labelled, Part, Selection, prepare, read};

/// Train a network that predicts run-time errors from labelled programs, and measure it on the part held out.
///
/// Half of the problems are held out by a checksum of their names, and a tenth of the others is for choices: it says
/// which weights are kept. The same command goes on where it stopped. The last line of the output is the result as JSON.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  train-errors --labels labels-01.jsonl.zst --labels labels-02.jsonl.zst -o errors --steps 3000
  train-errors --labels labels.jsonl --network transformer --fusion docstring -o transformer --steps 3000

Exit codes: 0 trained and measured; 1 it cannot go on, and says why; 2 bad usage.")]
struct Arguments {
    /// File of labelled programs, JSON Lines, compressed or not (repeatable).
    #[arg(long, value_name = "FILE", required = true)]
    labels: Vec<PathBuf>,
    /// Folder of the network; checkpoint and log are written there, too.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// exception-ipa-gnn, ipa-gnn, ggnn, lstm, transformer, mil-log-sum-exp, mil-max or mil-mean.
    #[arg(long, default_value = "exception-ipa-gnn", value_parser = parsed::<NetworkKind>)]
    network: NetworkKind,
    /// What tokens attend to: local or global.
    #[arg(long, default_value = "local", value_parser = parsed::<Scope>)]
    scope: Scope,
    /// first, sum, mean or max.
    #[arg(long, default_value = "mean", value_parser = parsed::<Pooling>)]
    pooling: Pooling,
    /// How descriptions are read: none, docstring, film or cross-attention; film and cross-attention only with ipa-gnn and
    /// exception-ipa-gnn.
    #[arg(long, default_value = "film", value_parser = parsed::<Fusion>)]
    fusion: Fusion,
    /// Width of states.
    #[arg(long, default_value_t = 96)]
    width: usize,
    /// Blocks of the value model's encoder that run.
    #[arg(long, default_value_t = 2)]
    encoder_layers: usize,
    /// Rank of the changes of the encoder that are learned with the network; only in local scope. Without them the encoder
    /// stays the value model's.
    #[arg(long, value_name = "RANK", value_parser = clap::value_parser!(u16).range(1..=1024))]
    adapter: Option<u16>,
    /// Leave out the facts about names, types and the input.
    #[arg(long)]
    no_doubts: bool,
    /// Optimizer steps in all.
    #[arg(long, default_value_t = 3000)]
    steps: u64,
    /// Programs of a batch.
    #[arg(long, default_value_t = 32)]
    batch: usize,
    /// Highest learning rate.
    #[arg(long, default_value_t = 0.002)]
    rate: f64,
    /// Steps between measurements and checkpoints.
    #[arg(long, default_value_t = 250)]
    measure_every: u64,
    /// Seed of weights and batches.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Most programs to learn from: those that people wrote, and of the mutants as many as the seed draws.
    #[arg(long, default_value_t = 60_000)]
    most: usize,
    /// Most programs to choose by, drawn alike.
    #[arg(long, default_value_t = 2000)]
    choices: usize,
    /// End after this many minutes, with a checkpoint.
    #[arg(long)]
    minutes: Option<f64>,
    /// Threads of libtorch.
    #[arg(long, default_value_t = 1)]
    threads: i32,
    /// cpu or cuda.
    #[arg(long, default_value = "cpu", value_parser = ["cpu", "cuda"])]
    device: String,
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(Value::String(text.to_owned())).map_err(|error| error.to_string())
}

fn main() -> std::process::ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            std::process::ExitCode::FAILURE
        }
    }
}

fn say(message: &str) {
    let _closed = writeln!(std::io::stderr(), "{message}");
}

/// Classes with at least ten programs to learn from; the others are `Other`.
fn classes(labelled: &[Labelled]) -> Vec<String> {
    let mut counts = std::collections::BTreeMap::new();
    for labelled in labelled.iter().filter(|one| one.part == Part::Train && one.class != NO_ERROR) {
        *counts.entry(labelled.class.clone()).or_insert(0) += 1;
    }
    let common = counts.into_iter().filter(|(class, count)| *count >= 10 && class != "Other").map(|(class, _)| class);
    common.chain(["Other".to_owned()]).collect()
}

/// Adds what each description says of the code.
fn add_doubts(labelled: &mut [Labelled]) {
    let mut known: HashMap<String, Description> = HashMap::new();
    for one in labelled.iter_mut().filter(|one| !one.description.text.trim().is_empty()) {
        let Ok(model) = SourceModel::parse(one.code.as_str()) else { continue };
        let text = &one.description.text;
        let read = known.entry(text.clone()).or_insert_with(|| Description::read(text));
        one.description.doubts = doubts(read, &model);
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let late = matches!(arguments.fusion, Fusion::Film | Fusion::CrossAttention);
    if late && !arguments.network.has_pointer() {
        return Err("film and cross-attention are for networks with an instruction pointer; use docstring".into());
    }
    if arguments.adapter.is_some() && arguments.scope == Scope::Global {
        return Err("--adapter is for local scope".into());
    }
    tch::set_num_threads(arguments.threads);
    std::fs::create_dir_all(&arguments.output)?;
    let mut labelled = Vec::new();
    for path in &arguments.labels {
        labelled.extend(read(path)?);
    }
    let draw = |one: &Labelled| seeded((arguments.seed, "labels", one.id.as_str())).u64(..);
    labelled.sort_by_cached_key(|one| (one.operator.is_some(), draw(one)));
    for part in [Part::Train, Part::Dev, Part::HeldOut] {
        let most = match part {
            Part::Train => arguments.most,
            Part::Dev => arguments.choices,
            Part::HeldOut => usize::MAX,
        };
        let mut count = 0;
        labelled.retain(|one| {
            count += usize::from(one.part == part);
            one.part != part || count <= most
        });
    }
    let config = ErrorConfig {
        network: arguments.network,
        scope: arguments.scope,
        pooling: arguments.pooling,
        fusion: arguments.fusion,
        width: arguments.width,
        encoder_layers: arguments.encoder_layers,
        encoder_width: 256,
        adapter: arguments.adapter.map(usize::from),
        doubts: !arguments.no_doubts,
        classes: classes(&labelled),
        statement_tokens: 48,
        description_tokens: 64,
        program_tokens: 512,
        note: None,
    };
    say(&format!("preparing {} programs", labelled.len()));
    add_doubts(&mut labelled);
    let examples = prepare(&labelled, &config, Limits::PAPER)?;
    drop(labelled);
    say(&format!(
        "{} programs to learn from, {} for choices, {} held out; {} left out",
        examples.count(Part::Train),
        examples.count(Part::Dev),
        examples.count(Part::HeldOut),
        examples.left_out
    ));
    let recipe = ErrorRecipe {
        config,
        seed: arguments.seed,
        steps: arguments.steps,
        batch: arguments.batch,
        rate: arguments.rate,
        decay: 0.01,
        measure_every: arguments.measure_every,
    };
    let mut trainer = ErrorTrainer::new(recipe, &arguments.output, device(arguments.device == "cuda")?)?;
    let begin = std::time::Instant::now();
    trainer.train(&examples, |progress| {
        let dev = progress.dev;
        say(&format!(
            "step {} ({:.0} s): loss {:.3}; dev: accuracy {:.1} %, F1 {:.1} %, error or none {:.1} %, line {:.1} %",
            progress.step,
            progress.seconds,
            progress.loss,
            100.0 * dev.accuracy,
            100.0 * dev.weighted_f1,
            100.0 * dev.error_or_none,
            100.0 * dev.localization
        ));
        arguments.minutes.is_none_or(|minutes| begin.elapsed().as_secs_f64() < 60.0 * minutes)
    })?;
    let steps = trainer.step();
    trainer.take_best()?;
    let on = |part, selection| trainer.measure(&examples, part, selection);
    let result = json!({
        "network": arguments.network,
        "fusion": arguments.fusion,
        "scope": arguments.scope,
        "pooling": arguments.pooling,
        "steps": steps,
        "learned_from": examples.count(Part::Train),
        "dev_balanced": on(Part::Dev, Selection::Balanced)?,
        "held_out_balanced": on(Part::HeldOut, Selection::Balanced)?,
        "held_out_originals": on(Part::HeldOut, Selection::Originals)?,
        "held_out_originals_balanced": on(Part::HeldOut, Selection::BalancedOriginals)?,
    });
    let text = serde_json::to_string_pretty(&result)? + "\n";
    std::fs::write(arguments.output.join("figures.json"), &text)?;
    std::io::stdout().write_all((serde_json::to_string(&result)? + "\n").as_bytes())?;
    Ok(())
}

//! Trains the T5 that says how likely conditions are: see `docs/invariants.md` and `TRAINING.md`.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use surmise_instrument::guards::with_negation;
use surmise_value_model::invariants::corpus::{guards, manifest};
use surmise_value_model::invariants::reranker::{
    Asked, Part, Questions, RerankerConfig, asked_elsewhere, question, vocabulary,
};
use surmise_value_model::torch::device;
use surmise_value_model::train::{RerankerRecipe, RerankerTrainer};

/// Tokens of a condition at most: longer ones are rarely written again.
const MOST_TOKENS: usize = 40;

/// Train the T5 that says how likely conditions are.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  train-reranker questions --data corpora/projects.json --data corpora/wheels.json --sources sources -o questions.zst
  train-reranker train --questions questions.zst -o reranker --steps 20000 --device cuda --bf16

Exit codes: 0 done; 1 it cannot go on, and says why; 2 bad usage.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Collect the guards of projects as questions with their answers.
    Questions(QuestionsOptions),
    /// Learn from questions; the same command goes on where it stopped.
    Train(TrainOptions),
}

#[derive(Args)]
struct QuestionsOptions {
    /// Manifest with the names and splits of projects (repeatable).
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// Folder with the sources of each project.
    #[arg(long, value_name = "DIR")]
    sources: PathBuf,
    /// File to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Guards of one project at most, drawn by the seed.
    #[arg(long, default_value_t = 3000)]
    most: usize,
    /// Seed of what is drawn.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

#[derive(Args)]
struct TrainOptions {
    /// Questions to learn from.
    #[arg(long, value_name = "FILE")]
    questions: PathBuf,
    /// Folder of the weights; checkpoint and log are written there, too.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Rank of the changes of the value model's encoder.
    #[arg(long, default_value_t = 48)]
    rank: usize,
    /// Blocks of the decoder.
    #[arg(long, default_value_t = 2)]
    decoder_layers: usize,
    /// Optimizer steps in all.
    #[arg(long, default_value_t = 3000)]
    steps: u64,
    /// Questions of a batch.
    #[arg(long, default_value_t = 64)]
    batch: usize,
    /// Highest learning rate.
    #[arg(long, default_value_t = 0.002)]
    learning_rate: f64,
    /// Weight decay.
    #[arg(long, default_value_t = 0.01)]
    decay: f64,
    /// Weight of the hinge on the negation; 0 for none.
    #[arg(long, default_value_t = 0.0)]
    hinge: f64,
    /// Steps between measurements and checkpoints.
    #[arg(long, default_value_t = 500)]
    measure_every: u64,
    /// Seed of weights and batches.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// End after this many minutes, with a checkpoint.
    #[arg(long)]
    minutes: Option<f64>,
    /// Compute products in bf16.
    #[arg(long)]
    bf16: bool,
    /// Threads of libtorch.
    #[arg(long, default_value_t = 1)]
    threads: i32,
    /// cpu or cuda.
    #[arg(long, default_value = "cpu", value_parser = ["cpu", "cuda"])]
    device: String,
}

fn main() -> std::process::ExitCode {
    let done = match &Arguments::parse().command {
        Command::Questions(options) => collect(options),
        Command::Train(options) => train(options),
    };
    match done {
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

fn collect(options: &QuestionsOptions) -> Result<(), Box<dyn std::error::Error>> {
    let vocabulary = vocabulary();
    let mut projects = Vec::new();
    for path in &options.data {
        projects.extend(manifest(path).map_err(|error| format!("`{}`: {error}", path.display()))?);
    }
    let (mut all, mut seen) = (Questions::default(), BTreeSet::new());
    let mut random = fastrand::Rng::with_seed(options.seed);
    let short = |text: &str| -> Vec<u16> { vocabulary.encode(text).ids.into_iter().map(|id| id as u16).collect() };
    for (split, part) in [("train", Part::Train), ("dev", Part::Dev)] {
        for project in projects.iter().filter(|project| project.split == split) {
            let folder = options.sources.join(&project.name);
            let (mut found, counts) = guards(&folder, &mut seen, |model, sample| {
                let excerpt = sample.location.excerpt(model.text());
                question(&vocabulary, &excerpt, &asked_elsewhere(&sample.view))
            });
            if found.len() > options.most {
                // In their order, so that what is alike stands together in the file.
                let chosen: BTreeSet<usize> =
                    random.choose_multiple(0..found.len(), options.most).into_iter().collect();
                let kept = found.into_iter().enumerate().filter(|(number, _)| chosen.contains(number));
                found = kept.map(|(_, guard)| guard).collect();
            }
            for (sample, question) in found {
                let condition = sample.condition.to_string();
                let tokens = short(&condition);
                let negation = with_negation(&condition).map(|(_, negation)| short(&negation)).unwrap_or_default();
                if tokens.len() <= MOST_TOKENS {
                    all.push(Asked { part, question: &question, condition: &tokens, negation: &negation });
                }
            }
            say(&format!("{split:5} {:24} {} guards, {} in all", project.name, counts.guards, all.len()));
        }
    }
    all.write(&options.output)?;
    Ok(())
}

fn train(options: &TrainOptions) -> Result<(), Box<dyn std::error::Error>> {
    tch::set_num_threads(options.threads);
    std::fs::create_dir_all(&options.output)?;
    let questions = Questions::read(&options.questions, vocabulary().size())?;
    say(&format!("{} questions, {} of them for choices", questions.len(), questions.of(Part::Dev).len()));
    let recipe = RerankerRecipe {
        config: RerankerConfig { rank: options.rank, decoder_layers: options.decoder_layers },
        seed: options.seed,
        steps: options.steps,
        batch: options.batch,
        rate: options.learning_rate,
        decay: options.decay,
        hinge: options.hinge,
        measure_every: options.measure_every,
        bf16: options.bf16,
    };
    let mut trainer = RerankerTrainer::new(recipe, &options.output, device(options.device == "cuda")?)?;
    let begin = std::time::Instant::now();
    let is_done = trainer.train(&questions, |progress| {
        say(&format!(
            "step {:6} of {}: loss {:.4}, dev {:.4}, first {:.1} %, {:.0} s",
            progress.step,
            options.steps,
            progress.loss,
            progress.dev_loss,
            progress.dev_first * 100.0,
            progress.seconds
        ));
        options.minutes.is_none_or(|minutes| begin.elapsed().as_secs_f64() < minutes * 60.0)
    })?;
    say(if is_done { "done" } else { "stopped; the same command goes on" });
    Ok(())
}

//! `surmise label`: programs with the bugs that people make, run and labelled.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use surmise_batch::pool::{Pool, processors};
use surmise_batch::store::Store;
use surmise_batch::{BatchError, end_on_signals, interrupted};
use surmise_engine::exit::{Exit, Status};
use surmise_identity::Identity;
use surmise_labels::card::Card;
use surmise_labels::labelling::{Labelling, Progress};
use surmise_labels::programs::{self, Program};
use surmise_labels::run::Options;

use super::cover::{note_kept, progress_bar, warn_interrupted};
use super::numbers::seconds;
use super::refusal::{Refusal, write};
use super::{printer, sandbox};

/// Make programs with the bugs that people make, run each in the sandbox, and label it with the error that it raises.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// JSON Lines file of programs, with `id`, `code`, `description` (of their standard input), `error_class` and
    /// `problem_id` (repeatable). Programs whose class is `No error` are changed.
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// Folder for the labels; the same command continues after an interruption.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of labelled programs.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    count: u64,
    /// Mutants of each program in one round: every program has its turn before the next round begins.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    per_round: u32,
    /// Programs that run at the same time (default: the number of processors).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Seed of mutants and inputs; the same seed gives the same programs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Time limit of one run, in seconds of wall-clock time. Programs that do not end get no label.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    timeout: f64,
    /// Print the counts as JSON (schema surmise.labels/1).
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
The folder gets `labels-originals.jsonl` (the programs with the labels that they came with), `labels-000.jsonl` and so \
on (one file for each round of mutants) and `card.md` (how many there are of each class, operator and split). A mutant \
has one bug, in later rounds two; it runs under inputs that fit the description and under which the original comes to \
its end. Programs of one problem stay in one split: half of the problems are held out, and their programs are not \
changed.

Examples:
  surmise label --data codenet.jsonl --out labels --count 50000
  surmise label --data codenet.jsonl --out labels --count 1000000   goes on from there

Exit codes: 0 there are as many labels as wanted, or no more can be made; 2 bad usage or unreadable input; 3 \
interrupted (what is done is kept); 4 the sandbox could not be set up; 70 an internal error of Surmise.";

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    end_on_signals();
    arguments.confinement.check(&[])?;
    let hint = "--data takes JSON Lines with `id`, `code`, `description` and `error_class` in each object";
    let programs = programs::read(&arguments.data).map_err(|error| Refusal::new(error, hint))?;
    if !programs.iter().any(Program::is_right) {
        let message = "no program in the data is labelled `No error`: there is nothing to put bugs into";
        return Err(Refusal::new(message, hint));
    }
    let (card, progress) = arguments.label(&programs)?;
    let names: Vec<String> = arguments
        .data
        .iter()
        .filter_map(|path| path.file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let origin = format!(
        "Made by `surmise label` of `{}`, seed {}, {} mutants of a program in one round.",
        names.join("`, `"),
        arguments.seed,
        arguments.per_round
    );
    write(&arguments.out.join("card.md"), card.page(&origin))?;
    if arguments.json {
        let document = serde_json::json!({ "schema": "surmise.labels/1", "new": progress.new, "card": card });
        printer::data(&format!("{document}\n"));
    } else {
        printer::data(&summary(&card, &arguments.out));
    }
    let is_whole = !interrupted();
    if !is_whole {
        warn_interrupted(&printer::plural(progress.new, "new label"), true);
    }
    Ok(if is_whole { Exit::Success } else { Exit::Killed }.into())
}

fn summary(card: &Card, folder: &Path) -> String {
    let mut classes: Vec<(&String, &u64)> = card.classes.iter().collect();
    classes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let mut text = String::new();
    for (class, count) in classes {
        let _infallible = writeln!(text, "{class:<24} {:>10}", printer::grouped(*count));
    }
    let labels = printer::plural(card.labels, "labelled program");
    let _infallible = writeln!(text, "{labels} in `{}`, counted in `card.md`", folder.display());
    text
}

impl Arguments {
    fn label(&self, programs: &[Program]) -> Result<(Card, Progress), BatchError> {
        let settings = format!(
            "seed={} per_round={} timeout={} programs={}",
            self.seed,
            self.per_round,
            self.timeout,
            programs.len()
        );
        let mut store = Store::open(&self.out, &Identity::built_in().without_model(), &settings)?;
        let jobs = self.jobs.map_or_else(processors, |jobs| jobs as usize);
        let program = sandbox::Program { paths: &[], folders: &[], readable: &[], timeout: self.timeout };
        let labelling = Labelling {
            programs,
            options: Options {
                seed: self.seed,
                timeout: Duration::from_secs_f64(self.timeout),
                per_round: self.per_round as usize,
            },
            count: self.count,
            folder: &self.out,
            pool: Pool { jobs, start: &|| self.confinement.start(&program), ahead: 0 },
        };
        let bar = progress_bar();
        bar.set_length(self.count);
        let done = labelling.run(&mut store, |progress| bar.set_position(progress.old + progress.new));
        bar.finish_and_clear();
        let (card, progress) = done?;
        note_kept(progress.old);
        Ok((card, progress))
    }
}

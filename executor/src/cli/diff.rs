//! `surmise diff`.

mod input;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use self::input::Input;
use super::cover::progress_bar;
use super::run::seconds;
use super::{printer, sandbox};
use crate::cover::store::Store;
use crate::cover::{CoverError, end_on_signals, interrupted};
use crate::diff::markdown::markdown;
use crate::diff::pair::Options;
use crate::diff::pool::Batch;
use crate::diff::render::{self, Totals};
use crate::diff::repository::RepositoryError;
use crate::diff::sarif;
use crate::diff::siblings::Context;
use crate::diff::verdict::Comparison;
use crate::exit::Exit;
use crate::plan::{PredictorChoice, Settings};

/// Tell whether a change of functions changes their behaviour.
#[derive(Args, Debug)]
#[command(
    after_help = EXAMPLES,
    override_usage = "surmise diff [OPTIONS] OLD NEW\n       \
        surmise diff [OPTIONS] --repo DIR [REV | REV..REV | REV...REV] [-- PATH...]\n       \
        surmise diff [OPTIONS] --jsonl FILE"
)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct Arguments {
    /// The old version; with --repo, the revisions to compare.
    #[arg(value_name = "OLD")]
    old: Option<PathBuf>,
    /// The new version.
    #[arg(value_name = "NEW")]
    new: Option<PathBuf>,
    /// A Git repository. `REV..REV` compares two revisions, `REV...REV` the second with where they parted, `REV` a
    /// commit with its first parent; without any, HEAD is compared with the working tree.
    #[arg(long, value_name = "DIR", conflicts_with = "jsonl")]
    repo: Option<PathBuf>,
    /// With --repo: only these files, folders and patterns, as seen from DIR.
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<String>,
    /// A file with both versions of a function in each line's JSON object; its name is the object's `id`.
    #[arg(long, value_name = "FILE", conflicts_with = "old")]
    jsonl: Option<PathBuf>,
    /// The key of the old version in these objects.
    #[arg(long, value_name = "NAME", default_value = "old_function")]
    old_field: String,
    /// The key of the new version.
    #[arg(long, value_name = "NAME", default_value = "new_function")]
    new_field: String,
    /// What a function finds around it.
    #[arg(long, value_enum, value_name = "CONTEXT", default_value = "module")]
    context: Context,
    /// Who predicts missing values.
    #[arg(long, value_enum, default_value = "model")]
    predictor: PredictorChoice,
    /// Runs of each version at most.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Wall-clock limit of all runs of a pair together, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    time: f64,
    /// Wall-clock limit of one run, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    timeout: f64,
    /// The text of exceptions and warnings counts.
    #[arg(long)]
    strict_messages: bool,
    /// Calls that log count.
    #[arg(long)]
    strict_logging: bool,
    /// Comparisons at a time (default: as many as there are processors).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Keep the results in this folder, and go on with those that are there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one `surmise.diff/1` object a function, then one with the `summary`.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a table and the witnesses as Markdown.
    #[arg(long)]
    markdown: bool,
    /// Write a SARIF 2.1.0 log, for code scanning.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    #[command(flatten)]
    confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
Examples:
  surmise diff old.py new.py                      every function that both files have
  surmise diff --repo . main...HEAD               what a branch changed
  surmise diff --repo . HEAD -- src               what the last commit changed below src
  surmise diff --repo . --markdown                what is not committed yet, for a comment under a change
  surmise diff --jsonl pairs.jsonl --json         a data set of pairs

Exit codes: 0 nothing differs (unknown is no difference); 1 something differs; 2 bad usage or unreadable input;
3 interrupted (what is done is kept with --out); 4 no sandbox; 70 our own failure.";

/// Why nothing could be compared.
enum Failure {
    /// A message and what to do about it.
    Input(String, String),
    Repository(RepositoryError),
    Batch(CoverError),
}

impl From<RepositoryError> for Failure {
    fn from(error: RepositoryError) -> Self {
        Self::Repository(error)
    }
}

impl From<CoverError> for Failure {
    fn from(error: CoverError) -> Self {
        Self::Batch(error)
    }
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let (message, hint, exit) = match arguments.run() {
        Ok(totals) if interrupted() => {
            let hint = match arguments.out {
                Some(_) => "the same command goes on",
                None => "with --out it could be gone on with",
            };
            printer::warning(&format!("interrupted after {}: {hint}", printer::plural(totals.all(), "function")));
            return Exit::Killed.into();
        }
        Ok(totals) if totals.different > 0 => return Exit::Found.into(),
        Ok(_) => return Exit::Success.into(),
        Err(Failure::Input(message, hint)) => (message, hint, Exit::Usage),
        Err(Failure::Repository(error)) => (error.to_string(), error.hint().to_owned(), Exit::Usage),
        Err(Failure::Batch(CoverError::Worker(error))) => (error.to_string(), error.hint().to_owned(), error.exit()),
        Err(Failure::Batch(error)) => (error.to_string(), error.hint().to_owned(), Exit::Usage),
    };
    printer::error(&message, Some(&hint));
    exit.into()
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            settings: Settings {
                predictor: self.predictor,
                runs: self.runs,
                time: Duration::from_secs_f64(self.time),
                timeout: Duration::from_secs_f64(self.timeout),
                ..Settings::default()
            },
            strict_messages: self.strict_messages,
            strict_logging: self.strict_logging,
        }
    }

    fn run(&self) -> Result<Totals, Failure> {
        if self.predictor == PredictorChoice::None {
            let hint = "leave --predictor away, or say `naive`".to_owned();
            return Err(Failure::Input("nothing can be compared without values".to_owned(), hint));
        }
        self.confinement.check().map_err(|(message, hint)| Failure::Input(message, hint.to_owned()))?;
        let input = self.input()?;
        end_on_signals();
        let mut store = match self.store() {
            Some((folder, settings)) => Some(Store::open(folder, &settings)?),
            None => None,
        };
        let program = sandbox::Program { paths: &[], python_path: &[], timeout: self.timeout };
        let batch = Batch {
            options: &self.options(),
            jobs: self.jobs.map_or_else(
                || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
                |jobs| jobs as usize,
            ),
            start: &|| self.confinement.start(&program),
        };
        let (mut totals, mut all) = (Totals::default(), Vec::new());
        let bar = progress_bar();
        let done = batch.run(
            store.as_mut(),
            |take| match input {
                Input::Files(old, new) => self.each_function(old, new, take),
                Input::Records(path) => self.each_record(path, take),
                Input::Revisions { folder, revisions } => self.each_touched(folder, revisions, take, |done, files| {
                    bar.set_length(files as u64);
                    bar.set_position(done as u64);
                }),
            },
            |comparison| {
                totals.add(&comparison);
                bar.suspend(|| self.tell(&comparison));
                if self.markdown || self.sarif.is_some() {
                    all.push(comparison);
                }
            },
        );
        bar.finish_and_clear();
        let done = done?;
        if let Some(store) = &mut store {
            store.finish()?;
        }
        if done.old > 0 {
            printer::note(&format!("{} were there before", printer::plural(done.old, "result")));
        }
        self.tell_all(&totals, &all)?;
        Ok(totals)
    }

    /// What is said as soon as it is known.
    fn tell(&self, comparison: &Comparison) {
        if self.json {
            printer::data(&format!("{}\n", render::document(comparison)));
        } else if !self.markdown {
            printer::data(&render::text(comparison));
        }
    }

    fn tell_all(&self, totals: &Totals, all: &[Comparison]) -> Result<(), CoverError> {
        if self.json {
            printer::data(&format!("{}\n", serde_json::json!({ "summary": totals })));
        } else if self.markdown {
            printer::data(&markdown(all));
        } else {
            printer::data(&format!("{totals}\n"));
        }
        if let Some(path) = &self.sarif {
            let log = format!("{:#}\n", sarif::log(all));
            surmise_value_model::files::replace(path, log.as_bytes())
                .map_err(|source| CoverError::Write { path: path.clone(), source })?;
        }
        Ok(())
    }
}

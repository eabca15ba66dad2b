//! `surmise diff`: whether a change of functions changes their behaviour.

mod input;
mod verdicts;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use self::input::Input;
use self::verdicts::{FailOn, Shown};
use super::cover::{note_kept, progress_bar, warn_interrupted};
use super::numbers::seconds;
use super::refusal::{Refusal, check_writable};
use super::{printer, sandbox, surroundings};
use surmise_batch::pool::{Pool, processors};
use surmise_batch::store::Store;
use surmise_batch::{BatchError, end_on_signals, interrupted};
use surmise_diff::comparison::Comparison;
use surmise_diff::markdown::markdown;
use surmise_diff::options::{Callees, Options};
use surmise_diff::pool::Batch;
use surmise_diff::render::{self, Totals};
use surmise_diff::repository::{Repository, RepositoryError, Side};
use surmise_diff::siblings::Context;
use surmise_diff::verdict::Verdict;
use surmise_diff::{sarif, test_file};
use surmise_engine::exit::{Exit, Status};
use surmise_engine::plan::{PredictorChoice, Settings};
use surmise_identity::Identity;
use surmise_project::Environment;

/// Compare two versions of functions: does the change alter their behaviour?
#[derive(Args, Debug)]
#[command(
    after_help = EXAMPLES,
    override_usage = "surmise diff [OPTIONS] OLD NEW\n       \
        surmise diff [OPTIONS] --repo DIR [REV | REV..REV | REV...REV] [-- PATH...]\n       \
        surmise diff [OPTIONS] --jsonl FILE"
)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct Arguments {
    /// File with the old version; with --repo, the revisions to compare.
    #[arg(value_name = "OLD")]
    old: Option<PathBuf>,
    /// File with the new version.
    #[arg(value_name = "NEW")]
    new: Option<PathBuf>,
    /// Git repository to compare revisions of. `REV..REV` compares two revisions, `REV...REV` compares the second with
    /// its merge base with the first, and `REV` compares a commit with its first parent. Without revisions, HEAD is
    /// compared with the working tree. Where values that are made up show no difference, functions are called as the tests
    /// of the new revision call them.
    #[arg(long, value_name = "DIR", conflicts_with = "jsonl")]
    repo: Option<PathBuf>,
    /// With --repo: compare only these files, folders and patterns, relative to DIR.
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<String>,
    /// JSON Lines file with both versions of a function in each object, named by its `id`.
    #[arg(long, value_name = "FILE", conflicts_with = "old")]
    jsonl: Option<PathBuf>,
    /// With --jsonl: key of the old version in each object.
    #[arg(long, value_name = "NAME", default_value = "old_function")]
    old_field: String,
    /// With --jsonl: key of the new version in each object.
    #[arg(long, value_name = "NAME", default_value = "new_function")]
    new_field: String,
    /// Which definitions of its module a function runs with.
    #[arg(long, value_enum, value_name = "CONTEXT", default_value = "module")]
    context: Context,
    /// With --repo: the revision whose other functions and modules both versions run with; `own`: each with its own.
    #[arg(long, value_enum, value_name = "REVISION", default_value = "own", conflicts_with = "alone")]
    callees: Callees,
    /// Predictor of missing values.
    #[arg(long, value_enum, default_value = "model")]
    predictor: PredictorChoice,
    #[command(flatten)]
    values: super::values::Options,
    /// Maximum number of runs of each version; where it runs in its module, twice as many.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Time limit for all runs of one pair of versions together, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    time: f64,
    /// Time limit for one run, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    timeout: f64,
    /// Count another text of an exception or warning as a difference.
    #[arg(long)]
    strict_messages: bool,
    /// Count other log calls as a difference.
    #[arg(long)]
    strict_logging: bool,
    /// Number of comparisons that run at the same time (default: the number of processors). Where a processor is idle,
    /// both versions of a function run at the same time, too.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Store each result in this folder as soon as it is known; the same command continues after an interruption.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Show only comparisons with this verdict (repeatable).
    #[arg(long, value_enum, value_name = "VERDICT")]
    only: Vec<Shown>,
    /// Exit with 1 if a comparison has this verdict (repeatable).
    #[arg(long, value_enum, value_name = "VERDICT", default_values_t = [FailOn::Different])]
    fail_on: Vec<FailOn>,
    /// Print JSON Lines: one `surmise.diff/1` object for each function, then one with the `summary`.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a table and the witnesses of differences as Markdown.
    #[arg(long)]
    markdown: bool,
    /// Also write a pytest file with a test for each difference that shows without anything injected: it passes with the
    /// old version and fails with the new one.
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// Also write a SARIF 2.1.0 log, for code scanning services.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    #[command(flatten)]
    surroundings: surroundings::Options,
    #[command(flatten)]
    confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
Examples:
  surmise diff old.py new.py                  every function that both files have
  surmise diff --repo . main...HEAD           what a branch changed
  surmise diff --repo . HEAD -- src           what the last commit changed below src
  surmise diff --repo . --only different --fail-on different --fail-on possible
                                              for continuous integration
  surmise diff --repo . --markdown            what is not committed yet, as a table for a comment
  surmise diff --jsonl pairs.jsonl --json     a data set of pairs

Exit codes: 0 no comparison has a verdict of --fail-on; 1 one has; 2 bad usage or unreadable input; \
3 interrupted (with --out, finished results are kept); 4 the sandbox could not be set up; 70 an internal error of \
Surmise.";

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    let totals = arguments.run()?;
    if interrupted() {
        warn_interrupted(&printer::plural(totals.all(), "function"), arguments.out.is_some());
        return Ok(Exit::Killed.into());
    }
    let is_found = arguments.fail_on.iter().any(|verdict| verdict.count(&totals) > 0);
    Ok(if is_found { Exit::Found } else { Exit::Success }.into())
}

impl Arguments {
    fn options(&self, environment: Option<Arc<Environment>>) -> Result<Options, Refusal> {
        Ok(Options {
            settings: Settings {
                predictor: self.predictor,
                runs: self.runs,
                time: Duration::from_secs_f64(self.time),
                timeout: Duration::from_secs_f64(self.timeout),
                python_path: self.surroundings.python_path.clone(),
                environment,
                in_place: !self.surroundings.alone,
                values: self.values.concretization(),
                observed: self.values.observed()?,
                ..Settings::default()
            },
            strict_messages: self.strict_messages,
            strict_logging: self.strict_logging,
        })
    }

    /// Hashes of the weights and the runtime on which the results depend.
    fn identity(&self) -> Identity {
        let own = Identity::built_in();
        if self.predictor.has_weights() { own } else { own.without_model() }
    }

    fn run(&self) -> Result<Totals, Refusal> {
        if self.predictor == PredictorChoice::None {
            let hint = "omit --predictor, or use `--predictor naive`";
            return Err(Refusal::new("nothing can be compared without values", hint));
        }
        if self.predictor == PredictorChoice::Llm {
            let hint = "`--predictor llm` is for `surmise run` and `surmise cover`";
            return Err(Refusal::new("a language model proposes no values for comparisons", hint));
        }
        self.confinement.check(&self.surroundings.python_path)?;
        for path in self.sarif.iter().chain(&self.test) {
            check_writable(path)?;
        }
        let input = self.input()?;
        end_on_signals();
        self.predictor.read_ahead();
        let repository = match input {
            Input::Revisions { folder, revisions } => Some(Repository::open(folder, revisions)?),
            Input::Files(..) | Input::Records(_) => None,
        };
        // Held until the end: dropping it removes the folder.
        let scratch = tempfile::tempdir();
        let scratch = scratch.map_err(|source| BatchError::Write { path: std::env::temp_dir(), source })?;
        let sides = match &repository {
            Some(repository) if !self.surroundings.alone => sides(repository, scratch.path())?,
            _ => None,
        };
        let environment = self.surroundings.environment(input.start())?;
        let readable = self.surroundings.readable(environment.as_deref());
        let options = self.options(environment)?;
        let mut store = match self.store(&options.settings) {
            Some((folder, settings)) => Some(Store::open(folder, &self.identity(), &settings)?),
            None => None,
        };
        let mut folders: Vec<PathBuf> = sides.iter().flatten().map(|side| side.folder.clone()).collect();
        if let Input::Files(old, new) = input {
            folders.extend(self.surroundings.folders(&[old.to_owned(), new.to_owned()]));
        }
        let program = sandbox::Program { paths: &[], folders: &folders, readable: &readable, timeout: self.timeout };
        let batch = Batch {
            options: &options,
            pool: Pool {
                jobs: self.jobs.map_or_else(processors, |jobs| jobs as usize),
                start: &|| self.confinement.start(&program),
                // One for each version of the first function: they start while the repository is read.
                ahead: processors().min(2),
            },
        };
        let (mut totals, mut all, mut held) = (Totals::default(), Vec::new(), Some(String::new()));
        let bar = progress_bar();
        let done = batch.run(
            store.as_mut(),
            |take| match input {
                Input::Files(old, new) => self.each_function(old, new, take),
                Input::Records(path) => self.each_record(path, take),
                Input::Revisions { .. } => {
                    let repository = repository.as_ref().expect("it was opened");
                    self.each_touched(repository, sides, take, |done, files| {
                        bar.set_length(files as u64);
                        bar.set_position(done as u64);
                    })
                }
            },
            |comparison| {
                totals.add(&comparison);
                if !self.shows(&comparison) {
                    return;
                }
                bar.suspend(|| self.show(&comparison, &mut held));
                if self.markdown || self.sarif.is_some() || self.test.is_some() {
                    all.push(comparison);
                }
            },
        );
        bar.finish_and_clear();
        let done = done?;
        if let Some(store) = &mut store {
            store.finish()?;
        }
        note_kept(done.old);
        self.show_all(&totals, &all)?;
        Ok(totals)
    }

    fn shows(&self, comparison: &Comparison) -> bool {
        self.only.is_empty() || self.only.iter().any(|verdict| verdict.fits(&comparison.verdict))
    }

    /// Prints one comparison as soon as it is known, unless the format needs all of them. What is equal is `held` until
    /// something is not: where nothing is, the totals say it all.
    fn show(&self, comparison: &Comparison, held: &mut Option<String>) {
        if self.json {
            printer::data(&format!("{}\n", render::document(comparison)));
        } else if !self.markdown {
            let text = render::text(comparison, printer::width());
            match held {
                Some(held) if matches!(comparison.verdict, Verdict::Equal(_)) && self.only.is_empty() => {
                    held.push_str(&text);
                }
                _ => printer::data(&format!("{}{text}", held.take().unwrap_or_default())),
            }
        }
    }

    fn show_all(&self, totals: &Totals, all: &[Comparison]) -> Result<(), BatchError> {
        if self.json {
            printer::data(&format!("{}\n", render::sums(totals, &self.identity())));
        } else if self.markdown {
            printer::data(&markdown(all));
        } else {
            printer::data(&format!("{totals}\n"));
        }
        if let Some(path) = &self.test {
            let (text, count) = test_file::tests(all);
            surmise_value_model::files::replace(path, text.as_bytes())
                .map_err(|source| BatchError::Write { path: path.clone(), source })?;
            let differing = all.iter().filter(|comparison| comparison.verdict.witness().is_some()).count();
            printer::note(&format!(
                "{} of {} can be shown without injected values: {}",
                count,
                printer::plural(differing as u64, "difference"),
                path.display()
            ));
        }
        if let Some(path) = &self.sarif {
            let log = format!("{:#}\n", sarif::log(all));
            surmise_value_model::files::replace(path, log.as_bytes())
                .map_err(|source| BatchError::Write { path: path.clone(), source })?;
        }
        Ok(())
    }
}

/// Both sides as folders; `None`, with a warning, where they are too large for that.
fn sides(repository: &Repository, scratch: &Path) -> Result<Option<[Side; 2]>, Refusal> {
    match repository.sides_in(scratch) {
        Ok(sides) => Ok(Some(sides)),
        Err(error @ RepositoryError::TooLarge) => {
            printer::warning(&format!("{error}: functions are compared as excerpts, as with --alone"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

//! `surmise cover`: coverage of many snippets, as a table and in the formats of other tools.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::numbers::{percentage, seconds};
use super::refusal::{Refusal, check_writable};
use super::{printer, sandbox, surroundings};
use surmise_advice::Advisor;
use surmise_batch::pool::{Pool, processors};
use surmise_batch::store::Store;
use surmise_batch::{BatchError, end_on_signals, interrupted};
use surmise_cover::items::Given;
use surmise_cover::lcov::Lcov;
use surmise_cover::pool::{Batch, Progress};
use surmise_cover::record::Record;
use surmise_cover::summary::{Row, Sort, Summary};
use surmise_cover::{Configuration, pages, render};
use surmise_engine::exit::{Exit, Status};
use surmise_engine::plan::{PredictorChoice, Settings};
use surmise_identity::Identity;

/// Run many snippets and report how much of them was executed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    given: Given,
    /// Predictor of missing values.
    #[arg(long, value_enum, default_value = "model")]
    predictor: PredictorChoice,
    /// Compare these predictors, separated by commas: run everything with each of them, with a single run and with
    /// --runs.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PREDICTORS", conflicts_with = "predictor")]
    compare: Vec<PredictorChoice>,
    #[command(flatten)]
    model: super::model::Options,
    #[command(flatten)]
    values: super::values::Options,
    /// Maximum number of runs of each snippet.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Time limit for all runs of one snippet together, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    time: f64,
    /// Time limit for one run, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    timeout: f64,
    /// Call only the functions that the snippets themselves call.
    #[arg(long)]
    no_drive: bool,
    /// Seed of random choices; the same seed gives the same runs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Number of snippets that run at the same time (default: twice the number of processors, because some snippets
    /// only wait).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Store each result in this folder as soon as it is known; the same command continues after an interruption.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the results as JSON Lines (schema surmise.cover/1): one `surmise.run/1` object for each snippet, then one
    /// with the `summary`.
    #[arg(long)]
    json: bool,
    /// With --json: list the runs of each snippet with what decides how plausible they are
    /// (scripts/plausibility-examples.py).
    #[arg(long, requires = "json")]
    candidates: bool,
    /// Write HTML into this folder: an index with a sortable table, and one page for each snippet.
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,
    /// Write an LCOV tracefile, for genhtml and coverage services.
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Order of the table: by default that of the snippets, of those that are covered least if there are many.
    #[arg(long, value_enum, value_name = "KEY", conflicts_with = "json")]
    sort: Option<Sort>,
    /// Exit with 1 if less than this percentage of all lines is covered.
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    fail_under: Option<f64>,
    /// Write a picture (SVG) of the distribution of the snippets' coverage.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    advising: super::llm::Advising,
    #[command(flatten)]
    surroundings: surroundings::Options,
    #[command(flatten)]
    confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
Examples:
  surmise cover src/                                   all files of a folder
  surmise cover --functions src/ --html report         every function of these files, as HTML pages
  surmise cover --jsonl snippets.jsonl --out results   a data set; can be interrupted and continued
  surmise cover --jsonl snippets.jsonl --compare none,naive,model --svg coverage.svg

Exit codes: 0 everything was run, whatever the snippets did; 1 fewer lines than --fail-under were covered; 2 bad usage or unreadable input; 3 interrupted (with \
--out, finished results are kept); 4 the sandbox could not be set up; 70 an internal error of Surmise.";

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    end_on_signals();
    let mut settings = arguments.settings()?;
    settings.model = arguments.model.open_cached()?;
    settings.observed = arguments.values.observed()?;
    settings.values = arguments.values.concretization();
    let configurations = arguments.configurations();
    let predictors: Vec<PredictorChoice> = configurations.iter().map(|one| one.predictor).collect();
    let identity = arguments.model.identity(&predictors)?;
    let asks = predictors.contains(&PredictorChoice::Llm);
    let advisor = arguments.advising.advisor(if asks { PredictorChoice::Llm } else { PredictorChoice::Model }, true)?;
    for path in arguments.lcov.iter().chain(&arguments.svg) {
        check_writable(path)?;
    }
    if let Some(folder) = &arguments.html {
        // The folder is made, and those that it lies in.
        let nearest = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new(""));
        check_writable(&nearest.join("index.html"))?;
    }
    let Some(covered) = arguments.cover(&settings, &configurations, (&identity, advisor.as_ref()))? else {
        return Ok(Exit::Killed.into());
    };
    let covered = covered * 100.0;
    match arguments.fail_under {
        Some(least) if covered < least => {
            printer::warning(&format!(
                "{covered:.2}% of the lines are covered, less than the {least}% of --fail-under"
            ));
            Ok(Exit::Found.into())
        }
        _ => Ok(Exit::Success.into()),
    }
}

impl Arguments {
    fn settings(&self) -> Result<Settings, Refusal> {
        self.confinement.check(&self.surroundings.python_path)?;
        let start = self.given.paths.first().map_or_else(|| Path::new("."), PathBuf::as_path);
        Ok(Settings {
            seed: self.seed,
            timeout: Duration::from_secs_f64(self.timeout),
            time: Duration::from_secs_f64(self.time),
            harness_calls: !self.no_drive,
            python_path: self.surroundings.python_path.clone(),
            environment: self.surroundings.environment(start)?,
            in_place: !self.surroundings.alone,
            candidates: self.candidates,
            ..Settings::default()
        })
    }

    /// Configurations in which each snippet is run: one, or several with `--compare`. Reports show the last.
    fn configurations(&self) -> Vec<Configuration> {
        if self.compare.is_empty() {
            return vec![Configuration { predictor: self.predictor, runs: self.runs }];
        }
        let mut found: Vec<Configuration> =
            self.compare.iter().map(|&predictor| Configuration { predictor, runs: 1 }).collect();
        if self.runs > 1 {
            let searching = self.compare.iter().filter(|&&predictor| predictor != PredictorChoice::None);
            found.extend(searching.map(|&predictor| Configuration { predictor, runs: self.runs }));
        }
        found.dedup();
        found
    }

    /// Settings on which stored results depend besides snippet, predictor and number of runs.
    fn fingerprint(&self, settings: &Settings) -> String {
        let surroundings = self.surroundings.fingerprint(settings.environment.as_deref());
        format!(
            "time={} timeout={} drive={} seed={} candidates={} {surroundings}{}{}",
            self.time,
            self.timeout,
            !self.no_drive,
            self.seed,
            self.candidates,
            self.advising.fingerprint(),
            super::values::fingerprint(settings),
        )
    }

    /// Runs the batch and shows its results; returns the share of lines that are covered, or nothing if it was interrupted.
    fn cover(
        &self,
        settings: &Settings,
        configurations: &[Configuration],
        (identity, advisor): (&Identity, Option<&Advisor>),
    ) -> Result<Option<f64>, BatchError> {
        // Held until the results are shown: dropping it removes the folder.
        let mut scratch = None;
        let folder = if let Some(folder) = &self.out {
            folder.clone()
        } else {
            let made = tempfile::tempdir();
            let made = made.map_err(|source| BatchError::Write { path: std::env::temp_dir(), source })?;
            scratch.insert(made).path().to_owned()
        };
        let mut store = Store::open(&folder, identity, &self.fingerprint(settings))?;
        let jobs = self.jobs.map_or_else(|| 2 * processors(), |jobs| jobs as usize);
        let readable = self.surroundings.readable(settings.environment.as_deref());
        let folders = self.surroundings.folders(&self.given.paths);
        let program = sandbox::Program {
            paths: &self.given.paths,
            folders: &folders,
            readable: &readable,
            timeout: self.timeout,
        };
        let batch = Batch {
            given: &self.given,
            settings,
            configurations,
            identity,
            advisor,
            pool: Pool { jobs, start: &|| self.confinement.start(&program), ahead: 0 },
            pages: self.html.as_deref(),
        };
        let bar = progress_bar();
        let done = batch.run(&mut store, |progress| show(&bar, progress));
        bar.finish_and_clear();
        let progress = done?;
        note_kept(progress.old);
        let covered = self.show(configurations, &mut store)?;
        if interrupted() {
            warn_interrupted(&printer::plural(progress.new, "new result"), self.out.is_some());
            return Ok(None);
        }
        Ok(Some(covered))
    }

    /// Reads the results back in the order of the batch, and renders them; returns the share of lines that are covered.
    fn show(&self, configurations: &[Configuration], store: &mut Store<Record>) -> Result<f64, BatchError> {
        let names: Vec<String> = configurations.iter().map(|configuration| configuration.name()).collect();
        let mut summaries: Vec<(String, Summary)> =
            names.iter().map(|name| (name.clone(), Summary::default())).collect();
        // By share, whose bits are ordered like it as none is negative, and place in the batch.
        let mut worst: BTreeMap<(u64, u64), Row> = BTreeMap::new();
        let mut rows = Vec::new();
        let mut lcov = Lcov::default();
        let mut failed = None;
        self.given.each(|item| {
            let fingerprint = item.fingerprint();
            for (number, (name, summary)) in summaries.iter_mut().enumerate() {
                let record = match store.get(&fingerprint, name) {
                    Ok(Some(record)) => record,
                    Ok(None) => continue,
                    Err(error) => {
                        failed = Some(error);
                        return false;
                    }
                };
                let row = Row::new(&item.name, &record);
                summary.add(&row);
                if self.json {
                    printer::data(&format!("{}\n", render::document(&item.name, &record)));
                }
                if number + 1 < names.len() {
                    continue;
                }
                if self.lcov.is_some() {
                    lcov.add(&item, &record);
                }
                if self.html.is_some() || self.sort.is_some() {
                    rows.push((item.index, row));
                } else {
                    worst.insert((row.share().to_bits(), item.index), row);
                    if worst.len() > render::MOST_ROWS {
                        worst.pop_last();
                    }
                }
            }
            true
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        if let Some(path) = &self.lcov {
            surmise_value_model::files::replace(path, lcov.render().as_bytes())
                .map_err(|source| BatchError::Write { path: path.clone(), source })?;
        }
        warn_unanswered(&summaries, self.out.is_some());
        let picture = render::picture(&summaries);
        if let Some(path) = &self.svg {
            surmise_value_model::files::replace(path, picture.as_bytes())
                .map_err(|source| BatchError::Write { path: path.clone(), source })?;
        }
        let (_, last) = summaries.last().expect("there is a configuration");
        if let Some(folder) = &self.html {
            pages::write_index(folder, &rows, last, picture)?;
        }
        if self.json {
            printer::data(&format!("{}\n", render::sums(&summaries)));
        } else {
            let mut shown: Vec<(u64, Row)> = worst.into_iter().map(|((_, index), row)| (index, row)).collect();
            match self.sort {
                Some(sort) => sort.apply(&mut rows),
                None => shown.sort_by_key(|(index, _)| *index),
            }
            shown.extend(rows.into_iter().take(render::MOST_ROWS));
            printer::data(&render::table(&shown, last.files));
            printer::data(&format!("\n{}", render::totals(&summaries)));
        }
        Ok(last.line_coverage())
    }
}

pub(super) fn progress_bar() -> ProgressBar {
    let is_shown = std::io::stderr().is_terminal() && !printer::is_quiet();
    let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Says how many results an earlier, interrupted run of the command has left.
pub(super) fn note_kept(results: u64) {
    if results > 0 {
        printer::note(&format!("{} kept from an earlier run", printer::plural(results, "result")));
    }
}

/// Says for how many snippets a language model was asked in vain.
fn warn_unanswered(summaries: &[(String, Summary)], kept: bool) {
    for advised in summaries.iter().filter_map(|(_, summary)| summary.language_model.as_ref()) {
        let failed = advised.unanswered + advised.unreadable;
        let Some(failure) = advised.first_failure.as_ref().filter(|_| failed > 0) else { continue };
        let snippets = printer::plural(failed, "snippet");
        printer::warning(&format!(
            "no values of the language model for {snippets}, where the built-in model is alone: {failure}"
        ));
        if advised.unanswered > 0 {
            let hint = if kept { "the same command asks again" } else { "with --out the command could ask again" };
            printer::note(&format!("{hint} about {}", printer::plural(advised.unanswered, "snippet")));
        }
    }
}

/// Says what an interrupted run has done, and how it can be continued.
pub(super) fn warn_interrupted(done: &str, kept: bool) {
    let hint = if kept { "run the same command again to continue" } else { "with --out it could be continued" };
    printer::warning(&format!("interrupted after {done}: {hint}"));
}

fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_length(progress.listed);
    bar.set_position(progress.old + progress.new);
}

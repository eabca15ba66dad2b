//! `surmise cover`.

use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::run::seconds;
use super::{printer, sandbox};
use crate::cover::items::Given;
use crate::cover::pool::{Batch, Progress};
use crate::cover::record::Record;
use crate::cover::store::Store;
use crate::cover::summary::{Row, Summary};
use crate::cover::{Configuration, CoverError, end_on_signals, interrupted, pages, render};
use crate::exit::Exit;
use crate::plan::{PredictorChoice, Settings};

/// Run many snippets and tell how much of them was executed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Python files, and folders of them.
    #[arg(value_name = "PATH", required_unless_present = "jsonl")]
    paths: Vec<PathBuf>,
    /// Take each function of the files as a snippet of its own, called with injected arguments.
    #[arg(long, conflicts_with = "jsonl")]
    functions: bool,
    /// A file with a snippet in each line's JSON object (repeatable); its name is the object's `id`.
    #[arg(long, value_name = "FILE")]
    jsonl: Vec<PathBuf>,
    /// The key of the source in these objects.
    #[arg(long, value_name = "NAME", default_value = "code")]
    field: String,
    /// Who predicts missing values.
    #[arg(long, value_enum, default_value = "model")]
    predictor: PredictorChoice,
    /// Run everything with each of these predictors, once and with --runs, and compare.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PREDICTORS", conflicts_with = "predictor")]
    compare: Vec<PredictorChoice>,
    #[command(flatten)]
    model: super::model::Options,
    /// Runs of each snippet at most.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Wall-clock limit of all runs of a snippet together, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    time: f64,
    /// Wall-clock limit of one run, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    timeout: f64,
    /// Call only what the snippets call.
    #[arg(long)]
    no_drive: bool,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Directory with real packages to import (repeatable).
    #[arg(long, value_name = "DIR")]
    python_path: Vec<PathBuf>,
    /// Snippets at a time (default: two for each processor, as some sleep or wait for what never comes).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Keep the results in this folder, and go on with those that are there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the results as JSON lines: one `surmise.run/1` object a snippet, then one with the `summary`.
    #[arg(long)]
    json: bool,
    /// Write an index with a sortable table and a page a snippet.
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,
    /// Write an LCOV tracefile, for genhtml and coverage services.
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Write a picture of how the snippets' coverage is distributed.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
Examples:
  surmise cover src/                                        all files of a folder
  surmise cover --functions src/ --html report              every function of it, as a report to look at
  surmise cover --jsonl snippets.jsonl --out results        a data set; the same command goes on after a stop
  surmise cover --jsonl snippets.jsonl --compare none,naive,random,frequency,model --svg coverage.svg

Exit codes: 0 all was run, whatever the snippets did; 2 bad usage or unreadable input; 3 interrupted (what is done is
kept with --out); 70 our own failure.";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    end_on_signals();
    let mut settings = match arguments.settings() {
        Ok(settings) => settings,
        Err((message, hint)) => {
            printer::error(&message, Some(hint));
            return Exit::Usage.into();
        }
    };
    match arguments.model.open_cached() {
        Ok(model) => settings.model = model,
        Err(exit) => return exit.into(),
    }
    match arguments.cover(&settings) {
        Ok(true) => Exit::Success.into(),
        Ok(false) => Exit::Killed.into(),
        Err(error) => {
            printer::error(&error.to_string(), Some(error.hint()));
            if let CoverError::Worker(error) = error { error.exit().into() } else { Exit::Usage.into() }
        }
    }
}

impl Arguments {
    fn settings(&self) -> Result<Settings, (String, &'static str)> {
        if let Some(path) = self.python_path.iter().find(|path| !path.is_dir()) {
            let hint = "--python-path takes a folder with packages, such as a virtual environment's site-packages";
            return Err((format!("`{}` is not a directory", path.display()), hint));
        }
        self.confinement.check()?;
        Ok(Settings {
            seed: self.seed,
            timeout: Duration::from_secs_f64(self.timeout),
            time: Duration::from_secs_f64(self.time),
            drive: !self.no_drive,
            python_path: self.python_path.clone(),
            ..Settings::default()
        })
    }

    /// Ways to run each snippet; the last one is what reports show.
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

    /// What stored results depend on besides snippet, predictor and runs.
    fn fingerprint(&self) -> String {
        let paths: Vec<String> = self.python_path.iter().map(|path| path.display().to_string()).collect();
        let model = self.model.model.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        format!(
            "version={} time={} timeout={} drive={} seed={} model={model:?} python-path={paths:?}",
            env!("CARGO_PKG_VERSION"),
            self.time,
            self.timeout,
            !self.no_drive,
            self.seed,
        )
    }

    /// Returns false when it was interrupted.
    fn cover(&self, settings: &Settings) -> Result<bool, CoverError> {
        let given = Given {
            paths: self.paths.clone(),
            jsonl: self.jsonl.clone(),
            field: self.field.clone(),
            functions: self.functions,
        };
        // Held until all is told: dropping it removes the folder.
        let mut scratch = None;
        let folder = if let Some(folder) = &self.out {
            folder.clone()
        } else {
            let made = tempfile::tempdir();
            let made = made.map_err(|source| CoverError::Write { path: std::env::temp_dir(), source })?;
            scratch.insert(made).path().to_owned()
        };
        let mut store = Store::open(&folder, &self.fingerprint())?;
        let configurations = self.configurations();
        let jobs = self.jobs.map_or_else(
            || 2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            |jobs| jobs as usize,
        );
        let program = sandbox::Program { paths: &self.paths, python_path: &self.python_path, timeout: self.timeout };
        let batch = Batch {
            given: &given,
            settings,
            configurations: &configurations,
            jobs,
            start: &|| self.confinement.start(&program),
            pages: self.html.as_deref(),
        };
        let bar = progress_bar();
        let done = batch.run(&mut store, |progress| show(&bar, progress));
        bar.finish_and_clear();
        let progress = done?;
        if progress.old > 0 {
            printer::note(&format!("{} were there before", printer::plural(progress.old, "result")));
        }
        self.tell(&given, &configurations, &mut store)?;
        let whole = !interrupted();
        if !whole {
            let hint =
                if self.out.is_some() { "the same command goes on" } else { "with --out it could be gone on with" };
            printer::warning(&format!("interrupted after {}: {hint}", printer::plural(progress.new, "new result")));
        }
        Ok(whole)
    }

    /// Reads the results back in the order of the batch, and renders them.
    fn tell(
        &self,
        given: &Given,
        configurations: &[Configuration],
        store: &mut Store<Record>,
    ) -> Result<(), CoverError> {
        let names: Vec<String> = configurations.iter().map(|configuration| configuration.name()).collect();
        let mut summaries: Vec<(String, Summary)> =
            names.iter().map(|name| (name.clone(), Summary::default())).collect();
        let mut worst: BinaryHeap<Worst> = BinaryHeap::new();
        let mut rows = Vec::new();
        let mut lcov = self.lcov.as_ref().map(|path| create(path)).transpose()?;
        let mut failed = None;
        given.each(|item| {
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
                if let Some((path, file)) = &mut lcov {
                    let path_of_source = item.name.split("::").next().unwrap_or_default();
                    let written = file.write_all(render::lcov(path_of_source, &record).as_bytes());
                    if let Err(source) = written {
                        failed = Some(CoverError::Write { path: path.clone(), source });
                        return false;
                    }
                }
                if self.html.is_some() {
                    rows.push((item.index, row));
                } else {
                    worst.push(Worst(item.index, row));
                    if worst.len() > render::MOST_ROWS {
                        worst.pop();
                    }
                }
            }
            true
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        if let Some((path, mut file)) = lcov {
            file.flush().map_err(|source| CoverError::Write { path, source })?;
        }
        let picture = render::picture(&summaries);
        if let Some(path) = &self.svg {
            surmise_value_model::files::replace(path, picture.as_bytes())
                .map_err(|source| CoverError::Write { path: path.clone(), source })?;
        }
        let (_, last) = summaries.last().expect("there is a configuration");
        if let Some(folder) = &self.html {
            pages::write_index(folder, &rows, last, picture)?;
        }
        if self.json {
            let summaries: serde_json::Map<String, serde_json::Value> =
                summaries.iter().map(|(name, summary)| (name.clone(), serde_json::json!(summary))).collect();
            printer::data(&format!("{}\n", serde_json::json!({ "summary": last, "summaries": summaries })));
        } else {
            let mut shown: Vec<(u64, Row)> = worst.into_iter().map(|Worst(index, row)| (index, row)).collect();
            shown.extend(rows.into_iter().take(render::MOST_ROWS));
            shown.sort_by_key(|(index, _)| *index);
            printer::data(&render::table(&shown, last.files));
            printer::data(&format!("\n{}", render::totals(&summaries)));
        }
        Ok(())
    }
}

/// A row; the greatest is the one that is covered best.
struct Worst(u64, Row);

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.1.share().total_cmp(&other.1.share()).then(self.0.cmp(&other.0))
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Worst {}

fn create(path: &std::path::Path) -> Result<(PathBuf, BufWriter<File>), CoverError> {
    let file = File::create(path).map_err(|source| CoverError::Write { path: path.to_owned(), source })?;
    Ok((path.to_owned(), BufWriter::new(file)))
}

pub(super) fn progress_bar() -> ProgressBar {
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_length(progress.listed);
    bar.set_position(progress.old + progress.new);
}

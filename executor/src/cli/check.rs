//! `surmise check`: does the Python of documentation pages work?

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::cover::{note_kept, progress_bar, warn_interrupted};
use super::numbers::seconds;
use super::refusal::{Refusal, check_writable, write};
use super::{printer, sandbox, surroundings};
use surmise_batch::pool::{Pool, processors};
use surmise_batch::store::Store;
use surmise_batch::{BatchError, end_on_signals, interrupted};
use surmise_check::checked::{Checked, Summary, Verdict};
use surmise_check::pool::Batch;
use surmise_check::{render, sarif};
use surmise_engine::exit::{Exit, Status};
use surmise_engine::plan::Settings;
use surmise_identity::Identity;

/// What can be checked.
const PAGES: &str =
    "name a page, or a folder with files that end in .md, .rst or .ipynb, or .py with `>>>` in docstrings";

/// Run the Python of documentation pages and docstrings and report what is certainly wrong in it.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Pages (Markdown, reStructuredText, notebooks), Python files with sessions (`>>>`) in docstrings, and folders that
    /// contain them.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Also report errors that depend on values that a page does not show. They do not change the exit code.
    #[arg(long)]
    conditional: bool,
    /// Maximum number of runs of each program.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Time limit for all runs of one program together, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    time: f64,
    /// Time limit for one run, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    timeout: f64,
    /// With --conditional: call only the functions that the pages themselves call. What a page defines and never calls
    /// is called only for conditional errors.
    #[arg(long)]
    no_drive: bool,
    /// Seed of random choices; the same seed gives the same runs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Number of pages that are checked at the same time (default: the number of processors).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Store each result in this folder as soon as it is known; the same command continues after an interruption.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON document (schema surmise.check/1).
    #[arg(long)]
    json: bool,
    /// Also write a SARIF 2.1.0 log, for code scanning services.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    #[command(flatten)]
    model: super::model::Options,
    #[command(flatten)]
    surroundings: surroundings::Options,
    #[command(flatten)]
    confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
Examples:
  surmise check README.md docs/                all pages of a project, with its own modules and its .venv
  surmise check src/                           sessions in docstrings, with the names of their modules
  surmise check --python .tox/docs docs/       with the packages of another environment
  surmise check --conditional guide.rst        also what depends on values that the page leaves out
  surmise check --sarif check.sarif docs/      for code scanning

Blocks of a page that use names of earlier ones run together with them. A session (`>>>`) goes on after an error that \
the page shows. Fragments, other languages and examples that the page marks to be skipped are left out and counted.

Exit codes: 0 nothing is certainly wrong; 1 something is; 2 bad usage or unreadable input; 3 interrupted (with --out, \
finished pages are kept); 4 the sandbox could not be set up; 70 an internal error of Surmise.";

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    end_on_signals();
    if let Some(path) = &arguments.sarif {
        check_writable(path)?;
    }
    let (pages, summary) = arguments.check()?;
    arguments.show_all(&pages, &summary)?;
    if interrupted() {
        warn_interrupted(&printer::plural(summary.pages, "page"), arguments.out.is_some());
        return Ok(Exit::Killed.into());
    }
    Ok(if summary.certain > 0 { Exit::Found } else { Exit::Success }.into())
}

impl Arguments {
    fn settings(&self) -> Result<Settings, Refusal> {
        self.confinement.check(&self.surroundings.python_path)?;
        Ok(Settings {
            model: self.model.open_cached()?,
            seed: self.seed,
            runs: self.runs,
            timeout: Duration::from_secs_f64(self.timeout),
            time: Duration::from_secs_f64(self.time),
            harness_calls: self.conditional && !self.no_drive,
            python_path: self.surroundings.python_path.clone(),
            environment: self.surroundings.environment(self.start())?,
            in_place: !self.surroundings.alone,
            // What a page calls `Counter` or `Path` may be anybody's.
            inject_imports: false,
            ..Settings::default()
        })
    }

    /// The file or folder that decides which environment is used.
    fn start(&self) -> &Path {
        self.paths.first().map_or_else(|| Path::new("."), PathBuf::as_path)
    }

    /// Settings on which stored results depend besides the page.
    fn fingerprint(&self, settings: &Settings) -> String {
        let surroundings = self.surroundings.fingerprint(settings.environment.as_deref());
        let Self { runs, time, timeout, seed, .. } = self;
        let drive = settings.harness_calls;
        format!("runs={runs} time={time} timeout={timeout} drive={drive} seed={seed} {surroundings}")
    }

    fn identity(&self) -> Result<Identity, Refusal> {
        self.model.identity(&[Settings::default().predictor])
    }

    /// Checks all pages, and shows what is found as it comes.
    fn check(&self) -> Result<(Vec<Checked>, Summary), Refusal> {
        let (settings, identity) = (self.settings()?, self.identity()?);
        let mut store = match &self.out {
            Some(folder) => Some(Store::open(folder, &identity, &self.fingerprint(&settings))?),
            None => None,
        };
        let readable = self.surroundings.readable(settings.environment.as_deref());
        let folders = self.surroundings.folders(&self.paths);
        let program =
            sandbox::Program { paths: &self.paths, folders: &folders, readable: &readable, timeout: self.timeout };
        let batch = Batch {
            paths: &self.paths,
            settings: &settings,
            identity: &identity,
            pool: Pool {
                jobs: self.jobs.map_or_else(processors, |jobs| jobs as usize),
                start: &|| self.confinement.start(&program),
                ahead: 0,
            },
        };
        let (mut pages, mut summary) = (Vec::new(), Summary::default());
        let bar = progress_bar();
        let done = batch.run(
            store.as_mut(),
            |progress| {
                bar.set_length(progress.listed);
                bar.set_position(progress.old + progress.new);
            },
            |checked| {
                summary.add(&checked);
                bar.suspend(|| self.show(&checked));
                if self.json || self.sarif.is_some() {
                    pages.push(self.shown(checked));
                }
            },
        );
        bar.finish_and_clear();
        let done = done.map_err(|error| match error {
            BatchError::Read { .. } => Refusal::new(&error, PAGES),
            error => error.into(),
        })?;
        note_kept(done.old);
        if done.listed == 0 {
            return Err(Refusal::new(format!("there are no pages in {}", self.given()), PAGES));
        }
        Ok((pages, summary))
    }

    /// The paths, as they were given.
    fn given(&self) -> String {
        let paths: Vec<String> = self.paths.iter().map(|path| format!("`{}`", path.display())).collect();
        paths.join(", ")
    }

    /// What is shown of a page.
    fn shown(&self, mut checked: Checked) -> Checked {
        checked.findings.retain(|found| self.conditional || found.verdict == Verdict::Certain);
        checked
    }

    fn show(&self, checked: &Checked) {
        if !self.json {
            printer::data(&render::text(checked, self.conditional, printer::style()));
        }
    }

    fn show_all(&self, pages: &[Checked], summary: &Summary) -> Result<(), Refusal> {
        if self.json {
            printer::data(&format!("{}\n", render::document(pages, summary, &self.identity()?)));
        } else {
            printer::data(&render::totals(summary, printer::plural));
        }
        if let Some(path) = &self.sarif {
            write(path, format!("{:#}\n", sarif::log(pages)))?;
        }
        Ok(())
    }
}

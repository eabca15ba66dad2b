//! `surmise run`: one snippet, its report in the chosen formats.

mod described;
pub(super) mod guided;
mod in_session;
mod plain;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};

pub(super) use self::described::{description, resource};
use self::plain::{plain, plain_file};
use super::numbers::seconds;
use super::refusal::{Refusal, check_writable, write};
use super::session::{Leased, Session};
use super::{printer, sandbox, surroundings};
use surmise_engine::client::ClientError;
use surmise_engine::execute::Outcome;
use surmise_engine::exit::{Exit, Status};
use surmise_engine::plan::{Plan, PredictorChoice, Settings};
use surmise_engine::source::{self, Source, SourceError};
use surmise_project::Environment;
use surmise_report::{Report, html, json, terminal};

/// What `--show` prints instead of running the snippet.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Show {
    /// The rewritten source, as it would run.
    Instrumented,
}

/// A kind of injection that `--no-inject` turns off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NoInject {
    /// Answers to failing input and output: `input()` at end of file, missing files, the network.
    Io,
    /// Implicit imports: a name such as `re` that is used but not imported gets a predicted value, not the real module.
    Imports,
}

/// Run a snippet: values that are missing are predicted and injected, everything else is real.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct Arguments {
    /// Python file to run; `-` reads standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Arguments of the program (`sys.argv[1:]`); put `--` in front of them if one starts with a dash.
    #[arg(value_name = "ARGS", trailing_var_arg = true)]
    args: Vec<String>,
    /// Run this function (`name` or `Class.method`) with injected arguments instead of the whole file.
    #[arg(long, value_name = "QUALNAME")]
    function: Option<String>,
    /// With --function: run the body of the function as a script, with `exit` for `return`, as `LExecutor` does.
    #[arg(long, requires = "function")]
    body: bool,
    /// Predictor of missing values (default: model; with --plain: none).
    #[arg(long, value_enum)]
    predictor: Option<PredictorChoice>,
    /// With --function and --alone: inject what one real call had, from a JSON file with its values, as
    /// scripts/bench-fidelity.py writes it.
    #[arg(long, value_name = "FILE", requires_all = ["function", "alone"], conflicts_with_all = ["predictor", "model", "plain"])]
    recorded: Option<PathBuf>,
    #[command(flatten)]
    model: super::model::Options,
    #[command(flatten)]
    values: super::values::Options,
    /// Seed of random choices; the same seed gives the same runs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Time limit for one run, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,
    /// Maximum number of runs. Each changes what an earlier one injected, to reach lines and errors that no run has
    /// reached. 1 means a single run, without a search.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Time limit for all runs together, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    time: f64,
    /// Call functions and methods that the snippet defines and never calls, with predicted arguments (the default).
    /// With --runs 1 they are called in the same run, after the module, for at most half a second each.
    #[arg(long, overrides_with = "no_drive")]
    drive: bool,
    /// Call only the functions that the snippet itself calls.
    #[arg(long)]
    no_drive: bool,
    /// Do not inject values for this kind of failure (repeatable).
    #[arg(long, value_enum, value_name = "KIND")]
    no_inject: Vec<NoInject>,
    /// File to use as standard input of the program (default: that of `surmise`, unless it is a terminal).
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Description of standard input, in English or Japanese, as text or as a file that contains it; `code` takes what
    /// the program itself reads. The program runs under inputs that fit it, and the report says which input an error
    /// depends on.
    #[arg(long, value_name = "TEXT|FILE", conflicts_with_all = ["stdin", "plain", "script", "recorded"])]
    stdin_description: Option<String>,
    /// With --stdin-description: number of inputs under which the program runs. They count as runs.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000), requires = "stdin_description")]
    stdin_samples: u32,
    /// Behave like `python FILE`: live streams, the program's own exit code, no report and no sandbox. Nothing is
    /// injected unless --predictor is given.
    #[arg(long, conflicts_with_all = ["json", "html", "script", "show", "sandbox", "allow_read", "memory", "max_output"])]
    plain: bool,
    /// Print the report as JSON (schema surmise.run/1).
    #[arg(long)]
    json: bool,
    /// Write the report as one self-contained HTML page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a plain Python file that reproduces the best run: definitions of what was missing, followed by the
    /// unchanged snippet. Needs LibCST (`pip install libcst`).
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Print this instead of running the snippet.
    #[arg(long, value_enum, value_name = "WHAT")]
    show: Option<Show>,
    #[command(flatten)]
    advising: super::llm::Advising,
    #[command(flatten)]
    pub(super) surroundings: surroundings::Options,
    #[command(flatten)]
    pub(super) confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
Examples:
  surmise run snippet.py                              the annotated source, errors and coverage
  surmise run --function Class.method module.py       one function, with injected arguments
  surmise run --runs 1 --predictor naive snippet.py   a single run, without the model
  surmise run --script out.py snippet.py              also a plain Python file of the best run
  surmise run --plain program.py -- --verbose         as `python program.py --verbose`
  echo 'print(x + 1)' | surmise run -                 from standard input

Exit codes: 0 completed; 1 the snippet raised; 2 bad usage or unreadable input; 3 timeout or limit; 4 the sandbox could \
not be set up; 70 an internal error of Surmise. With --plain the exit code is the program's own.";

impl Arguments {
    fn settings(&self, environment: Option<Arc<Environment>>) -> Settings {
        let default = match (self.plain, &self.model.model) {
            (true, _) => PredictorChoice::None,
            (false, Some(_)) => PredictorChoice::Model,
            (false, None) if self.recorded.is_some() => PredictorChoice::Recorded,
            (false, None) => PredictorChoice::default(),
        };
        Settings {
            predictor: self.predictor.unwrap_or(default),
            model: None,
            recorded: None,
            observed: None,
            values: self.values.concretization(),
            seed: self.seed,
            timeout: Duration::from_secs_f64(self.timeout),
            python_path: self.surroundings.python_path.clone(),
            environment,
            in_place: !self.surroundings.alone && !self.plain && !self.body,
            inject_io: !self.no_inject.contains(&NoInject::Io),
            whole_input: self.stdin_description.is_some(),
            start: None,
            inject_imports: !self.no_inject.contains(&NoInject::Imports),
            args: self.args.clone(),
            function: self.function.clone().filter(|_| !self.body),
            runs: self.runs,
            time: Duration::from_secs_f64(self.time),
            harness_calls: !self.no_drive,
            probes: true,
            record: self.script.is_some(),
            candidates: false,
            parts: false,
            drawing: None,
        }
    }

    /// Rejects paths that do not exist, because a mistyped path would otherwise show up as missing values.
    fn check_paths(&self) -> Result<(), Refusal> {
        if let Some(path) = self.stdin.as_ref().filter(|path| path.as_os_str() != "-") {
            let is_folder = || std::io::Error::from(std::io::ErrorKind::IsADirectory);
            let opened = if path.is_dir() { Err(is_folder()) } else { std::fs::File::open(path) };
            let hint = "give a file that can be read as standard input of the program";
            opened.map_err(|error| Refusal::new(format!("cannot read `{}`: {error}", path.display()), hint))?;
        }
        self.confinement.check(&self.surroundings.python_path)
    }

    /// The folder or file that decides which environment is used.
    fn start(&self) -> &Path {
        if self.file.as_os_str() == "-" { Path::new(".") } else { &self.file }
    }

    fn zygote(&self, environment: Option<&Environment>, session: &mut Session) -> Result<Leased, ClientError> {
        let file = std::slice::from_ref(&self.file);
        let paths = if self.file.as_os_str() == "-" { &[] } else { file };
        let readable = self.surroundings.readable(environment);
        let folders = self.surroundings.folders(paths);
        let program = sandbox::Program { paths, folders: &folders, readable: &readable, timeout: self.timeout };
        session.lease(&self.confinement, &program)
    }

    fn stdin(&self) -> Option<&Path> {
        match &self.stdin {
            Some(path) => Some(path),
            None if self.file.as_os_str() != "-" && !std::io::stdin().is_terminal() => Some(Path::new("-")),
            None => None,
        }
    }
}

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    if arguments.plain || arguments.show.is_some() {
        return unguided(arguments);
    }
    for path in arguments.html.iter().chain(&arguments.script) {
        check_writable(path)?;
    }
    let report = guided::report(arguments, None, &mut Session::default())?;
    present(&report, arguments)
}

/// Runs or shows the program without a sandbox and a report.
fn unguided(arguments: &Arguments) -> Result<Status, Refusal> {
    let source = match source::read(&arguments.file) {
        Err(SourceError::Binary(_) | SourceError::Undecodable { .. } | SourceError::UnknownEncoding { .. })
            if arguments.plain =>
        {
            return plain_file(&arguments.file, &arguments.settings(None));
        }
        read => read.map_err(|error| Refusal::new(&error, error.hint()))?,
    };
    let prepared = guided::prepare(arguments, source, None)?;
    if arguments.plain {
        return plain(prepared.plan, &prepared.source, &prepared.settings);
    }
    show(prepared.plan, &prepared.source)
}

fn show(plan: Result<Plan, surmise_instrument::Error>, source: &Source) -> Result<Status, Refusal> {
    let plan = plan.map_err(|error| Refusal::bare(format!("`{}` {error}", source.name)).with(Exit::Found))?;
    printer::data(&plan.instrumented.text);
    Ok(Exit::Success.into())
}

fn present(report: &Report, arguments: &Arguments) -> Result<Status, Refusal> {
    if let Some(path) = &arguments.html {
        write(path, html::render(report))?;
    }
    if arguments.json {
        let text = json::render(report).map_err(|error| Refusal::bare(error).with(Exit::Internal))?;
        printer::data(&(text + "\n"));
    } else {
        printer::data(&terminal::render(report, printer::style()));
    }
    if let Some(message) = &report.internal {
        return Err(Refusal::new(message, "this is a fault of Surmise, not of the snippet").with(Exit::Internal));
    }
    let exit = match report.outcome {
        Outcome::Completed => Exit::Success,
        Outcome::Error | Outcome::SyntaxError => Exit::Found,
        Outcome::Timeout | Outcome::Killed => Exit::Killed,
    };
    Ok(exit.into())
}

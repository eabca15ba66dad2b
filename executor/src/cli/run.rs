//! `surmise run`.

mod plain;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use surmise_instrument::extract;
use surmise_value_model::classes::Concretization;

use self::plain::{plain, plain_file};
use super::script::write_script;
use super::{printer, sandbox};
use crate::client::{ClientError, Zygote};
use crate::execute::Outcome;
use crate::exit::Exit;
use crate::plan::{Plan, PredictorChoice, Settings};
use crate::report::{Report, html, json, terminal};
use crate::script;
use crate::search::search;
use crate::source::{self, Source, SourceError};
use crate::stdin::Input;

/// How classes become values.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Values {
    /// 22 classes, one value each (`LExecutor`, Table 1).
    Fine,
    /// 12 classes, one value each (Table 2).
    Coarse,
    /// 12 classes, a random value of the class.
    CoarseRandom,
}

/// What `--show` shows.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Show {
    /// The rewritten source, as it runs.
    Instrumented,
}

/// What `--no-inject` turns off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NoInject {
    /// Answers to failing input and output: `input()` at its end, missing files, the network.
    Io,
    /// Imports of the standard library that were left out: such names get predicted values, too.
    Imports,
}

/// Run a snippet: values that are missing are predicted and injected, the rest is real.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct Arguments {
    /// Python file to run; `-` reads standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Arguments of the program (`sys.argv[1:]`); put `--` before those that start with a dash.
    #[arg(value_name = "ARGS", trailing_var_arg = true)]
    args: Vec<String>,
    /// Run this function (`name`, `Class.method`) with injected arguments instead of the whole file.
    #[arg(long, value_name = "QUALNAME")]
    function: Option<String>,
    /// With --function: run the bare body as a script, `return` as `exit`, as `LExecutor` does.
    #[arg(long, requires = "function")]
    body: bool,
    /// Who predicts missing values.
    #[arg(long, value_enum)]
    predictor: Option<PredictorChoice>,
    #[command(flatten)]
    model: super::model::Options,
    /// How predicted classes become values.
    #[arg(long, value_enum, default_value = "fine")]
    values: Values,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Wall-clock limit of a run, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,
    /// Runs at most: each changes what an earlier one injected, to reach what none has reached. 1 is a single guided run.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Wall-clock limit of all runs together, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    time: f64,
    /// Call functions and methods that were defined and never called, with predicted arguments (the default). With
    /// --runs 1 they are called after the module, in the same run, each for half a second at most.
    #[arg(long, overrides_with = "no_drive")]
    drive: bool,
    /// Call only what the snippet calls.
    #[arg(long)]
    no_drive: bool,
    /// Directory with real packages to import (repeatable).
    #[arg(long, value_name = "DIR")]
    python_path: Vec<PathBuf>,
    /// Leave failures of this kind alone.
    #[arg(long, value_enum)]
    no_inject: Vec<NoInject>,
    /// Standard input of the program; a pipe is taken without it.
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Behave like `python FILE`: live streams, the program's own exit code, no report, no sandbox, nothing injected
    /// unless --predictor is given.
    #[arg(long, conflicts_with_all = ["json", "html", "script", "show", "sandbox", "allow_read", "memory", "max_output"])]
    plain: bool,
    /// Print the report as JSON (schema surmise.run/1).
    #[arg(long)]
    json: bool,
    /// Write the report as one self-contained HTML page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a plain Python file that makes the best run happen again: definitions of what was missing, then the
    /// snippet as it is. Needs `libcst` (`pip install libcst`).
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Show this instead of running.
    #[arg(long, value_enum)]
    show: Option<Show>,
    #[command(flatten)]
    confinement: sandbox::Options,
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value > 0.0 && value <= 86_400.0 { Ok(value) } else { Err("must be above 0 and at most 86400".to_owned()) }
}

impl Arguments {
    fn settings(&self) -> Settings {
        let default = match (self.plain, &self.model.model) {
            (true, _) => PredictorChoice::None,
            (false, Some(_)) => PredictorChoice::Model,
            (false, None) => PredictorChoice::default(),
        };
        Settings {
            predictor: self.predictor.unwrap_or(default),
            model: None,
            values: match self.values {
                Values::Fine => Concretization::Fine,
                Values::Coarse => Concretization::Coarse,
                Values::CoarseRandom => Concretization::CoarseRandom,
            },
            seed: self.seed,
            timeout: Duration::from_secs_f64(self.timeout),
            python_path: self.python_path.clone(),
            inject_io: !self.no_inject.contains(&NoInject::Io),
            inject_imports: !self.no_inject.contains(&NoInject::Imports),
            args: self.args.clone(),
            function: self.function.clone().filter(|_| !self.body),
            runs: self.runs,
            time: Duration::from_secs_f64(self.time),
            drive: !self.no_drive,
            probes: true,
            record: self.script.is_some(),
            paired: None,
        }
    }

    /// A mistyped path must not turn into missing values.
    fn check_paths(&self) -> Result<(), (String, &'static str)> {
        if let Some(path) = self.stdin.as_ref().filter(|path| path.as_os_str() != "-") {
            let failed = |error| {
                let hint = "give a file that can be read as standard input of the program";
                (format!("cannot read `{}`: {error}", path.display()), hint)
            };
            if path.is_dir() {
                return Err(failed(std::io::Error::from(std::io::ErrorKind::IsADirectory)));
            }
            std::fs::File::open(path).map_err(failed)?;
        }
        match self.python_path.iter().find(|path| !path.is_dir()) {
            Some(path) => {
                let hint = "--python-path takes a folder with packages, such as a virtual environment's site-packages";
                Err((format!("`{}` is not a directory", path.display()), hint))
            }
            None => self.confinement.check(),
        }
    }

    fn start_zygote(&self) -> Result<Zygote, ClientError> {
        let file = std::slice::from_ref(&self.file);
        let paths = if self.file.as_os_str() == "-" { &[] } else { file };
        self.confinement.start(&sandbox::Program { paths, python_path: &self.python_path, timeout: self.timeout })
    }

    fn stdin(&self) -> Option<&Path> {
        match &self.stdin {
            Some(path) => Some(path),
            None if self.file.as_os_str() != "-" && !std::io::stdin().is_terminal() => Some(Path::new("-")),
            None => None,
        }
    }
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    // The zygote comes up while the source is read and rewritten.
    let zygote = if arguments.plain || arguments.show.is_some() { None } else { Some(arguments.start_zygote()) };
    // LibCST is found, or missed, while the snippet runs.
    let writer = arguments.script.as_ref().filter(|_| arguments.show.is_none()).map(|_| script::Writer::start());
    let source = match source::read(&arguments.file) {
        Ok(source) => source,
        Err(SourceError::Binary(_) | SourceError::Undecodable { .. } | SourceError::UnknownEncoding { .. })
            if arguments.plain =>
        {
            return plain_file(&arguments.file, &arguments.settings());
        }
        Err(error) => {
            printer::error(&error.to_string(), Some(error.hint()));
            return Exit::Usage.into();
        }
    };
    if let Err((message, hint)) = arguments.check_paths() {
        printer::error(&message, Some(hint));
        return Exit::Usage.into();
    }
    let source = match extracted(source, arguments) {
        Ok(source) => source,
        Err(error) => {
            let hint = match error.nearest.as_slice() {
                [] => "the file defines no function".to_owned(),
                names => format!("did you mean `{}`?", names.join("`, `")),
            };
            printer::error(&error.to_string(), Some(&hint));
            return Exit::Usage.into();
        }
    };
    let mut settings = arguments.settings();
    match arguments.model.open_cached() {
        Ok(model) => settings.model = model,
        Err(exit) => return exit.into(),
    }
    if let Some(name) = &mut settings.function {
        *name = full_name(&source.text, name);
    }
    let plan = Plan::new(source.clone(), &settings);
    if arguments.plain {
        return plain(plan, &source, &settings);
    }
    if arguments.show.is_some() {
        return show(plan, &source);
    }
    let report = match plan {
        Ok(plan) => match zygote.unwrap_or_else(|| arguments.start_zygote()) {
            Ok(zygote) => guided(zygote, plan, &settings, arguments),
            Err(error) => Err(error),
        },
        Err(surmise_instrument::Error::Syntax { line, message }) => {
            Ok(Report::of_syntax_error(&source.name, &source.text, line, &message))
        }
        Err(error @ surmise_instrument::Error::TooLarge(_)) => {
            printer::error(&error.to_string(), None);
            return Exit::Usage.into();
        }
    };
    match report {
        Ok(mut report) => {
            if let (Some(writer), Some(path)) = (writer, &arguments.script) {
                // Byte for byte as it is on disk, unless the snippet is a part of it or came through a pipe.
                let whole = arguments.function.is_none() && arguments.file.as_os_str() != "-";
                let file = whole.then_some(arguments.file.as_path());
                if let Err(exit) = write_script(writer, path, file, &arguments.python_path, &mut report) {
                    return exit.into();
                }
            }
            present(&report, arguments)
        }
        Err(error) => {
            printer::error(&error.to_string(), Some(error.hint()));
            error.exit().into()
        }
    }
}

fn extracted(source: Source, arguments: &Arguments) -> Result<Source, extract::NotFound> {
    let Some(name) = &arguments.function else {
        return Ok(source);
    };
    let text = if arguments.body { extract::body(&source.text, name) } else { extract::in_place(&source.text, name) }?;
    Ok(Source { text, ..source })
}

/// `method` of `Class.method`, where only the last part was given.
fn full_name(text: &str, name: &str) -> String {
    let functions = extract::qualnames(text);
    let exact = functions.iter().any(|function| function.qualname == name);
    let suffix = format!(".{name}");
    let longer = functions.into_iter().find(|function| !exact && function.qualname.ends_with(&suffix));
    longer.map_or_else(|| name.to_owned(), |function| function.qualname)
}

fn guided(mut zygote: Zygote, plan: Plan, settings: &Settings, arguments: &Arguments) -> Result<Report, ClientError> {
    zygote.wait_until_ready()?;
    arguments.confinement.warn(&zygote);
    let mut input = Input::open(arguments.stdin()).map_err(ClientError::Setup)?;
    search(&mut zygote, plan, settings, &mut input)
}

fn show(plan: Result<Plan, surmise_instrument::Error>, source: &Source) -> ExitCode {
    match plan {
        Ok(plan) => {
            printer::data(&plan.instrumented.text);
            Exit::Success.into()
        }
        Err(error) => {
            printer::error(&format!("`{}` {error}", source.name), None);
            Exit::Found.into()
        }
    }
}

fn present(report: &Report, arguments: &Arguments) -> ExitCode {
    if let Some(path) = &arguments.html
        && let Err(error) = write_whole(path, &html::render(report))
    {
        printer::error(&format!("cannot write `{}`: {error}", path.display()), None);
        return Exit::Usage.into();
    }
    if arguments.json {
        match json::render(report) {
            Ok(text) => printer::data(&(text + "\n")),
            Err(error) => {
                printer::error(&error.to_string(), None);
                return Exit::Internal.into();
            }
        }
    } else {
        printer::data(&terminal::render(report, printer::style()));
    }
    if let Some(message) = &report.internal {
        printer::error(message, Some("this is a fault of Surmise, not of the snippet"));
        return Exit::Internal.into();
    }
    match report.outcome {
        Outcome::Completed => Exit::Success,
        Outcome::Error | Outcome::SyntaxError => Exit::Found,
        Outcome::Timeout | Outcome::Killed => Exit::Killed,
    }
    .into()
}

/// Writes a file so that it is there whole or not at all.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
    std::fs::write(&temporary, text)?;
    std::fs::rename(&temporary, path).inspect_err(|_| {
        let _leave_nothing = std::fs::remove_file(&temporary);
    })
}

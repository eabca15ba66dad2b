//! `surmise trace`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::printer::{self, plural};
use super::trace_info;
use crate::exit::Exit;
use crate::trace::error::TraceError;
use crate::trace::merge;
use crate::trace::record::{self, Recorded, Request, describe_failed, record};
use crate::trace::summary::Summary;

/// Files left out that are named one by one.
const NAMED: usize = 5;

const EXAMPLES: &str = "\
Examples:
  surmise trace -o flask.trace --package flask -- pytest tests
  surmise trace -o flask.trace --package flask --python .venv/bin/python -- python -m unittest
  surmise trace -o app.trace --package app --exclude 'app/vendor/*' --no-literals -- make test
  surmise trace info flask.trace app.trace
  surmise trace merge -o all.trace flask.trace app.trace
  surmise trace recover flask.trace

The command runs as always: same output, same exit code. The folder then holds `sites.parquet` (one row a place that \
ran), `files.parquet` and `trace.json`, without source text; docs/trace-format.md describes them.

Exit codes: the command's own. If that is 0: 2 when a package was never imported, 70 when the recording could not be \
written. 2 before the command is started: bad usage, the wrong Python, an output folder that is taken.";

/// Run a command and record what values the modules of the named packages use.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    record: Option<Record>,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Show what is in recordings.
    Info(trace_info::Arguments),
    /// Make one recording of several; a file that is in more than one is joined.
    Merge(Merge),
    /// Write the recording of a run that was killed, or whose end could not be written.
    Recover(Recover),
}

#[derive(Args, Debug)]
struct Merge {
    /// Folder for the recording; made if it is missing.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Recordings to merge.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Write over the recording that the folder holds.
    #[arg(long)]
    replace: bool,
    /// Print `trace.json` to standard output at the end (schema surmise.trace/1).
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct Recover {
    /// The folder that was to become the recording.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print `trace.json` to standard output at the end (schema surmise.trace/1).
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct Record {
    /// Folder for the recording; made if it is missing.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Package or module to record, as it is imported (repeatable).
    #[arg(long = "package", value_name = "NAME", required = true)]
    packages: Vec<String>,
    /// Leave these files alone (repeatable): a glob of whole paths, or of their ends.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Interpreter or virtual environment that the command means; without it the one it names, the active one, or
    /// `python3`.
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
    /// Keep no values, only classes, types and counts.
    #[arg(long)]
    no_literals: bool,
    /// Record which lines of these functions run, for each test: a glob of `module.function` names (repeatable).
    #[arg(long, value_name = "GLOB")]
    lines: Vec<String>,
    /// Name of the project in the tables; without it that of the first package.
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Write over the recording that the folder holds.
    #[arg(long)]
    replace: bool,
    /// Print `trace.json` to standard output at the end (schema surmise.trace/1).
    #[arg(long)]
    json: bool,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Runs the command.
pub(super) fn run(arguments: Arguments) -> ExitCode {
    match (arguments.action, arguments.record) {
        (Some(Action::Info(arguments)), _) => trace_info::run(&arguments),
        (Some(Action::Merge(arguments)), _) => merge(&arguments),
        (Some(Action::Recover(arguments)), _) => recover(&arguments),
        (None, Some(arguments)) => trace(arguments),
        (None, None) => Exit::Usage.into(),
    }
}

fn merge(arguments: &Merge) -> ExitCode {
    match merge::merge(&arguments.folders, &arguments.output, arguments.replace) {
        Ok(summary) => {
            tell(
                &format!("merged {}:", plural(arguments.folders.len() as u64, "recording")),
                &summary,
                &arguments.output,
            );
            print_json(&summary, arguments.json);
            Exit::Success.into()
        }
        Err(error) => refuse(&error),
    }
}

fn recover(arguments: &Recover) -> ExitCode {
    match record::recover(&arguments.folder) {
        Ok((summary, failed)) => {
            for problem in &summary.damaged {
                printer::warning(&format!("damaged: {problem}"));
            }
            tell("recovered", &summary, &arguments.folder);
            print_json(&summary, arguments.json);
            if failed.is_empty() { Exit::Success.into() } else { Exit::Internal.into() }
        }
        Err(error) => refuse(&error),
    }
}

fn trace(arguments: Record) -> ExitCode {
    let json = arguments.json;
    let request = Request {
        folder: arguments.output,
        packages: arguments.packages,
        exclude: arguments.exclude,
        python: arguments.python,
        literals: !arguments.no_literals,
        lines: arguments.lines,
        project: arguments.project,
        replace: arguments.replace,
        command: arguments.command,
    };
    match record(&request) {
        Ok(recorded) => present(&recorded, json),
        Err(error) => refuse(&error),
    }
}

fn refuse(error: &TraceError) -> ExitCode {
    printer::error(&error.to_string(), error.hint().as_deref());
    Exit::Usage.into()
}

/// Says what was recorded; the command's own failure comes first.
fn present(recorded: &Recorded, json: bool) -> ExitCode {
    let mut exit = Exit::Success;
    for (message, count) in &recorded.failures {
        printer::warning(&format!("the recorder did not start in {}: {message}", plural(*count as u64, "process")));
    }
    match &recorded.written {
        Ok(summary) => {
            warn(recorded, summary);
            if let Some(leftover) = &recorded.leftover {
                printer::warning(&leftover.to_string());
            }
            tell("recorded", summary, &recorded.folder);
            print_json(summary, json);
        }
        Err(error) => {
            let kept = format!("once that is mended, `surmise trace recover {}` writes it", recorded.folder.display());
            printer::error(&error.to_string(), error.hint().or(Some(kept)).as_deref());
            exit = Exit::Internal;
        }
    }
    for absent in &recorded.absent {
        printer::error(&absent.to_string(), Some(&absent.hint(&recorded.interpreter)));
        exit = Exit::Usage;
    }
    if !recorded.failed.is_empty() {
        let hint = format!("make room where `{}` lies and record again", recorded.folder.display());
        printer::error(&describe_failed(&recorded.failed), Some(&hint));
        exit = Exit::Internal;
    }
    match recorded.code {
        0 => exit.into(),
        code => ExitCode::from(code as u8),
    }
}

fn print_json(summary: &Summary, wanted: bool) {
    if wanted && let Ok(text) = serde_json::to_string_pretty(summary) {
        printer::data(&(text + "\n"));
    }
}

fn warn(recorded: &Recorded, summary: &Summary) {
    let left_out = &summary.files_left_out;
    for file in left_out.iter().take(NAMED) {
        printer::warning(&format!("`{}` is not recorded: {}", file.path, file.reason));
    }
    if left_out.len() > NAMED {
        let more = plural((left_out.len() - NAMED) as u64, "more file");
        printer::warning(&format!("{more} not recorded; `trace.json` names them"));
    }
    // What concerns processes that could not write is said as an error.
    let lost = describe_failed(&recorded.failed);
    for problem in summary.damaged.iter().filter(|problem| recorded.failed.is_empty() || **problem != lost) {
        printer::warning(&format!("damaged: {problem}"));
    }
}

fn tell(what: &str, summary: &Summary, folder: &Path) {
    printer::note(&format!(
        "{what} {} of {} ({}, {}) in {}",
        plural(summary.sites_hit, "site"),
        plural(summary.files, "file"),
        plural(summary.events, "event"),
        plural(summary.processes, "process"),
        folder.display()
    ));
}

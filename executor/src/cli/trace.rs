//! `surmise trace`: runs a command, records which values it uses, and manages recordings.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::printer::{self, plural};
use super::refusal::Refusal;
use super::trace_info;
use surmise_engine::exit::{Exit, Status};
use surmise_trace::merge;
use surmise_trace::record::{self, Recorded, Request, describe_failed, record};
use surmise_trace::summary::Summary;

/// How many files that could not be recorded are named one by one.
const NAMED: usize = 5;

const EXAMPLES: &str = "\
Examples:
  surmise trace -o flask.trace --package flask -- pytest tests
  surmise trace -o flask.trace --package flask --python .venv/bin/python -- python -m unittest
  surmise trace -o app.trace --package app --exclude 'app/vendor/*' --no-literals -- make test
  surmise trace info flask.trace app.trace
  surmise trace merge -o all.trace flask.trace app.trace
  surmise trace recover flask.trace

The command runs as usual, with the same output and exit code. Afterwards the folder has `sites.parquet` (one row for \
each place that ran), `files.parquet` and `trace.json`, without source text; docs/trace-format.md describes them.

The exit code is that of the command. If that is 0, it becomes 2 if a package was never imported, and 70 if the \
recording could not be written. It is 2 if the command was not started: bad usage, the wrong Python, an output folder \
that is in use.";

/// Run a command and record which values the modules of the named packages use.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    request: Option<Request>,
    /// Print `trace.json` to standard output at the end (schema surmise.trace/1).
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Show what recordings contain.
    Info(trace_info::Arguments),
    /// Merge several recordings into one; what they have on the same file is added up.
    Merge(Merge),
    /// Write the recording of a run that was killed, or whose tables could not be written.
    Recover(Recover),
}

#[derive(Args, Debug)]
struct Merge {
    /// Folder for the merged recording; created if it does not exist.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Recordings to merge.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    #[arg(long)]
    replace: bool,
    /// Print `trace.json` to standard output at the end (schema surmise.trace/1).
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct Recover {
    /// Folder of the interrupted recording.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print `trace.json` to standard output at the end (schema surmise.trace/1).
    #[arg(long)]
    json: bool,
}

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: Arguments) -> Result<Status, Refusal> {
    match (arguments.action, arguments.request) {
        (Some(Action::Info(arguments)), _) => trace_info::run(&arguments),
        (Some(Action::Merge(arguments)), _) => merge(&arguments),
        (Some(Action::Recover(arguments)), _) => recover(&arguments),
        (None, Some(request)) => Ok(present(&record(&request)?, arguments.json)),
        (None, None) => Ok(Exit::Usage.into()),
    }
}

fn merge(arguments: &Merge) -> Result<Status, Refusal> {
    let summary = merge::merge(&arguments.folders, &arguments.output, arguments.replace)?;
    let merged = format!("merged {}:", plural(arguments.folders.len() as u64, "recording"));
    summarize(&merged, &summary, &arguments.output);
    print_json(&summary, arguments.json);
    Ok(Exit::Success.into())
}

fn recover(arguments: &Recover) -> Result<Status, Refusal> {
    let (summary, failed) = record::recover(&arguments.folder)?;
    for problem in &summary.damaged {
        printer::warning(&format!("damaged: {problem}"));
    }
    summarize("recovered", &summary, &arguments.folder);
    print_json(&summary, arguments.json);
    Ok(if failed.is_empty() { Exit::Success } else { Exit::Internal }.into())
}

/// Reports what was recorded; the exit code of the recorded command comes before our own.
fn present(recorded: &Recorded, json: bool) -> Status {
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
            summarize("recorded", summary, &recorded.folder);
            print_json(summary, json);
        }
        Err(error) => {
            let kept = format!(
                "remove the cause, then `surmise trace recover {}` writes the recording",
                recorded.folder.display()
            );
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
        code => Status::from(code as u8),
    }
}

fn print_json(summary: &Summary, wanted: bool) {
    if wanted && let Ok(text) = serde_json::to_string_pretty(summary) {
        printer::data(&(text + "\n"));
    }
}

fn warn(recorded: &Recorded, summary: &Summary) {
    let skipped = &summary.files_left_out;
    for file in skipped.iter().take(NAMED) {
        printer::warning(&format!("`{}` is not recorded: {}", file.path, file.reason));
    }
    if skipped.len() > NAMED {
        let more = plural((skipped.len() - NAMED) as u64, "more file");
        printer::warning(&format!("{more} not recorded; `trace.json` names them"));
    }
    // The problem of processes that could not write is reported as an error instead.
    let lost = describe_failed(&recorded.failed);
    for problem in summary.damaged.iter().filter(|problem| recorded.failed.is_empty() || **problem != lost) {
        printer::warning(&format!("damaged: {problem}"));
    }
}

fn summarize(done: &str, summary: &Summary, folder: &Path) {
    printer::note(&format!(
        "{done} {} of {} ({}, {}) in {}",
        plural(summary.sites_hit, "site"),
        plural(summary.files, "file"),
        plural(summary.events, "event"),
        plural(summary.processes, "process"),
        folder.display()
    ));
}

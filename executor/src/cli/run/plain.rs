//! `surmise run --plain`: the program by itself, without a report.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use crate::cli::refusal::Refusal;
use surmise_engine::client::run_plain;
use surmise_engine::exit::{Exit, Status};
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::protocol::Program;
use surmise_engine::source::Source;

/// Lets CPython read the file itself, so that its own message appears for what it cannot decode or parse.
pub(super) fn plain_file(path: &Path, settings: &Settings) -> Result<Status, Refusal> {
    let source = Source { name: path.display().to_string(), path: Some(path.to_owned()), text: String::new() };
    let plan = Plan::new(source, settings).map_err(|error| Refusal::bare(error).with(Exit::Internal))?;
    run_program(&plan.plain_program(settings))
}

/// Runs the program as `python FILE` would, and returns its exit code.
pub(super) fn plain(
    plan: Result<Plan, surmise_instrument::Error>,
    source: &Source,
    settings: &Settings,
) -> Result<Status, Refusal> {
    match (plan, &source.path) {
        (Ok(plan), _) => run_program(&plan.plain_program(settings)),
        (Err(surmise_instrument::Error::Syntax { .. }), Some(path)) => plain_file(path, settings),
        (Err(surmise_instrument::Error::Syntax { .. }), None) => {
            let hint = "drop --plain to run what can be run of it";
            Err(Refusal::new("the source does not parse", hint).with(Exit::Found))
        }
        (Err(error), _) => Err(Refusal::bare(error)),
    }
}

fn run_program(program: &Program) -> Result<Status, Refusal> {
    let status = run_plain(program).map_err(|error| Refusal::bare(error).with(Exit::Internal))?;
    if let Some(signal) = status.signal() {
        die_of(signal);
    }
    Ok(Status::from(status.code().unwrap_or(70) as u8))
}

/// Ends this process by the signal that ended the program, so that a shell sees the same status.
fn die_of(signal: i32) {
    // SAFETY: restores the default action and signals ourselves.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

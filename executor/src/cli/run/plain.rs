//! `surmise run --plain`: the program alone, without a report.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitCode;

use crate::cli::printer;
use surmise_engine::client::run_plain;
use surmise_engine::exit::Exit;
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::protocol::Program;
use surmise_engine::source::Source;

/// Lets CPython read the file itself, so that its own message appears for what it cannot decode or parse.
pub(super) fn plain_file(path: &Path, settings: &Settings) -> ExitCode {
    let source = Source { name: path.display().to_string(), path: Some(path.to_owned()), text: String::new() };
    match Plan::new(source, settings) {
        Ok(plan) => run_program(&plan.plain_program(settings)),
        Err(error) => {
            printer::error(&error.to_string(), None);
            Exit::Internal.into()
        }
    }
}

/// Runs the program as `python FILE` would, and returns its exit code.
pub(super) fn plain(plan: Result<Plan, surmise_instrument::Error>, source: &Source, settings: &Settings) -> ExitCode {
    match plan {
        Ok(plan) => run_program(&plan.plain_program(settings)),
        Err(surmise_instrument::Error::Syntax { .. }) => {
            if let Some(path) = &source.path {
                plain_file(path, settings)
            } else {
                printer::error("the source does not parse", Some("drop --plain to run what can be run of it"));
                Exit::Found.into()
            }
        }
        Err(error) => {
            printer::error(&error.to_string(), None);
            Exit::Usage.into()
        }
    }
}

fn run_program(program: &Program) -> ExitCode {
    match run_plain(program) {
        Ok(status) => {
            if let Some(signal) = status.signal() {
                die_of(signal);
            }
            ExitCode::from(status.code().unwrap_or(70) as u8)
        }
        Err(error) => {
            printer::error(&error.to_string(), None);
            Exit::Internal.into()
        }
    }
}

/// Ends this process by the signal that ended the program, so that a shell sees the same status.
fn die_of(signal: i32) {
    // SAFETY: restores the default action and signals ourselves.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

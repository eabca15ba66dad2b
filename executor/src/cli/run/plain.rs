//! `surmise run --plain`: the program alone, without a report.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitCode;

use crate::cli::printer;
use crate::client::run_plain;
use crate::exit::Exit;
use crate::plan::{Plan, Settings, Trial};
use crate::protocol::Job;
use crate::source::Source;

/// CPython reads the file itself: it gives its own message for what it cannot decode or parse.
pub(super) fn plain_file(path: &Path, settings: &Settings) -> ExitCode {
    let source = Source { name: path.display().to_string(), path: Some(path.to_owned()), text: String::new() };
    match Plan::new(source, settings) {
        Ok(plan) => run_job(&plan.job(settings, &Trial::default(), true)),
        Err(error) => {
            printer::error(&error.to_string(), None);
            Exit::Internal.into()
        }
    }
}

/// Runs the program as Python would, and ends with its exit code.
pub(super) fn plain(plan: Result<Plan, surmise_instrument::Error>, source: &Source, settings: &Settings) -> ExitCode {
    match plan {
        Ok(plan) => run_job(&plan.job(settings, &Trial::default(), true)),
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

fn run_job(job: &Job) -> ExitCode {
    match run_plain(job) {
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

/// Ends as the program did, so that a shell sees the same.
fn die_of(signal: i32) {
    // SAFETY: restores the default action and signals ourselves.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

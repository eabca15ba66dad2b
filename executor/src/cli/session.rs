//! Worker processes that stay for the next program, for callers that run many: the Python package, servers.

use std::ffi::OsString;

use clap::Parser;
use serde::Serialize;
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::source::Source;
use surmise_engine::stop::Stop;
use surmise_engine::zygote::sandbox::Sandbox;
use surmise_report::Report;
use surmise_value_model::Class;

use super::refusal::Refusal;
use super::run::{self, guided};
use super::sandbox;

/// Sandboxes for which a worker process is kept.
const KEPT: usize = 4;

/// Keeps worker processes from one program to the next. They end with the session, and with the thread that made them.
#[derive(Debug, Default)]
pub struct Session {
    /// The one used last comes last.
    kept: Vec<Leased>,
    /// Ends the runs at hand once it is asked for.
    pub(super) stop: Option<Stop>,
}

/// A worker process and the sandbox that it closed.
#[derive(Debug)]
pub(super) struct Leased {
    sandbox: Sandbox,
    kept_output: usize,
    is_ready: bool,
    pub(super) zygote: Zygote,
}

impl Leased {
    /// Waits until the sandbox is closed, and warns of what this machine refuses of it.
    pub(super) fn wait_until_ready(&mut self, options: &sandbox::Options) -> Result<(), ClientError> {
        if !self.is_ready {
            self.zygote.wait_until_ready()?;
            options.warn(&self.zygote);
            self.is_ready = true;
        }
        Ok(())
    }
}

/// A place in a program where a value is read, and what the predictor expects there.
#[derive(Clone, Debug, Serialize)]
pub struct Ranked {
    /// Line of the name, from 1.
    pub line: u32,
    /// Column of the name in characters, from 0.
    pub column: u32,
    /// `variable`, `attribute` or `return value`.
    pub kind: &'static str,
    /// The name that is read, the attribute's, or the callee's.
    pub name: String,
    /// Classes of values with their probabilities, the likeliest first.
    pub classes: Vec<(Class, f32)>,
}

#[derive(Parser, Debug)]
#[command(name = "surmise run", no_binary_name = true)]
struct Line {
    #[command(flatten)]
    arguments: run::Arguments,
}

impl Session {
    /// Runs a program as `surmise run` with these arguments would: the file that they name, or the source in its place.
    ///
    /// # Errors
    /// Where the command would end without a report.
    pub fn run(&mut self, arguments: &[OsString], given: Option<Source>) -> Result<Report, Refusal> {
        guided::report(&Self::parsed(arguments)?, given, self)
    }

    /// Arguments of `surmise run`, for callers that change some of them.
    ///
    /// # Errors
    /// Where the command would refuse them.
    pub(super) fn parsed(arguments: &[OsString]) -> Result<run::Arguments, Refusal> {
        Ok(Line::try_parse_from(arguments).map_err(|error| Refusal::usage(&error))?.arguments)
    }

    /// What the predictor expects at each place of a program where a value is read, in the order of the source. Nothing
    /// is run. Arguments and source are those of [`Session::run`].
    ///
    /// # Errors
    /// As [`Session::run`]; and when the source does not parse.
    pub fn ranked(arguments: &[OsString], given: Option<Source>) -> Result<Vec<Ranked>, Refusal> {
        guided::ranked(&Self::parsed(arguments)?, given)
    }

    /// A worker process for a program, which is given back if all goes well.
    pub(super) fn lease(
        &mut self,
        options: &sandbox::Options,
        program: &sandbox::Program<'_>,
    ) -> Result<Leased, ClientError> {
        let (sandbox, kept_output) = (options.sandbox(program), options.kept_output());
        let fits = |leased: &Leased| leased.sandbox == sandbox && leased.kept_output == kept_output;
        while let Some(at) = self.kept.iter().position(fits) {
            let mut leased = self.kept.remove(at);
            if leased.zygote.is_alive() {
                leased.zygote.heed(self.stop.clone());
                return Ok(leased);
            }
        }
        let mut zygote = options.start_in(&sandbox)?;
        zygote.heed(self.stop.clone());
        Ok(Leased { sandbox, kept_output, is_ready: false, zygote })
    }

    pub(super) fn give_back(&mut self, leased: Leased) {
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push(leased);
    }

    /// Forgets the worker processes without ending them: in a forked child they are the parent's.
    pub fn abandon(&mut self) {
        self.kept.drain(..).for_each(std::mem::forget);
    }
}

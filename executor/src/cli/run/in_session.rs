//! Runs inside of a session: what `surmise run` does, for callers that run many programs.

use std::ffi::OsString;

use surmise_engine::source::Source;
use surmise_report::Report;

use super::{Arguments, guided};
use crate::cli::refusal::Refusal;
use crate::cli::session::{Ranked, Session};
use crate::cli::{Cli, Command};

impl Session {
    /// Runs a program as `surmise run` with these arguments would, settings of the project included: the file that they
    /// name, or the source in its place.
    ///
    /// # Errors
    /// Where the command would end without a report.
    pub fn run(&mut self, arguments: &[OsString], given: Option<Source>) -> Result<Report, Refusal> {
        guided::report(&Self::parsed(arguments)?, given, self)
    }

    /// Arguments of `surmise run` with the settings of the project, for callers that change some of them.
    ///
    /// # Errors
    /// Where the command would refuse them.
    pub(in crate::cli) fn parsed(arguments: &[OsString]) -> Result<Arguments, Refusal> {
        let line = ["surmise", "run"].map(OsString::from).into_iter().chain(arguments.iter().cloned());
        match crate::cli::parsed(&line.collect::<Vec<_>>())? {
            Ok(Cli { command: Command::Run(arguments), .. }) => Ok(*arguments),
            Ok(_) => unreachable!("the command is `run`"),
            Err(error) => Err(Refusal::usage(&error)),
        }
    }

    /// What the predictor expects at each place of a program where a value is read, in the order of the source. Nothing
    /// is run. Arguments and source are those of [`Session::run`].
    ///
    /// # Errors
    /// As [`Session::run`]; and when the source does not parse.
    pub fn ranked(arguments: &[OsString], given: Option<Source>) -> Result<Vec<Ranked>, Refusal> {
        guided::ranked(&Self::parsed(arguments)?, given)
    }
}

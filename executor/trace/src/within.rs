//! Recording within a process that goes on: the Python package's `trace`, and its plugin for pytest.
//!
//! The process itself is recorded, and the Python processes that it starts, which find the recorder by their environment.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use surmise_recorder::config::VARIABLE;

use super::error::TraceError;
use super::interpreter::Interpreter;
use super::library::{Library, library};
use super::process::Failed;
use super::record::{Begun, Request, begin, check, read_modules, write};
use super::summary::Summary;

/// A recording of this process and its children.
#[derive(Debug)]
pub struct Within {
    begun: Begun,
    /// What children of the process load.
    _library: Library,
    since: Instant,
}

impl Within {
    /// Claims the folder of the request and makes what the recorder needs. The command of the request is what the
    /// recording says that it is of.
    ///
    /// # Errors
    /// If the request names what cannot be recorded, or the folder cannot be used.
    pub fn begin(request: &Request, interpreter: &Interpreter) -> Result<Self, TraceError> {
        check(request)?;
        let words = request.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let library = library()?;
        let begun = begin(request, interpreter, library.path(), words)?;
        Ok(Self { begun, _library: library, since: Instant::now() })
    }

    /// The recorder's configuration, which it is started with.
    pub fn config(&self) -> &Path {
        &self.begun.spool.config
    }

    /// Variables that the environment of children needs, by whom they are recorded: the first names a folder that comes
    /// first on the path of modules, the other the configuration.
    pub fn variables(&self) -> [(&'static str, OsString); 2] {
        let spool = &self.begun.spool;
        [("PYTHONPATH", spool.site.clone().into()), (VARIABLE, spool.config.clone().into())]
    }

    /// Writes the recording, once nobody records any more. Also returns the processes that could not write all, and the
    /// packages that nobody imported.
    ///
    /// # Errors
    /// If it cannot be written; `surmise trace recover` does so later.
    pub fn finish(self) -> Result<(Summary, Vec<Failed>, Vec<String>), TraceError> {
        let Begun { folder, spool, base } = self.begun;
        let seconds = (self.since.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let (modules, problem) = read_modules(&spool)?;
        let is_of = |package: &str, name: &str| {
            name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let unseen = base.packages.iter().filter(|package| !modules.iter().any(|module| is_of(package, &module.name)));
        let unseen = unseen.cloned().collect();
        let (summary, failed) = write(&folder, &spool, modules, problem, Summary { seconds, ..base })?;
        spool.remove()?;
        Ok((summary, failed, unseen))
    }
}

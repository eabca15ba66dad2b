//! A program that is ready to be run for a language model: read, planned, with a worker process.

use std::path::Path;
use std::sync::Arc;

use super::refusal::Refusal;
use super::{sandbox, surroundings};
use surmise_engine::client::Zygote;
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::source;
use surmise_project::Environment;

/// What it takes to run a program.
pub(super) struct Prepared {
    /// The program's name in messages.
    pub(super) name: String,
    /// How it is run.
    pub(super) settings: Settings,
    /// The program.
    pub(super) plan: Plan,
    /// The worker process.
    pub(super) zygote: Zygote,
}

/// Reads a file and starts its worker process, in the sandbox and with the environment that options choose.
pub(super) fn prepared(
    file: &Path,
    confinement: &sandbox::Options,
    surroundings: &surroundings::Options,
    timeout: f64,
    settings: impl FnOnce(Option<Arc<Environment>>) -> Settings,
) -> Result<Prepared, Refusal> {
    let source = source::read(file).map_err(|error| Refusal::new(&error, error.hint()))?;
    confinement.check(&surroundings.python_path)?;
    let environment = surroundings.environment(file)?;
    let file = file.to_owned();
    let paths = std::slice::from_ref(&file);
    let (folders, readable) = (surroundings.folders(paths), surroundings.readable(environment.as_deref()));
    let mut zygote = confinement.start(&sandbox::Program { paths, folders: &folders, readable: &readable, timeout })?;
    let (settings, name) = (settings(environment), source.name.clone());
    let plan = Plan::new(source, &settings).map_err(|error| Refusal::bare(format!("`{name}` {error}")))?;
    zygote.wait_until_ready()?;
    confinement.warn(&zygote);
    Ok(Prepared { name, settings, plan, zygote })
}

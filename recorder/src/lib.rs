//! The recorder runs inside the user's own interpreter and records which values the modules of a project use.
//!
//! `surmise trace` puts a `sitecustomize` in front of the path that loads this library into every Python process of
//! the command and calls `start`. Modules of the named packages are rewritten on import ([`loader`]), so that each
//! value they read goes through the hook ([`hook`]), which counts its abstract class at the site ([`observe`]).
//! Every process writes files of its own ([`layout`]); the command reads and joins them afterwards.
//!
//! The parts without Python ([`config`], [`layout`]) are also used by the `surmise` command.

mod classify;
pub mod config;
mod hook;
pub mod layout;
pub mod lines;
mod loader;
mod observe;
mod process;
mod registry;
mod secrets;
mod spool;

use std::path::PathBuf;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::config::Config;
use crate::observe::Recorder;
use crate::spool::Spool;

/// The extension module that `sitecustomize.py` loads.
#[pymodule]
fn _surmise_recorder(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(start, module)?)
}

/// Starts recording, with the configuration file at `path`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is taken from Python is owned")]
fn start(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    let text = std::fs::read_to_string(&path)?;
    let config: Config = serde_json::from_str(&text).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let recorder = Recorder::new(Spool::new(&config.spool), config.literals, config.call_values)?;
    // SAFETY: the GIL is held, and no hook is installed yet.
    unsafe { hook::set_recorder(recorder) };
    hook::install(py, surmise_instrument::record::HOOKS)?;
    if !config.lines.is_empty() {
        lines::install(py, config.spool.clone())?;
    }
    process::watch(py)?;
    loader::install(py, &config)
}

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
use std::sync::atomic::{AtomicBool, Ordering};

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

/// Set once recording has started in this process.
static STARTED: AtomicBool = AtomicBool::new(false);

/// Starts recording in this process, with the configuration file at `path`. Modules that are rewritten keep the numbers
/// of their sites, so a process is recorded once.
///
/// # Errors
/// If it was recorded before, or the configuration cannot be read.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is taken from Python is owned")]
pub fn start(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    if STARTED.swap(true, Ordering::SeqCst) {
        return Err(PyRuntimeError::new_err("this process was recorded before"));
    }
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

/// Ends the recording of this process: what was recorded is written, and what runs from now on is not recorded.
///
/// # Errors
/// If the import system is not as it was.
pub fn stop(py: Python<'_>) -> PyResult<()> {
    // SAFETY: the GIL is held.
    if let Some(mut recorder) = unsafe { hook::take_recorder() } {
        recorder.flush();
    }
    loader::remove(py)
}

//! The native module of the Python package: the same engine as the `surmise` command, inside the user's interpreter.
//!
//! Runs do not take place in that interpreter. Threads of this module ([`pool`]) have worker processes, which are the
//! interpreter's program once more, with this library preloaded (`surmise_engine::host`).

mod errors;
mod host;
mod pool;
mod recording;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use surmise_engine::source::Source;
use surmise_report::{Report, html, json, terminal};

/// Parsing and rewriting allocate in small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a run came to, before the package makes its types of it.
#[pyclass(frozen)]
struct RawReport(Report);

#[pymethods]
impl RawReport {
    /// The JSON document of `surmise run --json`.
    fn json(&self) -> PyResult<String> {
        json::render(&self.0).map_err(errors::internal)
    }

    /// The page of `surmise run --html`.
    fn html(&self) -> String {
        html::render(&self.0)
    }

    /// What `surmise run` prints.
    fn text(&self, colour: bool) -> String {
        terminal::render(&self.0, terminal::Style { colour })
    }

    /// Our own failure, if a worker reported one.
    fn internal(&self) -> Option<String> {
        self.0.internal.clone()
    }
}

/// The source that stands for the file of the arguments.
fn given(text: Option<String>, name: String) -> Option<Source> {
    text.map(|text| Source { name, path: None, text })
}

/// Runs a program as `surmise run` with these arguments would, or the text in the place of its file. Returns the report
/// and the warnings.
#[pyfunction]
fn run(
    py: Python<'_>,
    arguments: Vec<OsString>,
    text: Option<String>,
    name: String,
) -> PyResult<(RawReport, Vec<String>)> {
    let source = given(text, name);
    let (report, warnings) = pool::on_runner(py, move |session| session.run(&arguments, source))?;
    Ok((RawReport(report), warnings))
}

/// What the predictor expects at each place where a value is read, as JSON.
#[pyfunction]
fn ranked(
    py: Python<'_>,
    arguments: Vec<OsString>,
    text: Option<String>,
    name: String,
) -> PyResult<(String, Vec<String>)> {
    let source = given(text, name);
    let (ranked, warnings) = pool::on_runner(py, move |_| surmise::cli::session::Session::ranked(&arguments, source))?;
    Ok((serde_json::to_string(&ranked).map_err(errors::internal)?, warnings))
}

/// The file with the settings that count for a file or folder, or None.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
fn nearest_settings(start: PathBuf) -> PyResult<Option<PathBuf>> {
    surmise::cli::nearest_settings(&start).map_err(|refusal| errors::refused(&refusal))
}

/// Runs a command line, whose first word is the program's name; returns its exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| surmise::cli::command(arguments).0)
}

#[pymodule]
fn _surmise(module: &Bound<'_, PyModule>) -> PyResult<()> {
    host::introduce(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<RawReport>()?;
    module.add_class::<recording::Recording>()?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(ranked, module)?)?;
    module.add_function(wrap_pyfunction!(nearest_settings, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(pool::forget, module)?)
}

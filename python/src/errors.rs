//! Errors of the engine as exceptions of the package, which defines them in Python.

use std::fmt::Display;

use pyo3::prelude::*;
use surmise::cli::refusal::Refusal;
use surmise_engine::exit::Exit;

const MODULE: &str = "surmise.errors";

fn exception(class: &str, message: &str, hint: Option<&str>) -> PyErr {
    Python::attach(|py| {
        let made =
            py.import(MODULE).and_then(|module| module.getattr(class)).and_then(|class| class.call1((message, hint)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

/// Why a command would end without doing what it was asked for.
pub(crate) fn refused(refusal: &Refusal) -> PyErr {
    let class = match refusal.exit() {
        Exit::Sandbox => "SandboxError",
        Exit::Internal => "InternalError",
        _ => "UsageError",
    };
    exception(class, refusal.message(), refusal.hint())
}

/// A failure of our own.
pub(crate) fn internal(problem: impl Display) -> PyErr {
    exception("InternalError", &problem.to_string(), Some("this is a fault of Surmise, not of the code that it runs"))
}

/// A recording that could not be made.
pub(crate) fn recording(error: &surmise_trace::error::TraceError) -> PyErr {
    exception("RecordingError", &error.to_string(), error.hint().as_deref())
}

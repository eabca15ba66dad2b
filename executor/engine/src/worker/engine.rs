//! The engine of a run (`runtime/engine.py`), made for one run of a program.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use surmise_instrument::LineIndex;
use surmise_instrument::paths::MadeUp;

use super::native::{Events, Native, Pipe, handlers_of};
use super::runtime::Runtime;
use crate::protocol::{Program, Task};

/// An engine that answers for the sites of a program in one run, installed as the last of the finders of modules.
pub(super) fn new_engine<'py>(
    py: Python<'py>,
    runtime: &Runtime,
    program: &Arc<Program>,
    task: &mut Task,
    events: Pipe,
) -> PyResult<Bound<'py, PyAny>> {
    let sites = program.sites.len();
    let companions: usize = program.modules.iter().map(|module| module.sites as usize).sum();
    let drawing = task.drawing.take().map(|drawing| Py::new(py, drawing)).transpose()?;
    let drawn = drawing.is_some().then(|| runtime.drawn(py)).transpose()?;
    let recording = task.trial.record.then(|| runtime.recording(py)).transpose()?;
    let native = Native {
        program: Arc::clone(program),
        trial: std::mem::take(&mut task.trial),
        drawing,
        own: sites.saturating_sub(companions),
        events: Mutex::new(Events { to: events, reported: vec![false; sites], count: 0, made_up: MadeUp::default() }),
        lines: LineIndex::new(&program.source),
    };
    runtime.engine.bind(py).call_method1("new_engine", (native, drawn, recording))
}

/// The finder of the modules beside the program, which runs them when its `load` is called; `None` if there are none.
pub(super) fn companion_modules<'py>(
    py: Python<'py>,
    runtime: &Runtime,
    engine: &Bound<'py, PyAny>,
    program: &Program,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if program.package.is_empty() && program.modules.is_empty() {
        return Ok(None);
    }
    py.import("__main__")?.setattr("__package__", &program.package)?;
    let modules = PyDict::new(py);
    for module in &program.modules {
        let parts = (&module.file, module.is_package, &module.text, handlers_of(&module.tries));
        modules.set_item(&module.name, parts)?;
    }
    runtime.companion_modules(py)?.call_method1("CompanionModules", (engine, modules)).map(Some)
}

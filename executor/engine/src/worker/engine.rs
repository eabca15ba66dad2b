//! The engine of a run (`runtime/engine.py`), made for one run of a program.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use surmise_instrument::LineIndex;

use super::drawn::Drawing;
use super::native::{Events, Handler, Native, Pipe, handlers_of};
use super::runtime::Runtime;
use crate::protocol::{Module, Program, Trial};

/// A module beside the program, as `companion_modules.py` sees it.
#[pyclass(frozen, get_all)]
struct CompanionModule {
    file: String,
    is_package: bool,
    /// The rewritten text.
    text: String,
    handlers: Vec<Py<Handler>>,
}

impl CompanionModule {
    fn new(py: Python<'_>, module: &Module) -> PyResult<Self> {
        let handlers = handlers_of(&module.tries).into_iter().map(|handler| Py::new(py, handler));
        Ok(Self {
            file: module.file.clone(),
            is_package: module.is_package,
            text: module.text.clone(),
            handlers: handlers.collect::<PyResult<_>>()?,
        })
    }
}

/// An engine that answers for the sites of a program in one run, installed as the last of the finders of modules.
pub(super) fn new_engine<'py>(
    py: Python<'py>,
    runtime: &Runtime,
    program: &mut Program,
    trial: &mut Trial,
    events: Pipe,
) -> PyResult<Bound<'py, PyAny>> {
    for (&site, &assigned) in &trial.assigned {
        if let Some(place) = program.assignment.get_mut(site as usize) {
            *place = Some(assigned);
        }
    }
    let sites = std::mem::take(&mut program.sites);
    let companions: usize = program.modules.iter().map(|module| module.sites as usize).sum();
    let drawing = trial.paired.take().map(|paired| Py::new(py, Drawing(paired))).transpose()?;
    let drawn = drawing.is_some().then(|| runtime.drawn(py)).transpose()?;
    let recording = trial.record.then(|| runtime.recording(py)).transpose()?;
    let native = Native {
        filename: program.filename.clone(),
        inject_io: program.inject_io,
        drawing,
        own: sites.len().saturating_sub(companions),
        events: Mutex::new(Events { to: events, reported: vec![false; sites.len()], count: 0 }),
        sites,
        assignment: std::mem::take(&mut program.assignment),
        literals: std::mem::take(&mut trial.literals),
        choices: std::mem::take(&mut trial.choices),
        handlers: std::mem::take(&mut program.tries),
        imports: std::mem::take(&mut program.imports),
        implicit: std::mem::take(&mut program.implicit_imports),
        written: std::mem::take(&mut program.written),
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
        modules.set_item(&module.name, CompanionModule::new(py, module)?)?;
    }
    runtime.companion_modules(py)?.call_method1("CompanionModules", (engine, modules)).map(Some)
}

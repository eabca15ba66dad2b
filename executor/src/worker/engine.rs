//! The engine of a run (`runtime/engine.py`, or `paired.py`), made of its job.

use std::sync::Mutex;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use surmise_instrument::{LineIndex, TryBlock};

use super::native::{Native, Pipe, Told, class_key};
use super::runtime::Runtime;
use crate::protocol::{Choice, Job, Literal, Paired};

/// (kind, value), as `values.py` takes it.
fn literal_of<'py>(py: Python<'py>, literal: &Literal) -> PyResult<Bound<'py, PyAny>> {
    match literal {
        Literal::Text(text) => ("text", text).into_bound_py_any(py),
        Literal::Integer(number) => ("number", number).into_bound_py_any(py),
        Literal::Real(number) => ("number", number).into_bound_py_any(py),
        Literal::Length(length) => ("length", length).into_bound_py_any(py),
        Literal::Holds(text) => ("holds", text).into_bound_py_any(py),
        Literal::Given(text) => ("given", text).into_bound_py_any(py),
        Literal::Raises(name) => ("raises", name).into_bound_py_any(py),
    }
}

/// A truth value, a number, or a tuple with the name of what is raised.
fn choice_of<'py>(py: Python<'py>, choice: &Choice) -> PyResult<Bound<'py, PyAny>> {
    match choice {
        Choice::Truth(truth) => truth.into_bound_py_any(py),
        Choice::Count(count) => count.into_bound_py_any(py),
        Choice::Raises(name) => (name,).into_bound_py_any(py),
    }
}

/// What `paired.py` takes.
fn pairing_of<'py>(py: Python<'py>, paired: &Paired) -> PyResult<Bound<'py, PyAny>> {
    let classes = PyDict::new(py);
    for (key, (class, literal)) in &paired.classes {
        let literal = literal.as_ref().map(|literal| literal_of(py, literal)).transpose()?;
        classes.set_item(key, (class_key(*class), literal))?;
    }
    let parts = (
        paired.salt,
        classes,
        &paired.texts,
        &paired.numbers,
        &paired.raises,
        &paired.aliases,
        &paired.extra,
        paired.strict_messages,
        paired.strict_logging,
    );
    parts.into_bound_py_any(py)
}

/// (first line, last line, line of the code object, what is caught) of each.
fn tries_of(tries: &[TryBlock]) -> Vec<(u32, u32, u32, Vec<Option<String>>)> {
    tries.iter().map(|block| (block.first_line, block.last_line, block.scope_line, block.catches.clone())).collect()
}

/// An engine that answers for the sites of a job, installed as the last of the finders of modules.
pub(super) fn new_engine<'py>(
    py: Python<'py>,
    runtime: &Runtime,
    job: &mut Job,
    events: Pipe,
) -> PyResult<Bound<'py, PyAny>> {
    let sites = std::mem::take(&mut job.sites);
    let told = Told { to: events, sites: vec![false; sites.len()], count: 0 };
    let beside: usize = job.modules.iter().map(|module| module.sites as usize).sum();
    let native = Native {
        own: sites.len().saturating_sub(beside),
        sites,
        assignment: std::mem::take(&mut job.assignment),
        told: Mutex::new(told),
        lines: LineIndex::new(&job.source),
    };
    let native = Bound::new(py, native)?;
    let tries = tries_of(&job.tries);
    let imports: Vec<_> = job
        .imports
        .iter()
        .map(|import| (import.level, import.module.clone(), import.names.clone(), import.line, import.column))
        .collect();
    let left_out = PyDict::new(py);
    for (name, import) in &job.left_out {
        left_out.set_item(name, (&import.modules, &import.attribute))?;
    }
    let (literals, choices) = (PyDict::new(py), PyDict::new(py));
    for (site, literal) in &job.literals {
        literals.set_item(site, literal_of(py, literal)?)?;
    }
    for (key, choice) in &job.choices {
        choices.set_item(key, choice_of(py, choice)?)?;
    }
    let mut arguments = vec![
        (native, literals, choices).into_bound_py_any(py)?,
        runtime.standins.bind(py).clone().into_any(),
        runtime.imports.bind(py).clone().into_any(),
        job.filename.as_str().into_bound_py_any(py)?,
        job.source.as_str().into_bound_py_any(py)?,
        tries.into_bound_py_any(py)?,
        (imports, left_out).into_bound_py_any(py)?,
        true.into_bound_py_any(py)?,
        job.inject_io.into_bound_py_any(py)?,
    ];
    let class = match &job.paired {
        Some(paired) => {
            arguments.insert(0, pairing_of(py, paired)?);
            runtime.paired(py)?.0.bind(py).getattr("Paired")?
        }
        None if job.record => {
            let package = runtime.imports.bind(py).getattr("PACKAGE")?;
            let recorder = Runtime::recording(py)?.getattr("recorder")?;
            let class = runtime.engine.bind(py).getattr("Engine")?;
            recorder.call1((class, runtime.standins.bind(py), package))?
        }
        None => runtime.engine.bind(py).getattr("Engine")?,
    };
    let engine = class.call1(PyTuple::new(py, arguments)?)?;
    if !(job.package.is_empty() && job.modules.is_empty()) {
        let modules = PyDict::new(py);
        for module in &job.modules {
            modules.set_item(&module.name, (&module.file, module.is_package, &module.text, tries_of(&module.tries)))?;
        }
        engine.call_method1("run_beside", (&job.package, modules))?;
    }
    let finder = runtime.imports.bind(py).getattr("Finder")?.call1((&engine,))?;
    py.import("sys")?.getattr("meta_path")?.call_method1("append", (finder,))?;
    Ok(engine)
}

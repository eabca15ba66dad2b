//! Ends and forks of the process: records that are not yet written must not get lost, and a child writes its own files.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::hook::recorder;

/// Set once the interpreter has ended, after which the recorder must not be accessed.
static OVER: AtomicBool = AtomicBool::new(false);

/// Registers callbacks for everything that ends or forks the process.
pub(crate) fn watch(py: Python<'_>) -> PyResult<()> {
    let os = py.import("os")?;
    let hooks = PyDict::new(py);
    hooks.set_item("before", wrap_pyfunction!(flush, py)?)?;
    hooks.set_item("after_in_child", wrap_pyfunction!(start_anew, py)?)?;
    os.call_method("register_at_fork", (), Some(&hooks))?;
    // Neither `_exit`, by which `multiprocessing` ends its children, nor `exec` runs exit handlers.
    for (name, text) in [(c"_exit", "_exit"), (c"execv", "execv"), (c"execve", "execve")] {
        let original = os.getattr(text)?.unbind();
        let doc = c"See the original function's documentation.";
        let wrapped = pyo3::types::PyCFunction::new_closure(
            py,
            Some(name),
            Some(doc),
            move |arguments: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyAny>> {
                flush();
                let py = arguments.py();
                original.bind(py).call(arguments, named).map(Bound::unbind)
            },
        )?;
        os.setattr(text, wrapped)?;
    }
    // SAFETY: a function that needs no Python; the GIL is held now.
    if unsafe { ffi::Py_AtExit(Some(at_exit)) } < 0 {
        return Err(pyo3::exceptions::PyRuntimeError::new_err("no room for an exit function"));
    }
    Ok(())
}

/// Writes all records that have changed since the last write.
#[pyfunction]
fn flush() {
    // SAFETY: called from Python, so the GIL is held.
    if let Some(recorder) = unsafe { recorder() } {
        recorder.flush();
    }
}

/// Resets the recorder, in a forked child.
#[pyfunction]
fn start_anew() {
    // SAFETY: as for `flush`.
    if let Some(recorder) = unsafe { recorder() } {
        recorder.reset();
    }
}

extern "C" fn at_exit() {
    if !OVER.swap(true, Ordering::SeqCst) {
        // SAFETY: the interpreter has ended, so no hook can run any more.
        if let Some(recorder) = unsafe { recorder() } {
            recorder.flush();
        }
    }
}

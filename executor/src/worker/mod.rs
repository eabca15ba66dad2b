//! The side that runs Python: everything in this folder runs in a forked worker (or, for `--plain`, in a process of
//! its own) and knows no model.

pub mod coverage;
mod driving;
mod engine;
mod hooks;
pub mod interpreter;
mod locals;
mod native;
mod program;
mod runtime;

pub(crate) use native::{Native, Pipe};
pub(crate) use program::{Channels, INTERRUPTED, run, run_file};
pub(crate) use runtime::{Runtime, module};

/// A new reference to the same object (`Py_NewRef`, which CPython 3.9 lacks).
///
/// # Safety
/// `object` is a live object, and the GIL is held.
pub(crate) unsafe fn new_ref(object: *mut pyo3::ffi::PyObject) -> *mut pyo3::ffi::PyObject {
    // SAFETY: as the caller promises.
    unsafe { pyo3::ffi::Py_INCREF(object) };
    object
}

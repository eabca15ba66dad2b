//! A profile function that is called for one function only: one of Python's own is called for every call and every return in
//! the process, which takes several times as long as most tests do.

use std::ffi::c_int;
use std::ptr;

use pyo3::ffi::{self, PyFrameObject, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyCode};

/// What the interpreter hands to [`called`].
#[pyclass(frozen)]
pub(super) struct Watched {
    code: Py<PyCode>,
    look: Py<PyAny>,
}

#[pymethods]
impl Watched {
    /// The interface of `sys.setprofile`, which puts it back after another one.
    fn __call__(&self, frame: &Bound<'_, PyAny>, event: &str, _argument: &Bound<'_, PyAny>) -> PyResult<()> {
        if event == "call" && frame.getattr("f_code")?.is(&self.code) {
            self.look.bind(frame.py()).call1((frame,))?;
        }
        Ok(())
    }
}

/// Calls `look` with the frame of each call of some code, and of each time that a generator of it goes on, until
/// `sys.setprofile` is called. It is not called for what it calls itself.
pub(super) fn set(py: Python<'_>, code: Py<PyCode>, look: Py<PyAny>) -> PyResult<()> {
    let watched = Py::new(py, Watched { code, look })?;
    // SAFETY: the GIL is held; the interpreter takes a reference of its own.
    unsafe { ffi::PyEval_SetProfile(Some(called), watched.as_ptr()) };
    Ok(())
}

unsafe extern "C" fn called(
    watched: *mut PyObject,
    frame: *mut PyFrameObject,
    what: c_int,
    _argument: *mut PyObject,
) -> c_int {
    if what != ffi::PyTrace_CALL {
        return 0;
    }
    // SAFETY: the interpreter hands over what it was given, and a frame, and holds the GIL.
    unsafe {
        let py = Python::assume_attached();
        let watched = Borrowed::from_ptr(py, watched).cast_unchecked::<Watched>();
        let watched = watched.get();
        let code = ffi::PyFrame_GetCode(frame);
        let is_watched = ptr::eq(code.cast::<PyObject>(), watched.code.as_ptr());
        ffi::Py_DECREF(code.cast());
        if !is_watched {
            return 0;
        }
        match watched.look.bind(py).call1((Borrowed::from_ptr(py, frame.cast()),)) {
            Ok(_) => 0,
            Err(error) => {
                error.restore(py);
                -1
            }
        }
    }
}

//! What the runtime raises has none of the runtime's frames in its traceback: programs print tracebacks, and read them.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;

use pyo3::ffi::compat::Py_NewRef;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use surmise_interpreter::exceptions;
use surmise_interpreter::vectorcall::{Args, PyMethod_New, new_instance, new_type, slot, vectorcall_slots};

/// How the names of the runtime's own files begin.
const OWN_FILES: &[u8] = b"<surmise ";

/// Calls a function of the runtime.
///
/// # Safety
/// The GIL must be held, and the arguments must be those of a vectorcall.
pub(super) unsafe fn call(
    function: *mut PyObject,
    args: Args,
    nargsf: usize,
    keywords: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: as the caller promises; an exception is set where there is no answer.
    unsafe {
        let answer = ffi::PyObject_Vectorcall(function, args, nargsf, keywords);
        if answer.is_null() {
            let error = exceptions::take();
            exceptions::without_outermost_frames(error, |file| file.starts_with(OWN_FILES));
            exceptions::restore(error);
        }
        answer
    }
}

/// A method of the runtime's that [`call`] calls.
#[repr(C)]
struct Method {
    head: PyObject,
    vectorcall: ffi::vectorcallfunc,
    function: *mut PyObject,
}

/// The method of a class that a function of the runtime is, without frames in tracebacks. It lives as long as the process.
#[pyfunction]
pub(super) fn frameless(function: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = function.py();
    let kind = TYPE.get_or_try_init(py, || method_type(py).map(Bound::unbind))?.bind(py);
    // SAFETY: instances of the type are `Method`s, and nobody has seen this one yet.
    unsafe {
        let made = new_instance(kind)?;
        let method = made.as_ptr().cast::<Method>();
        (*method).vectorcall = called;
        (*method).function = function.into_ptr();
        Ok(made)
    }
}

fn method_type(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    let [members, call, dealloc] = vectorcall_slots(offset_of!(Method, vectorcall));
    let bind = slot(ffi::Py_tp_descr_get, bound as *mut c_void);
    let slots = [members, call, dealloc, bind, slot(0, ptr::null_mut())];
    let flags = ffi::Py_TPFLAGS_HAVE_VECTORCALL | ffi::Py_TPFLAGS_METHOD_DESCRIPTOR;
    // SAFETY: the slots describe `Method`.
    unsafe { new_type::<Method, _>(py, c"surmise.frameless", flags, slots) }
}

unsafe extern "C" fn called(
    method: *mut PyObject,
    args: Args,
    nargsf: usize,
    keywords: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the vectorcall protocol, for an instance of the type.
    unsafe { call((*method.cast::<Method>()).function, args, nargsf, keywords) }
}

unsafe extern "C" fn bound(method: *mut PyObject, object: *mut PyObject, _kind: *mut PyObject) -> *mut PyObject {
    // SAFETY: the protocol of descriptors; without an object the class is asked.
    unsafe { if object.is_null() { Py_NewRef(method) } else { PyMethod_New(method, object) } }
}

//! The exception that is on its way: taken, and put back.
//!
//! Not by `PyErr`: it gives up its references at once only inside of `Python::attach`, and programs see when an exception
//! and the frames of its traceback end.

use pyo3::ffi::{self, PyObject};

/// Takes the exception that is set, with its traceback in it: a new reference.
///
/// # Safety
/// The GIL must be held, and an exception must be set.
#[must_use]
pub unsafe fn take() -> *mut PyObject {
    // SAFETY: as the caller promises; what is taken is owned.
    unsafe {
        #[cfg(Py_3_12)]
        return ffi::PyErr_GetRaisedException();
        #[cfg(not(Py_3_12))]
        {
            let (mut kind, mut value, mut traceback) = [std::ptr::null_mut(); 3].into();
            ffi::PyErr_Fetch(&raw mut kind, &raw mut value, &raw mut traceback);
            ffi::PyErr_NormalizeException(&raw mut kind, &raw mut value, &raw mut traceback);
            if !traceback.is_null() {
                ffi::PyException_SetTraceback(value, traceback);
            }
            ffi::Py_XDECREF(kind);
            ffi::Py_XDECREF(traceback);
            value
        }
    }
}

/// Sets an exception that was taken; takes over the reference.
///
/// # Safety
/// The GIL must be held, and `exception` must be an exception.
pub unsafe fn restore(exception: *mut PyObject) {
    // SAFETY: as the caller promises.
    unsafe {
        #[cfg(Py_3_12)]
        ffi::PyErr_SetRaisedException(exception);
        #[cfg(not(Py_3_12))]
        {
            let kind = ffi::compat::Py_NewRef(ffi::Py_TYPE(exception).cast());
            ffi::PyErr_Restore(kind, exception, ffi::PyException_GetTraceback(exception));
        }
    }
}

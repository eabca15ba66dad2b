//! The exception that is on its way: taken, and put back.
//!
//! Not by `PyErr`: it gives up its references at once only inside of `Python::attach`, and programs see when an exception
//! and the frames of its traceback end.

use std::ffi::CStr;
use std::ptr;

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
            let (mut kind, mut value, mut traceback) = [ptr::null_mut(); 3].into();
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

/// Takes the outermost frames off the traceback of an exception: those of code whose file is `passed_over`.
///
/// # Safety
/// The GIL must be held, no exception may be set, and `exception` must be an exception.
pub unsafe fn without_outermost_frames(exception: *mut PyObject, passed_over: impl Fn(&[u8]) -> bool) {
    // SAFETY: as the caller promises; each object is owned until it is given up.
    unsafe {
        let mut traceback = ffi::PyException_GetTraceback(exception);
        let mut is_shorter = false;
        while !traceback.is_null() && traceback != ffi::Py_None() {
            let file = path_of(traceback, &[c"tb_frame", c"f_code", c"co_filename"]);
            let mut size = 0;
            let name = if file.is_null() { ptr::null() } else { ffi::PyUnicode_AsUTF8AndSize(file, &raw mut size) };
            let is_passed_over =
                !name.is_null() && passed_over(std::slice::from_raw_parts(name.cast(), size.unsigned_abs()));
            ffi::Py_XDECREF(file);
            if !is_passed_over {
                break;
            }
            let next = path_of(traceback, &[c"tb_next"]);
            ffi::Py_DECREF(traceback);
            (traceback, is_shorter) = (next, true);
        }
        if is_shorter {
            ffi::PyException_SetTraceback(exception, if traceback.is_null() { ffi::Py_None() } else { traceback });
        }
        ffi::Py_XDECREF(traceback);
        ffi::PyErr_Clear();
    }
}

/// An attribute of an attribute, and so on: a new reference, or null.
unsafe fn path_of(object: *mut PyObject, names: &[&CStr]) -> *mut PyObject {
    // SAFETY: the object is alive, and what is read on the way is owned until it is given up.
    unsafe {
        let mut found = ffi::compat::Py_NewRef(object);
        for name in names {
            let inner = ffi::PyObject_GetAttrString(found, name.as_ptr());
            ffi::Py_DECREF(found);
            if inner.is_null() {
                return inner;
            }
            found = inner;
        }
        found
    }
}

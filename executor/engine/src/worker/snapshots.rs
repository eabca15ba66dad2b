//! What a namespace holds that it did not hold before (`runtime/snapshots.py`).

use std::ptr::null_mut;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The names under which `now` holds other objects than `before`, or `before` none. No reference to a value is counted: that
/// would write to each, and a process that was forked would copy the memory in which they lie.
///
/// # Errors
/// When comparing two keys fails.
pub(super) fn rebound(before: &Bound<'_, PyDict>, now: &Bound<'_, PyDict>) -> PyResult<Vec<Py<PyAny>>> {
    let py = now.py();
    let mut names = Vec::new();
    let (mut position, mut name, mut value) = (0, null_mut(), null_mut());
    // SAFETY: both are dictionaries and the GIL is held, and no other code runs that could change them: all keys of `before`
    // are of the type `str` itself, as is what is looked up there.
    unsafe {
        while ffi::PyDict_Next(now.as_ptr(), &raw mut position, &raw mut name, &raw mut value) != 0 {
            if ffi::PyUnicode_CheckExact(name) == 0 {
                continue;
            }
            let held = ffi::PyDict_GetItemWithError(before.as_ptr(), name);
            if held.is_null()
                && let Some(error) = PyErr::take(py)
            {
                return Err(error);
            }
            if held != value {
                names.push(Bound::from_borrowed_ptr(py, name).unbind());
            }
        }
    }
    Ok(names)
}

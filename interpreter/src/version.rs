//! Which CPython is linked.

use std::ffi::CStr;

use pyo3::ffi;

use crate::PYTHON_VERSION;

/// Version of the CPython that is linked, such as `3.11.7`.
#[must_use]
pub fn full_version() -> String {
    // SAFETY: a static text, which is there before the interpreter is started.
    let text = unsafe { CStr::from_ptr(ffi::Py_GetVersion()) };
    text.to_string_lossy().split_whitespace().next().unwrap_or_default().to_owned()
}

/// Major and minor version of the CPython that is linked.
#[must_use]
pub fn version() -> (u8, u8) {
    let mut parts = PYTHON_VERSION.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(3), parts.next().unwrap_or(0))
}

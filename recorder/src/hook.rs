//! The hook in `builtins`: `_v_(site, value)` observes a value and returns it.
//!
//! It is called by vectorcall (`surmise_interpreter::vectorcall`), so it adds no frame and uses no recursion depth.

use std::cell::UnsafeCell;

use pyo3::ffi::compat::Py_NewRef;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use surmise_interpreter::vectorcall::{Args, hook_type, new_hook};

use crate::layout::MAX_SITES;
use crate::observe::Recorder;

/// The recorder of this process, protected by the GIL.
struct Slot(UnsafeCell<Option<Recorder>>);

// SAFETY: accessed only with the GIL held (`recorder`), and once after the interpreter has ended.
unsafe impl Sync for Slot {}

static RECORDER: Slot = Slot(UnsafeCell::new(None));

/// The recorder, if recording has started. The GIL must be held, and only one such reference may exist at a time.
pub(crate) unsafe fn recorder() -> Option<&'static mut Recorder> {
    // SAFETY: required of the caller.
    unsafe { (*RECORDER.0.get()).as_mut() }
}

/// Sets the recorder of this process.
pub(crate) unsafe fn set_recorder(recorder: Recorder) {
    // SAFETY: as for `recorder`.
    unsafe { *RECORDER.0.get() = Some(recorder) }
}

/// Takes the recorder away, after which nothing is recorded.
pub(crate) unsafe fn take_recorder() -> Option<Recorder> {
    // SAFETY: as for `recorder`.
    unsafe { (*RECORDER.0.get()).take() }
}

/// Installs the hook in `builtins`, under both names.
pub(crate) fn install(py: Python<'_>, names: [&str; 2]) -> PyResult<()> {
    // SAFETY: the hook is created with the type that was made for it.
    let hook = unsafe { new_hook(&hook_type(py)?, take_down) }?;
    let builtins = py.import("builtins")?;
    for name in names {
        builtins.setattr(name, &hook)?;
    }
    Ok(())
}

unsafe extern "C" fn take_down(
    _hook: *mut PyObject,
    arguments: Args,
    count: usize,
    _names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: CPython passes `count` live arguments and holds the GIL.
    unsafe {
        if ffi::PyVectorcall_NARGS(count) != 2 {
            return Py_NewRef(ffi::Py_None());
        }
        let (site, value) = (*arguments, *arguments.add(1));
        if ffi::Py_TYPE(site) == &raw mut ffi::PyLong_Type {
            let site = ffi::PyLong_AsLong(site) as usize;
            if site < MAX_SITES {
                if let Some(recorder) = recorder() {
                    recorder.observe(site, value);
                }
            } else {
                ffi::PyErr_Clear();
            }
        }
        Py_NewRef(value)
    }
}

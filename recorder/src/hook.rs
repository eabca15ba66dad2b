//! The hook in `builtins`: `_v_(site, value)` takes down a value and returns it.
//!
//! An object of a type of our own with a vectorcall slot: no frame, and none of the recursion accounting of CPython's
//! builtin functions, so that programs reach the depth they reach without us.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_uint, c_void};
use std::mem::offset_of;
use std::ptr;

use pyo3::ffi::{self, Py_ssize_t, PyObject};
use pyo3::prelude::*;

use crate::layout::MAX_SITES;
use crate::observe::Recorder;

/// The process's recorder. The GIL guards it.
struct Slot(UnsafeCell<Option<Recorder>>);

// SAFETY: only touched with the GIL held (`recorder`), and once at the very end of the process.
unsafe impl Sync for Slot {}

static RECORDER: Slot = Slot(UnsafeCell::new(None));

/// The recorder, if recording started. The GIL must be held, and no two of these may live at once.
pub(crate) unsafe fn recorder() -> Option<&'static mut Recorder> {
    // SAFETY: see above.
    unsafe { (*RECORDER.0.get()).as_mut() }
}

/// Starts recording.
pub(crate) unsafe fn set_recorder(recorder: Recorder) {
    // SAFETY: as for `recorder`.
    unsafe { *RECORDER.0.get() = Some(recorder) }
}

#[repr(C)]
struct HookObject {
    head: PyObject,
    vectorcall: ffi::vectorcallfunc,
}

/// Puts the hook into `builtins` under a name.
pub(crate) fn install(py: Python<'_>, names: [&str; 2]) -> PyResult<()> {
    const T_PYSSIZET: c_int = 19;
    const READONLY: c_int = 1;
    const HAVE_VECTORCALL: c_uint = 1 << 11;
    let members = Box::leak(Box::new([
        // SAFETY: an all-zero PyMemberDef is the end of the table.
        ffi::PyMemberDef {
            name: c"__vectorcalloffset__".as_ptr(),
            type_code: T_PYSSIZET,
            offset: offset_of!(HookObject, vectorcall) as Py_ssize_t,
            flags: READONLY,
            doc: ptr::null(),
        },
        ffi::PyMemberDef { name: ptr::null(), type_code: 0, offset: 0, flags: 0, doc: ptr::null() },
    ]));
    let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
    let mut slots = [
        slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
        slot(ffi::Py_tp_call, ffi::PyVectorcall_Call as *mut c_void),
        slot(0, ptr::null_mut()),
    ];
    let mut spec = ffi::PyType_Spec {
        name: c"surmise.hook".as_ptr(),
        basicsize: size_of::<HookObject>() as c_int,
        itemsize: 0,
        flags: ffi::Py_TPFLAGS_DEFAULT as c_uint | HAVE_VECTORCALL,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the specification is complete and outlives the call; the object is filled before anyone sees it.
    let hook = unsafe {
        let kind = Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec))?;
        let object = ffi::PyType_GenericAlloc(kind.as_ptr().cast(), 0);
        let object = Bound::from_owned_ptr_or_err(py, object)?;
        (*object.as_ptr().cast::<HookObject>()).vectorcall = take_down;
        object
    };
    let builtins = py.import("builtins")?;
    for name in names {
        builtins.setattr(name, &hook)?;
    }
    Ok(())
}

unsafe extern "C" fn take_down(
    _hook: *mut PyObject,
    arguments: *const *mut PyObject,
    count: usize,
    _names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: CPython passes `count` live arguments and holds the GIL.
    unsafe {
        if count & !(1 << (usize::BITS - 1)) != 2 {
            return ffi::Py_NewRef(ffi::Py_None());
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
        ffi::Py_NewRef(value)
    }
}

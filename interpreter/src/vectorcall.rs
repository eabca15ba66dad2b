//! Native objects that Python code calls through a vectorcall slot: no Python frame, no argument tuple, and none of the
//! recursion accounting that CPython does for its builtin functions, so that programs reach exactly the depth they reach
//! without such calls.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::offset_of;
use std::ptr;

use pyo3::ffi::{self, Py_ssize_t, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyType;

unsafe extern "C" {
    /// A method that is bound to a receiver: a new reference, or null.
    pub fn PyMethod_New(function: *mut PyObject, receiver: *mut PyObject) -> *mut PyObject;
}

/// The arguments of a vectorcall: positional values, then one value for each keyword name.
pub type Args = *const *mut PyObject;

/// An object with a native function: `_a_` in `_a_(7, y)`.
#[repr(C)]
struct Hook {
    head: PyObject,
    function: ffi::vectorcallfunc,
}

/// Makes the type of hooks, `surmise.hook`.
pub fn hook_type(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    let [members, call, dealloc] = vectorcall_slots(offset_of!(Hook, function));
    let slots = [members, call, dealloc, slot(0, ptr::null_mut())];
    // SAFETY: the slots describe `Hook`.
    unsafe { new_type::<Hook, _>(py, c"surmise.hook", ffi::Py_TPFLAGS_HAVE_VECTORCALL, slots) }
}

/// Makes a hook that calls a native function.
///
/// # Safety
/// `kind` must be a [`hook_type`].
pub unsafe fn new_hook<'py>(kind: &Bound<'py, PyType>, function: ffi::vectorcallfunc) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: instances of the type are `Hook`s, and nobody has seen this one yet.
    unsafe {
        let hook = new_instance(kind)?;
        (*hook.as_ptr().cast::<Hook>()).function = function;
        Ok(hook)
    }
}

/// The slots of a type whose instances live as long as the process and hold the native function that they are called by at
/// this offset, for [`ffi::Py_TPFLAGS_HAVE_VECTORCALL`].
#[must_use]
pub fn vectorcall_slots(offset: usize) -> [ffi::PyType_Slot; 3] {
    // CPython keeps a pointer to the table of members for as long as the type lives, which is for good.
    let members = Box::leak(Box::new([
        ffi::PyMemberDef {
            name: c"__vectorcalloffset__".as_ptr(),
            type_code: ffi::Py_T_PYSSIZET,
            offset: offset as Py_ssize_t,
            flags: ffi::Py_READONLY,
            doc: ptr::null(),
        },
        ffi::PyMemberDef { name: ptr::null(), type_code: 0, offset: 0, flags: 0, doc: ptr::null() },
    ]));
    [
        slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
        slot(ffi::Py_tp_call, ffi::PyVectorcall_Call as *mut c_void),
        slot(ffi::Py_tp_dealloc, never_freed as *mut c_void),
    ]
}

/// One entry of a type's specification; number 0 ends it.
#[must_use]
pub fn slot(number: c_int, function: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot: number, pfunc: function }
}

/// Makes a heap type whose instances are laid out as `T`.
///
/// # Safety
/// `T` must be `repr(C)` and start with a [`PyObject`]; the slots must be functions for it, and end with slot 0.
pub unsafe fn new_type<'py, T, const N: usize>(
    py: Python<'py>,
    name: &CStr,
    flags: std::ffi::c_ulong,
    mut slots: [ffi::PyType_Slot; N],
) -> PyResult<Bound<'py, PyType>> {
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size_of::<T>() as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | flags) as c_uint,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: name and specification outlive the call, and CPython copies what it keeps of them.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec)) }?;
    Ok(made.cast_into::<PyType>()?)
}

/// Makes an instance of a type of [`new_type`], with zeros after its head.
///
/// # Safety
/// What the type's functions expect must be filled in before anybody else sees the instance.
pub unsafe fn new_instance<'py>(kind: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: a heap type, whose instances the generic allocation makes.
    unsafe { Bound::from_owned_ptr_or_err(kind.py(), ffi::PyType_GenericAlloc(kind.as_type_ptr(), 0)) }
}

/// The deallocation of objects that live as long as the process, however often a program releases them.
///
/// # Safety
/// As for any slot: CPython calls it with the GIL held.
pub unsafe extern "C" fn never_freed(_object: *mut PyObject) {}

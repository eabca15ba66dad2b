//! The types of the objects that stand in `builtins`, and of a method on its way from its read to its call.

use std::ffi::c_void;

use pyo3::prelude::*;
use pyo3::types::PyType;
use surmise_interpreter::vectorcall::{Args, never_freed, new_type, slot};

use super::{
    MarkObject, Py_NewRef, PyObject, Table, attribute_failed, c_int, ffi, mark_line, ptr, read_attribute, table,
};

pub(super) fn new_method_type(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    let slots = [slot(ffi::Py_tp_dealloc, free_method as *mut c_void), slot(0, ptr::null_mut())];
    // SAFETY: the slots describe `MethodObject`.
    unsafe { new_type::<MethodObject, _>(py, c"surmise.method", 0, slots) }
}

pub(super) fn new_mark_type(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    let slots = [
        slot(ffi::Py_mp_subscript, mark_line as *mut c_void),
        slot(ffi::Py_tp_dealloc, never_freed as *mut c_void),
        slot(0, ptr::null_mut()),
    ];
    // SAFETY: the slots describe `MarkObject`.
    unsafe { new_type::<MarkObject, _>(py, c"surmise.marks", 0, slots) }
}

unsafe extern "C" {
    /// What CPython's own `LOAD_METHOD` uses: 1 and the plain function where it would have to be bound.
    pub(super) fn _PyObject_GetMethod(object: *mut PyObject, name: *mut PyObject, method: *mut *mut PyObject) -> c_int;
}

/// A method read by `_b_` on its way to `_c_`: function and receiver, without a bound method between them.
#[repr(C)]
pub(super) struct MethodObject {
    pub(super) head: PyObject,
    pub(super) function: *mut PyObject,
    pub(super) receiver: *mut PyObject,
}

pub(super) unsafe extern "C" fn free_method(object: *mut PyObject) {
    // SAFETY: called once, for an object that owns both references.
    unsafe {
        let method = object.cast::<MethodObject>();
        ffi::Py_DECREF((*method).function);
        ffi::Py_DECREF((*method).receiver);
        // Instances of heap types own a reference to their type.
        ffi::Py_DECREF(table().method_type);
        let mut spare = table().spare_methods.borrow_mut();
        if spare.len() < 64 {
            spare.push(method);
        } else {
            ffi::PyObject_Free(object.cast());
        }
    }
}

pub(super) unsafe fn method(number: usize, args: Args) -> *mut PyObject {
    // SAFETY: there are two arguments.
    unsafe {
        let (table, object) = (table(), *args.add(1));
        if table.is_stand_in(object) || table.sites[number].replaced.get() {
            return read_attribute(number, *args, object);
        }
        let mut function = ptr::null_mut();
        if _PyObject_GetMethod(object, table.sites[number].name, &raw mut function) == 1 {
            return new_method(table, function, object);
        }
        if function.is_null() {
            return attribute_failed(*args, object);
        }
        function
    }
}

/// Takes over the reference to `function`.
pub(super) unsafe fn new_method(table: &Table, function: *mut PyObject, receiver: *mut PyObject) -> *mut PyObject {
    // SAFETY: a spare object is dead memory of the right size and type; both fields are set before it is used.
    unsafe {
        let spare = table.spare_methods.borrow_mut().pop();
        let method = match spare {
            Some(spare) => ffi::PyObject_Init(spare.cast(), table.method_type.cast()).cast::<MethodObject>(),
            None => ffi::PyType_GenericAlloc(table.method_type.cast(), 0).cast::<MethodObject>(),
        };
        if method.is_null() {
            ffi::Py_DECREF(function);
            return ptr::null_mut();
        }
        (*method).function = function;
        (*method).receiver = Py_NewRef(receiver);
        method.cast()
    }
}

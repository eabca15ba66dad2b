//! The types of the objects that stand in `builtins`, and of a method on its way from its read to its call.

use super::{
    Args, CStr, HookObject, MarkObject, Py_ssize_t, PyObject, Table, attribute_failed, c_int, c_uint, c_void, ffi,
    mark_line, ptr, read_attribute, site_of, table,
};

pub(super) const T_PYSSIZET: c_int = 19;
pub(super) const READONLY: c_int = 1;
pub(super) const HAVE_VECTORCALL: c_uint = 1 << 11;

pub(super) unsafe fn new_hook_type() -> Result<*mut PyObject, ()> {
    let members = Box::leak(Box::new([
        // SAFETY: an all-zero PyMemberDef is the end of the table.
        ffi::PyMemberDef {
            name: c"__vectorcalloffset__".as_ptr(),
            type_code: T_PYSSIZET,
            offset: std::mem::offset_of!(HookObject, vectorcall) as Py_ssize_t,
            flags: READONLY,
            doc: ptr::null(),
        },
        ffi::PyMemberDef { name: ptr::null(), type_code: 0, offset: 0, flags: 0, doc: ptr::null() },
    ]));
    let slots = [
        slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
        slot(ffi::Py_tp_call, ffi::PyVectorcall_Call as *mut c_void),
        slot(ffi::Py_tp_dealloc, never_freed as *mut c_void),
        slot(0, ptr::null_mut()),
    ];
    // SAFETY: the slots describe `HookObject`.
    unsafe { new_type(c"surmise.hook", size_of::<HookObject>(), HAVE_VECTORCALL, slots) }
}

pub(super) unsafe fn new_method_type() -> Result<*mut PyObject, ()> {
    let slots = [slot(ffi::Py_tp_dealloc, free_method as *mut c_void), slot(0, ptr::null_mut())];
    // SAFETY: the slots describe `MethodObject`.
    unsafe { new_type(c"surmise.method", size_of::<MethodObject>(), 0, slots) }
}

pub(super) unsafe fn new_mark_type() -> Result<*mut PyObject, ()> {
    let slots = [
        slot(ffi::Py_mp_subscript, mark_line as *mut c_void),
        slot(ffi::Py_tp_dealloc, never_freed as *mut c_void),
        slot(0, ptr::null_mut()),
    ];
    // SAFETY: the slots describe `MarkObject`.
    unsafe { new_type(c"surmise.marks", size_of::<MarkObject>(), 0, slots) }
}

pub(super) fn slot(number: c_int, function: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot: number, pfunc: function }
}

pub(super) unsafe fn new_type<const N: usize>(
    name: &CStr,
    size: usize,
    flags: c_uint,
    mut slots: [ffi::PyType_Slot; N],
) -> Result<*mut PyObject, ()> {
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size as c_int,
        itemsize: 0,
        flags: ffi::Py_TPFLAGS_DEFAULT as c_uint | flags,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: name and spec outlive the call, and CPython copies what it keeps.
    let object = unsafe { ffi::PyType_FromSpec(&raw mut spec) };
    if object.is_null() { Err(()) } else { Ok(object) }
}

pub(super) unsafe fn instance(kind: *mut PyObject) -> Result<*mut PyObject, ()> {
    // SAFETY: `kind` is a heap type made by `new_type`.
    let object = unsafe { ffi::PyType_GenericAlloc(kind.cast(), 0) };
    if object.is_null() { Err(()) } else { Ok(object) }
}

/// Hooks are kept by one reference that nobody drops.
pub(super) unsafe extern "C" fn never_freed(_object: *mut PyObject) {}

unsafe extern "C" {
    /// What CPython's own `LOAD_METHOD` uses: 1 and the plain function where it would have to be bound.
    pub(super) fn _PyObject_GetMethod(object: *mut PyObject, name: *mut PyObject, method: *mut *mut PyObject) -> c_int;
    pub(super) fn PyMethod_New(function: *mut PyObject, receiver: *mut PyObject) -> *mut PyObject;
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
        let spare = &mut table().spare_methods;
        if spare.len() < 64 {
            spare.push(method);
        } else {
            ffi::PyObject_Free(object.cast());
        }
    }
}

pub(super) unsafe extern "C" fn method_hook(
    _: *mut PyObject,
    args: Args,
    nargsf: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: vectorcall protocol.
    unsafe {
        let Some(number) = site_of(args, nargsf, 2) else {
            return ptr::null_mut();
        };
        let (table, object) = (table(), *args.add(1));
        let kind = ffi::Py_TYPE(object).cast::<PyObject>();
        if kind == table.stand_in || kind == table.stand_in_module {
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
pub(super) unsafe fn new_method(table: &mut Table, function: *mut PyObject, receiver: *mut PyObject) -> *mut PyObject {
    // SAFETY: a spare object is dead memory of the right size and type; both fields are set before it is used.
    unsafe {
        let method = match table.spare_methods.pop() {
            Some(spare) => ffi::PyObject_Init(spare.cast(), table.method_type.cast()).cast::<MethodObject>(),
            None => ffi::PyType_GenericAlloc(table.method_type.cast(), 0).cast::<MethodObject>(),
        };
        if method.is_null() {
            ffi::Py_DECREF(function);
            return ptr::null_mut();
        }
        (*method).function = function;
        (*method).receiver = crate::worker::new_ref(receiver);
        method.cast()
    }
}

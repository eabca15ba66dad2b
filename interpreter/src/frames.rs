//! Whether a local or free variable of the running function is bound, without the side effects of `locals()`.

use pyo3::ffi::{self, PyObject};

/// Where a variable lies in the frames of its code; filled in at the first look.
///
/// CPython 3.12 and newer look variables up by name (`PyFrame_GetVar`) and need none.
#[derive(Clone, Copy, Debug, Default)]
pub enum Slot {
    /// Not looked for yet.
    #[default]
    Unknown,
    /// Index in the frame's array of variables: from its start, before CPython 3.11 from its end.
    At(isize),
    /// The code has no such variable.
    Absent,
}

/// True where the variable has a value; `None` with an exception set where the frame could not be read.
///
/// # Safety
/// The GIL must be held, a Python frame must be running, and `slot` must be of this name and of the frame's code.
#[cfg(Py_3_12)]
pub unsafe fn is_bound(name: *mut PyObject, _slot: &mut Slot) -> Option<bool> {
    // SAFETY: the current frame is alive while its code calls us.
    unsafe {
        let frame = ffi::PyThreadState_GetFrame(ffi::PyThreadState_Get());
        if frame.is_null() {
            return Some(true);
        }
        let value = ffi::PyFrame_GetVar(frame, name);
        ffi::Py_DECREF(frame.cast());
        if value.is_null() {
            if ffi::PyErr_ExceptionMatches(ffi::PyExc_NameError) == 0 {
                return None;
            }
            ffi::PyErr_Clear();
            return Some(false);
        }
        ffi::Py_DECREF(value);
        Some(true)
    }
}

/// True where the variable has a value. CPython before 3.12 has no `PyFrame_GetVar`: reads the frame's own array.
///
/// # Safety
/// The GIL must be held, a Python frame must be running, and `slot` must be of this name and of the frame's code.
#[cfg(not(Py_3_12))]
pub unsafe fn is_bound(name: *mut PyObject, slot: &mut Slot) -> Option<bool> {
    // SAFETY: the slot was found by the variable's name in the very code object that the frame runs.
    unsafe {
        let frame = ffi::PyThreadState_GetFrame(ffi::PyThreadState_Get());
        if frame.is_null() {
            return Some(true);
        }
        if matches!(slot, Slot::Unknown) {
            let code = ffi::PyFrame_GetCode(frame);
            *slot = find_slot(code.cast(), name);
            ffi::Py_DECREF(code.cast());
        }
        let bound = match *slot {
            Slot::At(index) => {
                let value = *variables(frame).offset(index);
                if !value.is_null() && ffi::PyCell_Check(value) != 0 {
                    let content = ffi::PyCell_Get(value);
                    ffi::Py_XDECREF(content);
                    !content.is_null()
                } else {
                    !value.is_null()
                }
            }
            Slot::Absent | Slot::Unknown => true,
        };
        ffi::Py_DECREF(frame.cast());
        Some(bound)
    }
}

/// The start of `localsplus` (`Include/internal/pycore_frame.h` of CPython 3.11).
#[cfg(all(Py_3_11, not(Py_3_12)))]
unsafe fn variables(frame: *mut ffi::PyFrameObject) -> *const *mut PyObject {
    /// `PyFrameObject` up to the field used.
    #[repr(C)]
    struct Frame {
        head: PyObject,
        back: *mut PyObject,
        inner: *mut InterpreterFrame,
    }
    /// `_PyInterpreterFrame`.
    #[repr(C)]
    struct InterpreterFrame {
        specials: [*mut PyObject; 8],
        stacktop: std::ffi::c_int,
        flags: [u8; 4],
        localsplus: [*mut PyObject; 0],
    }
    // SAFETY: the layouts are those of CPython 3.11, the only version that this is compiled for.
    unsafe { (&raw const (*(*frame.cast::<Frame>()).inner).localsplus).cast() }
}

/// The end of `f_localsplus`, which is where the value stack begins (`Include/cpython/frameobject.h` of CPython 3.9
/// and 3.10).
#[cfg(not(Py_3_11))]
unsafe fn variables(frame: *mut ffi::PyFrameObject) -> *const *mut PyObject {
    /// `PyFrameObject` up to the field used.
    #[repr(C)]
    struct Frame {
        head: ffi::PyVarObject,
        back: *mut PyObject,
        code: *mut PyObject,
        scopes: [*mut PyObject; 3],
        value_stack: *const *mut PyObject,
    }
    // SAFETY: the layout is that of CPython 3.9 and 3.10, the only versions that this is compiled for.
    unsafe { (*frame.cast::<Frame>()).value_stack }
}

/// The array holds the local variables, then the cells, then the free variables. Since CPython 3.11 a cell that is also
/// a local variable has no second place; before, its value is in its second one.
#[cfg(not(Py_3_12))]
unsafe fn find_slot(code: *mut PyObject, name: *mut PyObject) -> Slot {
    // SAFETY: `code` is a code object, whose name attributes are tuples of strings.
    unsafe {
        let groups = [c"co_varnames", c"co_cellvars", c"co_freevars"];
        let groups = groups.map(|group| ffi::PyObject_GetAttrString(code, group.as_ptr()));
        let locals = groups[0];
        let (mut index, mut found) = (0, None);
        for (at, tuple) in groups.into_iter().enumerate() {
            for position in 0..ffi::PyTuple_Size(tuple) {
                let item = ffi::PyTuple_GET_ITEM(tuple, position);
                if cfg!(Py_3_11) && at == 1 && ffi::PySequence_Contains(locals, item) == 1 {
                    continue;
                }
                if ffi::PyUnicode_Compare(item, name) == 0 {
                    found = Some(index);
                }
                index += 1;
            }
        }
        for group in groups {
            ffi::Py_XDECREF(group);
        }
        ffi::PyErr_Clear();
        found.map_or(Slot::Absent, |at| Slot::At(if cfg!(Py_3_11) { at } else { at - index }))
    }
}

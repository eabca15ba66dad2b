//! Whether a local or free variable of the running function is bound, without the side effects of `locals()`.

use pyo3::ffi::{self, PyObject};

/// Where a variable lies in its frame; filled in at the first look.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(any(Py_3_12, not(Py_3_11)), expect(dead_code, reason = "only CPython 3.11 needs the slot"))]
pub(crate) enum Slot {
    #[default]
    Unknown,
    At(usize),
    Absent,
}

/// True where the variable has a value; `None` with an exception set where the frame could not be read.
///
/// # Safety
/// The GIL must be held, and a Python frame must be running.
#[cfg(Py_3_12)]
pub(crate) unsafe fn is_bound(name: *mut PyObject, _slot: &mut Slot) -> Option<bool> {
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

/// CPython 3.11 has no `PyFrame_GetVar`: reads `localsplus` (`Include/internal/pycore_frame.h` of 3.11).
///
/// # Safety
/// As above.
#[cfg(all(Py_3_11, not(Py_3_12)))]
#[expect(clippy::unnecessary_wraps, reason = "the other versions can fail")]
pub(crate) unsafe fn is_bound(name: *mut PyObject, slot: &mut Slot) -> Option<bool> {
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
    // SAFETY: the layouts are those of CPython 3.11, the only version this is compiled for; the slot was found by
    // the variable's name in the very code object that the site belongs to.
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
                let inner = (*frame.cast::<Frame>()).inner;
                let value = *(&raw const (*inner).localsplus).cast::<*mut PyObject>().add(index);
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

/// `localsplus` holds the local variables, then the cells that are not also local, then the free variables.
#[cfg(all(Py_3_11, not(Py_3_12)))]
unsafe fn find_slot(code: *mut PyObject, name: *mut PyObject) -> Slot {
    // SAFETY: `code` is a code object, whose name attributes are tuples of strings.
    unsafe {
        let mut index = 0;
        let locals = ffi::PyObject_GetAttrString(code, c"co_varnames".as_ptr());
        let cells = ffi::PyObject_GetAttrString(code, c"co_cellvars".as_ptr());
        let free = ffi::PyObject_GetAttrString(code, c"co_freevars".as_ptr());
        let mut found = Slot::Absent;
        'search: for (tuple, skip_locals) in [(locals, false), (cells, true), (free, false)] {
            for position in 0..ffi::PyTuple_Size(tuple) {
                let item = ffi::PyTuple_GET_ITEM(tuple, position);
                if skip_locals && ffi::PySequence_Contains(locals, item) == 1 {
                    continue;
                }
                if ffi::PyUnicode_Compare(item, name) == 0 {
                    found = Slot::At(index);
                    break 'search;
                }
                index += 1;
            }
        }
        ffi::Py_XDECREF(locals);
        ffi::Py_XDECREF(cells);
        ffi::Py_XDECREF(free);
        ffi::PyErr_Clear();
        found
    }
}

/// CPython 3.9 and 3.10: through the frame's dictionary of locals.
///
/// # Safety
/// As above.
#[cfg(not(Py_3_11))]
pub(crate) unsafe fn is_bound(name: *mut PyObject, _slot: &mut Slot) -> Option<bool> {
    // SAFETY: the dictionary is borrowed from the running frame.
    unsafe {
        let locals = ffi::PyEval_GetLocals();
        if locals.is_null() {
            return None;
        }
        match ffi::PyMapping_HasKey(locals, name) {
            0 => Some(false),
            _ => Some(true),
        }
    }
}

//! Classifies a value into its abstract class, without running any of its code.

use std::ffi::{CStr, c_char};
use std::ptr;

use pyo3::ffi::{self, PyObject, PyTypeObject};

use crate::layout::Class;

/// How values of a type are classified; several types share a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Int,
    Float,
    Str,
    List,
    Tuple,
    Set,
    Dict,
    /// All values of the type have this class.
    Fixed(Class),
}

/// Type of a value.
pub(crate) unsafe fn type_of(value: *mut PyObject) -> *mut PyTypeObject {
    // SAFETY: the caller passes a live object.
    unsafe { ffi::Py_TYPE(value) }
}

/// Shape of a type that [`crate::observe`] does not handle itself. As in `LExecutor`, only values of the builtin types
/// themselves have their classes; values of subclasses are objects.
pub(crate) unsafe fn shape_of(kind: *mut PyTypeObject) -> Shape {
    // SAFETY: a live type; `PyType_IsSubtype` and `_PyType_Lookup` only read type objects.
    unsafe {
        if kind == &raw mut ffi::PySet_Type {
            return Shape::Set;
        }
        if kind == &raw mut ffi::PyBytes_Type {
            return Shape::Fixed(Class::Bytes);
        }
        if ffi::PyType_HasFeature(kind, ffi::Py_TPFLAGS_TYPE_SUBCLASS) != 0 {
            return Shape::Fixed(Class::Class);
        }
        if kind == &raw mut ffi::PyModule_Type {
            return Shape::Fixed(Class::Module);
        }
        // LExecutor checks first whether a value is callable, and classifies one with `__enter__` and `__exit__` as a
        // resource.
        let entered = has(kind, c"__enter__") && has(kind, c"__exit__");
        Shape::Fixed(match ((*kind).tp_call.is_some(), entered) {
            (true, true) => Class::Resource,
            (true, false) => Class::Callable,
            (false, true) => Class::ContextManagerObject,
            (false, false) => Class::Object,
        })
    }
}

unsafe fn has(kind: *mut PyTypeObject, name: &CStr) -> bool {
    // SAFETY: as for `shape_of`; the lookup gives a borrowed reference.
    unsafe {
        let name = ffi::PyUnicode_InternFromString(name.as_ptr());
        let found = _PyType_Lookup(kind, name);
        ffi::Py_DECREF(name);
        !found.is_null()
    }
}

unsafe extern "C" {
    /// Looks a name up along a type's method resolution order; returns a borrowed reference and calls no descriptor.
    fn _PyType_Lookup(kind: *mut PyTypeObject, name: *mut PyObject) -> *mut PyObject;
    fn _PySet_NextEntry(
        set: *mut PyObject,
        position: *mut ffi::Py_ssize_t,
        key: *mut *mut PyObject,
        hash: *mut ffi::Py_hash_t,
    ) -> std::ffi::c_int;
    fn PySet_Size(set: *mut PyObject) -> ffi::Py_ssize_t;
}

/// Class of a value whose type has this shape.
#[inline]
pub(crate) unsafe fn class_in(shape: Shape, value: *mut PyObject) -> u8 {
    // SAFETY: the shape follows from the value's type; sizes are read from the objects, no method is called.
    unsafe {
        match shape {
            Shape::Fixed(class) => class as u8,
            Shape::Str => Class::StrEmpty as u8 + u8::from(ffi::PyUnicode_GET_LENGTH(value) != 0),
            Shape::List => Class::ListEmpty as u8 + u8::from(ffi::PyList_GET_SIZE(value) != 0),
            Shape::Tuple => Class::TupleEmpty as u8 + u8::from(ffi::PyTuple_GET_SIZE(value) != 0),
            Shape::Dict => Class::DictEmpty as u8 + u8::from(dict_size(value) != 0),
            Shape::Set => Class::SetEmpty as u8 + u8::from(PySet_Size(value) != 0),
            Shape::Int => sign_of(value) as u8,
            Shape::Float => {
                let number = ffi::PyFloat_AS_DOUBLE(value);
                // NaN counts as positive, as in LExecutor.
                (if number < 0.0 {
                    Class::FloatNeg
                } else if number == 0.0 {
                    Class::FloatZero
                } else {
                    Class::FloatPos
                }) as u8
            }
        }
    }
}

unsafe fn dict_size(value: *mut PyObject) -> ffi::Py_ssize_t {
    // SAFETY: a dictionary or of a subclass: `PyDict_Size` reads the count itself.
    unsafe { ffi::PyDict_Size(value) }
}

unsafe fn sign_of(value: *mut PyObject) -> Class {
    let mut overflow = 0;
    // SAFETY: an integer or of a subclass: its digits are read, `__index__` is not called.
    let number = unsafe { ffi::PyLong_AsLongAndOverflow(value, &raw mut overflow) };
    match (overflow, number) {
        (1, _) => Class::IntPos,
        (-1, _) => Class::IntNeg,
        (_, 0) => Class::IntZero,
        (_, 1..) => Class::IntPos,
        _ => Class::IntNeg,
    }
}

/// Borrowed references to the first elements of a container, or to the first values of a dictionary.
pub(crate) unsafe fn elements(shape: Shape, value: *mut PyObject, most: usize) -> [*mut PyObject; 4] {
    let mut found = [ptr::null_mut(); 4];
    let most = most.min(found.len());
    // SAFETY: sizes are read first; nothing runs that could change the container.
    unsafe {
        match shape {
            Shape::List | Shape::Tuple => {
                let size = length(shape, value).unwrap_or(0).min(most);
                let item = if shape == Shape::List { ffi::PyList_GET_ITEM } else { ffi::PyTuple_GET_ITEM };
                for (at, place) in found.iter_mut().take(size).enumerate() {
                    *place = item(value, at as ffi::Py_ssize_t);
                }
            }
            Shape::Dict => {
                let mut position = 0;
                for place in found.iter_mut().take(most) {
                    if ffi::PyDict_Next(value, &raw mut position, ptr::null_mut(), place) == 0 {
                        break;
                    }
                }
            }
            Shape::Set => {
                let (mut position, mut hash) = (0, 0);
                for place in found.iter_mut().take(most) {
                    if _PySet_NextEntry(value, &raw mut position, place, &raw mut hash) == 0 {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Length of a container or string.
pub(crate) unsafe fn length(shape: Shape, value: *mut PyObject) -> Option<usize> {
    // SAFETY: as for `class_in`.
    let size = unsafe {
        match shape {
            Shape::Str => ffi::PyUnicode_GET_LENGTH(value),
            Shape::List => ffi::PyList_GET_SIZE(value),
            Shape::Tuple => ffi::PyTuple_GET_SIZE(value),
            Shape::Dict => dict_size(value),
            Shape::Set => PySet_Size(value),
            _ => return None,
        }
    };
    usize::try_from(size).ok()
}

/// `module.qualname` of a type, read from its own objects without running code.
pub(crate) unsafe fn type_name(kind: *mut PyTypeObject) -> String {
    // SAFETY: a live type; its dictionary and names are only read.
    unsafe {
        if ffi::PyType_HasFeature(kind, ffi::Py_TPFLAGS_HEAPTYPE) == 0 {
            return text((*kind).tp_name);
        }
        let heap: *mut ffi::PyHeapTypeObject = kind.cast();
        let name = utf8((*heap).ht_qualname).unwrap_or_else(|| text((*kind).tp_name));
        let dict = (*kind).tp_dict;
        let module = if dict.is_null() { None } else { utf8(ffi::PyDict_GetItemString(dict, c"__module__".as_ptr())) };
        match module {
            Some(module) if module != "builtins" => format!("{module}.{name}"),
            _ => name,
        }
    }
}

unsafe fn text(name: *const c_char) -> String {
    // SAFETY: a type's name is a C string that lives as long as the type.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// Text of a string object; `None` for other objects and for strings with lone surrogates.
pub(crate) unsafe fn utf8(value: *mut PyObject) -> Option<String> {
    // SAFETY: null or a live object; the buffer belongs to the string object.
    unsafe {
        if value.is_null() || ffi::PyUnicode_Check(value) == 0 {
            return None;
        }
        let mut size = 0;
        let data = ffi::PyUnicode_AsUTF8AndSize(value, &raw mut size);
        if data.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        let bytes = std::slice::from_raw_parts(data.cast(), size as usize);
        std::str::from_utf8(bytes).ok().map(str::to_owned)
    }
}

//! Hooks that hand a value through, adapted to its use where it was injected.

use super::{Args, PyObject, call_engine, ffi, nargs, ptr, raise_type_error, site_of, table};

/// A hook that hands its value through unless the engine replaces it.
macro_rules! pass_through {
    ($name:ident, $entry:ident) => {
        pub(super) unsafe extern "C" fn $name(
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
                let table = table();
                table.marks.mark(table.sites[number].marks as usize);
                match table.engine {
                    Some(engine) => call_engine(engine.$entry, &[*args, *args.add(1)]),
                    None => crate::worker::new_ref(*args.add(1)),
                }
            }
        }
    };
}

pass_through!(decorator_hook, decorator);
pass_through!(await_hook, awaited);
pass_through!(except_hook, caught);
pass_through!(raise_hook, raised);
unsafe extern "C" {
    /// The attribute of a type or its bases, without running any code; a borrowed reference.
    fn _PyType_Lookup(kind: *mut ffi::PyTypeObject, name: *mut PyObject) -> *mut PyObject;
}

/// `_e_(site,y).a += 1`: the engine is asked only where the attribute is not there.
pub(super) unsafe extern "C" fn augmented_hook(
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
        let Some(engine) = table.engine else {
            return crate::worker::new_ref(object);
        };
        let kind = ffi::Py_TYPE(object);
        let name = table.sites[number].name;
        let injected = kind.cast::<PyObject>() == table.stand_in || kind.cast::<PyObject>() == table.stand_in_module;
        if !injected {
            if !_PyType_Lookup(kind, name).is_null() {
                return crate::worker::new_ref(object);
            }
            // Nothing of the type answers, so the generic look-up reads the instance and runs no code.
            let generic = ffi::PyObject_GenericGetAttr as *const ();
            if (*kind).tp_getattro.is_some_and(|read| read as *const () == generic) {
                let found = ffi::PyObject_GenericGetAttr(object, name);
                if !found.is_null() {
                    ffi::Py_DECREF(found);
                    return crate::worker::new_ref(object);
                }
                ffi::PyErr_Clear();
            }
        }
        call_engine(engine.augmented, &[*args, object])
    }
}

pub(super) unsafe extern "C" fn import_hook(
    _: *mut PyObject,
    args: Args,
    nargsf: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: vectorcall protocol; the number is checked by the engine.
    unsafe {
        match table().engine {
            Some(engine) if nargs(nargsf) == 1 => call_engine(engine.import_from, &[*args]),
            _ => crate::worker::new_ref(ffi::Py_None()),
        }
    }
}

pub(super) unsafe extern "C" fn pattern_hook(
    _: *mut PyObject,
    args: Args,
    nargsf: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: vectorcall protocol.
    unsafe {
        if site_of(args, nargsf, 3).is_none() {
            return ptr::null_mut();
        }
        match table().engine {
            Some(engine) => call_engine(engine.pattern, &[*args, *args.add(1), *args.add(2)]),
            None => crate::worker::new_ref(*args.add(2)),
        }
    }
}

/// `item in container`; a stand-in may be looked for in a string.
pub(super) unsafe extern "C" fn membership_hook(
    _: *mut PyObject,
    args: Args,
    nargsf: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: vectorcall protocol.
    unsafe {
        if nargs(nargsf) != 2 {
            raise_type_error(c"hook takes an item and a container");
            return ptr::null_mut();
        }
        let (item, container, table) = (*args, *args.add(1), table());
        if let Some(engine) = table.engine {
            let text = ffi::PyUnicode_Check(container) != 0 || ffi::PyBytes_Check(container) != 0;
            if text && ffi::Py_TYPE(item).cast::<PyObject>() == table.stand_in {
                return call_engine(engine.contains, &[item, container]);
            }
        }
        match ffi::PySequence_Contains(container, item) {
            0 => crate::worker::new_ref(ffi::Py_False()),
            1 => crate::worker::new_ref(ffi::Py_True()),
            _ => ptr::null_mut(),
        }
    }
}

pub(super) unsafe extern "C" fn metaclass_hook(
    _: *mut PyObject,
    args: Args,
    nargsf: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: vectorcall protocol.
    unsafe {
        if nargs(nargsf) != 1 {
            raise_type_error(c"hook takes one value");
            return ptr::null_mut();
        }
        match table().engine {
            Some(engine) => call_engine(engine.metaclass, &[*args]),
            None => crate::worker::new_ref(*args),
        }
    }
}

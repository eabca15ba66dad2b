//! Hooks that hand a value through, adapted to its use where it was injected.

use super::{Args, Py_NewRef, PyObject, call_engine, exceptions, ffi, nargs, ptr, raise_type_error, site_of, table};

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
                match table.engine() {
                    Some(engine) => call_engine(engine.$entry, &[*args, *args.add(1)]),
                    None => Py_NewRef(*args.add(1)),
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
        let Some(engine) = table.engine() else {
            return Py_NewRef(object);
        };
        let kind = ffi::Py_TYPE(object);
        let name = table.sites[number].name;
        if !table.is_stand_in(object) {
            if !_PyType_Lookup(kind, name).is_null() {
                return Py_NewRef(object);
            }
            // Nothing of the type answers, so the generic look-up reads the instance and runs no code.
            let generic = ffi::PyObject_GenericGetAttr as *const ();
            if (*kind).tp_getattro.is_some_and(|read| read as *const () == generic) {
                let found = ffi::PyObject_GenericGetAttr(object, name);
                if !found.is_null() {
                    ffi::Py_DECREF(found);
                    return Py_NewRef(object);
                }
                ffi::PyErr_Clear();
            }
        }
        call_engine(engine.augmented, &[*args, object])
    }
}

/// The import hook with its number, before `from module import name`. What importing the module raised is raised here: the statement would
/// run the module a second time.
pub(super) unsafe extern "C" fn import_hook(
    _: *mut PyObject,
    args: Args,
    nargsf: usize,
    _: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: vectorcall protocol; the engine checks the number. The reference to an exception is handed on.
    unsafe {
        let answer = match table().engine() {
            Some(engine) if nargs(nargsf) == 1 => call_engine(engine.import_from, &[*args]),
            _ => return Py_NewRef(ffi::Py_None()),
        };
        if answer.is_null() || ffi::PyExceptionInstance_Check(answer) == 0 {
            return answer;
        }
        exceptions::restore(answer);
        ptr::null_mut()
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
        match table().engine() {
            Some(engine) => call_engine(engine.pattern, &[*args, *args.add(1), *args.add(2)]),
            None => Py_NewRef(*args.add(2)),
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
        if let Some(engine) = table.engine() {
            let text = ffi::PyUnicode_Check(container) != 0 || ffi::PyBytes_Check(container) != 0;
            if text && ffi::Py_TYPE(item).cast::<PyObject>() == table.stand_in.get() {
                return call_engine(engine.contains, &[item, container]);
            }
        }
        match ffi::PySequence_Contains(container, item) {
            0 => Py_NewRef(ffi::Py_False()),
            1 => Py_NewRef(ffi::Py_True()),
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
        match table().engine() {
            Some(engine) => call_engine(engine.metaclass, &[*args]),
            None => Py_NewRef(*args),
        }
    }
}

//! Hooks that hand a value through, adapted to its use where it was injected.

use super::{Args, Engine, Py_NewRef, PyObject, call_engine, exceptions, ffi, ptr, table};

/// The last of the arguments, unless the engine replaces it.
pub(super) unsafe fn handed_through(
    args: Args,
    count: usize,
    entry: impl Fn(&Engine) -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: there are `count` arguments, and at least one.
    unsafe {
        match table().engine() {
            Some(engine) => call_engine(entry(&engine), std::slice::from_raw_parts(args, count)),
            None => Py_NewRef(*args.add(count - 1)),
        }
    }
}

/// The same for a site and a value, where evaluating the value began a line.
pub(super) unsafe fn marked(number: usize, args: Args, entry: impl Fn(&Engine) -> *mut PyObject) -> *mut PyObject {
    // SAFETY: there are two arguments.
    unsafe {
        table().marks.mark(table().sites[number].marks as usize);
        handed_through(args, 2, entry)
    }
}

pub(super) unsafe fn pattern(_first: usize, args: Args) -> *mut PyObject {
    // SAFETY: there are three arguments.
    unsafe { handed_through(args, 3, |engine| engine.pattern) }
}

unsafe extern "C" {
    /// The attribute of a type or its bases, without running any code; a borrowed reference.
    fn _PyType_Lookup(kind: *mut ffi::PyTypeObject, name: *mut PyObject) -> *mut PyObject;
}

/// `_e_(site,y).a += 1`: the engine is asked only where the attribute is not there.
pub(super) unsafe fn augmented(number: usize, args: Args) -> *mut PyObject {
    // SAFETY: there are two arguments.
    unsafe {
        let (table, object) = (table(), *args.add(1));
        let kind = ffi::Py_TYPE(object);
        let name = table.sites[number].name;
        if table.engine().is_some() && !table.is_stand_in(object) {
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
        handed_through(args, 2, |engine| engine.augmented)
    }
}

/// `_s_(y).a = 1` and `_s_(y)[k]`: the engine gives what takes the value or the key in an imported module.
pub(super) unsafe fn tolerant(args: Args) -> *mut PyObject {
    // SAFETY: there is one argument.
    unsafe {
        let table = table();
        if !table.in_place.get() || table.is_stand_in(*args) {
            return Py_NewRef(*args);
        }
        handed_through(args, 1, |engine| engine.tolerant)
    }
}

/// The import hook with its number, before `from module import name`. What importing the module raised is raised here:
/// the statement would run the module a second time.
pub(super) unsafe fn import_from(args: Args) -> *mut PyObject {
    // SAFETY: there is one argument, which the engine checks. The reference to an exception is handed on.
    unsafe {
        let Some(engine) = table().engine() else {
            return Py_NewRef(ffi::Py_None());
        };
        let answer = call_engine(engine.import_from, &[*args]);
        if answer.is_null() || ffi::PyExceptionInstance_Check(answer) == 0 {
            return answer;
        }
        exceptions::restore(answer);
        ptr::null_mut()
    }
}

/// `item in container`; a stand-in may be looked for in a string, and what a list or a tuple has of it may be drawn.
pub(super) unsafe fn contains(args: Args) -> *mut PyObject {
    // SAFETY: there are two arguments.
    unsafe {
        let (item, container, table) = (*args, *args.add(1), table());
        if let Some(engine) = table.engine() {
            let text = ffi::PyUnicode_Check(container) != 0 || ffi::PyBytes_Check(container) != 0;
            let listed = ffi::PyList_CheckExact(container) != 0 || ffi::PyTuple_CheckExact(container) != 0;
            if (text || listed) && ffi::Py_TYPE(item).cast::<PyObject>() == table.stand_in.get() {
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

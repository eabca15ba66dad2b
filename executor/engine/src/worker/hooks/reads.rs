//! Reads of names, variables and attributes.

use super::{Args, Py_NewRef, PyObject, call_engine, ffi, frames, is_empty, ptr, replaced, second_chance, table};

pub(super) unsafe fn name(number: usize, args: Args) -> *mut PyObject {
    // SAFETY: there is an argument; borrowed references stay alive through their dictionaries.
    unsafe {
        let site = &table().sites[number];
        if site.in_class {
            let found = class_lookup(site.name);
            if !found.is_null() || !ffi::PyErr_Occurred().is_null() {
                return found;
            }
        }
        let globals = ffi::PyEval_GetGlobals();
        if !globals.is_null() {
            let found = ffi::PyDict_GetItemWithError(globals, site.name);
            if !found.is_null() {
                return Py_NewRef(found);
            }
        }
        let found = ffi::PyDict_GetItemWithError(ffi::PyEval_GetBuiltins(), site.name);
        if !found.is_null() {
            return Py_NewRef(found);
        }
        if !ffi::PyErr_Occurred().is_null() {
            return ptr::null_mut();
        }
        if let Some(engine) = table().engine() {
            let found = call_engine(engine.name, &[*args]);
            if found != ffi::Py_NotImplemented() {
                return found;
            }
            ffi::Py_DECREF(found);
        }
        raise_name_error(site.name);
        ptr::null_mut()
    }
}

pub(super) unsafe fn class_lookup(name: *mut PyObject) -> *mut PyObject {
    // SAFETY: in a class body the locals are its namespace, any mapping.
    unsafe {
        let locals = ffi::PyEval_GetLocals();
        if locals.is_null() {
            ffi::PyErr_Clear();
            return ptr::null_mut();
        }
        let found = ffi::PyObject_GetItem(locals, name);
        if found.is_null() && ffi::PyErr_ExceptionMatches(ffi::PyExc_KeyError) != 0 {
            ffi::PyErr_Clear();
        }
        found
    }
}

pub(super) unsafe fn raise_name_error(name: *mut PyObject) {
    // SAFETY: `name` is a string; PyErr_Format reads it while it is alive.
    unsafe {
        let message = ffi::PyUnicode_FromFormat(c"name '%U' is not defined".as_ptr(), name);
        if message.is_null() {
            return;
        }
        let error = ffi::PyObject_CallOneArg(ffi::PyExc_NameError, message);
        ffi::Py_DECREF(message);
        if error.is_null() {
            return;
        }
        // The suggestions of CPython 3.10 and newer read the name from the exception.
        if cfg!(Py_3_10) && ffi::PyObject_SetAttrString(error, c"name".as_ptr(), name) < 0 {
            ffi::PyErr_Clear();
        }
        ffi::PyErr_SetObject(ffi::PyExc_NameError, error);
        ffi::Py_DECREF(error);
    }
}

/// True unless the variable is unbound and the engine has a value for it.
pub(super) unsafe fn is_bound(number: usize, args: Args) -> *mut PyObject {
    // SAFETY: there is an argument.
    unsafe {
        let Some(engine) = table().engine() else {
            return Py_NewRef(ffi::Py_True());
        };
        let site = &table().sites[number];
        let mut slot = site.slot.get();
        let bound = frames::is_bound(site.name, &mut slot);
        site.slot.set(slot);
        match bound {
            Some(true) => Py_NewRef(ffi::Py_True()),
            Some(false) => call_engine(engine.bound, &[*args]),
            None => ptr::null_mut(),
        }
    }
}

pub(super) unsafe fn attribute(number: usize, args: Args) -> *mut PyObject {
    // SAFETY: there are two arguments.
    unsafe { read_attribute(number, *args, *args.add(1)) }
}

pub(super) unsafe fn read_attribute(number: usize, site: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the objects are alive; the GIL is held.
    unsafe {
        let table = table();
        let name = table.sites[number].name;
        let Some(engine) = table.engine() else {
            return ffi::PyObject_GetAttr(object, name);
        };
        if table.is_stand_in(object) {
            return call_engine(engine.attribute, &[site, object]);
        }
        if table.sites[number].replaced.get()
            && let Some(answer) = replaced(engine.replaced_attribute, &[site, object])
        {
            return answer;
        }
        let found = ffi::PyObject_GetAttr(object, name);
        if found.is_null() {
            return attribute_failed(site, object);
        }
        if table.in_place.get()
            && (is_empty(found) || table.sites[number].checked)
            && let Some(answer) = replaced(engine.unlikely_attribute, &[site, object, found])
        {
            ffi::Py_DECREF(found);
            return answer;
        }
        found
    }
}

/// An exception is set; the engine may have a value instead.
pub(super) unsafe fn attribute_failed(site: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the objects are alive; the GIL is held.
    unsafe {
        match table().engine() {
            Some(engine) if ffi::PyErr_ExceptionMatches(ffi::PyExc_Exception) != 0 => {
                second_chance(|error| call_engine(engine.attribute_failed, &[site, object, error]))
            }
            _ => ptr::null_mut(),
        }
    }
}

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
pass_through!(augmented_hook, augmented);

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

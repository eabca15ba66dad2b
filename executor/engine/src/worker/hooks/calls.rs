//! Calls.

use super::{
    Args, MethodObject, Py_NewRef, Py_ssize_t, PyMethod_New, PyObject, call_engine, ffi, is_empty, nargs, ptr,
    replaced, second_chance, site_of, table,
};

pub(super) unsafe extern "C" fn call_hook(
    _: *mut PyObject,
    args: Args,
    nargsf: usize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: vectorcall protocol; the method object is alive as long as our arguments are.
    unsafe {
        if site_of(args, nargsf, 2).is_none() {
            return ptr::null_mut();
        }
        let (site, callee, rest) = (*args, *args.add(1), args.add(2));
        let count = nargs(nargsf) - 2;
        if ffi::Py_TYPE(callee).cast::<PyObject>() != table().method_type {
            return call(site, callee, rest, count, names, ptr::null_mut());
        }
        let method = callee.cast::<MethodObject>();
        let (function, receiver) = ((*method).function, (*method).receiver);
        let named = if names.is_null() { 0 } else { ffi::PyTuple_GET_SIZE(names) as usize };
        with_receiver(receiver, rest, count + named, |args| call(site, function, args, count + 1, names, receiver))
    }
}

/// Arguments of method calls that are copied on the stack.
const FEW: usize = 6;

/// Calls `use_them` with a copy of the arguments behind their receiver. A copy, because a caller lends a vectorcall no
/// place among its arguments: the callee may write only to the place before the first one, which the copy has, too.
unsafe fn with_receiver<R>(receiver: *mut PyObject, args: Args, count: usize, use_them: impl FnOnce(Args) -> R) -> R {
    let (mut few, mut many);
    let copy: &mut [*mut PyObject] = if count <= FEW {
        few = [ptr::null_mut(); FEW + 2];
        &mut few
    } else {
        many = vec![ptr::null_mut(); count + 2];
        &mut many
    };
    copy[1] = receiver;
    // SAFETY: there are `count` arguments, and room for two more values than that.
    unsafe { ptr::copy_nonoverlapping(args, copy.as_mut_ptr().add(2), count) };
    use_them(copy[1..].as_ptr())
}

/// `receiver` is null unless `callee` is a plain function that gets it as its first argument; the place before the
/// arguments may be written to then.
pub(super) unsafe fn call(
    site: *mut PyObject,
    callee: *mut PyObject,
    args: Args,
    count: usize,
    names: *mut PyObject,
    receiver: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `args` has `count` positional values, then one for each of `names`.
    unsafe {
        let table = table();
        let flags = if receiver.is_null() { 0 } else { ffi::PY_VECTORCALL_ARGUMENTS_OFFSET };
        let Some(engine) = table.engine() else {
            return vectorcall(callee, args, count, flags, names);
        };
        if ffi::Py_TYPE(callee).cast::<PyObject>() == table.stand_in.get() {
            let answer = with_arguments(args, count, names, |positional, keywords| {
                Some(call_engine(engine.call, &[site, callee, positional, keywords]))
            });
            return answer.unwrap_or(ptr::null_mut());
        }
        if callee == table.isinstance
            && count == 2
            && names.is_null()
            && ffi::Py_TYPE(*args).cast::<PyObject>() == table.stand_in.get()
            && let Some(answer) = replaced(engine.is_instance, &[*args, *args.add(1)])
        {
            return answer;
        }
        if table.is_replaced(site)
            && let Some(answer) = with_bound(callee, args, count, names, receiver, |bound, positional, keywords| {
                replaced(engine.replaced_call, &[site, bound, positional, keywords])
            })
        {
            return answer;
        }
        let result =
            if callee == table.open && count > 0 && ffi::Py_TYPE(*args).cast::<PyObject>() == table.stand_in.get() {
                no_such_file(*args)
            } else if names.is_null() && joins(callee, args, count) && is_used_up(*args.add(count - 1)) {
                let parts = ffi::PySequence_List(*args.add(count - 1));
                if parts.is_null() { parts } else { return join_all(site, callee, parts, args, count, receiver) }
            } else {
                vectorcall(callee, args, count, flags, names)
            };
        if !result.is_null()
            && table.in_place.get()
            && (is_empty(result) || table.is_checked(site))
            && let Some(answer) = with_bound(callee, args, count, names, receiver, |bound, _, _| {
                replaced(engine.unlikely_result, &[site, bound, result])
            })
        {
            ffi::Py_DECREF(result);
            return answer;
        }
        if result.is_null() && ffi::PyErr_ExceptionMatches(ffi::PyExc_Exception) != 0 {
            return second_chance(|error| {
                let answer = with_bound(callee, args, count, names, receiver, |bound, positional, keywords| {
                    Some(call_engine(engine.call_failed, &[site, bound, positional, keywords, error]))
                });
                answer.unwrap_or(ptr::null_mut())
            });
        }
        result
    }
}

/// True for a call of `str.join`, or of what a string has under that name.
unsafe fn joins(callee: *mut PyObject, args: Args, count: usize) -> bool {
    // SAFETY: the object is alive, and there are `count` arguments.
    unsafe {
        let table = table();
        if count == 2 {
            return callee == table.join && ffi::PyUnicode_Check(*args) != 0;
        }
        let function = |bound| ffi::PyCFunction_GetFunction(bound).map(|function| function as usize);
        count == 1 && ffi::PyCFunction_CheckExact(callee) != 0 && function(callee) == function(table.join_of_text)
    }
}

/// True for a generator, or another iterator.
unsafe fn is_used_up(parts: *mut PyObject) -> bool {
    // SAFETY: the object is alive.
    unsafe { ffi::PyIter_Check(parts) != 0 && ffi::Py_TYPE(parts).cast::<PyObject>() != table().stand_in.get() }
}

/// `str.join` of what an iterator gave, the last argument: as CPython does, a list takes it first, which is still there where
/// what was made up cannot be joined.
unsafe fn join_all(
    site: *mut PyObject,
    callee: *mut PyObject,
    parts: *mut PyObject,
    args: Args,
    count: usize,
    receiver: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `args` as in `call`; the first of two is the separator. The list is owned.
    unsafe {
        let given = [ptr::null_mut(), if count == 2 { *args } else { parts }, parts];
        let result = call(site, callee, given.as_ptr().add(1), count, ptr::null_mut(), receiver);
        ffi::Py_DECREF(parts);
        result
    }
}

/// Calls `use_them` with the callee, bound to its receiver if it has one, and the arguments that are left.
unsafe fn with_bound(
    callee: *mut PyObject,
    args: Args,
    count: usize,
    names: *mut PyObject,
    receiver: *mut PyObject,
    use_them: impl FnOnce(*mut PyObject, *mut PyObject, *mut PyObject) -> Option<*mut PyObject>,
) -> Option<*mut PyObject> {
    // SAFETY: as for `call`; nothing is kept.
    unsafe {
        if receiver.is_null() {
            return with_arguments(args, count, names, |positional, keywords| use_them(callee, positional, keywords));
        }
        let bound = PyMethod_New(callee, receiver);
        if bound.is_null() {
            return Some(bound);
        }
        let answer =
            with_arguments(args.add(1), count - 1, names, |positional, keywords| use_them(bound, positional, keywords));
        ffi::Py_DECREF(bound);
        answer
    }
}

/// A made-up object names no file. `open` would take it for the number of a descriptor, which all of them can be.
unsafe fn no_such_file(name: *mut PyObject) -> *mut PyObject {
    // SAFETY: the GIL is held, and `errno` is this thread's own.
    unsafe {
        *libc::__errno_location() = libc::ENOENT;
        ffi::PyErr_SetFromErrnoWithFilenameObject(ffi::PyExc_OSError, name)
    }
}

/// Calls as CPython's specialised instructions do, with `flags` of the protocol: builtin functions that take their arguments as an array are
/// called without counting against the recursion limit.
pub(super) unsafe fn vectorcall(
    callee: *mut PyObject,
    args: Args,
    count: usize,
    flags: usize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `args` as in `call`; the function pointer has the signature that its flags announce.
    unsafe {
        if cfg!(Py_3_11) && ffi::PyCFunction_CheckExact(callee) != 0 {
            let function = ffi::PyCFunction_GetFunction(callee);
            let owner = ffi::PyCFunction_GetSelf(callee);
            let flags = ffi::PyCFunction_GetFlags(callee);
            if let Some(function) = function {
                let pointer = function as *const ();
                if flags == ffi::METH_FASTCALL | ffi::METH_KEYWORDS {
                    let function = std::mem::transmute::<*const (), ffi::PyCFunctionFastWithKeywords>(pointer);
                    return function(owner, args, count as Py_ssize_t, names);
                }
                if flags == ffi::METH_FASTCALL && names.is_null() {
                    let function = std::mem::transmute::<*const (), ffi::PyCFunctionFast>(pointer);
                    return function(owner, args.cast_mut(), count as Py_ssize_t);
                }
            }
        }
        if cfg!(Py_3_11)
            && callee == table().list_append
            && count == 2
            && names.is_null()
            && ffi::PyList_CheckExact(*args) != 0
        {
            let failed = ffi::PyList_Append(*args, *args.add(1)) < 0;
            return if failed { ptr::null_mut() } else { Py_NewRef(ffi::Py_None()) };
        }
        ffi::PyObject_Vectorcall(callee, args, count | flags, names)
    }
}

/// Calls `use_them` with a tuple of the positional arguments and a dictionary of the others.
unsafe fn with_arguments(
    args: Args,
    count: usize,
    names: *mut PyObject,
    use_them: impl FnOnce(*mut PyObject, *mut PyObject) -> Option<*mut PyObject>,
) -> Option<*mut PyObject> {
    // SAFETY: `args` as in `call`; the tuple and the dictionary own their references.
    unsafe {
        let positional = ffi::PyTuple_New(count as Py_ssize_t);
        let keywords = ffi::PyDict_New();
        if positional.is_null() || keywords.is_null() {
            return Some(ptr::null_mut());
        }
        for index in 0..count {
            ffi::PyTuple_SET_ITEM(positional, index as Py_ssize_t, Py_NewRef(*args.add(index)));
        }
        let named = if names.is_null() { 0 } else { ffi::PyTuple_GET_SIZE(names) };
        for index in 0..named {
            let name = ffi::PyTuple_GET_ITEM(names, index);
            ffi::PyDict_SetItem(keywords, name, *args.add(count + index as usize));
        }
        let result = use_them(positional, keywords);
        ffi::Py_DECREF(positional);
        ffi::Py_DECREF(keywords);
        result
    }
}

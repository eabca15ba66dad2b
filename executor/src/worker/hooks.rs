//! The native hooks that rewritten code calls.
//!
//! Hooks are objects of a type of our own with a vectorcall slot: no Python frame, no argument tuple, and none of
//! the recursion accounting that CPython does for its builtin functions, so that programs reach exactly the depth
//! they reach without us. All state lives in one [`Table`], set up before the rewritten code runs and never freed.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;

use pyo3::ffi::{self, Py_ssize_t, PyObject};
use surmise_instrument::hooks::{ALL, Hook};
use surmise_instrument::{HookNames, Role, Site};

use super::coverage::LineMarks;
use super::locals;

/// What the hooks know while a program runs.
pub(crate) struct Table {
    sites: Vec<SiteState>,
    marks: LineMarks,
    /// Types whose attribute reads and calls always go to the engine; null while nothing is injected.
    stand_in: *mut PyObject,
    stand_in_module: *mut PyObject,
    engine: Option<Engine>,
    /// `list.append`, which CPython specialises.
    list_append: *mut PyObject,
    /// The type of [`MethodObject`].
    method_type: *mut PyObject,
    /// Freed ones, for the next method call.
    spare_methods: Vec<*mut MethodObject>,
}

struct SiteState {
    /// Interned name.
    name: *mut PyObject,
    marks: u32,
    in_class: bool,
    /// Where the variable lies in its frame, once known.
    slot: locals::Slot,
}

/// The engine's entry points (see `runtime/engine.py`).
#[derive(Clone, Copy)]
struct Engine {
    name: *mut PyObject,
    attribute: *mut PyObject,
    attribute_failed: *mut PyObject,
    call: *mut PyObject,
    call_failed: *mut PyObject,
    decorator: *mut PyObject,
    awaited: *mut PyObject,
    caught: *mut PyObject,
    raised: *mut PyObject,
    augmented: *mut PyObject,
    import_from: *mut PyObject,
    pattern: *mut PyObject,
    contains: *mut PyObject,
    metaclass: *mut PyObject,
    bound: *mut PyObject,
}

static mut TABLE: *mut Table = ptr::null_mut();

/// The table of this process.
fn table() -> &'static mut Table {
    // SAFETY: `install` leaks the table before any hook can be called, and hooks run with the GIL held.
    unsafe { &mut *TABLE }
}

type Args = *const *mut PyObject;

#[repr(C)]
struct HookObject {
    head: PyObject,
    vectorcall: unsafe extern "C" fn(*mut PyObject, Args, usize, *mut PyObject) -> *mut PyObject,
}

#[repr(C)]
struct MarkObject {
    head: PyObject,
}

/// Everything the hooks need, before it is installed.
pub(crate) struct Setup<'a> {
    pub(crate) sites: &'a [Site],
    pub(crate) names: HookNames,
    pub(crate) marks: LineMarks,
    /// The runtime's `engine` object and stand-in types; `None` for plain semantics.
    pub(crate) engine: Option<&'a EngineObjects>,
}

/// Python objects of the runtime; borrowed for the life of the process.
pub(crate) struct EngineObjects {
    pub(crate) engine: *mut PyObject,
    pub(crate) stand_in: *mut PyObject,
    pub(crate) stand_in_module: *mut PyObject,
}

/// Puts the hooks into `builtins`.
///
/// # Safety
/// The GIL must be held; called once a process, before any rewritten code runs.
pub(crate) unsafe fn install(setup: Setup<'_>, builtins: *mut PyObject) -> Result<(), ()> {
    // SAFETY: the caller holds the GIL; every object made here lives as long as the process.
    unsafe {
        let mut sites = Vec::with_capacity(setup.sites.len());
        for site in setup.sites {
            sites.push(SiteState {
                name: interned(&site.name)?,
                marks: site.marks,
                in_class: site.in_class,
                slot: locals::Slot::default(),
            });
        }
        let marks_list = setup.marks.list();
        let (mut stand_in, mut stand_in_module, mut engine) = (ptr::null_mut(), ptr::null_mut(), None);
        if let Some(objects) = setup.engine {
            stand_in = objects.stand_in;
            stand_in_module = objects.stand_in_module;
            engine = Some(Engine::of(objects.engine)?);
        }
        let list_append = ffi::PyObject_GetAttrString((&raw mut ffi::PyList_Type).cast(), c"append".as_ptr());
        let method_type = new_method_type()?;
        let spare_methods = Vec::new();
        let table = Table {
            sites,
            marks: setup.marks,
            stand_in,
            stand_in_module,
            engine,
            list_append,
            method_type,
            spare_methods,
        };
        TABLE = Box::into_raw(Box::new(table));
        let hook_type = new_hook_type()?;
        for hook in ALL {
            let object = match hook {
                Hook::MarkStore => marks_list,
                Hook::MarkExpr => instance(new_mark_type()?)?,
                _ => new_hook(hook_type, hook)?,
            };
            let name = c_name(&setup.names.name(hook));
            if ffi::PyDict_SetItemString(builtins, name.as_ptr(), object) < 0 {
                return Err(());
            }
        }
    }
    Ok(())
}

impl Engine {
    unsafe fn of(engine: *mut PyObject) -> Result<Self, ()> {
        let get = |name: &CStr| {
            // SAFETY: the GIL is held (see `install`) and `engine` is a live object.
            let method = unsafe { ffi::PyObject_GetAttrString(engine, name.as_ptr()) };
            if method.is_null() { Err(()) } else { Ok(method) }
        };
        Ok(Self {
            name: get(c"name")?,
            attribute: get(c"attribute")?,
            attribute_failed: get(c"attribute_failed")?,
            call: get(c"call")?,
            call_failed: get(c"call_failed")?,
            decorator: get(c"decorator")?,
            awaited: get(c"awaited")?,
            caught: get(c"caught")?,
            raised: get(c"raised")?,
            augmented: get(c"augmented")?,
            import_from: get(c"import_from")?,
            pattern: get(c"pattern")?,
            contains: get(c"contains")?,
            metaclass: get(c"metaclass")?,
            bound: get(c"bound")?,
        })
    }
}

unsafe fn interned(name: &str) -> Result<*mut PyObject, ()> {
    let name = c_name(name);
    // SAFETY: a NUL-terminated UTF-8 string; the GIL is held.
    let object = unsafe { ffi::PyUnicode_InternFromString(name.as_ptr()) };
    if object.is_null() { Err(()) } else { Ok(object) }
}

/// Identifiers cannot hold NUL bytes; a hostile table's are cut there.
fn c_name(name: &str) -> std::ffi::CString {
    let end = name.find('\0').unwrap_or(name.len());
    std::ffi::CString::new(&name[..end]).unwrap_or_default()
}

const T_PYSSIZET: c_int = 19;
const READONLY: c_int = 1;
const HAVE_VECTORCALL: c_uint = 1 << 11;

unsafe fn new_hook_type() -> Result<*mut PyObject, ()> {
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

unsafe fn new_method_type() -> Result<*mut PyObject, ()> {
    let slots = [slot(ffi::Py_tp_dealloc, free_method as *mut c_void), slot(0, ptr::null_mut())];
    // SAFETY: the slots describe `MethodObject`.
    unsafe { new_type(c"surmise.method", size_of::<MethodObject>(), 0, slots) }
}

unsafe fn new_mark_type() -> Result<*mut PyObject, ()> {
    let slots = [
        slot(ffi::Py_mp_subscript, mark_line as *mut c_void),
        slot(ffi::Py_tp_dealloc, never_freed as *mut c_void),
        slot(0, ptr::null_mut()),
    ];
    // SAFETY: the slots describe `MarkObject`.
    unsafe { new_type(c"surmise.marks", size_of::<MarkObject>(), 0, slots) }
}

fn slot(number: c_int, function: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot: number, pfunc: function }
}

unsafe fn new_type<const N: usize>(
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

unsafe fn instance(kind: *mut PyObject) -> Result<*mut PyObject, ()> {
    // SAFETY: `kind` is a heap type made by `new_type`.
    let object = unsafe { ffi::PyType_GenericAlloc(kind.cast(), 0) };
    if object.is_null() { Err(()) } else { Ok(object) }
}

/// Hooks are kept by one reference that nobody drops.
unsafe extern "C" fn never_freed(_object: *mut PyObject) {}

unsafe fn new_hook(kind: *mut PyObject, hook: Hook) -> Result<*mut PyObject, ()> {
    // SAFETY: `kind` is the hook type, whose instances are `HookObject`s.
    unsafe {
        let object = instance(kind)?.cast::<HookObject>();
        (*object).vectorcall = match hook {
            Hook::Name => name_hook,
            Hook::Bound => bound_hook,
            Hook::Attribute => attribute_hook,
            Hook::Method => method_hook,
            Hook::Call => call_hook,
            Hook::Decorator => decorator_hook,
            Hook::Await => await_hook,
            Hook::Except => except_hook,
            Hook::Raise => raise_hook,
            Hook::AugmentedAttribute => augmented_hook,
            Hook::ImportFrom => import_hook,
            Hook::Pattern => pattern_hook,
            Hook::Membership => membership_hook,
            Hook::Metaclass | Hook::MarkStore | Hook::MarkExpr => metaclass_hook,
        };
        Ok(object.cast())
    }
}

/// The site number in the first argument; hooks called by hand with nonsense get an exception, not a crash.
unsafe fn site_of(args: Args, nargsf: usize, least: usize) -> Option<usize> {
    // SAFETY: the vectorcall protocol passes `PyVectorcall_NARGS` valid objects.
    unsafe {
        if nargs(nargsf) < least {
            raise_type_error(c"hook called with too few arguments");
            return None;
        }
        let number = ffi::PyLong_AsSsize_t(*args);
        match usize::try_from(number) {
            Ok(number) if number < table().sites.len() => Some(number),
            _ => {
                if ffi::PyErr_Occurred().is_null() {
                    raise_type_error(c"no such site");
                }
                None
            }
        }
    }
}

fn nargs(nargsf: usize) -> usize {
    nargsf & !(1 << (usize::BITS - 1))
}

unsafe fn raise_type_error(message: &CStr) {
    // SAFETY: the GIL is held.
    unsafe { ffi::PyErr_SetString(ffi::PyExc_TypeError, message.as_ptr()) };
}

/// `_j_[line]`: marks and is true.
unsafe extern "C" fn mark_line(_this: *mut PyObject, key: *mut PyObject) -> *mut PyObject {
    // SAFETY: `key` is an object; the result is a new reference to `True`.
    unsafe {
        let line = ffi::PyLong_AsSsize_t(key);
        if line == -1 && !ffi::PyErr_Occurred().is_null() {
            return ptr::null_mut();
        }
        table().marks.mark(line as usize);
        ffi::Py_NewRef(ffi::Py_True())
    }
}

unsafe extern "C" fn name_hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: vectorcall protocol; borrowed references stay alive through their dictionaries.
    unsafe {
        let Some(number) = site_of(args, nargsf, 1) else {
            return ptr::null_mut();
        };
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
                return ffi::Py_NewRef(found);
            }
        }
        let found = ffi::PyDict_GetItemWithError(ffi::PyEval_GetBuiltins(), site.name);
        if !found.is_null() {
            return ffi::Py_NewRef(found);
        }
        if !ffi::PyErr_Occurred().is_null() {
            return ptr::null_mut();
        }
        if let Some(engine) = table().engine {
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

unsafe fn class_lookup(name: *mut PyObject) -> *mut PyObject {
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

unsafe fn raise_name_error(name: *mut PyObject) {
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
        if ffi::PyObject_SetAttrString(error, c"name".as_ptr(), name) < 0 {
            ffi::PyErr_Clear();
        }
        ffi::PyErr_SetObject(ffi::PyExc_NameError, error);
        ffi::Py_DECREF(error);
    }
}

/// True unless the variable is unbound and the engine has a value for it.
unsafe extern "C" fn bound_hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: vectorcall protocol.
    unsafe {
        let Some(number) = site_of(args, nargsf, 1) else {
            return ptr::null_mut();
        };
        let Some(engine) = table().engine else {
            return ffi::Py_NewRef(ffi::Py_True());
        };
        let site = &mut table().sites[number];
        match locals::is_bound(site.name, &mut site.slot) {
            Some(true) => ffi::Py_NewRef(ffi::Py_True()),
            Some(false) => call_engine(engine.bound, &[*args]),
            None => ptr::null_mut(),
        }
    }
}

unsafe extern "C" fn attribute_hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: vectorcall protocol.
    unsafe {
        let Some(number) = site_of(args, nargsf, 2) else {
            return ptr::null_mut();
        };
        read_attribute(number, *args, *args.add(1))
    }
}

unsafe fn read_attribute(number: usize, site: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the objects are alive; the GIL is held.
    unsafe {
        let table = table();
        let name = table.sites[number].name;
        let Some(engine) = table.engine else {
            return ffi::PyObject_GetAttr(object, name);
        };
        let kind = ffi::Py_TYPE(object).cast::<PyObject>();
        if kind == table.stand_in || kind == table.stand_in_module {
            return call_engine(engine.attribute, &[site, object]);
        }
        let found = ffi::PyObject_GetAttr(object, name);
        if found.is_null() { attribute_failed(site, object) } else { found }
    }
}

/// An exception is set; the engine may have a value instead of an AttributeError.
unsafe fn attribute_failed(site: *mut PyObject, object: *mut PyObject) -> *mut PyObject {
    // SAFETY: the objects are alive; the GIL is held.
    unsafe {
        match table().engine {
            Some(engine) if ffi::PyErr_ExceptionMatches(ffi::PyExc_AttributeError) != 0 => {
                second_chance(|error| call_engine(engine.attribute_failed, &[site, object, error]))
            }
            _ => ptr::null_mut(),
        }
    }
}

unsafe extern "C" {
    /// What CPython's own `LOAD_METHOD` uses: 1 and the plain function where it would have to be bound.
    fn _PyObject_GetMethod(object: *mut PyObject, name: *mut PyObject, method: *mut *mut PyObject) -> c_int;
    fn PyMethod_New(function: *mut PyObject, receiver: *mut PyObject) -> *mut PyObject;
}

/// A method read by `_b_` on its way to `_c_`: function and receiver, without a bound method between them.
#[repr(C)]
struct MethodObject {
    head: PyObject,
    function: *mut PyObject,
    receiver: *mut PyObject,
}

unsafe extern "C" fn free_method(object: *mut PyObject) {
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

unsafe extern "C" fn method_hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
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
unsafe fn new_method(table: &mut Table, function: *mut PyObject, receiver: *mut PyObject) -> *mut PyObject {
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
        (*method).receiver = ffi::Py_NewRef(receiver);
        method.cast()
    }
}

unsafe extern "C" fn call_hook(_: *mut PyObject, args: Args, nargsf: usize, names: *mut PyObject) -> *mut PyObject {
    // SAFETY: vectorcall protocol. The callee may use the slot before its first argument, which is the callee's
    // own place in our arguments.
    unsafe {
        let Some(number) = site_of(args, nargsf, 2) else {
            return ptr::null_mut();
        };
        let _ = number;
        let callee = *args.add(1);
        let count = nargs(nargsf) - 2;
        if ffi::Py_TYPE(callee).cast::<PyObject>() != table().method_type {
            return call(*args, callee, args.add(2), count, names, ptr::null_mut());
        }
        // The receiver goes where its own handle lies, right before the arguments; the handle is put back after.
        let method = callee.cast::<MethodObject>();
        let place = args.add(1).cast_mut();
        *place = (*method).receiver;
        let result = call(*args, (*method).function, place, count + 1, names, (*method).receiver);
        *place = callee;
        result
    }
}

/// `receiver` is null unless `callee` is a plain function that gets it as its first argument.
unsafe fn call(
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
        let Some(engine) = table.engine else {
            return vectorcall(callee, args, count, names);
        };
        if ffi::Py_TYPE(callee).cast::<PyObject>() == table.stand_in {
            return with_arguments(args, count, names, |positional, keywords| {
                call_engine(engine.call, &[site, callee, positional, keywords])
            });
        }
        let result = vectorcall(callee, args, count, names);
        if result.is_null() && ffi::PyErr_ExceptionMatches(ffi::PyExc_Exception) != 0 {
            return second_chance(|error| {
                with_arguments(args, count, names, |positional, keywords| {
                    if receiver.is_null() {
                        return call_engine(engine.call_failed, &[site, callee, positional, keywords, error]);
                    }
                    let bound = PyMethod_New(callee, receiver);
                    if bound.is_null() {
                        return bound;
                    }
                    let answer = call_engine(engine.call_failed, &[site, bound, positional, keywords, error]);
                    ffi::Py_DECREF(bound);
                    answer
                })
            });
        }
        result
    }
}

/// Calls as CPython's specialised instructions do: builtin functions that take their arguments as an array are
/// called without counting against the recursion limit.
unsafe fn vectorcall(callee: *mut PyObject, args: Args, count: usize, names: *mut PyObject) -> *mut PyObject {
    // SAFETY: `args` as in `call`; the function pointer has the signature that its flags announce.
    unsafe {
        if ffi::PyCFunction_CheckExact(callee) != 0 {
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
        if callee == table().list_append && count == 2 && names.is_null() && ffi::PyList_CheckExact(*args) != 0 {
            let failed = ffi::PyList_Append(*args, *args.add(1)) < 0;
            return if failed { ptr::null_mut() } else { ffi::Py_NewRef(ffi::Py_None()) };
        }
        ffi::PyObject_Vectorcall(callee, args, count | ARGUMENTS_OFFSET, names)
    }
}

const ARGUMENTS_OFFSET: usize = 1 << (usize::BITS - 1);

/// Calls `use_them` with a tuple of the positional arguments and a dictionary of the others.
unsafe fn with_arguments(
    args: Args,
    count: usize,
    names: *mut PyObject,
    use_them: impl FnOnce(*mut PyObject, *mut PyObject) -> *mut PyObject,
) -> *mut PyObject {
    // SAFETY: `args` as in `call`; the tuple and the dictionary own their references.
    unsafe {
        let positional = ffi::PyTuple_New(count as Py_ssize_t);
        let keywords = ffi::PyDict_New();
        if positional.is_null() || keywords.is_null() {
            return ptr::null_mut();
        }
        for index in 0..count {
            ffi::PyTuple_SET_ITEM(positional, index as Py_ssize_t, ffi::Py_NewRef(*args.add(index)));
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

/// Takes the current exception and asks the engine. `NotImplemented` means that it stands.
unsafe fn second_chance(ask: impl FnOnce(*mut PyObject) -> *mut PyObject) -> *mut PyObject {
    // SAFETY: an exception is set; it is either restored or dropped.
    unsafe {
        let (mut kind, mut value, mut traceback) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        ffi::PyErr_Fetch(&raw mut kind, &raw mut value, &raw mut traceback);
        ffi::PyErr_NormalizeException(&raw mut kind, &raw mut value, &raw mut traceback);
        if !traceback.is_null() {
            ffi::PyException_SetTraceback(value, traceback);
        }
        let answer = ask(value);
        if answer == ffi::Py_NotImplemented() {
            ffi::Py_DECREF(answer);
            ffi::PyErr_Restore(kind, value, traceback);
            return ptr::null_mut();
        }
        ffi::Py_XDECREF(kind);
        ffi::Py_XDECREF(value);
        ffi::Py_XDECREF(traceback);
        answer
    }
}

unsafe fn call_engine(method: *mut PyObject, args: &[*mut PyObject]) -> *mut PyObject {
    // SAFETY: `method` and the arguments are alive.
    unsafe { ffi::PyObject_Vectorcall(method, args.as_ptr(), args.len(), ptr::null_mut()) }
}

/// A hook that hands its value through unless the engine replaces it.
macro_rules! pass_through {
    ($name:ident, $entry:ident) => {
        unsafe extern "C" fn $name(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
            // SAFETY: vectorcall protocol.
            unsafe {
                let Some(number) = site_of(args, nargsf, 2) else {
                    return ptr::null_mut();
                };
                let table = table();
                table.marks.mark(table.sites[number].marks as usize);
                match table.engine {
                    Some(engine) => call_engine(engine.$entry, &[*args, *args.add(1)]),
                    None => ffi::Py_NewRef(*args.add(1)),
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

unsafe extern "C" fn import_hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: vectorcall protocol; the number is checked by the engine.
    unsafe {
        match table().engine {
            Some(engine) if nargs(nargsf) == 1 => call_engine(engine.import_from, &[*args]),
            _ => ffi::Py_NewRef(ffi::Py_None()),
        }
    }
}

unsafe extern "C" fn pattern_hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: vectorcall protocol.
    unsafe {
        if site_of(args, nargsf, 3).is_none() {
            return ptr::null_mut();
        }
        match table().engine {
            Some(engine) => call_engine(engine.pattern, &[*args, *args.add(1), *args.add(2)]),
            None => ffi::Py_NewRef(*args.add(2)),
        }
    }
}

/// `item in container`; a stand-in may be looked for in a string.
unsafe extern "C" fn membership_hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
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
            0 => ffi::Py_NewRef(ffi::Py_False()),
            1 => ffi::Py_NewRef(ffi::Py_True()),
            _ => ptr::null_mut(),
        }
    }
}

unsafe extern "C" fn metaclass_hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
    // SAFETY: vectorcall protocol.
    unsafe {
        if nargs(nargsf) != 1 {
            raise_type_error(c"hook takes one value");
            return ptr::null_mut();
        }
        match table().engine {
            Some(engine) => call_engine(engine.metaclass, &[*args]),
            None => ffi::Py_NewRef(*args),
        }
    }
}

/// The number of values that an unpacking site must give; `None` for other roles.
pub(crate) fn unpacked(role: Role) -> Option<u16> {
    if let Role::Unpacked(count) = role { Some(count) } else { None }
}

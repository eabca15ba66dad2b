//! The native hooks that rewritten code calls.
//!
//! Hooks are objects of a type of our own with a vectorcall slot: no Python frame, no argument tuple, and none of
//! the recursion accounting that CPython does for its builtin functions, so that programs reach exactly the depth
//! they reach without us. All state lives in one [`Table`], set up before the rewritten code runs and never freed.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;

use pyo3::ffi::{self, Py_ssize_t, PyObject};
use surmise_instrument::hooks::{ALL, Hook};
use surmise_instrument::{HookNames, Site};

use super::coverage::LineMarks;
use super::locals;

mod adapt;
mod calls;
mod objects;
mod reads;

use adapt::{
    augmented_hook, await_hook, decorator_hook, except_hook, import_hook, membership_hook, metaclass_hook,
    pattern_hook, raise_hook,
};
use calls::call_hook;
use objects::{MethodObject, PyMethod_New, instance, method_hook, new_hook_type, new_mark_type, new_method_type};
use reads::{attribute_failed, attribute_hook, bound_hook, name_hook, read_attribute};

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
    /// `open`.
    open: *mut PyObject,
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
        let open = ffi::PyDict_GetItemString(builtins, c"open".as_ptr());
        let method_type = new_method_type()?;
        let spare_methods = Vec::new();
        let table = Table {
            sites,
            marks: setup.marks,
            stand_in,
            stand_in_module,
            engine,
            list_append,
            open,
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
        crate::worker::new_ref(ffi::Py_True())
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

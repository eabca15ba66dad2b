//! The native hooks that rewritten code calls.
//!
//! Hooks are called by vectorcall (`surmise_interpreter::vectorcall`): they take no frame and no depth of the program's.
//! All state lives in one [`Table`], set up before the rewritten code runs and never freed. A hook may call Python, which
//! may call a hook: so the table is only ever shared, and what changes in it lies in cells.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_int};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi::compat::Py_NewRef;
use pyo3::ffi::{self, Py_ssize_t, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use surmise_instrument::hooks::Hook;
use surmise_instrument::{Role, Site};
use surmise_interpreter::exceptions;
use surmise_interpreter::frames::{self, Slot};
use surmise_interpreter::vectorcall::{Args, PyMethod_New, hook_type, new_hook, new_instance};

use super::coverage::LineMarks;
use super::frameless;
use crate::protocol::Program;

mod adapt;
mod calls;
mod objects;
mod reads;

use calls::call_hook;
use objects::{MethodObject, new_mark_type, new_method_type};
use reads::{attribute_failed, read_attribute};

/// What the hooks know while a program runs.
pub(crate) struct Table {
    sites: Vec<SiteState>,
    marks: LineMarks,
    /// Types whose attribute reads and calls always go to the engine; null while nothing is injected.
    stand_in: Cell<*mut PyObject>,
    stand_in_module: Cell<*mut PyObject>,
    engine: Cell<Option<Engine>>,
    /// `list.append`, which CPython specialises.
    list_append: *mut PyObject,
    /// `open`.
    open: *mut PyObject,
    /// `str.join`, and what a string has under this name.
    join: *mut PyObject,
    join_of_text: *mut PyObject,
    /// True for a function in its imported module: the engine is asked about what is empty there.
    in_place: Cell<bool>,
    /// `isinstance`.
    isinstance: *mut PyObject,
    /// The type of [`MethodObject`].
    method_type: *mut PyObject,
    /// Freed ones, for the next method call.
    spare_methods: RefCell<Vec<*mut MethodObject>>,
}

struct SiteState {
    /// Interned name.
    name: *mut PyObject,
    marks: u32,
    in_class: bool,
    /// Where the variable lies in its frame, once known.
    slot: Cell<Slot>,
    /// True if the code looks for elements in the value, or raises where it is not as it should be.
    checked: bool,
    /// True if the trial has a value for it, also where the imported module has one.
    replaced: Cell<bool>,
}

macro_rules! entry_points {
    ($($name:ident)*) => {
        /// The engine's entry points (see `runtime/engine.py`).
        #[derive(Clone, Copy)]
        struct Engine {
            $($name: *mut PyObject,)*
        }

        impl Engine {
            fn of(engine: &Bound<'_, PyAny>) -> PyResult<Self> {
                Ok(Self { $($name: engine.getattr(stringify!($name))?.into_ptr(),)* })
            }
        }
    };
}

entry_points! {
    name bound attribute attribute_failed augmented call call_failed decorator awaited caught raised import_from pattern
    contains metaclass replaced_attribute replaced_call
    is_instance unlikely_attribute unlikely_result tolerant
}

impl Table {
    /// The engine that answers for what is missing, once there is one.
    fn engine(&self) -> Option<Engine> {
        self.engine.get()
    }

    /// The state of a site, by the number that a hook was given.
    fn state(&self, site: *mut PyObject) -> Option<&SiteState> {
        // SAFETY: hooks pass the number of their site, which was checked.
        let number = unsafe { ffi::PyLong_AsSsize_t(site) };
        self.sites.get(usize::try_from(number).ok()?)
    }

    /// True if the engine is asked at a site whatever is there.
    fn is_replaced(&self, site: *mut PyObject) -> bool {
        self.state(site).is_some_and(|site| site.replaced.get())
    }

    /// True if the code asks more of a value than most code does.
    fn is_checked(&self, site: *mut PyObject) -> bool {
        self.state(site).is_some_and(|site| site.checked)
    }

    /// True for stand-ins and missing modules.
    fn is_stand_in(&self, object: *mut PyObject) -> bool {
        // SAFETY: hooks pass live objects.
        let kind = unsafe { ffi::Py_TYPE(object) }.cast::<PyObject>();
        kind == self.stand_in.get() || kind == self.stand_in_module.get()
    }
}

/// The table of this process, which [`install`] sets once.
static TABLE: AtomicPtr<Table> = AtomicPtr::new(ptr::null_mut());

/// The table of this process.
///
/// # Safety
/// [`install`] must have run, and the GIL must be held: as in every hook.
unsafe fn table<'a>() -> &'a Table {
    // SAFETY: the table is leaked and only ever shared; its cells are used by the thread that holds the GIL.
    unsafe { &*TABLE.load(Ordering::Relaxed) }
}

#[repr(C)]
struct MarkObject {
    head: PyObject,
}

/// Puts the hooks into `builtins`.
///
/// # Safety
/// Called once a process, before any rewritten code runs.
pub(crate) unsafe fn install(program: &Program, marks: LineMarks, builtins: &Bound<'_, PyDict>) -> PyResult<()> {
    let py = builtins.py();
    let state = |(number, site): (u32, &Site)| SiteState {
        // Interned and kept: every object made here lives as long as the process.
        name: PyString::intern(py, identifier(&site.name)).into_ptr(),
        marks: site.marks,
        in_class: site.in_class,
        slot: Cell::default(),
        checked: program.guards.contains_key(&number) || is_searched(site.role),
        replaced: Cell::default(),
    };
    // SAFETY: the GIL is held; the list is never freed.
    let marks_list = unsafe { Bound::from_borrowed_ptr(py, marks.list()) };
    let table = Table {
        sites: (0..).zip(&program.sites).map(state).collect(),
        marks,
        stand_in: Cell::new(ptr::null_mut()),
        stand_in_module: Cell::new(ptr::null_mut()),
        engine: Cell::default(),
        list_append: py.get_type::<PyList>().getattr("append")?.into_ptr(),
        open: builtins.get_item("open")?.map_or(ptr::null_mut(), Bound::into_ptr),
        join: py.get_type::<PyString>().getattr("join")?.into_ptr(),
        join_of_text: PyString::new(py, "").getattr("join")?.into_ptr(),
        in_place: Cell::default(),
        isinstance: builtins.get_item("isinstance")?.map_or(ptr::null_mut(), Bound::into_ptr),
        method_type: new_method_type(py)?.into_ptr(),
        spare_methods: RefCell::default(),
    };
    TABLE.store(Box::into_raw(Box::new(table)), Ordering::Relaxed);
    let hook_type = hook_type(py)?;
    for &hook in Hook::ALL {
        let object = match hook {
            Hook::MarkStore => marks_list.clone(),
            // SAFETY: an instance is nothing but its head.
            Hook::MarkExpr => unsafe { new_instance(&new_mark_type(py)?) }?,
            // SAFETY: the type of hooks.
            _ => unsafe { new_hook(&hook_type, function_of(hook)) }?,
        };
        builtins.set_item(program.hooks.name(hook), object)?;
    }
    Ok(())
}

/// Lets an engine answer for what is missing; until then everything is as in plain Python. The engine is also asked at the
/// sites `replaced`, what they read there or not.
pub(crate) fn give_engine(engine: &Bound<'_, PyAny>, in_place: bool, replaced: &[usize]) -> PyResult<()> {
    // SAFETY: `install` was called when the program was loaded; objects of Python are there, so the GIL is held.
    let table = unsafe { table() };
    let types = engine.getattr("types")?;
    table.stand_in.set(types.getattr("StandIn")?.into_ptr());
    table.stand_in_module.set(types.getattr("Module")?.into_ptr());
    table.in_place.set(in_place);
    // Most are not, and to write to them would copy the memory in which they lie.
    for site in table.sites.iter().filter(|site| site.replaced.get()) {
        site.replaced.set(false);
    }
    for site in replaced.iter().filter_map(|&site| table.sites.get(site)) {
        site.replaced.set(true);
    }
    table.engine.set(Some(Engine::of(engine)?));
    Ok(())
}

/// Identifiers cannot hold NUL bytes; a hostile table's are cut there.
fn identifier(name: &str) -> &str {
    name.split('\0').next().unwrap_or_default()
}

/// The native function of a hook. `site N` hooks take N arguments or more, of which the first is the number of a site;
/// their body gets that number and the arguments. `plain N` hooks take N arguments, which their body gets. Hooks that are
/// called by hand with nonsense raise an exception.
macro_rules! native {
    (site $least:literal, $body:path $(, $more:expr)*) => {{
        unsafe extern "C" fn hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
            // SAFETY: the vectorcall protocol, with so many arguments.
            unsafe {
                match site_of(args, nargsf, $least) {
                    Some(number) => $body(number, args $(, $more)*),
                    None => ptr::null_mut(),
                }
            }
        }
        hook
    }};
    (plain $count:literal, $body:path $(, $more:expr)*) => {{
        unsafe extern "C" fn hook(_: *mut PyObject, args: Args, nargsf: usize, _: *mut PyObject) -> *mut PyObject {
            // SAFETY: the vectorcall protocol, with so many arguments.
            unsafe {
                if nargs(nargsf) != $count {
                    raise_type_error(c"hook called with too few or too many arguments");
                    return ptr::null_mut();
                }
                $body(args $(, $more)*)
            }
        }
        hook
    }};
}

/// The native function of a hook; line marks are no functions.
fn function_of(hook: Hook) -> ffi::vectorcallfunc {
    match hook {
        Hook::Name => native!(site 1, reads::name),
        Hook::Bound => native!(site 1, reads::is_bound),
        Hook::Attribute => native!(site 2, reads::attribute),
        Hook::Method => native!(site 2, objects::method),
        Hook::Call => call_hook,
        Hook::Decorator => native!(site 2, adapt::marked, |engine| engine.decorator),
        Hook::Await => native!(site 2, adapt::marked, |engine| engine.awaited),
        Hook::Except => native!(site 2, adapt::marked, |engine| engine.caught),
        Hook::Raise => native!(site 2, adapt::marked, |engine| engine.raised),
        Hook::AugmentedAttribute => native!(site 2, adapt::augmented),
        Hook::ImportFrom => native!(plain 1, adapt::import_from),
        Hook::Pattern => native!(site 3, adapt::pattern),
        Hook::Membership => native!(plain 2, adapt::contains),
        Hook::Metaclass | Hook::MarkStore | Hook::MarkExpr => {
            native!(plain 1, adapt::handed_through, 1, |engine| engine.metaclass)
        }
        Hook::Tolerant => native!(plain 1, adapt::tolerant),
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
    // SAFETY: arithmetic on the number.
    unsafe { ffi::PyVectorcall_NARGS(nargsf) as usize }
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
        Py_NewRef(ffi::Py_True())
    }
}

/// Takes the current exception and asks the engine. `NotImplemented` means that it stands.
unsafe fn second_chance(ask: impl FnOnce(*mut PyObject) -> *mut PyObject) -> *mut PyObject {
    // SAFETY: an exception is set; it is either restored or dropped.
    unsafe {
        let error = exceptions::take();
        let answer = ask(error);
        if answer != ffi::Py_NotImplemented() {
            ffi::Py_DECREF(error);
            return answer;
        }
        ffi::Py_DECREF(answer);
        exceptions::restore(error);
        ptr::null_mut()
    }
}

/// True where the code looks for elements in a value.
fn is_searched(role: Role) -> bool {
    let iterated = matches!(role, Role::Iterated | Role::IteratedInParts | Role::IteratedDeep);
    iterated || matches!(role, Role::Subscripted | Role::Indexed(_))
}

/// True for None and empty containers.
unsafe fn is_empty(value: *mut PyObject) -> bool {
    // SAFETY: the object is alive.
    unsafe {
        value == ffi::Py_None()
            || ffi::PyList_CheckExact(value) != 0 && ffi::PyList_GET_SIZE(value) == 0
            || ffi::PyDict_CheckExact(value) != 0 && ffi::PyDict_Size(value) == 0
            || ffi::PyTuple_CheckExact(value) != 0 && ffi::PyTuple_GET_SIZE(value) == 0
            || ffi::Py_TYPE(value) == &raw mut ffi::PySet_Type && ffi::PySet_Size(value) == 0
    }
}

/// What the engine has in place of a real value, or null with an exception; nothing where the real one is read.
unsafe fn replaced(method: *mut PyObject, args: &[*mut PyObject]) -> Option<*mut PyObject> {
    // SAFETY: `method` and the arguments are alive.
    unsafe {
        let answer = call_engine(method, args);
        if answer == ffi::Py_NotImplemented() {
            ffi::Py_DECREF(answer);
            return None;
        }
        Some(answer)
    }
}

/// Calls a method of the engine.
unsafe fn call_engine(method: *mut PyObject, args: &[*mut PyObject]) -> *mut PyObject {
    // SAFETY: `method` and the arguments are alive.
    unsafe { frameless::call(method, args.as_ptr(), args.len(), ptr::null_mut()) }
}

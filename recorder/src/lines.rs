//! Records the lines of selected functions in the order in which they run, for each test, and the values that they read.
//!
//! A selected function calls a hook when it is entered, and from there to its return the line events of its frame are
//! recorded. Nothing is traced while no selected function runs, and nothing at all if the program traces itself.

use std::cell::RefCell;
use std::ffi::{CStr, c_int};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::ptr;

use pyo3::ffi::compat::Py_NewRef;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Maximum number of calls of a function that are recorded for a test.
const CALLS: u32 = 4;
const LINES: usize = 2000;
/// Maximum number of values of a call that are recorded.
const VALUES: usize = 1000;
/// Maximum number of frames in which the name of the test is searched for.
const FRAMES: usize = 200;

/// One call of a selected function, as a line of `PID.lines`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// pytest's name of the test, or else file and name of the outermost function named like a test; empty outside
    /// tests.
    pub test: String,
    /// File of the function.
    pub file: String,
    /// Qualified name of the function.
    pub function: String,
    /// Lines in the order in which they ran.
    pub lines: Vec<u32>,
    /// Whether more lines ran than were recorded.
    pub cut: bool,
    /// The value that the call first read at each site, in the order in which they were read; none unless they are
    /// asked for.
    #[serde(default)]
    pub values: Vec<CallValue>,
}

/// A value that a call read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallValue {
    /// Number of the site in the recording.
    pub site: u32,
    /// Class of the value, by its place in [`crate::layout::CLASSES`].
    pub class: u8,
    /// The value itself, if it is a short string or a number: the string, or the number as `repr` prints it.
    pub literal: Option<String>,
    /// Length of a container or a string.
    pub length: Option<u32>,
}

struct Active {
    frame: *mut ffi::PyFrameObject,
    call: Call,
    /// Sites whose values the call has.
    read: FxHashSet<u32>,
}

thread_local! {
    static ACTIVE: RefCell<Vec<Active>> = const { RefCell::new(Vec::new()) };
    static COUNTS: RefCell<FxHashMap<(String, String), u32>> = RefCell::default();
}

/// Installs the hook in `builtins`.
pub(crate) fn install(py: Python<'_>, spool: PathBuf) -> PyResult<()> {
    let gettrace = py.import("sys")?.getattr("gettrace")?.unbind();
    let hook = PyCFunction::new_closure(
        py,
        Some(c"_surmise_lines_"),
        None,
        move |arguments: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>| -> PyResult<()> {
            let py = arguments.py();
            let traced = gettrace.bind(py).call0().is_ok_and(|tracer| !tracer.is_none());
            let function = arguments.get_item(0).and_then(|name| name.extract::<String>());
            if let (Ok(function), false) = (function, traced && ACTIVE.with_borrow(Vec::is_empty)) {
                let before: Vec<u32> = arguments.iter().skip(1).filter_map(|line| line.extract().ok()).collect();
                // SAFETY: the GIL is held; a hook is called from a running frame.
                unsafe { enter(py, function, before, &spool) };
            }
            Ok(())
        },
    )?;
    py.import("builtins")?.setattr(surmise_instrument::record::LINES_HOOK, hook)
}

unsafe fn enter(py: Python<'_>, function: String, before: Vec<u32>, spool: &std::path::Path) {
    // SAFETY: new references to the running frame and its code, both released or kept until the function returns.
    unsafe {
        let frame = ffi::PyThreadState_GetFrame(ffi::PyThreadState_Get());
        if frame.is_null() {
            return;
        }
        // The hook is called in each iteration if the first statement is a loop.
        let again = ACTIVE.with_borrow(|active| active.last().is_some_and(|last| last.frame == frame));
        let test = test_name(frame);
        let key = (test.clone(), function.clone());
        let calls = COUNTS.with_borrow(|counts| counts.get(&key).copied().unwrap_or(0));
        if again || calls >= CALLS {
            ffi::Py_DECREF(frame.cast());
            return;
        }
        COUNTS.with_borrow_mut(|counts| *counts.entry(key).or_default() += 1);
        let mut lines = before;
        lines.push(ffi::PyFrame_GetLineNumber(frame) as u32);
        let call = Call { test, file: file_of(frame), function, lines, cut: false, values: Vec::new() };
        let first = ACTIVE.with_borrow_mut(|active| {
            active.push(Active { frame, call, read: FxHashSet::default() });
            active.len() == 1
        });
        if first {
            let path = spool.join(format!("{}.lines", std::process::id()));
            // The trace function receives the path as its argument.
            let path = pyo3::types::PyString::new(py, &path.to_string_lossy());
            ffi::PyEval_SetTrace(Some(event), path.as_ptr());
        }
    }
}

/// Notes what the innermost recorded call read at a site, if that call is running and has no value of the site yet.
/// Comprehensions and lambdas of the function belong to it.
pub(crate) unsafe fn note(site: u32, value: impl FnOnce() -> CallValue) {
    let wanted = |active: &[Active]| {
        let last = active.last().filter(|last| last.call.values.len() < VALUES && !last.read.contains(&site))?;
        Some(last.frame)
    };
    let Some(frame) = ACTIVE.with_borrow(|active| wanted(active)) else {
        return;
    };
    // SAFETY: the GIL is held; the frame of an active call is kept until it ends.
    if !unsafe { is_running(frame) } {
        return;
    }
    let value = value();
    ACTIVE.with_borrow_mut(|active| {
        if let Some(last) = active.last_mut().filter(|last| last.frame == frame) {
            last.read.insert(site);
            last.call.values.push(value);
        }
    });
}

/// True if the running frame is this one, or that of a comprehension or lambda that it runs.
unsafe fn is_running(frame: *mut ffi::PyFrameObject) -> bool {
    // SAFETY: new references to frames, released on each way out.
    unsafe {
        let mut at = ffi::PyThreadState_GetFrame(ffi::PyThreadState_Get());
        while !at.is_null() && at != frame && code_text(at, c"co_name").starts_with('<') {
            let back = ffi::PyFrame_GetBack(at);
            ffi::Py_DECREF(at.cast());
            at = back;
        }
        let found = at == frame;
        ffi::Py_XDECREF(at.cast());
        found
    }
}

unsafe extern "C" fn event(
    path: *mut PyObject,
    frame: *mut ffi::PyFrameObject,
    what: c_int,
    _argument: *mut PyObject,
) -> c_int {
    if what != ffi::PyTrace_LINE && what != ffi::PyTrace_RETURN {
        return 0;
    }
    let ours = ACTIVE.with_borrow(|active| active.last().is_some_and(|last| last.frame == frame));
    if !ours {
        return 0;
    }
    if what == ffi::PyTrace_LINE {
        // SAFETY: a live frame.
        let line = unsafe { ffi::PyFrame_GetLineNumber(frame) } as u32;
        ACTIVE.with_borrow_mut(|active| {
            if let Some(last) = active.last_mut() {
                last.call.cut |= last.call.lines.len() >= LINES;
                if !last.call.cut {
                    last.call.lines.push(line);
                }
            }
        });
        return 0;
    }
    let (ended, left) = ACTIVE.with_borrow_mut(|active| (active.pop(), active.len()));
    // SAFETY: the GIL is held; the frame was kept since `enter`.
    unsafe {
        if let Some(ended) = ended {
            if let Some(path) = crate::classify::utf8(path) {
                keep(&path, &ended.call);
            }
            ffi::Py_DECREF(ended.frame.cast());
        }
        if left == 0 {
            ffi::PyEval_SetTrace(None, ptr::null_mut());
        }
    }
    0
}

/// Appends one call to the file; it is lost if the disk is full.
fn keep(path: &str, call: &Call) {
    let Ok(mut line) = serde_json::to_vec(call) else {
        return;
    };
    line.push(b'\n');
    let file = OpenOptions::new().append(true).create(true).open(path);
    let _lost = file.and_then(|mut file| file.write_all(&line));
}

/// Name of the running test.
unsafe fn test_name(frame: *mut ffi::PyFrameObject) -> String {
    // pytest sets the environment variable through `os.environ`, which passes it on to the C library.
    // SAFETY: the GIL is held, and only `os.environ` changes the environment.
    unsafe {
        let current = libc::getenv(c"PYTEST_CURRENT_TEST".as_ptr());
        if !current.is_null() {
            let text = CStr::from_ptr(current).to_string_lossy();
            return text.rsplit_once(" (").map_or_else(|| text.to_string(), |(test, _phase)| test.to_owned());
        }
        let mut found = String::new();
        let mut at = Py_NewRef(frame.cast()).cast::<ffi::PyFrameObject>();
        for _ in 0..FRAMES {
            if at.is_null() {
                break;
            }
            let name = code_text(at, c"co_name");
            if name.starts_with("test") {
                found = format!("{}::{name}", file_of(at));
            }
            let back = ffi::PyFrame_GetBack(at);
            ffi::Py_DECREF(at.cast());
            at = back;
        }
        ffi::Py_XDECREF(at.cast());
        found
    }
}

unsafe fn file_of(frame: *mut ffi::PyFrameObject) -> String {
    // SAFETY: as for `code_text`.
    unsafe { code_text(frame, c"co_filename") }
}

unsafe fn code_text(frame: *mut ffi::PyFrameObject, name: &CStr) -> String {
    // SAFETY: a live frame has a code object, whose attributes are plain strings.
    unsafe {
        let code = ffi::PyFrame_GetCode(frame);
        let text = ffi::PyObject_GetAttrString(code.cast(), name.as_ptr());
        let found = crate::classify::utf8(text).unwrap_or_default();
        ffi::Py_XDECREF(text);
        ffi::Py_DECREF(code.cast());
        found
    }
}

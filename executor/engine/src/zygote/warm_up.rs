//! What is imported and made once, before the processes that need it are forked.

use pyo3::prelude::*;
use surmise_instrument::LineIndex;

use crate::worker::{Native, Runtime};

/// What every run would import or make first, and the collector's youngest generations out of the way.
pub(super) fn warm_up(py: Python<'_>, runtime: &Runtime) -> PyResult<()> {
    for module in ["importlib.machinery", "atexit", "warnings"] {
        py.import(module)?;
    }
    // As programs have `exit`, `help` and the like, though `site` has not prepared this interpreter.
    let site = py.import("site")?;
    for builtins in ["setquit", "setcopyright", "sethelper"] {
        site.call_method0(builtins)?;
    }
    // The first use of `compile` makes the classes of all syntax nodes.
    let code = py.import("builtins")?.call_method1("compile", ("a = 1", "<surmise>", "exec", 0, true))?;
    runtime.program.bind(py).call_method1("line_table", (code,))?;
    py.get_type::<Native>();
    // What it searches lines with asks the processor once what it has, which a virtual machine answers slowly.
    let _asked = LineIndex::new("a\n");
    py.import("gc")?.call_method0("freeze")?;
    Ok(())
}

/// What runs that fail would import, and those that read docstrings would compile. Not before the first one: it may do
/// neither, and be the only one.
pub(super) fn warm_up_more(py: Python<'_>, runtime: &Runtime) -> PyResult<()> {
    for module in ["linecache", "traceback"] {
        py.import(module)?;
    }
    runtime.harness.bind(py).call_method0("prepare")?;
    py.import("gc")?.call_method0("freeze")?;
    Ok(())
}

/// Preloads modules of the standard library for the programs to come.
pub(super) fn preload(py: Python<'_>, runtime: &Runtime, body: &[u8]) -> PyResult<()> {
    let names: Vec<String> = serde_json::from_slice(body).unwrap_or_default();
    runtime.preloaded(py)?.call_method1("put", (names,))?;
    py.import("gc")?.call_method0("freeze")?;
    Ok(())
}

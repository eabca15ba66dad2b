//! The runtime's own Python, loaded once into the zygote.

use std::cell::RefCell;
use std::ffi::CString;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule};

use super::frameless::frameless;
use super::native::{Native, SiteRow};
use crate::protocol::Drawing;

/// Name, source and compiled code of each module.
static MODULES: &[(&str, &str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/runtime_modules.rs"));

/// The modules of `runtime/`.
pub(crate) struct Runtime {
    pub(crate) engine: Py<PyModule>,
    pub(crate) program: Py<PyModule>,
    pub(crate) harness: Py<PyModule>,
    preloaded_modules: Py<PyModule>,
    /// All modules so far: those that come after import them.
    loaded: RefCell<Vec<(&'static str, Py<PyModule>)>>,
}

impl Runtime {
    /// Loads what every run needs.
    pub(crate) fn load(py: Python<'_>) -> PyResult<Self> {
        let loaded = RefCell::default();
        let load = |names| load(py, &loaded, names).map(Bound::unbind);
        let engine = load(
            "preloaded_modules frames signatures standins compatible_names samples lines instances values incomplete classes imports named_values operations answers comparisons failed_calls predicted_arguments predicted unlikely engine",
        )?;
        let method = wrap_pyfunction!(frameless, py)?;
        load("standins")?.bind(py).call_method1("leave_no_frames", (method,))?;
        let (program, harness) = (
            load("arguments program")?,
            load("literals snapshots construct documented isolated_calls harness_values harness_results harness")?,
        );
        let preloaded_modules = load("preloaded_modules")?;
        // Made here once, and not by every run.
        py.get_type::<Native>();
        py.get_type::<SiteRow>();
        Ok(Self { engine, program, harness, preloaded_modules, loaded })
    }

    /// The modules that were imported before programs asked for them.
    pub(crate) fn preloaded<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.preloaded_modules.bind(py).getattr("PRELOADED")
    }

    /// The policy of comparisons. It imports modules that a program would see loaded, so only such runs load it.
    pub(crate) fn drawn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
        py.get_type::<Drawing>();
        load(
            py,
            &self.loaded,
            "lasting_state descriptions behaviour declared drawn_arguments drawn_files drawn_calls drawn_comparisons drawn_elements drawn_properties drawn",
        )
    }

    /// What a run needs in addition that a script is made of.
    pub(crate) fn recording<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
        load(py, &self.loaded, "nodes recording")
    }

    /// What a run of a comparison needs in addition that calls a function as tests do.
    pub(crate) fn called_by_tests<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
        load(py, &self.loaded, "fixtures like_pytest cases_of_tests called_by_tests")
    }

    /// What a run needs in addition that is traced.
    pub(crate) fn tracing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
        load(py, &self.loaded, "tracing")
    }

    /// What a template needs in addition whose function runs in its module.
    pub(crate) fn in_place<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
        load(py, &self.loaded, "mended_imports module_state in_place")
    }

    /// What runs need in addition that one process makes.
    pub(crate) fn series<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
        load(py, &self.loaded, "series")
    }

    /// What a run needs in addition that has modules beside it.
    pub(crate) fn companion_modules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
        load(py, &self.loaded, "companion_modules")
    }
}

/// Runs modules that did not run yet, each of which may import all before it, and takes them out of `sys.modules` again:
/// programs do not see them. The last one is returned.
fn load<'py>(
    py: Python<'py>,
    loaded: &RefCell<Vec<(&'static str, Py<PyModule>)>>,
    names: &'static str,
) -> PyResult<Bound<'py, PyModule>> {
    let mut loaded = loaded.borrow_mut();
    let last = |loaded: &[(&'static str, Py<PyModule>)]| {
        let last = loaded.iter().rfind(|(name, _)| names.ends_with(name));
        last.map(|(_, module)| module.bind(py).clone()).ok_or_else(|| PyImportError::new_err("no module was named"))
    };
    let is_loaded = |loaded: &[(&'static str, Py<PyModule>)], name| loaded.iter().any(|(known, _)| *known == name);
    if names.split(' ').all(|name| is_loaded(&loaded, name)) {
        return last(&loaded);
    }
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    for (name, module) in &*loaded {
        modules.set_item(key_of(name), module)?;
    }
    for name in names.split(' ') {
        if !is_loaded(&loaded, name) {
            loaded.push((name, module(py, name)?.unbind()));
        }
    }
    for (name, _) in &*loaded {
        modules.del_item(key_of(name))?;
    }
    last(&loaded)
}

fn key_of(name: &str) -> String {
    format!("_surmise_{name}")
}

/// Runs one of our modules, from the code that was compiled with this binary, or from its source where the interpreter
/// has another bytecode.
pub fn module<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    let found = MODULES.iter().find(|(known, ..)| *known == name);
    let &(_, source, code) =
        found.ok_or_else(|| PyImportError::new_err(format!("no module `{name}` in the runtime")))?;
    let key = CString::new(key_of(name))?;
    own_builtins(py, &key)?;
    match code.split_first_chunk::<4>() {
        // SAFETY: the GIL is held; the bytes are what `marshal` of a Python with the same magic number wrote.
        Some((magic, code)) if i64::from(u32::from_le_bytes(*magic)) == unsafe { ffi::PyImport_GetMagicNumber() } => unsafe {
            let length = code.len() as ffi::Py_ssize_t;
            let code =
                Bound::from_owned_ptr_or_err(py, ffi::PyMarshal_ReadObjectFromString(code.as_ptr().cast(), length))?;
            let module = ffi::PyImport_ExecCodeModule(key.as_ptr(), code.as_ptr());
            Ok(Bound::from_owned_ptr_or_err(py, module)?.cast_into::<PyModule>()?)
        },
        _ => {
            let file = CString::new(format!("<surmise {name}>"))?;
            PyModule::from_code(py, &CString::new(source)?, &file, &key)
        }
    }
}

/// Gives a module builtins of its own before it runs: programs may replace `isinstance` and the like in theirs.
fn own_builtins(py: Python<'_>, key: &CString) -> PyResult<()> {
    static OWN: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let own = OWN.get_or_try_init(py, || Ok::<_, PyErr>(py.import("builtins")?.dict().copy()?.unbind()))?;
    // SAFETY: the GIL is held; the module is borrowed from `sys.modules`, where it is put.
    let module = unsafe { Bound::from_borrowed_ptr_or_err(py, ffi::PyImport_AddModule(key.as_ptr()))? };
    module.cast_into::<PyModule>()?.dict().set_item("__builtins__", own)
}

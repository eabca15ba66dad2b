//! The runtime's own Python, loaded once into the zygote.

use std::ffi::CString;

use pyo3::prelude::*;
use pyo3::types::PyModule;

/// The modules of `src/runtime/`.
pub(crate) struct Runtime {
    pub(crate) standins: Py<PyModule>,
    pub(crate) engine: Py<PyModule>,
    pub(crate) imports: Py<PyModule>,
    pub(crate) program: Py<PyModule>,
    pub(crate) driving: Py<PyModule>,
}

impl Runtime {
    /// Compiles and runs the modules, which may import those before them, and takes them out of `sys.modules` again:
    /// programs do not see them.
    pub(crate) fn load(py: Python<'_>) -> PyResult<Self> {
        let load = |name: &str, source: &str| Ok::<_, PyErr>(module(py, name, source)?.unbind());
        load("situation", include_str!("../runtime/situation.py"))?;
        load("values", include_str!("../runtime/values.py"))?;
        load("answers", include_str!("../runtime/answers.py"))?;
        let runtime = Self {
            standins: load("standins", include_str!("../runtime/standins.py"))?,
            engine: load("engine", include_str!("../runtime/engine.py"))?,
            imports: load("imports", include_str!("../runtime/imports.py"))?,
            program: load("program", include_str!("../runtime/program.py"))?,
            driving: load("driving", include_str!("../runtime/driving.py"))?,
        };
        let modules = py.import("sys")?.getattr("modules")?;
        for name in ["situation", "values", "answers", "standins", "engine", "imports", "program", "driving"] {
            modules.call_method1("pop", (format!("_surmise_{name}"),))?;
        }
        Ok(runtime)
    }

    /// What a run needs in addition that a script is made of.
    pub(crate) fn recording(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
        module(py, "nodes", include_str!("../runtime/nodes.py"))?;
        let recording = module(py, "recording", include_str!("../runtime/recording.py"))?;
        let modules = py.import("sys")?.getattr("modules")?;
        for name in ["_surmise_nodes", "_surmise_recording"] {
            modules.call_method1("pop", (name,))?;
        }
        Ok(recording)
    }
}

/// Compiles and runs one of our modules.
pub(crate) fn module<'py>(py: Python<'py>, name: &str, source: &str) -> PyResult<Bound<'py, PyModule>> {
    let text = CString::new(source)?;
    let file = CString::new(format!("<surmise {name}>"))?;
    let key = CString::new(format!("_surmise_{name}"))?;
    PyModule::from_code(py, &text, &file, &key)
}

//! The runtime's own Python, loaded once into the zygote.

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
        let load = |name: &str, source: &str| -> PyResult<Py<PyModule>> {
            let text = std::ffi::CString::new(source)?;
            let file = std::ffi::CString::new(format!("<surmise {name}>"))?;
            let key = std::ffi::CString::new(format!("_surmise_{name}"))?;
            Ok(PyModule::from_code(py, &text, &file, &key)?.unbind())
        };
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
}

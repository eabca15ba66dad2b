//! The runtime's own Python, loaded once into the zygote.

use std::cell::OnceCell;
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
    /// All modules, by name: those of paired runs import them.
    loaded: Vec<(&'static str, Py<PyModule>)>,
    /// `paired` and `paired_driving`: only a comparison needs them, and every start would pay for them.
    paired: OnceCell<(Py<PyModule>, Py<PyModule>)>,
}

impl Runtime {
    /// Compiles and runs the modules, which may import those before them, and takes them out of `sys.modules` again:
    /// programs do not see them.
    pub(crate) fn load(py: Python<'_>) -> PyResult<Self> {
        let mut loaded = Vec::new();
        let mut load = |name: &'static str, source: &str| -> PyResult<Py<PyModule>> {
            let module = module(py, name, source)?.unbind();
            loaded.push((name, module.clone_ref(py)));
            Ok(module)
        };
        load("situation", include_str!("../runtime/situation.py"))?;
        load("values", include_str!("../runtime/values.py"))?;
        load("answers", include_str!("../runtime/answers.py"))?;
        let standins = load("standins", include_str!("../runtime/standins.py"))?;
        let engine = load("engine", include_str!("../runtime/engine.py"))?;
        let imports = load("imports", include_str!("../runtime/imports.py"))?;
        let program = load("program", include_str!("../runtime/program.py"))?;
        let driving = load("driving", include_str!("../runtime/driving.py"))?;
        forget(py, loaded.iter().map(|(name, _)| *name))?;
        Ok(Self { standins, engine, imports, program, driving, loaded, paired: OnceCell::new() })
    }

    /// The modules of paired runs: the engine's, and the one that calls the function. Loaded when first asked for.
    pub(crate) fn paired(&self, py: Python<'_>) -> PyResult<&(Py<PyModule>, Py<PyModule>)> {
        if let Some(paired) = self.paired.get() {
            return Ok(paired);
        }
        let modules = py.import("sys")?.getattr("modules")?;
        for (name, module) in &self.loaded {
            modules.set_item(format!("_surmise_{name}"), module)?;
        }
        py.import("inspect")?;
        module(py, "behaviour", include_str!("../runtime/behaviour.py"))?;
        module(py, "paired_standins", include_str!("../runtime/paired_standins.py"))?;
        module(py, "paired_values", include_str!("../runtime/paired_values.py"))?;
        let engine = module(py, "paired", include_str!("../runtime/paired.py"))?.unbind();
        let driving = module(py, "paired_driving", include_str!("../runtime/paired_driving.py"))?.unbind();
        let own = ["behaviour", "paired_standins", "paired_values", "paired", "paired_driving"];
        forget(py, self.loaded.iter().map(|(name, _)| *name).chain(own))?;
        Ok(self.paired.get_or_init(|| (engine, driving)))
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

fn forget<'a>(py: Python<'_>, names: impl Iterator<Item = &'a str>) -> PyResult<()> {
    let modules = py.import("sys")?.getattr("modules")?;
    for name in names {
        modules.call_method1("pop", (format!("_surmise_{name}"),))?;
    }
    Ok(())
}

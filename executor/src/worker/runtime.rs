//! The runtime's own Python, loaded once into the zygote.

use std::cell::OnceCell;
use std::ffi::CString;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyModule;

/// Name, source and compiled code of each module.
static MODULES: &[(&str, &str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/runtime_modules.rs"));

/// The modules of `src/runtime/`.
pub(crate) struct Runtime {
    pub(crate) standins: Py<PyModule>,
    pub(crate) engine: Py<PyModule>,
    pub(crate) imports: Py<PyModule>,
    pub(crate) program: Py<PyModule>,
    pub(crate) driving: Py<PyModule>,
    shelf: Py<PyModule>,
    /// All modules, by name: those of paired runs import them.
    loaded: Vec<(&'static str, Py<PyModule>)>,
    /// `paired` and `paired_driving`: only a comparison needs them, and every start would pay for them.
    paired: OnceCell<(Py<PyModule>, Py<PyModule>)>,
}

impl Runtime {
    /// Runs the modules, which may import those before them, and takes them out of `sys.modules` again:
    /// programs do not see them.
    pub(crate) fn load(py: Python<'_>) -> PyResult<Self> {
        let mut loaded = Vec::new();
        let mut load = |name: &'static str| -> PyResult<Py<PyModule>> {
            let module = module(py, name)?.unbind();
            loaded.push((name, module.clone_ref(py)));
            Ok(module)
        };
        load("situation")?;
        load("values")?;
        load("answers")?;
        let standins = load("standins")?;
        let engine = load("engine")?;
        let imports = load("imports")?;
        let program = load("program")?;
        load("signatures")?;
        let driving = load("driving")?;
        let shelf = load("shelf")?;
        forget(py, loaded.iter().map(|(name, _)| *name))?;
        Ok(Self { standins, engine, imports, program, driving, shelf, loaded, paired: OnceCell::new() })
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
        module(py, "behaviour")?;
        module(py, "paired_standins")?;
        module(py, "paired_values")?;
        module(py, "paired_parts")?;
        module(py, "paired_modules")?;
        let engine = module(py, "paired")?.unbind();
        let driving = module(py, "paired_driving")?.unbind();
        let own = [
            "behaviour",
            "paired_standins",
            "paired_values",
            "paired_parts",
            "paired_modules",
            "paired",
            "paired_driving",
        ];
        forget(py, self.loaded.iter().map(|(name, _)| *name).chain(own))?;
        Ok(self.paired.get_or_init(|| (engine, driving)))
    }

    /// The modules that were imported ahead.
    pub(crate) fn shelf<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.shelf.bind(py).getattr("SHELF")
    }

    /// What a run needs in addition that a script is made of.
    pub(crate) fn recording(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
        module(py, "nodes")?;
        let recording = module(py, "recording")?;
        let modules = py.import("sys")?.getattr("modules")?;
        for name in ["_surmise_nodes", "_surmise_recording"] {
            modules.call_method1("pop", (name,))?;
        }
        Ok(recording)
    }
}

/// Runs one of our modules, from the code that was compiled with this binary, or from its source where the interpreter
/// has another bytecode.
pub(crate) fn module<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    let found = MODULES.iter().find(|(known, ..)| *known == name);
    let &(_, source, code) =
        found.ok_or_else(|| PyImportError::new_err(format!("no module `{name}` in the runtime")))?;
    let key = CString::new(format!("_surmise_{name}"))?;
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

fn forget<'a>(py: Python<'_>, names: impl Iterator<Item = &'a str>) -> PyResult<()> {
    let modules = py.import("sys")?.getattr("modules")?;
    for name in names {
        modules.call_method1("pop", (format!("_surmise_{name}"),))?;
    }
    Ok(())
}

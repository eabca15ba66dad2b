//! Rewrites modules on import, by replacing `SourceFileLoader.get_code`.
//!
//! Loaders, specs and modules stay those of `importlib`; only the code differs. Nothing is written beside the
//! sources: rewritten code is cached in the recording's own folder, by the hash of the source.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyTuple};
use sha2::{Digest, Sha256};
use surmise_instrument::record::{Recording, record};
use surmise_instrument::{SourceModel, SourceRanges};
use surmise_interpreter::positions::remap;

use crate::config::{Config, Module, cache};
use crate::hook::recorder;
use crate::registry::Registry;
use crate::secrets;

/// State that the import of a module needs.
struct Loader {
    packages: Vec<String>,
    exclude: Vec<glob::Pattern>,
    /// Globs of functions (`module.qualname`) whose lines are recorded.
    lines: Vec<glob::Pattern>,
    cache: PathBuf,
    registry: Mutex<Registry>,
    decode: Py<PyAny>,
    compile: Py<PyAny>,
    marshal: Py<PyModule>,
    optimize: i32,
    /// The original `SourceLoader.get_code`.
    original: Py<PyAny>,
}

/// Replaces `get_code` for the modules that the configuration selects.
pub(crate) fn install(py: Python<'_>, config: &Config) -> PyResult<()> {
    // Always there, under this name: `importlib.machinery` would appear in `sys.modules` for the program to see.
    let importing = py.import("sys")?.getattr("modules")?.get_item("_frozen_importlib_external")?;
    let class = importing.getattr("SourceFileLoader")?;
    let loader = Loader {
        packages: config.packages.clone(),
        exclude: patterns(&config.exclude),
        lines: patterns(&config.lines),
        cache: cache(&config.spool),
        registry: Mutex::new(Registry::new(&config.spool)),
        decode: importing.getattr("decode_source")?.unbind(),
        compile: py.import("builtins")?.getattr("compile")?.unbind(),
        marshal: py.import("marshal")?.unbind(),
        optimize: py.import("sys")?.getattr("flags")?.getattr("optimize")?.extract()?,
        original: class.getattr("get_code")?.unbind(),
    };
    let get_code = PyCFunction::new_closure(
        py,
        Some(c"get_code"),
        Some(c"Concrete implementation of InspectLoader.get_code."),
        move |arguments: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>| loader.get_code(arguments, named),
    )?;
    // SAFETY: the GIL is held; makes the function bind to loaders as a method does.
    let method = unsafe { Bound::from_owned_ptr_or_err(py, PyInstanceMethod_New(get_code.as_ptr()))? };
    class.setattr("get_code", method)
}

/// Takes `get_code` away from `SourceFileLoader`, which has none of its own: it is again that of its base class.
pub(crate) fn remove(py: Python<'_>) -> PyResult<()> {
    let importing = py.import("sys")?.getattr("modules")?.get_item("_frozen_importlib_external")?;
    importing.getattr("SourceFileLoader")?.delattr("get_code")
}

unsafe extern "C" {
    fn PyInstanceMethod_New(function: *mut ffi::PyObject) -> *mut ffi::PyObject;
}

impl Loader {
    fn get_code(&self, arguments: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        let py = arguments.py();
        if let Some(code) = self.wanted(arguments).and_then(|(name, path)| self.rewritten(py, &name, &path)) {
            return Ok(code);
        }
        self.original.bind(py).call(arguments, named).map(Bound::unbind)
    }

    /// Name and path of the module, if it is to be recorded.
    fn wanted(&self, arguments: &Bound<'_, PyTuple>) -> Option<(String, PathBuf)> {
        let name: String = arguments.get_item(1).ok()?.extract().ok()?;
        let inside = |package: &String| {
            name.strip_prefix(package.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if !self.packages.iter().any(inside) {
            return None;
        }
        let path: PathBuf = arguments.get_item(0).ok()?.getattr("path").ok()?.extract().ok()?;
        let path = std::path::absolute(path).ok()?;
        if path.to_str().is_none() {
            // The tables name files by text.
            let path = PathBuf::from(path.to_string_lossy().into_owned());
            let module = Module { name, path, sha256: String::new(), first: 0, sites: 0, left_out: None };
            return self.leave_out(module, "its path is not UTF-8");
        }
        (!self.exclude.iter().any(|glob| glob.matches_path(&path))).then_some((name, path))
    }

    /// The rewritten code of a module. `None` if CPython shall load the module itself: one that cannot be rewritten is
    /// noted in the registry, and errors of the source itself are raised by CPython.
    fn rewritten(&self, py: Python<'_>, name: &str, path: &Path) -> Option<Py<PyAny>> {
        let bytes = std::fs::read(path).ok()?;
        let sha256 = format!("{:x}", Sha256::digest(&bytes));
        let known = self.registry.lock().ok()?.find(path, &sha256).ok()?;
        if let Some(module) = &known {
            if module.left_out.is_some() {
                return None;
            }
            if let Some(code) = self.cached(py, module) {
                return Some(code);
            }
        }
        let source = self.decode(py, &bytes);
        let module =
            Module { name: name.to_owned(), path: path.to_owned(), sha256, first: 0, sites: 0, left_out: None };
        let source = match source {
            Ok(source) => source,
            Err(error) => return self.leave_out(module, &error.to_string()),
        };
        let chosen = |qualname: &str| {
            let function = format!("{name}.{qualname}");
            self.lines.iter().any(|glob| glob.matches(&function))
        };
        let model = match SourceModel::parse(source.as_str()) {
            Ok(model) => model,
            Err(error) => return self.leave_out(module, &error.to_string()),
        };
        // The number of sites does not depend on their numbering.
        let sites = record(&model, 0, &chosen).sites.len() as u32;
        let module = match known {
            Some(module) => module,
            None => self.registry.lock().ok()?.enter(Module { sites, ..module }).ok()?,
        };
        let recording = record(&model, module.first, &chosen);
        match self.compile(py, &source, &recording, path) {
            Ok(code) => {
                let hidden = hidden_sites(&recording, module.first);
                self.keep(py, &module, &code, &hidden);
                announce(&module, &hidden);
                Some(code.unbind())
            }
            Err(error) => self.leave_out(module, &error.to_string()),
        }
    }

    fn leave_out<T>(&self, module: Module, reason: &str) -> Option<T> {
        let mut registry = self.registry.lock().ok()?;
        let _not_noted = registry.enter(Module { left_out: Some(reason.to_owned()), ..module });
        None
    }

    fn decode(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<String> {
        if let Some(text) = plain_utf8(bytes) {
            return Ok(text);
        }
        // This imports `tokenize`, unlike CPython's own loader.
        self.decode.bind(py).call1((PyBytes::new(py, bytes),))?.extract()
    }

    fn compile<'py>(
        &self,
        py: Python<'py>,
        source: &str,
        recording: &Recording,
        path: &Path,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(py);
        options.set_item("dont_inherit", true)?;
        // As text: a `Path` would become one of `pathlib`, whose import the program could see.
        let code = self.compile.bind(py).call((&recording.text, path.as_os_str(), "exec"), Some(&options))?;
        let ranges = SourceRanges::new(&recording.positions, &recording.text, source);
        remap(&code, &|range| ranges.to_source(range))
    }

    fn cache_path(&self, module: &Module) -> PathBuf {
        self.cache.join(format!("{}-{}-{}.code", &module.sha256[..32], module.first, self.optimize))
    }

    fn cached(&self, py: Python<'_>, module: &Module) -> Option<Py<PyAny>> {
        let bytes = std::fs::read(self.cache_path(module)).ok()?;
        let (hidden, code) = split_cached(&bytes)?;
        let code = self.marshal.bind(py).call_method1("loads", (PyBytes::new(py, code),)).ok()?;
        announce(module, &hidden);
        Some(code.unbind())
    }

    /// Caches rewritten code; if there is no room for it, the next process compiles it again.
    fn keep(&self, py: Python<'_>, module: &Module, code: &Bound<'_, PyAny>, hidden: &[u32]) {
        let Ok(dumped) = self.marshal.bind(py).call_method1("dumps", (code,)) else {
            return;
        };
        let Ok(dumped) = dumped.extract::<&[u8]>() else {
            return;
        };
        let mut bytes = (hidden.len() as u32).to_le_bytes().to_vec();
        bytes.extend(hidden.iter().flat_map(|site| site.to_le_bytes()));
        bytes.extend(dumped);
        let _made_again_next_time = tempfile::NamedTempFile::new_in(&self.cache).and_then(|mut file| {
            file.write_all(&bytes)?;
            Ok(file.persist(self.cache_path(module))?)
        });
    }
}

/// Text of a source without a declared encoding, with line endings converted as by Python's universal newlines.
fn plain_utf8(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut head = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.is_empty()).take(2);
    if head.any(|line| line.windows(6).any(|word| word == b"coding")) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    Some(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() })
}

fn patterns(globs: &[String]) -> Vec<glob::Pattern> {
    globs.iter().filter_map(|glob| glob::Pattern::new(glob).ok()).collect()
}

/// Splits a cache entry into hidden sites and marshalled code.
fn split_cached(bytes: &[u8]) -> Option<(Vec<u32>, &[u8])> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let (hidden, code) = rest.split_at_checked(u32::from_le_bytes(*count) as usize * 4)?;
    let (hidden, _) = hidden.as_chunks::<4>();
    Some((hidden.iter().map(|site| u32::from_le_bytes(*site)).collect(), code))
}

/// Sites whose names suggest a secret.
fn hidden_sites(recording: &Recording, first: u32) -> Vec<u32> {
    let sites = recording.sites.iter().enumerate();
    sites.filter(|(_, site)| secrets::names_secret(&site.name)).map(|(at, _)| first + at as u32).collect()
}

/// Prepares the recorder for observations at the module's sites.
fn announce(module: &Module, hidden: &[u32]) {
    // SAFETY: called while importing, so the GIL is held, and no observation is under way.
    if let Some(recorder) = unsafe { recorder() } {
        recorder.spool.grow(module.first as usize + module.sites as usize);
        for &site in hidden {
            recorder.hide(site);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_that_declare_nothing_are_read_here() {
        let read = |bytes: &[u8]| plain_utf8(bytes);
        assert_eq!(read("\u{feff}a = 'é'\r\nb\rc\n".as_bytes()).as_deref(), Some("a = 'é'\nb\nc\n"));
        assert_eq!(read(b"#!/bin/python\r\n# -*- coding: latin-1 -*-\n"), None, "CPython reads it");
        assert_eq!(read(b"a\nb\n# coding is fun\n").as_deref(), Some("a\nb\n# coding is fun\n"));
        assert_eq!(read(b"a = '\xe9'\n"), None, "CPython says what is wrong");
    }
}

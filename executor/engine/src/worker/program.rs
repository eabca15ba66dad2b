//! A program, compiled and with its hooks in place: what all its runs share.

use std::ffi::CString;
use std::sync::Arc;

use pyo3::exceptions::PySyntaxError;
use pyo3::prelude::*;
use pyo3::types::{PyCode, PyDict};
use surmise_instrument::{Site, SourceRanges};
use surmise_interpreter::positions::remap;

use super::coverage::LineMarks;
use super::hooks::install;
use super::in_place::{self, Entered};
use super::runtime::Runtime;
use super::virtual_time;
use crate::protocol::{Preload, Program, Value};

const TOP_LEVEL_AWAIT: i32 = 0x2000;

/// Lets CPython read and run a file that we cannot decode or parse, for its own messages (plain runs only).
pub(crate) fn run_file(program: &Program) -> i32 {
    let (Ok(name), Ok(mode)) = (CString::new(program.filename.as_str()), CString::new("rb")) else {
        return 70;
    };
    // SAFETY: the GIL is held; CPython closes the file.
    unsafe {
        let file = libc::fopen(name.as_ptr(), mode.as_ptr());
        if file.is_null() {
            return 70;
        }
        i32::from(PyRun_SimpleFileExFlags(file, name.as_ptr(), 1, std::ptr::null_mut()) != 0)
    }
}

unsafe extern "C" {
    fn PyRun_SimpleFileExFlags(
        file: *mut libc::FILE,
        name: *const std::ffi::c_char,
        close: std::ffi::c_int,
        flags: *mut std::ffi::c_void,
    ) -> std::ffi::c_int;
}

/// Sites that are new to a process, and from which site on what sites take follows.
pub(crate) type AddedSites = (Vec<Site>, usize, Vec<Option<Value>>);

/// A program that is ready to run.
pub(crate) struct LoadedProgram<'py> {
    pub(super) py: Python<'py>,
    pub(super) program: Arc<Program>,
    /// The module `program.py`.
    pub(super) glue: Bound<'py, PyModule>,
    pub(super) main: Bound<'py, PyDict>,
    pub(super) code: Result<Bound<'py, PyCode>, Refused>,
    pub(super) marks: LineMarks,
    pub(super) lines: Vec<u32>,
    /// What compiling wrote, for the standard error of each run.
    pub(super) output: Vec<u8>,
    /// The function that the program is, once its module was imported.
    pub(super) entered: Option<Entered<'py>>,
    /// Why it is an excerpt, if that was tried.
    pub(crate) unplaced: Option<String>,
}

/// CPython does not compile the source.
#[derive(Clone)]
pub(super) struct Refused {
    pub(super) line: u32,
    pub(super) message: String,
}

impl<'py> LoadedProgram<'py> {
    /// Sets up `__main__`, compiles the source and its rewritten text, and installs the hooks.
    ///
    /// # Errors
    /// When the runtime itself fails; a source that does not compile is no error here.
    pub(crate) fn load(py: Python<'py>, runtime: &Runtime, program: Program) -> PyResult<Self> {
        let glue = runtime.program.bind(py).clone();
        let builtins = py.import("builtins")?;
        if !program.plain {
            py.import("sys")?.getattr("meta_path")?.call_method1("insert", (0, runtime.preloaded(py)?))?;
        }
        let main = py.import("__main__")?.dict();
        let paths = (&program.path, &program.packages);
        glue.call_method1("prepare_main", (&main, (&program.filename, &program.argv), paths))?;
        let loaded = Self::new(py, program, glue, main)?;
        // SAFETY: no rewritten code has run yet.
        unsafe { install(&loaded.program, loaded.marks, &builtins.dict()) }?;
        Ok(loaded)
    }

    /// Compiles the source and its rewritten text.
    fn new(py: Python<'py>, program: Program, glue: Bound<'py, PyModule>, main: Bound<'py, PyDict>) -> PyResult<Self> {
        let marks = LineMarks::new(py, program.lines)?;
        let mut loaded = Self {
            py,
            program: Arc::new(program),
            glue,
            main,
            code: Err(Refused { line: 0, message: String::new() }),
            marks,
            lines: Vec::new(),
            output: Vec::new(),
            entered: None,
            unplaced: None,
        };
        match loaded.compile() {
            Ok((code, lines)) => (loaded.code, loaded.lines) = (Ok(code), lines),
            Err(error) => loaded.code = Err(loaded.refused(&error)?),
        }
        Ok(loaded)
    }

    /// Another program with its function in the place of this one's, in a process that makes a run of that alone; or says why
    /// that cannot be.
    ///
    /// # Errors
    /// When the runtime itself fails.
    pub(crate) fn with_other(&self, runtime: &Runtime, program: Program) -> PyResult<Result<Self, String>> {
        let Some(entered) = self.entered.as_ref().filter(|_| self.state(runtime).is_some()) else {
            return Ok(Err("something was made up while the module was imported".to_owned()));
        };
        let mut other = Self::new(self.py, program, self.glue.clone(), self.main.clone())?;
        other.output.clone_from(&self.output);
        // SAFETY: what ran of the other program's rewritten code has left nothing behind.
        unsafe { install(&other.program, other.marks, &self.py.import("builtins")?.dict()) }?;
        let (Some(place), Ok(code)) = (&other.program.in_place, &other.code) else {
            return Ok(Err("it does not compile".to_owned()));
        };
        let entered = entered.with_code_of(runtime, &other.program, place, code)?;
        Ok(entered.map(|entered| {
            other.entered = Some(entered);
            other.count_body();
            other
        }))
    }

    /// Lets this process and the runs that it forks have a time of their own, where anything is injected.
    pub(crate) fn make_time_virtual(&self) {
        if !self.program.assignment.is_empty() {
            virtual_time::begin(self.program.start);
        }
    }

    /// The lines that CPython's line table has for the source; none for plain runs.
    pub(crate) fn lines(&self) -> &[u32] {
        &self.lines
    }

    /// Keeps what was written while the program was loaded: each run writes it.
    pub(crate) fn keep_output(&mut self, output: Vec<u8>) {
        self.output = output;
    }

    /// Adds sites of parameters, which nobody reads in the text, and what sites take.
    pub(crate) fn add_sites(&mut self, (sites, first, assignment): AddedSites) {
        let program = Arc::make_mut(&mut self.program);
        // A program without sites has an assignment of one nothing.
        program.assignment.resize(first.min(program.sites.len()), None);
        program.assignment.extend(assignment);
        program.sites.extend(sites);
    }

    /// Imports the module of an excerpt's function, which from then on is the program; or says why it cannot be.
    ///
    /// # Errors
    /// When the runtime itself fails.
    pub(crate) fn enter_module(&mut self, runtime: &Runtime) -> PyResult<Result<(), String>> {
        let (Some(place), Ok(code)) = (&self.program.in_place, &self.code) else { return Ok(Ok(())) };
        let entered = match in_place::enter(self.py, runtime, &self.program, place, code)? {
            Ok(entered) => entered,
            Err(problem) => return Ok(Err(problem)),
        };
        self.main = entered.function.getattr("module")?.cast_into::<PyModule>()?.dict();
        self.entered = Some(entered);
        self.count_body();
        Ok(Ok(()))
    }

    /// Counts the lines of the function alone.
    fn count_body(&mut self) {
        if let Some(place) = &self.program.in_place {
            let (first, last) = place.body;
            self.lines.retain(|line| (first..=last).contains(line));
        }
    }

    /// Preloads modules for the runs; returns the first one that cannot be preloaded.
    ///
    /// # Errors
    /// When the runtime itself fails.
    pub(crate) fn preload(
        &self,
        runtime: &Runtime,
        preloads: &[Preload],
        are_untouched: &mut impl FnMut() -> bool,
    ) -> PyResult<Option<String>> {
        let preloaded = runtime.preloaded(self.py)?;
        let strict = preloads.iter().any(|preload| preload.module == "warnings");
        for Preload { module, names } in preloads {
            let fit: bool = preloaded.call_method1("preload", (module, names, strict))?.extract()?;
            self.glue.call_method0("flush")?;
            if !fit || !are_untouched() {
                return Ok(Some(module.clone()));
            }
        }
        self.py.import("gc")?.call_method0("freeze")?;
        Ok(None)
    }

    /// The code that runs, and the lines that count.
    fn compile(&self) -> PyResult<(Bound<'py, PyCode>, Vec<u32>)> {
        let mut flags = 0;
        let mut plain = self.compile_source(flags);
        if let Err(error) = &plain
            && outside_async(self.py, error)
            && !self.program.plain
        {
            flags = TOP_LEVEL_AWAIT;
            plain = self.compile_source(flags);
        }
        let plain = plain?;
        let mut lines = Vec::new();
        if !self.program.plain {
            lines = self.glue.call_method1("line_table", (&plain,))?.extract()?;
            // Before CPython 3.11 a module without statements, in which nothing is marked, has one line.
            if cfg!(not(Py_3_11)) && self.program.text == self.program.source {
                lines.clear();
            }
        }
        // Rewriting nests calls deeper: at CPython's limits the source itself still runs, without injection.
        let code = self.compile_rewritten(&self.program.text, flags).unwrap_or(plain);
        Ok((code.cast_into()?, lines))
    }

    fn compile_source(&self, flags: i32) -> PyResult<Bound<'py, PyAny>> {
        let arguments = (&self.program.source, &self.program.filename, "exec", flags, true);
        self.py.import("builtins")?.call_method1("compile", arguments)
    }

    /// What is left of a session after an error that came out of a line of the module; `None` for what is no session.
    pub(super) fn rest_of_session(&self, line: u32) -> Option<Bound<'py, PyCode>> {
        let (_, last) = *self.program.session.iter().find(|(first, last)| (*first..=*last).contains(&line))?;
        let next = self.program.session.iter().map(|(first, _)| *first).find(|first| *first > last)?;
        // What is blank keeps its length, so that positions stay.
        let blank = |(number, line): (u32, &str)| match line.trim_end_matches(['\n', '\r']) {
            done if number <= last => " ".repeat(done.len()) + &line[done.len()..],
            _ => line.to_owned(),
        };
        let text: String = (1..).zip(self.program.text.split_inclusive('\n')).map(blank).collect();
        let code = self.compile_rewritten(&text, TOP_LEVEL_AWAIT).ok()?;
        // The statement before a loop marks the loop's line.
        self.marks.mark(next as usize);
        code.cast_into().ok()
    }

    fn compile_rewritten(&self, text: &str, flags: i32) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(self.py);
        options.set_item("source", text)?;
        options.set_item("filename", &self.program.filename)?;
        options.set_item("mode", "exec")?;
        options.set_item("flags", flags)?;
        options.set_item("dont_inherit", true)?;
        let partial = self.py.import("_functools")?.getattr("partial")?;
        let compile = partial.call((self.py.import("builtins")?.getattr("compile")?,), Some(&options))?;
        let code = self.glue.call_method1("quietly", (compile,))?;
        let ranges = SourceRanges::new(&self.program.positions, text, &self.program.source);
        remap(&code, &|range| ranges.to_source(range))
    }

    fn refused(&self, error: &PyErr) -> PyResult<Refused> {
        let value = error.value(self.py);
        let line = value.getattr("lineno").and_then(|line| line.extract()).unwrap_or(0);
        let message = value.getattr("msg").and_then(|message| message.extract());
        let message = message.unwrap_or_else(|_| value.to_string());
        if self.program.plain || self.program.assignment.is_empty() {
            error.print(self.py);
        }
        self.glue.call_method1("flush", ())?;
        Ok(Refused { line, message })
    }
}

fn outside_async(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PySyntaxError>(py) && {
        let text = error.value(py).to_string();
        text.contains("outside") && (text.contains("async") || text.contains("await"))
    }
}

//! Running one program from its job to its end.

use std::ffi::CString;

use pyo3::exceptions::{PyKeyboardInterrupt, PySyntaxError, PySystemExit};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCode, PyDict};
use surmise_instrument::LineIndex;

use super::coverage::LineMarks;
use super::engine::new_engine;
use super::hooks::{EngineObjects, Setup, install};
use super::native::{Native, Pipe};
use super::runtime::Runtime;
use crate::protocol::{Behaviour, End, Event, Job, Raised, write_frame};
use surmise_recorder::positions::Mapper;

/// Where a worker's findings go.
#[derive(Clone, Copy)]
pub(crate) struct Channels {
    /// The pipe for [`Event`]s; `None` for plain runs.
    pub(crate) events: Option<Pipe>,
    /// Shared memory for the line marks: address and length.
    pub(crate) marks: (*mut *mut ffi::PyObject, usize),
}

/// What a shell makes of a process that ended by SIGINT, as Python does after an uncaught `KeyboardInterrupt`.
pub(crate) const INTERRUPTED: i32 = 128 + libc::SIGINT;

const TOP_LEVEL_AWAIT: i32 = 0x2000;

/// Runs the job and returns the program's exit code.
pub(crate) fn run(py: Python<'_>, runtime: &Runtime, job: Job, channels: Channels) -> i32 {
    let events = channels.events;
    let tell = |event: &Event| {
        if let Some(events) = events {
            // The parent may be gone; there is nobody left to tell then.
            let _gone = write_frame(events, event);
        }
    };
    match Program::new(py, runtime, job, channels).and_then(|mut program| program.run(&tell)) {
        Ok((end, code)) => {
            tell(&Event::End(end));
            code
        }
        Err(error) => {
            let message = error.to_string();
            error.print(py);
            tell(&Event::End(End::Internal { message }));
            70
        }
    }
}

/// Lets CPython read and run a file that we cannot decode or parse, for its own messages (plain runs only).
pub(crate) fn run_file(job: &Job) -> i32 {
    let (Ok(name), Ok(mode)) = (CString::new(job.filename.as_str()), CString::new("rb")) else {
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

#[expect(clippy::struct_field_names, reason = "`program` is the module `program.py`")]
pub(super) struct Program<'py> {
    pub(super) py: Python<'py>,
    job: Job,
    pub(super) program: Bound<'py, PyModule>,
    pub(super) driving: Bound<'py, PyModule>,
    builtins: Bound<'py, PyModule>,
    pub(super) engine: Option<Bound<'py, PyAny>>,
    pub(super) main: Bound<'py, PyDict>,
    marks: Option<LineMarks>,
    pub(super) end_mark: (*mut *mut ffi::PyObject, usize),
}

impl<'py> Program<'py> {
    fn new(py: Python<'py>, runtime: &Runtime, mut job: Job, channels: Channels) -> PyResult<Self> {
        let program = runtime.program.bind(py).clone();
        let driving = match &job.paired {
            Some(_) => runtime.paired(py)?.1.bind(py).clone(),
            None => runtime.driving.bind(py).clone(),
        };
        let builtins = py.import("builtins")?;
        if !builtins.hasattr("exit")? {
            program.call_method1("add_site_builtins", (&builtins,))?;
        }
        if !job.plain {
            py.import("sys")?.getattr("meta_path")?.call_method1("insert", (0, runtime.shelf(py)?))?;
        }
        let mut engine = None;
        if let (false, Some(events)) = (job.assignment.is_empty(), channels.events) {
            engine = Some(new_engine(py, runtime, &mut job, events)?);
        }
        let main = py.import("__main__")?.dict();
        // SAFETY: the region was mapped for this run alone and stays mapped until the process ends.
        let marks = unsafe { LineMarks::new(channels.marks.0, channels.marks.1) };
        Ok(Self { py, job, program, driving, builtins, engine, main, marks: Some(marks), end_mark: channels.marks })
    }

    fn run(&mut self, tell: &impl Fn(&Event)) -> PyResult<(End, i32)> {
        let names = (&self.job.filename, &self.job.argv);
        let arguments = (&self.main, names, &self.job.path, self.job.inject_io, &self.engine);
        self.program.call_method1("prepare_main", arguments)?;
        let plain = match self.compile(&self.job.source, 0) {
            Ok(code) => (code, 0),
            Err(error) if outside_async(self.py, &error) && !self.job.plain => {
                match self.compile(&self.job.source, TOP_LEVEL_AWAIT) {
                    Ok(code) => (code, TOP_LEVEL_AWAIT),
                    Err(error) => return self.refused(&error),
                }
            }
            Err(error) => return self.refused(&error),
        };
        if !self.job.plain {
            let lines: Vec<u32> = self.program.call_method1("line_table", (&plain.0,))?.extract()?;
            tell(&Event::Lines { lines });
        }
        // Rewriting nests calls deeper: at CPython's limits the source itself still runs, without injection.
        let code = self.compile_rewritten(plain.1).unwrap_or(plain.0);
        self.install_hooks()?;
        if let (false, Some(engine)) = (self.job.package.is_empty() && self.job.modules.is_empty(), &self.engine) {
            engine.call_method0("load_beside")?;
        }
        let ran = self.execute(&code);
        if ran.is_ok() {
            self.mark_end();
        }
        let outcome = match &self.job.drive {
            Some(drive) if drive.aside && !drive.functions.is_empty() => {
                let raised = ran.as_ref().err().filter(|error| !error.is_instance_of::<PySystemExit>(self.py));
                tell(&Event::AsideBegins { error: raised.map(|error| self.raised(error, 1)) });
                let _nobody_is_called = self.call_aside(drive, tell);
                tell(&Event::AsideEnds);
                ran
            }
            Some(drive) if drive.aside => ran,
            Some(drive) if !drive.alone || ran.is_ok() => self.drive(drive),
            _ => ran,
        };
        self.tell_recording(tell);
        self.tell_behaviour(tell)?;
        let ended = self.conclude(outcome);
        let finished = self.program.call_method1("finish", (&self.main,));
        if let Err(error) = finished {
            error.print(self.py);
        }
        Ok(ended)
    }

    /// Before the end: what happens there may change what the program left.
    fn tell_recording(&self, tell: &impl Fn(&Event)) {
        if let (true, Some(engine)) = (self.job.record, &self.engine) {
            match engine.call_method0("told").and_then(|told| told.extract()) {
                Ok(recording) => tell(&Event::Recorded { recording }),
                Err(error) => error.print(self.py),
            }
        }
    }

    fn refused(&self, error: &PyErr) -> PyResult<(End, i32)> {
        let value = error.value(self.py);
        let line = value.getattr("lineno").and_then(|line| line.extract()).unwrap_or(0);
        let message = value.getattr("msg").and_then(|message| message.extract());
        let message = message.unwrap_or_else(|_| value.to_string());
        if self.job.plain || self.engine.is_none() {
            error.print(self.py);
        }
        self.program.call_method1("flush", ())?;
        Ok((End::Syntax { line, message }, 1))
    }

    fn compile(&self, text: &str, flags: i32) -> PyResult<Bound<'py, PyAny>> {
        let arguments = (text, &self.job.filename, "exec", flags, true);
        self.builtins.call_method1("compile", arguments)
    }

    fn compile_rewritten(&self, flags: i32) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(self.py);
        options.set_item("source", &self.job.text)?;
        options.set_item("filename", &self.job.filename)?;
        options.set_item("mode", "exec")?;
        options.set_item("flags", flags)?;
        options.set_item("dont_inherit", true)?;
        let partial = self.py.import("_functools")?.getattr("partial")?;
        let compile = partial.call((self.builtins.getattr("compile")?,), Some(&options))?;
        let code = self.program.call_method1("quietly", (compile,))?;
        if cfg!(not(Py_3_11)) {
            return Ok(code);
        }
        let mapper = Mapper {
            map: &self.job.positions,
            new: LineIndex::new(&self.job.text),
            old: LineIndex::new(&self.job.source),
        };
        mapper.remap(&code)
    }

    fn install_hooks(&mut self) -> PyResult<()> {
        let Some(marks) = self.marks.take() else {
            return Ok(());
        };
        let mut objects = None;
        if let Some(engine) = &self.engine {
            let types = engine.getattr("types")?;
            objects = Some(EngineObjects {
                engine: engine.clone().into_ptr(),
                stand_in: types.getattr("StandIn")?.into_ptr(),
                stand_in_module: types.getattr("Module")?.into_ptr(),
            });
        }
        let sites = match &self.engine {
            Some(engine) => engine.getattr("native")?.cast_into::<Native>()?.get().sites.clone(),
            None => std::mem::take(&mut self.job.sites),
        };
        let setup = Setup { sites: &sites, names: self.job.hooks, marks, engine: objects.as_ref() };
        // SAFETY: the GIL is held, and this is the only program of this process.
        unsafe { install(setup, self.builtins.dict().as_ptr()) }.map_err(|()| PyErr::fetch(self.py))
    }

    fn execute(&self, code: &Bound<'py, PyAny>) -> PyResult<()> {
        let code = code.cast::<PyCode>()?;
        // SAFETY: a code object and a dictionary; the result is a new reference or null with an exception set.
        let value = unsafe {
            let value = ffi::PyEval_EvalCode(code.as_ptr(), self.main.as_ptr(), self.main.as_ptr());
            Bound::from_owned_ptr_or_err(self.py, value)?
        };
        if value.hasattr("cr_frame")? {
            self.program.call_method1("run_coroutine", (value,))?;
        }
        Ok(())
    }

    /// What a paired run did, as far as it is over: printing its error may call the program again.
    fn tell_behaviour(&self, tell: &impl Fn(&Event)) -> PyResult<()> {
        if let (Some(_), Some(engine)) = (&self.job.paired, &self.engine) {
            let (entries, given) = engine.call_method0("told")?.extract()?;
            tell(&Event::Behaviour(Behaviour { entries, given }));
        }
        Ok(())
    }

    /// Marks that the module's code came to its end.
    fn mark_end(&self) {
        let last = self.job.lines as usize + 1;
        let (region, bytes) = self.end_mark;
        if (last + 1) * size_of::<*mut ffi::PyObject>() <= bytes {
            // SAFETY: within the region; the item owns a reference, as all of them.
            unsafe {
                let item = region.add(last);
                *item = crate::worker::new_ref(ffi::Py_True());
            }
        }
    }

    fn conclude(&self, outcome: PyResult<()>) -> (End, i32) {
        let Err(error) = outcome else {
            return (End::Completed { exit_code: 0 }, 0);
        };
        if error.is_instance_of::<PySystemExit>(self.py) {
            let exit_code = self.exit_code(&error);
            return (End::Completed { exit_code }, exit_code);
        }
        let interrupted = error.is_instance_of::<PyKeyboardInterrupt>(self.py);
        let exit_code = if interrupted { INTERRUPTED } else { 1 };
        let raised = self.raised(&error, exit_code);
        self.flush_stdout();
        // Python's own printing: `sys.excepthook`, chained exceptions, suggestions.
        // SAFETY: restores the exception that was taken, and prints it.
        unsafe {
            error.restore(self.py);
            ffi::PyErr_PrintEx(0);
        }
        (End::Raised(raised), exit_code)
    }

    /// What an error says, and where it was raised.
    pub(super) fn raised(&self, error: &PyErr, exit_code: i32) -> Raised {
        let value = error.value(self.py);
        if let Some(traceback) = error.traceback(self.py) {
            // Before CPython 3.12 an exception that is on its way keeps its traceback apart.
            let _unsettable = value.setattr("__traceback__", traceback);
        }
        let (kind, message) =
            self.program.call_method1("describe", (value,)).and_then(|pair| pair.extract()).unwrap_or_default();
        let place = self.program.call_method1("locate", (value, &self.job.filename));
        let (line, column, end_column) = place.and_then(|place| place.extract()).unwrap_or_default();
        Raised { kind, message, line, column, end_column, exit_code }
    }

    fn flush_stdout(&self) {
        if let Err(error) = self.program.call_method0("flush") {
            error.print(self.py);
        }
    }

    fn exit_code(&self, error: &PyErr) -> i32 {
        let found = self.program.call_method1("exit_code_of", (error.value(self.py),));
        let parts: PyResult<(u64, Option<Py<PyAny>>)> = found.and_then(|found| found.extract());
        let Ok((code, text)) = parts else {
            return 1;
        };
        if let Some(text) = text {
            self.flush_stdout();
            let stderr = self.py.import("sys").and_then(|sys| sys.getattr("stderr"));
            let printed = stderr.and_then(|stderr| {
                let text = text.bind(self.py).str()?;
                stderr.call_method1("write", (text,))?;
                stderr.call_method1("write", ("\n",))
            });
            if let Err(error) = printed {
                error.print(self.py);
            }
        }
        code as i32
    }
}

fn outside_async(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PySyntaxError>(py) && {
        let text = error.value(py).to_string();
        text.contains("outside") && (text.contains("async") || text.contains("await"))
    }
}

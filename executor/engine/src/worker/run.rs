//! One run of a program, to its end.

use std::io::{self, Write};
use std::os::fd::OwnedFd;

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCode, PyDict};

use super::engine::{companion_modules, new_engine};
use super::hooks::give_engine;
use super::native::Pipe;
use super::program::LoadedProgram;
use super::runtime::Runtime;
use super::series::State;
use super::virtual_time;
use crate::protocol::{Behaviour, End, Event, HarnessCall, INTERRUPTED, Raised, Task, write_frame};

pub(super) struct Run<'p, 'py> {
    pub(super) py: Python<'py>,
    pub(super) loaded: &'p LoadedProgram<'py>,
    pub(super) glue: &'p Bound<'py, PyModule>,
    pub(super) harness: Bound<'py, PyModule>,
    /// What calls the function as tests do, in a run that does.
    pub(super) of_tests: Option<Bound<'py, PyModule>>,
    pub(super) engine: Option<Bound<'py, PyAny>>,
    companions: Option<Bound<'py, PyAny>>,
    /// The `Tracer` of a run that is traced.
    tracer: Option<Bound<'py, PyAny>>,
    pub(super) main: &'p Bound<'py, PyDict>,
    call: Option<HarnessCall>,
    record: bool,
    is_compared: bool,
}

impl LoadedProgram<'_> {
    /// Runs the program and returns its exit code. A run that is not plain has a pipe for [`Event`]s and shared memory
    /// for its line marks.
    pub(crate) fn run(&self, runtime: &Runtime, task: Task, channels: Option<(Pipe, OwnedFd)>) -> i32 {
        self.run_before_others(runtime, task, channels, || None).0
    }

    /// The same, and whether this process can make another run. `next` gives the state to restore for that, or `None` if this
    /// is the last run of the process.
    pub(crate) fn run_before_others<'s>(
        &self,
        runtime: &Runtime,
        task: Task,
        channels: Option<(Pipe, OwnedFd)>,
        next: impl FnOnce() -> Option<&'s State<'s>>,
    ) -> (i32, bool) {
        let (events, marks) = channels.unzip();
        let emit = |event: &Event| {
            if let Some(events) = events {
                // The parent may be gone; there is nobody left to tell then.
                let _gone = write_frame(events, event);
            }
        };
        if let (Some(events), Some(entered)) = (events, &self.entered) {
            let mut events = events;
            let _as_far_as_it_goes: io::Result<()> = events.write_all(&entered.events);
            emit(&Event::InPlace { lines: self.lines.clone(), lacking: entered.lacking.clone() });
        }
        if let Some(problem) = &self.unplaced {
            emit(&Event::Unplaced { problem: problem.clone() });
        }
        let shared = marks.map_or(Ok(()), |marks| self.marks.share(self.py, marks)).map_err(PyErr::from);
        let _as_far_as_it_goes: io::Result<()> = io::stderr().write_all(&self.output);
        match shared.and_then(|()| Run::new(self, runtime, task, events)?.run(&emit, next)) {
            Ok((end, code, goes_on)) => {
                emit(&Event::End(end));
                (code, goes_on)
            }
            Err(error) => {
                let message = error.to_string();
                error.print(self.py);
                emit(&Event::End(End::Internal { message }));
                (70, false)
            }
        }
    }
}

impl<'p, 'py> Run<'p, 'py> {
    /// Makes the engine that answers for what is missing, if anything is to be injected.
    pub(super) fn new(
        loaded: &'p LoadedProgram<'py>,
        runtime: &Runtime,
        mut task: Task,
        events: Option<Pipe>,
    ) -> PyResult<Self> {
        let py = loaded.py;
        let harness = runtime.harness.bind(py).clone();
        let (record, is_compared) = (task.trial.record, task.drawing.is_some());
        let is_traced = task.trial.trace.is_some();
        let calls_tests = task.drawing.as_ref().is_some_and(|drawing| drawing.calls_tests);
        let of_tests = calls_tests.then(|| runtime.called_by_tests(py)).transpose()?;
        let (mut engine, mut companions, mut tracer) = (None, None, None);
        // In its imported module a function finds real values, in whose place a search may put others.
        let is_replacing = loaded.entered.is_some() && !is_compared;
        let replaced = match &task.drawing {
            Some(drawing) => drawing.failing(&loaded.program.sites),
            None if is_replacing => task.trial.replaced(&loaded.program.sites),
            None => Vec::new(),
        };
        if let (false, Some(events), Ok(_)) = (loaded.program.assignment.is_empty(), events, &loaded.code) {
            let made = new_engine(py, runtime, &loaded.program, &mut task, events)?;
            companions = companion_modules(py, runtime, &made, &loaded.program)?;
            if loaded.program.inject_io {
                loaded.glue.call_method1("answer_arguments", (&made,))?;
            }
            loaded.glue.call_method0("take_interrupts")?;
            made.getattr("frames")?.call_method1("set_project", (&loaded.program.module, &loaded.program.folders))?;
            if let Some(entered) = &loaded.entered {
                entered.function.call_method1("begin", (&made,))?;
                if let Some(call) = &mut task.call {
                    call.is_excerpt = false;
                }
            }
            if task.call.as_ref().is_some_and(|call| call.is_excerpt) {
                made.getattr("incomplete")?.setattr("in_excerpt", true)?;
            }
            if is_traced {
                let native = made.getattr("native")?;
                tracer = Some(runtime.tracing(py)?.call_method1("Tracer", (native,))?);
            }
            give_engine(&made, is_replacing, &replaced)?;
            engine = Some(made);
        }
        let (glue, main) = (&loaded.glue, &loaded.main);
        let call = task.call;
        Ok(Self { py, loaded, glue, harness, of_tests, engine, companions, tracer, main, call, record, is_compared })
    }

    pub(super) fn run<'s>(
        &self,
        emit: &impl Fn(&Event),
        next: impl FnOnce() -> Option<&'s State<'s>>,
    ) -> PyResult<(End, i32, bool)> {
        let code = match &self.loaded.code {
            Ok(code) => code,
            Err(refused) => {
                return Ok((End::Syntax { line: refused.line, message: refused.message.clone() }, 1, false));
            }
        };
        virtual_time::run(self.is_compared);
        if let Some(companions) = &self.companions {
            companions.call_method0("load")?;
        }
        if let Some(tracer) = &self.tracer {
            tracer.call_method0("begin")?;
        }
        let ran = if self.loaded.entered.is_some() { Ok(()) } else { self.execute_all(code, emit) };
        if ran.is_ok() {
            self.loaded.marks.mark_end();
        }
        let outcome = match &self.call {
            Some(call) if call.isolated && !call.functions.is_empty() => {
                let raised = ran.as_ref().err().filter(|error| !error.is_instance_of::<PySystemExit>(self.py));
                emit(&Event::IsolatedCallsBegin { error: raised.map(|error| self.raised(error, 1)) });
                let _nobody_is_called = self.call_isolated(call, emit);
                emit(&Event::IsolatedCallsEnd);
                ran
            }
            Some(call) if call.isolated => ran,
            Some(call) if !call.is_excerpt || ran.is_ok() => self.call(call),
            _ => ran,
        };
        self.emit_findings(emit)?;
        let (end, code) = self.conclude(outcome);
        let goes_on = self.engine.as_ref().zip(next()).is_some_and(|(engine, state)| state.restore(engine));
        let finished =
            if goes_on { self.glue.call_method0("flush") } else { self.glue.call_method1("finish", (self.main,)) };
        if let Err(error) = finished {
            error.print(self.py);
        }
        Ok((end, code, goes_on))
    }

    /// Executes the module; a session goes on after errors, of which the first one is how it ended.
    fn execute_all(&self, code: &Bound<'py, PyCode>, emit: &impl Fn(&Event)) -> PyResult<()> {
        let program = &self.loaded.program;
        if !program.module.is_empty() {
            let arguments = (self.main, &program.module, &program.filename, code);
            return self.glue.call_method1("run_as_module", arguments).map(drop);
        }
        let mut ran = self.execute(code);
        let mut first = None;
        while let Err(error) = &ran
            && !error.is_instance_of::<PySystemExit>(self.py)
            && !error.is_instance_of::<PyKeyboardInterrupt>(self.py)
            && let Some(traceback) = error.traceback(self.py)
            && let Some(rest) = self.loaded.rest_of_session(traceback.getattr("tb_lineno")?.extract()?)
        {
            if first.is_none() {
                first = ran.err();
            } else {
                self.pass_over(error, emit);
            }
            ran = self.execute(&rest);
        }
        match (first, ran) {
            (Some(first), Err(last)) => {
                self.pass_over(&last, emit);
                Err(first)
            }
            (Some(first), Ok(())) => Err(first),
            (None, ran) => ran,
        }
    }

    /// Reports a further error of a session, which goes on.
    fn pass_over(&self, error: &PyErr, emit: &impl Fn(&Event)) {
        if !error.is_instance_of::<PySystemExit>(self.py) {
            emit(&Event::Failed { function: None, error: self.raised(error, 1) });
        }
        error.print(self.py);
    }

    /// What a run emits that is recorded or compared, as far as it is over: printing its error may call the program
    /// again, and change what it left.
    fn emit_findings(&self, emit: &impl Fn(&Event)) -> PyResult<()> {
        if let Some(tracer) = &self.tracer {
            tracer.call_method0("end")?;
        }
        let Some(engine) = &self.engine else { return Ok(()) };
        if self.record {
            match engine.call_method0("emitted").and_then(|recording| recording.extract()) {
                Ok(recording) => emit(&Event::Recorded { recording }),
                Err(error) => error.print(self.py),
            }
        } else if self.is_compared {
            let (entries, given, is_unusual, call, result, of_tests) = engine.call_method0("emitted")?.extract()?;
            emit(&Event::Behaviour(Behaviour { entries, given, is_unusual, call, result, of_tests }));
        }
        Ok(())
    }

    fn execute(&self, code: &Bound<'py, PyCode>) -> PyResult<()> {
        // SAFETY: a code object and a dictionary; the result is a new reference or null with an exception set.
        let value = unsafe {
            let value = ffi::PyEval_EvalCode(code.as_ptr(), self.main.as_ptr(), self.main.as_ptr());
            Bound::from_owned_ptr_or_err(self.py, value)?
        };
        if value.hasattr("cr_frame")? {
            self.glue.call_method1("run_coroutine", (value,))?;
        }
        Ok(())
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
        if interrupted && virtual_time::is_interrupted() {
            return (End::Endless, INTERRUPTED);
        }
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
            self.glue.call_method1("describe", (value,)).and_then(|pair| pair.extract()).unwrap_or_default();
        let place = self.loaded.entered.as_ref().and(self.loaded.program.in_place.as_ref());
        let lines = place.map(|place| place.lines);
        let place = self.glue.call_method1("locate", (value, &self.loaded.program.filename, lines));
        let (line, column, end_column, in_package) = place.and_then(|place| place.extract()).unwrap_or_default();
        // A program by itself has no other code that it is a part of.
        let elsewhere = in_package && lines.is_some();
        Raised { kind, message, line, column, end_column, exit_code, elsewhere, in_package }
    }

    fn flush_stdout(&self) {
        if let Err(error) = self.glue.call_method0("flush") {
            error.print(self.py);
        }
    }

    fn exit_code(&self, error: &PyErr) -> i32 {
        let found = self.glue.call_method1("exit_code_of", (error.value(self.py),));
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

//! Functions that run where they stand: their module is imported once, before the runs are forked.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use nix::fcntl::OFlag;
use nix::unistd::pipe2;
use pyo3::prelude::*;
use pyo3::types::PyCode;
use surmise_instrument::extract::LateImport;

use super::engine::new_engine;
use super::native::Pipe;
use super::runtime::Runtime;
use crate::protocol::{InPlace, Program, Task};

/// The function of an excerpt in its imported module.
pub(super) struct Entered<'py> {
    /// `Entered` of `in_place.py`.
    pub(super) function: Bound<'py, PyAny>,
    /// What was injected while the module was imported, for the events of each run.
    pub(super) events: Vec<u8>,
    /// What its import lacks; see [`InPlace::mends`].
    pub(super) lacking: Vec<String>,
    /// Some of that are stand-ins, which the modules of the project hold.
    pub(super) holds_stand_ins: bool,
}

/// Imports the module of an excerpt's function, and gives the function its rewritten code, which is part of `code`; or says
/// why that cannot be.
///
/// # Errors
/// When the runtime itself fails.
pub(super) fn enter<'py>(
    py: Python<'py>,
    runtime: &Runtime,
    program: &Arc<Program>,
    place: &InPlace,
    code: &Bound<'py, PyCode>,
) -> PyResult<Result<Entered<'py>, String>> {
    let (read, write) = pipe()?;
    let engine = new_engine(py, runtime, program, &mut Task::default(), Pipe(write.as_raw_fd()))?;
    let module = runtime.in_place(py)?;
    let late = |one: &LateImport| (one.name.clone(), one.level, one.module.clone(), one.attribute.clone());
    let late_imports: Vec<_> = place.late_imports.iter().map(late).collect();
    let names = (late_imports, place.decisive_names.clone());
    let arguments = (&engine, &place.module, &program.folders, code, place.lines, place.mends, names);
    if let Err(problem) = placed(&module, module.call_method1("enter", arguments))? {
        return Ok(Err(problem));
    }
    drop(write);
    // Loaded before the fork, so that processes that make several runs need not load it.
    let _reported_by_the_run = runtime.series(py);
    let mut events = Vec::new();
    File::from(read).read_to_end(&mut events)?;
    let function = module.getattr("ENTERED")?;
    let lacking = function.getattr("lacking")?.extract()?;
    let holds_stand_ins = function.getattr("holds_stand_ins")?.extract()?;
    Ok(Ok(Entered { function, events, lacking, holds_stand_ins }))
}

impl<'py> Entered<'py> {
    /// The same function with the code of another program, of which `code` is that of the excerpt; or says why it cannot have
    /// it.
    ///
    /// # Errors
    /// When the runtime itself fails.
    pub(super) fn with_code_of(
        &self,
        runtime: &Runtime,
        program: &Arc<Program>,
        place: &InPlace,
        code: &Bound<'py, PyCode>,
    ) -> PyResult<Result<Self, String>> {
        let py = code.py();
        // Nobody reads what is injected: nothing is imported.
        let (_read, write) = pipe()?;
        let engine = new_engine(py, runtime, program, &mut Task::default(), Pipe(write.as_raw_fd()))?;
        let module = runtime.in_place(py)?;
        let arguments = (&engine, code, place.lines, place.decisive_names.clone());
        let entered = placed(&module, module.call_method1("enter_otherwise", arguments))?;
        Ok(entered.map(|()| Self {
            function: self.function.clone(),
            events: self.events.clone(),
            lacking: self.lacking.clone(),
            holds_stand_ins: self.holds_stand_ins,
        }))
    }
}

/// A pipe for events. What does not fit into it is lost, and nobody waits for it.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK).map_err(io::Error::from)
}

/// Why a function cannot run in its module, if that is what `module`, which is `in_place.py`, has raised.
fn placed<T>(module: &Bound<'_, PyModule>, entered: PyResult<T>) -> PyResult<Result<(), String>> {
    match entered {
        Ok(_) => Ok(Ok(())),
        Err(error) if error.is_instance(module.py(), &module.getattr("Unplaced")?) => {
            Ok(Err(error.value(module.py()).to_string()))
        }
        Err(error) => Err(error),
    }
}

//! Functions that run where they stand: their module is imported once, before the runs are forked.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;

use nix::fcntl::OFlag;
use nix::unistd::pipe2;
use pyo3::prelude::*;

use super::engine::new_engine;
use super::native::Pipe;
use super::program::LoadedProgram;
use super::runtime::Runtime;
use crate::protocol::Task;

/// The function of an excerpt in its imported module.
pub(super) struct Entered<'py> {
    /// `Entered` of `in_place.py`.
    pub(super) function: Bound<'py, PyAny>,
    /// What was injected while the module was imported, for the events of each run.
    pub(super) events: Vec<u8>,
}

impl LoadedProgram<'_> {
    /// Imports the module of an excerpt's function, which from then on is the program; or says why it cannot be.
    ///
    /// # Errors
    /// When the runtime itself fails.
    pub(crate) fn enter_module(&mut self, runtime: &Runtime) -> PyResult<Result<(), String>> {
        let (Some(place), Ok(code)) = (&self.program.in_place, &self.code) else { return Ok(Ok(())) };
        // What does not fit into the pipe is lost, and nobody waits for it.
        let (read, write) = pipe2(OFlag::O_CLOEXEC | OFlag::O_NONBLOCK).map_err(io::Error::from)?;
        let events = Pipe(write.as_raw_fd());
        let engine = new_engine(self.py, runtime, &self.program, &mut Task::default(), events)?;
        let module = runtime.in_place(self.py)?;
        let arguments = (&engine, &place.module, &self.program.folders, code, place.lines);
        if let Err(error) = module.call_method1("enter", arguments) {
            return if error.is_instance(self.py, &module.getattr("Unplaced")?) {
                Ok(Err(error.value(self.py).to_string()))
            } else {
                Err(error)
            };
        }
        drop(write);
        let mut events = Vec::new();
        File::from(read).read_to_end(&mut events)?;
        let function = module.getattr("ENTERED")?;
        self.main = function.getattr("module")?.cast_into::<PyModule>()?.dict();
        let (first, last) = place.body;
        self.lines.retain(|line| (first..=last).contains(line));
        self.entered = Some(Entered { function, events });
        Ok(Ok(()))
    }
}

//! Calls of functions by us: the one that a job names, or all that nobody calls.

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::ffi;
use pyo3::prelude::*;

use super::program::Program;
use crate::protocol::{Drive, Event};

impl Program<'_> {
    /// Calls the function that the job names.
    pub(super) fn drive(&self, drive: &Drive) -> PyResult<()> {
        if let (Some((function, _)), Some(engine)) = (drive.functions.first(), &self.engine) {
            let run_coroutine = self.program.getattr("run_coroutine")?;
            let parameters = drive.parameters.clone();
            let arguments = (engine, &self.main, function, parameters, drive.alone, run_coroutine);
            self.driving.call_method1("drive", arguments)?;
        }
        Ok(())
    }

    /// Calls the functions of which nothing was reached, and tells of their errors.
    ///
    /// # Errors
    /// When that cannot be done in what the program left; it is no error of the program's.
    pub(super) fn call_aside(&self, drive: &Drive, tell: &impl Fn(&Event)) -> PyResult<()> {
        let run_coroutine = self.program.getattr("run_coroutine")?;
        let arguments = (&self.engine, drive.parameters.clone(), drive.alone, run_coroutine);
        let driver = self.driving.call_method1("Driver", arguments)?;
        let aside = self.driving.call_method0("Aside")?;
        for (function, (first, last)) in &drive.functions {
            if (*first..=*last).any(|line| self.is_marked(line)) {
                continue;
            }
            let begun = aside.call_method0("begin");
            let call = || driver.call_method1("call", (&self.main, function)).map(drop);
            let called = if begun.is_ok() { call() } else { Ok(()) };
            // A last signal may come as it ends.
            let ended = (0..3).any(|_| aside.call_method0("end").is_ok());
            if begun.is_err() || !ended {
                break;
            }
            let Err(error) = called else { continue };
            let leaves =
                error.is_instance_of::<PySystemExit>(self.py) || error.is_instance_of::<PyKeyboardInterrupt>(self.py);
            let late = aside.getattr("late")?.is_truthy()?;
            let error = self.raised(&error, 1);
            // What was raised elsewhere is not the function's: it has no such parameter, or its time was up.
            if error.line > 0 && !late && !leaves {
                tell(&Event::Failed { function: function.clone(), error });
            }
        }
        Ok(())
    }

    fn is_marked(&self, line: u32) -> bool {
        let (region, bytes) = self.end_mark;
        let line = line as usize;
        // SAFETY: within the region, which this process alone writes; its first item is that of no mark.
        (line + 1) * size_of::<*mut ffi::PyObject>() <= bytes && unsafe { *region.add(line) != *region }
    }
}

//! Harness calls: of the function that a trial names, or isolated ones of all that nobody calls.

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;

use super::run::Run;
use crate::protocol::{Event, HarnessCall};

impl<'py> Run<'_, 'py> {
    fn harness(&self, call: &HarnessCall) -> PyResult<Bound<'py, PyAny>> {
        let run_coroutine = self.glue.getattr("run_coroutine")?;
        let entered = self.loaded.entered.as_ref().map(|entered| &entered.function);
        let arguments = (&self.engine, call.parameters.clone(), call.is_excerpt, run_coroutine, entered);
        self.harness.call_method1("Harness", arguments)
    }

    /// Calls the function that the trial names; its end is the program's.
    pub(super) fn call(&self, call: &HarnessCall) -> PyResult<()> {
        if let (Some((function, _)), Some(_)) = (call.functions.first(), &self.engine) {
            let harness = self.harness(call)?;
            match &self.of_tests {
                Some(of_tests) => of_tests.call_method1("run", (harness,))?,
                None => harness.call_method1("run", (self.main, function))?,
            };
        }
        Ok(())
    }

    /// Calls the functions of which nothing was reached, and emits their errors.
    ///
    /// # Errors
    /// When that cannot be done in what the program left; it is no error of the program's.
    pub(super) fn call_isolated(&self, calls: &HarnessCall, emit: &impl Fn(&Event)) -> PyResult<()> {
        let harness = self.harness(calls)?;
        let isolated = harness.call_method0("isolated_calls")?;
        for (function, (first, last)) in &calls.functions {
            if (*first..=*last).any(|line| self.loaded.marks.is_marked(line)) {
                continue;
            }
            let begun = isolated.call_method0("begin");
            let call = || harness.call_method1("call", (self.main, function, (*first, *last))).map(drop);
            let called = if begun.is_ok() { call() } else { Ok(()) };
            // A last signal may come as it ends.
            let ended = (0..3).any(|_| isolated.call_method0("end").is_ok());
            if begun.is_err() || !ended {
                break;
            }
            let Err(error) = called else { continue };
            let leaves =
                error.is_instance_of::<PySystemExit>(self.py) || error.is_instance_of::<PyKeyboardInterrupt>(self.py);
            let late = isolated.getattr("late")?.is_truthy()?;
            let error = self.raised(&error, 1);
            // What was raised elsewhere is not the function's: it has no such parameter, or its time was up.
            if error.line > 0 && !late && !leaves {
                emit(&Event::Failed { function: Some(function.clone()), error });
            }
        }
        Ok(())
    }
}

//! Runs that one process makes, one after the other.

use pyo3::prelude::*;

use super::program::LoadedProgram;
use super::runtime::Runtime;
use crate::protocol::{Event, decode_events};

/// The state that each run of a series starts from: `State` of `series.py`.
pub(crate) struct State<'py>(Bound<'py, PyAny>);

impl<'py> LoadedProgram<'py> {
    /// The state before the first run, or none if a process can make one run only: where anything was made up while the
    /// function's module was imported, what each run makes of that would be the next one's.
    pub(crate) fn state(&self, runtime: &Runtime) -> Option<State<'py>> {
        let entered = self.entered.as_ref()?;
        let is_made_up = |event: &Event| matches!(event, Event::Injected(_) | Event::Chose(_));
        let is_real = !entered.holds_stand_ins && !decode_events(&entered.events).iter().any(is_made_up);
        let made = || runtime.series(self.py)?.getattr("State")?.call0();
        is_real.then(made)?.ok().map(State)
    }
}

impl State<'_> {
    /// Puts back what each run changes; false if anything else is not as it was.
    pub(super) fn restore(&self, engine: &Bound<'_, PyAny>) -> bool {
        self.0.call_method1("restore", (engine,)).and_then(|restored| restored.is_truthy()).unwrap_or(false)
    }
}

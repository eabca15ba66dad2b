//! What one run does: the functions that it calls, and with which arguments.

use rustc_hash::FxHashSet;
use surmise_instrument::extract::{self, Function};
use surmise_instrument::{LineIndex, Site};

use super::{Plan, Settings, shared_key};
use crate::protocol::{Drawing, HarnessCall, Task};
use crate::trial::Trial;

impl Plan {
    /// What one run does beside what all of them do.
    #[must_use]
    pub fn task(&self, settings: &Settings, trial: &Trial) -> Task {
        let call = self.harness_call(settings, trial);
        Task { trial: trial.clone(), call, drawing: self.drawing(settings, trial) }
    }

    /// What both versions share, with the trial's values: a value is changed wherever the same is read.
    fn drawing(&self, settings: &Settings, trial: &Trial) -> Option<Drawing> {
        let mut drawing = settings.drawing.clone()?;
        for (&site, value) in &trial.values {
            if let Some(site) = self.sites.get(site as usize) {
                let key = shared_key(site, &drawing.aliases);
                drawing.classes.insert(key, (value.assigned.class, value.literal.clone()));
            }
        }
        Some(drawing)
    }

    fn harness_call(&self, settings: &Settings, trial: &Trial) -> Option<HarnessCall> {
        let one = |function: &String| vec![(function.clone(), (0, 0))];
        let isolated = settings.makes_isolated_calls() && self.injects();
        let functions = match (&settings.function, &trial.call) {
            (Some(function), _) | (None, Some(function)) => one(function),
            (None, None) if isolated => {
                let lines = self.model.lines();
                let with_body = |function: Function| (function.qualname.clone(), self.body(&function, lines));
                self.callable().into_iter().map(with_body).collect()
            }
            (None, None) => return None,
        };
        let first = self.uses().len() as u32;
        let function = |number: u32| self.instrumented.functions.get(number as usize).cloned().unwrap_or_default();
        let sites = (first..).zip(&self.sites[first as usize..]);
        let given = |number: &u32| trial.values.contains_key(number) || self.given.contains(number);
        let parameter =
            |(number, site): (u32, &Site)| (function(site.function), site.name.to_string(), number, given(&number));
        // A method's object may have to be made first, and what a function makes is called as well.
        let called = |name: &str| {
            let own = name.strip_prefix(functions[0].0.as_str());
            own.is_some_and(|inner| inner.is_empty() || inner.starts_with('.')) || name.ends_with("__init__")
        };
        let parameters = sites.map(parameter).filter(|(function, ..)| isolated || called(function)).collect();
        Some(HarnessCall { functions, isolated, parameters, is_excerpt: settings.function.is_some() })
    }

    /// Functions and methods that may be called from outside: those that stand in no other function.
    #[must_use]
    pub fn callable(&self) -> Vec<Function> {
        let mut all = extract::qualnames(&self.model);
        let names: FxHashSet<String> = all.iter().map(|function| function.qualname.clone()).collect();
        let nested = |name: &str| name.match_indices('.').any(|(at, _)| names.contains(&name[..at]));
        all.retain(|function| !nested(&function.qualname));
        all
    }

    /// First and last line that only a call of a function reaches: headers that span lines belong to the definition.
    /// The first is behind the last if there is none.
    #[must_use]
    pub fn body(&self, function: &Function, lines: &LineIndex) -> (u32, u32) {
        let header = self.paths().statement(function.line);
        let ends = header.map_or(function.line, |range| lines.line(range.end.saturating_sub(1)));
        (ends + 1, function.last_line)
    }
}

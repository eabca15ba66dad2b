//! What one run left.

use std::ops::Deref;

use surmise_engine::execute::{Execution, Outcome};
use surmise_engine::protocol::Raised;

use crate::shapes::Values;

/// Probabilities are taken as no smaller: a class that the predictor did not rank is unlikely, not impossible.
const LEAST_PROBABILITY: f32 = 1e-6;

/// One run of a program: its execution, with what follows from the trial.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// What the worker left: outcome, lines, values, answers, error.
    pub run: Execution,
    /// The real values that names were given, for runs that probe the code with such; none for others.
    pub given: Values,
    /// The logarithm of the predictor's probability of all values that were injected.
    pub log_probability: f64,
}

impl Deref for Entry {
    type Target = Execution;

    fn deref(&self) -> &Execution {
        &self.run
    }
}

impl From<Execution> for Entry {
    fn from(run: Execution) -> Self {
        let mut sites: Vec<(u32, f32)> =
            run.injections.iter().filter_map(|value| Some((value.site?, value.probability?))).collect();
        sites.sort_by_key(|(site, _)| *site);
        sites.dedup_by_key(|(site, _)| *site);
        let log_probability = sites.iter().map(|(_, probability)| f64::from(probability.max(LEAST_PROBABILITY)).ln());
        Self { log_probability: log_probability.sum(), run, given: Values::new() }
    }
}

impl Entry {
    /// True if the run went on after the statement on a line.
    #[must_use]
    pub fn passes(&self, line: u32) -> bool {
        let first = self.first_line(line);
        self.reached(first)
            && self.error.as_ref().is_none_or(|error| self.first_line(error.line) != first)
            && self.outcome != Outcome::Timeout
    }

    /// True if the run went on after the operation that failed with an error: later in its line something else may have.
    #[must_use]
    pub fn passes_operation(&self, error: &Raised) -> bool {
        let later = |own: &Raised| match (own.column, own.end_column, error.column, error.end_column) {
            // In a statement of several lines.
            _ if own.line != error.line => own.line > error.line,
            (Some(own), Some(own_end), Some(column), Some(end)) => {
                own >= end || (own <= column && end <= own_end && (own, own_end) != (column, end))
            }
            _ => false,
        };
        let is_near = |own: &&Raised| self.first_line(own.line) == self.first_line(error.line);
        let in_statement = self.error.as_ref().filter(|_| self.outcome == Outcome::Error).filter(is_near);
        self.passes(error.line) || in_statement.is_some_and(later)
    }

    /// True if the run ended with an error of this class in this line.
    #[must_use]
    pub fn raised(&self, kind: &str, line: u32) -> bool {
        self.error.as_ref().is_some_and(|error| error.line == line && error.kind == kind)
    }

    /// Sites whose values were injected, the latest first: what an expression comes to is what it asked for last.
    pub fn sites(&self) -> impl Iterator<Item = u32> {
        self.injections.iter().rev().filter_map(|value| value.site)
    }

    /// Sites to which the trials of two runs assign different values, in ascending order.
    #[must_use]
    pub fn differing_sites(&self, other: &Self) -> Vec<u32> {
        let (own, others) = (&self.trial.values, &other.trial.values);
        let mut sites: Vec<u32> =
            own.keys().chain(others.keys()).copied().filter(|site| own.get(site) != others.get(site)).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }

    /// True if both runs reached the same lines and ended the same way.
    #[must_use]
    pub fn is_like(&self, other: &Execution) -> bool {
        self.covered == other.covered && self.outcome == other.outcome && self.error == other.error
    }
}

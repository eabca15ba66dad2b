//! Verdicts: how far an error is the snippet's own, from the runs that raised it and those that did not.

use std::collections::BTreeSet;

use super::Search;
use super::goals::passes;
use crate::execute::{Execution, Outcome};
use crate::protocol::{Injection, Raised};
use crate::report::{Dependence, Finding, Verdict};

/// Errors that say that a value is of the wrong type, whatever it is.
const OF_TYPES: [&str; 3] = ["TypeError", "AttributeError", "InjectedError"];

impl Search<'_> {
    /// All distinct errors, certain ones first.
    pub(super) fn errors(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut runs: Vec<&Execution> = self.runs.iter().filter(|run| run.outcome == Outcome::Error).collect();
        runs.sort_by_key(|run| run.trial.changes());
        // The error of the best run is named as it was raised there.
        runs.insert(0, self.best());
        for run in runs {
            let Some(error) = &run.error else { continue };
            if seen.insert((error.kind.clone(), error.line)) {
                findings.push(self.judged(run, error));
            }
        }
        findings.sort_by_key(|finding| (finding.verdict, finding.raised.line));
        findings
    }

    fn judged(&self, run: &Execution, error: &Raised) -> Finding {
        let finding = |verdict, depends_on| Finding {
            raised: error.clone(),
            verdict,
            depends_on,
            function: run.trial.drive.clone(),
        };
        if run.injections.is_empty() {
            return finding(Verdict::Certain, Vec::new());
        }
        let mut operands = Vec::new();
        for range in self.failing(error) {
            self.sites_feeding(run, range, &mut operands);
        }
        // To raise is what a `raise` is for: the question is what led there.
        let on_purpose = self.is_on_purpose(error.line);
        let same_call = |other: &&Execution| other.trial.drive == run.trial.drive;
        let without = |other: &&Execution| {
            passes(other, error.line)
                || (on_purpose && other.error.as_ref().is_none_or(|other| other.line != error.line))
        };
        let avoiding = self.runs.iter().filter(same_call).filter(without);
        let Some(avoiding) = avoiding.min_by_key(|other| self.differing(run, other).len()) else {
            // Nothing that was tried avoids it. What nobody could change may still have to do with it.
            return finding(Verdict::Certain, Vec::new());
        };
        let differing = self.differing(run, avoiding);
        let depends_on: Vec<Dependence> =
            run.injections.iter().filter(|injection| is_one_of(injection, &differing)).map(dependence).collect();
        let of_operand = differing.iter().any(|site| operands.contains(site));
        let verdict =
            if of_operand && OF_TYPES.contains(&error.kind.as_str()) { Verdict::Guess } else { Verdict::Conditional };
        finding(verdict, depends_on)
    }

    fn is_on_purpose(&self, line: u32) -> bool {
        let statement = self.plan.paths().statement(line).map(|range| &self.plan.text[range.start as usize..]);
        statement.is_some_and(|text| text.starts_with("raise") || text.starts_with("assert"))
    }

    /// Sites at which two runs took different values.
    fn differing(&self, one: &Execution, other: &Execution) -> Vec<u32> {
        let sites = one.trial.values.keys().chain(other.trial.values.keys());
        let mut sites: Vec<u32> =
            sites.copied().filter(|site| one.trial.values.get(site) != other.trial.values.get(site)).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}

fn is_one_of(injection: &Injection, sites: &[u32]) -> bool {
    injection.site.is_some_and(|site| sites.contains(&site))
}

fn dependence(injection: &Injection) -> Dependence {
    Dependence {
        name: injection.name.clone(),
        line: injection.line,
        column: injection.column,
        value: injection.value.clone(),
    }
}

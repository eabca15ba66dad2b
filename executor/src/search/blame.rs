//! Verdicts: how far an error is the snippet's own, from the runs that raised it and those that did not.

use std::collections::BTreeSet;
use std::ops::Range;

use surmise_instrument::paths::Branch;
use surmise_value_model::Class;

use super::Search;
use super::changes::injected;
use super::goals::passes;
use crate::execute::{Execution, Outcome};
use crate::protocol::{Injection, Raised};
use crate::report::{Dependence, Finding, Verdict};

/// Errors that say that a value is of the wrong type, whatever it is.
const OF_TYPES: [&str; 3] = ["TypeError", "AttributeError", "InjectedError"];
/// Errors that are about names, not about values.
const OF_NAMES: [&str; 5] = ["NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError"];
/// Errors of reading something out of a text.
const OF_TEXTS: [&str; 3] = ["ValueError", "IndexError", "KeyError"];
/// Errors of a value of the right type.
const OF_VALUES: [&str; 8] = [
    "IndexError",
    "KeyError",
    "ValueError",
    "ZeroDivisionError",
    "StopIteration",
    "RuntimeError",
    "OverflowError",
    "RecursionError",
];
/// So many other values have to have failed, too, before an error of an injected value's type is the code's.
const ENOUGH_ATTEMPTS: usize = 3;

/// True for errors that say that a value is of the wrong type.
pub(super) fn is_of_types(error: &Raised) -> bool {
    OF_TYPES.contains(&error.kind.as_str())
}

/// True for errors of values of the right type.
pub(super) fn is_of_values(error: &Raised) -> bool {
    OF_VALUES.contains(&error.kind.as_str())
}

impl Search<'_> {
    /// All distinct errors, certain ones first.
    pub(super) fn errors(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        let mut seen = BTreeSet::new();
        let aside: Vec<Execution> = self.runs.iter().flat_map(Execution::failed_aside).collect();
        let failed = self.runs.iter().filter(|run| run.outcome == Outcome::Error);
        let mut runs: Vec<&Execution> = failed.chain(&aside).collect();
        runs.sort_by_key(|run| run.trial.changes());
        // The error of the best run is named as it was raised there.
        runs.insert(0, self.best());
        for run in runs {
            let Some(error) = &run.error else { continue };
            if seen.insert((error.kind.clone(), error.line)) {
                let finding = self.judged(run, error);
                // Of what only fails on values in shapes that the code is not meant for, nothing is to be said.
                if finding.verdict != Verdict::Guess || !run.trial.is_probe() {
                    findings.push(finding);
                }
            }
        }
        for finding in self.suspicions() {
            if seen.insert((finding.raised.kind.clone(), finding.raised.line)) {
                findings.push(finding);
            }
        }
        findings.sort_by_key(|finding| (finding.verdict, finding.raised.line));
        findings
    }

    /// The verdict on an error; what real values tell of it goes before what stand-ins do.
    fn judged(&self, run: &Execution, error: &Raised) -> Finding {
        let finding = self.compared(run, error);
        let told = finding.verdict != Verdict::Certain && !self.is_on_purpose(error.line);
        match self.probed(run.trial.drive.as_ref(), error).filter(|_| told) {
            Some(verdict) => Finding { verdict, ..finding },
            None => finding,
        }
    }

    /// The verdict by comparison of the runs that raise an error with those that do not.
    fn compared(&self, run: &Execution, error: &Raised) -> Finding {
        let finding = |verdict, depends_on| Finding {
            depends_on,
            function: run.trial.drive.clone(),
            ..Finding::new(error.clone(), verdict)
        };
        // Nothing may also have been injected because the code expects the failure; another run insists.
        if run.injections.iter().all(Injection::is_left_out_import) && run.expected.is_empty() {
            return finding(Verdict::Certain, Vec::new());
        }
        let mut operands = Vec::new();
        for range in self.failing(error) {
            self.sites_feeding(run, range, &mut operands);
        }
        // To raise is what a `raise` is for: the question is what led there.
        let on_purpose = self.is_on_purpose(error.line);
        let same_call: Vec<&Execution> =
            self.runs.iter().filter(|other| other.trial.drive == run.trial.drive).collect();
        let without = |other: &&&Execution| {
            passes(other, error.line)
                || (on_purpose && other.error.as_ref().is_none_or(|other| other.line != error.line))
        };
        let of_types = OF_TYPES.contains(&error.kind.as_str());
        // A made-up text is in no format: what reads one out of it fails for that alone.
        let of_text = !on_purpose
            && OF_TEXTS.contains(&error.kind.as_str())
            && operands.iter().any(|&site| self.is_text(run, site));
        let avoiding = same_call.iter().filter(without).min_by_key(|other| Self::differing(run, other).len());
        let Some(avoiding) = avoiding else {
            // Probes try what the code may not be meant for.
            let guided = same_call.iter().filter(|other| !other.trial.is_probe());
            let again = guided.filter(|other| other.error.as_ref().is_some_and(|e| e.line == error.line));
            let tried = again.count() > ENOUGH_ATTEMPTS;
            let verdict = if on_purpose && !tried && self.is_led_to(run, error.line) {
                Verdict::Conditional
            } else if OF_NAMES.contains(&error.kind.as_str()) || !self.is_fed(run, error) || (of_types && tried) {
                Verdict::Certain
            } else if of_types || of_text {
                Verdict::Guess
            } else {
                // Some value that nobody tried may be right.
                Verdict::Conditional
            };
            return finding(verdict, Vec::new());
        };
        let differing = Self::differing(run, avoiding);
        let depends_on: Vec<Dependence> =
            run.injections.iter().filter(|injection| is_one_of(injection, &differing)).map(dependence).collect();
        let of_operand = differing.iter().any(|site| operands.contains(site));
        finding(if of_text || of_operand && of_types { Verdict::Guess } else { Verdict::Conditional }, depends_on)
    }

    fn is_text(&self, run: &Execution, site: u32) -> bool {
        self.assigned(run, site).is_some_and(|assigned| assigned.class == Class::Str)
    }

    /// True if something that was injected or answered may reach the failing operation.
    fn is_fed(&self, run: &Execution, error: &Raised) -> bool {
        self.failing(error).into_iter().next().is_none_or(|failing| self.reaches(run, failing))
    }

    /// True if something that was injected or answered may reach a condition around a line.
    fn is_led_to(&self, run: &Execution, line: u32) -> bool {
        let around = |branch: &&Branch| branch.ways.iter().any(|way| (way.lines.0..=way.lines.1).contains(&line));
        self.plan.paths().branches.iter().filter(around).any(|branch| self.reaches(run, branch.decides.clone()))
    }

    fn reaches(&self, run: &Execution, range: Range<u32>) -> bool {
        let Some(fed) = self.plan.paths().origins(range) else { return true };
        let mut sites = Vec::new();
        self.sites_in(injected(run), fed.clone(), &mut sites);
        if !sites.is_empty() {
            return true;
        }
        // What was imported for the code is real.
        let made_up = |injection: &&Injection| injection.site.is_none() && !injection.is_left_out_import();
        run.injections.iter().filter(made_up).any(|answer| {
            // Answers have a line, and a column only sometimes.
            let start = self.lines.start(answer.line);
            let (start, end) = match answer.column {
                0 => (start, self.lines.start(answer.line + 1).max(start + 1)),
                column => (start + column, start + column + 1),
            };
            fed.iter().any(|(_, range)| range.start < end && start < range.end)
        })
    }

    fn is_on_purpose(&self, line: u32) -> bool {
        let statement = self.plan.paths().statement(line).map(|range| &self.plan.text[range.start as usize..]);
        statement.is_some_and(|text| text.starts_with("raise") || text.starts_with("assert"))
    }

    /// Sites at which two runs took different values.
    fn differing(one: &Execution, other: &Execution) -> Vec<u32> {
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

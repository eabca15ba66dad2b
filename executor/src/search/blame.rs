//! Verdicts: how far an error is the snippet's own, from the runs that raised it and those that did not.

use std::collections::BTreeSet;

use surmise_instrument::Role;
use surmise_value_model::Class;

use super::Search;
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
/// Builtin names that are mistyped.
const BUILTINS: [&str; 16] = [
    "print",
    "input",
    "range",
    "len",
    "int",
    "str",
    "float",
    "list",
    "dict",
    "sum",
    "sorted",
    "enumerate",
    "open",
    "True",
    "False",
    "None",
];
/// So many other values have to have failed, too, before an error of an injected value's type is the code's.
const ENOUGH_ATTEMPTS: usize = 3;

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
        for finding in self.suspicions() {
            if seen.insert((finding.raised.kind.clone(), finding.raised.line)) {
                findings.push(finding);
            }
        }
        findings.sort_by_key(|finding| (finding.verdict, finding.raised.line));
        findings
    }

    fn judged(&self, run: &Execution, error: &Raised) -> Finding {
        let finding = |verdict, depends_on| Finding {
            depends_on,
            function: run.trial.drive.clone(),
            ..Finding::new(error.clone(), verdict)
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
        let same_call: Vec<&Execution> =
            self.runs.iter().filter(|other| other.trial.drive == run.trial.drive).collect();
        let without = |other: &&&Execution| {
            passes(other, error.line)
                || (on_purpose && other.error.as_ref().is_none_or(|other| other.line != error.line))
        };
        let of_types = OF_TYPES.contains(&error.kind.as_str());
        // A made-up text is in no format: what reads one out of it fails for that alone.
        let of_text = OF_TEXTS.contains(&error.kind.as_str()) && operands.iter().any(|&site| self.is_text(run, site));
        let avoiding = same_call.iter().filter(without).min_by_key(|other| Self::differing(run, other).len());
        let Some(avoiding) = avoiding else {
            let again = same_call.iter().filter(|other| other.error.as_ref().is_some_and(|e| e.line == error.line));
            let tried = again.count() > ENOUGH_ATTEMPTS;
            let verdict = if OF_NAMES.contains(&error.kind.as_str()) || !self.is_fed(run, error) || (of_types && tried)
            {
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
        let Some(failing) = self.failing(error).into_iter().next() else { return true };
        let mut sites = Vec::new();
        self.sites_feeding(run, failing.clone(), &mut sites);
        if !sites.is_empty() {
            return true;
        }
        let fed = self.plan.paths().feeding(failing);
        run.injections.iter().filter(|injection| injection.site.is_none()).any(|answer| {
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

    /// What was filled in can itself be the bug: local variables that are read before their assignment, and names that
    /// are spelled almost like one that is bound.
    fn suspicions(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut seen = BTreeSet::new();
        let reads_input = self.plan.paths().reads_of("input()") + self.plan.paths().reads_of(".stdin") > 0;
        for run in &self.runs {
            for injection in run.injections.iter().filter(|injection| injection.kind == "variable") {
                let site = injection.site.and_then(|site| self.plan.uses().get(site as usize));
                let Some(site) = site.filter(|site| seen.insert(site.start)) else { continue };
                let name = &injection.name;
                let raised = |kind: &str, message: String| Raised {
                    kind: kind.to_owned(),
                    message,
                    line: injection.line,
                    column: Some(injection.column),
                    end_column: Some(injection.column + name.chars().count() as u32),
                    exit_code: 1,
                };
                let finding = if site.local {
                    let number = injection.site;
                    let bound = self.runs.iter().filter(|other| other.trial.drive == run.trial.drive).any(|other| {
                        passes(other, injection.line) && other.injections.iter().all(|other| other.site != number)
                    });
                    let message =
                        format!("cannot access local variable '{name}' where it is not associated with a value");
                    let verdict = if bound { Verdict::Conditional } else { Verdict::Certain };
                    Finding::new(raised("UnboundLocalError", message), verdict)
                } else if site.rebound && self.plan.paths().is_bound_elsewhere(name, site.start) {
                    // Bound by the snippet itself, but not yet or not on this way.
                    let message = format!("name '{name}' is not defined");
                    Finding::new(raised("NameError", message), Verdict::Conditional)
                } else if let Some(meant) = self.meant(name) {
                    let hint = Some(format!("did you mean `{meant}`?"));
                    let message = format!("name '{name}' is not defined");
                    Finding { hint, ..Finding::new(raised("NameError", message), Verdict::Conditional) }
                } else if reads_input && matches!(site.role, Role::Plain | Role::Operand | Role::Number) {
                    // A program that reads its input is no part of another one that could define this.
                    let message = format!("name '{name}' is not defined");
                    Finding::new(raised("NameError", message), Verdict::Conditional)
                } else {
                    continue;
                };
                findings.push(Finding { passed_over: true, function: run.trial.drive.clone(), ..finding });
            }
        }
        findings
    }

    /// The name that was probably meant: one that is spelled almost the same, where this one is read only once.
    fn meant(&self, name: &str) -> Option<&str> {
        let paths = self.plan.paths();
        let plural = |other: &str| other.strip_suffix('s') == Some(name) || name.strip_suffix('s') == Some(other);
        if paths.reads_of(name) != 1 {
            return None;
        }
        let bound = paths.bound_names().filter(|bound| is_near(name, bound) && !plural(bound)).min();
        bound.or_else(|| BUILTINS.into_iter().find(|builtin| is_near(name, builtin)))
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

/// True for names that are one edit or one swap of neighbours apart: a likely typing error.
fn is_near(name: &str, other: &str) -> bool {
    let (name, other): (Vec<char>, Vec<char>) = (name.chars().collect(), other.chars().collect());
    let (short, long) = if name.len() <= other.len() { (&name, &other) } else { (&other, &name) };
    if short.len() < 3 || long.len() - short.len() > 1 || short == long {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(one, other)| one == other).count();
    if short.len() < long.len() {
        return short[same..] == long[same + 1..];
    }
    // `row1` and `row2` are different things, `i` and `j` too.
    let digits = short[same].is_ascii_digit() && long[same].is_ascii_digit();
    let swapped = same + 1 < short.len()
        && short[same] == long[same + 1]
        && short[same + 1] == long[same]
        && short[same + 2..] == long[same + 2..];
    !digits && (short[same + 1..] == long[same + 1..] || swapped)
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn typing_errors_are_near() {
        for (name, other) in
            [("clo", "col"), ("lenght", "length"), ("resut", "result"), ("countt", "count"), ("Node", "node")]
        {
            assert!(is_near(name, other) && is_near(other, name), "{name} {other}");
        }
        for (name, other) in [("row1", "row2"), ("x", "y"), ("ab", "ac"), ("name", "name"), ("left", "right")] {
            assert!(!is_near(name, other), "{name} {other}");
        }
    }
}

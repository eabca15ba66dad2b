//! Names that were filled in and can themselves be the bug: reported beside going on with the injected value.

use std::collections::BTreeSet;

use surmise_instrument::{Role, Site};

use super::Search;
use super::goals::passes;
use crate::execute::Execution;
use crate::protocol::{Injection, Raised};
use crate::report::{Finding, Verdict};

/// Builtin functions that are mistyped, and constants.
const FUNCTIONS: [&str; 13] =
    ["print", "input", "range", "len", "int", "str", "float", "list", "dict", "sum", "sorted", "enumerate", "open"];
const CONSTANTS: [&str; 3] = ["True", "False", "None"];

impl Search<'_> {
    /// Reads of names that are probably errors.
    pub(super) fn suspicions(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut seen = BTreeSet::new();
        let parsed = self.parsed_names();
        let is_program = self.is_program();
        for run in self.runs.iter().filter(|run| !run.trial.is_probe()) {
            for injection in run.injections.iter().filter(|injection| injection.kind == "variable") {
                let site = injection.site.and_then(|site| self.plan.uses().get(site as usize));
                let Some(site) = site.filter(|site| seen.insert(site.start)) else { continue };
                let finding = if site.local {
                    Some(self.unbound_local(run, injection))
                } else {
                    self.undefined(injection, site, is_program, &parsed)
                };
                let of_run = |finding| Finding { passed_over: true, function: run.trial.drive.clone(), ..finding };
                findings.extend(finding.map(of_run));
            }
        }
        findings.extend(self.hidden_builtins());
        findings
    }

    fn unbound_local(&self, run: &Execution, injection: &Injection) -> Finding {
        let number = injection.site;
        let bound =
            self.runs.iter().filter(|other| other.trial.drive == run.trial.drive).any(|other| {
                passes(other, injection.line) && other.injections.iter().all(|other| other.site != number)
            });
        let name = &injection.name;
        let message = format!("cannot access local variable '{name}' where it is not associated with a value");
        let verdict = if bound { Verdict::Conditional } else { Verdict::Certain };
        Finding::new(raised("UnboundLocalError", message, injection.line, injection.column, name), verdict)
    }

    fn undefined(&self, injection: &Injection, site: &Site, is_program: bool, parsed: &[&str]) -> Option<Finding> {
        let (name, paths) = (injection.name.as_str(), self.plan.paths());
        let message = format!("name '{name}' is not defined");
        let error = raised("NameError", message, injection.line, injection.column, name);
        let finding = Finding::new(error, Verdict::Conditional);
        // Bound by the snippet itself, but not yet or not on this way, or only inside of a comprehension.
        if paths.is_only_comprehended(name) {
            return Some(finding);
        }
        if site.rebound && paths.may_be_unbound(name, site.start) {
            // Code often sees to it that a loop has an element; stand-ins can be empty in spite of that.
            return (!paths.is_only_looped(name) || self.is_read_unbound(site)).then_some(finding);
        }
        if let Some(meant) = self.meant(name, site.role) {
            return Some(Finding { hint: Some(format!("did you mean `{meant}`?")), ..finding });
        }
        // A program that reads its input is no part of another one that could define this. What it takes over as it
        // is, and what is called like an input, may be input as well.
        let input = || {
            let assigned = paths.statement(site.line).is_some_and(|range| range.end == site.end && !site.rebound)
                && self.plan.text[..site.start as usize].trim_end().ends_with('=');
            assigned || self.is_parsed(site) || parsed.iter().any(|other| stem(other) == stem(name))
        };
        let plain = std::iter::once(site.role).chain(site.later.iter()).all(is_of_value);
        (is_program && plain && !input()).then_some(finding)
    }

    /// True if real values lead to the read before the name is bound; without any that come so far, stand-ins did.
    fn is_read_unbound(&self, site: &Site) -> bool {
        let mut probes =
            self.probes.iter().map(|(at, _)| &self.runs[*at]).filter(|run| run.reached(site.line)).peekable();
        let is_here = |injection: &Injection| {
            injection.site.and_then(|own| self.plan.uses().get(own as usize)).is_some_and(|own| own.start == site.start)
        };
        probes.peek().is_none() || probes.any(|run| run.injections.iter().any(is_here))
    }

    /// True for code that reads its input: it is a program of its own, and what it reads is in a format.
    pub(super) fn is_program(&self) -> bool {
        let paths = self.plan.paths();
        paths.reads_of("input()") + paths.reads_of(".stdin") > 0 || !self.parsed_names().is_empty()
    }

    /// Undefined names that are read once, as a text of which the code makes numbers or parts: the input of a program.
    fn parsed_names(&self) -> Vec<&str> {
        let injections = self.runs.iter().flat_map(|run| &run.injections);
        let sites = injections.filter_map(|injection| self.plan.uses().get(injection.site? as usize));
        let mut names: Vec<&str> = sites
            .filter(|site| self.is_parsed(site) && self.plan.paths().reads_of(&site.name) == 1)
            .map(|site| site.name.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn is_parsed(&self, site: &Site) -> bool {
        let (before, after) = (&self.plan.text[..site.start as usize], &self.plan.text[site.end as usize..]);
        let converted = ["int(", "float("].iter().any(|call| {
            // Not `print(`.
            before.strip_suffix(call).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        });
        let split = [".split(", ".strip(", ".rstrip("].iter().any(|method| after.starts_with(method));
        site.kind == surmise_instrument::Kind::Variable && (converted || split)
    }

    /// `sum = sum(rows)` is an error in a function, and where something is missing this may be the body of one.
    fn hidden_builtins(&self) -> Vec<Finding> {
        let first = &self.runs[0];
        if first.injections.iter().all(|injection| injection.kind != "variable") {
            return Vec::new();
        }
        let found = self.plan.paths().builtins_read_first().into_iter();
        let found = found.map(|(name, offset)| (name, self.lines.position(offset)));
        let reached = found.filter(|(_, (line, _))| self.covered.contains(line));
        reached
            .map(|(name, (line, column))| {
                let message = format!("cannot access local variable '{name}' where it is not associated with a value");
                let error = raised("UnboundLocalError", message, line, column, name);
                let hint = Some(format!("this hides the builtin `{name}`"));
                Finding { passed_over: true, hint, ..Finding::new(error, Verdict::Conditional) }
            })
            .collect()
    }

    /// The name that was probably meant: one that is spelled almost the same, where this one is read only once.
    fn meant(&self, name: &str, role: Role) -> Option<&str> {
        let paths = self.plan.paths();
        let plural = |other: &str| other.strip_suffix('s') == Some(name) || name.strip_suffix('s') == Some(other);
        if paths.reads_of(name) != 1 {
            return None;
        }
        let bound = paths.bound_names().filter(|bound| is_near(name, bound) && !plural(bound)).min();
        // `lst` is no `list`, unless it is called.
        let builtins = if role == Role::Callee { &FUNCTIONS[..] } else { &CONSTANTS[..] };
        bound.or_else(|| builtins.iter().copied().find(|builtin| is_near(name, builtin)))
    }
}

/// True for what is done with numbers, texts and containers, and says nothing of modules, classes or functions.
fn is_of_value(role: Role) -> bool {
    !matches!(
        role,
        Role::Callee
            | Role::Base(_)
            | Role::Awaited
            | Role::Asynchronous
            | Role::Context
            | Role::Raised
            | Role::Caught
            | Role::ClassBase
            | Role::Decorator
    )
}

/// A name without the number at its end.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_')
}

fn raised(kind: &str, message: String, line: u32, column: u32, name: &str) -> Raised {
    Raised {
        kind: kind.to_owned(),
        message,
        line,
        column: Some(column),
        end_column: Some(column + name.chars().count() as u32),
        exit_code: 1,
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

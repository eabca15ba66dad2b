//! Names that were filled in and can themselves be the bug: reported although the run went on with an injected value.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use surmise_engine::protocol::{Injection, Raised};
use surmise_instrument::cleanup::{Repair, RepairKind};
use surmise_instrument::paths::{Way, is_never_bound_before};
use surmise_instrument::{Kind, Role, Site, Written};
use surmise_ledger::{Entry, Facts};

use crate::{Finding, Verdict};

/// Builtin functions that are mistyped, and constants.
const FUNCTIONS: [&str; 13] =
    ["print", "input", "range", "len", "int", "str", "float", "list", "dict", "sum", "sorted", "enumerate", "open"];
const CONSTANTS: [&str; 3] = ["True", "False", "None"];
/// Builtin names of Python 2 that hardly anybody gives to something else, and what Python 3 has for them.
pub(crate) const OF_PYTHON_2: [(&str, &str); 5] =
    [("basestring", "str"), ("raw_input", "input"), ("unichr", "chr"), ("unicode", "str"), ("xrange", "range")];
/// What code asks that is meant for both.
const VERSIONS: [&str; 5] = ["PY2", "PY3", ".PY2", ".PY3", ".version_info"];

/// Reads of names that are probably errors.
pub(crate) fn suspicions(facts: Facts<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen = BTreeSet::new();
    let parsed = parsed_names(facts);
    let is_program = is_program(facts);
    let whole_classes = OnceCell::new();
    for run in facts.ledger.guided() {
        findings.extend(run.injections.iter().filter_map(|injection| absent(facts, injection)));
        findings.extend(run.injections.iter().filter_map(|injection| lacking(facts, run, injection, &whole_classes)));
    }
    for run in facts.ledger.guided().chain(facts.ledger.probes()) {
        for injection in run.injections.iter().filter(|injection| injection.kind == "variable") {
            let site = injection.site.and_then(|site| facts.plan.uses().get(site as usize));
            // Real values may lead past all that binds a name; of others they say nothing.
            let counts = |site: &&Site| !run.trial.is_probe() || site.local || site.rebound;
            let Some(site) = site.filter(|site| counts(site) && seen.insert(site.start)) else { continue };
            let finding = if site.local {
                // What the functions around the one that was asked for bind is cut: `def inner(value, known=known)`.
                let is_around =
                    facts.ledger.function.is_some() && !facts.ledger.first().lines.contains(&injection.line);
                (!is_around).then(|| unbound_local(facts, run, injection))
            } else {
                undefined(facts, injection, site, is_program, &parsed)
            };
            let of_run = |finding| Finding { passed_over: true, function: run.trial.call.clone(), ..finding };
            findings.extend(finding.map(of_run));
        }
    }
    findings.extend(hidden_builtins(facts));
    findings
}

/// A name that a module of the standard library does not have, unless a handler around the import may wait for that.
fn absent(facts: Facts<'_>, injection: &Injection) -> Option<Finding> {
    let (module, name) = injection.name.rsplit_once('.').filter(|_| injection.kind == "absent name")?;
    let tries = &facts.plan.instrumented.tries;
    if tries.iter().any(|block| (block.first_line..=block.last_line).contains(&injection.line)) {
        return None;
    }
    let message = format!("cannot import name '{name}' from '{module}'");
    let statement = facts.plan.paths().statement(injection.line)?;
    let width = facts.plan.text.get(statement.start as usize..statement.end as usize)?.lines().next()?;
    let error = raised("ImportError", message, injection.line, injection.column, width);
    // Under a condition the name may be another version's: `if PY3: ... else: from urllib import quote`.
    let holds = |way: &Way| (way.lines.0..=way.lines.1).contains(&injection.line);
    let is_chosen = facts.plan.paths().branches.iter().any(|branch| branch.ways.iter().any(holds));
    let verdict = if is_chosen { Verdict::Conditional } else { Verdict::Certain };
    Some(Finding { passed_over: true, ..Finding::new(error, verdict) })
}

/// An attribute that a class of the program does not have although the program shows the class whole: `account.balance`.
/// What a method reads of its own object may be added in another place, unless the program itself makes the object and
/// calls the method.
fn lacking(
    facts: Facts<'_>,
    run: &Entry,
    injection: &Injection,
    classes: &OnceCell<BTreeSet<String>>,
) -> Option<Finding> {
    let path = injection.path.as_deref().filter(|_| injection.kind == "attribute")?;
    let (class, name) = path.rsplit_once('.').filter(|(_, name)| *name == injection.name)?;
    let site = facts.plan.uses().get(injection.site? as usize)?;
    let text = facts.plan.text.get(site.start as usize..site.end as usize)?;
    let base = text.rsplit_once('.')?.0.trim_end();
    let classes = classes.get_or_init(|| Written::of(&facts.plan.model).whole_classes);
    let is_called_by_us = run.trial.call.is_some() || facts.ledger.function.is_some();
    if matches!(base, "self" | "cls") && is_called_by_us || !classes.contains(class) {
        return None;
    }
    let message = format!("'{class}' object has no attribute '{name}'");
    let error = raised("AttributeError", message, injection.line, injection.column, text);
    Some(Finding { passed_over: true, ..Finding::new(error, Verdict::Conditional) })
}

fn unbound_local(facts: Facts<'_>, run: &Entry, injection: &Injection) -> Finding {
    let number = injection.site;
    let unfilled = |other: &Entry| other.injections.iter().all(|other| other.site != number);
    let mut same_call = facts.ledger.of_call(run.trial.call.as_ref());
    let bound = same_call.any(|other| other.passes(injection.line) && unfilled(other));
    let name = &injection.name;
    let message = format!("cannot access local variable '{name}' where it is not associated with a value");
    let verdict = if bound { Verdict::Conditional } else { Verdict::Certain };
    Finding::new(raised("UnboundLocalError", message, injection.line, injection.column, name), verdict)
}

fn undefined(
    facts: Facts<'_>,
    injection: &Injection,
    site: &Site,
    is_program: bool,
    parsed: &[&str],
) -> Option<Finding> {
    let (name, paths) = (injection.name.as_str(), facts.plan.paths());
    let message = format!("name '{name}' is not defined");
    let error = raised("NameError", message, injection.line, injection.column, name);
    if is_never_bound_before(&facts.plan.model, name, site.start) {
        return Some(Finding::new(error, Verdict::Certain));
    }
    let finding = Finding::new(error, Verdict::Conditional);
    // Bound by the snippet itself, but not yet or not on this way, or only inside of a comprehension.
    if paths.is_only_comprehended(name) {
        return Some(finding);
    }
    if site.rebound && paths.may_be_unbound(name, site.start) {
        // Code often sees to it that a loop has an element; stand-ins can be empty in spite of that.
        return (!paths.is_only_looped(name) || is_read_unbound(facts, site)).then_some(finding);
    }
    if let Some(renamed) = renamed(facts, name) {
        return Some(Finding { hint: Some(format!("Python 3 has `{renamed}` for it")), ..finding });
    }
    if let Some(meant) = meant(facts, name, site.role) {
        return Some(Finding { hint: Some(format!("did you mean `{meant}`?")), ..finding });
    }
    // A program that reads its input is no part of another one that could define this. What it takes over as it
    // is, and what is called like an input, may be input as well.
    let input = || {
        let before = facts.plan.text[..site.start as usize].trim_end();
        let assigned = paths.statement(site.line).is_some_and(|range| range.end == site.end && !site.rebound)
            && before.strip_suffix('=').is_some_and(|rest| !rest.ends_with(['=', '!', '<', '>']));
        assigned || is_parsed(facts, site) || parsed.iter().any(|other| stem(other) == stem(name))
    };
    let plain = std::iter::once(site.role).chain(site.downstream.iter()).all(is_of_value);
    (is_program && plain && !input()).then_some(finding)
}

/// What Python 3 has for a builtin name of Python 2, in a source that is not evidently meant for Python 2 or for both.
fn renamed(facts: Facts<'_>, name: &str) -> Option<&'static str> {
    let (_, renamed) = OF_PYTHON_2.iter().find(|(old, _)| *old == name)?;
    let is_old = |repair: &Repair| matches!(repair.kind, RepairKind::PrintStatement | RepairKind::Python2);
    let paths = facts.plan.paths();
    let is_meant_for_both =
        || !facts.plan.instrumented.tries.is_empty() || VERSIONS.iter().any(|asked| paths.reads_of(asked) > 0);
    (!facts.plan.repairs.iter().any(is_old) && !is_meant_for_both()).then_some(renamed)
}

/// True if real values lead to the read before the name is bound; without any that come so far, stand-ins did.
fn is_read_unbound(facts: Facts<'_>, site: &Site) -> bool {
    let mut probes = facts.ledger.probes().filter(|run| run.reached_statement(site.line)).peekable();
    let is_here = |injection: &Injection| {
        injection.site.and_then(|own| facts.plan.uses().get(own as usize)).is_some_and(|own| own.start == site.start)
    };
    probes.peek().is_none() || probes.any(|run| run.injections.iter().any(is_here))
}

/// True for code that reads its input: it is a program of its own, and what it reads is in a format.
pub(crate) fn is_program(facts: Facts<'_>) -> bool {
    let paths = facts.plan.paths();
    paths.reads_of("input()") + paths.reads_of(".stdin") > 0 || !parsed_names(facts).is_empty()
}

/// Undefined names that are read once, as a text of which the code makes numbers or parts: the input of a program.
fn parsed_names(facts: Facts<'_>) -> Vec<&str> {
    let injections = facts.ledger.entries().iter().flat_map(|run| &run.injections);
    let sites = injections.filter_map(|injection| facts.plan.uses().get(injection.site? as usize));
    let mut names: Vec<&str> = sites
        .filter(|site| is_parsed(facts, site) && facts.plan.paths().reads_of(&site.name) == 1)
        .map(|site| site.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn is_parsed(facts: Facts<'_>, site: &Site) -> bool {
    let (before, after) = (&facts.plan.text[..site.start as usize], &facts.plan.text[site.end as usize..]);
    let converted = ["int(", "float("].iter().any(|call| {
        // Not `print(`.
        before.strip_suffix(call).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    });
    let split = [".split(", ".strip(", ".rstrip("].iter().any(|method| after.starts_with(method));
    site.kind == Kind::Variable && (converted || split)
}

/// `sum = sum(rows)` is an error in a function, and where something is missing this may be the body of one.
fn hidden_builtins(facts: Facts<'_>) -> Vec<Finding> {
    let first = facts.ledger.first();
    if first.injections.iter().all(|injection| injection.kind != "variable") {
        return Vec::new();
    }
    let found = facts.plan.paths().builtins_read_first().into_iter();
    let found = found.map(|(name, offset)| (name, facts.position(offset)));
    let reached = found.filter(|(_, (line, _))| facts.ledger.covered().contains(line));
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
fn meant<'a>(facts: Facts<'a>, name: &str, role: Role) -> Option<&'a str> {
    let paths = facts.plan.paths();
    let plural = |other: &str| other.strip_suffix('s') == Some(name) || name.strip_suffix('s') == Some(other);
    if paths.reads_of(name) > 1 {
        return None;
    }
    // `User.find()` is of a class, whatever `user` is.
    let is_class = |other: &str| name.starts_with(char::is_uppercase) && *name.to_lowercase() == *other;
    // Nor is `lst` the `list` that a snippet makes of it.
    let is_builtin = |other: &str| role != Role::Callee && FUNCTIONS.contains(&other);
    let bound = paths.bound_names().filter(|bound| is_near(name, bound) && !plural(bound));
    let bound = bound.filter(|bound| !is_class(bound) && !is_builtin(bound)).min();
    // `lst` is no `list`, unless it is called.
    let builtins = if role == Role::Callee { &FUNCTIONS[..] } else { &CONSTANTS[..] };
    bound.or_else(|| builtins.iter().copied().find(|builtin| is_near(name, builtin)))
}

/// True for what is done with numbers, texts and containers, and says nothing of modules, classes or functions.
fn is_of_value(role: Role) -> bool {
    !role.needs_object() && !matches!(role, Role::Base(_))
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
        elsewhere: false,
        in_package: false,
    }
}

/// Whether names are one edit or one swap of neighbouring letters apart: a likely typing error. `row1`, `row2` and `row`
/// are different things, `i` and `j` too.
fn is_near(name: &str, other: &str) -> bool {
    let digits = |(one, other): (char, char)| one != other && one.is_ascii_digit() && other.is_ascii_digit();
    let letters = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    let shortest = name.chars().count().min(other.chars().count());
    // Among names of three letters many are one letter apart: `cls`, `css`.
    (shortest > 3 || shortest == 3 && letters(name) == letters(other))
        // Nobody leaves out the first letter.
        && !name.ends_with(other)
        && !other.ends_with(name)
        && stem(name) != other
        && stem(other) != name
        && !(name.len() == other.len() && name.chars().zip(other.chars()).any(digits))
        && strsim::osa_distance(name, other) == 1
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
        for (name, other) in [
            ("row1", "row2"),
            ("row", "row1"),
            ("x", "y"),
            ("ab", "ac"),
            ("css", "cls"),
            ("day", "bday"),
            ("name", "name"),
            ("left", "right"),
        ] {
            assert!(!is_near(name, other), "{name} {other}");
        }
    }
}

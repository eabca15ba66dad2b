//! Errors of what this platform or version of Python lacks, and the code may be meant for another one.

use surmise_engine::protocol::{Injection, Raised};
use surmise_instrument::paths::{Branch, Side, Way};
use surmise_ledger::{Entry, Facts};

use crate::{Dependence, comparison, names};

/// True for an attribute that a module lacks, whose name another platform or version has.
fn is_of_module(error: &Raised) -> bool {
    error.kind == "AttributeError" && error.message.starts_with("module '")
}

/// True for a name that only Python 2 defines.
fn is_of_python_2(error: &Raised) -> bool {
    let name = || error.message.strip_prefix("name '")?.strip_suffix("' is not defined");
    error.kind == "NameError" && name().is_some_and(|name| names::OF_PYTHON_2.iter().any(|(old, _)| *old == name))
}

/// True for an attribute of a module in a function that the imported module does not define here: it may define it where it has
/// the attribute.
pub(crate) fn is_of_absent_function(entry: &Entry, error: &Raised) -> bool {
    let is_undefined = |problem: &String| problem.ends_with("does not define the function");
    is_of_module(error) && matches!(&entry.in_place, Some(Err(problem)) if is_undefined(problem))
}

/// What a condition or handler decides that leads to the attribute which a module lacks, or to a builtin name of Python 2, with the
/// value on which it depends, if one was injected there: `if on_windows(): ctypes.windll`. `None` for other errors, and where only
/// real values lead there.
pub(crate) fn way_there(facts: Facts<'_>, entry: &Entry, error: &Raised) -> Option<Vec<Dependence>> {
    let paths = facts.plan.paths();
    let around = paths.branches.iter().filter_map(|branch| {
        let holds = |way: &&Way| (way.lines.0..=way.lines.1).contains(&error.line);
        Some((branch, branch.ways.iter().find(holds)?))
    });
    let is_loop = |branch: &Branch| {
        let header = paths.statement(branch.lines.0).map(|range| &facts.plan.text[range.start as usize..]);
        header.is_some_and(|text| text.starts_with("for") || text.starts_with("async for"))
    };
    let is_of_other = is_of_module(error) || is_of_python_2(error);
    let mut decided = around.filter(|_| is_of_other).filter(|(branch, way)| match way.side {
        Side::Handler(_) => true,
        _ => !is_loop(branch) && comparison::reaches(facts, entry, branch.decides.clone(), |_| true),
    });
    let (branch, _) = decided.next()?;
    let stands_there = |value: &&Injection| value.site.is_some_and(|site| facts.lies_in(site, &branch.decides));
    Some(entry.injections.iter().find(stands_there).map(Dependence::of).into_iter().collect())
}

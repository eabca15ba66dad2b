//! Operations on values that the source writes out itself: what of the failing operation can be made up at all.

use std::ops::Range;

use surmise_engine::protocol::Raised;
use surmise_instrument::paths::Lookup;
use surmise_instrument::{Kind, Site};
use surmise_ledger::{Entry, Facts};

use crate::Dependence;

/// Byte range of what the failure may depend on: of a lookup in a container that is written out the key, of an
/// attribute of a value whose type is known nothing. Of all others the failing expression.
pub(crate) fn dependent(facts: Facts<'_>, error: &Raised, failing: Range<u32>) -> Option<Range<u32>> {
    let paths = facts.plan.paths();
    if error.kind == "AttributeError" {
        let text = &facts.plan.text[failing.start as usize..failing.end as usize];
        let base = text.rsplit_once('.').map(|(base, _)| base.trim());
        if !base.is_some_and(|base| paths.origins.is_written(base)) {
            return Some(failing);
        }
        return owner(text).map(|owner| failing.start..failing.start + owner.len() as u32);
    }
    if error.kind == "TypeError" && refused(facts, error, &failing).is_some_and(|base| paths.origins.is_written(base)) {
        return None;
    }
    if error.message.contains("unhashable type: '") && paths.containers.is_given_container(&failing) {
        return None;
    }
    if error.message.ends_with("out of range for positional args tuple") {
        // `"{} {}".format(x)` lacks an argument, whatever `x` is.
        let text = &facts.plan.text[failing.start as usize..failing.end as usize];
        return text.find(".format(").map(|end| failing.start..failing.start + end as u32);
    }
    if error.kind == "KeyError" && is_formatted_with_literal_keys(facts, &failing) {
        return None;
    }
    if error.kind == "KeyError"
        && let Some(form) = form_without_key(facts, &failing)
    {
        return Some(form);
    }
    match failed_lookup(facts, error) {
        Some(lookup) if paths.containers.is_unchanged(&lookup.base) => Some(lookup.key.clone()),
        Some(lookup) if error.kind == "IndexError" && paths.containers.is_unresized(&lookup.base) => {
            Some(lookup.key.clone())
        }
        _ => Some(failing),
    }
}

/// The form of `form.format(name=x)`: which keys it is given, the source writes out.
fn form_without_key(facts: Facts<'_>, failing: &Range<u32>) -> Option<Range<u32>> {
    let text = &facts.plan.text[failing.start as usize..failing.end as usize];
    let (form, arguments) = text.split_once(".format(")?;
    (!arguments.contains('*')).then(|| failing.start..failing.start + form.len() as u32)
}

/// True for `"%(name)s" % {"name": x}`: whether a key is missing, depends on nothing.
fn is_formatted_with_literal_keys(facts: Facts<'_>, failing: &Range<u32>) -> bool {
    let text = &facts.plan.text[failing.start as usize..failing.end as usize];
    text.starts_with(['"', '\'']) && text.contains("% {") && !text.contains("**")
}

/// `x` of `x.a.b`: what is assigned to an attribute of a missing object, its class may make something else of.
fn owner(text: &str) -> Option<&str> {
    let (base, _) = text.rsplit_once('.')?;
    let (owner, _) = base.rsplit_once('.')?;
    Some(owner.trim_end()).filter(|owner| *owner != "self")
}

/// True for an attribute of what was assigned to an attribute of another object than `self`.
pub(crate) fn is_of_assigned_attribute(facts: Facts<'_>, error: &Raised) -> bool {
    let failing = facts.failing(error).into_iter().next().filter(|_| error.kind == "AttributeError");
    let text = failing.map_or("", |range| &facts.plan.text[range.start as usize..range.end as usize]);
    let base = text.rsplit_once('.').map_or("", |(base, _)| base.trim());
    owner(text).is_some() && facts.plan.paths().origins.is_written(base)
}

/// The name whose value's type does not allow a call, a lookup or an iteration at all, whatever the operands.
fn refused<'a>(facts: Facts<'a>, error: &Raised, failing: &Range<u32>) -> Option<&'a str> {
    let message = error.message.as_str();
    let text = &facts.plan.text[failing.start as usize..failing.end as usize];
    let end = match message.rsplit_once(" object ")?.1 {
        "is not callable" => '(',
        "is not subscriptable" | "does not support item assignment" | "does not support item deletion" => '[',
        // Of a loop CPython may name only the line.
        "is not iterable" if text.starts_with("for ") => {
            let (_, iterated) = text.split_once(" in ")?;
            return Some(iterated.trim_end_matches(':').trim());
        }
        "is not iterable" => return Some(text.trim()),
        _ => return None,
    };
    text.split_once(end).map(|(base, _)| base.trim())
}

/// True for an error that names a builtin type which no injected value has: whatever was injected, the code made the value.
/// Classes of the program may derive from missing ones, which would define the operation: they do not count.
pub(crate) fn is_of_own_type(error: &Raised) -> bool {
    const NEVER_INJECTED: [&str; 11] = [
        "dict_items",
        "dict_keys",
        "dict_values",
        "enumerate",
        "filter",
        "frozenset",
        "generator",
        "map",
        "range",
        "reversed",
        "zip",
    ];
    // A frozen dataclass takes no attributes, whatever it was made with.
    if error.kind == "FrozenInstanceError" {
        return true;
    }
    let quoted = || error.message.strip_prefix('\'')?.split_once("' object ");
    matches!(error.kind.as_str(), "TypeError" | "AttributeError")
        && quoted().is_some_and(|(name, _)| NEVER_INJECTED.contains(&name))
}

/// True for a lookup that fails in a container which the source makes itself: no value that was made up is in the wrong
/// shape for it.
pub(crate) fn is_in_own_container(facts: Facts<'_>, error: &Raised) -> bool {
    // How long a list is, is often a matter of what it was made from.
    let lookup = failed_lookup(facts, error).filter(|_| error.kind == "KeyError");
    lookup.is_some_and(|lookup| facts.plan.paths().origins.is_written(&lookup.base))
}

/// True for a place that a made-up record lacks: `row[2]`, where `row` is only read at such places. How many there are is
/// what the code knows of its data.
pub(crate) fn is_of_record(facts: Facts<'_>, error: &Raised) -> bool {
    let (paths, text) = (facts.plan.paths(), facts.plan.text.as_str());
    let Some(failing) = facts.failing(error).into_iter().next().filter(|_| error.kind == "IndexError") else {
        return false;
    };
    let is_of_record = |lookup: &Lookup| !paths.origins.is_written(&lookup.base) && paths.is_record(&lookup.base, text);
    // Before Python 3.11 only the line is known.
    let failed = |lookup: &&Lookup| error.column.is_none() || lookup.range == failing;
    let mut lookups = paths.containers.lookups_within(failing.clone()).filter(failed).peekable();
    lookups.peek().is_some() && lookups.all(is_of_record)
}

/// True for an attribute of the `None` that a call of an own function gives: `find(rows).name`.
pub(crate) fn is_of_missing_return(facts: Facts<'_>, error: &Raised) -> bool {
    let is_nothing = error.kind == "AttributeError" && error.message.starts_with("'NoneType' object");
    let failing = facts.failing(error).into_iter().next().filter(|_| is_nothing);
    failing.is_some_and(|range| facts.plan.paths().origins.holds_own_call(&range))
}

/// The import in place of which the code has `None` where the module is missing, for what is done with that: whoever calls
/// this may see to it that the module is there.
pub(crate) fn absent_import(facts: Facts<'_>, error: &Raised) -> Option<Dependence> {
    let failing = facts.failing(error).into_iter().next().filter(|_| error.message.contains("'NoneType' object"))?;
    let (paths, text) = (facts.plan.paths(), &facts.plan.text);
    let is_none = |range: &Range<u32>| &text[range.start as usize..range.end as usize] == "None";
    let name = paths.origins.read_in(failing).find(|name| paths.instead_of_import(name).any(is_none))?;
    Some(Dependence {
        name: name.to_string(),
        line: error.line,
        column: error.column.unwrap_or_default(),
        value: "None".to_owned(),
    })
}

/// The injected import before an error in the same `try`: where the module is missing, the code goes to the handler instead.
pub(crate) fn awaited_import(facts: Facts<'_>, entry: &Entry, error: &Raised) -> Option<Dependence> {
    let around = facts.plan.instrumented.tries.iter();
    let mut around = around.filter(|block| (block.first_line..=block.last_line).contains(&error.line));
    let before = |first: u32| {
        let mut imports = entry.injections.iter().filter(|value| value.is_missing_import());
        imports.find(|value| (first..error.line).contains(&value.line))
    };
    around.find_map(|block| before(block.first_line)).map(Dependence::of)
}

/// True for what is done with the `None` of a regular expression that really searched a text and found no match:
/// `re.search(r"\d", text).group()`. That there may be none is no matter of types.
pub(crate) fn is_of_search_without_match(facts: Facts<'_>, entry: &Entry, error: &Raised) -> bool {
    const SEARCHES: [&str; 3] = ["match", "search", "fullmatch"];
    let is_nothing = error.message.contains("'NoneType' object");
    let Some(failing) = facts.failing(error).into_iter().next().filter(|_| is_nothing) else { return false };
    let near = facts.plan.paths().origins.near(failing);
    let within = |site: &Site| near.iter().any(|(_, range)| range.start <= site.start && site.end <= range.end);
    let is_search = |site: &Site| site.kind == Kind::ReturnValue && SEARCHES.contains(&site.name.as_str());
    let sites = (0..).zip(&facts.plan.sites).filter(|(_, site)| is_search(site) && within(site));
    let mut searches = sites.map(|(number, _): (u32, _)| number).peekable();
    searches.peek().is_some() && searches.all(|search| entry.sites().all(|site| site != search))
}

fn failed_lookup<'a>(facts: Facts<'a>, error: &Raised) -> Option<&'a Lookup> {
    if !matches!(error.kind.as_str(), "KeyError" | "IndexError") {
        return None;
    }
    let containers = &facts.plan.paths().containers;
    let failing = facts.failing(error).into_iter().next()?;
    // Before Python 3.11 only the line is known.
    if error.column.is_none() { containers.only_lookup_in(&failing) } else { containers.lookup(&failing) }
}

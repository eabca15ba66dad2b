//! What an error may come of: made-up values, packages, and the names whose values reach the failing operation.

use std::ops::Range;

use surmise_blame::is_of_made_up;
use surmise_engine::protocol::Raised;
use surmise_instrument::{SourceModel, called_by_others, foreign_names};
use surmise_ledger::Facts;

/// The part that packages have in the values that reach an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Packages {
    /// The source alone says what the values are.
    #[default]
    None,
    /// They are what a package has under a name.
    Named,
    /// They are results of calls, which depend on the state of a package.
    Called,
}

/// What an error may come of.
#[derive(Default)]
pub(crate) struct Sources {
    /// Something that was made up may have led to it.
    pub(crate) is_made_up: bool,
    /// Names, other than those of imports, that are read where values come from which reach the failing operation, with the
    /// lines of the reads.
    pub(crate) reads: Vec<(u32, String)>,
    /// The part that packages have in those values.
    pub(crate) packages: Packages,
}

/// What an error of a program may come of.
pub(crate) fn sources(facts: Facts<'_>, error: &Raised) -> Sources {
    let (paths, ranges) = (facts.plan.paths(), facts.failing(error));
    let Some(failing) = ranges.first() else {
        return Sources { is_made_up: true, packages: Packages::Called, ..Sources::default() };
    };
    let mut found = Sources { is_made_up: is_of_made_up(facts, error), ..Sources::default() };
    for (_, range) in paths.origins.near(failing.clone()) {
        let line = facts.position(range.start).0;
        let names = paths.origins.read_in(range).filter(|name| !paths.is_imported(name));
        found.reads.extend(names.map(|name| (line, name.to_string())));
    }
    found.packages = packages(facts, error, failing);
    found
}

/// The part that packages have in the operands of an operation that failed.
fn packages(facts: Facts<'_>, error: &Raised, failing: &Range<u32>) -> Packages {
    let (paths, text) = (facts.plan.paths(), facts.plan.text.as_str());
    let text_of = |range: &Range<u32>| text.get(range.start as usize..range.end as usize).unwrap_or_default();
    // What is no function is not one whatever it would be called with.
    let length = error.message.ends_with("object is not callable").then(|| callee(text_of(failing)).len());
    let operands = failing.start..length.map_or(failing.end, |length| failing.start + length as u32);
    let Ok(model) = SourceModel::parse(text) else { return Packages::Called };
    if called_by_others(&model).iter().any(|(_, function)| function.contains(&failing.start)) {
        return Packages::Called;
    }
    let foreign = foreign_names(&model);
    let Some(ranges) = paths.origins.all(operands) else { return Packages::Called };
    let is_foreign = |range: &Range<u32>| {
        paths.reads_unbound(range) || paths.origins.read_in(range.clone()).any(|name| foreign.contains(name.as_str()))
    };
    let mut packages = Packages::None;
    for (_, range) in ranges.into_iter().filter(|(_, range)| is_foreign(range)) {
        // An import is a source of the name that it binds.
        let is_import = text_of(&range).trim_start().starts_with(['i', 'f']) && text_of(&range).contains("import ");
        if !is_import && text_of(&range).contains('(') {
            return Packages::Called;
        }
        packages = Packages::Named;
    }
    packages
}

/// The text of what a call calls.
fn callee(call: &str) -> &str {
    let mut open = 0;
    for (at, character) in call.char_indices().rev() {
        open += match character {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        if open == 0 {
            return if at == 0 { call } else { &call[..at] };
        }
    }
    call
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_callees() {
        assert_eq!(callee("rows(load(x), (1, 2))"), "rows");
        assert_eq!(callee("f(1)(2)"), "f(1)");
        assert_eq!((callee("(1, 2)"), callee("f"), callee("f(')')")), ("(1, 2)", "f", "f(')')"));
    }
}

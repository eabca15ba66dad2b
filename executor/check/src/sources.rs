//! What an error may come of: made-up values, and the names whose values reach the failing operation.

use surmise_blame::is_of_made_up;
use surmise_engine::protocol::Raised;
use surmise_ledger::Facts;

/// What an error may come of.
#[derive(Default)]
pub(crate) struct Sources {
    /// Something that was made up may have led to it.
    pub(crate) is_made_up: bool,
    /// Names, other than those of imports, that are read where values come from which reach the failing operation, with the
    /// lines of the reads.
    pub(crate) reads: Vec<(u32, String)>,
}

/// What an error of a program may come of.
pub(crate) fn sources(facts: Facts<'_>, error: &Raised) -> Sources {
    let (paths, ranges) = (facts.plan.paths(), facts.failing(error));
    let mut found = Sources { is_made_up: is_of_made_up(facts, error), reads: Vec::new() };
    for range in
        ranges.first().into_iter().flat_map(|failing| paths.origins.near(failing.clone())).map(|(_, range)| range)
    {
        let line = facts.position(range.start).0;
        let names = paths.origins.read_in(range).filter(|name| !paths.is_imported(name));
        found.reads.extend(names.map(|name| (line, name.to_string())));
    }
    found
}

//! Errors of what this machine has, and another may not: files by their patterns, variables, settings, databases.

use std::ops::Range;

use surmise_engine::protocol::Raised;
use surmise_ledger::{Facts, is_of_content};

use crate::Dependence;

/// Names of what gives nothing where a machine has nothing, and fails nowhere.
const READERS: [&str; 14] = [
    "glob",
    "iglob",
    "rglob",
    "iterdir",
    "walk",
    "scandir",
    "listdir",
    "getenv",
    "environ",
    "which",
    "shelve",
    "dbm",
    "find_library",
    "disk_partitions",
];

/// The read of the machine's surroundings that an error may come of, for what is done with values: `max(glob.glob("*.log"))`.
pub(crate) fn read(facts: Facts<'_>, error: &Raised) -> Option<Dependence> {
    let paths = facts.plan.paths();
    let failing = facts.failing(error).into_iter().next().filter(|_| is_of_content(error))?;
    let reader = |range: Range<u32>| {
        let name = paths.origins.read_in(range.clone()).map(|name| name.trim_start_matches('.').trim_end_matches("()"));
        Some((name.into_iter().find(|name| READERS.contains(name))?.to_owned(), range.start))
    };
    let (name, start) = paths.origins.all(failing)?.into_iter().find_map(|(_, range)| reader(range))?;
    let (line, column) = facts.position(start);
    Some(Dependence { name, line, column, value: "as it is on this machine".to_owned() })
}

/// True for a section or an option that a `ConfigParser` lacks which read a file: it says nothing of one that is not there.
pub(crate) fn is_of_absent_settings(facts: Facts<'_>, error: &Raised) -> bool {
    let paths = facts.plan.paths();
    if !matches!(error.kind.as_str(), "KeyError" | "NoSectionError" | "NoOptionError") || paths.reads_of(".read") == 0 {
        return false;
    }
    let Some(failing) = facts.failing(error).into_iter().next() else { return false };
    let makes_parser = |range| {
        let mut read = paths.origins.read_in(range);
        read.any(|name| name.trim_start_matches('.').trim_end_matches("()").ends_with("ConfigParser"))
    };
    paths.origins.near(failing).into_iter().any(|(_, range)| makes_parser(range))
}

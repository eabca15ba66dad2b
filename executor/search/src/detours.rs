//! The way to a branch: an assignment on it may be what keeps a run from the other side.

use surmise_engine::plan::Trial;
use surmise_instrument::paths::{Branch, Side};
use surmise_ledger::{Entry, Facts};

/// Changes of the way to a branch that are tried from one run.
const DETOURS: usize = 8;
/// Changes of what a condition works on come before each of them.
const BETWEEN: usize = 2;

/// Earlier branches at which a run entered a block that assigns what a branch reads, with the side that leads past the block: of
/// `x = a()`, `if x is None: y = b()`, `if y: x = y` and `if x is None:` the last can hold only where `y` is not true.
pub(crate) fn detours<'a>(facts: Facts<'a>, base: &Entry, branch: &Branch) -> Vec<(&'a Branch, Side)> {
    let holds = |(first, last): (u32, u32), line: u32| (first..=last).contains(&line);
    let (paths, mut found) = (facts.plan.paths(), Vec::new());
    for (_, range) in paths.origins.near(branch.decides.clone()) {
        let (line, _) = facts.position(range.start);
        if line >= branch.lines.0 || !base.reached_statement(line) {
            continue;
        }
        let is_around = |one: &&Branch| holds(one.whole, line) && !holds(one.whole, branch.lines.0);
        for around in paths.branches.iter().filter(is_around) {
            match around.ways.iter().find(|way| holds(way.lines, line)).map(|way| &way.side) {
                Some(Side::Yes) => found.push((around, Side::No)),
                Some(Side::No) => found.push((around, Side::Yes)),
                Some(Side::Handler(_) | Side::Case) | None => (),
            }
        }
    }
    found
}

/// Changes with detours among them.
pub(crate) fn with_detours(changes: Vec<Trial>, detours: Vec<Trial>) -> Vec<Trial> {
    let mut detours = detours.into_iter().take(DETOURS);
    let mut all = Vec::with_capacity(changes.len() + DETOURS);
    for (number, trial) in changes.into_iter().enumerate() {
        all.push(trial);
        if number % BETWEEN == BETWEEN - 1 {
            all.extend(detours.next());
        }
    }
    all.extend(detours);
    all
}

//! The way to a branch: an assignment on it may be what keeps a run from the other side.

use surmise_engine::plan::Trial;
use surmise_instrument::paths::{Branch, Side};
use surmise_ledger::Entry;

use crate::changes::Changes;

/// Changes of the way to a branch that are tried from one run.
const DETOURS: usize = 8;
/// Changes of what a condition works on come before each of them.
const BETWEEN: usize = 2;

impl Changes<'_> {
    /// Changes that may lead a run past an assignment before a branch: of `x = a()`, `if x is None: x = b()` and `if x is None:`
    /// the last can hold only where the one before it was not taken, or `b` gives `None`.
    pub(crate) fn detours(&self, base: &Entry, branch: &Branch) -> Vec<Trial> {
        let (paths, mut trials) = (self.facts.plan.paths(), Vec::new());
        for (_, range) in paths.origins.near(branch.decides.clone()) {
            let (line, _) = self.facts.position(range.start);
            if line >= branch.lines.0 || !base.reached(line) {
                continue;
            }
            let holds = |(first, last): (u32, u32), line: u32| (first..=last).contains(&line);
            for around in
                paths.branches.iter().filter(|one| holds(one.whole, line) && !holds(one.whole, branch.lines.0))
            {
                let Some(taken) = around.ways.iter().find(|way| holds(way.lines, line)) else { continue };
                let other = match taken.side {
                    Side::Yes => Side::No,
                    Side::No => Side::Yes,
                    Side::Handler(_) | Side::Case => continue,
                };
                self.way(base, around, &other, &mut trials);
            }
        }
        trials.truncate(DETOURS);
        trials
    }
}

/// Changes with detours among them.
pub(crate) fn with_detours(changes: Vec<Trial>, detours: Vec<Trial>) -> Vec<Trial> {
    let mut detours = detours.into_iter();
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

//! What is left to reach.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use surmise_instrument::Role;
use surmise_instrument::paths::{Side, Wish};

use super::Search;
use crate::execute::{Execution, Outcome};

/// Something that a search tries to bring about. The order is the order of trying.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Goal {
    /// A run that does not end with this error: line, class, function called by us.
    Avoid { line: u32, kind: String, drive: Option<String>, blocks: bool },
    /// A run that ends.
    End { drive: Option<String> },
    /// A value where the code expects a failure.
    Insist { line: u32, key: String },
    /// A call of a function that nobody calls.
    Call { line: u32, function: String },
    /// The other side of a branch: its line, its place among the branches, the way.
    Take { line: u32, branch: usize, way: usize },
    /// A run with a value at the edge of what a site may have: an empty container, zero.
    Probe { site: u32 },
    /// A run with another answer of an operation on a stand-in.
    Answer { key: String },
}

/// Most attempts for code behind an error, and for the verdict on an error that hides nothing.
const FOR_ERRORS: u32 = 14;
const FOR_VERDICTS: u32 = 5;
const FOR_BRANCHES: u32 = 28;
const FOR_OTHERS: u32 = 3;
const FOR_EDGES: u32 = 3;
/// Sites that are tried at their edges.
const EDGES: usize = 8;

impl Goal {
    pub(super) fn most_attempts(&self) -> u32 {
        match self {
            Goal::Avoid { blocks: true, .. } => FOR_ERRORS,
            Goal::Avoid { blocks: false, .. } => FOR_VERDICTS,
            Goal::Take { .. } | Goal::End { .. } => FOR_BRANCHES,
            Goal::Insist { .. } | Goal::Call { .. } => FOR_OTHERS,
            Goal::Probe { .. } | Goal::Answer { .. } => FOR_EDGES,
        }
    }
}

impl Search<'_> {
    /// All that is left.
    pub(super) fn goals(&self) -> Vec<Goal> {
        let missing = self.missing();
        let mut goals = BTreeSet::new();
        self.errors_to_avoid(&missing, &mut goals);
        if !missing.is_empty() {
            for run in &self.runs {
                self.expectations(run, &missing, &mut goals);
            }
            self.calls(&missing, &mut goals);
            self.ways(&missing, &mut goals);
        }
        goals.into_iter().collect()
    }

    /// Sites whose value could be at an edge, once there is nothing else to try.
    pub(super) fn edges(&self) -> Vec<Goal> {
        let mut goals = Vec::new();
        for run in &self.runs {
            for site in run.injections.iter().filter_map(|injection| injection.site) {
                let goal = Goal::Probe { site };
                if goals.len() < EDGES && !goals.contains(&goal) && !self.edge_values(site).is_empty() {
                    goals.push(goal);
                }
            }
            for chosen in &run.chosen {
                let goal = Goal::Answer { key: chosen.key.clone() };
                if goals.len() < 2 * EDGES && !goals.contains(&goal) {
                    goals.push(goal);
                }
            }
        }
        goals
    }

    /// What may be at the edge for a site, by what the code does with the value.
    pub(super) fn edge_values(&self, site: u32) -> &'static [Wish] {
        let Some(site) = self.plan.sites.get(site as usize) else { return &[] };
        let mut roles = std::iter::once(site.role).chain(site.later.iter());
        roles
            .find_map(|role| match role {
                Role::Subscripted
                | Role::Indexed(_)
                | Role::Sliced
                | Role::Iterated
                | Role::IteratedInParts
                | Role::IteratedDeep
                | Role::Unpacked(_) => Some(&[Wish::Length(0), Wish::Length(1), Wish::Length(3)][..]),
                Role::Number | Role::Operand => Some(&[Wish::Integer(0), Wish::Integer(-1)][..]),
                _ => None,
            })
            .unwrap_or(&[])
    }

    /// Lines that no run reached.
    pub(super) fn missing(&self) -> BTreeSet<u32> {
        self.runs[0].lines.iter().copied().filter(|line| !self.covered.contains(line)).collect()
    }

    fn errors_to_avoid(&self, missing: &BTreeSet<u32>, goals: &mut BTreeSet<Goal>) {
        for run in self.runs.iter().filter(|run| !run.trial.is_probe()) {
            let drive = run.trial.drive.clone();
            if run.outcome == Outcome::Timeout && !missing.is_empty() {
                goals.insert(Goal::End { drive });
                continue;
            }
            let Some(error) = run.error.as_ref().filter(|_| run.outcome == Outcome::Error) else {
                continue;
            };
            let avoided = self.runs.iter().any(|other| other.trial.drive == drive && passes(other, error.line));
            let blocks = missing.range(error.line..).next().is_some();
            if !avoided || blocks {
                goals.insert(Goal::Avoid { line: error.line, kind: error.kind.clone(), drive, blocks });
            }
        }
    }

    fn expectations(&self, run: &Execution, missing: &BTreeSet<u32>, goals: &mut BTreeSet<Goal>) {
        for (key, line) in &run.expected {
            let around = self.plan.paths().branches.iter().find(|branch| {
                branch.ways.iter().any(|way| matches!(way.side, Side::Handler(_)))
                    && (branch.whole.0..=branch.whole.1).contains(line)
            });
            let ends = |(first, last): (u32, u32)| {
                run.error.as_ref().is_some_and(|error| (first..=last).contains(&error.line))
                    && missing.range(last..).next().is_some()
            };
            if around.is_none_or(|branch| any_in(missing, branch.whole.0..=branch.whole.1) || ends(branch.whole)) {
                goals.insert(Goal::Insist { line: *line, key: key.clone() });
            }
        }
    }

    fn calls(&self, missing: &BTreeSet<u32>, goals: &mut BTreeSet<Goal>) {
        for function in &self.functions {
            let inside = (function.line + 1)..=function.last_line;
            let nobody = !any_in(&self.covered, inside.clone()) || !self.was_called(&function.qualname);
            if nobody && (function.line == function.last_line || any_in(missing, inside)) {
                goals.insert(Goal::Call { line: function.line, function: function.qualname.clone() });
            }
        }
    }

    fn was_called(&self, qualname: &str) -> bool {
        let function = self.functions.iter().find(|function| function.qualname == qualname);
        function.is_some_and(|function| {
            let (first, last) = self.plan.body(function, &self.lines);
            any_in(&self.covered, first..=last)
        })
    }

    fn ways(&self, missing: &BTreeSet<u32>, goals: &mut BTreeSet<Goal>) {
        for (number, branch) in self.plan.paths().branches.iter().enumerate() {
            let seen = any_in(&self.covered, branch.lines.0..=branch.lines.1);
            if !seen {
                continue;
            }
            for (way, to) in branch.ways.iter().enumerate() {
                let counted = self.runs[0].lines.iter().find(|line| (to.lines.0..=to.lines.1).contains(line));
                if counted.is_some_and(|first| missing.contains(first)) {
                    goals.insert(Goal::Take { line: branch.lines.0, branch: number, way });
                }
            }
        }
    }
}

/// Whether a line lies in a range, which may be empty.
fn any_in(lines: &BTreeSet<u32>, range: RangeInclusive<u32>) -> bool {
    !range.is_empty() && lines.range(range).next().is_some()
}

/// True if the run went on after a line.
pub(super) fn passes(run: &Execution, line: u32) -> bool {
    run.reached(line) && run.error.as_ref().is_none_or(|error| error.line != line) && run.outcome != Outcome::Timeout
}

//! What is left to reach.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use surmise_engine::execute::Outcome;
use surmise_instrument::Role;
use surmise_instrument::extract::Function;
use surmise_instrument::paths::{Side, Wish};
use surmise_ledger::{Entry, Facts};

/// Something that a search tries to bring about. The order is the order of trying.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Goal {
    /// A run that does not end with this error: line, class, function called by us.
    Avoid { line: u32, kind: String, call: Option<String>, blocks: bool },
    /// A run that ends, by itself and not because something that it calls leaves the program.
    End { call: Option<String> },
    /// A run in which the body of a `try` ends without an error that its handlers are for: its line, its place among the branches.
    Complete { line: u32, branch: usize },
    /// A value where the code expects a failure: `try: json` before `except NameError:`.
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
    pub(crate) fn most_attempts(&self) -> u32 {
        match self {
            Goal::Avoid { blocks: true, .. } | Goal::Complete { .. } => FOR_ERRORS,
            Goal::Avoid { blocks: false, .. } => FOR_VERDICTS,
            Goal::Take { .. } | Goal::End { .. } => FOR_BRANCHES,
            Goal::Insist { .. } | Goal::Call { .. } => FOR_OTHERS,
            Goal::Probe { .. } | Goal::Answer { .. } => FOR_EDGES,
        }
    }
}

/// All that is left, in the order of trying; `functions` may be called by us.
pub(crate) fn goals(facts: Facts<'_>, functions: &[Function]) -> Vec<Goal> {
    let missing = facts.ledger.missing();
    let mut goals = BTreeSet::new();
    errors_to_avoid(facts, &missing, &mut goals);
    if !missing.is_empty() {
        for entry in facts.ledger.entries() {
            expectations(facts, entry, &missing, &mut goals);
        }
        calls(facts, functions, &missing, &mut goals);
        let keys = facts.ledger.entries().iter().flat_map(|entry| &entry.chosen).map(|chosen| &chosen.key);
        let of_functions = keys.filter(|key| key.starts_with("instance:functions of "));
        goals.extend(of_functions.map(|key| Goal::Answer { key: key.clone() }));
        goals.extend(incomplete(facts, &missing).map(|(branch, line)| Goal::Complete { line, branch }));
        goals.extend(facts.untaken().map(|(branch, way)| Goal::Take {
            line: facts.plan.paths().branches[branch].lines.0,
            branch,
            way,
        }));
    }
    goals.into_iter().collect()
}

/// Sites whose value could be at an edge, once there is nothing else to try.
pub(crate) fn edges(facts: Facts<'_>) -> Vec<Goal> {
    let mut goals = Vec::new();
    for entry in facts.ledger.entries() {
        for site in entry.injections.iter().filter_map(|value| value.site) {
            let goal = Goal::Probe { site };
            if goals.len() < EDGES && !goals.contains(&goal) && !edge_values(facts, site).is_empty() {
                goals.push(goal);
            }
        }
        for chosen in &entry.chosen {
            let goal = Goal::Answer { key: chosen.key.clone() };
            if goals.len() < 2 * EDGES && !goals.contains(&goal) {
                goals.push(goal);
            }
        }
    }
    goals
}

/// What may be at the edge for a site, by what the code does with the value.
pub(crate) fn edge_values(facts: Facts<'_>, site: u32) -> &'static [Wish] {
    let Some(site) = facts.plan.sites.get(site as usize) else { return &[] };
    let mut roles = std::iter::once(site.role).chain(site.downstream.iter());
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

fn errors_to_avoid(facts: Facts<'_>, missing: &BTreeSet<u32>, goals: &mut BTreeSet<Goal>) {
    for entry in facts.ledger.guided() {
        let call = entry.trial.call.clone();
        if (entry.outcome == Outcome::Timeout || exit(facts, entry).is_some()) && !missing.is_empty() {
            goals.insert(Goal::End { call });
            continue;
        }
        let Some(error) = entry.error.as_ref().filter(|_| entry.outcome == Outcome::Error) else {
            continue;
        };
        let avoided = facts.ledger.of_call(call.as_ref()).any(|other| other.passes(error.line));
        let blocks = missing.range(error.line..).next().is_some();
        if !avoided || blocks {
            goals.insert(Goal::Avoid { line: error.line, kind: error.kind.clone(), call, blocks });
        }
    }
}

/// The line of a call in which a function left the program, as far as lines show it, unless the line says so itself.
pub(crate) fn exit(facts: Facts<'_>, entry: &Entry) -> Option<u32> {
    let is_called = facts.ledger.function.is_some() && entry.outcome == Outcome::Completed && entry.exit_code != 0;
    let line = *entry.covered.last().filter(|_| is_called)?;
    let statement = facts.plan.paths().statement(line)?;
    let text = facts.plan.text.get(statement.start as usize..statement.end as usize)?;
    (!text.contains("exit")).then_some(line)
}

/// Statements `try` whose handlers were entered, and whose body no run came to the end of, as far as lines show it.
fn incomplete<'a>(facts: Facts<'a>, missing: &'a BTreeSet<u32>) -> impl Iterator<Item = (usize, u32)> + 'a {
    let (covered, lines) = (facts.ledger.covered(), &facts.ledger.first().lines);
    let branches = facts.plan.paths().branches.iter().enumerate();
    let found = branches.filter(move |(_, branch)| {
        let handlers = || branch.ways.iter().filter(|way| matches!(way.side, Side::Handler(_))).map(|way| way.lines);
        let is_handled = |line: u32| handlers().any(|(first, last)| (first..=last).contains(&line));
        let inside = || missing.range(branch.lines.0..=branch.whole.1);
        let next = || lines.get(lines.partition_point(|&line| line <= branch.whole.1));
        handlers().any(|(first, last)| any_in(covered, first..=last))
            && (inside().any(|line| !is_handled(*line)) || next().is_some_and(|next| missing.contains(next)))
    });
    found.map(|(number, branch)| (number, branch.lines.0))
}

fn expectations(facts: Facts<'_>, entry: &Entry, missing: &BTreeSet<u32>, goals: &mut BTreeSet<Goal>) {
    for (key, line) in &entry.expected {
        let around = facts.plan.paths().branches.iter().find(|branch| {
            branch.ways.iter().any(|way| matches!(way.side, Side::Handler(_)))
                && (branch.whole.0..=branch.whole.1).contains(line)
        });
        let ends = |(first, last): (u32, u32)| {
            entry.error.as_ref().is_some_and(|error| (first..=last).contains(&error.line))
                && missing.range(last..).next().is_some()
        };
        if around.is_none_or(|branch| any_in(missing, branch.whole.0..=branch.whole.1) || ends(branch.whole)) {
            goals.insert(Goal::Insist { line: *line, key: key.clone() });
        }
    }
}

fn calls(facts: Facts<'_>, functions: &[Function], missing: &BTreeSet<u32>, goals: &mut BTreeSet<Goal>) {
    let covered = facts.ledger.covered();
    for function in functions {
        let inside = (function.line + 1)..=function.last_line;
        // Several functions may have one name, one after the other.
        let (first, last) = facts.body(function);
        if !any_in(covered, first..=last) && (function.line == function.last_line || any_in(missing, inside)) {
            goals.insert(Goal::Call { line: function.line, function: function.qualname.clone() });
        }
    }
}

/// True if a line lies in a range, which may be empty.
fn any_in(lines: &BTreeSet<u32>, range: RangeInclusive<u32>) -> bool {
    !range.is_empty() && lines.range(range).next().is_some()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use surmise_engine::execute::Execution;
    use surmise_engine::plan::{Plan, PredictorChoice, Settings, Trial};
    use surmise_engine::protocol::Raised;
    use surmise_engine::source::Source;
    use surmise_ledger::Ledger;

    use super::*;

    const SOURCE: &str = "if flag:\n    a = 1\nelse:\n    a = 2\ndef f():\n    return a\n";

    fn run(covered: &[u32]) -> Execution {
        Execution { lines: vec![1, 2, 4, 5, 6], covered: covered.to_vec(), ..Execution::default() }
    }

    /// The goals after some runs.
    fn after(runs: impl IntoIterator<Item = Execution>) -> Vec<Goal> {
        let source = Source { name: "a.py".into(), path: None, text: SOURCE.into() };
        let settings = Settings { predictor: PredictorChoice::Naive, ..Settings::default() };
        let plan = Plan::new(source, &settings).expect("the source parses");
        let mut ledger = Ledger::new(&plan, None, Instant::now());
        runs.into_iter().for_each(|run| ledger.add(run));
        goals(Facts { plan: &plan, ledger: &ledger }, &plan.callable())
    }

    #[test]
    fn other_sides_and_uncalled_functions_are_left_until_a_run_reaches_them() {
        let call = Goal::Call { line: 5, function: "f".into() };
        let take = Goal::Take { line: 1, branch: 0, way: 1 };
        assert_eq!(after([run(&[1, 2, 5])]), [call.clone(), take]);
        assert_eq!(after([run(&[1, 2, 5]), run(&[1, 4, 5])]), [call]);
        assert_eq!(after([run(&[1, 2, 5, 6]), run(&[1, 4, 5])]), []);
    }

    #[test]
    fn an_error_is_avoided_until_a_run_of_the_same_call_passes_its_line() {
        let error = Raised { kind: "TypeError".into(), line: 4, ..Raised::default() };
        let failed = || Execution { outcome: Outcome::Error, error: Some(error.clone()), ..run(&[1, 4]) };
        let avoid = |blocks| Goal::Avoid { line: 4, kind: "TypeError".into(), call: None, blocks };
        assert!(after([failed()]).contains(&avoid(true)), "it hides lines");
        let all = || run(&[1, 2, 5, 6]);
        assert_eq!(after([failed(), all()]), [avoid(false)], "only the verdict is open");
        assert_eq!(after([failed(), all(), run(&[1, 4])]), []);
        let called = Execution { trial: Trial { call: Some("f".into()), ..Trial::default() }, ..run(&[1, 4]) };
        assert_eq!(after([failed(), all(), called]), [avoid(false)], "another call says nothing of it");
    }

    #[test]
    fn a_run_that_does_not_end_is_to_end_while_lines_are_missing() {
        let endless = |covered| Execution { outcome: Outcome::Timeout, ..run(covered) };
        assert!(after([endless(&[1, 2])]).contains(&Goal::End { call: None }));
        assert_eq!(after([endless(&[1, 2, 4, 5, 6])]), []);
    }
}

//! Queries on hand-made ledgers.

use std::time::Instant;

use surmise_engine::execute::{Execution, Outcome};
use surmise_engine::plan::{Plan, PredictorChoice, Settings, Trial, Value};
use surmise_engine::protocol::{Assigned, Injection, Raised};
use surmise_engine::source::Source;
use surmise_value_model::Class;

use super::*;

const SOURCE: &str = "if flag:\n    a = 1\nelse:\n    a = rows[0]\nprint(a)\n";

fn plan() -> Plan {
    let source = Source { name: "a.py".into(), path: None, text: SOURCE.into() };
    let settings = Settings { predictor: PredictorChoice::Naive, ..Settings::default() };
    Plan::new(source, &settings).expect("the source parses")
}

fn run(covered: &[u32]) -> Execution {
    Execution { lines: vec![1, 2, 4, 5], covered: covered.to_vec(), ..Execution::default() }
}

fn injected(plan: &Plan, name: &str, probability: f32) -> Injection {
    let at = plan.sites.iter().position(|site| site.name == name).expect("the name is read");
    Injection {
        line: plan.sites[at].line,
        column: plan.sites[at].column,
        kind: "variable".into(),
        name: name.into(),
        probability: Some(probability),
        rank: Some(1),
        site: Some(at as u32),
        ..Injection::default()
    }
}

fn ledger(plan: &Plan, runs: impl IntoIterator<Item = Execution>) -> Ledger {
    let mut ledger = Ledger::new(plan, None, Instant::now());
    runs.into_iter().for_each(|run| ledger.add(run));
    ledger
}

#[test]
fn runs_together_cover_what_each_of_them_reached() {
    let plan = plan();
    let ledger = ledger(&plan, [run(&[1, 2, 5]), run(&[1, 4]), run(&[1, 4])]);
    assert_eq!(ledger.covered().iter().copied().collect::<Vec<_>>(), [1, 2, 4, 5]);
    assert!(ledger.missing().is_empty());
    assert_eq!(ledger.news(), 2, "the last run is like the one before");
    assert_eq!(ledger.best().covered, [1, 2, 5]);
}

#[test]
fn the_best_run_is_that_of_the_snippet_itself_which_ended_well() {
    let plan = plan();
    let failed = Execution { outcome: Outcome::Error, ..run(&[1, 2, 5]) };
    let called = Execution { trial: Trial { call: Some("f".into()), ..Trial::default() }, ..run(&[1, 2, 4, 5]) };
    let ledger = ledger(&plan, [failed, run(&[1, 4, 5]), called]);
    assert_eq!((ledger.best().outcome, &ledger.best().covered[..]), (Outcome::Completed, &[1, 4, 5][..]));
    assert_eq!(ledger.of_call(Some(&"f".to_owned())).count(), 1);
}

#[test]
fn lines_tell_which_side_of_a_branch_was_taken() {
    let plan = plan();
    let ledger = ledger(&plan, [run(&[1, 4])]);
    let facts = Facts { plan: &plan, ledger: &ledger };
    let no = facts.outcomes(ledger.first()).collect::<Vec<_>>();
    let yes = facts.untaken().collect::<Vec<_>>();
    assert_eq!((no.len(), yes.len()), (1, 1));
    let line = |(branch, way): (usize, usize)| plan.paths().branches[branch].ways[way].lines.0;
    assert_eq!((line(no[0]), line(yes[0])), (4, 2));
}

#[test]
fn operands_of_an_error_are_the_sites_that_feed_it() {
    let plan = plan();
    let error = Raised { kind: "IndexError".into(), line: 4, ..Raised::default() };
    let injections = vec![injected(&plan, "flag", 0.5), injected(&plan, "rows", 0.25)];
    let entry = Entry::from(Execution { injections, error: Some(error.clone()), ..run(&[1, 4]) });
    let ledger = ledger(&plan, [entry.run.clone()]);
    let facts = Facts { plan: &plan, ledger: &ledger };
    let names: Vec<_> = facts.operands(&entry, &error).into_iter().map(|site| facts.name_of(site)).collect();
    assert_eq!(names, [Some("rows".to_owned())]);
    assert!(!entry.passes(4) && entry.passes(1) && entry.raised("IndexError", 4));
    assert!((entry.log_probability - 0.125_f64.ln()).abs() < 1e-9);
}

#[test]
fn two_runs_differ_in_the_values_of_their_trials() {
    let assigned = |class| Value { assigned: Assigned { class, probability: 0.1, rank: 1 }, literal: None };
    let with = |values: &[(u32, Class)]| {
        let values = values.iter().map(|&(site, class)| (site, assigned(class))).collect();
        Entry::from(Execution { trial: Trial { values, ..Trial::default() }, ..Execution::default() })
    };
    let (one, other) =
        (with(&[(1, Class::Str), (2, Class::List)]), with(&[(2, Class::Dict), (1, Class::Str), (7, Class::None)]));
    assert_eq!(one.differing_sites(&other), [2, 7]);
    assert!(one.differing_sites(&one).is_empty());
}

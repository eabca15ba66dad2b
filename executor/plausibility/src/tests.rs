//! Features and choices on ledgers that were made by hand: nothing runs.

use std::time::Instant;

use surmise_engine::execute::{Execution, Outcome};
use surmise_engine::plan::{Plan, PredictorChoice, Settings, Trial, Value};
use surmise_engine::protocol::{Assigned, Literal, Raised};
use surmise_engine::source::Source;
use surmise_ledger::{Facts, Ledger};
use surmise_value_model::Class;
use surmise_value_model::plausibility::FEATURES;

use super::{candidates, most_plausible};

const SNIPPET: &str = "\
if not isinstance(rows, list):
    raise TypeError(rows)
try:
    for row in rows:
        print(row)
except ValueError:
    rows = None
";
const LINES: [u32; 7] = [1, 2, 3, 4, 5, 6, 7];

fn plan() -> Plan {
    let settings = Settings { predictor: PredictorChoice::Naive, ..Settings::default() };
    let source = Source { name: "snippet.py".into(), text: SNIPPET.into(), path: None };
    Plan::new(source, &settings).expect("it parses")
}

fn run(covered: &[u32]) -> Execution {
    Execution { lines: LINES.to_vec(), covered: covered.to_vec(), ..Execution::default() }
}

fn failed(covered: &[u32], kind: &str, line: u32) -> Execution {
    let error = Raised { kind: kind.into(), line, ..Raised::default() };
    Execution { outcome: Outcome::Error, error: Some(error), ..run(covered) }
}

fn probe() -> Execution {
    let assigned = Assigned { class: Class::Str, probability: 0.1, rank: 1 };
    let value = Value { assigned, literal: Some(Literal::Given("'a'".to_owned())) };
    Execution { trial: Trial::default().with_value(0, value), ..run(&LINES) }
}

/// Calls `check` with the facts of these runs.
fn with(runs: impl IntoIterator<Item = Execution>, check: impl FnOnce(Facts<'_>)) {
    let plan = plan();
    let mut ledger = Ledger::new(&plan, None, Instant::now());
    runs.into_iter().for_each(|run| ledger.add(run));
    check(Facts { plan: &plan, ledger: &ledger });
}

/// The value of a feature, by the beginning of its name.
fn feature(facts: Facts<'_>, run: usize, name: &str) -> f32 {
    let place = FEATURES.iter().position(|feature| feature.starts_with(name)).expect("a feature");
    candidates(facts)[run].1[place]
}

#[test]
fn features_say_which_way_conditions_went_and_how_the_run_ended() {
    let runs = [
        run(&[1, 3, 4, 5]),
        failed(&[1, 2], "TypeError", 2),
        run(&[1, 3, 4, 6, 7]),
        failed(&[1, 3, 4, 5], "AttributeError", 5),
        failed(&[1], "KeyError", 1),
    ];
    with(runs, |facts| {
        let of = |name: &str| (0..5).map(|run| feature(facts, run, name)).collect::<Vec<_>>();
        assert_eq!(of("guards that failed"), [0.0, 1.0, 0.0, 0.0, 0.0], "the last decided nothing");
        assert_eq!(of("ended by raise"), [0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(of("ended by an error of a made-up"), [0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!(of("ended by another error"), [0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(of("handlers"), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(of("loops without"), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(of("first run"), [1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(of("share of lines")[..2], [4.0 / 7.0, 2.0 / 7.0]);
        assert!(of("log odds of the outcomes").iter().all(|odds| *odds <= 0.0));
    });
}

#[test]
fn runs_that_are_not_of_the_program_itself_are_no_candidates() {
    let called = Execution { trial: Trial { call: Some("f".to_owned()), ..Trial::default() }, ..run(&LINES) };
    with([failed(&[1], "KeyError", 1), called, probe(), run(&[1, 3, 4, 5])], |facts| {
        let places: Vec<usize> = candidates(facts).into_iter().map(|(place, _)| place).collect();
        assert_eq!(places, [0, 3]);
        assert_eq!(most_plausible(facts), 3, "it does not fail");
    });
}

#[test]
fn the_first_run_is_chosen_unless_another_is_clearly_more_plausible() {
    with([run(&[1, 3, 4, 5]), run(&[1, 3, 4, 5]), failed(&[1, 2], "TypeError", 2)], |facts| {
        assert_eq!(most_plausible(facts), 0);
    });
}

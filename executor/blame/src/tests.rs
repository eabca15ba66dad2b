//! Verdicts on hand-made ledgers.

use std::time::Instant;

use surmise_engine::execute::{Execution, Outcome};
use surmise_engine::plan::{Plan, PredictorChoice, Settings, Trial, Value};
use surmise_engine::protocol::{Assigned, Injection, Raised};
use surmise_engine::source::Source;
use surmise_ledger::shapes::{Given, Shape, Values};
use surmise_ledger::{Entry, Facts, Ledger};
use surmise_value_model::Class;

use super::*;

fn plan(text: &str) -> Plan {
    let source = Source { name: "a.py".into(), path: None, text: text.into() };
    let settings = Settings { predictor: PredictorChoice::Naive, ..Settings::default() };
    Plan::new(source, &settings).expect("the source parses")
}

/// A run that injected the values of all sites, `class` at site 0, and reached `covered`.
fn run(plan: &Plan, class: Class, covered: &[u32], error: Option<(&str, u32)>) -> Execution {
    let assigned = Assigned { class, probability: 0.5, rank: 1 };
    let injection = |(site, row): (u32, &surmise_instrument::Site)| Injection {
        line: row.line,
        column: row.column,
        kind: "variable".into(),
        name: row.name.to_string(),
        class: Some(class.as_str().to_owned()),
        value: "?".into(),
        probability: Some(0.5),
        rank: Some(1),
        site: Some(site),
        ..Injection::default()
    };
    let raised = |(kind, line): (&str, u32)| Raised { kind: kind.into(), line, exit_code: 1, ..Raised::default() };
    Execution {
        trial: Trial { values: [(0, Value { assigned, literal: None })].into(), ..Trial::default() },
        outcome: if error.is_some() { Outcome::Error } else { Outcome::Completed },
        error: error.map(raised),
        lines: (1..=plan.text.lines().count() as u32).collect(),
        covered: covered.to_vec(),
        injections: (0..).zip(plan.uses()).map(injection).collect(),
        ..Execution::default()
    }
}

fn found(plan: &Plan, entries: impl IntoIterator<Item = Entry>) -> Vec<Finding> {
    let mut ledger = Ledger::new(plan, None, Instant::now());
    entries.into_iter().for_each(|entry| ledger.add(entry));
    findings(Facts { plan, ledger: &ledger })
}

fn verdicts(plan: &Plan, runs: impl IntoIterator<Item = Execution>) -> Vec<(String, Verdict)> {
    let found = found(plan, runs.into_iter().map(Entry::from));
    found.into_iter().map(|finding| (finding.raised.kind, finding.verdict)).collect()
}

#[test]
fn an_error_without_injected_values_is_certain() {
    let plan = plan("x = 1 / 0\n");
    let failed = Execution { trial: Trial::default(), ..run(&plan, Class::Str, &[1], Some(("ZeroDivisionError", 1))) };
    assert_eq!(verdicts(&plan, [failed]), [("ZeroDivisionError".to_owned(), Verdict::Certain)]);
}

#[test]
fn a_name_that_an_excerpt_lacks_is_no_error_of_its_module() {
    let plan = plan("def f(word: Word):\n    return word\n");
    let error = Raised { message: "name 'Word' is not defined".into(), ..Raised::default() };
    for (in_place, verdict) in [
        (Some(Err("importing `m` takes longer than a run may".to_owned())), Verdict::Guess),
        (None, Verdict::Certain),
        (Some(Ok(())), Verdict::Certain),
    ] {
        let failed = run(&plan, Class::Str, &[1], Some(("NameError", 1)));
        let raised = failed.error.clone().map(|own| Raised { message: error.message.clone(), ..own });
        let failed = Execution { trial: Trial::default(), injections: Vec::new(), error: raised, in_place, ..failed };
        assert_eq!(verdicts(&plan, [failed]), [("NameError".to_owned(), verdict)]);
    }
}

#[test]
fn an_error_that_another_value_avoids_is_a_guess_of_types_and_conditional_of_values() {
    let plan = plan("a = rows\nb = a + 1\n");
    for (kind, verdict) in [("TypeError", Verdict::Guess), ("ZeroDivisionError", Verdict::Conditional)] {
        let failed = run(&plan, Class::None, &[1, 2], Some((kind, 2)));
        let passed = run(&plan, Class::PositiveInt, &[1, 2], None);
        let found = found(&plan, [failed, passed].map(Entry::from));
        assert_eq!((found.len(), found[0].verdict), (1, verdict));
        assert_eq!(found[0].depends_on[0].name, "rows", "the run that passes differs in this value");
    }
}

#[test]
fn an_error_of_types_under_every_value_is_certain_and_of_few_a_guess() {
    let plan = plan("a = rows\nb = a + 1\n");
    let classes = [Class::None, Class::Str, Class::List, Class::Dict];
    let failed = |class: &Class| run(&plan, *class, &[1, 2], Some(("TypeError", 2)));
    assert_eq!(verdicts(&plan, classes[..3].iter().map(failed))[0].1, Verdict::Guess);
    assert_eq!(verdicts(&plan, classes.iter().map(failed))[0].1, Verdict::Certain);
}

#[test]
fn what_is_raised_by_design_under_a_made_up_condition_is_conditional() {
    let plan = plan("if rows:\n    raise TypeError\n");
    let classes = [Class::Object, Class::Str, Class::List, Class::Dict, Class::True];
    let failed = classes.iter().map(|class| run(&plan, *class, &[1, 2], Some(("TypeError", 2))));
    assert_eq!(verdicts(&plan, failed)[0].1, Verdict::Conditional);
}

#[test]
fn a_type_that_the_source_writes_out_makes_an_error_certain() {
    let plan = plan("items = []\nitems = items.append(name)\nitems.sort()\n");
    let place = |error: Raised| Raised { column: Some(0), end_column: Some(10), ..error };
    let failed = run(&plan, Class::Str, &[1, 2, 3], Some(("AttributeError", 3)));
    let failed = Execution { error: failed.error.clone().map(place), ..failed };
    assert_eq!(verdicts(&plan, [failed])[0].1, Verdict::Certain);
}

#[test]
fn what_a_target_refuses_is_the_assigned_value() {
    let plan = plan("context = make\ncontext.prec = digits\nFalse[0] = digits\n");
    let at = |line, columns: (u32, u32), message: &str| {
        let failed = run(&plan, Class::Object, &[1, 2, 3], Some(("TypeError", line)));
        let place = |error: Raised| Raised { column: Some(columns.0), end_column: Some(columns.1), ..error };
        let error = failed.error.clone().map(|error| Raised { message: message.into(), ..place(error) });
        let injections = failed.injections.iter().filter(|value| value.name == "digits").cloned().collect();
        Execution { error, injections, ..failed }
    };
    let found = verdicts(&plan, [at(2, (0, 12), "an integer is required")]);
    assert_eq!(found[0].1, Verdict::Guess);
    let found = verdicts(&plan, [at(3, (0, 8), "'bool' object does not support item assignment")]);
    assert_eq!(found[0].1, Verdict::Certain, "whatever is assigned");
}

#[test]
fn a_run_that_fails_later_in_the_line_has_passed_the_operation() {
    let plan = plan("ages = {}\nprint(ages[a], ages[b])\n");
    let at = |columns: (u32, u32), class| {
        let failed = run(&plan, class, &[1, 2], Some(("KeyError", 2)));
        let error =
            failed.error.clone().map(|error| Raised { column: Some(columns.0), end_column: Some(columns.1), ..error });
        Execution { error, ..failed }
    };
    let found = verdicts(&plan, [at((6, 13), Class::Str), at((15, 22), Class::PositiveInt)]);
    assert_eq!(found.len(), 2, "one line, two operations");
    assert!(found.iter().all(|(_, verdict)| *verdict == Verdict::Conditional), "{found:?}");
}

#[test]
fn an_error_that_names_a_stand_in_is_a_guess() {
    let plan = plan("a = rows\nb = hints(a)\n");
    let classes = [Class::Object, Class::Str, Class::List, Class::Dict];
    for (message, verdict) in
        [("<rows> is no class", Verdict::Guess), ("not object", Verdict::Guess), ("two", Verdict::Certain)]
    {
        let failed = classes.iter().map(|class| {
            let mut failed = run(&plan, *class, &[1, 2], Some(("TypeError", 2)));
            failed.injections[0].value = "<rows>".into();
            let error = failed.error.clone().map(|error| Raised { message: message.into(), ..error });
            Execution { error, ..failed }
        });
        assert_eq!(verdicts(&plan, failed)[0].1, verdict, "{message}");
    }
}

#[test]
fn what_no_injected_value_reaches_is_certain() {
    let plan = plan("a = rows\nb = [1][3]\n");
    let failed = run(&plan, Class::List, &[1, 2], Some(("IndexError", 2)));
    assert_eq!(verdicts(&plan, [failed])[0].1, Verdict::Certain);
}

#[test]
fn real_values_with_which_the_code_goes_farthest_make_an_error_conditional() {
    let plan = plan("a = rows\nb = a[0]\nc = b\n");
    let probe = |text: &str, covered: &[u32], error| {
        let given: Values = [("rows".to_owned(), Given { shape: Shape::List, text: text.into() })].into();
        Entry { given, ..Entry::from(run(&plan, Class::List, covered, error)) }
    };
    let guided = || Entry::from(run(&plan, Class::Object, &[1, 2, 3], None));
    let entries = [guided(), probe("[2]", &[1, 2, 3], None), probe("[]", &[1, 2], Some(("IndexError", 2)))];
    assert_eq!(found(&plan, entries)[0].verdict, Verdict::Conditional);
    // Without a probe that comes to its end nothing is known of the shape.
    let entries = [guided(), probe("[]", &[1, 2], Some(("TypeError", 2)))];
    assert_eq!(found(&plan, entries)[0].verdict, Verdict::Guess);
}

#[test]
fn a_name_that_is_almost_a_bound_one_is_suspected() {
    let plan = plan("length = 3\nprint(lenght)\n");
    let found = found(&plan, [Entry::from(run(&plan, Class::PositiveInt, &[1, 2], None))]);
    assert_eq!(found.len(), 1);
    assert!(found[0].passed_over && found[0].raised.kind == "NameError");
    assert_eq!(found[0].hint.as_deref(), Some("did you mean `length`?"));
}

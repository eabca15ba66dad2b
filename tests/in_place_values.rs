//! Values that a search gives to functions in their imported modules, where no constant of a condition says what to try.

use serde_json::{Value, json};

use crate::support::repo::Repo;
use crate::support::{Folder, Stdin, ended_with, surmise};

const UNITS: &str = "\
from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

SCALES = {True: 1024, False: 1000}


def scaled(value: float, binary: bool = False) -> str:
    base = SCALES[binary]
    size = abs(value)
    if size < base:
        return 'small'
    return 'large'


def shown(value: float) -> str:
    if math.isnan(value):
        return 'none'
    if math.isinf(value):
        return 'endless'
    return str(value)


def spoken(delta: dt.timedelta) -> str:
    if delta.days < 0:
        return 'before'
    if delta.days // 365:
        return 'years'
    if delta.days // 30:
        return 'months'
    return 'days'


def first_of(values: Iterable[str]) -> str:
    for value in values:
        return value.strip()
    return ''


def between(first=None, second=None):
    if first and second:
        return 'both'
    return 'one'
";

/// Objects of a module that run code, and fail, when somebody asks what they are.
const LAZY: &str = "\
class Lazy:
    @property
    def __class__(self):
        raise RuntimeError('nothing is set up')


class Meta(type):
    def __getattribute__(cls, name):
        raise RuntimeError(name)


class Odd(metaclass=Meta):
    pass


SETTINGS = Lazy()
globals()[3] = 'no name'


def twice(value: int) -> int:
    return 2 * value
";

fn function(name: &str, runs: &str) -> Value {
    let folder = Folder::of(&[("units/__init__.py", ""), ("units/units.py", UNITS), ("units/lazy.py", LAZY)]);
    let mut command = surmise();
    let file = if name == "twice" { "units/lazy.py" } else { "units/units.py" };
    command.args(["run", "--json", "--runs", runs, "--function", name, file]).current_dir(folder.root());
    let report = ended_with(&mut command, Stdin::Empty).report();
    assert_eq!(report["surroundings"]["in_place"], true, "{report}");
    report
}

/// The value of a parameter in the best run.
fn value_of(report: &Value, name: &str) -> Value {
    let values = report["injections"].as_array().into_iter().flatten();
    let mut values = values.filter(|value| value["name"] == name).map(|value| value["value"].clone());
    values.next().unwrap_or_default()
}

#[test]
fn thresholds_that_are_computed_are_passed() {
    assert_eq!(function("scaled", "32")["lines"]["missed_lines"], json!([]));
}

#[test]
fn numbers_may_be_none_or_infinite() {
    assert_eq!(function("shown", "32")["lines"]["missed_lines"], json!([]));
}

#[test]
fn spans_of_time_have_several_lengths() {
    let report = function("spoken", "1");
    assert_eq!(value_of(&report, "delta"), "datetime.timedelta(days=1)", "only type checkers import its module");
    assert_eq!(function("spoken", "32")["lines"]["missed_lines"], json!([]));
}

#[test]
fn abstract_classes_that_only_checkers_import_are_known() {
    let report = function("first_of", "1");
    assert!(value_of(&report, "values").as_str().is_some_and(|value| value.starts_with('[')), "{report}");
}

#[test]
fn both_parameters_of_a_condition_are_given() {
    assert_eq!(function("between", "16")["lines"]["missed_lines"], json!([]));
}

#[test]
fn what_a_module_holds_is_not_asked_what_it_is() {
    let report = function("twice", "4");
    assert_eq!((&report["lines"]["missed_lines"], &report["error"]), (&json!([]), &Value::Null), "{report}");
    let repo = Repo::new(&[("units/__init__.py", ""), ("units/lazy.py", LAZY)]);
    repo.commit(&[("units/lazy.py", &LAZY.replace("2 * value", "3 * value"))]);
    assert_eq!(repo.words(&["HEAD"]), [("units/lazy.py::twice".to_owned(), "different".to_owned())]);
}

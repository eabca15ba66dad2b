//! Functions in their imported modules whose lines depend on a state that the module or an object is in: a search puts it into
//! another one, as callers do.

use serde_json::{Value, json};

use crate::support::{Folder, Stdin, ended_with, surmise};

const SHOP: &str = "\
import functools
import math
TRACING = False
_current = None


class Proxy:
    def __getattr__(self, name):
        raise RuntimeError('outside of a request')

    def __bool__(self):
        raise RuntimeError('outside of a request')


request = Proxy()


class Shop:
    open_all_day = True

    @classmethod
    def hours(cls):
        if cls.open_all_day:
            return 24
        return 8


class Basket:
    def __init__(self):
        self.parts = {}

    def __len__(self):
        return len(self.parts)

    def __iter__(self):
        return iter(self.parts.values())

    def add(self, part):
        self.parts[part] = part

    def prices(self):
        found = []
        for part in self:
            found.append(part)
        return found


def traced(order):
    if TRACING:
        return order.trace
    return order


def current():
    if _current is None:
        raise LookupError('nobody is here')
    return _current.name


def path(default):
    if request:
        return request.path
    return default


def logged(level):
    def decorator(call):
        @functools.wraps(call)
        def wrapper(*args, **kwargs):
            print(level)
            return call(*args, **kwargs)
        return wrapper
    return decorator


def wrapped(level):
    @logged(level)
    def inner(price):
        return price * 2
    return inner


def opened(order):
    if TRACING:
        math.of_another_machine(order)
    return order
";

fn function(name: &str, runs: &str) -> Value {
    let folder = Folder::of(&[("shop/__init__.py", ""), ("shop/shop.py", SHOP)]);
    let mut command = surmise();
    command.args(["run", "--json", "--runs", runs, "--function", name, "shop/shop.py"]).current_dir(folder.root());
    let report = ended_with(&mut command, Stdin::Empty).report();
    assert_eq!(report["surroundings"]["in_place"], true, "{report}");
    report
}

/// Checks which lines one run does not reach; a search reaches them all.
#[track_caller]
fn reached(name: &str, missed: &Value) -> Value {
    let first = function(name, "1");
    assert_eq!(first["lines"]["missed_lines"], *missed, "{first:#}");
    let report = function(name, "64");
    assert_eq!(report["lines"]["missed_lines"], json!([]), "{report:#}");
    report
}

#[test]
fn a_truth_of_the_module_is_turned() {
    reached("traced", &json!([50]));
}

#[test]
fn what_fails_in_another_state_alone_is_no_certain_error() {
    let report = reached("opened", &json!([85]));
    let error = &report["errors"][0];
    assert_eq!((&error["line"], &error["verdict"]), (&json!(85), &json!("conditional")), "{report:#}");
    assert_eq!(error["depends_on"][0]["name"], "TRACING", "{report:#}");
}

#[test]
fn what_was_not_there_yet_is_there() {
    let report = reached("current", &json!([57]));
    assert_eq!(report["errors"][0]["verdict"], "conditional", "{report:#}");
}

#[test]
fn a_proxy_stands_for_something() {
    reached("path", &json!([62, 63]));
}

#[test]
fn a_plain_value_of_a_class_may_be_another_one() {
    reached("Shop.hours", &json!([25]));
}

#[test]
fn a_container_has_been_given_elements() {
    reached("Basket.prices", &json!([44]));
}

#[test]
fn functions_that_a_function_makes_are_called_and_those_that_they_make() {
    reached("logged", &json!([]));
}

#[test]
fn an_inner_function_is_called_without_its_decorators() {
    for (name, lines) in [("logged.decorator.wrapper", json!([70, 71])), ("wrapped.inner", json!([79]))] {
        let report = function(name, "1");
        assert_eq!(report["lines"]["covered_lines"], lines, "{report:#}");
    }
}

//! Functions in their imported modules whose real code refuses what is made up, or finds objects as new as no caller has
//! them.

use serde_json::{Value, json};

use crate::support::{Folder, Stdin, ended_with, surmise};

const SHOP: &str = "\
from __future__ import annotations
from typing import TYPE_CHECKING
from . import parts
if TYPE_CHECKING:
    from .parts import Engine

class Shop:
    def __init__(self):
        self.orders = []
        self.page = None
        self.is_open = False
        self._rate = 1

    @property
    def rate(self):
        return self._rate

    @rate.setter
    def rate(self, value):
        self._rate = int(value) + 1

    @property
    def first(self):
        return self.orders[0]

    def sum_up(self):
        total = 0
        for order in self.orders:
            total += order.amount
        return total

    def title(self):
        page = self.page
        return page.title

    def open_first(self):
        found = self.first
        return found.name

    def sell(self, order):
        if not self.is_open:
            raise RuntimeError('the shop is closed')
        parts.check(order)
        return order

    def reprice(self, text):
        self.rate = text
        return self

    def fetch(self, *args, **kwargs):
        found = parts.load(*args, **kwargs)
        return found.name

def kind_of(part):
    if isinstance(part, parts.Wheel):
        return 'wheel'
    return 'other'

def start(engine: Engine):
    if engine.power > 0:
        return engine
    return None

class Choice:
    def __init__(self, name, among=lambda value: True):
        self.name = name
        self.among = among

def scaled(part):
    if parts.size(part) > 100:
        return 'large'
    return 'small'

def adder(one):
    def add(other):
        return one + other
    return add

def last():
    parts.fail()
    return 1

def configure(path):
    with open(path, mode='rb') as file:
        exec(compile(file.read(), path, 'exec'), {})

def misspelt(path):
    return pathh

def home():
    import os
    parts = os.environ['SHOP_PARTS'].split()
    return parts[:int(os.environ['SHOP_LIMIT'])]
";

const PARTS: &str = "\
class Wheel:
    pass

class Engine:
    def __init__(self):
        self.power = 3

def check(order):
    if not order.startswith('#'):
        raise ValueError(order)
    return bytes(order, 'ascii')

def load(name, size):
    return open('/nowhere/' + name, size)

def size(part):
    return 3

def fail():
    raise ValueError('whatever it is given')
";

fn function(name: &str, runs: &str) -> Value {
    let folder = Folder::of(&[("shop/__init__.py", ""), ("shop/shop.py", SHOP), ("shop/parts.py", PARTS)]);
    let mut command = surmise();
    command.args(["run", "--json", "--runs", runs, "--function", name, "shop/shop.py"]).current_dir(folder.root());
    let report = ended_with(&mut command, Stdin::Empty).report();
    assert_eq!(report["surroundings"]["in_place"], true, "{report}");
    report
}

/// Lines that one run of a function does not reach, and the class of the error that it ends with.
fn missed(name: &str) -> (Value, Value) {
    let report = function(name, "1");
    (report["lines"]["missed_lines"].clone(), report["error"]["type"].clone())
}

#[test]
fn what_is_empty_in_a_new_object_has_been_filled() {
    for name in ["Shop.sum_up", "Shop.title"] {
        assert_eq!(missed(name), (json!([]), Value::Null), "{name}");
    }
}

#[test]
fn what_the_code_around_refuses_is_predicted() {
    // A property, a function after a guard of the object's state, a setter, a call that lacks its arguments.
    for (name, lines) in [
        ("Shop.open_first", json!([])),
        ("Shop.sell", json!([42])),
        ("Shop.reprice", json!([])),
        ("Shop.fetch", json!([])),
    ] {
        assert_eq!(missed(name), (lines, Value::Null), "{name}");
    }
    // What does nothing but raise does so whatever it is given.
    assert_eq!(missed("last"), (json!([81]), json!("ValueError")));
}

#[test]
fn a_made_up_value_may_be_an_instance_of_a_real_class() {
    assert_eq!(missed("kind_of"), (json!([57]), Value::Null));
    assert_eq!(function("kind_of", "8")["lines"]["missed_lines"], json!([]));
}

#[test]
fn classes_that_only_checkers_import_are_found() {
    let report = function("start", "1");
    assert_eq!(report["lines"]["missed_lines"], json!([62]), "{report}");
    let values = report["injections"].as_array().into_iter().flatten();
    let engine: Vec<&str> =
        values.filter(|value| value["name"] == "engine").filter_map(|value| value["value"].as_str()).collect();
    assert!(engine.iter().all(|value| value.contains("shop.parts.Engine")) && !engine.is_empty(), "{report}");
}

#[test]
fn a_function_with_a_function_as_default_is_found() {
    assert_eq!(missed("Choice.__init__"), (json!([]), Value::Null));
}

#[test]
fn a_search_puts_other_values_in_place_of_real_results() {
    assert_eq!(missed("scaled"), (json!([71]), Value::Null));
    assert_eq!(function("scaled", "16")["lines"]["missed_lines"], json!([]));
}

#[test]
fn functions_that_a_function_makes_are_called() {
    assert_eq!(missed("adder"), (json!([]), Value::Null));
}

#[test]
fn variables_of_the_environment_are_made_up() {
    assert_eq!(missed("home"), (json!([]), Value::Null));
}

#[test]
fn code_in_a_text_that_was_made_up_is_nobodys_error() {
    let verdict = |name: &str| {
        let report = function(name, "64");
        let of_name = report["errors"].as_array().into_iter().flatten().find(|error| error["type"] == "NameError");
        of_name.unwrap_or_else(|| panic!("an error of a name: {report:#}"))["verdict"].clone()
    };
    assert_eq!(verdict("configure"), "guess");
    assert_eq!(verdict("misspelt"), "certain");
}

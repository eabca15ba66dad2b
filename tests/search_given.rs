//! What functions are given that nobody calls: as callers have to give it, and what leads to handlers and conditions of
//! several parts.

use serde_json::{Value, json};

use crate::support::{Stdin, ended_with, surmise};

/// What `surmise run --json` says of the function `f` of a module.
#[track_caller]
fn called(module: &str, runs: u32) -> Value {
    called_with("naive", module, runs)
}

#[track_caller]
fn called_with(predictor: &str, module: &str, runs: u32) -> Value {
    let mut command = surmise();
    command.args(["run", "--json", "--predictor", predictor, "--function", "f", "--runs", &runs.to_string(), "-"]);
    ended_with(&mut command, Stdin::Pipe(module.as_bytes())).report()
}

#[track_caller]
fn assert_whole(report: &Value) {
    assert_eq!(report["lines"]["missed_lines"], json!([]), "{report:#}");
}

#[test]
fn keys_that_callers_have_to_give_are_there_in_the_first_run() {
    let report = called("def f(*args, **kw):\n    first, second = args\n    return kw['a'] + kw.pop('b') + first\n", 1);
    assert_eq!((&report["outcome"], &report["errors"]), (&json!("completed"), &json!([])), "{report:#}");
    assert_whole(&report);
}

#[test]
fn keys_that_callers_may_give_are_tried() {
    let module = "def f(*args, **kw):\n    if len(args) == 3:\n        return 1\n    if 'a' in kw:\n        return 2\n    \
                  if kw.get('b') == 'x':\n        return 3\n    return 4\n";
    let report = called(module, 64);
    let missed = &report["lines"]["missed_lines"];
    // With every key that may be there `'a'` is always one of them.
    assert_eq!(missed, &json!([7]), "{report:#}");
}

#[test]
fn a_key_of_a_dictionary_that_is_written_out_is_in_it() {
    let module = "CODES = {'no': 0, 'yes': 1}\ndef f(value):\n    try:\n        return CODES[str(value).lower()]\n    \
                  except KeyError:\n        raise ValueError(value) from None\n";
    let first = called_with("model", module, 1);
    assert_eq!(first["outcome"], "completed", "{first:#}");
    assert_whole(&called_with("model", module, 64));
}

#[test]
fn what_the_module_fills_is_made_up() {
    let module = "HANDLERS = []\nSTATE = None\ndef set_up():\n    global STATE\n    STATE = 1\ndef f():\n    for handler in \
                  HANDLERS:\n        return handler(STATE.size)\n";
    let report = called(module, 1);
    assert_eq!((&report["outcome"], &report["errors"]), (&json!("completed"), &json!([])), "{report:#}");
    assert_whole(&report);
}

#[test]
fn handlers_get_what_they_are_there_for() {
    let module = "import socket\ndef f(text, address, count):\n    try:\n        socket.inet_aton(address)\n    except OSError:\n        \
                  return 1\n    try:\n        text.encode('ascii')\n    except UnicodeEncodeError:\n        return 2\n    try:\n        \
                  part = 100 / count\n    except ZeroDivisionError:\n        return 3\n    return part\n";
    assert_whole(&called(module, 64));
}

#[test]
fn two_parts_of_a_condition_are_changed_at_once() {
    let module = "def f(status, method, pair):\n    if status.code == 301 and method == 'POST':\n        return 1\n    if \
                  isinstance(pair, tuple) and len(pair) == 2:\n        return 2\n    size = len(pair)\n    if size == 5:\n        return \
                  3\n    return method\n";
    assert_whole(&called(module, 64));
}

#[test]
fn objects_are_compared_by_identity() {
    let module =
        "def f(kind):\n    if kind is int:\n        return 1\n    if kind is float:\n        return 2\n    return 3\n";
    assert_whole(&called(module, 64));
}

#[test]
fn context_managers_are_told_of_exceptions() {
    let module = "from contextlib import contextmanager\nclass Bad(Exception): pass\n@contextmanager\ndef f(log):\n    try:\n        \
                  yield\n    except KeyError as error:\n        log.write(error)\n        raise\n    finally:\n        log.close()\n";
    let report = called(module, 64);
    assert_whole(&report);
    assert_eq!(report["errors"], json!([]), "what was thrown is no error of the function");
}

#[test]
fn decorators_are_called_and_what_they_return() {
    let module = "import functools\ndef f(level):\n    def decorator(call):\n        @functools.wraps(call)\n        def \
                  wrapper(*args):\n            print(level)\n            return call(*args)\n        return wrapper\n    return \
                  decorator\n";
    let report = called(module, 1);
    assert_whole(&report);
    assert_eq!(report["stdout"], "", "nobody calls it but us: {report:#}");
    let mut command = surmise();
    command.args(["run", "--json", "-"]);
    assert_whole(&ended_with(&mut command, Stdin::Pipe(module.as_bytes())).report());
}

#[test]
fn the_lines_of_an_excerpt_are_those_of_the_function() {
    let module = "import json\nSIZE = 3\n\ndef f(text):\n    if text:\n        return json\n    return SIZE\n";
    let report = called(module, 64);
    assert_eq!(report["lines"]["covered_lines"], json!([5, 6, 7]), "{report:#}");
}

#[test]
fn parts_of_a_condition_are_asked_one_after_the_other() {
    let module =
        "def f(day):\n    if day.year > 2000 and day.month == 2 and day.hour < -3:\n        return 1\n    return 0\n";
    assert_whole(&called(module, 16));
}

#[test]
fn what_is_converted_to_a_number_is_the_one_that_is_asked_for() {
    let module = "def f(text):\n    year, month, day = text.split('-')\n    if int(year) == 1999:\n        return 1\n    size = int(day)\n    \
                  if size > 40:\n        return 2\n    return 0\n";
    assert_whole(&called(module, 64));
    assert_whole(&called_with("model", module, 64));
}

#[test]
fn what_a_function_returns_is_given_what_it_asks_for() {
    let module = "def f(size):\n    def inner(name, table):\n        if name == 'depth':\n            return size\n        return \
                  table['rows']\n    return inner\n";
    assert_whole(&called(module, 16));
}

#[test]
fn an_assignment_on_the_way_to_a_condition_is_gone_round() {
    let module = "def f(options, default):\n    value = options.find('name')\n    if value is None:\n        value = default.find()\n        \
                  if value is not None:\n            value = value.text\n    if value is None:\n        if default.is_last:\n            \
                  return 1\n        return 2\n    return value\n";
    assert_whole(&called(module, 64));
}

//! Functions in their imported modules whose lines need a certain value, object or call: a search finds it.

use serde_json::{Value, json};

use crate::support::{Folder, Stdin, ended_with, surmise};

const PARSING: &str = "\
import enum
import re
from . import settings

DATE = re.compile(r'(\\d{4})-(\\d\\d)(?:T(\\d\\d))?$')


class State(enum.Enum):
    BEGIN = 1
    END = 2


class Ratings(list):
    def __init__(self, values=()):
        super().__init__(values)
        list.sort(self)

    def append(self, value):
        raise TypeError('it cannot change')

    def best(self):
        for name, rating in self:
            return name
        return None

    def __eq__(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return list.__eq__(self, other)


class Headers(dict):
    def find(self, key):
        if key in self:
            return self[key]
        raise LookupError(key)


class Reader:
    quote = None

    def __init__(self):
        super().__init__()
        self.state = State.BEGIN

        def skip(count):
            return count + 1

        self.skip = skip

    @property
    def field(self):
        def update(value):
            return value * 2
        return Field(update)

    @classmethod
    def expand(cls, names):
        def is_short(name):
            return len(name) < 3
        return [name for name in names if name is not None and is_short(name)]

    def step(self):
        if self.state == State.BEGIN:
            return 0
        elif self.state == State.END:
            return 1
        return 2


class Field:
    def __init__(self, update):
        self.update = 1


def spaces(text, at):
    while True:
        try:
            letter = text[at]
        except IndexError:
            break
        if letter != ' ':
            break
        at += 1
    return at


def replaced(text):
    def escape(match):
        if match.group(1):
            return '?'
        return match.group(0)
    return re.sub(r'[$](x)?%', escape, text)


def unquoted(text):
    if len(text) >= 2 and text.startswith('\"') and text.endswith('\"'):
        return text[1:-1]
    return text


def listed(text):
    found, quoted, escaped = [], False, False
    for letter in text:
        if escaped:
            escaped = False
        elif letter == '\\\\':
            escaped = True
        elif letter == '\"':
            quoted = not quoted
        elif letter == ',' and quoted:
            found.append(letter)
    return found


def date(text):
    match = DATE.match(text)
    if match is None:
        return None
    if match.group(3):
        return 'moment'
    return 'day'


def checked(value):
    if settings.CHECKS is False:
        return value
    return str(value)


def counted(limit):
    done = False

    def step(number):
        nonlocal done
        if done:
            return None
        done = number > limit
        return number
    return step


async def served(scope: dict, receive, send):
    if scope['type'] == 'http':
        await send({'path': scope['path']})
        return 1
    return 2


def outer(rows):
    find = rows.find

    def find(value, find=find):
        return find(value)
    return find


def last(rows):
    for row in rows:
        if row.is_last:
            break
    return row.number
";

/// The report of a function after so many runs.
fn function(name: &str, runs: &str) -> Value {
    let folder = Folder::of(&[
        ("parsing/__init__.py", ""),
        ("parsing/parsing.py", PARSING),
        ("parsing/settings.py", "CHECKS = True\n"),
    ]);
    let mut command = surmise();
    command
        .args(["run", "--json", "--runs", runs, "--function", name, "parsing/parsing.py"])
        .current_dir(folder.root());
    let report = ended_with(&mut command, Stdin::Empty).report();
    assert_eq!(report["surroundings"]["in_place"], true, "{report}");
    report
}

/// Checks that a search reaches all lines of functions, and calls no error certain.
#[track_caller]
fn reached(names: &[&str]) {
    for name in names {
        let report = function(name, "64");
        assert_eq!(report["lines"]["missed_lines"], json!([]), "{name}: {report:#}");
        let errors = report["errors"].as_array().expect("errors are listed");
        assert!(errors.iter().all(|error| error["verdict"] != "certain"), "{name}: {report:#}");
    }
}

#[test]
fn functions_inside_of_methods_are_called() {
    reached(&["Reader.__init__.skip", "Reader.field.update", "Reader.expand.is_short"]);
}

#[test]
fn what_a_handler_takes_is_avoided() {
    reached(&["spaces"]);
}

#[test]
fn callbacks_that_found_nothing_to_do_are_called_in_a_search() {
    let first = function("replaced", "1");
    assert_eq!(first["lines"]["missed_lines"], json!([90, 91, 92]), "{first:#}");
    reached(&["replaced"]);
}

#[test]
fn constants_and_classes_of_conditions_are_given() {
    reached(&["Reader.step", "Ratings.__eq__"]);
}

#[test]
fn containers_have_elements_and_the_key_that_is_looked_for() {
    reached(&["Ratings.best", "Headers.find"]);
}

#[test]
fn texts_are_what_all_of_a_condition_asks_for() {
    reached(&["unquoted", "listed", "date"]);
}

#[test]
fn flags_of_other_modules_and_variables_of_functions_around_are_turned() {
    reached(&["checked", "counted.step"]);
}

#[test]
fn mappings_have_the_keys_that_are_read_and_what_is_awaited_may_give_none() {
    let first = function("served", "1");
    assert_eq!((&first["outcome"], &first["errors"]), (&json!("completed"), &json!([])), "{first:#}");
    reached(&["served"]);
}

#[test]
fn what_functions_around_bind_is_cut() {
    reached(&["outer.find"]);
}

#[test]
fn callers_see_to_it_that_a_loop_has_an_element() {
    let report = function("last", "64");
    let error = &report["errors"][0];
    assert_eq!((&error["line"], &error["verdict"]), (&json!(162), &json!("conditional")), "{report:#}");
}

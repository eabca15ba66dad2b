//! Functions in their imported modules that ask for elements of real containers, for classes without a class of the model, that
//! call themselves, or that are meant for other platforms.

use serde_json::{Value, json};

use crate::support::{Folder, Stdin, ended_with, surmise};

const TOOLS: &str = "\
import hashlib

METHODS = {name: getattr(hashlib, name) for name in ('md5', 'sha1')}
NOTHING = object()


LEVELS = frozenset(str(number) for number in range(3))


class Patch:
    OPERATIONS = dict(add=1, remove=2)

    def apply(self, operation):
        if operation not in self.OPERATIONS:
            raise ValueError(operation)
        return self.OPERATIONS[operation]

    def scan(self, tokens):
        token = tokens.peek()
        if token.type == 'LPAREN':
            tokens.advance()
            kind, nested = self.scan(tokens)
            if nested:
                return kind, True
            return kind, False
        return None, False


def digest(name):
    if name not in METHODS:
        raise ValueError(name)
    return METHODS[name]().hexdigest()


def level(value):
    if value in LEVELS:
        return value.upper()
    return None


def head(stream):
    data = stream.read(4)
    assert isinstance(data, bytes)
    return data[:3]


def width(letter):
    number = ord(letter) if letter else 0
    if 32 <= number < 127:
        return 1
    if number == 0x200d:
        return 0
    return 2


def resolved(walk, default=NOTHING):
    try:
        return walk()
    except WalkError:
        if default is NOTHING:
            raise
        return default


def is_windows():
    return False


def colours():
    if is_windows():
        import ctypes
        return ctypes.windll.kernel32
    return None


def arguments(function):
    import inspect
    try:
        return inspect.signature(function)
    except AttributeError:
        return inspect.getmoduleinfo(function)


def letters(text):
    import string
    for letter in text:
        return string.letters
    return None


try:
    import icu
except ImportError:
    pass
else:
    def collator():
        return hashlib.collator()


def serializer(elements):
    filter = hashlib.md5()

    def serialize(element):
        return filter.digest(element)
    return serialize


def with_metaclass(kind):
    return kind('Base', (), {})


def phases(debug):
    def chosen(is_chosen):
        return type if is_chosen else type

    class Phase(with_metaclass(chosen(debug))):
        def process(self, token):
            return token['name']
    return Phase


def origin(kind):
    import typing
    found = typing.get_origin(kind)
    if found is list:
        return typing.get_args(kind)
    return kind


def separator():
    import sys
    if sys.platform == 'win32':
        return ';'
    return ':'


def written(stream, text):
    import json
    try:
        json.dump(text, stream)
    except OverflowError:
        return False
    return True


def chosen():
    raise SystemExit(1)


def started(name):
    choice = chosen()
    if choice:
        return name
    return None


def fields(kind):
    found = []
    for field in getattr(kind, '__shop_fields__', ()):
        found.append(field)
    return found


def sequence(value):
    try:
        value = tuple(value)
    except TypeError:
        value = (value,)
    return value


class Kinds(type):
    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        if bases:
            cls.table = name.lower()


class Model(metaclass=Kinds):
    @classmethod
    def exists(cls):
        return cls.table.isidentifier()


def dated(text):
    import datetime
    return datetime.date(*map(int, text.split(b'-')))


def interrupted(lock):
    import os
    import signal
    import time
    lock.acquire()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)
    lock.release()
";

/// The report of a function of `tools.py` in a project.
fn function(name: &str) -> Value {
    of_file(&[("pyproject.toml", ""), ("tools.py", TOOLS)], "tools.py", name)
}

fn of_file(files: &[(&str, &str)], file: &str, name: &str) -> Value {
    let folder = Folder::of(files);
    let mut command = surmise();
    command.args(["run", "--json", "--function", name, file]).current_dir(folder.root());
    ended_with(&mut command, Stdin::Empty).report()
}

/// Checks that a search reaches all lines of a function in its module, and returns the report.
#[track_caller]
fn reached(name: &str) -> Value {
    let report = function(name);
    assert_eq!(report["surroundings"]["in_place"], true, "{report:#}");
    assert_eq!(report["lines"]["missed_lines"], json!([]), "{name}: {report:#}");
    report
}

/// The verdicts on errors of a class.
fn verdicts<'r>(report: &'r Value, kind: &str) -> Vec<&'r str> {
    let errors = report["errors"].as_array().expect("errors are listed").iter();
    errors.filter(|error| error["type"] == kind).map(|error| error["verdict"].as_str().expect("a verdict")).collect()
}

#[test]
fn elements_of_containers_are_given_that_conditions_ask_for() {
    for name in ["digest", "Patch.apply", "level"] {
        reached(name);
    }
}

#[test]
fn instances_are_given_that_an_assertion_asks_for() {
    let report = reached("head");
    assert_eq!(report["plausible_run"]["covered"], 3, "{report:#}");
}

#[test]
fn characters_have_the_numbers_that_conditions_ask_for() {
    reached("width");
}

#[test]
fn a_function_that_calls_itself_on_stand_ins_comes_to_an_end() {
    let report = reached("Patch.scan");
    assert!(verdicts(&report, "RecursionError").iter().all(|verdict| *verdict == "guess"), "{report:#}");
}

#[test]
fn a_missing_value_is_not_made_of_itself() {
    let report = of_file(&[("cut.py", TOOLS)], "cut.py", "resolved");
    assert_eq!(verdicts(&report, "RecursionError"), [""; 0], "{report:#}");
    assert_eq!(report["lines"]["missed_lines"], json!([]), "{report:#}");
}

#[test]
fn attributes_of_modules_are_other_platforms_where_a_condition_or_handler_leads_there() {
    for name in ["colours", "arguments"] {
        assert_eq!(verdicts(&function(name), "AttributeError"), ["conditional"], "{name}");
    }
    assert_eq!(verdicts(&function("letters"), "AttributeError"), ["certain"], "a loop asks for nothing");
}

#[test]
fn classes_lack_what_a_metaclass_gives_those_that_derive_from_them() {
    assert_eq!(verdicts(&function("Model.exists"), "AttributeError"), ["conditional"]);
}

#[test]
fn how_many_arguments_are_spread_is_no_matter_of_types() {
    let report = function("dated");
    assert!(verdicts(&report, "TypeError").iter().all(|verdict| *verdict != "certain"), "{report:#}");
}

#[test]
fn functions_that_the_module_does_not_define_here_are_other_machines() {
    let report = function("collator");
    assert_eq!(report["surroundings"]["in_place"], false, "{report:#}");
    assert_eq!(verdicts(&report, "AttributeError"), ["guess"], "{report:#}");
}

#[test]
fn functions_around_keep_what_builtins_would_hide_and_what_headers_of_classes_call() {
    let report = reached("serializer.serialize");
    assert_eq!(verdicts(&report, "AttributeError"), [""; 0], "{report:#}");
    reached("phases.Phase.process");
}

#[test]
fn what_the_standard_library_says_of_made_up_values_and_of_the_machine_is_replaced() {
    for name in ["origin", "separator", "written"] {
        reached(name);
    }
}

#[test]
fn calls_that_leave_the_program_are_avoided() {
    reached("started");
}

#[test]
fn special_attributes_and_refusals_that_code_asks_for_are_given() {
    reached("fields");
    reached("sequence");
}

#[test]
fn nobody_interrupts() {
    let report = function("interrupted");
    assert!(verdicts(&report, "KeyboardInterrupt").iter().all(|verdict| *verdict == "guess"), "{report:#}");
}

#[test]
fn a_module_that_is_installed_runs_in_place() {
    let single = "LIMIT = max(1, 2)\n\n\ndef limited(count):\n    return min(count, LIMIT)\n";
    let report = of_file(&[("site-packages/single.py", single)], "site-packages/single.py", "limited");
    assert_eq!(report["surroundings"]["in_place"], true, "{report:#}");
}

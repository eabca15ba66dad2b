//! Files that are modules of a package, functions in their imported modules, and environments with packages.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Ended, Folder, Stdin, ended_with, python_minor, surmise};

/// A project with a package in `src`, whose modules shadow the standard library's and import each other in a circle, and
/// with a virtual environment that has one package.
fn project() -> Folder {
    let minor = python_minor();
    let packages = format!("p/.venv/lib/python3.{minor}/site-packages");
    let settings = format!("home = /usr/bin\nversion = 3.{minor}.1\n");
    let installed = format!("{packages}/installed/__init__.py");
    let paths = format!("{packages}/more.pth");
    Folder::of(&[
        ("p/pyproject.toml", "[project]\nname = 'shop'\n"),
        ("p/.venv/pyvenv.cfg", &settings),
        (&installed, "RATE = 3\ndef convert(value):\n    return value * RATE\n"),
        (&paths, "/nowhere\nimport sys\n"),
        ("p/src/shop/__init__.py", "from .cart import Cart\nfrom . import typing\n"),
        ("p/src/shop/typing.py", "import typing as t\nName = t.Union[str, bytes]\n"),
        ("p/src/shop/prices.py", PRICES),
        ("p/src/shop/cart.py", CART),
        (
            "p/src/shop/broken.py",
            "from .cart import Cart\nraise ValueError('no colours')\ndef paint(x):\n    return x\n",
        ),
        ("p/src/shop/ends.py", "import os\nos._exit(3)\ndef paint(x):\n    return x\n"),
        ("p/src/shop/needy.py", NEEDY),
        ("p/src/shop/tool.py", "from . import cart\nif __name__ == '__main__':\n    print(cart.Cart, __package__)\n"),
        ("p/src/odd/__init__.py", "raise ValueError('no odds')\n"),
        ("p/src/odd/inner/__init__.py", "from ..level import LEVEL\nprint(LEVEL)\n"),
        ("p/src/odd/level.py", "LEVEL = 3\n"),
        ("p/src/shop/slow.py", SLOW),
        ("p/src/shop/closures.py", CLOSURES),
        ("script.py", "import installed\nprint(installed.convert(2))\n"),
    ])
}

const CLOSURES: &str = "\
def outer(limit):
    lazy = limit > 3

    def inner(x):
        if lazy:
            return x
        return limit + 1

    return inner
";

const PRICES: &str = "\
from __future__ import annotations
import functools
from dataclasses import dataclass

import installed
from . import cart

def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        raise RuntimeError('no log is open')
    return wrapper

@dataclass
class Price:
    amount: int
    currency: str

    def converted(self, other: Price) -> Price:
        if self.currency != other.currency:
            return Price(installed.convert(self.amount), other.currency)
        return self

@logged
def total(prices: list[Price], empty: cart.Cart):
    result = 0
    for price in prices:
        result += price.amount
    empty.add(result)
    return result + len(empty.items)

state = None

def current():
    if state is None:
        raise RuntimeError('nothing is open')
    return state.name

def name_of(price):
    return price.nam + misspelt_name
";

const CART: &str = "\
class Cart:
    def __init__(self, owner):
        from . import prices
        self.owner = owner
        self.items = []
        self.unit = prices.Price(1, 'EUR')

    def add(self, item):
        self.items.append(item)
        return self

    def first(self):
        if not self.items:
            return None
        return self.items[0].amount
";

const NEEDY: &str = "\
import absent_library
from absent_library.forms import register
try:
    import absent_speedups
except ImportError:
    absent_speedups = None

@register
def speed(value):
    if absent_speedups is None:
        return absent_library.slow(value)
    return absent_speedups.fast(value)
";

const SLOW: &str = "\
class Fast:
    def __init__(self, name):
        self.name = name

class Slow:
    def __init__(self, fast: Fast):
        while True:
            pass

def label(slow: Slow):
    return 1 if slow else 2
";

fn run(folder: &Folder, arguments: &[&str]) -> Ended {
    let mut command: Command = surmise();
    command.arg("run").arg("--json").args(arguments).current_dir(folder.root());
    ended_with(&mut command, Stdin::Empty)
}

fn function(folder: &Folder, name: &str, file: &str, more: &[&str]) -> Value {
    run(folder, &[&["--function", name, "--runs", "1"], more, &[&format!("p/src/shop/{file}.py")]].concat()).report()
}

fn of_place(report: &Value) -> (Value, Value) {
    (report["surroundings"]["in_place"].clone(), report["surroundings"]["module"].clone())
}

#[test]
fn attributes_that_a_class_gives_its_instances_may_have_been_replaced() {
    let module = "class Rule:\n    end: object = None\n    def f(self):\n        if self.end is not None:\n            return \
                  self.end.upper()\n        return None\n";
    let folder = Folder::of(&[("p/shop/__init__.py", ""), ("p/shop/rules/rule.py", module)]);
    let mut command = surmise();
    command.args(["run", "--json", "--function", "Rule.f"]).arg(folder.path("p/shop/rules/rule.py"));
    let report = ended_with(&mut command, Stdin::Empty).report();
    assert_eq!(report["lines"]["missed_lines"], json!([]), "{report:#}");
    let module = json!("shop.rules.rule");
    assert_eq!((&report["surroundings"]["module"], &report["surroundings"]["in_place"]), (&module, &json!(true)));
}

#[test]
fn a_file_of_a_package_runs_as_that_module() {
    let folder = project();
    let report = run(&folder, &["--runs", "1", "p/src/shop/typing.py"]).report();
    assert_eq!((&report["outcome"], &report["lines"]["missed_lines"]), (&json!("completed"), &json!([])), "{report}");
    assert_eq!(report["surroundings"]["module"], "shop.typing");
    assert_eq!(report["injections"], json!([]), "the standard library's module of the name is imported");
    let report = run(&folder, &["--runs", "1", "p/src/shop/prices.py"]).report();
    assert_eq!((&report["outcome"], &report["error"]), (&json!("completed"), &Value::Null), "{report}");
    let report = run(&folder, &["--runs", "1", "p/src/shop/tool.py"]).report();
    assert_eq!(report["stdout"], "<class 'shop.cart.Cart'> shop\n", "{report}");
    let report = run(&folder, &["--runs", "1", "p/src/shop/broken.py"]).report();
    let error = (&report["error"]["type"], &report["error"]["line"], &report["error"]["verdict"]);
    assert_eq!(error, (&json!("ValueError"), &json!(2), &json!("certain")), "{report}");
    let alone = run(&folder, &["--runs", "1", "--alone", "p/src/shop/typing.py"]).report();
    assert_eq!(alone["surroundings"], json!({"module": null, "in_place": null, "problem": null, "environment": null}));
}

#[test]
fn a_function_runs_in_its_imported_module() {
    let folder = project();
    let report = function(&folder, "Price.converted", "prices", &[]);
    assert_eq!(of_place(&report), (json!(true), json!("shop.prices")), "{report}");
    // Both are real prices of the same currency; the lines are those of the body.
    let lines = (&report["lines"]["covered_lines"], &report["lines"]["missed_lines"]);
    assert_eq!(lines, (&json!([20, 22]), &json!([21])), "{report}");
    let report = function(&folder, "total", "prices", &[]);
    assert_eq!((&report["outcome"], &report["lines"]["missed_lines"]), (&json!("completed"), &json!([])), "{report}");
    let searched = run(&folder, &["--function", "Cart.first", "p/src/shop/cart.py"]).report();
    assert_eq!(
        (&searched["lines"]["missed_lines"], &searched["runs"].as_u64().map(|runs| runs > 1)),
        (&json!([]), &Some(true)),
        "{searched}"
    );
    let alone = function(&folder, "Price.converted", "prices", &["--alone"]);
    assert_eq!(of_place(&alone), (Value::Null, Value::Null), "{alone}");
}

#[test]
fn packages_that_cannot_be_imported_have_their_other_modules() {
    let folder = project();
    for (file, output) in [("inner/__init__.py", "3\n"), ("level.py", "")] {
        let report = run(&folder, &["--runs", "1", &format!("p/src/odd/{file}")]).report();
        assert_eq!((&report["outcome"], &report["stdout"]), (&json!("completed"), &json!(output)), "{report}");
    }
}

#[test]
fn constructors_that_never_end_are_given_up() {
    let folder = project();
    let report = function(&folder, "label", "slow", &[]);
    assert_eq!((of_place(&report).0, &report["outcome"]), (json!(true), &json!("completed")), "{report}");
}

#[test]
fn the_state_of_a_module_is_no_certain_error() {
    let folder = project();
    let report = function(&folder, "current", "prices", &[]);
    assert_eq!(report["errors"][0]["verdict"], "conditional", "{report}");
    let report = function(&folder, "name_of", "prices", &["--predictor", "none"]);
    assert_eq!(of_place(&report).0, Value::Null, "without injection nothing is called: {report}");
}

#[test]
fn what_a_function_around_binds_is_injected() {
    let folder = project();
    let report = function(&folder, "outer.inner", "closures", &[]);
    assert_eq!((of_place(&report).0, &report["errors"]), (json!(true), &json!([])), "{report}");
    assert_eq!(report["lines"]["covered_lines"], json!([5, 6]), "{report}");
}

#[test]
fn a_name_that_the_imported_module_never_binds_is_an_error_of_its_own() {
    let folder = project();
    let report = function(&folder, "name_of", "prices", &[]);
    let error = &report["errors"][0];
    let found = (&error["type"], &error["line"], &error["verdict"]);
    assert_eq!(found, (&json!("NameError"), &json!(40), &json!("certain")), "{report}");
    // By itself, the function may have been cut out of a module that binds the name.
    let alone = function(&folder, "name_of", "prices", &["--alone"]);
    assert_eq!(alone["outcome"], "completed", "{alone}");
}

#[test]
fn a_module_that_cannot_be_imported_leaves_its_functions_as_excerpts() {
    let folder = project();
    for (file, why) in
        [("broken", "fails with ValueError: no colours"), ("ends", "importing its module ends the process")]
    {
        let report = function(&folder, "paint", file, &[]);
        assert_eq!(of_place(&report).0, json!(false), "{report}");
        let problem = report["surroundings"]["problem"].as_str().unwrap_or_default();
        assert!(problem.contains(why), "{problem}");
        assert_eq!(
            (&report["outcome"], &report["lines"]["missed_lines"]),
            (&json!("completed"), &json!([])),
            "{report}"
        );
    }
}

#[test]
fn what_a_project_imports_and_lacks_is_missing_there_too() {
    let folder = project();
    let report = function(&folder, "speed", "needy", &[]);
    assert_eq!(of_place(&report).0, json!(true), "{report}");
    // The handler of the module waits for the missing one; a decorator that is missing leaves the function.
    assert_eq!(report["lines"]["missed_lines"], json!([12]), "{report}");
    let missing: Vec<&str> = report["injections"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|value| value["kind"] == "import")
        .filter_map(|value| value["name"].as_str())
        .collect();
    assert!(missing.contains(&"absent_library") && !missing.contains(&"absent_speedups"), "{report}");
}

#[test]
fn environments_are_found_and_named() {
    let folder = project();
    let missing = run(&folder, &["--runs", "1", "script.py"]).report();
    assert_eq!(
        (&missing["surroundings"]["environment"], &missing["injections"][0]["kind"]),
        (&Value::Null, &json!("import"))
    );
    let given = run(&folder, &["--runs", "1", "--python", "p/.venv", "script.py"]).report();
    assert_eq!(
        (given["stdout"].as_str(), &given["surroundings"]["environment"]["origin"]),
        (Some("6\n"), &json!("--python"))
    );
    let mut command = surmise();
    command.args(["run", "--json", "--runs", "1", "script.py"]).current_dir(folder.root());
    command.env("VIRTUAL_ENV", folder.root().join("p/.venv"));
    let activated = ended_with(&mut command, Stdin::Empty).report();
    assert_eq!(activated["surroundings"]["environment"]["origin"], "VIRTUAL_ENV", "{activated}");
    command.env("VIRTUAL_ENV", "/nowhere");
    let broken = ended_with(&mut command, Stdin::Empty);
    assert!(broken.stderr().contains("there is no Python environment at `/nowhere`; it is not used"), "{broken}");
    let project = function(&folder, "total", "prices", &[]);
    assert_eq!(project["surroundings"]["environment"]["origin"], ".venv", "{project}");
    let refused = run(&folder, &["--python", "script.py", "script.py"]);
    assert_eq!(refused.code(), 2, "{refused}");
    assert!(
        refused.stderr().contains("cannot ask the interpreter") && refused.stderr().contains("hint: --python"),
        "{refused}"
    );
}

#[test]
fn the_environment_cannot_be_written() {
    let folder = project();
    folder.write("writes.py", "import installed\ntry:\n    open(installed.__file__, 'a').write('x')\nexcept OSError as error:\n    print(type(error).__name__)\nelse:\n    print('written')\n");
    let path =
        folder.root().join(format!("p/.venv/lib/python3.{}/site-packages/installed/__init__.py", python_minor()));
    let before = std::fs::read(&path).expect("it is there");
    run(&folder, &["--runs", "1", "--no-inject", "io", "--python", "p/.venv", "writes.py"]);
    assert_eq!(std::fs::read(&path).expect("it is there"), before, "whatever the program sees of its own layer");
}

#[test]
fn a_project_that_is_not_installed_has_a_version_where_it_is_imported() {
    let folder = Folder::new();
    folder.write(
        "p/src/bare/__init__.py",
        "import importlib.metadata\n__version__ = importlib.metadata.version('surmise-absent')\ndef major():\n    return \
         int(__version__.split('.')[0])\n",
    );
    let found = |name: &str| {
        let report = run(&folder, &["--function", name, "--runs", "1", "p/src/bare/__init__.py"]).report();
        (of_place(&report).0, report["outcome"].clone(), report["errors"].clone())
    };
    assert_eq!(found("major"), (json!(true), json!("completed"), json!([])));
    folder.write(
        "p/src/bare/__init__.py",
        "import importlib.metadata as metadata\ntry:\n    version = metadata.version('surmise-absent')\nexcept \
         metadata.PackageNotFoundError:\n    version = None\ndef major():\n    assert version is None\n",
    );
    assert_eq!(found("major"), (json!(true), json!("completed"), json!([])), "the module takes care of it itself");
}

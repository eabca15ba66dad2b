//! `surmise diff --repo`: companion modules, which compared functions import from their repository.

use crate::support::repo::{Repo, expected};

const TEXTS: &str = "\
import re
import numpy as np
from .errors import BadText

LIMIT = 40

def clean(text):
    if len(text) > LIMIT:
        raise BadText(text)
    return re.sub(r'\\s+', ' ', unknown(text))

@np.vectorize
def each(text):
    return text
";
const ERRORS: &str = "class BadText(ValueError):\n    pass\n";
const STORE: &str = "\
ROWS = []

def save(row):
    try:
        ROWS.append(row)
    except ValueError:
        return None
    return len(ROWS)
";
const OLD: &str = "\
from .texts import clean
from . import store, texts
import shop.store as db

def taken_out(order):
    name = order.name.strip()
    if len(name) > 40:
        raise ValueError(name)
    return clean(order.title), name

def caught(order):
    try:
        return clean(order.name)
    except ValueError:
        return 0

def raised(text: str):
    return clean('x' * 50)

def constant(order):
    return texts.LIMIT + 1

def kept(order):
    return db.save(order.row)

def other(order):
    return store.gone(order)
";
const NEW: &str = "\
from .texts import clean
from . import store, texts
from .names import short
import shop.store as db

def taken_out(order):
    name = short(order.name)
    return clean(order.title), name

def caught(order):
    try:
        name = clean(order.name)
    except ValueError:
        return 0
    return name

def raised(text: str):
    return 0

def constant(order):
    return 41

def kept(order):
    return db.save(order.row[0])

def other(order):
    found = store.gone(order)
    return found
";
const NAMES: &str = "\
def short(name):
    name = name.strip()
    if len(name) > 40:
        raise ValueError(name)
    return name
";

fn shop() -> Repo {
    let repo = Repo::new(&[
        ("src/shop/__init__.py", ""),
        ("src/shop/texts.py", TEXTS),
        ("src/shop/errors.py", ERRORS),
        ("src/shop/store.py", STORE),
        ("src/shop/orders.py", OLD),
    ]);
    repo.commit(&[("src/shop/orders.py", NEW), ("src/shop/names.py", NAMES)]);
    repo
}

#[test]
fn what_is_imported_of_the_repository_runs() {
    let repo = shop();
    let verdicts = [
        ("src/shop/names.py::short", "added"),
        ("src/shop/orders.py::caught", "equal"),
        ("src/shop/orders.py::constant", "equal"),
        ("src/shop/orders.py::kept", "different"),
        ("src/shop/orders.py::other", "equal"),
        ("src/shop/orders.py::raised", "different"),
        ("src/shop/orders.py::taken_out", "equal"),
    ];
    assert_eq!(repo.words(&["HEAD", "--alone"]), expected(&verdicts));
    let text = repo.diff(&["HEAD", "--alone"]).stdout();
    assert!(text.contains("old: raise BadText\n"), "{text}");
    assert!(text.contains("global shop.store.ROWS is now"), "{text}");
}

#[test]
fn both_versions_run_in_the_modules_of_their_own_revisions() {
    let verdicts = [
        ("src/shop/names.py::short", "added"),
        ("src/shop/orders.py::caught", "equal"),
        ("src/shop/orders.py::constant", "equal"),
        ("src/shop/orders.py::kept", "different"),
        ("src/shop/orders.py::other", "equal"),
        ("src/shop/orders.py::raised", "different"),
        ("src/shop/orders.py::taken_out", "equal"),
    ];
    let repo = shop();
    assert_eq!(repo.words(&["HEAD"]), expected(&verdicts));
    let documents = repo.documents(&["HEAD"]);
    let ran = documents.iter().filter(|document| document["verdict"] == "equal" || document["verdict"] == "different");
    assert_eq!(ran.clone().count(), 6, "{documents:?}");
    // In their module no run reaches what handles an error that is never raised there.
    let elsewhere: Vec<&serde_json::Value> =
        ran.filter(|document| document["in_place"] == false).map(|document| &document["name"]).collect();
    assert_eq!(elsewhere, ["src/shop/orders.py::caught", "src/shop/orders.py::other"]);
    assert!(!repo.path().join("src/shop/__pycache__").exists(), "nothing is written to the checkout");
}

#[test]
fn a_changed_function_that_is_called_is_followed() {
    let own = |result: &str| format!("from .changed import g\ndef f(a):\n    return {result}\n");
    let changed = |result: i32| format!("def g(a):\n    return {result}\n");
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", &own("g(a.x)")), ("p/changed.py", &changed(1))]);
    repo.commit(&[("p/a.py", &own("g(a.x) or 0")), ("p/changed.py", &changed(2))]);
    let text = repo.diff(&["HEAD", "--", "p/a.py"]).stdout();
    assert!(text.contains("old: return 1\n    new: return 2\n"), "{text}");
}

#[test]
fn a_revision_that_cannot_be_imported_is_compared_as_an_excerpt() {
    let text = |result: &str| format!("raise OSError('no')\ndef f(a):\n    return {result}\n");
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", &text("a.x + 1"))]);
    repo.commit(&[("p/a.py", &text("a.x + 2"))]);
    let documents = repo.documents(&["HEAD"]);
    assert_eq!(documents[0]["verdict"], "different", "{documents:?}");
    let why = "the old version: importing `p.a` fails with OSError: no";
    assert_eq!((&documents[0]["in_place"], &documents[0]["unplaced"]), (&false.into(), &why.into()));
}

#[test]
fn without_context_it_is_missing() {
    let found = shop().words(&["HEAD", "--alone", "--context", "none", "--", "src/shop/orders.py"]);
    let different: Vec<&str> =
        found.iter().filter(|(_, verdict)| verdict == "different").map(|(name, _)| name.as_str()).collect();
    let missing = ["constant", "kept", "raised", "taken_out"].map(|name| format!("src/shop/orders.py::{name}"));
    assert_eq!(different, missing);
}

#[test]
fn modules_that_fail_or_do_not_end_harm_nothing() {
    let old = "from p import broken, endless, odd\ndef f(a):\n    return broken.g(a), broken.LIMIT, a.x\ndef g(a):\n    return endless.f(a)\ndef h(a):\n    return odd._c_(a)\n";
    let new = "from p import broken, endless, odd\ndef f(a):\n    return broken.g(a), broken.LIMIT, a.y\ndef g(a):\n    return endless.f(a) or 1\ndef h(a):\n    return odd._c_(a) or 1\n";
    let repo = Repo::new(&[
        ("p/__init__.py", ""),
        ("p/broken.py", "from .nowhere import x\nLIMIT = 1 / 0\ndef g(a):\n    return x(a)\n"),
        ("p/endless.py", "def run():\n    while True: pass\nVALUE = run()\ndef f(a):\n    return VALUE\n"),
        ("p/odd.py", "def _c_(a):\n    return 2\n"),
        ("a.py", old),
    ]);
    repo.commit(&[("a.py", new)]);
    let found = repo.verdicts(&["HEAD", "--timeout", "0.3"]);
    let verdict = |name: &str| (found[name].0.as_str(), found[name].1.as_str());
    assert_eq!(verdict("a.py::f").0, "different", "{found:?}");
    assert_eq!(verdict("a.py::g"), ("unknown", "runs do not end"));
    assert_eq!(verdict("a.py::h").0, "different", "a name of a hook: the module stays missing");
}

#[test]
fn what_is_missing_has_one_name_whatever_else_is_found() {
    let old = "from .changed import g\ndef f(a):\n    return g(a.x)\n";
    let new = "from .changed import g\nfrom .names import short\ndef f(a):\n    x = short(a.x)\n    return g(x)\n";
    let changed = |result: i32| format!("def g(a):\n    return {result}\n");
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", old), ("p/changed.py", &changed(1))]);
    let names = "def short(x):\n    return x\n";
    repo.commit(&[("p/a.py", new), ("p/changed.py", &changed(2)), ("p/names.py", names)]);
    assert_eq!(repo.words(&["HEAD", "--alone", "--", "p/a.py"]), expected(&[("p/a.py::f", "equal")]));
}

#[test]
fn the_working_tree_has_its_own_modules() {
    let repo = Repo::new(&[
        ("a.py", "from b import g\ndef f(a):\n    return g(a.x)\n"),
        ("b.py", "def g(a):\n    return a\n"),
    ]);
    repo.write("a.py", "from b import g\ndef f(a):\n    return a.x\n");
    assert_eq!(repo.words(&[]), expected(&[("a.py::f", "equal")]));
    // Of a module that changed, the changed definitions are missing.
    repo.write("b.py", "def g(a):\n    return 0\n");
    assert_eq!(repo.words(&["--", "a.py"]), expected(&[("a.py::f", "different")]));
}

//! Annotations and defaults that only one version has: `surmise diff` gives both versions the same values nevertheless.

use serde_json::json;

use crate::diff_values::{different, equal};
use crate::support::repo::Repo;

/// All functions that were run are equal.
#[track_caller]
fn all_equal(old: &str, new: &str) {
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", old)]);
    repo.commit(&[("p/a.py", new)]);
    let documents = repo.documents(&["HEAD"]);
    let run: Vec<_> = documents.iter().filter(|found| found["runs"] != json!(0)).collect();
    assert!(!run.is_empty() && run.iter().all(|found| found["verdict"] == "equal"), "{run:#?}");
}

#[test]
fn a_docstring_says_nothing_of_what_one_version_annotates() {
    let old = "class Application:\n    def __init__(self):\n        self.names = ['a']\n\n    def parents(self):\n        return \
               self.names\n\n\ndef names_of(app):\n    \"\"\"The names.\n\n    Parameters\n    ----------\n    app : \
               Application\n    \"\"\"\n    return [name.upper() for name in app.parents()]\n";
    let annotated = old.replace("def names_of(app):", "def names_of(app: 'Application') -> list:");
    // The code differs in more than the annotation, so that the versions are run.
    equal(old, &annotated.replace("in app.parents()]", "in app.parents() if True]"));
    different(old, &annotated.replace("name.upper()", "name.lower()"));
}

#[test]
fn what_one_version_has_a_default_for_is_given_to_both() {
    let old =
        "class Handler:\n    def __init__(self, names, kind):\n        self.names = names\n        self.kind = kind\n";
    let with_default = old.replace("kind):", "kind='change'):");
    equal(old, &with_default);
    different(old, &with_default.replace("self.kind = kind", "self.kind = kind or 'change'"));
    let keyword = "def f(text, *, width):\n    return text[:width]\n";
    equal(keyword, "def f(text, *, width=3):\n    return text[:width]\n");
    different("def f(text, width=3):\n    return text[:width]\n", "def f(text, width=4):\n    return text[:width]\n");
}

#[test]
fn an_inherited_constructor_that_only_one_version_annotates_makes_no_other_object() {
    let old = "from logging import Logger\nfrom typing import Optional\n\n\nclass Loader:\n    def __init__(self, log=None):\n        self.log = log\n\n\nclass \
               Special(Loader):\n    def load(self, key):\n        found = self.log.name\n        return found, key\n";
    let new = old.replace("log=None", "log: Optional[Logger] = None");
    all_equal(old, &new.replace("        return found, key", "        key = key\n        return found, key"));
}

#[test]
fn only_python_2_has_some_methods() {
    let old = "class Store:\n    def __init__(self, held):\n        self.held = held\n\n    def keys(self):\n        try:\n            return \
               list(self.held.iterkeys())\n        except AttributeError:\n            return list(self.held.keys())\n";
    equal(
        old,
        "class Store:\n    def __init__(self, held):\n        self.held = held\n\n    def keys(self):\n        return \
         list(self.held.keys())\n",
    );
}

#[test]
fn the_parameters_of_other_functions_of_the_excerpt_do_not_count() {
    let old = "def made(f, name):\n    if name is None:\n        name = f.__name__\n    return name, f\n\n\ndef command(name=None):\n    \
               def decorator(f):\n        return made(f, name)\n    return decorator\n";
    let new = "def command(name=None):\n    def decorator(f):\n        chosen = f.__name__ if name is None else name\n        \
               return chosen, f\n    return decorator\n";
    equal(old, new);
}

#[test]
fn names_that_only_type_checkers_know_stand_for_any_type() {
    let head = "from __future__ import annotations\nimport typing as t\nif t.TYPE_CHECKING:\n    K = t.TypeVar('K')\n";
    let body = "def f(given: t.Optional[t.Dict[K, int]] = None):\n    if given is None:\n        return 0\n    return sum(given.values())\n";
    let known = "else:\n    K = t.TypeVar('K')\n";
    all_equal(&format!("{head}{body}"), &format!("{head}{known}{}", body.replace("given is None", "not given")));
}

//! Changes of variables, which `surmise diff` compares by the functions that read them.

use serde_json::{Value, json};

use crate::support::repo::Repo;

const MODULE: &str = "\
import re
VERSION = re.compile(r'(\\d+)\\.(\\d+)$')
SIZES = {'small': 1, 'large': 2}
TWICE = [SIZES['small']] * 2
LIMIT = 10


class Parser:
    strict = False
    kinds = ('x', 'y')

    def parse(self, text):
        found = VERSION.match(text)
        return found and found.groups()

    def is_kind(self, kind):
        return kind in self.kinds or self.strict

    @classmethod
    def default(cls):
        return cls.kinds[0]


def size(name):
    return SIZES.get(name)


def is_over(number):
    return number > LIMIT


def twice():
    return TWICE


def other(LIMIT):
    return LIMIT
";

/// The functions that were run after a change of this module, with their verdicts.
fn compared(change: &[(&str, &str)], arguments: &[&str]) -> Vec<(String, String)> {
    let new = change.iter().fold(MODULE.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    });
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", MODULE)]);
    repo.commit(&[("p/a.py", &new)]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let documents = repo.documents(arguments);
    let ran = documents.iter().filter(|found| found["name"].is_string() && found["runs"] != json!(0));
    ran.map(|found| (text(&found["name"]).replace("p/a.py::", ""), text(&found["verdict"]))).collect()
}

#[track_caller]
fn in_place_and_alone(change: &[(&str, &str)], expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> =
        expected.iter().map(|&(name, verdict)| (name.to_owned(), verdict.to_owned())).collect();
    assert_eq!(compared(change, &["HEAD"]), expected, "in its module");
    assert_eq!(compared(change, &["HEAD", "--alone"]), expected, "as an excerpt");
}

#[test]
fn functions_that_read_a_changed_variable_are_compared() {
    in_place_and_alone(&[("'large': 2", "'large': 3")], &[("size", "different"), ("twice", "equal")]);
    in_place_and_alone(&[("LIMIT = 10", "LIMIT = 11")], &[("is_over", "different")]);
}

#[test]
fn methods_that_read_a_changed_variable_of_their_class_are_compared() {
    in_place_and_alone(&[("strict = False", "strict = True")], &[("Parser.is_kind", "different")]);
    let changed = [("Parser.is_kind", "different"), ("Parser.default", "different")];
    in_place_and_alone(&[("('x', 'y')", "('z', 'y')")], &changed);
}

#[test]
fn texts_match_the_expressions_of_both_versions() {
    let optional = [("(\\d+)$", "(\\d+)(?:[a-z]\\d)?$")];
    in_place_and_alone(&optional, &[("Parser.parse", "different")]);
}

#[test]
fn functions_of_other_files_that_read_a_changed_variable_are_compared() {
    let user = "from .a import LIMIT\nfrom . import a\n\n\ndef is_small(number):\n    return number < LIMIT\n\n\ndef \
                names():\n    return sorted(a.SIZES)\n\n\ndef other():\n    return 1\n";
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", MODULE), ("p/sub/b.py", ""), ("p/user.py", user)]);
    repo.commit(&[("p/a.py", &MODULE.replace("LIMIT = 10", "LIMIT = 1").replace("'large'", "'huge'"))]);
    for arguments in [&["HEAD"][..], &["HEAD", "--alone"]] {
        let verdicts = repo.verdicts(arguments);
        let of_user = verdicts.iter().filter(|(name, _)| name.starts_with("p/user.py"));
        let found: Vec<(&str, &str)> = of_user.map(|(name, verdict)| (name.as_str(), verdict.0.as_str())).collect();
        assert_eq!(found, [("p/user.py::is_small", "different"), ("p/user.py::names", "different")], "{arguments:?}");
    }
    let reasons = repo.verdicts(&["HEAD"]);
    assert!(reasons["p/user.py::is_small"].1.ends_with("; LIMIT changed, which it reads"), "{reasons:#?}");
    let only = repo.documents(&["HEAD", "--", "p/a.py"]);
    assert!(only.iter().all(|found| found["path"] == "p/a.py"), "{only:#?}");
}

#[test]
fn variables_with_the_same_value_are_no_change() {
    in_place_and_alone(&[("LIMIT = 10", "LIMIT: int = 0x0A  # ten")], &[]);
    in_place_and_alone(&[("import re", "import re\nADDED = 1")], &[]);
}

#[test]
fn what_a_function_leaves_in_its_module_is_compared() {
    let module = "COUNT = 0\nSEEN = []\nNAMES = ('a', 'b')\n\n\ndef helper():\n    return 1\n\n\n\
                  def note(x):\n    global COUNT, NAMES, MADE, helper\n    COUNT = 1\n    SEEN.append(1)\n    return x\n";
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", module)]);
    let witness = |old: &str, new: &str| {
        repo.commit(&[("p/a.py", module)]);
        repo.commit(&[("p/a.py", &module.replace(old, new))]);
        let found = repo.documents(&["HEAD"]);
        let note = found.iter().find(|one| one["name"] == "p/a.py::note").expect("it changed");
        assert_eq!(note["in_place"], true, "{note}");
        (note["verdict"].clone(), note["witness"]["new"].as_str().unwrap_or_default().to_owned())
    };
    for (old, new, shown) in [
        ("    COUNT = 1\n", "    COUNT = 2\n", "global COUNT is now 2"),
        ("    SEEN.append(1)\n", "    SEEN.append(1)\n    SEEN.append(2)\n", "global SEEN is now [1, 2]"),
        ("    return x\n", "    NAMES = NAMES + ('c',)\n    return x\n", "global NAMES is now ('a', 'b', 'c',)"),
        ("    return x\n", "    MADE = 3\n    return x\n", "global MADE is now 3"),
    ] {
        assert_eq!(witness(old, new), (json!("different"), shown.to_owned()), "{new}");
    }
    // Functions are no state, and what is as it was is no change.
    for new in ["    helper = note\n    return x\n", "    NAMES = ('a', 'b')\n    return x\n"] {
        assert_eq!(witness("    return x\n", new).0, "equal", "{new}");
    }
}

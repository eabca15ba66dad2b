//! `surmise diff --repo` calls functions as the tests of their project and the sessions of their docstrings do.

use serde_json::{Value, json};

use crate::support::repo::Repo;

/// A function that returns something else for a text which nobody guesses, `hello`; only an excerpt, to which nothing is a
/// text, gets as far without it.
const OLD: &str = "import zlib\n\n\ndef f(text: str):\n    if zlib.crc32(text.encode()) == 907060870:\n        return 1\n    return 0\n";

/// What is said of `f` where a commit changes it from one text to another, with the other files of the project.
#[track_caller]
fn said(old: &str, new: &str, others: &[(&str, &str)]) -> Value {
    let package = [("p/__init__.py", ""), ("p/a.py", old)];
    let repo = Repo::new(&[&package, others].concat());
    repo.commit(&[("p/a.py", new)]);
    let found = repo.documents(&["HEAD"]);
    let of_f = |found: &&Value| found["name"].as_str().is_some_and(|name| name.split("::").last() == Some("f"));
    found.iter().find(of_f).unwrap_or_else(|| panic!("no `f`: {found:#?}")).clone()
}

/// The test that called the function, where versions differ.
fn test_of(found: &Value) -> &str {
    let values = found["witness"]["values"].as_array().map_or(&[][..], Vec::as_slice);
    values.iter().find(|value| value["path"] == "test").and_then(|value| value["value"].as_str()).unwrap_or_default()
}

#[test]
fn tests_of_any_kind_show_differences() {
    let new = OLD.replace("return 1", "return 2");
    assert_eq!(test_of(&said(OLD, &new, &[])), "", "an excerpt shows it");
    for (kind, path, test) in [
        (
            "a function",
            "tests/test_a.py",
            "from p.a import f\ndef test_f():\n    assert f('x') == 0\n    assert f('hello') == 5\n",
        ),
        (
            "a function with a mark",
            "tests/test_a.py",
            "import pytest\nfrom p import a\n@pytest.mark.parametrize('text, number', [('x', 0), pytest.param('hello', 1)])\ndef test_f(text, number):\n    assert a.f(text) == number\n",
        ),
        (
            "a fixture",
            "tests/test_a.py",
            "import pytest\nfrom p.a import f\n@pytest.fixture\ndef text():\n    yield 'hello'\ndef test_f(text):\n    assert f(text)\n",
        ),
        ("a fixture of the folder", "tests/test_a.py", "from p.a import f\ndef test_f(word):\n    assert f(word)\n"),
        (
            "a class",
            "p/tests/test_other.py",
            "from ..a import f\nclass Base:\n    def make(self):\n        return 'hello'\nclass TestF(Base):\n    def test_f(self):\n        assert f(self.make())\n",
        ),
        (
            "unittest",
            "test_a.py",
            "import unittest\nfrom p.a import f\nclass Cases(unittest.TestCase):\n    def setUp(self):\n        self.text = 'hello'\n    def test_f(self):\n        self.assertEqual(f('x'), 1)\n        self.assertEqual(f(self.text), 1)\n",
        ),
        (
            "a class with marks",
            "tests/test_a.py",
            "import pytest\nfrom p.a import f\nclass TestF:\n    pytestmark = [pytest.mark.slow, pytest.mark.parametrize('text', ['hello'])]\n    def test_f(self, text):\n        assert f(text)\n",
        ),
        (
            "an error that is expected",
            "tests/test_a.py",
            "import pytest\nfrom p.a import f\ndef test_f():\n    with pytest.raises(ValueError, match='h') as raised:\n        raise ValueError('hello')\n    assert raised.match('h') and f(str(raised.value))\n",
        ),
        (
            "a warning that is expected",
            "tests/test_a.py",
            "import warnings, pytest\nfrom p.a import f\ndef test_f():\n    with pytest.warns(UserWarning) as found:\n        warnings.warn('hello')\n    assert f(str(found[0].message))\n",
        ),
        (
            "what only pytest itself has",
            "tests/test_a.py",
            "import pytest\nfrom p.a import f\n@pytest.mark.slow\ndef test_f():\n    assert f(pytest.word_of_nobody)\n",
        ),
        (
            "a package that is missing",
            "tests/test_a.py",
            "from hypothesis_of_nobody import given, strategies as st\nfrom p.a import f\n@given(st.text())\ndef test_any(text):\n    f(text)\ndef test_f():\n    assert f('hello')\n",
        ),
    ] {
        let fixture = ("tests/conftest.py", "import pytest\n@pytest.fixture\ndef word():\n    return 'hello'\n");
        let pytest = ("pytest.py", "word_of_nobody = 'hello'\n");
        let found = said(OLD, &new, &[(path, test), ("p/tests/__init__.py", ""), fixture, pytest]);
        assert_eq!(found["verdict"], "different", "{kind}: {found:#}");
        assert!(test_of(&found).starts_with(path), "{kind}: {found:#}");
        assert_eq!(
            (&found["witness"]["old"], &found["witness"]["new"]),
            (&json!("return 1"), &json!("return 2")),
            "{kind}"
        );
    }
}

#[test]
fn sessions_of_docstrings_show_differences() {
    let documented =
        OLD.replace("str):\n", "str):\n    '''Checks.\n\n    >>> word = 'hello'\n    >>> f(word)\n    1\n    '''\n");
    let found = said(&documented, &documented.replace("return 1", "return 2"), &[]);
    assert_eq!((&found["verdict"], test_of(&found)), (&json!("different"), "docstring of f, call 1"), "{found:#}");
}

#[test]
fn what_tests_reach_is_reached() {
    let test = ("tests/test_a.py", "from p import a\ndef test_g():\n    assert a.g(['x', 'hello'])\n");
    let old = format!("{OLD}\n\ndef g(words):\n    return [f(word) for word in words]\n");
    let found = said(&old, &old.replace("return 1", "return int('1')"), &[test]);
    assert_eq!(found["verdict"], "equal", "{found:#}");
}

#[test]
fn calls_with_other_arguments_are_not_compared() {
    let test = ("tests/test_a.py", "from p import a\ndef test_g():\n    assert a.g('hell')\n");
    let old = format!("{OLD}\n\ndef g(start):\n    return f(start + 'o')\n");
    let new = old.replace("return 1", "return int('1')").replace("start + 'o'", "start + 'a'");
    assert_eq!(said(&old, &new, &[test])["verdict"], "equal");
}

#[test]
fn tests_that_fail_end_or_hang_say_nothing() {
    let new = OLD.replace("return 1", "return 2");
    let good = "from p.a import f\ndef test_f():\n    assert f('hello')\n";
    for (kind, test) in [
        ("no Python", format!("{good}def (:\n")),
        ("it raises", format!("{good}raise SystemExit(3)\n")),
        ("it ends the process", good.replace("assert", "import os; os._exit(0); assert")),
        ("it does not end", good.replace("def test_f():", "def test_f():\n    while True: pass")),
        ("it cannot be called", good.replace("test_f()", "test_f(fixture_of_nobody)")),
    ] {
        let found = said(OLD, &new, &[("tests/test_a.py", &test)]);
        assert_eq!((&found["verdict"], test_of(&found)), (&json!("different"), ""), "{kind}: {found:#}");
    }
}

#[test]
fn what_tests_catch_counts_and_what_they_forbid_does_not() {
    let warns = OLD
        .replace("import zlib", "import warnings\nimport zlib")
        .replace("return 1", "warnings.warn('old', UserWarning)");
    let test = "import warnings\nfrom p.a import f\ndef test_f():\n    with warnings.catch_warnings(record=True):\n        f('hello')\n";
    let found = said(&warns, &warns.replace("UserWarning", "DeprecationWarning"), &[("tests/test_a.py", test)]);
    assert_eq!(
        (&found["verdict"], &found["witness"]["new"]),
        (&json!("different"), &json!("warning DeprecationWarning"))
    );
    assert_eq!(test_of(&found), "tests/test_a.py::test_f[0], call 1", "{found:#}");
    let power = "def f(base, n, limit):\n    return min(base ** n, limit)\n";
    let shorter = "def f(base, n, limit):\n    if base > 1 and n > limit:\n        return limit\n    return min(base ** n, limit)\n";
    let test = "from p.a import f\nclass Base(int):\n    def __pow__(self, n):\n        raise AssertionError('it is large')\ndef test_f():\n    \
                assert f(Base(2), 9, 5) == 5\n";
    let found = said(power, shorter, &[("tests/test_a.py", test)]);
    assert_eq!(test_of(&found), "", "{found:#}");
    let two = "def helper(a, b):\n    return a\n\n\ndef f(a):\n    return helper(a, 1)\n";
    let one = "def helper(a):\n    return a\n\n\ndef f(a):\n    return helper(a)\n";
    for double in ["lambda a: a", "Mock(side_effect=AssertionError)"] {
        let test = format!(
            "from unittest.mock import Mock\nfrom p import a\ndef test_f():\n    a.helper = {double}\n    a.f(3)\n"
        );
        let found = said(two, one, &[("tests/test_a.py", &test)]);
        assert_eq!(found["verdict"], "equal", "{found:#}");
    }
}

#[test]
fn what_the_project_refuses_counts() {
    let old = format!(
        "{OLD}\n\ndef checked(function):\n    def inner(text):\n        return function(text)\n    return inner\n\n\nh = checked(f)\n"
    );
    let old = old.replace("return 1", "return h(text[0], 1)");
    let test = ("tests/test_a.py", "from p.a import f\ndef test_f():\n    assert f('hello')\n");
    let found = said(&old, &old.replace("h(text[0], 1)", "h(text[0])"), &[test]);
    assert_eq!(
        (&found["verdict"], &found["witness"]["old"]),
        (&json!("different"), &json!("raise TypeError")),
        "{found:#}"
    );
    assert_eq!(test_of(&found), "tests/test_a.py::test_f[0], call 1");
}

#[test]
fn generators_are_called_once_for_all_that_they_yield() {
    let old = "def f(numbers: list):\n    for n in numbers:\n        yield n % 1000003 == 5041\n";
    let new = "def f(numbers: list):\n    for n in numbers:\n        yield n % 1000003 == 5041 and 1\n";
    let test = "from p.a import f\ndef test_f():\n    assert list(f([1, 2, 3])) == list(f(n for n in (4, 5041)))\n";
    let found = said(old, new, &[("tests/test_a.py", test)]);
    assert_eq!(
        (&found["verdict"], test_of(&found)),
        (&json!("different"), "tests/test_a.py::test_f[0], call 2"),
        "{found:#}"
    );
}

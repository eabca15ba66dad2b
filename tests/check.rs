//! `surmise check`: the Python of documentation pages.

use crate::support::{Ended, Folder, ended, python_minor, surmise};
use serde_json::{Value, json};

#[track_caller]
fn check(folder: &Folder, arguments: &[&str]) -> Ended {
    ended(surmise().arg("check").args(arguments).current_dir(folder.root()))
}

/// The document of `--json`.
#[track_caller]
fn document(folder: &Folder, arguments: &[&str]) -> Value {
    let ended = check(folder, &[arguments, &["--json"]].concat());
    let document: Value = serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended}"));
    assert_eq!(document["schema"], "surmise.check/1", "{document:#}");
    document
}

/// Page, line, column and type of each finding.
#[track_caller]
pub fn findings(folder: &Folder, arguments: &[&str]) -> Vec<(String, u64, Option<u64>, String)> {
    let document = document(folder, arguments);
    let pages = document["pages"].as_array().expect("pages");
    let of_page = |page: &Value| {
        let name = page["page"].as_str().expect("a name").to_owned();
        let found = page["findings"].as_array().expect("findings").clone();
        found.into_iter().map(move |found| {
            let kind = found["type"].as_str().expect("a type").to_owned();
            (name.clone(), found["line"].as_u64().expect("a line"), found["column"].as_u64(), kind)
        })
    };
    pages.iter().flat_map(of_page).collect()
}

/// A column as far as the Python tells it: before 3.11 only the line of an error is known.
pub fn known<T>(column: T) -> Option<T> {
    (python_minor() >= 11).then_some(column)
}

const MARKDOWN: &str = "\
# Use

Blocks share their state.

```python
total = 3
items = load(path)
```

- In a list:

  ```python
  print(\"total: \" + total)
  ```

```console
$ pip install nothing
```

This raises a `TypeError`:

```python
len(3)
```

```python
{ \"a\": ...
```

```python
def f(x)
    return x
```
";

#[test]
fn errors_of_markdown_are_found_in_the_lines_of_the_page() {
    let folder = Folder::of(&[("README.md", MARKDOWN)]);
    let expected = [
        ("README.md".to_owned(), 13, known(8), "TypeError".to_owned()),
        ("README.md".to_owned(), 31, None, "SyntaxError".to_owned()),
    ];
    assert_eq!(findings(&folder, &["README.md"]), expected);
    let document = document(&folder, &["README.md"]);
    assert_eq!(document["summary"]["left_out"], json!({ "other-language": 1, "fragment": 1 }), "{document:#}");
    assert_eq!((&document["summary"]["expected"], &document["summary"]["blocks"]), (&json!(1), &json!(3)));
    let text = check(&folder, &["README.md"]);
    assert_eq!(text.code(), 1, "{text}");
    let place = known("README.md:13:9: ").unwrap_or("README.md:13: ");
    assert!(text.stdout().starts_with(&format!("{place}TypeError: ")), "{text}");
    assert!(text.stdout().contains("    │ print(\"total: \" + total)\n    = certain\n"), "{text}");
}

const RESTRUCTURED: &str = "\
Guide
=====

>>> numbers = [1, 2]
>>> numbers[5]
Traceback (most recent call last):
  ...
IndexError: list index out of range
>>> numbers + 1
[1, 2, 1]
>>> sum(numbers).real.missing
3

.. code-block:: python

    import json
    json.dump_all(numbers)

.. code-block:: shell

    python -m guide

A literal block::

    import os
    os.getcwd().nothing

.. a comment::

.. comment

    import os; os.gone
";

#[test]
fn sessions_go_on_after_errors() {
    let folder = Folder::of(&[("docs/guide.rst", RESTRUCTURED)]);
    let found = findings(&folder, &["docs"]);
    let found: Vec<(u64, Option<u64>, &str)> =
        found.iter().map(|(_, line, column, kind)| (*line, *column, kind.as_str())).collect();
    let expected = [
        (9, known(4), "TypeError"),
        (11, known(4), "AttributeError"),
        (17, known(4), "AttributeError"),
        (26, known(4), "AttributeError"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_a_page_does_not_show_is_injected() {
    let page = "```python\nclient = Client(url)\nfor user in client.users():\n    print(user.name.upper(), len(user.groups))\nresult = transform(client)[0]\n```\n";
    let folder = Folder::of(&[("a.md", page)]);
    let ended = check(&folder, &["a.md"]);
    assert_eq!((ended.code(), ended.stdout().lines().count()), (0, 1), "{ended}");
}

#[test]
fn the_modules_of_the_project_are_imported() {
    let page =
        "```python\nfrom thing import make\nmake(1, 2)\nimport thing\nthing.gone()\nfrom thing import absent\n```\n";
    let folder = Folder::of(&[
        ("pyproject.toml", ""),
        ("src/thing/__init__.py", "def make(one): return one\n"),
        ("docs/a.md", page),
    ]);
    let found = findings(&folder, &["docs"]);
    let found: Vec<(u64, &str)> = found.iter().map(|(_, line, _, kind)| (*line, kind.as_str())).collect();
    assert_eq!(found, [(3, "TypeError"), (5, "AttributeError"), (6, "ImportError")]);
    assert_eq!(findings(&folder, &["--alone", "docs"]), []);
}

#[test]
fn notebooks_have_places_in_their_files() {
    let notebook = r##"{"cells": [
 {"cell_type": "markdown", "metadata": {}, "source": ["# Title"]},
 {"cell_type": "code", "metadata": {}, "outputs": [], "source": [
   "%matplotlib inline\n",
   "x = \"a\" + 1"]},
 {"cell_type": "code", "metadata": {}, "outputs": [{"output_type": "error", "ename": "E"}], "source": ["1 / 0"]},
 {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%%bash\n", "ls"]}
], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
"##;
    let folder = Folder::of(&[("a.ipynb", notebook), ("bad.ipynb", "{")]);
    let document = document(&folder, &["."]);
    let found = &document["pages"][0]["findings"];
    assert_eq!(
        (found.as_array().map(Vec::len), &document["summary"]["expected"]),
        (Some(1), &json!(1)),
        "{document:#}"
    );
    let found = &found[0];
    let place = (&found["line"], &found["column"], &found["end_column"], &found["cell"]);
    // In the file the quotation marks are escaped.
    assert_eq!(place, (&json!(5), &json!(known(8)), &json!(known(17)), &json!(2)), "{found:#}");
    let problem = document["pages"][1]["problem"].as_str().expect("a problem");
    assert!(problem.contains("is not a notebook"), "{problem}");
}

#[test]
fn conditional_errors_are_reported_when_asked_for() {
    let page = "```python\nif mode == 'fast':\n    1 + 'a'\ndef f():\n    return len(5)\n```\n";
    let folder = Folder::of(&[("a.md", page)]);
    let lines = |arguments: &[&str]| -> Vec<u64> { findings(&folder, arguments).iter().map(|found| found.1).collect() };
    // The function is called by Surmise alone.
    assert_eq!((lines(&["a.md"]), lines(&["--conditional", "a.md"])), (vec![3], vec![3, 5]));
    let ended = check(&folder, &["--conditional", "a.md"]);
    assert!(ended.stdout().contains("= conditional, in a call of `f`\n"), "{ended}");
}

#[test]
fn findings_are_a_sarif_log() {
    let folder = Folder::of(&[("my docs/a.md", "```python\nx = 1\nx.y\n```\n")]);
    let ended = check(&folder, &["my docs", "--sarif", "log.sarif"]);
    assert_eq!(ended.code(), 1, "{ended}");
    let log: Value = serde_json::from_str(&folder.read("log.sarif")).expect("it is JSON");
    let _known: serde_sarif::sarif::Sarif = serde_json::from_value(log.clone()).expect("as the schema has it");
    let result = &log["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"], json!({ "uri": "my%20docs/a.md", "uriBaseId": "SRCROOT" }));
    let region = known(json!({ "startLine": 3, "startColumn": 1, "endColumn": 4 }));
    assert_eq!(place["region"], region.unwrap_or_else(|| json!({ "startLine": 3 })));
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("documented-code-fails"), &json!("warning")));
}

#[test]
fn finished_pages_are_kept() {
    let folder = Folder::of(&[("docs/a.md", "```python\n[].x\n```\n"), ("docs/b.md", "```python\n1\n```\n")]);
    let first = check(&folder, &["docs", "--out", "kept"]);
    let again = check(&folder, &["docs", "--out", "kept"]);
    assert_eq!((first.code(), first.stdout()), (again.code(), again.stdout()), "{first}\n{again}");
    assert!(again.stderr().contains("2 results kept from an earlier run"), "{again}");
}

#[test]
fn bad_input_is_refused() {
    let folder = Folder::of(&[("empty/a.txt", ""), ("a.md", "x\n")]);
    check(&folder, &["empty"]).refused(
        "there are no pages in `empty`",
        "name a page, or a folder with files that end in .md, .rst or .ipynb, or .py with `>>>` in docstrings",
    );
    let missing = check(&folder, &["nowhere.md"]);
    assert!(missing.code() == 2 && missing.stderr().starts_with("error: cannot read `nowhere.md`"), "{missing}");
    assert!(missing.stderr().contains("\nhint: name a page, or a folder with files that end in .md"), "{missing}");
    let broken = Folder::new()
        .and("a.md", b"```python\n\xff\n```\n")
        .and("b.md", "```python\nx = (\n")
        .and("c.rst", ".. code-block::\n");
    let ended = check(&broken, &["."]);
    assert!(ended.stdout().contains("a.md: not checked: "), "{ended}");
    assert!(ended.stdout().contains("b.md:2: SyntaxError"), "{ended}");
}

const MODULE: &str = r#"
"""Prices.

>>> total([1, 2])
3
>>> total(1)
Traceback (most recent call last):
    ...
TypeError: 'int' object is not iterable
"""

from decimal import Decimal

RATE = Decimal("0.2")


def total(prices):
    """Adds prices.

    >>> total(["1"]) + RATE
    >>> "\\n".join([RATE])
    >>> _hidden(1).missing
    """
    return sum(prices)


def _hidden(price):
    """
    >>> prices = total([price_of(order) for order in orders])
    >>> _hidden(2) + "x"  # doctest: +SKIP
    """
    return price
"#;

#[test]
fn sessions_in_docstrings_have_the_names_of_their_module() {
    let folder = Folder::of(&[
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        ("src/shop/__init__.py", ""),
        ("src/shop/prices.py", MODULE),
        ("src/shop/decimal.py", "raise ValueError('stands for no module of the standard library')\n"),
        ("src/shop/plain.py", "def f():\n    'No session: > 1'\n"),
        ("src/shop/broken.py", "'>>> 1'\ndef f(:\n"),
    ]);
    let of = |line, column, kind: &str| ("src/shop/prices.py".to_owned(), line, known(column), kind.to_owned());
    // What the module itself raises, and what depends on its values, is conditional.
    let expected = [of(22, 8, "AttributeError")];
    let conditional = [of(20, 8, "TypeError"), of(21, 8, "TypeError"), of(22, 8, "AttributeError")];
    assert_eq!(findings(&folder, &["src/shop/prices.py", "--conditional", "--no-drive"]), conditional);
    assert_eq!(findings(&folder, &["src/shop/prices.py"]), expected);
    let document = document(&folder, &["src"]);
    let summary = &document["summary"];
    assert_eq!((&summary["pages"], &summary["unusable"]), (&json!(2), &json!(1)), "{document:#}");
    assert_eq!((&summary["certain"], &summary["left_out"]), (&json!(1), &json!({ "skipped": 1 })), "{document:#}");
}

#[test]
fn a_name_that_is_absent_leaves_the_others_real() {
    let page = "```python\nfrom json import (\n    absent,\n    dumps as d,\n)\nd(1, 2)\nabsent(1) + 'a'\n```\n";
    let folder = Folder::of(&[("a.md", page), ("b.md", "```python\nfrom absent import dumps as d\nd(1, 2)\n```\n")]);
    let of = |line, column, kind: &str| ("a.md".to_owned(), line, column, kind.to_owned());
    // Where the name stands, the source says, and not CPython.
    let expected = [of(2, Some(0), "ImportError"), of(6, known(0), "TypeError")];
    assert_eq!(findings(&folder, &["a.md", "b.md"]), expected);
}

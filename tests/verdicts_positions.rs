//! Where reports place errors: in the text as it was given, with its prompts, fences and numbers.

use crate::support::verdicts::has;
use crate::support::{naive_report as report, python_minor};
use serde_json::json;

#[test]
fn positions_are_those_of_the_text_as_given() {
    for (snippet, line, column) in [
        (">>> x = {}\n>>> y = x['a']\n", 2, 8),
        ("    x = {}\n    y = x['a']\n", 2, 8),
        ("1: x = {}\n2: y = x['a']\n", 2, 7),
        ("x = {}\nif 2 &gt; 1: y = x['a']\n", 2, 17),
        ("x = {\u{2018}b\u{2019}: 1}\ny = x[\u{2018}a\u{2019}]\n", 2, 4),
    ] {
        let error = &report(snippet, &[])["errors"][0];
        assert_eq!((&error["type"], &error["line"]), (&json!("KeyError"), &json!(line)), "{snippet}: {error}");
        if python_minor() >= 11 {
            assert_eq!(error["column"], column, "{snippet}: {error}");
            assert_eq!(error["end_line"], line, "{snippet}: {error}");
        }
    }
}

#[test]
fn a_session_goes_on_after_an_error() {
    let session = ">>> 1/0\nTraceback (most recent call last):\nZeroDivisionError: division by zero\n>>> x = 5\n\
        >>> int('a')\nTraceback (most recent call last):\n>>> for i in range(2):\n...     print(x + i)\n";
    let report = report(session, &["--runs", "1"]);
    assert_eq!((&report["lines"]["missed_lines"], &report["stdout"]), (&json!([]), &json!("5\n6\n")), "{report}");
    assert_eq!(report["error"]["type"], "ZeroDivisionError");
}

#[test]
fn listings_lose_their_numbers() {
    for listing in [
        "1  import os\n2  for f in sorted({'b', 'a'}):\n3      print(f)\n",
        " 9: def f(x):\n10:     return x\n11: print(f(1))\n",
        "1 def f(x):\n2     if x:\n3         return 1\n4 \n5 print(f(1))\n",
    ] {
        let report = report(listing, &["--runs", "1"]);
        assert_eq!(
            (&report["outcome"], &report["lines"]["missed_lines"]),
            (&json!("completed"), &json!([])),
            "{listing}"
        );
    }
    assert_eq!(report("1\n2\n3\n", &[])["repairs"], json!([]), "numbers alone are code");
}

#[test]
fn a_session_reports_all_its_errors() {
    let session = ">>> int('x')\nTraceback (most recent call last):\n  ...\nValueError: no\n>>> y = [1]\n>>> y[7]\n";
    has(session, "ValueError", 1, &["certain"]);
    has(session, "IndexError", 6, &["certain"]);
    has("In [1]: a = [1, 2]\nIn [2]: a.push(3)\n", "AttributeError", 2, &["certain"]);
}

#[test]
fn runs_pass_a_statement_of_several_lines() {
    let snippet = "def read(path):\n    return path.read_text()\n\n\
        parts = [\n    'x',\n    read(base / 'README.md'),\n    read(base / 'LICENSE'),\n]\nprint(''.join(parts))\n";
    let report = report(snippet, &[]);
    let errors = report["errors"].as_array().expect("errors are listed");
    assert!(errors.iter().all(|error| error["verdict"] != "certain"), "other values avoid them: {report:#}");
    assert!(errors.iter().any(|error| error["line"] == 6), "a number has no such operator: {report:#}");
}

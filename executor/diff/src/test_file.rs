//! Differences as a pytest file: each test calls the function as a run did, and expects what the old version does.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::comparison::Comparison;
use super::verdict::{CallEnd, TestCase};

/// The tests of those comparisons whose difference shows without Surmise, and how many there are.
#[must_use]
pub fn tests(comparisons: &[Comparison]) -> (String, usize) {
    let cases: Vec<(&Comparison, &TestCase)> = comparisons
        .iter()
        .filter_map(|comparison| Some((comparison, comparison.verdict.witness()?.test.as_ref()?)))
        .collect();
    let imports: BTreeSet<&String> = cases.iter().flat_map(|(_, case)| &case.imports).collect();
    let mut text = String::from(
        "\"\"\"Written by `surmise diff --test`: what changed functions did before. Each test passes with the old version \
         and\nfails with the new one.\n\"\"\"\n\n",
    );
    for module in imports {
        let _infallible = writeln!(text, "import {module}");
    }
    if cases.iter().any(|(_, case)| matches!(case.old, CallEnd::Raises(_))) {
        text.push_str("\nimport pytest\n");
    }
    let mut names = BTreeSet::new();
    for (comparison, case) in &cases {
        let mut name = identifier(&comparison.name);
        while !names.insert(name.clone()) {
            name.push('_');
        }
        let TestCase { call, old, new, .. } = case;
        let after = match new {
            CallEnd::Returns(value) => format!("returns {value}"),
            CallEnd::Raises(class) => format!("raises {class}"),
        };
        let body = match old {
            CallEnd::Returns(value) if value == "None" => format!("    assert {call} is None\n"),
            CallEnd::Returns(value) => format!("    assert {call} == {value}\n"),
            CallEnd::Raises(class) => format!(
                "    with pytest.raises(BaseException) as raised:\n        {call}\n    \
                 assert raised.type.__name__ == \"{class}\"\n"
            ),
        };
        let _infallible = write!(text, "\n\ndef test_{name}():\n    # The new version {}.\n{body}", one_line(&after));
    }
    (text, cases.len())
}

/// A function's name as a part of one that pytest finds.
fn identifier(name: &str) -> String {
    let name = name.rsplit("::").next().unwrap_or(name).split(" (").next().unwrap_or_default();
    name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect()
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::verdict::{Verdict, Witness};

    fn comparison(name: &str, test: Option<TestCase>) -> Comparison {
        let witness = Witness {
            given: Vec::new(),
            kind: "return".into(),
            old: None,
            new: None,
            old_entries: Vec::new(),
            new_entries: Vec::new(),
            test,
        };
        Comparison {
            name: name.into(),
            path: "a.py".into(),
            lines: (1, 1),
            verdict: Verdict::Different(Box::new(witness)),
            in_place: true,
            unplaced: None,
            reads: Vec::new(),
            runs: 1,
            changed: (1, 1),
            time: Duration::ZERO,
        }
    }

    #[test]
    fn each_test_expects_what_the_old_version_does() {
        let case =
            |old: CallEnd, new: CallEnd| TestCase { imports: vec!["p.a".into()], call: "p.a.f(1)".into(), old, new };
        let returned = |text: &str| CallEnd::Returns(text.into());
        let all = [
            comparison("p/a.py::f", Some(case(returned("2"), returned("3")))),
            comparison("p/a.py::f (was p/b.py::f)", Some(case(CallEnd::Raises("Bad".into()), returned("None")))),
            comparison("p/a.py::g", None),
        ];
        let (text, count) = tests(&all);
        assert_eq!(count, 2);
        let expected = "import p.a\n\nimport pytest\n\n\n\
            def test_f():\n    # The new version returns 3.\n    assert p.a.f(1) == 2\n\n\n\
            def test_f_():\n    # The new version returns None.\n    \
            with pytest.raises(BaseException) as raised:\n        p.a.f(1)\n    \
            assert raised.type.__name__ == \"Bad\"\n";
        assert!(text.ends_with(expected), "{text}");
    }
}

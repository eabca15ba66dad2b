//! The functions of a file with tests that mention some names, and the tests that can be left out then: it takes less time to
//! compile a file without them.

use std::collections::{BTreeMap, BTreeSet};

use surmise_instrument::extract::{Function, qualnames};
use surmise_instrument::{SourceModel, without_assertions};

/// What of a file with tests is of use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TestFunctions {
    /// Lines on which functions begin that mention one of the names.
    pub(super) lines: Vec<u32>,
    /// The text without its assertions, and without tests that mention none of the names and that nothing else names; as many
    /// lines.
    pub(super) text: String,
}

impl TestFunctions {
    /// Of functions that mention one of some names, or the name of a helper that does, and those called as in `first`; all if
    /// there are no names. `None` where the text does not parse.
    pub(super) fn of(text: &str, names: &[String], first: &[String]) -> Option<Self> {
        let model = SourceModel::parse(text).ok()?;
        let functions: Vec<Function> = qualnames(&model).into_iter().filter(|function| !function.is_async).collect();
        if names.is_empty() {
            let lines = functions.iter().map(|function| function.line).collect();
            return Some(Self { lines, text: without_assertions(&model) });
        }
        let lines: Vec<&str> = text.lines().collect();
        let body = |function: &Function| {
            lines.get(function.line as usize - 1..function.last_line as usize).unwrap_or_default()
        };
        let mentioned: Vec<BTreeSet<&str>> =
            functions.iter().map(|function| body(function).iter().flat_map(|line| words(line)).collect()).collect();
        let mut names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let mut found: Vec<bool> =
            functions.iter().map(|function| first.iter().any(|name| name == last_name(function))).collect();
        loop {
            let is_new = |number: &usize| !found[*number] && !names.is_disjoint(&mentioned[*number]);
            let more: Vec<usize> = (0..functions.len()).filter(is_new).collect();
            if more.is_empty() {
                break;
            }
            for number in more {
                found[number] = true;
                let name = last_name(&functions[number]);
                if !name.starts_with("test") {
                    names.insert(name);
                }
            }
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in lines.iter().flat_map(|line| words(line)) {
            *counts.entry(word).or_default() += 1;
        }
        let is_inside = |function: &Function| {
            functions.iter().any(|other| other.line < function.line && function.last_line <= other.last_line)
        };
        let is_unused = |function: &Function| {
            let name = last_name(function);
            name.starts_with("test") && counts.get(name) == Some(&1) && !is_inside(function)
        };
        let with = |is: bool| functions.iter().zip(&found).filter(move |(_, found)| **found == is).map(|(one, _)| one);
        let unused = with(false).filter(|function| is_unused(function)).map(|one| (one.line, one.last_line));
        let text = without_lines(&without_assertions(&model), unused);
        Some(Self { lines: with(true).map(|function| function.line).collect(), text })
    }
}

/// A text without the functions on some lines, first and last, of which it still has as many.
fn without_lines(text: &str, functions: impl Iterator<Item = (u32, u32)>) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for (first, last) in functions {
        let function = &mut lines[first as usize - 1..last as usize];
        let indentation = function[0].len() - function[0].trim_start().len();
        function[0].replace_range(indentation.., "pass");
        function[1..].iter_mut().for_each(String::clear);
    }
    lines.join("\n")
}

fn last_name(function: &Function) -> &str {
    function.qualname.rsplit('.').next().unwrap_or_default()
}

/// The words of a line that may be names.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
import p

def helper(x):
    return p.f(x)

@mark
def test_one():
    assert p.f(1)

class TestMore:
    def test_two(self):
        assert helper(2)

    def test_three(self):
        p.g()

    async def test_four(self):
        p.f(4)

def test_five():
    def test_inner():
        pass

def test_six():
    test_seven()

def test_seven():
    pass
";

    fn of(names: &[&str], first: &[&str]) -> TestFunctions {
        let [names, first] = [names, first].map(|all| all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        TestFunctions::of(TEXT, &names, &first).expect("it parses")
    }

    #[test]
    fn tests_that_mention_a_name_or_a_helper_are_called_and_others_left_out() {
        let found = of(&["f"], &[]);
        assert_eq!(
            found.lines,
            [3, 6, 11],
            "the helper, the test that calls the function, and the one that calls the helper"
        );
        let expected = TEXT
            .replace("    def test_three(self):\n        p.g()\n", "    pass\n\n")
            .replace("def test_five():\n    def test_inner():\n        pass\n", "pass\n\n\n")
            .replace("def test_six():\n    test_seven()\n", "pass\n\n")
            .replace("assert helper(2)", "(helper(2))")
            .replace("assert p.f(1)", "(p.f(1))");
        assert_eq!(found.text, expected, "what another test calls stays");
        assert_eq!(of(&["g"], &["test_seven"]).lines, [14, 27]);
    }

    #[test]
    fn all_functions_are_called_where_no_name_is_given() {
        let found = of(&[], &[]);
        assert_eq!((found.lines.len(), found.text.matches("def ").count()), (8, 9));
        assert_eq!(TestFunctions::of("def f(:\n", &[], &[]), None);
    }
}

//! Code without its assertions: what they test is still evaluated.

use std::ops::Range;

use ruff_python_ast::Stmt;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_text_size::Ranged;

use crate::SourceModel;

/// The text with the test of each `assert` in the place of the statement; as many lines.
#[must_use]
pub fn without_assertions(model: &SourceModel) -> String {
    let found = model.with_tree(|tree| {
        let mut found = Assertions::default();
        found.visit_body(tree.suite());
        found.0
    });
    let (text, mut edited, mut end) = (model.text(), String::with_capacity(model.text().len()), 0);
    for (statement, test) in found.unwrap_or_default() {
        let breaks = |range: Range<usize>| text[range].matches('\n').map(|_| '\n').collect::<String>();
        let (before, after) = (breaks(statement.start..test.start), breaks(test.end..statement.end));
        edited.push_str(&text[end..statement.start]);
        edited.push('(');
        edited.push_str(&before);
        edited.push_str(&text[test]);
        edited.push_str(&after);
        edited.push(')');
        end = statement.end;
    }
    edited.push_str(&text[end..]);
    edited
}

/// Where the assertions stand, each with its test.
#[derive(Default)]
struct Assertions(Vec<(Range<usize>, Range<usize>)>);

impl Visitor<'_> for Assertions {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Assert(assert) = stmt {
            self.0.push((assert.range().to_std_range(), assert.test.range().to_std_range()));
        }
        visitor::walk_stmt(self, stmt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> String {
        without_assertions(&SourceModel::parse(text).expect("it parses"))
    }

    #[test]
    fn what_is_asserted_is_evaluated() {
        assert_eq!(without("assert f(1)\n"), "(f(1))\n");
        assert_eq!(without("if x: assert f(x), 'é'; g()\n"), "if x: (f(x)); g()\n");
        assert_eq!(without("def t():\n    assert é, g\n    return 1\n"), "def t():\n    (é)\n    return 1\n");
        assert_eq!(without("x = 'assert y'\n"), "x = 'assert y'\n");
    }

    #[test]
    fn lines_stay_what_they_are() {
        let text = "assert (\n    f(1)  # one\n    == 2\n), '''a\nb'''\nassert \\\n    lambda: 1\ng()\n";
        let expected = "(\nf(1)  # one\n    == 2\n\n)\n(\nlambda: 1)\ng()\n";
        assert_eq!(without(text), expected);
        assert_eq!(text.lines().count(), expected.lines().count());
        SourceModel::parse(expected).expect("it parses");
    }
}

//! Assertions that tell type checkers what a value is: `assert isinstance(x, str)`, `assert x is not None`.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{CmpOp, Expr, Stmt};
use ruff_text_size::Ranged;

use crate::semantic::SourceModel;

/// The lines of `assert` statements that say nothing but of which type values are.
#[must_use]
pub fn narrowing_lines(model: &SourceModel) -> BTreeSet<u32> {
    let found = model.with_tree(|tree| {
        let mut found = Narrowing { model, lines: BTreeSet::new() };
        found.visit_body(tree.suite());
        found.lines
    });
    found.unwrap_or_default()
}

struct Narrowing<'a> {
    model: &'a SourceModel,
    lines: BTreeSet<u32>,
}

impl Visitor<'_> for Narrowing<'_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Assert(assert) = stmt
            && is_narrowing(&assert.test)
        {
            let [first, last] = [assert.start(), assert.end()].map(|offset| self.model.lines().line(offset.to_u32()));
            self.lines.extend(first..=last);
        }
        visitor::walk_stmt(self, stmt);
    }
}

fn is_narrowing(test: &Expr) -> bool {
    match test {
        Expr::Call(call) => matches!(&*call.func, Expr::Name(name) if name.id == "isinstance" || name.id == "callable"),
        Expr::Compare(compare) => {
            matches!(&*compare.ops, [CmpOp::Is | CmpOp::IsNot]) && compare.comparators[0].is_none_literal_expr()
        }
        Expr::BoolOp(parts) => parts.values.iter().all(is_narrowing),
        Expr::UnaryOp(operation) => operation.op == ruff_python_ast::UnaryOp::Not && is_narrowing(&operation.operand),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_are_asserted() {
        let text = "assert isinstance(a, str) and b is not None\nassert a == 'x'\nassert (\n    c is None\n)\n\
                    assert isinstance(a, str) and a\n";
        let model = SourceModel::parse(text).expect("it parses");
        assert_eq!(narrowing_lines(&model).into_iter().collect::<Vec<_>>(), [1, 3, 4, 5]);
    }
}

//! Constants that values are compared with: `kind == "a"`, `kind in ("a", "b")`, keys of tables, cases of `match`.

use std::collections::BTreeMap;

use ruff_python_ast::visitor::Visitor;
use ruff_python_ast::{self as ast, CmpOp, Expr, Number, Pattern, UnaryOp};
use serde::{Deserialize, Serialize};

use super::{Checks, PERHAPS};
use crate::semantic::SourceModel;

/// Longer containers are tables of data.
const MOST_CONSTANTS: usize = 50;

/// A constant that a value is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Equated {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
}

/// For each value (`variable:kind`, `attribute:kind`), the texts and whole numbers that a source compares it with, or that a
/// container has in which it looks the value up, in the order of the source.
#[must_use]
pub fn equated(model: &SourceModel) -> BTreeMap<String, Vec<Equated>> {
    let collect = |suite: &[ast::Stmt]| {
        let mut checks = Checks { text: model.text(), ..Checks::default() };
        checks.visit_body(suite);
        checks.equated
    };
    model.with_tree(|tree| collect(tree.suite())).unwrap_or_default()
}

impl Checks<'_> {
    /// The operands of `==` and `!=`.
    pub(super) fn equate_operands(&mut self, compare: &ast::ExprCompare) {
        let mut left = &*compare.left;
        for (op, right) in compare.ops.iter().zip(&compare.comparators) {
            if matches!(op, CmpOp::Eq | CmpOp::NotEq) {
                self.equate(left, right);
                self.equate(right, left);
            }
            left = right;
        }
    }

    /// A value is looked up in a container that is written out.
    pub(super) fn equate_all(&mut self, subject: &Expr, container: &Expr) {
        for one in &constants(container) {
            self.equate_with(subject, one);
        }
    }

    /// What a `match` statement compares its subject with.
    pub(super) fn equate_pattern(&mut self, subject: &Expr, pattern: &Pattern) {
        match pattern {
            Pattern::MatchValue(value) => self.equate(subject, &value.value),
            Pattern::MatchOr(either) => either.patterns.iter().for_each(|one| self.equate_pattern(subject, one)),
            Pattern::MatchAs(named) => {
                if let Some(inner) = &named.pattern {
                    self.equate_pattern(subject, inner);
                }
            }
            _ => {}
        }
    }

    fn equate(&mut self, subject: &Expr, other: &Expr) {
        if let Some(constant) = constant(other) {
            self.equate_with(subject, &constant);
        }
    }

    pub(super) fn equate_with(&mut self, subject: &Expr, constant: &Equated) {
        let mut keys = self.keys(subject);
        if let Expr::Subscript(item) = subject
            && let Expr::StringLiteral(key) = &*item.slice
        {
            keys.insert(format!("item:{}", key.value.to_str()));
        }
        for key in keys.into_iter().filter(|key| !key.starts_with(PERHAPS)) {
            let known = self.equated.entry(key).or_default();
            if known.len() < MOST_CONSTANTS && !known.contains(constant) {
                known.push(constant.clone());
            }
        }
    }
}

/// The texts and whole numbers among the elements of a container that is written out, or among the keys of a dictionary.
pub(super) fn constants(container: &Expr) -> Vec<Equated> {
    match container {
        Expr::List(ast::ExprList { elts, .. })
        | Expr::Tuple(ast::ExprTuple { elts, .. })
        | Expr::Set(ast::ExprSet { elts, .. }) => elts.iter().filter_map(constant).take(MOST_CONSTANTS).collect(),
        Expr::Dict(dict) => dict.iter_keys().flatten().filter_map(constant).take(MOST_CONSTANTS).collect(),
        Expr::Call(call) if call.func.is_name_expr() => match &*call.arguments.args {
            [one] => constants(one),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A text or a whole number that is written out.
fn constant(expr: &Expr) -> Option<Equated> {
    let number = |expr: &Expr| match expr {
        Expr::NumberLiteral(ast::ExprNumberLiteral { value: Number::Int(number), .. }) => number.as_i64(),
        _ => None,
    };
    match expr {
        Expr::StringLiteral(text) => Some(Equated::Text(text.value.to_str().to_owned())),
        Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::USub, operand, .. }) => {
            number(operand).map(|number| Equated::Number(-number))
        }
        expr => number(expr).map(Equated::Number),
    }
}

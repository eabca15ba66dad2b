//! Guards: conditions that keep code from raising, and what they want of values.
//!
//! Real calls seldom fail a check of their arguments, so that a run is nearer to a real one if its values pass.

use std::ops::Range;

use ruff_python_ast::{self as ast, BoolOp, CmpOp, Expr, Stmt, UnaryOp};

use super::hints::builtin_type;
use crate::semantic::bytes;

/// What the code goes on with: `x` is true in `if not x: raise`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Byte range of the expression that is asked about.
    pub subject: Range<u32>,
    /// What is asked.
    pub question: Question,
    /// The answer with which the code goes on.
    pub answer: bool,
}

/// What a condition asks about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// `if x`
    Truth,
    /// `x == y`, `x < y`
    Comparison,
    /// `y in x`
    Membership,
    /// `x is None`
    Nothing,
    /// `isinstance(x, str)`
    Instance(&'static str),
}

/// Collects the guards of a statement: an `if` that only raises, an `assert`.
pub(super) fn collect(stmt: &Stmt, into: &mut Vec<Guard>) {
    match stmt {
        Stmt::Assert(ast::StmtAssert { test, .. }) => holds(test, true, into),
        Stmt::If(choice) => {
            // Where the code raises either way, nothing is a guard.
            if choice.elif_else_clauses.last().is_some_and(|last| last.test.is_none() && raises(&last.body)) {
                return;
            }
            if raises(&choice.body) {
                holds(&choice.test, false, into);
            }
            for clause in &choice.elif_else_clauses {
                if let Some(test) = clause.test.as_ref().filter(|_| raises(&clause.body)) {
                    holds(test, false, into);
                }
            }
        }
        _ => {}
    }
}

fn raises(body: &[Stmt]) -> bool {
    let simple = |stmt: &Stmt| matches!(stmt, Stmt::Expr(_) | Stmt::Assign(_) | Stmt::Raise(_));
    matches!(body.last(), Some(Stmt::Raise(_))) && body.iter().all(simple)
}

/// What makes a condition come out as `truth`.
fn holds(test: &Expr, truth: bool, into: &mut Vec<Guard>) {
    let mut push = |subject: &Expr, question, answer| into.push(Guard { subject: bytes(subject), question, answer });
    match test {
        Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::Not, operand, .. }) => holds(operand, !truth, into),
        Expr::BoolOp(several) => match (several.op, truth) {
            (BoolOp::And, true) | (BoolOp::Or, false) => several.values.iter().for_each(|one| holds(one, truth, into)),
            // One is enough; in `x is not None and not isinstance(x, str)` the last one says more.
            (BoolOp::And, false) => several.values.last().into_iter().for_each(|one| holds(one, truth, into)),
            (BoolOp::Or, true) => several.values.first().into_iter().for_each(|one| holds(one, truth, into)),
        },
        Expr::Compare(compare) => {
            let ([op], [right]) = (&*compare.ops, &*compare.comparators) else { return };
            match op {
                CmpOp::Is | CmpOp::IsNot if right.is_none_literal_expr() => {
                    push(&compare.left, Question::Nothing, truth == (*op == CmpOp::Is));
                }
                CmpOp::Is | CmpOp::IsNot => {}
                CmpOp::In | CmpOp::NotIn => push(right, Question::Membership, truth == (*op == CmpOp::In)),
                _ => push(&compare.left, Question::Comparison, truth),
            }
        }
        Expr::Call(call) => {
            let kind = match (&*call.func, &*call.arguments.args) {
                (Expr::Name(name), [subject, kind]) if name.id == "isinstance" => Some((subject, kind)),
                _ => None,
            };
            match kind {
                Some((subject, kinds)) => {
                    let first = match kinds {
                        Expr::Tuple(several) => several.elts.first(),
                        one => Some(one),
                    };
                    if let Some(name) = first.and_then(builtin_type) {
                        push(subject, Question::Instance(name), truth);
                    }
                }
                None => push(test, Question::Truth, truth),
            }
        }
        Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => push(test, Question::Truth, truth),
        _ => {}
    }
}

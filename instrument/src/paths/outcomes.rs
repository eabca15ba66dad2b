//! How conditions come out: what each outcome requires of values, and which outcomes keep code from raising.
//!
//! Real calls seldom fail a check of their arguments, and go some ways more often than others, so that a run is nearer
//! to a real one if its values lead there.

use std::ops::Range;

use compact_str::{CompactString, format_compact};
use ruff_python_ast::name::UnqualifiedName;
use ruff_python_ast::{self as ast, BoolOp, CmpOp, Expr, Stmt, UnaryOp};

use super::hints::builtin_type;
use super::literals::{elements, literal};
use super::wishes::Wish;
use crate::semantic::bytes;

/// One way in which a condition may come out.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Byte range of the condition.
    pub decides: Range<u32>,
    /// Whether the condition holds.
    pub truth: bool,
    /// The other outcome only raises: `x` is true in `if not x: raise`, and where nothing but a `raise` follows on
    /// `if x: return`.
    pub is_guard: bool,
    /// What makes it come out like this.
    pub requires: Vec<Requirement>,
}

/// What an outcome requires of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// Byte range of the expression that is asked about.
    pub subject: Range<u32>,
    /// What is asked.
    pub question: Question,
    /// The required answer.
    pub answer: bool,
    /// What the value is compared with, if that is written out.
    pub wish: Option<Wish>,
    /// The name, dotted perhaps, of what the value is to be, or to be an instance of.
    pub other: Option<CompactString>,
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
    /// `isinstance(x, Other)`, of a class that is not one of the common builtin ones.
    OtherInstance,
    /// `x is y`
    Identity,
    /// `x in NAMES`, asked of `x`
    Element,
}

/// Collects the outcomes of a statement's conditions.
pub(super) fn collect(stmt: &Stmt, into: &mut Vec<Outcome>) {
    let mut push = |test: &Expr, truth, is_guard| {
        let mut requires = Vec::new();
        require(test, truth, &mut requires);
        into.push(Outcome { decides: bytes(test), truth, is_guard, requires });
    };
    match stmt {
        Stmt::Assert(ast::StmtAssert { test, .. }) => push(test, true, true),
        Stmt::While(ast::StmtWhile { test, .. }) => {
            for truth in [true, false] {
                push(test, truth, false);
            }
        }
        Stmt::If(choice) => {
            // Where the code raises either way, nothing is a guard.
            let last = choice.elif_else_clauses.last();
            let raises_anyway = last.is_some_and(|last| last.test.is_none() && raises(&last.body));
            let clauses =
                choice.elif_else_clauses.iter().filter_map(|clause| Some((clause.test.as_ref()?, &clause.body)));
            for (test, body) in std::iter::once((&*choice.test, &choice.body)).chain(clauses) {
                push(test, false, !raises_anyway && raises(body));
                push(test, true, false);
            }
        }
        _ => {}
    }
}

/// Makes guards of the conditions that return before a block ends with a `raise`.
pub(super) fn mark_guards(block: &[Stmt], outcomes: &mut [Outcome]) {
    let [.., before, Stmt::Raise(_)] = block else { return };
    let mut mark = |choice: &ast::StmtIf| {
        if choice.elif_else_clauses.is_empty() && matches!(choice.body.last(), Some(Stmt::Return(_))) {
            let decides = bytes(&*choice.test);
            let same = |outcome: &&mut Outcome| outcome.truth && outcome.decides == decides;
            outcomes.iter_mut().rev().find(same).into_iter().for_each(|outcome| outcome.is_guard = true);
        }
    };
    match before {
        Stmt::If(choice) => mark(choice),
        Stmt::For(looped) if looped.orelse.is_empty() => {
            if let Some(Stmt::If(choice)) = looped.body.last() {
                mark(choice);
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
fn require(test: &Expr, truth: bool, into: &mut Vec<Requirement>) {
    let mut ask = |subject: &Expr, question, answer, wish, other: &Expr| {
        let is_named = matches!(question, Question::Identity | Question::OtherInstance | Question::Element);
        let other = UnqualifiedName::from_expr(other).filter(|_| is_named);
        let other = other.map(|name| format_compact!("{name}"));
        into.push(Requirement { subject: bytes(subject), question, answer, wish, other });
    };
    match test {
        Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::Not, operand, .. }) => require(operand, !truth, into),
        Expr::BoolOp(several) => match (several.op, truth) {
            (BoolOp::And, true) | (BoolOp::Or, false) => {
                several.values.iter().for_each(|one| require(one, truth, into));
            }
            // One is enough; in `x is not None and not isinstance(x, str)` the last one says more.
            (BoolOp::And, false) => several.values.last().into_iter().for_each(|one| require(one, truth, into)),
            (BoolOp::Or, true) => several.values.first().into_iter().for_each(|one| require(one, truth, into)),
        },
        Expr::Compare(compare) => {
            let ([op], [right]) = (&*compare.ops, &*compare.comparators) else { return };
            match op {
                CmpOp::Is | CmpOp::IsNot => {
                    let answer = truth == (*op == CmpOp::Is);
                    let question = if right.is_none_literal_expr() { Question::Nothing } else { Question::Identity };
                    ask(&compare.left, question, answer, None, right);
                }
                CmpOp::In | CmpOp::NotIn => {
                    let answer = truth == (*op == CmpOp::In);
                    if let Some(all) = elements(right) {
                        let wish = all.first().and_then(literal);
                        ask(&compare.left, Question::Comparison, answer, wish, right);
                    } else {
                        ask(right, Question::Membership, answer, None, right);
                        if right.is_name_expr() {
                            ask(&compare.left, Question::Element, answer, None, right);
                        }
                    }
                }
                CmpOp::Eq | CmpOp::NotEq => {
                    // A stand-in answers differently from what is asked where that is `!=`.
                    let wish = literal(right);
                    let is_equal = truth == (*op == CmpOp::Eq);
                    let wish = wish.filter(|_| is_equal);
                    ask(&compare.left, Question::Comparison, truth, wish, right);
                }
                _ => ask(&compare.left, Question::Comparison, truth, None, right),
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
                    let question = first.and_then(builtin_type).map_or(Question::OtherInstance, Question::Instance);
                    ask(subject, question, truth, None, first.unwrap_or(kinds));
                }
                None => ask(test, Question::Truth, truth, None, test),
            }
        }
        Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => ask(test, Question::Truth, truth, None, test),
        _ => {}
    }
}

//! Roles that follow from more than the kind of node: the other operand, the index, the builtin that is called.

use ruff_python_ast::{self as ast, CmpOp, Expr, Number, Operator};

use crate::role::{Role, Types};
use crate::semantic::builtin::{Arguments, Builtin};

/// What is indexed by this.
pub(super) fn subscripted(index: &Expr) -> Role {
    match index {
        Expr::Slice(_) => Role::Sliced,
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(number) => Role::Indexed(number.as_u16().unwrap_or(u16::MAX)),
            _ => Role::Keyed,
        },
        // From the end: there must be as many.
        Expr::UnaryOp(ast::ExprUnaryOp { op: ast::UnaryOp::USub, operand, .. }) => match &**operand {
            Expr::NumberLiteral(ast::ExprNumberLiteral { value: Number::Int(number), .. }) => {
                Role::Indexed(number.as_u16().map_or(u16::MAX, |number| number.saturating_sub(1)))
            }
            _ => Role::Subscripted,
        },
        Expr::StringLiteral(_)
        | Expr::BytesLiteral(_)
        | Expr::NoneLiteral(_)
        | Expr::FString(_)
        | Expr::EllipsisLiteral(_) => Role::Keyed,
        Expr::Tuple(parts) if !parts.iter().any(Expr::is_slice_expr) => Role::Keyed,
        Expr::Tuple(_)
        | Expr::List(_)
        | Expr::ListComp(_)
        | Expr::Compare(_)
        | Expr::UnaryOp(ast::ExprUnaryOp { op: ast::UnaryOp::Invert, .. }) => Role::Selected,
        Expr::BinOp(ast::ExprBinOp { op: Operator::BitAnd | Operator::BitOr, left, .. }) if is_condition(left) => {
            Role::Selected
        }
        _ => Role::Subscripted,
    }
}

fn is_condition(expr: &Expr) -> bool {
    matches!(expr, Expr::Compare(_))
        || matches!(expr, Expr::BinOp(operation) if is_condition(&operation.left) || is_condition(&operation.right))
}

/// Operands of an operation, the result of which has this role.
pub(super) fn operands(operation: &ast::ExprBinOp, result: Role) -> [Role; 2] {
    let (op, left, right) = (operation.op, &*operation.left, &*operation.right);
    let of_result = |role: Role, other: &Expr| match role {
        Role::Operand | Role::Number | Role::Bits if refuses_numbers(result) && !is_repeated(op, other) => Role::Part,
        role => role,
    };
    [of_result(operand(op, right), right), of_result(right_operand(op, left), left)]
}

/// `[0] * n`, `'-' * n`.
fn is_repeated(op: Operator, other: &Expr) -> bool {
    op == Operator::Mult && (is_text(other) || matches!(other, Expr::List(_) | Expr::Tuple(_) | Expr::BytesLiteral(_)))
}

fn refuses_numbers(role: Role) -> bool {
    match role {
        Role::Base(types) => !types.contains(Types::INT) && !types.contains(Types::FLOAT),
        Role::Plain
        | Role::Operand
        | Role::Number
        | Role::Bits
        | Role::Text
        | Role::Statement
        | Role::Searched
        | Role::Decorator => false,
        _ => true,
    }
}

/// An operand of arithmetic, by the other one.
pub(super) fn operand(op: Operator, other: &Expr) -> Role {
    match op {
        Operator::Add if is_text(other) => Role::Text,
        Operator::Add | Operator::Mod if is_number(other) => Role::Number,
        Operator::Add | Operator::Mod => Role::Operand,
        Operator::Mult if is_text(other) => Role::Number,
        Operator::Mult if is_number(other) => Role::Operand,
        Operator::BitAnd | Operator::BitOr | Operator::BitXor | Operator::LShift | Operator::RShift => Role::Bits,
        _ => Role::Number,
    }
}

/// The right operand of `%`: what a format takes may be anything.
pub(super) fn right_operand(op: Operator, left: &Expr) -> Role {
    if op == Operator::Mod && is_text(left) { Role::Plain } else { operand(op, left) }
}

/// An operand of a comparison, by the other one.
pub(super) fn compared(op: CmpOp, other: &Expr) -> Role {
    match op {
        CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE if is_text(other) => Role::Text,
        CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE if is_number(other) => Role::Number,
        CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => Role::Operand,
        _ => Role::Plain,
    }
}

/// The container of `item in container`.
pub(super) fn searched(item: &Expr) -> Role {
    if is_text(item) { Role::Iterated } else { Role::Searched }
}

/// What a loop with this target goes over.
pub(super) fn iterated(target: &Expr) -> Role {
    if matches!(target, Expr::Tuple(_) | Expr::List(_)) { Role::IteratedInParts } else { Role::Iterated }
}

/// Arguments of a builtin.
pub(super) fn argument(builtin: Builtin, arguments: usize) -> Role {
    match builtin.arguments {
        Arguments::Numbers => Role::Number,
        Arguments::IteratesAll => Role::Iterated,
        Arguments::IteratesOne if arguments == 1 => Role::Iterated,
        Arguments::IteratesOne | Arguments::Plain => Role::Plain,
    }
}

fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::NumberLiteral(_) => true,
        Expr::UnaryOp(unary) => is_number(&unary.operand),
        Expr::BinOp(binary) => is_number(&binary.left) && is_number(&binary.right),
        _ => false,
    }
}

fn is_text(expr: &Expr) -> bool {
    match expr {
        Expr::StringLiteral(_) | Expr::FString(_) => true,
        Expr::BinOp(binary) => binary.op == Operator::Add && (is_text(&binary.left) || is_text(&binary.right)),
        _ => false,
    }
}

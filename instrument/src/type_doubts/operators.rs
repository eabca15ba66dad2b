//! What operators do with builtin types.

use ruff_python_ast::{CmpOp, Operator, UnaryOp};

use super::types::{Kinds, Type};

/// The type of `left op right`; `None` if it is a `TypeError` for single kinds.
fn of_kinds(left: Kinds, op: Operator, right: Kinds) -> Option<Kinds> {
    let numbers = |left: Kinds, right: Kinds| {
        [Kinds::COMPLEX, Kinds::FLOAT].into_iter().find(|kind| (left | right).contains(*kind)).unwrap_or(Kinds::INT)
    };
    if (left | right).intersects(Kinds::OTHER) {
        return Some(Kinds::OTHER);
    }
    let both_numbers = Kinds::NUMBERS.contains(left) && Kinds::NUMBERS.contains(right);
    let is_real = Kinds::REAL.contains(left | right);
    match op {
        Operator::Add if left == right && Kinds::SEQUENCES.contains(left) => Some(left),
        Operator::Mult if Kinds::SEQUENCES.contains(left) && Kinds::WHOLE.contains(right) => Some(left),
        Operator::Mult if Kinds::SEQUENCES.contains(right) && Kinds::WHOLE.contains(left) => Some(right),
        Operator::Mod if (Kinds::STR | Kinds::BYTES).contains(left) => Some(left),
        Operator::Add | Operator::Sub | Operator::Mult if both_numbers => Some(numbers(left, right)),
        // A negative exponent gives a fraction.
        Operator::Pow if both_numbers => {
            Some(if Kinds::WHOLE.contains(left | right) { Kinds::INT | Kinds::FLOAT } else { numbers(left, right) })
        }
        Operator::Div if both_numbers => Some(numbers(left | Kinds::FLOAT, right)),
        Operator::Mod | Operator::FloorDiv if is_real => Some(numbers(left, right)),
        Operator::LShift | Operator::RShift if Kinds::WHOLE.contains(left | right) => Some(Kinds::INT),
        Operator::BitOr | Operator::BitXor | Operator::BitAnd if Kinds::WHOLE.contains(left | right) => {
            Some(if left == right { left } else { Kinds::INT })
        }
        Operator::BitOr | Operator::BitXor | Operator::BitAnd | Operator::Sub if (left | right) == Kinds::SET => {
            Some(Kinds::SET)
        }
        Operator::BitOr if (left | right) == Kinds::DICT => Some(Kinds::DICT),
        // A union of types, as in annotations.
        Operator::BitOr if (Kinds::CALLABLE | Kinds::NONE).contains(left | right) => Some(Kinds::OTHER),
        _ => None,
    }
}

/// Tries each kind of one side with each of the other. Returns the kinds of the results, how many pairs there are, and
/// how many of them fail.
pub(super) fn pairs(left: &Type, right: &Type, of: impl Fn(Kinds, Kinds) -> Option<Kinds>) -> (Kinds, usize, usize) {
    let (mut found, mut all, mut failed) = (Kinds::empty(), 0, 0);
    for one in left.kinds.iter() {
        for other in right.kinds.iter() {
            all += 1;
            match of(one, other) {
                Some(kinds) => found |= kinds,
                None => failed += 1,
            }
        }
    }
    (found, all, failed)
}

/// The type of an arithmetic expression, the pairs of kinds, and those that fail.
pub(super) fn binary(left: &Type, op: Operator, right: &Type) -> (Type, usize, usize) {
    let (kinds, all, failed) = pairs(left, right, |one, other| of_kinds(one, op, other));
    let holds = Kinds::LIST | Kinds::TUPLE | Kinds::SET;
    let from = [left, right].into_iter().filter(|side| side.kinds.intersects(holds));
    let item = from.fold(Type::default(), |all, side| all.join(&side.element()));
    // What always raises gives no value: without kinds.
    let made = if kinds.intersects(holds) { Type::of(kinds, item) } else { kinds.into() };
    (made, all, failed)
}

/// Pairs of kinds of a comparison, and those that fail.
pub(super) fn compare(left: &Type, op: CmpOp, right: &Type) -> (usize, usize) {
    let of = |left: Kinds, right: Kinds| {
        let can = match op {
            CmpOp::Eq | CmpOp::NotEq | CmpOp::Is | CmpOp::IsNot => true,
            _ if (left | right).intersects(Kinds::OTHER) => true,
            CmpOp::In | CmpOp::NotIn if right == Kinds::STR => left == Kinds::STR,
            CmpOp::In | CmpOp::NotIn => Kinds::ITERABLE.contains(right),
            _ if Kinds::REAL.contains(left | right) => true,
            _ => left == right && (Kinds::SEQUENCES | Kinds::SET).contains(left),
        };
        can.then_some(Kinds::BOOL)
    };
    let (_, all, failed) = pairs(left, right, of);
    (all, failed)
}

/// The type of `-x` and the like; `None` if no kind has it.
pub(super) fn unary(op: UnaryOp, operand: &Type) -> Option<Type> {
    let can = match op {
        UnaryOp::Not => return Some(Kinds::BOOL.into()),
        UnaryOp::Invert => Kinds::WHOLE,
        UnaryOp::UAdd | UnaryOp::USub => Kinds::NUMBERS,
    };
    if !operand.is_known() {
        return Some(Type::unknown());
    }
    let kinds = operand.kinds & can;
    let kinds = if kinds.intersects(Kinds::BOOL) { kinds.difference(Kinds::BOOL) | Kinds::INT } else { kinds };
    (!kinds.is_empty()).then(|| kinds.into())
}

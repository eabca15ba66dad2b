//! Values that a source writes out, where they stand or under a name.

use ruff_python_ast::{self as ast, Expr, Number, UnaryOp};
use rustc_hash::{FxHashMap, FxHashSet};

use super::wishes::Wish;

/// Longer strings are data, not something to compare with.
const LONGEST_TEXT: usize = 200;
/// Elements of `in (…)` that are taken.
pub(super) const FEW: usize = 3;

/// What the source says of the values of its names.
#[derive(Default)]
pub(super) struct Literals<'a> {
    /// Values that it writes out.
    pub(super) values: FxHashMap<&'a str, Vec<Wish>>,
    /// Names of lengths.
    pub(super) lengths: FxHashSet<&'a str>,
    /// Names of numbers of characters.
    pub(super) ordinals: FxHashSet<&'a str>,
    /// The class whose method the condition stands in.
    pub(super) class: Option<&'a str>,
}

/// Keeps the value of an assignment, if the source writes it out.
pub(super) fn keep<'a>(assign: &'a ast::StmtAssign, literals: &mut Literals<'a>) {
    let [Expr::Name(name)] = assign.targets.as_slice() else { return };
    let values: Vec<Wish> = match &*assign.value {
        Expr::Dict(dict) => dict.iter_keys().flatten().filter_map(literal).take(FEW).collect(),
        value => match elements(value) {
            Some(elements) => elements.iter().filter_map(literal).take(FEW).collect(),
            None => literal(value).into_iter().collect(),
        },
    };
    literals.values.entry(name.id.as_str()).or_insert(values);
    if measured(&assign.value).is_some() {
        literals.lengths.insert(name.id.as_str());
    }
    literals.ordinals.extend(is_ordinal(&assign.value).then_some(name.id.as_str()));
}

/// True for the number of a character: `ord(x)`, and `ord(x) if x else 0`.
pub(super) fn is_ordinal(expression: &Expr) -> bool {
    match expression {
        Expr::If(choice) => is_ordinal(&choice.body) || is_ordinal(&choice.orelse),
        call => argument_of(call, "ord").is_some(),
    }
}

/// The argument of `len`.
pub(super) fn measured(expression: &Expr) -> Option<&Expr> {
    argument_of(expression, "len")
}

/// The first argument of a call of the function of this name.
fn argument_of<'a>(expression: &'a Expr, function: &str) -> Option<&'a Expr> {
    let Expr::Call(call) = expression else { return None };
    let Expr::Name(name) = &*call.func else { return None };
    if name.id == function { call.arguments.args.first() } else { None }
}

pub(super) fn elements(expression: &Expr) -> Option<&[Expr]> {
    match expression {
        Expr::Tuple(ast::ExprTuple { elts, .. })
        | Expr::List(ast::ExprList { elts, .. })
        | Expr::Set(ast::ExprSet { elts, .. }) => Some(elts),
        _ => None,
    }
}

/// What an expression writes out, or the first of several that it allows: `("a", "b")`.
pub(super) fn first_literal(expression: &Expr) -> Option<Wish> {
    literal(elements(expression).and_then(<[Expr]>::first).unwrap_or(expression))
}

pub(super) fn literal(expression: &Expr) -> Option<Wish> {
    match expression {
        Expr::StringLiteral(text) => {
            let text = text.value.to_str();
            (text.len() <= LONGEST_TEXT).then(|| Wish::Text(text.to_owned()))
        }
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(number) => number.as_i64().map(Wish::Integer),
            Number::Float(number) => Some(Wish::Real(*number)),
            Number::Complex { .. } => None,
        },
        Expr::NoneLiteral(_) => Some(Wish::Nothing),
        Expr::BooleanLiteral(truth) => Some(Wish::Truth(truth.value)),
        Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::USub, operand, .. }) => match literal(operand)? {
            Wish::Integer(number) => Some(Wish::Integer(-number)),
            Wish::Real(number) => Some(Wish::Real(-number)),
            _ => None,
        },
        _ => None,
    }
}

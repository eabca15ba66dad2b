//! Texts of which a condition asks several things at once: how they begin, how they end, what is in them.

use ruff_python_ast::comparable::ComparableExpr;
use ruff_python_ast::{self as ast, CmpOp, Expr};

use super::literals::{first_literal, literal};
use super::wishes::{Hint, Wish};
use crate::semantic::bytes;

/// What a part of a condition asks of a text.
enum Part {
    Begin(String),
    End(String),
    Inside(String),
}

/// Adds a text that is what all parts of a condition ask for: `text.startswith('"') and text.endswith('"')`.
pub(super) fn collect(parts: &[Expr], into: &mut Vec<Hint>) {
    let found: Vec<(&Expr, Part)> = parts.iter().filter_map(part).collect();
    for (number, (subject, _)) in found.iter().enumerate() {
        let is_same = |(other, _): &&(&Expr, Part)| ComparableExpr::from(*other) == ComparableExpr::from(*subject);
        if found[..number].iter().any(|one| is_same(&one)) || found.iter().filter(is_same).count() < 2 {
            continue;
        }
        let (mut begin, mut inside, mut end) = (String::new(), String::new(), String::new());
        for (_, part) in found.iter().filter(is_same) {
            match part {
                Part::Begin(text) => begin.push_str(text),
                Part::End(text) => end.push_str(text),
                Part::Inside(text) => inside.push_str(text),
            }
        }
        // Something between what it begins and ends with.
        let wish = Wish::Text(format!("{begin}a{inside}a{end}"));
        into.push(Hint { subject: bytes(*subject), wish });
    }
}

fn part(condition: &Expr) -> Option<(&Expr, Part)> {
    let text = |expression: &Expr| match first_literal(expression) {
        Some(Wish::Text(text)) => Some(text),
        _ => None,
    };
    match condition {
        Expr::Call(call) => {
            let method = call.func.as_attribute_expr()?;
            let text = text(call.arguments.args.first()?)?;
            match method.attr.as_str() {
                "startswith" => Some((&method.value, Part::Begin(text))),
                "endswith" => Some((&method.value, Part::End(text))),
                _ => None,
            }
        }
        Expr::Compare(compare) => {
            let ([op], [right]) = (&*compare.ops, &*compare.comparators) else { return None };
            match (op, &*compare.left) {
                (CmpOp::In, left) => Some((right, Part::Inside(text(left)?))),
                (CmpOp::Eq, Expr::Subscript(ast::ExprSubscript { value, slice, .. })) => {
                    let text = text(right)?;
                    match &**slice {
                        Expr::Slice(ast::ExprSlice { lower: None, upper: Some(_), step: None, .. }) => {
                            Some((value, Part::Begin(text)))
                        }
                        Expr::Slice(ast::ExprSlice { lower: Some(_), upper: None, step: None, .. }) => {
                            Some((value, Part::End(text)))
                        }
                        place => match literal(place)? {
                            Wish::Integer(0) => Some((value, Part::Begin(text))),
                            Wish::Integer(-1) => Some((value, Part::End(text))),
                            _ => None,
                        },
                    }
                }
                _ => None,
            }
        }
        _ => None,
    }
}

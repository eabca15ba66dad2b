//! What literals evaluate to, and what annotations promise.

use ruff_python_ast::{self as ast, Expr, Number, Operator, UnaryOp};
use ruff_python_parser::parse_expression;

numbered! {
    /// What the syntax alone tells of a value.
    Shape:
    None = "`None`";
    True = "`True`";
    False = "`False`";
    NegativeInt = "`-1`";
    ZeroInt = "`0`";
    PositiveInt = "`1`, and what is annotated as `int`";
    NegativeFloat = "`-1.5`";
    ZeroFloat = "`0.0`";
    PositiveFloat = "`1.5`, and what is annotated as `float`";
    EmptyStr = "`''`";
    Str = "`'a'`, an f-string, and what is annotated as `str`";
    EmptyList = "`[]`";
    List = "`[a]`, a list comprehension";
    EmptyTuple = "`()`";
    Tuple = "`(a,)`";
    EmptySet = "`set()`";
    Set = "`{a}`, a set comprehension";
    EmptyDict = "`{}`";
    Dict = "`{a: b}`, a dictionary comprehension";
    Callable = "`lambda: a`, and what is annotated as a class or a callable";
    Object = "anything else: bytes, a generator, a slice, an annotated class";
}

/// How often each shape was met.
pub type Counts = [u16; Shape::ALL.len()];

/// Longer annotations in quotes are not read.
const MAX_QUOTED: usize = 200;

/// The shape of what an expression evaluates to, where that depends on nothing.
pub(crate) fn of_literal(expr: &Expr) -> Option<Shape> {
    let sized = |empty: bool, if_empty: Shape, otherwise: Shape| Some(if empty { if_empty } else { otherwise });
    match expr {
        Expr::NoneLiteral(_) => Some(Shape::None),
        Expr::BooleanLiteral(literal) => Some(if literal.value { Shape::True } else { Shape::False }),
        Expr::NumberLiteral(literal) => Some(of_number(&literal.value, false)),
        Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::USub, operand, .. }) => match &**operand {
            Expr::NumberLiteral(literal) => Some(of_number(&literal.value, true)),
            _ => None,
        },
        Expr::StringLiteral(literal) => sized(literal.value.is_empty(), Shape::EmptyStr, Shape::Str),
        Expr::FString(_) => Some(Shape::Str),
        Expr::List(list) => sized(list.elts.is_empty(), Shape::EmptyList, Shape::List),
        Expr::Tuple(tuple) => sized(tuple.elts.is_empty(), Shape::EmptyTuple, Shape::Tuple),
        Expr::Dict(dict) => sized(dict.items.is_empty(), Shape::EmptyDict, Shape::Dict),
        Expr::ListComp(_) => Some(Shape::List),
        Expr::Set(_) | Expr::SetComp(_) => Some(Shape::Set),
        Expr::DictComp(_) => Some(Shape::Dict),
        Expr::Lambda(_) => Some(Shape::Callable),
        Expr::BytesLiteral(_) | Expr::EllipsisLiteral(_) | Expr::Generator(_) | Expr::TString(_) => Some(Shape::Object),
        Expr::Call(call) if call.arguments.is_empty() => match &*call.func {
            Expr::Name(name) if name.id == "set" => Some(Shape::EmptySet),
            _ => None,
        },
        _ => None,
    }
}

fn of_number(number: &Number, negative: bool) -> Shape {
    let signed = |zero: bool, [below, at, above]: [Shape; 3]| match (zero, negative) {
        (true, _) => at,
        (false, true) => below,
        (false, false) => above,
    };
    match number {
        Number::Int(value) => {
            signed(value.as_u64() == Some(0), [Shape::NegativeInt, Shape::ZeroInt, Shape::PositiveInt])
        }
        Number::Float(value) => signed(*value == 0.0, [Shape::NegativeFloat, Shape::ZeroFloat, Shape::PositiveFloat]),
        Number::Complex { .. } => Shape::Object,
    }
}

/// Calls `note` with the shapes that an annotation allows.
pub(crate) fn promised(annotation: &Expr, note: &mut dyn FnMut(Shape)) {
    match annotation {
        Expr::NoneLiteral(_) => note(Shape::None),
        Expr::Name(name) => of_type(name.id.as_str()).into_iter().for_each(&mut *note),
        Expr::Attribute(attribute) => of_type(attribute.attr.as_str()).into_iter().for_each(&mut *note),
        Expr::StringLiteral(quoted) if quoted.value.len() <= MAX_QUOTED => {
            if let Ok(parsed) = parse_expression(quoted.value.to_str())
                && !parsed.expr().is_string_literal_expr()
            {
                promised(parsed.expr(), note);
            }
        }
        Expr::BinOp(ast::ExprBinOp { left, op: Operator::BitOr, right, .. }) => {
            promised(left, note);
            promised(right, note);
        }
        Expr::Subscript(subscript) => {
            let generic = match &*subscript.value {
                Expr::Name(name) => name.id.as_str(),
                Expr::Attribute(attribute) => attribute.attr.as_str(),
                _ => "",
            };
            match generic {
                "Optional" => {
                    note(Shape::None);
                    promised(&subscript.slice, note);
                }
                "Union" => match &*subscript.slice {
                    Expr::Tuple(members) => members.elts.iter().for_each(|member| promised(member, note)),
                    member => promised(member, note),
                },
                "Annotated" | "Final" | "ClassVar" => {
                    let inner = subscript.slice.as_tuple_expr().and_then(|parts| parts.elts.first());
                    promised(inner.unwrap_or(&subscript.slice), note);
                }
                _ => promised(&subscript.value, note),
            }
        }
        _ => {}
    }
}

/// The shape of instances of a type, by its name; none of those that say nothing.
fn of_type(name: &str) -> Option<Shape> {
    Some(match name {
        "Any" | "TypeVar" | "T" => return None,
        "None" | "NoneType" => Shape::None,
        "bool" => Shape::True,
        "int" => Shape::PositiveInt,
        "float" => Shape::PositiveFloat,
        "str" | "Text" | "AnyStr" | "LiteralString" => Shape::Str,
        "list" | "List" | "Sequence" | "MutableSequence" => Shape::List,
        "tuple" | "Tuple" => Shape::Tuple,
        "set" | "Set" | "frozenset" | "FrozenSet" | "AbstractSet" | "MutableSet" => Shape::Set,
        "dict" | "Dict" | "Mapping" | "MutableMapping" | "DefaultDict" => Shape::Dict,
        "Callable" | "type" | "Type" => Shape::Callable,
        _ => Shape::Object,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Expr {
        parse_expression(text).expect("it parses").into_expr()
    }

    #[test]
    fn literals_have_the_shape_of_their_value() {
        for (text, expected) in [
            ("None", Some(Shape::None)),
            ("-2", Some(Shape::NegativeInt)),
            ("0x0", Some(Shape::ZeroInt)),
            ("99999999999999999999999", Some(Shape::PositiveInt)),
            ("-.5", Some(Shape::NegativeFloat)),
            ("0e7", Some(Shape::ZeroFloat)),
            ("''", Some(Shape::EmptyStr)),
            ("f'{a}'", Some(Shape::Str)),
            ("()", Some(Shape::EmptyTuple)),
            ("set()", Some(Shape::EmptySet)),
            ("{a}", Some(Shape::Set)),
            ("{**a}", Some(Shape::Dict)),
            ("lambda: 1", Some(Shape::Callable)),
            ("b''", Some(Shape::Object)),
            ("-a", None),
            ("a", None),
            ("set(a)", None),
        ] {
            assert_eq!(of_literal(&parsed(text)), expected, "{text}");
        }
    }

    #[test]
    fn annotations_promise_the_shapes_of_their_types() {
        for (text, expected) in [
            ("int", vec![Shape::PositiveInt]),
            ("t.Optional[Dict[str, int]]", vec![Shape::None, Shape::Dict]),
            ("Union[str, None, pkg.Thing]", vec![Shape::None, Shape::Str, Shape::Object]),
            ("'list[str] | bool'", vec![Shape::True, Shape::List]),
            ("ClassVar[Annotated[float, 'm']]", vec![Shape::PositiveFloat]),
            ("Any", vec![]),
            ("\"'int'\"", vec![]),
            ("'int['", vec![]),
        ] {
            let mut found = Vec::new();
            promised(&parsed(text), &mut |shape| found.push(shape));
            found.sort_by_key(|&shape| shape as usize);
            assert_eq!(found, expected, "{text}");
        }
    }
}

//! Python values in answers: read, checked, written again. None of them is evaluated here.

use std::fmt::{self, Write as _};

use ruff_python_ast::{Expr, Number, UnaryOp};
use ruff_python_parser::parse_expression;
use surmise_value_model::Class;

/// Bytes of a value's text, and levels of its nesting, at most.
const MOST_BYTES: usize = 2_000;
const MOST_LEVELS: usize = 20;
/// What a constructor that takes a size may be given: `bytes(10)`.
const MOST_SIZE: i64 = 10_000;

/// Characters of a decimal exponent, with its sign.
const MOST_EXPONENT_DIGITS: usize = 4;

/// Constructors of known types, which hold no resource and run no code of a program.
const CONSTRUCTORS: &[&str] = &[
    "set",
    "frozenset",
    "bytes",
    "bytearray",
    "range",
    "datetime.date",
    "datetime.datetime",
    "datetime.time",
    "datetime.timedelta",
    "decimal.Decimal",
    "fractions.Fraction",
    "pathlib.Path",
    "pathlib.PurePath",
    "uuid.UUID",
    "collections.Counter",
    "collections.OrderedDict",
    "collections.deque",
];

/// A value that Python writes as a literal, or as a constructor of a known type with such arguments.
#[derive(Clone, Debug)]
pub enum Literal {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// A whole number, in decimal digits with its sign.
    Int(String),
    /// A floating point number.
    Float(f64),
    /// A string.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Literal>),
    /// A tuple.
    Tuple(Vec<Literal>),
    /// A set that is not empty.
    Set(Vec<Literal>),
    /// A dictionary, in its order.
    Dict(Vec<(Literal, Literal)>),
    /// A constructor of a known type, with positional arguments.
    Made(&'static str, Vec<Literal>),
}

/// Why a text is no value that may be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotALiteral {
    /// It is no expression.
    #[error("it is no Python expression")]
    Syntax,
    /// It is too long or nests too deep.
    #[error("it is too large")]
    TooLarge,
    /// It would have to be evaluated.
    #[error("it has {0}, which is no literal")]
    Code(&'static str),
    /// It calls what is not known to be harmless.
    #[error("it calls something that is no constructor of a known type")]
    Unknown,
}

impl Literal {
    /// Reads a value.
    ///
    /// # Errors
    /// [`NotALiteral`], for whatever would have to be evaluated.
    pub fn parse(text: &str) -> Result<Self, NotALiteral> {
        let text = text.trim();
        // The parser recurses once for each operator: there are fewer than its own callers allow.
        if text.len() > MOST_BYTES || nesting(text) > MOST_LEVELS {
            return Err(NotALiteral::TooLarge);
        }
        let parsed = parse_expression(text).map_err(|_| NotALiteral::Syntax)?;
        Self::of(parsed.expr(), MOST_LEVELS)
    }

    fn of(expr: &Expr, levels: usize) -> Result<Self, NotALiteral> {
        let inner = levels.checked_sub(1).ok_or(NotALiteral::TooLarge)?;
        let all = |items: &[Expr]| items.iter().map(|item| Self::of(item, inner)).collect::<Result<Vec<_>, _>>();
        Ok(match expr {
            Expr::NoneLiteral(_) => Self::None,
            Expr::BooleanLiteral(literal) => Self::Bool(literal.value),
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(number) => {
                    let digits = number.to_string();
                    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
                        return Err(NotALiteral::TooLarge);
                    }
                    Self::Int(digits)
                }
                Number::Float(number) => Self::Float(*number),
                Number::Complex { .. } => return Err(NotALiteral::Code("a complex number")),
            },
            Expr::StringLiteral(literal) => Self::Text(literal.value.to_str().to_owned()),
            Expr::BytesLiteral(literal) => Self::Bytes(literal.value.bytes().collect()),
            Expr::UnaryOp(operation) if operation.op == UnaryOp::USub => match Self::of(&operation.operand, inner)? {
                Self::Int(digits) if digits == "0" => Self::Int(digits),
                Self::Int(digits) if !digits.starts_with('-') => Self::Int(format!("-{digits}")),
                Self::Float(number) if number.is_sign_positive() => Self::Float(-number),
                _ => return Err(NotALiteral::Code("an operator")),
            },
            Expr::List(list) => Self::List(all(&list.elts)?),
            Expr::Tuple(tuple) => Self::Tuple(all(&tuple.elts)?),
            Expr::Set(set) => Self::Set(all(&set.elts)?),
            Expr::Dict(dict) => {
                let pair = |item: &ruff_python_ast::DictItem| {
                    let key = item.key.as_ref().ok_or(NotALiteral::Code("a `**`"))?;
                    Ok((Self::of(key, inner)?, Self::of(&item.value, inner)?))
                };
                Self::Dict(dict.items.iter().map(pair).collect::<Result<_, _>>()?)
            }
            Expr::Call(call) => {
                let name = dotted(&call.func).ok_or(NotALiteral::Unknown)?;
                let known = CONSTRUCTORS.iter().find(|known| **known == name).ok_or(NotALiteral::Unknown)?;
                if !call.arguments.keywords.is_empty() {
                    return Err(NotALiteral::Code("a keyword argument"));
                }
                let arguments = all(&call.arguments.args)?;
                let large = |argument: &Self| match argument {
                    Self::Int(digits) => digits.parse().map_or(true, |size: i64| size.abs() > MOST_SIZE),
                    _ => false,
                };
                // `Fraction("1e999999999")` has a billion digits.
                let exponent = |argument: &Self| match argument {
                    Self::Text(text) => {
                        let exponent = text.rsplit(['e', 'E']).next().filter(|_| text.contains(['e', 'E']));
                        exponent.is_some_and(|digits| digits.trim().len() > MOST_EXPONENT_DIGITS)
                    }
                    _ => false,
                };
                if matches!(*known, "decimal.Decimal" | "fractions.Fraction") && arguments.iter().any(exponent) {
                    return Err(NotALiteral::TooLarge);
                }
                if matches!(*known, "bytes" | "bytearray") && arguments.iter().any(large) {
                    return Err(NotALiteral::TooLarge);
                }
                Self::Made(known, arguments)
            }
            Expr::Name(_) | Expr::Attribute(_) => return Err(NotALiteral::Code("a name")),
            Expr::FString(_) | Expr::TString(_) => return Err(NotALiteral::Code("a formatted string")),
            Expr::Lambda(_) => return Err(NotALiteral::Code("a function")),
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                return Err(NotALiteral::Code("a comprehension"));
            }
            _ => return Err(NotALiteral::Code("an operator")),
        })
    }

    /// The class of the value, as predictors name it (LExecutor, Table 1).
    #[must_use]
    pub fn class(&self) -> Class {
        let of_size = |size: usize, empty, full| if size == 0 { empty } else { full };
        match self {
            Self::None => Class::None,
            Self::Bool(true) => Class::True,
            Self::Bool(false) => Class::False,
            Self::Int(digits) if digits.starts_with('-') => Class::NegativeInt,
            Self::Int(digits) => of_size(digits.trim_matches('0').len(), Class::ZeroInt, Class::PositiveInt),
            Self::Float(number) if *number < 0.0 => Class::NegativeFloat,
            Self::Float(number) => {
                if *number > 0.0 {
                    Class::PositiveFloat
                } else {
                    Class::ZeroFloat
                }
            }
            Self::Text(text) => of_size(text.len(), Class::EmptyStr, Class::Str),
            Self::List(items) => of_size(items.len(), Class::EmptyList, Class::List),
            Self::Tuple(items) => of_size(items.len(), Class::EmptyTuple, Class::Tuple),
            Self::Set(_) => Class::Set,
            Self::Dict(items) => of_size(items.len(), Class::EmptyDict, Class::Dict),
            Self::Made("set" | "frozenset", arguments) => of_size(arguments.len(), Class::EmptySet, Class::Set),
            Self::Bytes(_) | Self::Made(..) => Class::Object,
        }
    }

    /// Name of the value's type, as `type(x).__name__` has it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "str",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Set(_) => "set",
            Self::Dict(_) => "dict",
            Self::Made(name, _) => name.rsplit('.').next().unwrap_or(name),
        }
    }

    /// A text that is the same for equal values of equal types, whatever their order where order does not count.
    fn canonical(&self) -> String {
        let all = |items: &[Self]| items.iter().map(Self::canonical).collect::<Vec<_>>();
        match self {
            Self::List(items) => format!("[{}]", all(items).join(",")),
            Self::Tuple(items) => format!("({},)", all(items).join(",")),
            Self::Set(items) => {
                let mut items = all(items);
                items.sort();
                items.dedup();
                format!("{{{}}}", items.join(","))
            }
            Self::Dict(items) => {
                let mut items: Vec<String> =
                    items.iter().map(|(key, value)| format!("{}:{}", key.canonical(), value.canonical())).collect();
                items.sort();
                format!("{{{}}}", items.join(","))
            }
            Self::Made(name, arguments) => format!("{name}({})", all(arguments).join(",")),
            _ => self.to_string(),
        }
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.canonical() == other.canonical()
    }
}

/// As `repr` writes it, but for the order of sets.
impl fmt::Display for Literal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |out: &mut fmt::Formatter<'_>, items: &[Self]| {
            items.iter().enumerate().try_for_each(|(place, item)| {
                out.write_str(if place == 0 { "" } else { ", " })?;
                item.fmt(out)
            })
        };
        match self {
            Self::None => out.write_str("None"),
            Self::Bool(value) => out.write_str(if *value { "True" } else { "False" }),
            Self::Int(digits) => out.write_str(digits),
            // Debug writes `1.0` and `1e100` as Python reads them; what is not finite came from an overflow.
            Self::Float(number) if number.is_infinite() => {
                out.write_str(if *number > 0.0 { "1e999" } else { "-1e999" })
            }
            Self::Float(number) => write!(out, "{number:?}"),
            Self::Text(text) => quoted(out, text.chars(), ""),
            Self::Bytes(bytes) => quoted(out, bytes.iter().map(|byte| char::from(*byte)), "b"),
            Self::List(items) => {
                out.write_char('[')?;
                listed(out, items)?;
                out.write_char(']')
            }
            Self::Tuple(items) => {
                out.write_char('(')?;
                listed(out, items)?;
                out.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Self::Set(items) => {
                out.write_char('{')?;
                listed(out, items)?;
                out.write_char('}')
            }
            Self::Dict(items) => {
                out.write_char('{')?;
                for (place, (key, value)) in items.iter().enumerate() {
                    write!(out, "{}{key}: {value}", if place == 0 { "" } else { ", " })?;
                }
                out.write_char('}')
            }
            Self::Made(name, arguments) => {
                write!(out, "{name}(")?;
                listed(out, arguments)?;
                out.write_char(')')
            }
        }
    }
}

/// Characters between quotes; of bytes, all beyond ASCII are escaped.
fn quoted(out: &mut fmt::Formatter<'_>, text: impl Iterator<Item = char> + Clone, prefix: &str) -> fmt::Result {
    let has = |quote| text.clone().any(|letter| letter == quote);
    let quote = if has('\'') && !has('"') { '"' } else { '\'' };
    write!(out, "{prefix}{quote}")?;
    for letter in text {
        match letter {
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '\\' => out.write_str("\\\\")?,
            _ if letter == quote => write!(out, "\\{letter}")?,
            _ if letter.is_control() || (!prefix.is_empty() && !letter.is_ascii()) => {
                write!(out, "\\x{:02x}", letter as u32)?;
            }
            _ => out.write_char(letter)?,
        }
    }
    out.write_char(quote)
}

/// A dotted name as a text.
fn dotted(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => Some(format!("{}.{}", dotted(&attribute.value)?, attribute.attr)),
        _ => None,
    }
}

/// How deep brackets nest at most, those in strings included.
fn nesting(text: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        most = most.max(depth);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_written_as_python_does() {
        for (text, written, kind) in [
            ("None", "None", "NoneType"),
            (" True ", "True", "bool"),
            ("1_000", "1000", "int"),
            ("-0x10", "-16", "int"),
            ("1e3", "1000.0", "float"),
            ("-2.50", "-2.5", "float"),
            ("\"it's\"", "\"it's\"", "str"),
            ("'a' \"b\\n\"", "'ab\\n'", "str"),
            ("b'\\xff\\x00a'", "b'\\xff\\x00a'", "bytes"),
            ("[1,[2],]", "[1, [2]]", "list"),
            ("1,", "(1,)", "tuple"),
            ("()", "()", "tuple"),
            ("{1, 2}", "{1, 2}", "set"),
            ("{'a': {'b': (1, 2)}}", "{'a': {'b': (1, 2)}}", "dict"),
            ("set()", "set()", "set"),
            ("datetime.date(2020, 1, 31)", "datetime.date(2020, 1, 31)", "date"),
        ] {
            let value = Literal::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((value.to_string().as_str(), value.type_name()), (written, kind));
            assert_eq!(Literal::parse(written).as_ref(), Ok(&value), "{written}");
        }
    }

    #[test]
    fn what_would_be_evaluated_is_refused() {
        for text in [
            "",
            "x",
            "1 + 1",
            "'a' * 1000000000",
            "__import__('os').system('true')",
            "().__class__.__bases__",
            "[x for x in (1,)]",
            "(lambda: 1)()",
            "f'{x}'",
            "eval('1')",
            "open('a')",
            "datetime.date.today()",
            "bytes(10 ** 9)",
            "bytes(1000000000)",
            "set(*x)",
            "dict(a=1)",
            "{**x}",
            "x := 1",
            "await x",
            "- - 1",
            "1; 2",
            "import os",
        ] {
            assert!(Literal::parse(text).is_err(), "{text}");
        }
        for deep in ["[".repeat(100_000), "[".repeat(30) + &"]".repeat(30), "-".repeat(1_999) + "1", "1,".repeat(2_000)]
        {
            assert!(Literal::parse(&deep).is_err(), "{} characters", deep.len());
        }
    }

    #[test]
    fn values_are_equal_whatever_their_order_where_it_does_not_count() {
        let equal = |one: &str, other: &str| Literal::parse(one) == Literal::parse(other);
        assert!(equal("{1, 2, 3}", "{3, 2, 1}") && equal("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"));
        assert!(equal("'a'", "\"a\"") && equal("0", "-0"));
        assert!(!equal("[1, 2]", "[2, 1]") && !equal("[1]", "(1,)") && !equal("1", "1.0") && !equal("1", "True"));
        assert!(!equal("['a, b']", "['a', 'b']"));
    }

    #[test]
    fn values_have_the_classes_that_predictors_name() {
        for (text, class) in [
            ("0", Class::ZeroInt),
            ("-3", Class::NegativeInt),
            ("100", Class::PositiveInt),
            ("-0.0", Class::ZeroFloat),
            ("''", Class::EmptyStr),
            ("{}", Class::EmptyDict),
            ("set()", Class::EmptySet),
            ("{0}", Class::Set),
            ("b''", Class::Object),
            ("pathlib.Path('a')", Class::Object),
        ] {
            assert_eq!(Literal::parse(text).map(|value| value.class()), Ok(class), "{text}");
        }
    }
}

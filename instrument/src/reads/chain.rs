//! Expressions that read a line and take it apart: `list(map(int, input().split()))`.

use ruff_python_ast::{Expr, ExprCall};
use ruff_text_size::Ranged;

use super::{Conversion, Line, Shape};

/// Methods of texts that leave the shape of a line as it is.
const KEEP: [&str; 9] = ["strip", "rstrip", "lstrip", "lower", "upper", "replace", "decode", "title", "swapcase"];
/// Functions that take all fields of a line.
const TAKE: [&str; 12] =
    ["list", "tuple", "set", "sorted", "sum", "max", "min", "len", "str", "reversed", "enumerate", "iter"];
/// Functions into which calls are followed, one in the other.
const MOST_CALLS: usize = 8;

/// A read, before it is known which variables take it.
pub(super) enum Chain {
    Line(Line),
    Rest(Line),
}

impl Chain {
    fn map(self, change: impl FnOnce(&mut Line)) -> Self {
        match self {
            Self::Line(mut line) => {
                change(&mut line);
                Self::Line(line)
            }
            Self::Rest(mut line) => {
                change(&mut line);
                Self::Rest(line)
            }
        }
    }
}

/// What a walk over a program knows of its names, and the reads that expressions are by that.
pub(super) trait Readers<'t> {
    /// Line of the source at an offset, from 1.
    fn line(&self, offset: u32) -> u32;

    /// True for a name whose call reads a line.
    fn is_reader(&self, name: &str) -> bool;

    /// True for `sys.stdin`, `sys.stdin.buffer`, `open(0)`.
    fn is_stream(&self, expr: &Expr) -> bool;

    /// True for the name of a loop over the lines of standard input.
    fn is_line(&self, name: &str) -> bool;

    /// The expression that a function without parameters returns, if that is all that it does.
    fn result_of(&self, name: &str) -> Option<&'t Expr>;

    /// The read that an expression is, if it is one with conversions around it.
    fn chain(&self, expr: &'t Expr, depth: usize) -> Option<Chain> {
        match expr {
            Expr::Call(call) => self.call_chain(call, depth),
            Expr::Subscript(subscript) => self.chain(&subscript.value, depth),
            Expr::Starred(starred) => self.chain(&starred.value, depth),
            Expr::BinOp(binary) => self.chain(&binary.left, depth),
            Expr::UnaryOp(unary) => self.chain(&unary.operand, depth),
            Expr::ListComp(list) => self.fields(&list.generators, &list.elt, depth),
            Expr::SetComp(set) => self.fields(&set.generators, &set.elt, depth),
            Expr::Generator(generator) => self.fields(&generator.generators, &generator.elt, depth),
            Expr::Name(name) if self.is_line(name.id.as_str()) => {
                Some(Chain::Line(plain_line(self.line(name.start().to_u32()))))
            }
            _ => None,
        }
    }

    /// `[int(x) for x in input().split()]`
    fn fields(
        &self,
        generators: &'t [ruff_python_ast::Comprehension],
        element: &'t Expr,
        depth: usize,
    ) -> Option<Chain> {
        let [generator] = generators else { return None };
        let chain = self.chain(&generator.iter, depth)?;
        let value = conversion(element);
        Some(chain.map(|line| line.value = if value == Conversion::Text { line.value } else { value }))
    }

    fn call_chain(&self, call: &'t ExprCall, depth: usize) -> Option<Chain> {
        if depth > MOST_CALLS {
            return None;
        }
        let line = plain_line(self.line(call.start().to_u32()));
        let args = &*call.arguments.args;
        match &*call.func {
            Expr::Name(name) => {
                let id = name.id.as_str();
                if self.is_reader(id) {
                    return Some(Chain::Line(line));
                }
                if let Some(result) = self.result_of(id).filter(|_| args.is_empty()) {
                    let at = line.line;
                    return self.chain(result, depth + 1).map(|chain| chain.map(|line| line.line = at));
                }
                match (id, args) {
                    ("int", [of, ..]) => Some(self.chain(of, depth)?.map(|line| line.value = Conversion::Integer)),
                    ("float" | "Decimal", [of]) => {
                        Some(self.chain(of, depth)?.map(|line| line.value = Conversion::Real))
                    }
                    ("map", [convert, of]) => {
                        let value = converter(convert);
                        Some(self.chain(of, depth)?.map(|line| line.value = value))
                    }
                    (_, [of, ..]) if TAKE.contains(&id) => self.chain(of, depth),
                    _ => None,
                }
            }
            Expr::Attribute(attribute) => {
                let (method, object) = (attribute.attr.as_str(), &*attribute.value);
                if self.is_stream(object) {
                    return match method {
                        "readline" => Some(Chain::Line(line)),
                        "read" | "readlines" => Some(Chain::Rest(line)),
                        _ => None,
                    };
                }
                let chain = self.chain(object, depth)?;
                match method {
                    "split" | "splitlines" | "rsplit" => {
                        let separator = args.first().and_then(Expr::as_string_literal_expr);
                        let separator = separator.map(|text| text.value.to_str().to_owned());
                        let separator = separator.filter(|text| !text.trim().is_empty());
                        Some(chain.map(|line| (line.shape, line.separator) = (Shape::List, separator)))
                    }
                    _ if KEEP.contains(&method) => Some(chain),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// A line that is taken as it is.
pub(super) fn plain_line(line: u32) -> Line {
    Line { names: Vec::new(), shape: Shape::One, value: Conversion::Text, separator: None, line }
}

/// What `f` in `map(f, x)` converts to.
fn converter(convert: &Expr) -> Conversion {
    match convert {
        Expr::Name(name) => named(name.id.as_str()),
        Expr::Lambda(lambda) => conversion(&lambda.body),
        _ => Conversion::Text,
    }
}

/// What an expression converts a field to.
fn conversion(expr: &Expr) -> Conversion {
    match expr {
        Expr::Call(call) => match &*call.func {
            Expr::Name(name) => named(name.id.as_str()),
            _ => Conversion::Text,
        },
        Expr::BinOp(binary) => conversion(&binary.left),
        _ => Conversion::Text,
    }
}

fn named(function: &str) -> Conversion {
    match function {
        "int" => Conversion::Integer,
        "float" | "Decimal" => Conversion::Real,
        _ => Conversion::Text,
    }
}

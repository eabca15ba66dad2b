//! Wrong calls: conversions, `split`, `range`, arguments.

use ruff_python_ast::{Expr, ExprCall, ExprContext};
use ruff_text_size::{Ranged, TextRange};

use super::walk::Walk;
use super::{Edit, Operator};
use crate::semantic::bytes;

/// Functions that convert their argument.
const CONVERSIONS: [&str; 9] = ["int", "str", "float", "list", "tuple", "set", "sorted", "len", "sum"];

impl<'t> Walk<'t> {
    /// Wrong calls in place of one.
    pub(super) fn call(&mut self, call: &'t ExprCall) {
        let arguments = &call.arguments;
        let plain = arguments.keywords.is_empty() && !arguments.args.iter().any(Expr::is_starred_expr);
        match &*call.func {
            Expr::Name(name) => self.function(call, name.id.as_str(), plain),
            Expr::Attribute(attribute) => self.method(call, attribute.attr.as_str(), &attribute.value),
            _ => {}
        }
        if !plain {
            return;
        }
        let (args, inside) = (&arguments.args, inner(arguments.range));
        if let [before @ .., last] = &**args {
            let from = before.last().map_or(inside.start(), Ranged::end);
            let gone = TextRange::new(from, last.end());
            self.replace(Operator::MissingArgument, &gone, "");
            self.replace(Operator::ExtraArgument, &gone, format!("{}, 0", &self.text[gone]));
        }
        if let [first, second, ..] = &**args {
            self.swap(Operator::SwappedArguments, first, second);
        }
        if args.len() == 1 {
            let text = format!("{}[{}]", self.slice(&*call.func), self.slice(&args[0]));
            self.replace(Operator::SubscriptedCall, call, text);
        }
    }

    fn function(&mut self, call: &'t ExprCall, name: &str, plain: bool) {
        let args = &call.arguments.args;
        match (name, &**args) {
            ("range", [.., end]) if plain && args.len() < 3 => {
                let text = self.slice(end);
                for shift in [" + 1", " - 1"] {
                    self.replace(Operator::RangeBound, end, format!("{}{shift}", in_parentheses(end, text)));
                }
                if let [end] = &**args {
                    self.replace(Operator::RangeBound, end, format!("1, {text}"));
                    self.replace(Operator::RangeBound, end, format!("1, {} + 1", in_parentheses(end, text)));
                    self.replace(Operator::DropConversion, call, text);
                    self.replace(Operator::WrongConversion, end, format!("len({text})"));
                } else if let [start, _] = &**args {
                    let shifted = format!("{} - 1", in_parentheses(start, self.slice(start)));
                    self.replace(Operator::RangeBound, start, shifted);
                }
            }
            ("map", [_, list]) if plain => self.replace(Operator::DropMap, call, self.slice(list)),
            ("input", _) => {
                let text = self.slice(call);
                self.replace(Operator::AddConversion, call, format!("int({text})"));
                self.replace(Operator::AddSplit, call, format!("{text}.split()"));
                self.replace(Operator::AddConversion, call, format!("list(map(int, {text}.split()))"));
            }
            ("print", [first, second, ..]) if plain => {
                let gap = TextRange::new(first.end(), second.start());
                self.replace(Operator::Concatenation, &gap, " + ");
            }
            (_, [only]) if plain && CONVERSIONS.contains(&name) => {
                let text = self.slice(only);
                self.replace(Operator::DropConversion, call, in_parentheses(only, text));
                let others: &[&str] = match name {
                    "int" => &["str", "list", "float"],
                    "str" => &["int", "list"],
                    "list" => &["int", "set"],
                    "float" | "len" => &["int"],
                    _ => &["list"],
                };
                for other in others {
                    self.replace(Operator::WrongConversion, &*call.func, *other);
                }
            }
            _ => {}
        }
    }

    fn method(&mut self, call: &'t ExprCall, name: &str, object: &'t Expr) {
        self.replace(Operator::MissingCall, &call.arguments, "");
        if name == "split" {
            self.replace(Operator::DropSplit, call, self.slice(object));
            for separator in ["(',')", "('')", "('\\n')"] {
                self.replace(Operator::WrongSeparator, &call.arguments, separator);
            }
        }
    }

    /// A variable of the result of a method that returns nothing.
    pub(super) fn result_of_none(&mut self, call: &'t ExprCall) {
        let Expr::Attribute(attribute) = &*call.func else { return };
        let returns_nothing =
            ["append", "sort", "reverse", "add", "extend", "insert", "update", "remove", "appendleft"];
        if returns_nothing.contains(&attribute.attr.as_str()) && attribute.value.is_name_expr() {
            let text = format!("{} = {}", self.slice(&*attribute.value), self.slice(call));
            self.replace(Operator::ResultOfNone, call, text);
        }
    }

    /// Exchanges the texts of two nodes.
    pub(super) fn swap(&mut self, operator: Operator, one: &Expr, other: &Expr) {
        let edit = |at: &Expr, from: &Expr, text: &str| Edit { range: bytes(at), text: in_parentheses(from, text) };
        let edits = vec![edit(one, other, self.slice(other)), edit(other, one, self.slice(one))];
        self.edit(operator, edits);
    }
}

/// The range between the parentheses of a call.
fn inner(range: TextRange) -> TextRange {
    let one = ruff_text_size::TextSize::from(1);
    TextRange::new(range.start() + one, range.end() - one)
}

/// The text of an expression, in parentheses where an operator beside it would take it apart.
pub(super) fn in_parentheses(expr: &Expr, text: &str) -> String {
    let is_whole = match expr {
        Expr::Name(name) => name.ctx == ExprContext::Load,
        Expr::Call(_)
        | Expr::Subscript(_)
        | Expr::Attribute(_)
        | Expr::NumberLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::List(_)
        | Expr::Dict(_)
        | Expr::Set(_)
        | Expr::ListComp(_) => true,
        _ => false,
    };
    if is_whole { text.to_owned() } else { format!("({text})") }
}

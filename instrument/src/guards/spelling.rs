//! The one spelling of an expression without side effects, with the paths and texts in it as slots.

use compact_str::CompactString;
use ruff_python_ast::{self as ast, CmpOp, Expr, Number, Operator, UnaryOp};
use ruff_text_size::Ranged;

use super::pure;
use crate::semantic::builtin;

/// How tightly an operator binds; operands that bind less tightly are put in brackets.
const COMPARISON: u8 = 4;
const UNARY: u8 = 11;
const POWER: u8 = 12;
const PRIMARY: u8 = 13;
const ATOM: u8 = 14;

/// Slots of a template at most.
pub(super) const MOST_SLOTS: usize = 3;
/// Bytes of a text that may be copied into a condition.
const LONGEST_TEXT: usize = 40;
/// Brackets and operators in one another that are followed.
const DEEPEST: u32 = 24;

/// Something of the surroundings that a condition names: a path such as `self.items`, or a text such as `'utf-8'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// As it is spelled.
    pub text: CompactString,
    /// The name at its root; empty for texts.
    pub root: CompactString,
    /// Where it begins in the source.
    pub start: u32,
}

impl Slot {
    /// True for the text of a string.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.root.is_empty()
    }
}

/// An expression with `$0`, `$1`, ... where it names something of its surroundings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// The spelling of the rest.
    pub text: CompactString,
    /// What the slots stand for, in the order of their numbers.
    pub slots: Vec<Slot>,
}

impl Template {
    /// The template of an expression. `None` if it may have side effects, or is of a kind that conditions do not take:
    /// a walrus, `await`, `lambda`, a comprehension, a format string.
    pub(super) fn of(expr: &Expr) -> Option<Self> {
        let mut speller = Speller { out: String::new(), slots: Vec::new(), depth: 0 };
        speller.expr(expr, 0)?;
        Some(Self { text: speller.out.into(), slots: speller.slots })
    }

    /// The expression, with the slots filled.
    #[must_use]
    pub fn filled(&self) -> String {
        let slots: Vec<&str> = self.slots.iter().map(|slot| slot.text.as_str()).collect();
        fill(&self.text, &slots)
    }

    /// Numbers the slots anew, so that what the condition is about comes first: a path before a text.
    pub(super) fn about_a_path_first(mut self) -> Self {
        let Some(first) = self.slots.iter().position(|slot| !slot.is_text()).filter(|&first| first > 0) else {
            return self;
        };
        let mut order: Vec<usize> = (0..self.slots.len()).collect();
        order.remove(first);
        order.insert(0, first);
        let mut names = vec![String::new(); order.len()];
        for (new, &old) in order.iter().enumerate() {
            names[old] = format!("${new}");
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.text = fill(&self.text, &names).into();
        self.slots = order.iter().map(|&old| self.slots[old].clone()).collect();
        self
    }
}

/// Puts texts in the place of the slots of a template.
#[must_use]
pub fn fill(template: &str, slots: &[&str]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let number = rest.as_bytes().get(at + 1).map(|digit| usize::from(digit.wrapping_sub(b'0')));
        out.push_str(number.and_then(|number| slots.get(number)).copied().unwrap_or_default());
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The spelling of a path: a name, or attributes and constant subscripts of one.
pub(super) fn path(expr: &Expr) -> Option<Slot> {
    let mut text = String::new();
    let root = write_path(expr, &mut text, 0)?;
    Some(Slot { text: text.into(), root: root.into(), start: expr.start().to_u32() })
}

fn write_path<'a>(expr: &'a Expr, out: &mut String, depth: u32) -> Option<&'a str> {
    if depth > DEEPEST {
        return None;
    }
    match expr {
        Expr::Name(name) => {
            out.push_str(&name.id);
            Some(name.id.as_str())
        }
        Expr::Attribute(attribute) => {
            let root = write_path(&attribute.value, out, depth + 1)?;
            out.push('.');
            out.push_str(&attribute.attr);
            Some(root)
        }
        Expr::Subscript(subscript) => {
            let root = write_path(&subscript.value, out, depth + 1)?;
            out.push('[');
            match &*subscript.slice {
                Expr::Name(name) => out.push_str(&name.id),
                Expr::StringLiteral(text) => out.push_str(&quoted(text.value.to_str())?),
                Expr::NumberLiteral(number) => out.push_str(&integer(&number.value)?),
                Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::USub, operand, .. }) => {
                    out.push('-');
                    out.push_str(&integer(&operand.as_number_literal_expr()?.value)?);
                }
                _ => return None,
            }
            out.push(']');
            Some(root)
        }
        _ => None,
    }
}

fn integer(number: &Number) -> Option<String> {
    match number {
        Number::Int(value) => value.as_u64().map(|value| value.to_string()),
        Number::Float(value) if value.is_finite() => Some(format!("{value:?}")),
        _ => None,
    }
}

/// A text as a literal of Python, if it is short and printable.
pub(crate) fn quoted(text: &str) -> Option<String> {
    if text.len() > LONGEST_TEXT || text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for character in text.chars() {
        match character {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            other => out.push(other),
        }
    }
    out.push('\'');
    Some(out)
}

/// The spelling of a comparison's operator.
pub(super) const fn operator(op: CmpOp) -> &'static str {
    op.as_str()
}

struct Speller {
    out: String,
    slots: Vec<Slot>,
    depth: u32,
}

impl Speller {
    fn slot(&mut self, slot: Slot) -> Option<()> {
        let known = self.slots.iter().position(|known| known.text == slot.text);
        let number = known.unwrap_or(self.slots.len());
        if known.is_none() {
            self.slots.push(slot);
        }
        (number < MOST_SLOTS).then(|| {
            self.out.push('$');
            self.out.push_str(&number.to_string());
        })
    }

    /// Writes an expression, in brackets if it binds less tightly than its surroundings ask for.
    fn expr(&mut self, expr: &Expr, least: u8) -> Option<()> {
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        let bracketed = binding(expr)? < least;
        if bracketed {
            self.out.push('(');
        }
        self.inner(expr)?;
        if bracketed {
            self.out.push(')');
        }
        self.depth -= 1;
        Some(())
    }

    fn inner(&mut self, expr: &Expr) -> Option<()> {
        if let Expr::Name(name) = expr
            && builtin::is_builtin(name.id.as_str())
        {
            self.out.push_str(&name.id);
            return Some(());
        }
        if let Some(slot) = path(expr) {
            return self.slot(slot);
        }
        match expr {
            Expr::NoneLiteral(_) => self.out.push_str("None"),
            Expr::BooleanLiteral(literal) => self.out.push_str(if literal.value { "True" } else { "False" }),
            Expr::NumberLiteral(number) => self.out.push_str(&integer(&number.value)?),
            Expr::StringLiteral(text) => {
                let (value, start) = (text.value.to_str(), expr.start().to_u32());
                let spelled = quoted(value)?;
                if value.len() > 1 || value == "$" {
                    return self.slot(Slot { text: spelled.into(), root: CompactString::default(), start });
                }
                self.out.push_str(&spelled);
            }
            Expr::BytesLiteral(bytes) if bytes.value.bytes().next().is_none() => self.out.push_str("b''"),
            Expr::Attribute(attribute) => {
                self.expr(&attribute.value, PRIMARY)?;
                self.out.push('.');
                self.out.push_str(&attribute.attr);
            }
            Expr::Subscript(subscript) => {
                self.expr(&subscript.value, PRIMARY)?;
                self.out.push('[');
                self.subscript(&subscript.slice)?;
                self.out.push(']');
            }
            Expr::Call(call) => self.call(call)?,
            Expr::UnaryOp(unary) if unary.op != UnaryOp::Not => {
                self.out.push_str(unary.op.as_str());
                self.expr(&unary.operand, UNARY)?;
            }
            Expr::BinOp(binary) => {
                let own = binding(expr)?;
                // `-a ** -b` is `-(a ** (-b))`; of powers the right one comes first.
                let is_power = binary.op == Operator::Pow;
                let is_number = binary.left.is_number_literal_expr();
                self.expr(&binary.left, own + u8::from(is_power && !is_number))?;
                self.out.push(' ');
                self.out.push_str(binary.op.as_str());
                self.out.push(' ');
                self.expr(&binary.right, if is_power { UNARY } else { own + 1 })?;
            }
            Expr::Compare(compare) => {
                self.expr(&compare.left, COMPARISON + 1)?;
                for (op, operand) in compare.ops.iter().zip(&compare.comparators) {
                    self.out.push(' ');
                    self.out.push_str(operator(*op));
                    self.out.push(' ');
                    self.expr(operand, COMPARISON + 1)?;
                }
            }
            Expr::Tuple(tuple) => {
                self.out.push('(');
                self.elements(&tuple.elts)?;
                if tuple.elts.len() == 1 {
                    self.out.push(',');
                }
                self.out.push(')');
            }
            Expr::List(list) => {
                self.out.push('[');
                self.elements(&list.elts)?;
                self.out.push(']');
            }
            Expr::Set(set) => {
                self.out.push('{');
                self.elements(&set.elts)?;
                self.out.push('}');
            }
            Expr::Dict(dict) if dict.items.is_empty() => self.out.push_str("{}"),
            _ => return None,
        }
        Some(())
    }

    fn subscript(&mut self, slice: &Expr) -> Option<()> {
        let Expr::Slice(slice) = slice else { return self.expr(slice, 0) };
        for (number, part) in [&slice.lower, &slice.upper, &slice.step].into_iter().enumerate() {
            if number == 1 || (number == 2 && part.is_some()) {
                self.out.push(':');
            }
            if let Some(part) = part {
                self.expr(part, 0)?;
            }
        }
        Some(())
    }

    fn elements(&mut self, elements: &[Expr]) -> Option<()> {
        for (number, element) in elements.iter().enumerate() {
            if number > 0 {
                self.out.push_str(", ");
            }
            self.expr(element, 0)?;
        }
        Some(())
    }

    fn call(&mut self, call: &ast::ExprCall) -> Option<()> {
        match &*call.func {
            Expr::Name(name) if pure::is_function(&name.id) => self.out.push_str(&name.id),
            Expr::Attribute(attribute) => {
                let whole = path(&call.func);
                match whole.filter(|whole| pure::is_module_function(&whole.text)) {
                    Some(whole) => self.out.push_str(&whole.text),
                    None if pure::is_method(&attribute.attr) => {
                        self.expr(&attribute.value, PRIMARY)?;
                        self.out.push('.');
                        self.out.push_str(&attribute.attr);
                    }
                    None => return None,
                }
            }
            _ => return None,
        }
        self.out.push('(');
        self.elements(&call.arguments.args)?;
        for (number, keyword) in call.arguments.keywords.iter().enumerate() {
            if number + call.arguments.args.len() > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(keyword.arg.as_ref()?);
            self.out.push('=');
            self.expr(&keyword.value, 0)?;
        }
        self.out.push(')');
        Some(())
    }
}

/// How tightly an expression binds; `None` for kinds that conditions do not take.
fn binding(expr: &Expr) -> Option<u8> {
    Some(match expr {
        Expr::Compare(_) => COMPARISON,
        Expr::BinOp(binary) => match binary.op {
            Operator::BitOr => 5,
            Operator::BitXor => 6,
            Operator::BitAnd => 7,
            Operator::LShift | Operator::RShift => 8,
            Operator::Add | Operator::Sub => 9,
            Operator::Mult | Operator::MatMult | Operator::Div | Operator::Mod | Operator::FloorDiv => 10,
            Operator::Pow => POWER,
        },
        Expr::UnaryOp(unary) if unary.op != UnaryOp::Not => UNARY,
        // `1.real` is no attribute.
        Expr::NumberLiteral(_) => POWER,
        Expr::Attribute(_) | Expr::Subscript(_) | Expr::Call(_) => PRIMARY,
        Expr::Name(_)
        | Expr::NoneLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::BytesLiteral(_)
        | Expr::Tuple(_)
        | Expr::List(_)
        | Expr::Set(_)
        | Expr::Dict(_) => ATOM,
        _ => return None,
    })
}

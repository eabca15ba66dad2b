//! Wrong expressions: operators, constants, subscripts.

use ruff_python_ast::{BoolOp, CmpOp, Expr, ExprNumberLiteral, ExprSubscript, Number, Operator as Arithmetic, UnaryOp};
use ruff_text_size::{Ranged, TextRange};

use super::Operator;
use super::calls::in_parentheses;
use super::walk::Walk;

impl<'t> Walk<'t> {
    /// Wrong expressions in place of one.
    pub(super) fn expression(&mut self, expr: &'t Expr) {
        match expr {
            Expr::Name(name) => self.name(name),
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::Call(call) => self.call(call),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::NumberLiteral(number) => self.number(number),
            Expr::BinOp(binary) => self.arithmetic(&binary.left, binary.op, &binary.right),
            Expr::Compare(compare) => {
                let mut left = &*compare.left;
                for (op, right) in compare.ops.iter().zip(&compare.comparators) {
                    self.comparison(left, *op, right);
                    left = right;
                }
            }
            Expr::BoolOp(boolean) => {
                let other = if boolean.op == BoolOp::And { "or" } else { "and" };
                if let [first, second, ..] = boolean.values.as_slice() {
                    self.between(Operator::Boolean, first, boolean.op.as_str(), second, other);
                }
                for value in &boolean.values {
                    self.replace(Operator::MissingGuard, value, "True");
                }
            }
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {
                let text = in_parentheses(&unary.operand, self.slice(&*unary.operand));
                self.replace(Operator::Boolean, unary, text);
            }
            _ => {}
        }
    }

    /// Replaces the operator between two operands, which may stand in parentheses.
    fn between(&mut self, operator: Operator, left: &Expr, now: &str, right: &Expr, other: &str) {
        let gap = TextRange::new(left.end(), right.start());
        if let Some(at) = self.text[gap].find(now).map(|at| at as u32) {
            let start = gap.start() + ruff_text_size::TextSize::from(at);
            let range = TextRange::at(start, ruff_text_size::TextSize::of(now));
            self.replace(operator, &range, other);
        }
    }

    fn arithmetic(&mut self, left: &'t Expr, op: Arithmetic, right: &'t Expr) {
        let (name, others): (Operator, &[&str]) = match op {
            Arithmetic::FloorDiv => (Operator::Division, &["/", "%"]),
            Arithmetic::Div => (Operator::Division, &["//"]),
            Arithmetic::Mod => (Operator::Division, &["//", "/"]),
            Arithmetic::Add => (Operator::Arithmetic, &["-", "*"]),
            Arithmetic::Sub => (Operator::Arithmetic, &["+"]),
            Arithmetic::Mult => (Operator::Arithmetic, &["+", "**"]),
            Arithmetic::Pow => (Operator::Arithmetic, &["*", "^"]),
            _ => return,
        };
        for other in others {
            self.between(name, left, op.as_str(), right, other);
        }
        if matches!(op, Arithmetic::Sub | Arithmetic::FloorDiv | Arithmetic::Div | Arithmetic::Mod | Arithmetic::Mult) {
            self.swap(Operator::SwappedOperands, left, right);
        }
        let gap = &self.text[TextRange::new(left.end(), right.start())];
        if op == Arithmetic::Mult && gap.ends_with('(') {
            self.between(Operator::CalledValue, left, "*", right, "");
        }
    }

    fn comparison(&mut self, left: &'t Expr, op: CmpOp, right: &'t Expr) {
        let others: &[&str] = match op {
            CmpOp::Lt => &["<=", ">"],
            CmpOp::LtE => &["<", ">="],
            CmpOp::Gt => &[">=", "<"],
            CmpOp::GtE => &[">", "<="],
            CmpOp::Eq => &["!=", "<"],
            CmpOp::NotEq => &["=="],
            CmpOp::In => &["not in", "=="],
            CmpOp::NotIn => &["in"],
            _ => return,
        };
        for other in others {
            self.between(Operator::Comparison, left, op.as_str(), right, other);
        }
        if matches!(op, CmpOp::In | CmpOp::NotIn) {
            self.swap(Operator::SwappedOperands, left, right);
        }
    }

    fn subscript(&mut self, subscript: &'t ExprSubscript) {
        let index = &*subscript.slice;
        match index {
            Expr::Slice(slice) => {
                for bound in [&slice.lower, &slice.upper].into_iter().flatten() {
                    let shifted = format!("{} + 1", in_parentheses(bound, self.slice(&**bound)));
                    self.replace(Operator::SliceBound, &**bound, shifted);
                }
                if let Some(upper) = &slice.upper {
                    self.replace(Operator::DropConversion, index, self.slice(&**upper));
                }
                return;
            }
            Expr::StringLiteral(key) => self.misspelled_key(key),
            Expr::NumberLiteral(number) => {
                let text = self.slice(number);
                let others = ["0", "1", "2", "-1", "10"].into_iter().filter(|other| *other != text);
                for other in others.take(3) {
                    self.replace(Operator::WrongIndex, number, other);
                }
            }
            Expr::Tuple(_) => return,
            _ => {
                let text = in_parentheses(index, self.slice(index));
                for shift in [" + 1", " - 1"] {
                    self.replace(Operator::IndexShift, index, format!("{text}{shift}"));
                }
            }
        }
        let text = self.slice(index);
        if subscript.ctx == ruff_python_ast::ExprContext::Load {
            let (object, whole) = (self.slice(&*subscript.value), subscript);
            self.replace(Operator::CalledValue, whole, format!("{object}({text})"));
            self.replace(Operator::WrongIndex, whole, object);
        }
    }

    fn number(&mut self, number: &'t ExprNumberLiteral) {
        if let Number::Int(value) = &number.value
            && let Some(value) = value.as_u64()
        {
            self.replace(Operator::Constant, number, value.saturating_add(1).to_string());
            if value > 0 {
                self.replace(Operator::Constant, number, (value - 1).to_string());
            }
            self.replace(Operator::FloatConstant, number, format!("{value}.0"));
        }
    }
}

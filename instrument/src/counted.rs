//! Values that code counts with: bounds of `range` and of slices, operands of arithmetic with numbers that are written out, of
//! products and of quotients; and those that it puts in an order, or of which it takes the least or the greatest.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, CmpOp, Expr, Number, Operator};
use rustc_hash::FxHashMap;

use crate::semantic::SourceModel;

/// Functions that take nothing but numbers, behind the first argument where that is what they work on.
const OF_NUMBERS: &[(&str, usize)] = &[
    ("range", 0),
    ("divmod", 0),
    ("islice", 1),
    ("comb", 0),
    ("perm", 0),
    ("gcd", 0),
    ("ljust", 0),
    ("rjust", 0),
    ("center", 0),
    ("zfill", 0),
];

/// For each value that code counts with (`variable:n`, `attribute:n`), what it does with it, in words that tell one
/// way from another. What is also called, iterated, or asked for items or attributes is no number.
#[must_use]
pub fn counted(model: &SourceModel) -> BTreeMap<String, BTreeSet<String>> {
    let collect = |suite: &[ast::Stmt]| {
        let mut uses = Uses::default();
        uses.visit_body(suite);
        for key in &uses.others {
            uses.found.remove(key);
        }
        uses.found
    };
    model.with_tree(|tree| collect(tree.suite())).unwrap_or_default()
}

/// Values that code puts in an order with others, as `n < 10` does.
#[must_use]
pub fn ordered(model: &SourceModel) -> BTreeSet<String> {
    let collect = |suite: &[ast::Stmt]| {
        let mut orders = Orders::default();
        orders.visit_body(suite);
        orders.0
    };
    model.with_tree(|tree| collect(tree.suite())).unwrap_or_default()
}

#[derive(Default)]
struct Orders(BTreeSet<String>);

impl Visitor<'_> for Orders {
    fn visit_expr(&mut self, expr: &Expr) {
        if let Expr::Compare(compare) = expr
            && compare.ops.iter().all(|op| matches!(op, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE))
        {
            self.0.extend(std::iter::once(&*compare.left).chain(&compare.comparators).filter_map(key_of));
        }
        visitor::walk_expr(self, expr);
    }
}

#[derive(Default)]
struct Uses {
    found: BTreeMap<String, BTreeSet<String>>,
    others: BTreeSet<String>,
    /// What variables are set to, where that is the value of another one or of an attribute.
    sources: FxHashMap<String, String>,
}

impl Uses {
    /// The values in an expression of arithmetic are counted with.
    fn keep(&mut self, value: &Expr, way: &str) {
        match value {
            Expr::BinOp(operation) if is_arithmetic(operation.op) => {
                self.keep(&operation.left, way);
                self.keep(&operation.right, way);
            }
            Expr::UnaryOp(operation) => self.keep(&operation.operand, way),
            Expr::Call(call) => {
                if let Some(number) = same_number(call) {
                    self.keep(number, way);
                }
            }
            _ => {
                let Some(key) = key_of(value) else { return };
                if let Some(source) = self.sources.get(&key).filter(|source| **source != key) {
                    self.found.entry(source.clone()).or_default().insert(way.to_owned());
                }
                self.found.entry(key).or_default().insert(way.to_owned());
            }
        }
    }

    fn is_other(&mut self, value: &Expr) {
        self.others.extend(key_of(value));
    }
}

impl Visitor<'_> for Uses {
    fn visit_stmt(&mut self, stmt: &ast::Stmt) {
        match stmt {
            ast::Stmt::For(each) => {
                self.is_other(&each.iter);
                if let (target @ Expr::Name(_), Some(whole)) = (&*each.target, key_of(&each.iter)) {
                    let element = whole.split_once(':').map(|(_, name)| format!("element:{name}"));
                    self.sources.extend(key_of(target).zip(element));
                }
            }
            ast::Stmt::Assign(assign) => {
                let value = assign.value.as_call_expr().and_then(same_number).unwrap_or(&assign.value);
                if let ([target @ Expr::Name(_)], Some(source)) = (&assign.targets[..], key_of(value)) {
                    self.sources.extend(key_of(target).map(|key| (key, source)));
                }
            }
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_comprehension(&mut self, comprehension: &ast::Comprehension) {
        self.is_other(&comprehension.iter);
        visitor::walk_comprehension(self, comprehension);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::BinOp(operation) => match (&*operation.left, operation.op, &*operation.right) {
                // A list that is repeated.
                (Expr::List(_) | Expr::StringLiteral(_), Operator::Mult, times) => self.keep(times, "times"),
                (left, op @ (Operator::Mult | Operator::Div), right) if !is_number(left) && !is_number(right) => {
                    self.keep(left, &format!("left {}", op.as_str()));
                    self.keep(right, &format!("right {}", op.as_str()));
                }
                (value, op, number) if is_number(number) && (is_arithmetic(op) || is_fraction(number)) => {
                    self.keep(value, &format!("{} {}", op.as_str(), written(number)));
                }
                (number, op, value) if is_number(number) && (is_arithmetic(op) || is_fraction(number)) => {
                    self.keep(value, &format!("{} {}", written(number), op.as_str()));
                }
                _ => {}
            },
            Expr::Compare(compare) => {
                for (op, holder) in compare.ops.iter().zip(&compare.comparators) {
                    if matches!(op, CmpOp::In | CmpOp::NotIn) {
                        self.is_other(holder);
                    }
                }
            }
            Expr::Subscript(subscript) => {
                self.is_other(&subscript.value);
                if let Expr::Slice(slice) = &*subscript.slice {
                    for bound in [&slice.lower, &slice.upper, &slice.step].into_iter().flatten() {
                        self.keep(bound, "slice");
                    }
                }
            }
            Expr::Attribute(attribute) => self.is_other(&attribute.value),
            Expr::Call(call) => {
                self.is_other(&call.func);
                let name = match &*call.func {
                    Expr::Name(name) => name.id.as_str(),
                    Expr::Attribute(attribute) => attribute.attr.as_str(),
                    _ => "",
                };
                if let ("float", [number]) = (name, &*call.arguments.args) {
                    self.keep(number, "float");
                }
                if let (Expr::Name(name), [_, _, ..]) = (&*call.func, &*call.arguments.args)
                    && matches!(name.id.as_str(), "min" | "max")
                {
                    call.arguments.args.iter().for_each(|one| self.keep(one, name.id.as_str()));
                }
                if let Some((name, first)) = OF_NUMBERS.iter().find(|(known, _)| *known == name) {
                    call.arguments.args.iter().skip(*first).for_each(|bound| self.keep(bound, name));
                }
            }
            Expr::Starred(starred) => self.is_other(&starred.value),
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

/// The argument of a function that makes a number of a number: `abs(n)`.
fn same_number(call: &ast::ExprCall) -> Option<&Expr> {
    let name = call.func.as_name_expr()?.id.as_str();
    match &*call.arguments.args {
        [number] => matches!(name, "abs" | "int" | "float" | "round").then_some(number),
        _ => None,
    }
}

/// The kind and name of the use of a variable or an attribute (`variable:n`).
pub(crate) fn key_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Name(name) => Some(format!("variable:{}", name.id)),
        Expr::Attribute(attribute) => Some(format!("attribute:{}", attribute.attr)),
        _ => None,
    }
}

/// True for operators that, with a number on one side, only numbers have on the other; lists and texts have `*`, too.
fn is_arithmetic(op: Operator) -> bool {
    matches!(op, Operator::Add | Operator::Sub | Operator::Div | Operator::FloorDiv | Operator::Pow | Operator::Mod)
}

fn is_number(value: &Expr) -> bool {
    matches!(value, Expr::NumberLiteral(number) if !matches!(number.value, Number::Complex { .. }))
}

/// True for a number with which only numbers are multiplied.
fn is_fraction(number: &Expr) -> bool {
    matches!(number, Expr::NumberLiteral(number) if matches!(number.value, Number::Float(_)))
}

fn written(number: &Expr) -> String {
    match number {
        Expr::NumberLiteral(ast::ExprNumberLiteral { value: Number::Int(value), .. }) => value.to_string(),
        Expr::NumberLiteral(ast::ExprNumberLiteral { value: Number::Float(value), .. }) => value.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_and_operands_are_counted_with() {
        let text = "def f(n, r, items, index, q, text, size):\n    for i in range(1, n - r):\n        q - 1\n    \
                    items[index:]\n    'a' * size\n    text % 1\n    text.strip()\n";
        let found = counted(&SourceModel::parse(text).expect("it parses"));
        let keys: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(keys, ["variable:index", "variable:n", "variable:q", "variable:r", "variable:size"]);
        assert!(found["variable:q"].contains("- 1") && found["variable:n"].contains("range"));
    }

    #[test]
    fn products_and_orders_are_told_apart() {
        let model =
            SourceModel::parse("def f(w, h, n):\n    return w * h if 0 < n <= w else 0.5 * n\n").expect("it parses");
        let found = counted(&model);
        assert!(found["variable:w"].contains("left *") && found["variable:h"].contains("right *"));
        assert!(found["variable:n"].contains("0.5 *"));
        assert_eq!(ordered(&model).into_iter().collect::<Vec<_>>(), ["variable:n", "variable:w"]);
    }
}

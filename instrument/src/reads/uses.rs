//! What a program does with the values that it reads: which are indexes, and what texts are compared with.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprAttribute, ExprBinOp, ExprCall, ExprContext, ExprName, Number, Operator, Stmt};

/// Longest text that is kept.
const LONGEST: usize = 12;

/// What a program does with values, by the names that hold them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Names whose values, or whose elements, are indexes; true if one is taken from them, so that they count from one.
    pub indexes: BTreeMap<String, bool>,
    /// How many characters a value has at least, by places that are written as numbers: 4 for `s[3]` and for `s[:2]`
    /// with `s[2:]`.
    pub lengths: BTreeMap<String, usize>,
    /// How many values are taken from a sequence of which nothing else is taken than elements at places that are written
    /// as numbers: 2 for `size[0]` and `size[1]`.
    pub places: BTreeMap<String, usize>,
    /// How many values are in each element, as `for a, b in rows` takes them.
    pub widths: BTreeMap<String, usize>,
    /// Names from which elements are taken by an index that is no number.
    pub indexed: BTreeSet<String>,
    /// Names of texts that are converted to numbers, as in `int(s)` and `map(int, s)`.
    pub converted: BTreeSet<String>,
    /// Names of texts that are converted in part, as in `int(s[0])`.
    pub digits: BTreeSet<String>,
    /// Texts that values are compared with, and keys of tables.
    pub texts: BTreeSet<String>,
}

#[derive(Default)]
pub(super) struct Walk<'t> {
    uses: Vec<(&'t str, bool)>,
    /// Names that stand for another one's elements, and whether one is taken from them before.
    aliases: Vec<(&'t str, &'t str, bool)>,
    converted: Vec<&'t str>,
    /// How often names are read, and how often an element at such a place is taken from them.
    reads: BTreeMap<&'t str, (usize, usize)>,
    found: Uses,
}

impl<'t> Walk<'t> {
    pub(super) fn of(suite: &'t [Stmt]) -> Uses {
        let mut walk = Self::default();
        walk.visit_body(suite);
        let mut found = walk.found;
        let only = walk.reads.iter().filter(|(_, (all, placed))| all == placed).map(|(name, _)| *name);
        found.places = only.filter_map(|name| Some((name.to_owned(), *found.lengths.get(name)?))).collect();
        for name in walk.converted {
            let holders = walk.aliases.iter().filter(|(alias, ..)| *alias == name).map(|(_, holder, _)| *holder);
            found.converted.extend(holders.chain([name]).map(str::to_owned));
        }
        for (name, counts_from_one) in walk.uses {
            let holders = walk.aliases.iter().filter(|(alias, ..)| *alias == name);
            let holders = holders.map(|&(_, holder, less_one)| (holder, counts_from_one || less_one));
            for (holder, counts_from_one) in holders.chain([(name, counts_from_one)]) {
                *found.indexes.entry(holder.to_owned()).or_default() |= counts_from_one;
            }
        }
        found
    }

    fn index(&mut self, slice: &'t Expr, counts_from_one: bool) {
        match slice {
            Expr::BinOp(binary) => {
                self.index(&binary.left, counts_from_one || is_less_one(binary));
                self.index(&binary.right, false);
            }
            Expr::UnaryOp(unary) => self.index(&unary.operand, counts_from_one),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| self.index(element, counts_from_one)),
            _ => self.uses.extend(base(slice).map(|name| (name, counts_from_one))),
        }
    }

    fn alias(&mut self, target: &'t Expr, of: &'t Expr) {
        let (of, less_one) = match of {
            Expr::BinOp(binary) if is_less_one(binary) => (&*binary.left, true),
            of => (of, false),
        };
        let Some(holder) = base(of) else { return };
        match target {
            Expr::Tuple(tuple) => {
                if !tuple.elts.iter().any(Expr::is_starred_expr) {
                    self.found.widths.insert(holder.to_owned(), tuple.elts.len());
                }
                self.aliases.extend(tuple.elts.iter().filter_map(base).map(|name| (name, holder, less_one)));
            }
            _ => self.aliases.extend(base(target).map(|name| (name, holder, less_one))),
        }
    }

    /// What is converted to a number, and of what a part is.
    fn conversion(&mut self, call: &'t ExprCall) {
        let Expr::Name(function) = &*call.func else { return };
        let converted = match (function.id.as_str(), &*call.arguments.args) {
            ("int", [value, ..]) => value,
            ("map", [Expr::Name(convert), values]) if convert.id.as_str() == "int" => values,
            _ => return,
        };
        if matches!(converted, Expr::Subscript(_) | Expr::BinOp(_)) {
            let mut parts = Parts(Vec::new());
            parts.visit_expr(converted);
            self.found.digits.extend(parts.0);
        }
        if let Some(name) = base(converted) {
            self.converted.push(name);
        }
    }

    /// What a place that is written as a number says of a text's length.
    fn length(&mut self, value: &Expr, slice: &Expr) {
        let (Expr::Name(_) | Expr::Attribute(_), Some(name)) = (value, base(value)) else { return };
        let length = match slice {
            Expr::Slice(slice) => {
                let [from, to] = [&slice.lower, &slice.upper].map(|place| place.as_deref().and_then(whole));
                // What is left behind a place is as long as what is before it, for all that is known.
                to.or(from.map(|from| from.saturating_mul(2)))
            }
            place => whole(place).map(|place| place.saturating_add(1)),
        };
        if let Some(length) = length.filter(|length| (1..=LONGEST).contains(length)) {
            let known = self.found.lengths.entry(name.to_owned()).or_default();
            *known = (*known).max(length);
        }
    }
}

/// A whole number that is written so.
fn whole(expr: &Expr) -> Option<usize> {
    let Expr::NumberLiteral(number) = expr else { return None };
    let Number::Int(int) = &number.value else { return None };
    int.as_usize()
}

/// `x - 1`
fn is_less_one(binary: &ExprBinOp) -> bool {
    binary.op == Operator::Sub && whole(&binary.right) == Some(1)
}

/// The name of a variable, of an attribute of `self`, or of what an element is taken from.
fn base(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Subscript(subscript) => base(&subscript.value),
        _ => None,
    }
}

/// Names of which an expression takes a part.
struct Parts(Vec<String>);

impl Visitor<'_> for Parts {
    fn visit_expr(&mut self, expr: &Expr) {
        if let Expr::Subscript(subscript) = expr {
            self.0.extend(base(&subscript.value).map(str::to_owned));
        }
        walk_expr(self, expr);
    }
}

impl<'t> Visitor<'t> for Walk<'t> {
    fn visit_stmt(&mut self, stmt: &'t Stmt) {
        match stmt {
            Stmt::For(statement) => self.alias(&statement.target, &statement.iter),
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| self.alias(target, &assign.value)),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'t Expr) {
        let mut text = |expr: &Expr| {
            let literal = expr.as_string_literal_expr().map(|text| text.value.to_str());
            let literal =
                literal.filter(|text| (1..=LONGEST).contains(&text.len()) && !text.contains(char::is_whitespace));
            self.found.texts.extend(literal.map(str::to_owned));
        };
        match expr {
            Expr::Compare(compare) => {
                text(&compare.left);
                for comparator in &compare.comparators {
                    match comparator {
                        Expr::List(list) => list.elts.iter().for_each(&mut text),
                        Expr::Tuple(tuple) => tuple.elts.iter().for_each(&mut text),
                        Expr::Set(set) => set.elts.iter().for_each(&mut text),
                        other => text(other),
                    }
                }
            }
            Expr::Dict(dict) => dict.iter_keys().flatten().for_each(text),
            Expr::Name(ExprName { ctx: ExprContext::Load, .. })
            | Expr::Attribute(ExprAttribute { ctx: ExprContext::Load, .. }) => {
                if let Some(name) = base(expr) {
                    self.reads.entry(name).or_default().0 += 1;
                }
            }
            Expr::Subscript(subscript) => {
                if let (Some(_), Some(name)) = (whole(&subscript.slice), base(&subscript.value)) {
                    self.reads.entry(name).or_default().1 += 1;
                }
                self.length(&subscript.value, &subscript.slice);
                if whole(&subscript.slice).is_none() {
                    self.found.indexed.extend(base(&subscript.value).map(str::to_owned));
                }
                self.index(&subscript.slice, false);
            }
            Expr::Call(call) => self.conversion(call),
            Expr::ListComp(list) => list.generators.iter().for_each(|of| self.alias(&of.target, &of.iter)),
            Expr::Generator(generator) => generator.generators.iter().for_each(|of| self.alias(&of.target, &of.iter)),
            _ => {}
        }
        walk_expr(self, expr);
    }
}

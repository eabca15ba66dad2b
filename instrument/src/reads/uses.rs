//! What a program does with the values that it reads: which are indexes, and what texts are compared with.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{
    CmpOp, Expr, ExprAttribute, ExprBinOp, ExprCall, ExprCompare, ExprContext, ExprName, Number, Operator, Pattern,
    Stmt,
};

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
    /// Names and places of texts that are converted to numbers, as in `int(s)`, `map(int, s)` and `int(line[1])`.
    pub converted: BTreeSet<String>,
    /// Names of texts that are converted in part, as in `int(s[0])`.
    pub digits: BTreeSet<String>,
    /// Texts that values are compared with, and keys of tables.
    pub texts: BTreeSet<String>,
    /// Texts that a value as a whole is compared with, by its name or its place: `op`, `line[0]`.
    pub compared: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Default)]
pub(super) struct Walk<'t> {
    uses: Vec<(&'t str, bool)>,
    /// Names that stand for another one's elements, and whether one is taken from them before.
    aliases: Vec<(&'t str, &'t str, bool)>,
    /// Names of elements at places that are written as numbers: `op` of `op = line[0]` and of `op, x = line`.
    placed: Vec<(&'t str, String)>,
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
        for (name, place) in walk.placed {
            let texts = found.compared.get(name).cloned().unwrap_or_default();
            if walk.converted.contains(&name) {
                found.converted.insert(place.clone());
            }
            found.compared.entry(place).or_default().extend(texts);
        }
        found.compared.retain(|_, texts| !texts.is_empty());
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
        if let (Some(name), Some(place)) = (target.as_name_expr(), of.as_subscript_expr().and_then(|_| value_name(of)))
        {
            self.placed.push((name.id.as_str(), place));
        }
        let Some(holder) = base(of) else { return };
        if let (Expr::Tuple(tuple), Expr::Name(_)) = (target, of) {
            let names = tuple.elts.iter().map_while(Expr::as_name_expr).enumerate();
            self.placed.extend(names.map(|(at, name)| (name.id.as_str(), format!("{holder}[{at}]"))));
        }
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
        self.found.converted.extend(value_name(converted));
    }

    /// What a value as a whole is compared with.
    fn comparison(&mut self, compare: &ExprCompare) {
        let operands = std::iter::once(&*compare.left).chain(&compare.comparators);
        for ((left, right), op) in operands.clone().zip(operands.skip(1)).zip(&compare.ops) {
            let (value, texts) = match (op, right) {
                (CmpOp::Eq | CmpOp::NotEq, _) if literal(left).is_some() => (right, std::slice::from_ref(left)),
                (CmpOp::Eq | CmpOp::NotEq, _) => (left, std::slice::from_ref(right)),
                (CmpOp::In | CmpOp::NotIn, Expr::List(list)) => (left, list.elts.as_slice()),
                (CmpOp::In | CmpOp::NotIn, Expr::Tuple(tuple)) => (left, tuple.elts.as_slice()),
                (CmpOp::In | CmpOp::NotIn, Expr::Set(set)) => (left, set.elts.as_slice()),
                _ => continue,
            };
            self.is_compared(value, texts.iter().filter_map(literal));
        }
    }

    fn is_compared(&mut self, value: &Expr, texts: impl Iterator<Item = String>) {
        if let Some(name) = value_name(value) {
            self.found.compared.entry(name).or_default().extend(texts);
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

/// A short text without spaces that is written so.
fn literal(expr: &Expr) -> Option<String> {
    let text = expr.as_string_literal_expr()?.value.to_str();
    ((1..=LONGEST).contains(&text.len()) && !text.contains(char::is_whitespace)).then(|| text.to_owned())
}

/// How a value is called that is looked at as a whole: `op`, `self.op`, `line[0]`, `op.lower()`.
fn value_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => Some(attribute.attr.to_string()),
        Expr::Subscript(subscript) if matches!(&*subscript.value, Expr::Name(_) | Expr::Attribute(_)) => {
            Some(format!("{}[{}]", value_name(&subscript.value)?, whole(&subscript.slice)?))
        }
        Expr::Call(call) if call.arguments.is_empty() => {
            let method = call.func.as_attribute_expr()?;
            matches!(method.attr.as_str(), "strip" | "lower" | "upper").then(|| value_name(&method.value))?
        }
        _ => None,
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
            Stmt::Match(statement) => {
                let patterns = statement.cases.iter().map(|case| &case.pattern);
                let values = patterns.flat_map(|pattern| match pattern {
                    Pattern::MatchOr(several) => several.patterns.as_slice(),
                    one => std::slice::from_ref(one),
                });
                let values = values.filter_map(|pattern| literal(&pattern.as_match_value()?.value));
                self.is_compared(&statement.subject, values);
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'t Expr) {
        let mut text = |expr: &Expr| self.found.texts.extend(literal(expr));
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
                self.comparison(compare);
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

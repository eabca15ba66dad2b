//! Values that code uses as mappings, sequences and texts, and in which ways: `m[k]`, `k in m`, `m.get(k)`, iteration,
//! `text.split()`, and so on.

mod kinds;

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, CmpOp, Expr, Operator, Stmt};
use rustc_hash::FxHashMap;

use self::kinds::{
    FIND, FLAG, FORMATTED, GIVEN, ITERATING, JOINED, KEYED, METHODS, OF_PATTERNS, PART, REPLACED, TEXT_METHODS,
    UNPACKED,
};
pub use self::kinds::{is_container, is_flag, is_mapping, is_sequence, is_text};
use crate::counted::key_of as key_of_name;
use crate::semantic::SourceModel;

/// For each value (`variable:x`, `attribute:x`, `return value:x`, `item:x` under a key), the ways in which it is asked what it
/// holds: the methods of mappings and of texts, those of regular expressions that it is given to, `key` (an item under a text
/// that is written out), `item`, `membership`, `keyed` (membership of a key under which it also has an item), `part` (a slice
/// that is compared with a text), `find` (a position that is compared with a number), `joined` (added to a text), `formatted`
/// (written into a text), `given` (to a method of a text, with the name of that), `index`, `dict` (given to it), `flag` (compared
/// with `True` or `False`), `replaced` (`replace` is given two texts), `default` (`get` is given one), `unpacked` (`**x`), `copy`,
/// `update` (given to a method of that name), `iteration`, `length`.
#[must_use]
pub fn ways(model: &SourceModel) -> BTreeMap<String, BTreeSet<String>> {
    let collect = |suite: &[Stmt]| {
        let mut uses = Uses::default();
        uses.visit_body(suite);
        for (holder, _) in uses.members.intersection(&uses.items) {
            uses.found.entry(holder.clone()).or_default().insert(KEYED.to_owned());
        }
        uses.found
    };
    model.with_tree(|tree| collect(tree.suite())).unwrap_or_default()
}

#[derive(Default)]
struct Uses {
    found: BTreeMap<String, BTreeSet<String>>,
    /// Values with keys that are looked for in them, and with keys under which items are read.
    members: BTreeSet<(String, String)>,
    items: BTreeSet<(String, String)>,
    /// Where the values of local variables come from: `element:x` for those of loops.
    sources: FxHashMap<String, String>,
    /// Variables that hold what `find` gives, with the value whose method it is.
    positions: FxHashMap<String, String>,
}

/// What a value or a key goes by.
fn key_of(value: &Expr) -> Option<String> {
    Some(match value {
        Expr::Name(_) | Expr::Attribute(_) => return key_of_name(value),
        Expr::Call(call) => match (&*call.func, call.arguments.args.first()) {
            (Expr::Name(name), _) => format!("return value:{}", name.id),
            (Expr::Attribute(method), Some(Expr::StringLiteral(key))) if method.attr.as_str() == "get" => {
                format!("item:{}", key.value.to_str())
            }
            (Expr::Attribute(method), _) => format!("return value:{}", method.attr),
            _ => return None,
        },
        Expr::Subscript(item) => match &*item.slice {
            Expr::StringLiteral(key) => format!("item:{}", key.value.to_str()),
            _ => return None,
        },
        _ => return None,
    })
}

impl Uses {
    fn keep(&mut self, value: &Expr, way: &str) {
        // `x or {}` is used as `x` is.
        if let Expr::BoolOp(either) = value {
            return either.values.iter().for_each(|one| self.keep(one, way));
        }
        let Some(key) = key_of(value) else { return };
        if let Some(source) = self.sources.get(&key) {
            self.found.entry(source.clone()).or_default().insert(way.to_owned());
        }
        self.found.entry(key).or_default().insert(way.to_owned());
    }

    /// What is gone over holds the keys under which it is then asked for items: `for key in m: m[key]`.
    fn iterate(&mut self, target: &Expr, iterable: &Expr) {
        self.keep(iterable, "iteration");
        if let (Expr::Name(_), Some(whole), Some(one)) = (target, key_of(iterable), key_of(target)) {
            if let Some(("variable" | "attribute", name)) = whole.split_once(':') {
                self.sources.insert(one.clone(), format!("element:{name}"));
            }
            self.members.insert((whole, one));
        }
    }

    fn compare(&mut self, compare: &ast::ExprCompare) {
        let asked = compare.ops.iter().zip(&compare.comparators);
        for (_, holder) in asked.filter(|(op, _)| matches!(op, CmpOp::In | CmpOp::NotIn)) {
            self.keep(holder, "membership");
            self.members.extend(key_of(holder).zip(asked_for(&compare.left)));
        }
        if compare.ops.iter().all(|op| matches!(op, CmpOp::Eq | CmpOp::NotEq))
            && compare.comparators.iter().all(Expr::is_boolean_literal_expr)
        {
            self.keep(&compare.left, FLAG);
        }
        match (&*compare.left, &*compare.comparators) {
            (Expr::Subscript(part), [Expr::StringLiteral(_)]) if part.slice.is_slice_expr() => {
                self.keep(&part.value, PART);
            }
            (found, [Expr::NumberLiteral(_) | Expr::UnaryOp(_)]) => {
                if let Some(text) = searched(found) {
                    self.keep(text, FIND);
                } else if let Expr::Name(name) = found
                    && let Some(text) = self.positions.get(name.id.as_str())
                {
                    self.found.entry(text.clone()).or_default().insert(FIND.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// By what a key is known: by its text where that is written out.
fn asked_for(key: &Expr) -> Option<String> {
    match key {
        Expr::StringLiteral(text) => Some(format!("text:{}", text.value.to_str())),
        key => key_of(key),
    }
}

/// The text of which `find` or `rfind` is called.
fn searched(call: &Expr) -> Option<&Expr> {
    let method = call.as_call_expr()?.func.as_attribute_expr()?;
    matches!(method.attr.as_str(), "find" | "rfind").then_some(&*method.value)
}

/// The name of a method, and how much it is given, if that is a method of texts: `split(1)`, and `startswith(several)` for a tuple.
fn way_of(call: &ast::ExprCall, name: &str) -> String {
    match &*call.arguments.args {
        _ if !TEXT_METHODS.contains(&name) => name.to_owned(),
        [Expr::Tuple(_)] => format!("{name}(several)"),
        _ if call.arguments.is_empty() => name.to_owned(),
        _ => format!("{name}({})", call.arguments.len()),
    }
}

/// The operands of a chain of `+`.
fn added(expr: &Expr) -> Vec<&Expr> {
    let (mut found, mut pending) = (Vec::new(), vec![expr]);
    while let Some(one) = pending.pop() {
        match one {
            Expr::BinOp(sum) if sum.op == Operator::Add => pending.extend([&*sum.right, &*sum.left]),
            _ => found.push(one),
        }
    }
    found
}

/// True for what can only be a text.
fn is_written_text(expr: &Expr) -> bool {
    match expr {
        Expr::StringLiteral(_) | Expr::FString(_) => true,
        Expr::Call(call) => call.func.as_name_expr().is_some_and(|name| matches!(name.id.as_str(), "str" | "repr")),
        _ => false,
    }
}

impl Visitor<'_> for Uses {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::For(each) => self.iterate(&each.target, &each.iter),
            Stmt::Assign(assign) => {
                if let ([target @ Expr::Name(_)], Expr::Name(_) | Expr::Attribute(_)) =
                    (&assign.targets[..], &*assign.value)
                    && let (Some(target), Some(source)) = (key_of(target), key_of(&assign.value))
                    && target != source
                {
                    self.sources.insert(target, source);
                }
                if let ([Expr::Name(name)], Some(text)) = (&assign.targets[..], searched(&assign.value)) {
                    self.positions.extend(key_of(text).map(|key| (name.id.to_string(), key)));
                }
            }
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Subscript(subscript) if !subscript.slice.is_slice_expr() => {
                let way = if subscript.slice.is_string_literal_expr() { "key" } else { "item" };
                self.keep(&subscript.value, way);
                self.items.extend(key_of(&subscript.value).zip(asked_for(&subscript.slice)));
            }
            Expr::BinOp(sum) if sum.op == Operator::Add => {
                let operands = added(expr);
                if operands.iter().any(|operand| is_written_text(operand)) {
                    let others = operands.iter().filter(|operand| !is_written_text(operand));
                    others.for_each(|operand| self.keep(operand, JOINED));
                }
                // Not sum by sum, or a long chain would be gone over again for each of its parts.
                return operands.into_iter().for_each(|operand| self.visit_expr(operand));
            }
            Expr::BinOp(format) if format.op == Operator::Mod && format.left.is_string_literal_expr() => {
                let given = match &*format.right {
                    Expr::Tuple(given) => &*given.elts,
                    given => std::slice::from_ref(given),
                };
                for value in given {
                    self.keep(value, FORMATTED);
                }
            }
            Expr::FString(text) => {
                let parts = text.value.elements().filter_map(|part| part.as_interpolation());
                parts.for_each(|part| self.keep(&part.expression, FORMATTED));
            }
            Expr::Compare(compare) => self.compare(compare),
            Expr::ListComp(ast::ExprListComp { generators, .. })
            | Expr::SetComp(ast::ExprSetComp { generators, .. })
            | Expr::DictComp(ast::ExprDictComp { generators, .. })
            | Expr::Generator(ast::ExprGenerator { generators, .. }) => {
                // The variables are bound before the elements are made.
                for one in generators {
                    self.iterate(&one.target, &one.iter);
                }
            }
            Expr::Dict(display) => {
                let unpacked = display.items.iter().filter(|item| item.key.is_none());
                unpacked.for_each(|item| self.keep(&item.value, UNPACKED));
            }
            Expr::Call(call) => match (&*call.func, &*call.arguments.args) {
                (Expr::Attribute(method), [Expr::StringLiteral(_), Expr::StringLiteral(_)])
                    if method.attr.as_str() == "replace" =>
                {
                    self.keep(&method.value, REPLACED);
                }
                (Expr::Attribute(method), []) if method.attr.as_str() == "copy" => self.keep(&method.value, "copy"),
                (Expr::Attribute(method), [given]) if method.attr.as_str() == "update" => self.keep(given, "update"),
                (Expr::Name(name), [given]) if name.id.as_str() == "dict" => self.keep(given, "dict"),
                (Expr::Attribute(method), [_]) if matches!(method.attr.as_str(), "index" | "remove") => {
                    self.keep(&method.value, method.attr.as_str());
                }
                (Expr::Attribute(method), _)
                    if METHODS.contains(&method.attr.as_str()) || TEXT_METHODS.contains(&method.attr.as_str()) =>
                {
                    self.keep(&method.value, &way_of(call, method.attr.as_str()));
                    if let ("startswith" | "endswith" | "removeprefix" | "removesuffix", [part]) =
                        (method.attr.as_str(), &*call.arguments.args)
                    {
                        self.keep(part, &format!("{GIVEN} to {}", method.attr));
                    }
                    if matches!(method.attr.as_str(), "get" | "pop") && call.arguments.len() > 1 {
                        self.keep(&method.value, "default");
                    }
                }
                (Expr::Attribute(method), given)
                    if method.attr.as_str() == "format" && method.value.is_string_literal_expr() =>
                {
                    for value in given {
                        self.keep(value, FORMATTED);
                    }
                }
                (Expr::Name(name), [value]) if name.id.as_str() == "str" => self.keep(value, FORMATTED),
                (Expr::Name(name), [all]) if name.id.as_str() == "len" => self.keep(all, "length"),
                (Expr::Name(name), given) if ITERATING.contains(&name.id.as_str()) => {
                    for all in given {
                        self.keep(all, "iteration");
                    }
                }
                (Expr::Attribute(method), given) => {
                    let known = OF_PATTERNS.iter().find(|(name, _)| *name == method.attr.as_str());
                    let is_module = matches!(&*method.value, Expr::Name(name) if name.id == "re");
                    let text =
                        known.and_then(|(name, number)| Some((given.get(number + usize::from(is_module))?, name)));
                    if let Some((text, name)) = text {
                        self.keep(text, name);
                    }
                }
                _ => {}
            },
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_and_another_way_make_a_mapping() {
        let text = "def f(a, b, c, d):\n    a.get('x')\n    b.get('x')\n    if 'x' in b:\n        return [c[x] for x in c]\n    \
                    return d[0], list(d)\n";
        let found = ways(&SourceModel::parse(text).expect("it parses"));
        let mappings: Vec<&str> =
            found.iter().filter(|(_, ways)| is_mapping(ways)).map(|(key, _)| key.as_str()).collect();
        assert_eq!(mappings, ["variable:b", "variable:c"]);
        let found_texts =
            ways(&SourceModel::parse("def f(a, b):\n    a.rpartition('.')\n    b.get('x')\n").expect("it parses"));
        assert!(is_text(&found_texts["variable:a"]) && !is_text(&found_texts["variable:b"]));
        let matched = ways(&SourceModel::parse("def f(a, b):\n    p.sub(b, a)\n").expect("it parses"));
        assert!(is_text(&matched["variable:a"]) && !matched.contains_key("variable:b"));
        assert_eq!(found["variable:d"].iter().collect::<Vec<_>>(), ["item", "iteration"]);
        assert!(is_sequence(&found["variable:d"]));
        assert!(["variable:b", "variable:c"].iter().all(|key| !is_sequence(&found[*key])), "keys are no numbers");
    }

    #[test]
    fn what_is_added_to_a_text_is_one() {
        let found = |text: &str| ways(&SourceModel::parse(text).expect("it parses"));
        let old = found("def f(self, a, n):\n    return self.id + a + str(n)\n");
        let texts: Vec<&str> = old.iter().filter(|(_, ways)| is_text(ways)).map(|(key, _)| key.as_str()).collect();
        assert_eq!(texts, ["attribute:id", "variable:a"]);
        let new = found("def f(self, a, n):\n    return f'{self.id}{a}' + '%s %s' % (n, a)\n");
        assert!(new.values().all(|ways| !is_text(ways) && !is_mapping(ways)));
        assert_eq!(new.keys().collect::<Vec<_>>(), ["attribute:id", "variable:a", "variable:n"]);
    }

    #[test]
    fn a_key_that_is_looked_for_and_read_makes_a_mapping() {
        let text = "def f(a, b, k, n):\n    if k in a:\n        return a[k]\n    if k in b:\n        return b[n]\n";
        let found = ways(&SourceModel::parse(text).expect("it parses"));
        assert!(is_mapping(&found["variable:a"]) && !is_mapping(&found["variable:b"]));
        let text = "def f(a, b):\n    return 'x' in a and a['x'], 'x' in b and b['y']\n";
        let found = ways(&SourceModel::parse(text).expect("it parses"));
        assert!(is_mapping(&found["variable:a"]) && !is_mapping(&found["variable:b"]), "keys that are written out");
    }

    #[test]
    fn parts_are_of_texts_where_they_are_compared_with_one() {
        let text = "def f(a, b, c, d):\n    return a[:1] == '/' and b[1:] == c and c.find('/') != -1 and d.find('x')\n";
        let found = ways(&SourceModel::parse(text).expect("it parses"));
        assert_eq!(found.keys().collect::<Vec<_>>(), ["variable:a", "variable:c"], "anything may have parts and find");
        assert!(found.values().all(is_text));
    }

    #[test]
    fn values_are_followed_through_variables_and_loops() {
        let text = "def f(line, rows, done):\n    at = line.find('=')\n    if at == -1 or done.all == True:\n        return\n    \
                    for row in rows:\n        name = row.name\n        name.split(':', 1)\n        row.startswith(line)\n";
        let found = ways(&SourceModel::parse(text).expect("it parses"));
        assert!(is_text(&found["variable:line"]) && found["variable:line"].contains("given to startswith"));
        assert!(found["attribute:name"].contains("split(2)") && is_text(&found["element:rows"]));
        assert!(is_flag(&found["attribute:all"]) && !is_flag(&found["attribute:name"]));
    }
}

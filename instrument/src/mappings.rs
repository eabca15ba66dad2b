//! Values that code uses as mappings, sequences and texts, and in which ways: `m[k]`, `k in m`, `m.get(k)`, iteration,
//! `text.split()`, and so on.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, CmpOp, Expr, Stmt};

use crate::counted::key_of as key_of_name;
use crate::semantic::SourceModel;

/// Methods by which a mapping is asked what it holds.
const METHODS: &[&str] = &["get", "items", "keys", "pop", "setdefault", "values"];

/// Methods that texts have and hardly anything else.
const TEXT_METHODS: &[&str] = &[
    "capitalize",
    "casefold",
    "endswith",
    "isalnum",
    "isalpha",
    "isdigit",
    "islower",
    "isspace",
    "isupper",
    "lower",
    "lstrip",
    "partition",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "upper",
    "zfill",
];

/// Methods that are given a text by position, of regular expressions: their names, and its number.
const OF_PATTERNS: &[(&str, usize)] =
    &[("search", 0), ("match", 0), ("fullmatch", 0), ("findall", 0), ("finditer", 0), ("sub", 1), ("subn", 1)];

/// Membership of a key under which there is an item, too.
const KEYED: &str = "keyed";
/// A slice that is compared with a text.
const PART: &str = "part";
/// What `find` gives is compared with a number: other objects have a method of that name, too.
const FIND: &str = "find";

/// For each value (`variable:x`, `attribute:x`, `return value:x`, `item:x` under a key), the ways in which it is asked what it
/// holds: the methods of mappings and of texts, those of regular expressions that it is given to, `key` (an item under a text
/// that is written out), `item`, `membership`, `keyed` (membership of a key under which it also has an item), `part` (a slice
/// that is compared with a text), `find` (a position that is compared with a number), `iteration`, `length`.
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

/// True for ways that together are those of a mapping: one of its methods, and something else.
#[must_use]
pub fn is_mapping(ways: &BTreeSet<String>) -> bool {
    ways.len() > 1 && ways.iter().any(|way| way == KEYED || METHODS.contains(&way.as_str()))
}

/// True for ways that together are those of a sequence: its items by number, and all of them.
#[must_use]
pub fn is_sequence(ways: &BTreeSet<String>) -> bool {
    let has = |way: &str| ways.contains(way);
    let is_keyed = has("key") || METHODS.iter().any(|method| has(method));
    has("item") && (has("iteration") || has("length")) && !is_keyed
}

/// True for ways among which is one that texts alone have.
#[must_use]
pub fn is_text(ways: &BTreeSet<String>) -> bool {
    let is_of_text = |way: &str| {
        [PART, FIND].contains(&way)
            || TEXT_METHODS.contains(&way)
            || OF_PATTERNS.iter().any(|(method, _)| *method == way)
    };
    ways.iter().any(|way| is_of_text(way)) && !is_mapping(ways)
}

#[derive(Default)]
struct Uses {
    found: BTreeMap<String, BTreeSet<String>>,
    /// Values with keys that are looked for in them, and with keys under which items are read.
    members: BTreeSet<(String, String)>,
    items: BTreeSet<(String, String)>,
}

/// What a value or a key goes by.
fn key_of(value: &Expr) -> Option<String> {
    Some(match value {
        Expr::Name(_) | Expr::Attribute(_) => return key_of_name(value),
        Expr::Call(call) => match &*call.func {
            Expr::Name(name) => format!("return value:{}", name.id),
            Expr::Attribute(method) => format!("return value:{}", method.attr),
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
        if let Some(key) = key_of(value) {
            self.found.entry(key).or_default().insert(way.to_owned());
        }
    }
}

impl Visitor<'_> for Uses {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::For(each) = stmt {
            self.keep(&each.iter, "iteration");
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_comprehension(&mut self, comprehension: &ast::Comprehension) {
        self.keep(&comprehension.iter, "iteration");
        visitor::walk_comprehension(self, comprehension);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Subscript(subscript) if !subscript.slice.is_slice_expr() => {
                let way = if subscript.slice.is_string_literal_expr() { "key" } else { "item" };
                self.keep(&subscript.value, way);
                self.items.extend(key_of(&subscript.value).zip(key_of(&subscript.slice)));
            }
            Expr::Compare(compare) => {
                let asked = compare.ops.iter().zip(&compare.comparators);
                for (_, holder) in asked.filter(|(op, _)| matches!(op, CmpOp::In | CmpOp::NotIn)) {
                    self.keep(holder, "membership");
                    self.members.extend(key_of(holder).zip(key_of(&compare.left)));
                }
                match (&*compare.left, &*compare.comparators) {
                    (Expr::Subscript(part), [Expr::StringLiteral(_)]) if part.slice.is_slice_expr() => {
                        self.keep(&part.value, PART);
                    }
                    (Expr::Call(call), [Expr::NumberLiteral(_) | Expr::UnaryOp(_)]) => {
                        if let Expr::Attribute(method) = &*call.func
                            && matches!(method.attr.as_str(), "find" | "rfind")
                        {
                            self.keep(&method.value, FIND);
                        }
                    }
                    _ => {}
                }
            }
            Expr::Call(call) => match (&*call.func, &*call.arguments.args) {
                (Expr::Attribute(method), _)
                    if METHODS.contains(&method.attr.as_str()) || TEXT_METHODS.contains(&method.attr.as_str()) =>
                {
                    self.keep(&method.value, method.attr.as_str());
                }
                (Expr::Name(name), [all]) if name.id.as_str() == "len" => self.keep(all, "length"),
                (Expr::Name(name), [all])
                    if matches!(name.id.as_str(), "list" | "sorted" | "set" | "tuple" | "iter") =>
                {
                    self.keep(all, "iteration");
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
        let text =
            "def f(a, b, c):\n    a.get('x')\n    b.get('x')\n    if 'x' in b:\n        return [c[x] for x in c]\n";
        let found = ways(&SourceModel::parse(text).expect("it parses"));
        let mappings: Vec<&str> =
            found.iter().filter(|(_, ways)| is_mapping(ways)).map(|(key, _)| key.as_str()).collect();
        assert_eq!(mappings, ["variable:b"]);
        let found_texts =
            ways(&SourceModel::parse("def f(a, b):\n    a.rpartition('.')\n    b.get('x')\n").expect("it parses"));
        assert!(is_text(&found_texts["variable:a"]) && !is_text(&found_texts["variable:b"]));
        let matched = ways(&SourceModel::parse("def f(a, b):\n    p.sub(b, a)\n").expect("it parses"));
        assert!(is_text(&matched["variable:a"]) && !matched.contains_key("variable:b"));
        assert_eq!(found["variable:c"].iter().collect::<Vec<_>>(), ["item", "iteration"]);
        assert!(is_sequence(&found["variable:c"]) && !is_sequence(&found["variable:b"]));
    }

    #[test]
    fn a_key_that_is_looked_for_and_read_makes_a_mapping() {
        let text = "def f(a, b, k, n):\n    if k in a:\n        return a[k]\n    if k in b:\n        return b[n]\n";
        let found = ways(&SourceModel::parse(text).expect("it parses"));
        assert!(is_mapping(&found["variable:a"]) && !is_mapping(&found["variable:b"]));
    }

    #[test]
    fn parts_are_of_texts_where_they_are_compared_with_one() {
        let text = "def f(a, b, c, d):\n    return a[:1] == '/' and b[1:] == c and c.find('/') != -1 and d.find('x')\n";
        let found = ways(&SourceModel::parse(text).expect("it parses"));
        assert_eq!(found.keys().collect::<Vec<_>>(), ["variable:a", "variable:c"], "anything may have parts and find");
        assert!(found.values().all(is_text));
    }
}

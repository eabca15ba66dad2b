//! Names of a source that stand for something of a package, whose values depend on more than the source says.

use std::collections::BTreeSet;
use std::ops::Range;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Decorator, Expr, Stmt};

use crate::SourceModel;

/// Modules of the standard library whose functions give what their arguments say, whatever the system and the time.
#[rustfmt::skip]
const PURE: [&str; 30] = [
    "abc", "base64", "binascii", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "decimal",
    "enum", "fractions", "functools", "hashlib", "heapq", "html", "io", "itertools", "json", "math", "numbers",
    "operator", "re", "statistics", "string", "struct", "textwrap", "types", "typing", "unicodedata",
];

/// The names that imports of packages bind, wherever they stand, and those of functions and classes that a package has a
/// part in, as a decorator or a base. The names of `from m import *` are not known.
#[must_use]
pub fn foreign_names(model: &SourceModel) -> BTreeSet<String> {
    let mut names = Foreign::default();
    let _without_stack = model.with_tree(|tree| names.visit_body(tree.suite()));
    names.found
}

#[derive(Default)]
struct Foreign {
    found: BTreeSet<String>,
}

impl Foreign {
    fn import(&mut self, module: &str, bound: &str) {
        if !PURE.contains(&module.split('.').next().unwrap_or_default()) {
            self.found.insert(bound.to_owned());
        }
    }

    fn has(&self, expr: &Expr) -> bool {
        let mut reader = Reader { names: &self.found, found: false };
        reader.visit_expr(expr);
        reader.found
    }

    fn define(&mut self, name: &str, decorators: &[Decorator], mut others: impl Iterator<Item = Expr>) {
        if decorators.iter().any(|decorator| self.has(&decorator.expression)) || others.any(|other| self.has(&other)) {
            self.found.insert(name.to_owned());
        }
    }
}

impl<'a> Visitor<'a> for Foreign {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let module = alias.name.as_str();
                    let bound = alias.asname.as_ref().map_or(module, |name| name.as_str());
                    self.import(module, bound.split('.').next().unwrap_or_default());
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().filter(|_| import.level == 0).map_or("", |name| name.as_str());
                for alias in &import.names {
                    self.import(module, alias.asname.as_ref().unwrap_or(&alias.name).as_str());
                }
            }
            Stmt::FunctionDef(function) => {
                self.define(function.name.as_str(), &function.decorator_list, std::iter::empty());
            }
            Stmt::ClassDef(class) => {
                let arguments = class.arguments.iter();
                let bases = arguments
                    .flat_map(|all| all.args.iter().chain(all.keywords.iter().map(|keyword| &keyword.value)).cloned());
                self.define(class.name.as_str(), &class.decorator_list, bases);
            }
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    // No expression holds a statement.
    fn visit_expr(&mut self, _: &'a Expr) {}
}

/// Decorators that leave it to the source who calls a function, and with what.
const PLAIN: [&str; 6] = ["staticmethod", "classmethod", "property", "dataclass", "contextmanager", "wraps"];

/// The names and ranges of functions that others than the source may call, with arguments that it says nothing of: what has
/// a decorator, methods of classes with bases, and functions that are handed on.
#[must_use]
pub fn called_by_others(model: &SourceModel) -> Vec<(String, Range<u32>)> {
    let mut functions = Functions { text: model.text(), is_derived: false, found: Vec::new() };
    let _without_stack = model.with_tree(|tree| functions.visit_body(tree.suite()));
    functions.found
}

struct Functions<'t> {
    text: &'t str,
    /// The class around has bases.
    is_derived: bool,
    found: Vec<(String, Range<u32>)>,
}

impl Functions<'_> {
    /// True if a function is read without being called.
    fn is_handed_on(&self, name: &str) -> bool {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        self.text.match_indices(name).any(|(at, _)| {
            let (before, behind) = (&self.text[..at], &self.text[at + name.len()..]);
            !before.ends_with(is_part) && !behind.starts_with(is_part) && !behind.starts_with('(')
        })
    }
}

impl<'a> Visitor<'a> for Functions<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let around = self.is_derived;
        match stmt {
            Stmt::FunctionDef(function) => {
                let is_plain = |decorator: &Decorator| {
                    let called = decorator.expression.as_call_expr().map_or(&decorator.expression, |call| &call.func);
                    let name = called.as_name_expr().map(|name| name.id.as_str());
                    let name = name.or(called.as_attribute_expr().map(|attribute| attribute.attr.as_str()));
                    name.is_some_and(|name| PLAIN.contains(&name))
                };
                let is_decorated = !function.decorator_list.iter().all(is_plain);
                if is_decorated || self.is_derived || self.is_handed_on(function.name.as_str()) {
                    let range = function.range.start().to_u32()..function.range.end().to_u32();
                    self.found.push((function.name.to_string(), range));
                }
            }
            Stmt::ClassDef(class) => self.is_derived = class.arguments.as_ref().is_some_and(|all| !all.is_empty()),
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
        self.is_derived = around;
    }

    // No expression holds a statement.
    fn visit_expr(&mut self, _: &'a Expr) {}
}

/// Looks for reads of some names.
struct Reader<'n> {
    names: &'n BTreeSet<String>,
    found: bool,
}

impl<'a> Visitor<'a> for Reader<'_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.found |= expr.as_name_expr().is_some_and(|name| self.names.contains(name.id.as_str()));
        visitor::walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_packages_have_a_part_in_is_foreign() {
        let source = "import json, os.path\nimport shop.prices as p, shop.stock\nfrom decimal import Decimal\n\
            def f():\n    from shop import load\n@p.cached\ndef g(): pass\nclass A(dict): pass\n\
            class B(shop.Base): pass\nclass C(B): pass\nclass D(A, metaclass=p.Meta): pass\ndef h(x=load): pass\n\
            from . import own\n";
        let model = SourceModel::parse(source).expect("it parses");
        let found: Vec<String> = foreign_names(&model).into_iter().collect();
        assert_eq!(found, ["B", "C", "D", "g", "load", "os", "own", "p", "shop"]);
    }

    #[test]
    fn decorators_bases_and_other_code_call_functions() {
        let source = "@app.task\ndef a(task=None): pass\ndef b(): pass\nb()\ndef c(): pass\nrun(c)\n\
            class D(Base):\n    def d(self): pass\nclass E:\n    @property\n    def e(self): pass\ndef cc(): pass\n";
        let model = SourceModel::parse(source).expect("it parses");
        let found: Vec<&str> = called_by_others(&model)
            .into_iter()
            .filter_map(|(_, range)| source[range.start as usize..range.end as usize].lines().last())
            .map(str::trim)
            .collect();
        assert_eq!(found, ["def a(task=None): pass", "def c(): pass", "def d(self): pass"]);
    }
}

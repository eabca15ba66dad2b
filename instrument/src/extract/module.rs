//! What a module defines, and one of its functions with the definitions that it uses.

use super::in_place::{self, Kept, blocks};
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ModModule, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_python_parser::{Parsed, parse_module};
use ruff_text_size::Ranged;
use std::collections::{BTreeMap, BTreeSet};

/// Definitions that an excerpt takes at most, and their lines: a function is compared, not a program.
const MOST_DEFINITIONS: usize = 30;
const MOST_LINES: usize = 300;

/// Something that a module gives a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name; that of a method has the class before it.
    pub name: String,
    /// Its statement.
    pub text: String,
    /// True if defining it does nothing else, whatever is missing: nobody decorates it, and no value is computed.
    pub is_plain: bool,
}

/// The functions, classes and variables of a module, and the methods of its classes. A source that does not parse has
/// none, and what is defined more than once is left out.
#[must_use]
pub fn definitions(source: &str) -> Vec<Definition> {
    let Ok(parsed) = parse_module(source) else { return Vec::new() };
    let mut found = Vec::new();
    for (name, defined) in table(parsed.suite()) {
        let (Some(stmt), false) = (defined.stmt, defined.repeated) else { continue };
        let is_plain = match stmt {
            Stmt::FunctionDef(def) => def.decorator_list.is_empty(),
            Stmt::ClassDef(class) => class.decorator_list.is_empty(),
            Stmt::Assign(assign) => is_literal(&assign.value),
            Stmt::AnnAssign(assign) => assign.value.as_deref().is_some_and(is_literal),
            _ => false,
        };
        found.push(Definition { name, text: source[stmt.range()].to_owned(), is_plain });
    }
    found
}

/// The import statements of a module, in order.
#[must_use]
pub fn imports(source: &str) -> Vec<&str> {
    let Ok(parsed) = parse_module(source) else { return Vec::new() };
    parsed.suite().iter().filter(|stmt| in_place::imports(stmt)).map(|stmt| &source[stmt.range()]).collect()
}

/// See [`super::in_module()`].
pub(super) fn excerpt(
    source: &str,
    parsed: &Parsed<ModModule>,
    def: &StmtFunctionDef,
    wanted: &dyn Fn(&str) -> bool,
) -> String {
    let table = table(parsed.suite());
    let class = class_of(parsed.suite(), def);
    let mut used = Used { class, ..Used::default() };
    for stmt in path_to(parsed.suite(), def) {
        match stmt {
            Stmt::ClassDef(class) => used.header(class),
            stmt if stmt.range() == def.range() => used.visit_stmt(stmt),
            _ => {}
        }
    }
    let mut kept = Kept::new(source, parsed);
    kept.path(parsed.suite(), def);
    used.follow(source, &table, &mut kept, &|name, stmt| !stmt.range().contains_range(def.range()) && wanted(name));
    used.keep_imports(parsed.suite(), &mut kept);
    kept.finish()
}

/// The definitions of these names, with what they use of the module, and the rest blanked. `wanted` says which
/// definitions may be taken. None if there is nothing to take.
#[must_use]
pub fn part(source: &str, names: &BTreeSet<String>, wanted: &dyn Fn(&str) -> bool) -> Option<String> {
    let parsed = parse_module(source).ok()?;
    let table = table(parsed.suite());
    let mut used = Used::default();
    for name in names {
        used.add(name.clone());
    }
    let mut kept = Kept::new(source, &parsed);
    used.follow(source, &table, &mut kept, &|name, _| wanted(name));
    used.keep_imports(parsed.suite(), &mut kept);
    let text = kept.finish();
    (!text.trim().is_empty()).then_some(text)
}

#[derive(Default)]
pub(super) struct Defined<'a> {
    pub(super) stmt: Option<&'a Stmt>,
    pub(super) repeated: bool,
}

pub(super) fn table(suite: &[Stmt]) -> BTreeMap<String, Defined<'_>> {
    let mut table: BTreeMap<String, Defined> = BTreeMap::new();
    let mut add = |name: String, stmt| {
        let defined = table.entry(name).or_default();
        defined.repeated |= defined.stmt.is_some();
        defined.stmt = Some(stmt);
    };
    for stmt in suite {
        match stmt {
            Stmt::FunctionDef(def) => add(def.name.to_string(), stmt),
            Stmt::ClassDef(class) => {
                add(class.name.to_string(), stmt);
                for inner in &class.body {
                    if let Stmt::FunctionDef(method) = inner {
                        add(format!("{}.{}", class.name, method.name), inner);
                    }
                }
            }
            Stmt::Assign(assign) => {
                let names = assign.targets.iter().filter_map(Expr::as_name_expr);
                names.for_each(|name| add(name.id.to_string(), stmt));
            }
            Stmt::AnnAssign(assign) if assign.value.is_some() => {
                assign.target.as_name_expr().into_iter().for_each(|name| add(name.id.to_string(), stmt));
            }
            Stmt::AugAssign(assign) => {
                // What it adds to is not all of the value.
                for _ in 0..2 {
                    assign.target.as_name_expr().into_iter().for_each(|name| add(name.id.to_string(), stmt));
                }
            }
            _ => {}
        }
    }
    table
}

pub(super) fn is_literal(value: &Expr) -> bool {
    match value {
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_literal),
        Expr::List(list) => list.elts.iter().all(is_literal),
        Expr::Set(set) => set.elts.iter().all(is_literal),
        Expr::Dict(dict) => dict.items.iter().all(|item| item.key.iter().all(is_literal) && is_literal(&item.value)),
        Expr::UnaryOp(operation) => is_literal(&operation.operand),
        Expr::BinOp(operation) => is_literal(&operation.left) && is_literal(&operation.right),
        value => value.is_literal_expr(),
    }
}

/// The class right around a function that stands at the module's top.
fn class_of(suite: &[Stmt], def: &StmtFunctionDef) -> Option<String> {
    suite.iter().filter_map(Stmt::as_class_def_stmt).find_map(|class| {
        let own = class.body.iter().any(|stmt| stmt.range() == def.range());
        own.then(|| class.name.to_string())
    })
}

/// Statements around a function, and its own.
pub(super) fn path_to<'a>(suite: &'a [Stmt], def: &StmtFunctionDef) -> Vec<&'a Stmt> {
    let mut found = Vec::new();
    let mut suites = vec![suite];
    while let Some(suite) = suites.pop() {
        if let Some(stmt) = suite.iter().find(|stmt| stmt.range().contains_range(def.range())) {
            found.push(stmt);
            if stmt.range() != def.range() {
                suites.extend(blocks(stmt));
            }
        }
    }
    found
}

/// Names that import statements bind, in whatever block.
fn bound(stmt: &Stmt) -> Vec<String> {
    let first = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    match stmt {
        Stmt::Import(import) => {
            let name = |alias: &ruff_python_ast::Alias| {
                alias.asname.as_ref().map_or_else(|| first(&alias.name), ToString::to_string)
            };
            import.names.iter().map(name).collect()
        }
        Stmt::ImportFrom(import) if import.module.as_deref() == Some("__future__") => vec!["__future__".to_owned()],
        Stmt::ImportFrom(import) => {
            import.names.iter().map(|alias| alias.asname.as_ref().unwrap_or(&alias.name).to_string()).collect()
        }
        Stmt::Assign(assign) => {
            assign.targets.iter().filter_map(Expr::as_name_expr).map(|name| name.id.to_string()).collect()
        }
        stmt => blocks(stmt).into_iter().flatten().flat_map(bound).collect(),
    }
}

/// Names that code reads; those not followed yet are open.
#[derive(Default)]
struct Used {
    class: Option<String>,
    all: BTreeSet<String>,
    open: BTreeSet<String>,
}

impl Used {
    /// Keeps the definitions that are used, and what they use.
    fn follow(
        &mut self,
        source: &str,
        table: &BTreeMap<String, Defined>,
        kept: &mut Kept,
        wanted: &dyn Fn(&str, &Stmt) -> bool,
    ) {
        let (mut seen, mut taken, mut lines) = (BTreeSet::new(), 0, 0);
        while let Some(name) = self.open.pop_first() {
            let Some(defined) = table.get(&name).filter(|_| seen.insert(name.clone())) else { continue };
            let (Some(stmt), false) = (defined.stmt, defined.repeated) else { continue };
            if !wanted(&name, stmt) {
                continue;
            }
            let length = source[stmt.range()].lines().count();
            if taken == MOST_DEFINITIONS || lines + length > MOST_LINES {
                continue;
            }
            (taken, lines) = (taken + 1, lines + length);
            kept.keep(stmt.range().to_std_range());
            self.visit_stmt(stmt);
        }
    }

    fn keep_imports(&self, suite: &[Stmt], kept: &mut Kept) {
        for stmt in suite.iter().filter(|stmt| in_place::imports(stmt)) {
            if bound(stmt).iter().any(|name| self.all.contains(name) || name == "*" || name == "__future__") {
                kept.keep(stmt.range().to_std_range());
            }
        }
    }

    fn add(&mut self, name: String) {
        if self.all.insert(name.clone()) {
            self.open.insert(name);
        }
    }

    /// What a class needs to be defined, without its body.
    fn header(&mut self, class: &StmtClassDef) {
        class.decorator_list.iter().for_each(|decorator| self.visit_expr(&decorator.expression));
        class.arguments.iter().for_each(|arguments| self.visit_arguments(arguments));
    }
}

impl Visitor<'_> for Used {
    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) => self.add(name.id.to_string()),
            Expr::Attribute(attribute) => {
                if let (Some(class), Expr::Name(owner)) = (&self.class, &*attribute.value)
                    && owner.id == "self"
                {
                    self.add(format!("{class}.{}", attribute.attr));
                }
            }
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use crate::extract::{self, definitions, qualnames};

    const MODULE: &str = "\
from __future__ import annotations
import os, sys
import json
try:
    import fast
except ImportError:
    fast = None
LIMIT = 3
TABLE = make()
def helper(x):
    return other(x) + LIMIT
def other(x):
    return json.dumps(x)
def unused():
    return sys.path
class C(Base):
    def m(self):
        self.part()
        return helper(fast)
    def part(self):
        return os.sep
    def rest(self):
        return 1
";

    fn in_module(qualname: &str, wanted: &dyn Fn(&str) -> bool) -> String {
        let all = qualnames(MODULE);
        let function = all.iter().find(|function| function.qualname == qualname).expect("there is such a function");
        extract::in_module(MODULE, function, wanted).expect("it was just found")
    }

    fn lines(text: &str) -> Vec<&str> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn what_a_function_uses_comes_with_it() {
        let all = in_module("C.m", &|_| true);
        assert_eq!(all.lines().count(), MODULE.lines().count(), "no line moves");
        let without = ["TABLE = make()", "def unused():", "return sys.path", "def rest(self):", "return 1"];
        let expected: Vec<&str> = lines(MODULE).into_iter().filter(|line| !without.contains(line)).collect();
        assert_eq!(lines(&all), expected);
    }

    #[test]
    fn what_is_not_wanted_stays_away_with_what_only_it_uses() {
        let bare = in_module("C.m", &|_| false);
        let expected = [
            "from __future__ import annotations",
            "try:",
            "import fast",
            "except ImportError:",
            "fast = None",
            "class C(Base):",
            "def m(self):",
            "self.part()",
            "return helper(fast)",
        ];
        assert_eq!(lines(&bare), expected);
        let some = in_module("C.m", &|name| name == "helper");
        assert!(some.contains("return other(x) + LIMIT") && !some.contains("def other"), "{some}");
    }

    #[test]
    fn definitions_are_plain_if_they_only_define() {
        let found =
            definitions("A = (1, -2)\nB = f()\n@d\ndef g(): pass\nclass C:\n    def m(self): pass\nA2 = 1\nA2 = 2\n");
        let found: Vec<(&str, bool)> = found.iter().map(|found| (found.name.as_str(), found.is_plain)).collect();
        assert_eq!(found, [("A", true), ("B", false), ("C", true), ("C.m", true), ("g", false)]);
    }
}

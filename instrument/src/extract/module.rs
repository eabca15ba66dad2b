//! What a module defines, and one of its functions with the definitions that it uses.

use super::kept::{self, Kept};
use crate::cleanup::blocks;
use crate::semantic::uses::Form;
use crate::semantic::{SourceModel, bytes};
use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef};
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
    /// What its statement is.
    pub kind: DefinitionKind,
}

/// What gives a name its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// A function or a method.
    Function,
    /// A class.
    Class,
    /// An assignment.
    Variable,
}

/// The functions, classes and variables of a module, and the methods of its classes, without what is defined more than
/// once.
#[must_use]
pub fn definitions(model: &SourceModel) -> Vec<Definition> {
    let mut found = Vec::new();
    for (name, defined) in table(model.suite()) {
        let (Some(stmt), false) = (defined.stmt, defined.repeated) else { continue };
        let is_plain = match stmt {
            Stmt::FunctionDef(def) => def.decorator_list.is_empty(),
            Stmt::ClassDef(class) => class.decorator_list.is_empty(),
            Stmt::Assign(assign) => is_constant(&assign.value),
            Stmt::AnnAssign(assign) => assign.value.as_deref().is_some_and(is_constant),
            _ => false,
        };
        let kind = match stmt {
            Stmt::FunctionDef(_) => DefinitionKind::Function,
            Stmt::ClassDef(_) => DefinitionKind::Class,
            _ => DefinitionKind::Variable,
        };
        found.push(Definition { name, text: model.text()[stmt.range()].to_owned(), is_plain, kind });
    }
    found
}

/// The import statements of a module, in order.
#[must_use]
pub fn imports(model: &SourceModel) -> Vec<&str> {
    model.suite().iter().filter(|stmt| kept::imports(stmt)).map(|stmt| &model.text()[stmt.range()]).collect()
}

/// See [`super::in_module()`].
pub(super) fn excerpt(model: &SourceModel, def: &StmtFunctionDef, wanted: &dyn Fn(&str) -> bool) -> String {
    let suite = model.suite();
    let mut used = Used::of(model, class_of(suite, def));
    for stmt in path_to(suite, def) {
        match stmt {
            Stmt::ClassDef(class) => used.header(class),
            stmt if stmt.range() == def.range() => used.add_in(stmt),
            _ => {}
        }
    }
    let mut kept = Kept::new(model);
    kept.path(suite, def);
    used.keep(&mut kept, &|name, stmt| !stmt.range().contains_range(def.range()) && wanted(name));
    kept.finish()
}

/// The definitions of these names, with what they use of the module, and the rest blanked. `wanted` says which
/// definitions may be taken. None if there is nothing to take.
#[must_use]
pub fn part(model: &SourceModel, names: &BTreeSet<String>, wanted: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut used = Used::of(model, None);
    for name in names {
        used.add(name.clone());
    }
    let mut kept = Kept::new(model);
    used.keep(&mut kept, &|name, _| wanted(name));
    let text = kept.finish();
    (!text.trim().is_empty()).then_some(text)
}

#[derive(Default)]
pub(crate) struct Defined<'a> {
    pub(crate) stmt: Option<&'a Stmt>,
    pub(crate) repeated: bool,
}

pub(crate) fn table(suite: &[Stmt]) -> BTreeMap<String, Defined<'_>> {
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

/// Assignments in the bodies of the classes at a module's top, by the names of class and variable.
pub(super) fn variables_of_classes(suite: &[Stmt]) -> impl Iterator<Item = (String, Defined<'_>)> {
    suite.iter().filter_map(Stmt::as_class_def_stmt).flat_map(|class| {
        let own = table(&class.body).into_iter().filter(|(_, defined)| defined.stmt.is_some_and(is_assignment));
        own.map(|(name, defined)| (format!("{}.{name}", class.name), defined))
    })
}

pub(super) fn is_assignment(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Assign(_) | Stmt::AnnAssign(_))
}

/// True for expressions whose value nothing that is missing changes: literals, and what they say together with facts of
/// the interpreter (`PY3 = sys.version_info >= (3,)`).
pub(super) fn is_constant(value: &Expr) -> bool {
    match value {
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_constant),
        Expr::List(list) => list.elts.iter().all(is_constant),
        Expr::Set(set) => set.elts.iter().all(is_constant),
        Expr::Dict(dict) => dict.items.iter().all(|item| item.key.iter().all(is_constant) && is_constant(&item.value)),
        Expr::UnaryOp(operation) => is_constant(&operation.operand),
        Expr::BinOp(operation) => is_constant(&operation.left) && is_constant(&operation.right),
        Expr::BoolOp(operation) => operation.values.iter().all(is_constant),
        Expr::Compare(compare) => is_constant(&compare.left) && compare.comparators.iter().all(is_constant),
        Expr::If(choice) => [&choice.test, &choice.body, &choice.orelse].into_iter().all(|part| is_constant(part)),
        Expr::Subscript(subscript) => is_fact(&subscript.value) && is_constant(&subscript.slice),
        Expr::Slice(slice) => {
            [&slice.lower, &slice.upper, &slice.step].into_iter().flatten().all(|part| is_constant(part))
        }
        value => value.is_literal_expr() || is_fact(value),
    }
}

/// True for what the interpreter says of itself and of the system.
fn is_fact(value: &Expr) -> bool {
    let Expr::Attribute(attribute) = value else { return false };
    let owner = attribute.value.as_name_expr().map(|name| name.id.as_str());
    match (owner, attribute.attr.as_str()) {
        (Some("sys"), "version_info" | "hexversion" | "platform" | "maxsize" | "byteorder") | (Some("os"), "name") => {
            true
        }
        (None, "major" | "minor" | "micro") => is_fact(&attribute.value),
        _ => false,
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
struct Used<'a> {
    model: &'a SourceModel,
    class: Option<String>,
    all: BTreeSet<String>,
    open: BTreeSet<String>,
    /// Definitions that were followed.
    seen: BTreeSet<String>,
    taken: usize,
    lines: usize,
}

impl<'a> Used<'a> {
    const fn of(model: &'a SourceModel, class: Option<String>) -> Self {
        Self { model, class, all: BTreeSet::new(), open: BTreeSet::new(), seen: BTreeSet::new(), taken: 0, lines: 0 }
    }

    /// Keeps the definitions and imports that are used, and what these use.
    fn keep(&mut self, kept: &mut Kept, wanted: &dyn Fn(&str, &Stmt) -> bool) {
        let mut table = table(self.model.suite());
        for (name, variable) in variables_of_classes(self.model.suite()) {
            table.entry(name).or_insert(variable);
        }
        let mut imports: Vec<&Stmt> = self.model.suite().iter().filter(|stmt| kept::imports(stmt)).collect();
        loop {
            self.follow(&table, kept, wanted);
            let is_used = |used: &Self, stmt: &Stmt| {
                bound(stmt).iter().any(|name| used.all.contains(name) || name == "*" || name == "__future__")
            };
            let Some(at) = imports.iter().position(|stmt| is_used(self, stmt)) else { return };
            let stmt = imports.remove(at);
            kept.keep(stmt.range().to_std_range());
            // What an import stands under is evaluated, too: `if PY3:`.
            self.add_in(stmt);
        }
    }

    /// Keeps the definitions that are used, and what they use.
    fn follow(&mut self, table: &BTreeMap<String, Defined>, kept: &mut Kept, wanted: &dyn Fn(&str, &Stmt) -> bool) {
        while let Some(name) = self.open.pop_first() {
            let Some(defined) = table.get(&name).filter(|_| self.seen.insert(name.clone())) else { continue };
            let (Some(stmt), false) = (defined.stmt, defined.repeated) else { continue };
            if !wanted(&name, stmt) {
                continue;
            }
            let length = self.model.text()[stmt.range()].lines().count();
            if self.taken == MOST_DEFINITIONS || self.lines + length > MOST_LINES {
                continue;
            }
            (self.taken, self.lines) = (self.taken + 1, self.lines + length);
            kept.keep(stmt.range().to_std_range());
            self.add_in(stmt);
        }
    }

    fn add(&mut self, name: String) {
        if self.all.insert(name.clone()) {
            self.open.insert(name);
        }
    }

    /// Adds the names that stand in a node, and the attributes of `self` and `cls`, which are methods and variables of the class.
    fn add_in(&mut self, node: &impl Ranged) {
        let (model, range) = (self.model, bytes(node));
        for used in model.uses_in(range.clone()) {
            if matches!(used.form, Form::Name | Form::Target) {
                self.add(model.name(used.symbol).to_owned());
            }
        }
        let Some(class) = self.class.clone() else { return };
        let uses = &model.tables.uses.raw;
        for pair in uses.windows(2).filter(|pair| range.contains(&pair[0].start)) {
            // An attribute is listed right before what it is read from.
            let [attribute, owner] = pair else { continue };
            let is_attribute = matches!(attribute.form, Form::Attribute | Form::AttributeTarget | Form::Augmented);
            let of_self = owner.form == Form::Name
                && owner.start == attribute.start
                && matches!(model.name(owner.symbol), "self" | "cls");
            if is_attribute && of_self && owner.end == attribute.inner {
                self.add(format!("{class}.{}", model.name(attribute.symbol)));
            }
        }
    }

    /// What a class needs to be defined, without its body.
    fn header(&mut self, class: &StmtClassDef) {
        class.decorator_list.iter().for_each(|decorator| self.add_in(decorator));
        class.arguments.iter().for_each(|arguments| self.add_in(&**arguments));
    }
}

#[cfg(test)]
mod tests {
    use crate::SourceModel;
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
        let model = SourceModel::parse(MODULE).expect("it parses");
        let all = qualnames(&model);
        let function = all.iter().find(|function| function.qualname == qualname).expect("there is such a function");
        extract::in_module(&model, function, wanted).expect("it was just found")
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
    fn what_the_condition_of_an_import_reads_comes_with_it() {
        let text = "from sys import version_info\nPY3 = version_info[0] == 3\nif PY3:\n    from a import b\nelse:\n    \
                    from c import b\ndef f():\n    return b\n";
        let model = SourceModel::parse(text).expect("it parses");
        let all = qualnames(&model);
        let function = all.first().expect("there is a function");
        assert_eq!(extract::in_module(&model, function, &|_| true).as_deref(), Ok(text));
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
        let model = SourceModel::parse(
            "A = (1, -2)\nB = f()\n@d\ndef g(): pass\nclass C:\n    def m(self): pass\nA2 = 1\nA2 = 2\n",
        );
        let found = definitions(&model.expect("it parses"));
        let found: Vec<(&str, bool)> = found.iter().map(|found| (found.name.as_str(), found.is_plain)).collect();
        assert_eq!(found, [("A", true), ("B", false), ("C", true), ("C.m", true), ("g", false)]);
    }
}

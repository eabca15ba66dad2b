//! What constructors put into attributes: `self.rows = []` says that the attribute holds a list, whenever it is read.

use std::collections::BTreeMap;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Number, Stmt, StmtClassDef};

use crate::semantic::SourceModel;
use crate::semantic::symbol::mangled;

/// What an attribute holds, by the literal that it is given at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// A list.
    List,
    /// A dictionary.
    Dict,
    /// A `defaultdict` of a builtin class.
    DefaultDict(&'static str),
    /// A set.
    Set,
    /// A `deque`.
    Deque,
    /// A whole number.
    Int,
    /// A text.
    Str,
    /// `True` or `False`.
    Bool,
    /// `None`: another method puts something there.
    Nothing,
}

impl Held {
    /// True for what has elements.
    #[must_use]
    pub fn is_container(self) -> bool {
        matches!(self, Self::List | Self::Dict | Self::DefaultDict(_) | Self::Set | Self::Deque)
    }
}

/// The attributes to which a class assigns a literal in its `__init__`, and no literal of another kind in any method, by the
/// names that they have at runtime (`_C__x` for `__x` in `C`).
#[must_use]
pub fn initial_attributes(model: &SourceModel, class: &str) -> BTreeMap<String, Held> {
    let found = model.with_tree(|tree| {
        let mut suite: &[Stmt] = tree.suite();
        let mut found = None;
        for name in class.split('.') {
            found = suite.iter().filter_map(Stmt::as_class_def_stmt).find(|one| one.name.as_str() == name);
            suite = found.map_or(&[], |one| one.body.as_slice());
        }
        found.map(held_by).unwrap_or_default()
    });
    found.unwrap_or_default()
}

fn held_by(class: &StmtClassDef) -> BTreeMap<String, Held> {
    let methods = class.body.iter().filter_map(Stmt::as_function_def_stmt);
    let (first, others): (Vec<_>, Vec<_>) = methods.partition(|method| method.name.as_str() == "__init__");
    let assigned = |methods: &[&ruff_python_ast::StmtFunctionDef]| {
        let mut found = Assigned::default();
        for method in methods {
            found.visit_body(&method.body);
        }
        found.values
    };
    let later = assigned(&others);
    let mut found = BTreeMap::new();
    for (name, kinds) in assigned(&first) {
        let others = later.get(&name).into_iter().flatten();
        if let [Some(kind)] = kinds[..]
            && (kind == Held::Nothing || others.flatten().all(|other| [kind, Held::Nothing].contains(other)))
        {
            found.insert(mangled(&name, &class.name).map_or(name, String::from), kind);
        }
    }
    found
}

/// By attribute, what is assigned to it: `None` for what is no literal.
#[derive(Default)]
struct Assigned {
    values: BTreeMap<String, Vec<Option<Held>>>,
}

impl Visitor<'_> for Assigned {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        let (targets, value) = match stmt {
            Stmt::Assign(assign) => (assign.targets.as_slice(), Some(&*assign.value)),
            Stmt::AnnAssign(assign) => (std::slice::from_ref(&*assign.target), assign.value.as_deref()),
            _ => (&[][..], None),
        };
        for target in targets {
            if let (Expr::Attribute(attribute), Some(value)) = (target, value)
                && attribute.value.as_name_expr().is_some_and(|name| name.id == "self")
            {
                self.values.entry(attribute.attr.to_string()).or_default().push(kind_of(value));
            }
        }
        visitor::walk_stmt(self, stmt);
    }
}

/// The name of what is called, without the module that has it.
fn last_name(callee: &Expr) -> Option<&str> {
    match callee {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) if attribute.value.is_name_expr() => Some(attribute.attr.as_str()),
        _ => None,
    }
}

fn kind_of(value: &Expr) -> Option<Held> {
    match value {
        Expr::List(_) | Expr::ListComp(_) => Some(Held::List),
        Expr::Dict(_) | Expr::DictComp(_) => Some(Held::Dict),
        Expr::Set(_) | Expr::SetComp(_) => Some(Held::Set),
        Expr::StringLiteral(_) | Expr::FString(_) => Some(Held::Str),
        Expr::BooleanLiteral(_) => Some(Held::Bool),
        Expr::NoneLiteral(_) => Some(Held::Nothing),
        Expr::NumberLiteral(number) if matches!(number.value, Number::Int(_)) => Some(Held::Int),
        Expr::Call(call) => match last_name(&call.func) {
            Some("list") => Some(Held::List),
            Some("dict") => Some(Held::Dict),
            Some("set") => Some(Held::Set),
            Some("deque") => Some(Held::Deque),
            Some("defaultdict") => match &*call.arguments.args {
                [Expr::Name(kind)] => {
                    let known = ["list", "dict", "set", "int"].into_iter().find(|known| *known == kind.id.as_str());
                    known.map(Held::DefaultDict)
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_the_constructor_say_what_attributes_hold() {
        let text = "class A:\n    class B:\n        def __init__(self, x):\n            self.rows: list = []\n            self.names = dict()\n            \
                    self.size = 0\n            self.x = x\n            self.mark = ''\n            self.found = None\n        \
                    def clear(self):\n            self.rows = self.read()\n            self.mark = 3\n";
        let found = initial_attributes(&SourceModel::parse(text).expect("it parses"), "A.B");
        let found: Vec<(&str, Held)> = found.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
        assert_eq!(
            found,
            [("found", Held::Nothing), ("names", Held::Dict), ("rows", Held::List), ("size", Held::Int)],
            "mark is of two kinds, and x is no literal"
        );
    }
}

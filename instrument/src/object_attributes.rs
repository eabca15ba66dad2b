//! Which attributes of objects a file writes, keeps in classes, and gives through properties.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprContext, Stmt, StmtClassDef, StmtFunctionDef};

use crate::semantic::SourceModel;
use crate::semantic::symbol::mangled;

/// The attributes of objects that a file knows, by the names that they have at runtime (`_C__x` for `__x` in `C`) and whatever the
/// class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectAttributes {
    /// Written: `self.x = 1`.
    pub written: BTreeSet<String>,
    /// Variables of classes.
    pub of_classes: BTreeSet<String>,
    /// Attributes that a property returns and does nothing else, with the names of the properties: `_x` for `x`.
    pub given_by: BTreeMap<String, String>,
    /// Properties that do more than that.
    pub computed: BTreeSet<String>,
    /// Names that are others at runtime, with the class and the name as they are written: `_C__x`, with `C` and `__x`.
    pub mangled: BTreeMap<String, (String, String)>,
}

/// What is collected of a file.
#[derive(Default)]
struct Collected {
    found: ObjectAttributes,
    /// The classes around.
    classes: Vec<String>,
}

/// The attributes of objects in a file.
#[must_use]
pub fn object_attributes(model: &SourceModel) -> ObjectAttributes {
    let collect = |suite: &[Stmt]| {
        let mut collected = Collected::default();
        collected.visit_body(suite);
        collected.found
    };
    model.with_tree(|tree| collect(tree.suite())).unwrap_or_default()
}

/// True for the name of what only its own module, or its own class, is to use.
#[must_use]
pub fn is_private(name: &str) -> bool {
    name.starts_with('_') && !name.ends_with("__")
}

/// The name that is written as `name` in a class, at runtime.
#[must_use]
pub fn name_in_class(name: &str, class: &str) -> String {
    mangled(name, class).map_or_else(|| name.to_owned(), String::from)
}

impl Collected {
    /// The name at runtime of what is written as `name` here.
    fn name(&mut self, name: &str) -> String {
        let Some(class) = self.classes.last() else { return name.to_owned() };
        let Some(mangled) = mangled(name, class).map(String::from) else { return name.to_owned() };
        self.found.mangled.insert(mangled.clone(), (class.clone(), name.to_owned()));
        mangled
    }

    fn look_at_class(&mut self, class: &StmtClassDef) {
        for stmt in &class.body {
            let targets = match stmt {
                Stmt::Assign(assign) => assign.targets.as_slice(),
                Stmt::AnnAssign(assign) if assign.value.is_some() => std::slice::from_ref(&*assign.target),
                Stmt::FunctionDef(method) if is_property(method) => {
                    match given(method) {
                        Some(name) => {
                            let name = self.name(name);
                            self.found.given_by.insert(name, method.name.to_string());
                        }
                        None => _ = self.found.computed.insert(method.name.to_string()),
                    }
                    continue;
                }
                _ => continue,
            };
            for name in targets.iter().filter_map(Expr::as_name_expr) {
                let name = self.name(&name.id);
                self.found.of_classes.insert(name);
            }
        }
    }
}

impl Visitor<'_> for Collected {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        let Stmt::ClassDef(class) = stmt else { return visitor::walk_stmt(self, stmt) };
        self.classes.push(class.name.to_string());
        self.look_at_class(class);
        visitor::walk_stmt(self, stmt);
        self.classes.pop();
    }

    fn visit_expr(&mut self, expr: &Expr) {
        if let Expr::Attribute(attribute) = expr {
            let name = self.name(&attribute.attr);
            if attribute.ctx == ExprContext::Store {
                self.found.written.insert(name);
            }
        }
        visitor::walk_expr(self, expr);
    }
}

/// True for a method that is asked like an attribute.
fn is_property(method: &StmtFunctionDef) -> bool {
    method.decorator_list.iter().any(|one| {
        let name = match &one.expression {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => return false,
        };
        matches!(name, "property" | "cached_property")
    })
}

/// The attribute that a property returns and does nothing else.
fn given(method: &StmtFunctionDef) -> Option<&str> {
    let body = match method.body.as_slice() {
        [first, rest @ ..] if ruff_python_ast::helpers::is_docstring_stmt(first) => rest,
        body => body,
    };
    let [Stmt::Return(returned)] = body else { return None };
    let attribute = returned.value.as_ref()?.as_attribute_expr()?;
    attribute.value.as_name_expr().filter(|name| name.id == "self").map(|_| attribute.attr.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_told_by_what_the_file_does_with_them() {
        let text = "class A:\n    kind = 1\n    size: int\n    def __init__(self, x):\n        self._x, self.rest = x\n        self._other = 2\n        \
                    self._count += 1\n    @property\n    def x(self):\n        '''The x.'''\n        return self._x\n    \
                    @property\n    def y(self):\n        return self.x()\n";
        let found = object_attributes(&SourceModel::parse(text).expect("it parses"));
        let names = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&found.written), "_count _other _x rest");
        assert_eq!(names(&found.of_classes), "kind");
        assert_eq!(found.given_by.into_iter().collect::<Vec<_>>(), [("_x".to_owned(), "x".to_owned())]);
        assert_eq!(names(&found.computed), "y");
    }

    #[test]
    fn names_are_those_at_runtime() {
        let text = "class _A:\n    __kind = 1\n    def f(self):\n        self.__x = 1\n        return self.__y\n    class B:\n        \
                    def g(self):\n            self.__x = 2\nA.__x = 3\n";
        let found = object_attributes(&SourceModel::parse(text).expect("it parses"));
        let names = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&found.written), "_A__x _B__x __x");
        assert_eq!(names(&found.of_classes), "_A__kind");
        assert_eq!(found.mangled.keys().cloned().collect::<Vec<_>>().join(" "), "_A__kind _A__x _A__y _B__x");
        assert_eq!(found.mangled["_B__x"], ("B".to_owned(), "__x".to_owned()));
    }

    #[test]
    fn names_are_private_that_begin_with_a_line() {
        assert_eq!(["_x", "__x", "_x__", "__x__", "x"].map(is_private), [true, true, false, false, false]);
    }
}

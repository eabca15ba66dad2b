//! Which attributes of objects a file writes, keeps in classes, and gives through properties.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprContext, Stmt, StmtClassDef, StmtFunctionDef};

use crate::semantic::SourceModel;

/// The attributes of objects that a file knows, by name and whatever the class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectAttributes {
    /// Written: `self.x = 1`.
    pub written: BTreeSet<String>,
    /// Variables of classes.
    pub of_classes: BTreeSet<String>,
    /// Attributes that a property returns and does nothing else, with the names of the properties: `_x` for `x`.
    pub given_by: BTreeMap<String, String>,
}

/// The attributes of objects in a file.
#[must_use]
pub fn object_attributes(model: &SourceModel) -> ObjectAttributes {
    let collect = |suite: &[Stmt]| {
        let mut found = ObjectAttributes::default();
        found.visit_body(suite);
        found
    };
    model.with_tree(|tree| collect(tree.suite())).unwrap_or_default()
}

/// True for the name of what only its own module, or its own class, is to use.
#[must_use]
pub fn is_private(name: &str) -> bool {
    name.starts_with('_') && !name.ends_with("__")
}

impl ObjectAttributes {
    fn look_at_class(&mut self, class: &StmtClassDef) {
        for stmt in &class.body {
            let targets = match stmt {
                Stmt::Assign(assign) => assign.targets.as_slice(),
                Stmt::AnnAssign(assign) if assign.value.is_some() => std::slice::from_ref(&*assign.target),
                Stmt::FunctionDef(method) => {
                    if let Some(name) = given(method) {
                        self.given_by.insert(name.to_owned(), method.name.to_string());
                    }
                    continue;
                }
                _ => continue,
            };
            self.of_classes.extend(targets.iter().filter_map(Expr::as_name_expr).map(|name| name.id.to_string()));
        }
    }
}

impl Visitor<'_> for ObjectAttributes {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::ClassDef(class) = stmt {
            self.look_at_class(class);
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        if let Expr::Attribute(attribute) = expr
            && attribute.ctx == ExprContext::Store
        {
            self.written.insert(attribute.attr.to_string());
        }
        visitor::walk_expr(self, expr);
    }
}

/// The attribute that a property returns and does nothing else.
fn given(method: &StmtFunctionDef) -> Option<&str> {
    let is_property = method.decorator_list.iter().any(|one| {
        let name = one.expression.as_name_expr();
        name.is_some_and(|name| name.id == "property")
    });
    let body = match method.body.as_slice() {
        [first, rest @ ..] if ruff_python_ast::helpers::is_docstring_stmt(first) => rest,
        body => body,
    };
    let [Stmt::Return(returned)] = body else { return None };
    let attribute = returned.value.as_ref().filter(|_| is_property)?.as_attribute_expr()?;
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
    }

    #[test]
    fn names_are_private_that_begin_with_a_line() {
        assert_eq!(["_x", "__x", "_x__", "__x__", "x"].map(is_private), [true, true, false, false, false]);
    }
}

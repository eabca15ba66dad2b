//! What a source itself writes to objects and does with classes: tells missing code from bugs of the code at hand.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{ExceptHandler, Expr, Stmt};
use serde::{Deserialize, Serialize};

/// Names that a source gives a meaning beyond a single scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Attributes that some object is given: `total` of `self.total = 0`, but not of `self.total += 1`.
    pub attributes: BTreeSet<String>,
    /// Bases of classes that are raised or caught: `Failure` of `class Late(Failure): ...` and `except Late:`.
    pub error_bases: BTreeSet<String>,
}

impl Written {
    pub(crate) fn of(body: &[Stmt]) -> Self {
        let mut walk = Walk::default();
        walk.visit_body(body);
        let raised = |class: &String| walk.raised.contains(class);
        let error_bases = walk.bases.iter().filter(|(class, _)| raised(class)).flat_map(|(_, bases)| bases.clone());
        Self { error_bases: error_bases.collect(), attributes: walk.attributes }
    }
}

#[derive(Default)]
struct Walk {
    attributes: BTreeSet<String>,
    /// Bases of each class, without what qualifies them.
    bases: BTreeMap<String, BTreeSet<String>>,
    /// All names in `raise` and `except`.
    raised: BTreeSet<String>,
}

impl<'a> Visitor<'a> for Walk {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::AugAssign(assignment) => return self.visit_expr(&assignment.value),
            Stmt::AnnAssign(assignment) if assignment.value.is_none() => return,
            Stmt::ClassDef(class) => {
                let bases = class.arguments.iter().flat_map(|arguments| &arguments.args).filter_map(last_name);
                self.bases.entry(class.name.to_string()).or_default().extend(bases);
            }
            Stmt::Raise(raise) => self.raised.extend(raise.exc.as_deref().into_iter().flat_map(names)),
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(caught) = handler;
        self.raised.extend(caught.type_.as_deref().into_iter().flat_map(names));
        visitor::walk_except_handler(self, handler);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Attribute(attribute) = expr
            && attribute.ctx.is_store()
        {
            self.attributes.insert(attribute.attr.to_string());
        }
        visitor::walk_expr(self, expr);
    }
}

/// `Error` of `Error` and of `module.Error`.
fn last_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => Some(attribute.attr.to_string()),
        _ => None,
    }
}

/// The names of classes in what is raised or caught: `Late`, `Late("...")`, `(Late, module.Early)`.
fn names(expr: &Expr) -> Vec<String> {
    match expr {
        Expr::Call(call) => names(&call.func),
        Expr::Tuple(tuple) => tuple.elts.iter().flat_map(names).collect(),
        other => last_name(other).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_error_bases_are_those_that_the_source_writes() {
        let source = "class Late(net.Failure): pass\nclass Other(Base): pass\n\
            def f(self):\n    self.a = self.b, (self.c, x.d) = 1\n    self.e += 1\n    self.f: int\n    raise Late('x')\n";
        let parsed = ruff_python_parser::parse_module(source).expect("it parses");
        let written = Written::of(&parsed.syntax().body);
        let texts = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(texts(&written.attributes), "a b c d");
        assert_eq!(texts(&written.error_bases), "Failure");
    }
}

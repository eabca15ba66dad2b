//! What a function says of the values of its parameters: annotations, and the docstring.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Parameters, Stmt};
use ruff_text_size::Ranged;

use crate::semantic::SourceModel;

/// What the first function of a source says of its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The text of each parameter's annotation, by name.
    pub annotations: BTreeMap<String, String>,
    /// The docstring as it is written; empty without one.
    pub docstring: String,
    /// The texts of the annotations of parameters of functions inside it, by name; empty for one without.
    pub inner: BTreeMap<String, BTreeSet<String>>,
}

/// The hints of the first function of a source, in the classes around it.
#[must_use]
pub fn hints(model: &SourceModel) -> Hints {
    let text = model.text();
    model.with_tree(|tree| first(tree.suite(), text)).flatten().unwrap_or_default()
}

fn first(suite: &[Stmt], text: &str) -> Option<Hints> {
    suite.iter().find_map(|stmt| match stmt {
        Stmt::ClassDef(class) => first(&class.body, text),
        Stmt::FunctionDef(def) => {
            let annotated = def.parameters.iter().filter_map(|parameter| {
                let annotation = parameter.annotation()?;
                Some((parameter.name().to_string(), text[annotation.range()].to_owned()))
            });
            let docstring = def.body.first().filter(|stmt| ruff_python_ast::helpers::is_docstring_stmt(stmt));
            let mut inside = Inside { text, inner: BTreeMap::new() };
            inside.visit_body(&def.body);
            Some(Hints {
                inner: inside.inner,
                annotations: annotated.collect(),
                docstring: docstring.map(|stmt| text[stmt.range()].to_owned()).unwrap_or_default(),
            })
        }
        _ => None,
    })
}

/// Collects the parameters of functions.
struct Inside<'a> {
    text: &'a str,
    inner: BTreeMap<String, BTreeSet<String>>,
}

impl Inside<'_> {
    fn add(&mut self, parameters: &Parameters) {
        for parameter in parameters {
            let annotation = parameter.annotation().map(|annotation| self.text[annotation.range()].to_owned());
            self.inner.entry(parameter.name().to_string()).or_default().insert(annotation.unwrap_or_default());
        }
    }
}

impl Visitor<'_> for Inside<'_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::FunctionDef(def) = stmt {
            self.add(&def.parameters);
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        if let Expr::Lambda(lambda) = expr
            && let Some(parameters) = &lambda.parameters
        {
            self.add(parameters);
        }
        visitor::walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_and_docstring_of_the_first_function_are_hints() {
        let text = "class C(B):\n    def f(self, a: int, *b: 'x.Y', c=1) -> str:\n        '''It is.'''\n";
        let found = hints(&SourceModel::parse(text).expect("it parses"));
        let annotations: Vec<(&str, &str)> =
            found.annotations.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(annotations, [("a", "int"), ("b", "'x.Y'")]);
        assert_eq!(found.docstring, "'''It is.'''");
        assert!(found.inner.is_empty());
        let outer = "def f(a):\n    def g(b: int, c): pass\n    return lambda c: g(1, c)\n";
        let inner = hints(&SourceModel::parse(outer).expect("it parses")).inner;
        let expected =
            [("b", "int"), ("c", "")].map(|(name, text)| (name.to_owned(), BTreeSet::from([text.to_owned()])));
        assert_eq!(inner, BTreeMap::from(expected));
        assert_eq!(hints(&SourceModel::parse("x = 1\n").expect("it parses")), Hints::default());
    }
}

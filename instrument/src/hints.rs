//! What a function says of the values of its parameters: annotations, and the docstring.

use std::collections::BTreeMap;

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use crate::semantic::SourceModel;

/// What the first function of a source says of its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The text of each parameter's annotation, by name.
    pub annotations: BTreeMap<String, String>,
    /// The docstring as it is written; empty without one.
    pub docstring: String,
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
            Some(Hints {
                annotations: annotated.collect(),
                docstring: docstring.map(|stmt| text[stmt.range()].to_owned()).unwrap_or_default(),
            })
        }
        _ => None,
    })
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
        assert_eq!(hints(&SourceModel::parse("x = 1\n").expect("it parses")), Hints::default());
    }
}

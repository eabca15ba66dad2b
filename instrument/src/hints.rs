//! What a function says of the values of its parameters: annotations, and the docstring.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Number, Operator, Parameters, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;

use crate::extract::function;
use crate::semantic::SourceModel;

/// What a function says of its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Each parameter's annotation, by name, in one of the spellings that mean the same: `Optional[List[int]]` is
    /// `list[int] | None`.
    pub annotations: BTreeMap<String, String>,
    /// The defaults of parameters: as they are written, and the name of their class where that is plain (`int`).
    pub defaults: BTreeMap<String, (String, Option<&'static str>)>,
    /// Parameters that callers have to give: those without a default.
    pub required: BTreeSet<String>,
    /// The docstring as it is written; empty without one.
    pub docstring: String,
    /// The same of parameters of functions inside it; empty for one without.
    pub inner: BTreeMap<String, BTreeSet<String>>,
}

/// The hints of the function of a source that has this qualified name.
#[must_use]
pub fn hints(model: &SourceModel, qualname: &str) -> Hints {
    let text = model.text();
    model.with_tree(|tree| function(tree.suite(), qualname).map(|def| of(def, text))).flatten().unwrap_or_default()
}

fn of(def: &StmtFunctionDef, text: &str) -> Hints {
    let annotated = def.parameters.iter().filter_map(|parameter| {
        let annotation = parameter.annotation()?;
        Some((parameter.name().to_string(), spelled(annotation, text)))
    });
    let required = def.parameters.iter_non_variadic_params().filter(|parameter| parameter.default.is_none());
    let defaults = def.parameters.iter_non_variadic_params().filter_map(|parameter| {
        let default = parameter.default.as_deref()?;
        Some((parameter.name().to_string(), (text[default.range()].to_owned(), plain_class(default))))
    });
    let docstring = def.body.first().filter(|stmt| ruff_python_ast::helpers::is_docstring_stmt(stmt));
    let mut inside = Inside { text, inner: BTreeMap::new() };
    inside.visit_body(&def.body);
    Hints {
        inner: inside.inner,
        annotations: annotated.collect(),
        defaults: defaults.collect(),
        required: required.map(|parameter| parameter.name().to_string()).collect(),
        docstring: docstring.map(|stmt| text[stmt.range()].to_owned()).unwrap_or_default(),
    }
}

/// The class of a text, a number or a truth that is written out.
fn plain_class(value: &Expr) -> Option<&'static str> {
    match value {
        Expr::StringLiteral(_) => Some("str"),
        Expr::BooleanLiteral(_) => Some("bool"),
        Expr::NumberLiteral(number) => match number.value {
            Number::Int(_) => Some("int"),
            Number::Float(_) => Some("float"),
            Number::Complex { .. } => None,
        },
        Expr::UnaryOp(minus) => plain_class(&minus.operand),
        _ => None,
    }
}

/// Names of `typing` for what has a shorter one.
const SHORTER: [(&str, &str); 7] = [
    ("List", "list"),
    ("Dict", "dict"),
    ("Set", "set"),
    ("FrozenSet", "frozenset"),
    ("Tuple", "tuple"),
    ("Type", "type"),
    ("Text", "str"),
];
/// What modules of types are called.
const MODULES: [&str; 5] = ["typing", "t", "typing_extensions", "te", "collections.abc"];

/// An annotation as it is spelled since Python 3.10 (PEP 585, PEP 604).
fn spelled(annotation: &Expr, text: &str) -> String {
    let written = || text[annotation.range()].to_owned();
    let all = |elements: &[Expr], between: &str| {
        elements.iter().map(|element| spelled(element, text)).collect::<Vec<_>>().join(between)
    };
    match annotation {
        Expr::StringLiteral(quoted) => {
            let inside = quoted.value.to_str();
            match ruff_python_parser::parse_expression(inside) {
                Ok(parsed) => spelled(parsed.expr(), inside),
                Err(_) => written(),
            }
        }
        Expr::Name(name) => {
            let shorter = SHORTER.iter().find(|(long, _)| *long == name.id.as_str());
            shorter.map_or_else(written, |(_, short)| (*short).to_owned())
        }
        Expr::Attribute(attribute) if MODULES.contains(&&text[attribute.value.range()]) => {
            let name = attribute.attr.as_str();
            SHORTER.iter().find(|(long, _)| *long == name).map_or(name, |(_, short)| short).to_owned()
        }
        Expr::Subscript(subscript) => {
            let inside = match &*subscript.slice {
                Expr::Tuple(tuple) => &tuple.elts,
                one => std::slice::from_ref(one),
            };
            match spelled(&subscript.value, text).as_str() {
                "Optional" => format!("{} | None", all(inside, ", ")),
                "Union" => all(inside, " | "),
                outer => format!("{outer}[{}]", all(inside, ", ")),
            }
        }
        Expr::BinOp(either) if either.op == Operator::BitOr => {
            format!("{} | {}", spelled(&either.left, text), spelled(&either.right, text))
        }
        Expr::List(list) => format!("[{}]", all(&list.elts, ", ")),
        _ => written(),
    }
}

/// Collects the parameters of functions.
struct Inside<'a> {
    text: &'a str,
    inner: BTreeMap<String, BTreeSet<String>>,
}

impl Inside<'_> {
    fn add(&mut self, parameters: &Parameters) {
        for parameter in parameters {
            let annotation = parameter.annotation().map(|annotation| spelled(annotation, self.text));
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
    fn annotations_have_one_spelling() {
        let spelling = |annotation: &str| {
            let text = format!("def f(a: {annotation}): pass\n");
            hints(&SourceModel::parse(text.as_str()).expect("it parses"), "f").annotations["a"].clone()
        };
        assert_eq!(spelling("t.Optional[typing.List['C']]"), "list[C] | None");
        assert_eq!(
            spelling("Union[int, Callable[[Dict[str, x.Set]], None]]"),
            "int | Callable[[dict[str, x.Set]], None]"
        );
        assert_eq!(spelling("'int | no python'"), "'int | no python'");
    }

    #[test]
    fn annotations_and_docstring_of_a_function_are_hints() {
        let of = |text: &str, qualname| hints(&SourceModel::parse(text).expect("it parses"), qualname);
        let text = "def f(b): pass\nclass C(B):\n    @overload\n    def f(self, a: str): pass\n    def f(self, a: int, *b: 'x.Y', c=1) -> str:\n        '''It is.'''\n";
        let found = of(text, "C.f");
        let annotations: Vec<(&str, &str)> =
            found.annotations.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(annotations, [("a", "int"), ("b", "x.Y")]);
        assert_eq!(found.docstring, "'''It is.'''");
        assert_eq!(found.required.iter().collect::<Vec<_>>(), ["a", "self"]);
        assert!(found.inner.is_empty());
        let outer = "def f(a):\n    def g(b: int, c): pass\n    return lambda c: g(1, c)\n";
        let inner = of(outer, "f").inner;
        let expected =
            [("b", "int"), ("c", "")].map(|(name, text)| (name.to_owned(), BTreeSet::from([text.to_owned()])));
        assert_eq!(inner, BTreeMap::from(expected));
        assert_eq!(of("if x:\n    def f(a): pass\nelse:\n    def f(a, b): pass\n", "f").required.len(), 2);
        assert_eq!(of(outer, "f.<locals>.g").required.len(), 2);
        assert_eq!(of("x = 1\n", "f"), Hints::default());
    }
}

//! The constructors of a class as a text by which those of two versions are compared: `__init__` and `__new__` without annotations
//! and documentation, and the `__init__` that `dataclass` makes of fields.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{
    Expr, ExprCall, ExprRef, ParameterWithDefault, Parameters, Stmt, StmtAnnAssign, StmtClassDef, StmtFunctionDef,
};
use ruff_text_size::Ranged;

use crate::semantic::SourceModel;

/// What the constructors of a class and of its bases in its source are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constructors {
    /// Their text; empty where there are none.
    pub text: String,
    /// The annotations of their parameters, of all that have one name.
    pub annotations: BTreeMap<String, Vec<String>>,
    /// One of them is made by `dataclass`, which leaves defaults in the class.
    pub is_made: bool,
}

/// The constructors of the class of this qualified name.
#[must_use]
pub fn constructors(model: &SourceModel, class: &str) -> Constructors {
    let inherited = model.bases_of(class.rsplit('.').next().unwrap_or(class));
    let found = Constructors::default();
    let mut reader = Reader { text: model.text(), class, inherited, texts: Vec::new(), found };
    model.with_tree(|tree| reader.visit(tree.suite(), ""));
    Constructors { text: reader.texts.join("\n"), ..reader.found }
}

struct Reader<'a> {
    text: &'a str,
    class: &'a str,
    inherited: BTreeSet<String>,
    texts: Vec<String>,
    found: Constructors,
}

impl<'a> Reader<'a> {
    /// Takes the constructors of the classes that a suite defines, at any depth.
    fn visit(&mut self, suite: &[Stmt], around: &str) {
        for stmt in suite {
            match stmt {
                Stmt::ClassDef(class) => {
                    let name = format!("{around}{}", class.name);
                    if name == self.class || self.inherited.contains(&name) {
                        self.of_class(class);
                    }
                    self.visit(&class.body, &format!("{name}."));
                }
                Stmt::FunctionDef(function) => self.visit(&function.body, &format!("{around}{}.", function.name)),
                Stmt::If(branch) => {
                    self.visit(&branch.body, around);
                    for clause in &branch.elif_else_clauses {
                        self.visit(&clause.body, around);
                    }
                }
                Stmt::Try(block) => {
                    self.visit(&block.body, around);
                    for handler in &block.handlers {
                        if let Some(handler) = handler.as_except_handler() {
                            self.visit(&handler.body, around);
                        }
                    }
                    self.visit(&block.orelse, around);
                }
                _ => {}
            }
        }
    }

    fn of_class(&mut self, class: &StmtClassDef) {
        let methods = || class.body.iter().filter_map(Stmt::as_function_def_stmt);
        let mut decorators = class.decorator_list.iter().map(|decorator| &decorator.expression);
        let decorator = decorators.find(|decorator| is_dataclass(decorator));
        let has = |option: &str, value: bool| {
            decorator.and_then(Expr::as_call_expr).is_some_and(|call| literal(call, option) == Some(value))
        };
        if decorator.is_some() && !has("init", false) && methods().all(|method| method.name.as_str() != "__init__") {
            let made = self.of_fields(class, has("kw_only", true));
            self.texts.push(made);
            self.found.is_made = true;
            let prepared = methods().filter(|method| method.name.as_str() == "__post_init__");
            let prepared: Vec<String> = prepared.map(|method| self.body(method)).collect();
            self.texts.extend(prepared);
        }
        for method in methods().filter(|method| matches!(method.name.as_str(), "__init__" | "__new__")) {
            let parameters = self.parameters(&method.parameters);
            let text = format!("def {}({}):\n{}", method.name, parameters.join(", "), self.body(method));
            self.texts.push(text);
            for parameter in &method.parameters {
                if let Some(annotation) = parameter.annotation() {
                    self.annotate(parameter.name(), annotation);
                }
            }
        }
    }

    /// The `__init__` that `dataclass` makes.
    fn of_fields(&mut self, class: &StmtClassDef, keywords_only: bool) -> String {
        let mut parameters = vec!["self".to_owned()];
        parameters.extend(keywords_only.then(|| "*".to_owned()));
        let mut body = Vec::new();
        for field in class.body.iter().filter_map(Stmt::as_ann_assign_stmt) {
            let Some(name) = field.target.as_name_expr() else { continue };
            if self.of(&*field.annotation).contains("ClassVar") {
                continue;
            }
            let options = field.value.as_deref().and_then(Expr::as_call_expr).filter(|call| self.is_field(call));
            let default = match options {
                Some(call) => {
                    argument(call, "default").or_else(|| argument(call, "default_factory").map(|_| call.into()))
                }
                None => field.value.as_deref().map(Into::into),
            };
            let default = default.map(|value: ExprRef| self.of(&value));
            if options.is_some_and(|call| is_false(call, "init")) {
                body.extend(default.map(|value| format!("self.{} = {value}", name.id)));
                continue;
            }
            self.annotate(&name.id, &field.annotation);
            parameters.push(default.map_or_else(|| name.id.to_string(), |value| format!("{}={value}", name.id)));
            body.push(format!("self.{0} = {0}", name.id));
        }
        format!("def __init__({}):\n{}", parameters.join(", "), body.join("\n"))
    }

    fn annotate(&mut self, parameter: &str, annotation: &Expr) {
        let text = self.of(annotation).to_owned();
        self.found.annotations.entry(parameter.to_owned()).or_default().push(text);
    }

    fn is_field(&self, call: &ExprCall) -> bool {
        self.of(&*call.func).rsplit('.').next() == Some("field")
    }

    /// Parameters with their defaults, without annotations.
    fn parameters(&self, all: &Parameters) -> Vec<String> {
        let one = |parameter: &ParameterWithDefault| match &parameter.default {
            Some(default) => format!("{}={}", parameter.parameter.name, self.of(&**default)),
            None => parameter.parameter.name.to_string(),
        };
        let mut found: Vec<String> = all.posonlyargs.iter().map(one).collect();
        found.extend((!found.is_empty()).then(|| "/".to_owned()));
        found.extend(all.args.iter().map(one));
        match &all.vararg {
            Some(rest) => found.push(format!("*{}", rest.name)),
            None => found.extend((!all.kwonlyargs.is_empty()).then(|| "*".to_owned())),
        }
        found.extend(all.kwonlyargs.iter().map(one));
        found.extend(all.kwarg.as_ref().map(|rest| format!("**{}", rest.name)));
        found
    }

    /// The statements of a body, but for what only documents; of an annotated assignment what it assigns.
    fn body(&self, method: &StmtFunctionDef) -> String {
        let statement = |stmt: &Stmt| match stmt {
            Stmt::Expr(one) if one.value.is_string_literal_expr() => None,
            Stmt::AnnAssign(assign) => self.assignment(assign),
            stmt => Some(self.of(stmt).to_owned()),
        };
        method.body.iter().filter_map(statement).collect::<Vec<_>>().join("\n")
    }

    fn assignment(&self, assign: &StmtAnnAssign) -> Option<String> {
        assign.value.as_deref().map(|value| format!("{} = {}", self.of(&*assign.target), self.of(value)))
    }

    fn of(&self, node: &impl Ranged) -> &'a str {
        &self.text[node.range().to_std_range()]
    }
}

/// True for `dataclass`, called with options or not.
fn is_dataclass(decorator: &Expr) -> bool {
    match decorator.as_call_expr().map_or(decorator, |call| &*call.func) {
        Expr::Name(name) => name.id.as_str() == "dataclass",
        Expr::Attribute(attribute) => attribute.attr.as_str() == "dataclass",
        _ => false,
    }
}

fn argument<'a>(call: &'a ExprCall, name: &str) -> Option<ExprRef<'a>> {
    call.arguments.find_keyword(name).map(|keyword| (&keyword.value).into())
}

fn is_false(call: &ExprCall, name: &str) -> bool {
    literal(call, name) == Some(false)
}

fn literal(call: &ExprCall, name: &str) -> Option<bool> {
    call.arguments.find_keyword(name)?.value.as_boolean_literal_expr().map(|literal| literal.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_class(text: &str, class: &str) -> Constructors {
        constructors(&SourceModel::parse(text).expect("it parses"), class)
    }

    fn read(text: &str, class: &str) -> String {
        of_class(text, class).text
    }

    #[test]
    fn annotations_and_documentation_are_left_out() {
        let old = "class A(B):\n    def __init__(self, x, y=0, *, z=1):\n        self.x = x\n        self.y = y\n\
                   class B:\n    def __new__(cls, *a, **k):\n        return super().__new__(cls)\n";
        let new = "class A(B):\n    def __init__(self, x: int, y: int = 0, *, z: str = 1) -> None:\n        '''Makes it.'''\n        \
                   self.x: int = x  # as it is\n        self.y = y\n\
                   class B:\n    def __new__(cls, *a, **k):\n        return super().__new__(cls)\nclass C:\n    def __init__(self): pass\n";
        assert_eq!(read(old, "A"), read(new, "A"));
        assert!(read(old, "A").contains("def __new__(cls, *a, **k):"), "also those of bases");
        assert_eq!(read(new, "D"), "");
        let annotations = of_class(new, "A").annotations;
        let expected =
            [("x", "int"), ("y", "int"), ("z", "str")].map(|(name, text)| (name.to_owned(), vec![text.to_owned()]));
        assert_eq!(annotations, expected.into());
    }

    #[test]
    fn fields_of_a_dataclass_are_its_constructor() {
        let old = "if x:\n    class A:\n        def __init__(self, x, y=0):\n            self.x = x\n            self.y = y\n";
        let new = "@dataclass(frozen=True)\nclass A:\n    x: int\n    y: int = field(default=0, repr=False)\n    z: ClassVar[int] = 3\n";
        assert_eq!(read(old, "A"), read(new, "A"));
        assert!(of_class(new, "A").is_made && !of_class(old, "A").is_made);
        let other = "@dataclasses.dataclass\nclass A:\n    x: int\n    y: int = 1\n";
        assert_ne!(read(old, "A"), read(other, "A"));
        assert_eq!(read("@dataclass(init=False)\nclass A:\n    x: int\n", "A"), "");
        let made = "@dataclass(kw_only=True)\nclass A:\n    x: list = field(default_factory=list)\n    y: int = field(init=False)\n    \
                    def __post_init__(self):\n        self.y = len(self.x)\n";
        let text = "def __init__(self, *, x=field(default_factory=list)):\nself.x = x\nself.y = len(self.x)";
        assert_eq!(read(made, "A"), text);
    }
}

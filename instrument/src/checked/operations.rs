//! Operations that leave most values as they are, and tell few of them apart: methods of texts, functions of numbers.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, Operator, Stmt};
use ruff_text_size::Ranged;

use super::read::Read;
use super::{Checks, FAILING, NEAR, NUMBER, ONE_OF, TEXT};
use crate::guards::quoted;
use crate::semantic::builtin::is_builtin;

/// Methods of texts, by what they heed.
const SPACE: [&str; 5] = ["strip", "lstrip", "rstrip", "expandtabs", "isspace"];
const CASE: [&str; 9] =
    ["lower", "upper", "casefold", "swapcase", "title", "capitalize", "islower", "isupper", "istitle"];
const PARTS: [&str; 5] = ["split", "rsplit", "splitlines", "partition", "rpartition"];
const LETTERS: [&str; 8] =
    ["isalpha", "isalnum", "isdigit", "isdecimal", "isnumeric", "isidentifier", "isascii", "encode"];
/// What rounds numbers, or writes them.
const ROUNDING: [&str; 6] = ["round", "int", "divmod", "floor", "ceil", "trunc"];
/// Exceptions that say how code is written, or which Python runs it, and those that end a program.
const OF_CODE: [&str; 12] = [
    "NameError",
    "UnboundLocalError",
    "ImportError",
    "ModuleNotFoundError",
    "SyntaxError",
    "AttributeError",
    "TypeError",
    "StopIteration",
    "StopAsyncIteration",
    "KeyboardInterrupt",
    "SystemExit",
    "GeneratorExit",
];

impl Checks<'_> {
    /// A method of a text, or a function of a number, is called.
    pub(super) fn ask_operation(&mut self, call: &ast::ExprCall) {
        let arguments = &self.text[call.arguments.range()];
        let name = match &*call.func {
            Expr::Attribute(method) => {
                let name = method.attr.as_str();
                let kinds = [("space", &SPACE[..]), ("case", &CASE), ("parts", &PARTS), ("letters", &LETTERS)];
                if let Some((kind, _)) = kinds.into_iter().find(|(_, names)| names.contains(&name)) {
                    // Behind the zero byte, so that other arguments make another question.
                    self.keep(&method.value, &format!("{TEXT}{kind}\0{name}{arguments}"));
                }
                if let ("join", [parts]) = (name, &*call.arguments.args) {
                    self.ask_joined(parts);
                }
                if name == "format" && method.value.as_string_literal_expr().is_some_and(has_form) {
                    let form = &self.text[method.value.range()];
                    return self.ask_number(&call.arguments.args, form);
                }
                name
            }
            Expr::Name(name) => name.id.as_str(),
            _ => return,
        };
        if ROUNDING.contains(&name) {
            self.ask_number(&call.arguments.args, name);
        }
    }

    /// What is joined consists of texts.
    fn ask_joined(&mut self, parts: &Expr) {
        let elements = match parts {
            Expr::Generator(ast::ExprGenerator { elt, generators, .. })
            | Expr::ListComp(ast::ExprListComp { elt, generators, .. }) => {
                let name = |expr: &Expr| expr.as_name_expr().map(|name| name.id.clone());
                let from = |one: &&ast::Comprehension| name(&one.target).is_some() && name(&one.target) == name(elt);
                generators.iter().find(from).map(|one| self.elements(&one.iter)).unwrap_or_default()
            }
            parts => self.elements(parts),
        };
        self.found.extend(elements.into_iter().map(|key| (key, format!("{TEXT}joined"))));
    }

    /// A text is compared in one case: it may be written in the other.
    pub(super) fn ask_case(&mut self, compare: &ast::ExprCompare) {
        let Expr::Call(call) = &*compare.left else { return };
        let Expr::Attribute(method) = &*call.func else { return };
        let ([other], true) = (&*compare.comparators, CASE.contains(&method.attr.as_str())) else { return };
        let several = match other {
            Expr::Tuple(ast::ExprTuple { elts, .. })
            | Expr::List(ast::ExprList { elts, .. })
            | Expr::Set(ast::ExprSet { elts, .. }) => elts,
            one => std::slice::from_ref(one),
        };
        for text in several.iter().filter_map(|one| one.as_string_literal_expr()) {
            if let Some(other) = quoted(&in_other_case(text.value.to_str())) {
                self.keep(&method.value, &format!("{ONE_OF}{other}\0{}", method.attr));
            }
        }
    }

    /// A value is compared with a whole number.
    pub(super) fn ask_bound(&mut self, compare: &ast::ExprCompare) {
        let ([op], [bound]) = (&*compare.ops, &*compare.comparators) else { return };
        if let Some(bound) = small(bound) {
            self.keep(&compare.left, &format!("{NEAR}{bound}\0{}", op.as_str()));
        }
        if let (Some(bound), true) = (small(&compare.left), compare.comparators[0].is_name_expr()) {
            self.keep(&compare.comparators[0], &format!("{NEAR}{bound}\0of {}", op.as_str()));
        }
    }

    /// A number is divided without rest, or written in a form.
    pub(super) fn ask_form(&mut self, expr: &Expr) {
        match expr {
            Expr::BinOp(binary) if binary.op == Operator::FloorDiv => {
                self.ask_number(std::slice::from_ref(&*binary.left), "//");
            }
            Expr::BinOp(binary) if binary.op == Operator::Mod => {
                let Some(text) = binary.left.as_string_literal_expr() else { return };
                let operands = match &*binary.right {
                    Expr::Tuple(tuple) => &*tuple.elts,
                    one => std::slice::from_ref(one),
                };
                for (form, operand) in conversions(text.value.to_str()).iter().zip(operands) {
                    if !form.ends_with(['s', 'r', 'a', 'c']) {
                        self.ask_number(std::slice::from_ref(operand), form);
                    }
                }
            }
            Expr::FString(formatted) => {
                for part in formatted.value.elements().filter_map(|element| element.as_interpolation()) {
                    if let Some(form) = &part.format_spec {
                        let form = &self.text[form.range()];
                        self.ask_number(std::slice::from_ref(&*part.expression), form);
                    }
                }
            }
            _ => {}
        }
    }

    fn ask_number(&mut self, operands: &[Expr], operation: &str) {
        let keys = operands.iter().flat_map(|operand| Read::keys_in(self, operand)).collect::<Vec<_>>();
        self.found.extend(keys.into_iter().map(|key| (key, format!("{NUMBER}\0{operation}"))));
    }

    /// Handlers catch what calls in the body raise.
    pub(super) fn ask_calls(&mut self, body: &[Stmt], errors: &[Option<String>]) {
        let mut called = Called::default();
        called.visit_body(body);
        for name in called.names {
            for error in errors {
                let error = error.as_deref().unwrap_or("Exception");
                if !OF_CODE.contains(&error) {
                    self.found.insert((format!("return value:{name}"), format!("{FAILING}{error}")));
                }
            }
        }
    }
}

/// Large letters for small ones, or small ones where there are none.
#[must_use]
pub fn in_other_case(text: &str) -> String {
    if text.chars().any(char::is_lowercase) { text.to_uppercase() } else { text.to_lowercase() }
}

/// The conversions of a text that stands before `%`: `%s`, `%-5.1f`. None where a width is an operand, too.
fn conversions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let text = text.replace("%%", "");
    for rest in text.split('%').skip(1) {
        let is_conversion = |letter: char| letter.is_ascii_alphabetic() && !"hlL".contains(letter);
        let named = rest.strip_prefix('(').and_then(|named| named.split_once(')'));
        let rest = named.map_or(rest, |(_, rest)| rest);
        let Some(end) = rest.find(is_conversion) else { return Vec::new() };
        if rest[..end].contains('*') {
            return Vec::new();
        }
        found.push(format!("%{}", &rest[..=end]));
    }
    found
}

/// True for a text of `format` in which a field has a form: `'{:.2f}'`, but not `'{0.major}'`.
fn has_form(text: &ast::ExprStringLiteral) -> bool {
    let fields = text.value.to_str().split('{').skip(1);
    let names = fields.filter_map(|field| Some(field.split_once(':')?.0));
    names.into_iter().any(|name| !name.contains(['}', '.', '[']))
}

/// True for a form in which whole numbers are written: `%d`, `05d`. Whoever writes `%d` has whole numbers, and cuts off the
/// fraction of others without meaning to.
#[must_use]
pub fn writes_whole_numbers(form: &str) -> bool {
    match form.strip_prefix('%') {
        Some(conversion) => conversion.ends_with(['d', 'i', 'u']),
        None => {
            form == "d"
                || form.ends_with('d') && form.starts_with(|first: char| !first.is_alphabetic() && first != '\'')
        }
    }
}

/// A whole number of which one more and one less are numbers, too.
fn small(expr: &Expr) -> Option<i64> {
    let number = expr.as_number_literal_expr()?.value.as_int()?.as_i64()?;
    (number < 1 << 31).then_some(number)
}

/// Collects the names of what a body calls itself.
#[derive(Default)]
struct Called {
    names: Vec<String>,
}

impl Visitor<'_> for Called {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            visitor::walk_stmt(self, stmt);
        }
    }

    fn visit_expr(&mut self, expr: &Expr) {
        if expr.is_lambda_expr() {
            return;
        }
        if let Expr::Call(call) = expr {
            match &*call.func {
                Expr::Name(name) if !is_builtin(&name.id) => self.names.push(name.id.to_string()),
                Expr::Attribute(method) => self.names.push(method.attr.to_string()),
                _ => {}
            }
        }
        visitor::walk_expr(self, expr);
    }
}

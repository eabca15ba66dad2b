//! What a source asks of values: whether they are instances of classes, `None`, or true, which exceptions it expects of
//! what it does with them, and operations that few values show to be there.

mod bound;
mod equated;
mod held;
mod offered;
mod operations;
mod parameters;
mod read;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::helpers::map_subscript;
use ruff_python_ast::name::UnqualifiedName;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, CmpOp, Expr, Pattern, Stmt, UnaryOp};
use rustc_hash::FxHashMap;

pub use self::bound::bindings;
pub use self::equated::{Equated, equated};
pub use self::operations::{in_other_case, writes_whole_numbers};
use self::read::Read;
use self::tables::Tables;
pub use crate::semantic::builtin::is_builtin;
use crate::semantic::{SourceModel, handler_names, suppressed_names};

/// A question that a condition asks: what it is about (`variable:x`, `attribute:x`, `return value:x`, `element:x` for
/// what `x` holds, or `part 0:x` for the first part of an element), and the dotted name of the class, `None`, `FALSY`, or a text
/// with one of the constants below before it.
pub type Check = (String, String);

/// What stands before a dotted name where the value may be what it stands for: `kind is int`, `level == Level.LOW`.
pub const ITSELF: &str = "itself ";

/// What stands in place of a class where the condition is the value itself.
pub const FALSY: &str = "falsy";

/// What stands before the name of an exception that a handler catches where the value is read.
pub const RAISING: &str = "raising ";

/// What stands before a literal that the value may be: one that a container of the source holds where the value is looked up in
/// it, a text that a regular expression matches. Behind a zero byte it says what the literal stands for, or the expression.
pub const ONE_OF: &str = "one of ";

/// What stands before the kind of a method of texts that the value has, with the call behind a zero byte.
pub const TEXT: &str = "text ";

/// What stands before an operation that rounds or writes the value, behind a zero byte.
pub const NUMBER: &str = "number ";

/// What stands before a whole number that the value is compared with, which has the operator behind a zero byte.
pub const NEAR: &str = "near ";

/// What stands before the name of an attribute that the value may have, with the function that asks behind a zero byte.
pub const OFFERS: &str = "offers ";

/// What stands before the name of an exception that a handler catches where the function is called.
pub const FAILING: &str = "failing ";

/// What stands before the key of an element that there may not be, until the element is asked something.
const PERHAPS: &str = "perhaps ";

/// All checks of a source by `isinstance`, `type(x) is C`, class patterns, `x is None`, truth, handlers, containers that it writes
/// down, regular expressions, attributes by name, methods of texts and functions of numbers.
#[must_use]
pub fn checks(model: &SourceModel) -> BTreeSet<Check> {
    let collect = |suite: &[Stmt]| {
        let mut checks = Checks { text: model.text(), ..Checks::default() };
        checks.bind_parameters(suite);
        checks.visit_body(suite);
        checks.found
    };
    model.with_tree(|tree| collect(tree.suite())).unwrap_or_default()
}

/// Values that a source calls, by kind and name of use: `element:hooks` where `hook = hooks[name]` is called.
#[must_use]
pub fn called_values(model: &SourceModel) -> BTreeSet<String> {
    let collect = |suite: &[Stmt]| {
        let mut checks = Checks { text: model.text(), ..Checks::default() };
        checks.visit_body(suite);
        checks.called
    };
    model.with_tree(|tree| collect(tree.suite())).unwrap_or_default()
}

#[derive(Default)]
struct Checks<'t> {
    text: &'t str,
    found: BTreeSet<Check>,
    /// Values that are called.
    called: BTreeSet<String>,
    /// Constants that values are compared with.
    equated: BTreeMap<String, Vec<Equated>>,
    /// Containers and regular expressions that variables hold.
    tables: Tables,
    /// Where the values of local variables come from.
    sources: FxHashMap<String, BTreeSet<String>>,
    /// What holds the elements of local variables, too: what they are copied from.
    held: FxHashMap<String, BTreeSet<String>>,
    /// Parameters of the functions, as far as they were seen.
    parameters: BTreeSet<String>,
    /// Variables that functions bind, as far as they were seen: another run of them has another value.
    locals: BTreeSet<String>,
    /// Functions around the statement.
    depth: usize,
}

impl Checks<'_> {
    /// What an expression reads, as far as a value can be given there.
    fn keys(&self, value: &Expr) -> BTreeSet<String> {
        match value {
            Expr::Name(name) => {
                let mut keys = self.sources.get(name.id.as_str()).cloned().unwrap_or_default();
                keys.insert(format!("variable:{}", name.id)); // it may be a parameter that is bound again
                keys
            }
            Expr::Attribute(attribute) => BTreeSet::from([format!("attribute:{}", attribute.attr)]),
            Expr::Named(named) => self.keys(&named.value),
            Expr::Subscript(subscript) => self.elements(&subscript.value),
            Expr::BoolOp(several) => several.values.iter().flat_map(|one| self.keys(one)).collect(),
            Expr::If(choice) => [&choice.body, &choice.orelse].into_iter().flat_map(|one| self.keys(one)).collect(),
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) => BTreeSet::from([format!("return value:{}", name.id)]),
                Expr::Attribute(method) => {
                    let mut keys = BTreeSet::from([format!("return value:{}", method.attr)]);
                    if matches!(method.attr.as_str(), "get" | "pop" | "setdefault") {
                        keys.extend(self.elements(&method.value).into_iter().map(|key| format!("{PERHAPS}{key}")));
                    }
                    keys
                }
                _ => BTreeSet::new(),
            },
            _ => BTreeSet::new(),
        }
    }

    /// Binds the target of a loop to what an expression holds.
    fn bind_elements(&mut self, target: &Expr, iterable: &Expr) {
        let elements = self.elements(iterable);
        let Expr::Tuple(several) = target else { return self.bind(target, elements) };
        for (number, one) in several.elts.iter().enumerate() {
            let parts = elements.iter().filter_map(|key| Some(format!("part {number}:{}", key.split_once(':')?.1)));
            self.bind(one, parts.collect());
        }
        if let (Expr::Call(call), [_, value]) = (iterable, &*several.elts)
            && let Expr::Attribute(method) = &*call.func
            && method.attr.as_str() == "items"
        {
            self.bind(value, self.elements(&method.value));
        }
    }

    fn bind(&mut self, target: &Expr, keys: BTreeSet<String>) {
        self.bind_local(target);
        if let Expr::Name(name) = target
            && !keys.is_empty()
        {
            self.sources.entry(name.id.to_string()).or_default().extend(keys);
        }
    }

    fn bind_local(&mut self, target: &Expr) {
        if let (Expr::Name(name), true) = (target, self.depth > 0) {
            self.locals.insert(name.id.to_string());
        }
    }

    fn ask(&mut self, subject: &Expr, classes: &Expr) {
        if let Expr::Tuple(several) = classes {
            return several.elts.iter().for_each(|one| self.ask(subject, one));
        }
        if let Expr::BinOp(either) = classes {
            self.ask(subject, &either.left);
            self.ask(subject, &either.right);
        }
        if let Some(class) = UnqualifiedName::from_expr(map_subscript(classes)) {
            let root = class.segments().first().copied().unwrap_or_default();
            // What a variable of the function holds is another class in each run.
            if !self.parameters.contains(root) && !self.locals.contains(root) {
                self.keep(subject, &class.to_string());
            }
        }
    }

    fn keep(&mut self, subject: &Expr, class: &str) {
        // Where there may be no element, `None` says so.
        let known = |key: String| match key.strip_prefix(PERHAPS) {
            Some(_) if class == "None" => None,
            Some(element) => Some(element.to_owned()),
            None => Some(key),
        };
        let keys = self.keys(subject);
        self.found.extend(keys.into_iter().filter_map(known).map(|key| (key, class.to_owned())));
    }

    /// A value is compared with what a name stands for, or with several of these.
    fn ask_constant(&mut self, subject: &Expr, op: CmpOp, constant: &Expr) {
        if let (
            CmpOp::In | CmpOp::NotIn,
            Expr::Tuple(ast::ExprTuple { elts, .. })
            | Expr::Set(ast::ExprSet { elts, .. })
            | Expr::List(ast::ExprList { elts, .. }),
        ) = (op, constant)
        {
            return elts.iter().for_each(|one| self.ask_constant(subject, CmpOp::Eq, one));
        }
        let is_identity = matches!(op, CmpOp::Is | CmpOp::IsNot);
        if (is_identity || matches!(op, CmpOp::Eq | CmpOp::NotEq))
            && matches!(subject, Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_))
            && let Some(name) = UnqualifiedName::from_expr(constant)
            && (is_identity || is_constant(&name))
            && let Some(root) = name.segments().first()
            && !self.locals.contains(*root)
            && (constant.is_name_expr() || !self.parameters.contains(*root))
        {
            self.keep(subject, &format!("{ITSELF}{name}"));
        }
    }

    /// Handlers catch what the body does with the values that it reads.
    fn ask_handlers(&mut self, body: &[Stmt], errors: Vec<Option<String>>) {
        if errors.is_empty() {
            return;
        }
        self.ask_calls(body, &errors);
        let errors: Vec<String> = errors.into_iter().flatten().collect();
        let keys = Read::keys_of(self, body);
        let asked =
            keys.iter().flat_map(|key| errors.iter().map(move |error| (key.clone(), format!("{RAISING}{error}"))));
        self.found.extend(asked);
    }

    /// The truth of an expression decides something.
    fn ask_truth(&mut self, test: &Expr) {
        // The operands of operators are visited.
        if matches!(test, Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) | Expr::Named(_)) {
            self.keep(test, FALSY);
        }
    }
}

impl Visitor<'_> for Checks<'_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign(assign) => {
                let (keys, held) = (self.keys(&assign.value), self.elements(&assign.value));
                assign.targets.iter().for_each(|target| {
                    self.bind(target, keys.clone());
                    self.bind_held(target, &held);
                    self.tables.bind(target, &assign.value, self.text);
                });
            }
            Stmt::AnnAssign(ast::StmtAnnAssign { target, value: Some(value), .. }) => {
                self.bind_local(target);
                self.tables.bind(target, value, self.text);
            }
            Stmt::For(each) => {
                self.bind_elements(&each.target, &each.iter);
            }
            Stmt::Match(choice) => {
                for case in &choice.cases {
                    if let Pattern::MatchClass(class) = &case.pattern {
                        self.ask(&choice.subject, &class.cls);
                    }
                    self.equate_pattern(&choice.subject, &case.pattern);
                }
            }
            Stmt::If(choice) => {
                self.ask_truth(&choice.test);
                choice.elif_else_clauses.iter().filter_map(|one| one.test.as_ref()).for_each(|one| self.ask_truth(one));
            }
            Stmt::While(looped) => self.ask_truth(&looped.test),
            Stmt::Assert(held) => self.ask_truth(&held.test),
            Stmt::FunctionDef(def) => {
                self.parameters.extend(def.parameters.iter().map(|parameter| parameter.name().to_string()));
                self.depth += 1;
                visitor::walk_stmt(self, stmt);
                self.depth -= 1;
                return;
            }
            Stmt::Try(tried) => {
                self.ask_handlers(&tried.body, tried.handlers.iter().flat_map(handler_names).collect());
            }
            Stmt::With(with) => {
                let errors: Vec<_> = with.items.iter().flat_map(|item| suppressed_names(&item.context_expr)).collect();
                self.ask_handlers(&with.body, errors);
            }
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            // Its variables are bound before its elements are made.
            Expr::ListComp(ast::ExprListComp { generators, .. })
            | Expr::SetComp(ast::ExprSetComp { generators, .. })
            | Expr::DictComp(ast::ExprDictComp { generators, .. })
            | Expr::Generator(ast::ExprGenerator { generators, .. }) => {
                for generator in generators {
                    self.bind_elements(&generator.target, &generator.iter);
                    generator.ifs.iter().for_each(|test| self.ask_truth(test));
                }
            }
            Expr::If(choice) => self.ask_truth(&choice.test),
            Expr::BoolOp(several) => several.values.iter().for_each(|one| self.ask_truth(one)),
            Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::Not, operand, .. }) => self.ask_truth(operand),
            Expr::Named(named) => {
                let keys = self.keys(&named.value);
                self.bind(&named.target, keys);
            }
            Expr::Call(call) => {
                if matches!(&*call.func, Expr::Name(_) | Expr::Subscript(_)) {
                    let keys = self.keys(&call.func);
                    self.called.extend(keys.iter().map(|key| key.strip_prefix(PERHAPS).unwrap_or(key).to_owned()));
                }
                if let (Expr::Name(name), [subject, classes]) = (&*call.func, &*call.arguments.args)
                    && name.id == "isinstance"
                {
                    self.ask(subject, classes);
                }
                self.ask_tables(call);
                self.ask_operation(call);
                self.ask_offered(call);
            }
            Expr::Subscript(part) => self.ask_items(&part.slice, &part.value),
            Expr::Compare(compare)
                if compare.comparators.len() == 1 && compare.comparators[0].is_none_literal_expr() =>
            {
                self.keep(&compare.left, "None");
            }
            Expr::Compare(compare) => {
                self.ask_membership(compare);
                self.equate_operands(compare);
                self.ask_case(compare);
                self.ask_bound(compare);
                if let (Expr::Call(call), [CmpOp::Is | CmpOp::IsNot | CmpOp::Eq | CmpOp::NotEq], [class]) =
                    (&*compare.left, &*compare.ops, &*compare.comparators)
                    && let (Expr::Name(name), [subject]) = (&*call.func, &*call.arguments.args)
                    && name.id == "type"
                {
                    self.ask(subject, class);
                } else if let ([op], [constant]) = (&*compare.ops, &*compare.comparators) {
                    self.ask_constant(&compare.left, *op, constant);
                }
            }
            Expr::BinOp(_) | Expr::FString(_) => self.ask_form(expr),
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

/// True for names that are written as those of constants are: `LIMIT`, and what is in a class or is a class: `Kind.low`.
fn is_constant(name: &UnqualifiedName<'_>) -> bool {
    match name.segments() {
        [name] => name.len() > 1 && name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase),
        several => several.iter().any(|name| name.starts_with(char::is_uppercase)),
    }
}

//! What a function does with the paths that it names: one walk over its statements in the order of the text.

use compact_str::CompactString;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, ExceptHandler, Expr, ExprContext, Stmt, UnaryOp};
use ruff_text_size::Ranged;
use rustc_hash::{FxHashMap, FxHashSet};

use super::condition::Condition;
use super::spelling::{self, Slot};

/// What is done with a path at one place: a word, and the name that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Role {
    /// `method`, `attribute`, `argument`, `index`, `store`, ...
    pub(super) word: &'static str,
    /// The method, the attribute, the function; for stores what is stored; for tests the template.
    pub(super) name: CompactString,
}

impl Role {
    fn new(word: &'static str, name: impl Into<CompactString>) -> Self {
        Self { word, name: name.into() }
    }

    fn bare(word: &'static str) -> Self {
        Self { word, name: CompactString::default() }
    }
}

/// A place where a path or a text stands.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub(super) slot: Slot,
    pub(super) role: Role,
    /// The number of its statement, from 1, in the order of the text.
    pub(super) statement: u32,
}

/// All that a function says of the paths that it names.
#[derive(Debug, Default)]
pub(super) struct Occurrences {
    /// In the order of the text.
    pub(super) all: Vec<Occurrence>,
    /// Names that the function binds, with the places where each is bound; those of parameters are 0.
    pub(super) bound: FxHashMap<CompactString, Vec<u32>>,
    /// Names that `global` and `nonlocal` declare.
    pub(super) declared: FxHashSet<CompactString>,
    /// Names that comprehensions bind for themselves.
    pub(super) inner: FxHashSet<CompactString>,
}

impl Occurrences {
    /// Walks a function's body.
    pub(super) fn of(def: &ast::StmtFunctionDef) -> Self {
        let mut walk = Walk { found: Self::default(), statement: 0, role: Role::bare("other"), nested: 0 };
        for parameter in &def.parameters {
            walk.found.bound.entry(CompactString::from(parameter.name().as_str())).or_default().push(0);
        }
        for stmt in &def.body {
            walk.visit_stmt(stmt);
        }
        let declared = std::mem::take(&mut walk.found.declared);
        walk.found.bound.retain(|name, _| !declared.contains(name));
        walk.found.declared = declared;
        walk.found.all.sort_by_key(|occurrence| occurrence.slot.start);
        walk.found
    }
}

struct Walk {
    found: Occurrences,
    statement: u32,
    /// What the expression that is visited next is used for.
    role: Role,
    /// Functions and classes around, within the one that is walked.
    nested: u32,
}

impl Walk {
    fn with(&mut self, role: Role, expr: &Expr) {
        self.role = role;
        self.visit_expr(expr);
    }

    fn note(&mut self, slot: Slot, role: Role) {
        self.found.all.push(Occurrence { slot, role, statement: self.statement });
    }

    fn bind(&mut self, name: &str, at: u32) {
        if self.nested == 0 {
            self.found.bound.entry(name.into()).or_default().push(at);
        }
    }

    /// What is assigned to a target.
    fn store(&mut self, target: &Expr, what: &CompactString) {
        match target {
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                for (number, element) in elts.iter().enumerate() {
                    let what = format!("{}@{what}", number.min(3));
                    self.store(element, &what.into());
                }
            }
            Expr::Starred(starred) => self.store(&starred.value, &CompactString::const_new("rest")),
            Expr::Name(name) => {
                self.bind(&name.id, name.start().to_u32());
                if let Some(slot) = spelling::path(target) {
                    self.note(slot, Role::new("store", what.clone()));
                }
            }
            other => {
                if let Some(slot) = spelling::path(other) {
                    self.note(slot, Role::new("store", what.clone()));
                }
                self.parts(other);
            }
        }
    }

    /// The parts of a path or of what is like one.
    fn parts(&mut self, expr: &Expr) {
        match expr {
            Expr::Attribute(attribute) => self.with(Role::new("attribute", attribute.attr.as_str()), &attribute.value),
            Expr::Subscript(subscript) => {
                self.with(Role::bare("indexed"), &subscript.value);
                let of = spelling::path(&subscript.value).map(|slot| slot.text).unwrap_or_default();
                self.with(Role::new("index", of), &subscript.slice);
            }
            _ => {}
        }
    }

    /// The paths that a condition tests.
    fn test(&mut self, expr: &Expr, word: &'static str) {
        match expr {
            Expr::BoolOp(operation) => operation.values.iter().for_each(|value| self.test(value, word)),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not && !unary.operand.is_bool_op_expr() => {
                self.tests(expr, word);
            }
            _ => self.tests(expr, word),
        }
    }

    fn tests(&mut self, expr: &Expr, word: &'static str) {
        let Some(condition) = Condition::of(expr) else {
            // What compares is walked past: it would come back here.
            match expr {
                Expr::Compare(_) | Expr::BoolOp(_) | Expr::UnaryOp(_) => visitor::walk_expr(self, expr),
                other => self.with(Role::bare(word), other),
            }
            return;
        };
        for test in condition.tests() {
            for (number, slot) in test.template.slots.iter().enumerate() {
                let name = if number == 0 { test.template.text.clone() } else { "2".into() };
                self.note(slot.clone(), Role::new(word, name));
            }
        }
    }

    fn comprehension(&mut self, generators: &[ast::Comprehension]) {
        for generator in generators {
            self.with(Role::bare("iterated"), &generator.iter);
            let mut names = Names::default();
            names.visit_expr(&generator.target);
            self.found.inner.extend(names.0);
            generator.ifs.iter().for_each(|test| self.test(test, "test"));
        }
    }
}

/// The names in a target.
#[derive(Default)]
struct Names(Vec<CompactString>);

impl Visitor<'_> for Names {
    fn visit_expr(&mut self, expr: &Expr) {
        if let Expr::Name(name) = expr {
            self.0.push(name.id.as_str().into());
        }
        visitor::walk_expr(self, expr);
    }
}

/// What a value is, in a word or two.
pub(super) fn described(value: &Expr) -> CompactString {
    match value {
        Expr::NoneLiteral(_) => "None".into(),
        Expr::BooleanLiteral(literal) => if literal.value { "True" } else { "False" }.into(),
        Expr::NumberLiteral(_) => "number".into(),
        Expr::StringLiteral(_) | Expr::FString(_) => "str".into(),
        Expr::List(list) => if list.elts.is_empty() { "[]" } else { "list" }.into(),
        Expr::Dict(dict) => if dict.items.is_empty() { "{}" } else { "dict" }.into(),
        Expr::Tuple(_) => "tuple".into(),
        Expr::Call(call) => format!("{}()", called(&call.func)).into(),
        Expr::Await(awaited) => described(&awaited.value),
        Expr::Name(name) => format!("={}", name.id).into(),
        Expr::Attribute(attribute) => format!(".{}", attribute.attr).into(),
        Expr::Subscript(_) => "item".into(),
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => "comprehension".into(),
        Expr::BoolOp(_) => "or".into(),
        Expr::If(_) => "if".into(),
        _ => "other".into(),
    }
}

/// The last part of the name of what is called.
pub(super) fn called(func: &Expr) -> CompactString {
    match func {
        Expr::Name(name) => name.id.as_str().into(),
        Expr::Attribute(attribute) => attribute.attr.as_str().into(),
        _ => CompactString::default(),
    }
}

impl<'a> Visitor<'a> for Walk {
    fn visit_expr(&mut self, expr: &'a Expr) {
        let role = std::mem::replace(&mut self.role, Role::bare("other"));
        if let Some(slot) = spelling::path(expr) {
            let stored = matches!(expr, Expr::Name(name) if name.ctx != ExprContext::Load);
            if !stored {
                self.note(slot, role);
            }
            self.parts(expr);
            return;
        }
        match expr {
            Expr::Call(call) => {
                let name = called(&call.func);
                match &*call.func {
                    Expr::Attribute(attribute) => {
                        self.with(Role::new("method", attribute.attr.as_str()), &attribute.value);
                    }
                    func => self.with(Role::bare("called"), func),
                }
                for (number, argument) in call.arguments.args.iter().enumerate() {
                    self.with(Role::new("argument", format!("{name}:{}", number.min(4))), argument);
                }
                for keyword in &call.arguments.keywords {
                    let word = keyword.arg.as_ref().map_or("**", |arg| arg.as_str());
                    self.with(Role::new("keyword", word), &keyword.value);
                }
            }
            Expr::StringLiteral(text) => {
                if let Some(spelled) = spelling::quoted(text.value.to_str()) {
                    let (root, start) = (CompactString::default(), expr.start().to_u32());
                    self.note(Slot { text: spelled.into(), root, start }, role);
                }
            }
            Expr::Attribute(_) | Expr::Subscript(_) => self.parts(expr),
            Expr::BinOp(binary) => {
                for operand in [&binary.left, &binary.right] {
                    self.with(Role::new("operand", binary.op.as_str()), operand);
                }
            }
            Expr::Compare(_) | Expr::BoolOp(_) => self.test(expr, "test"),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => self.test(expr, "test"),
            Expr::If(choice) => {
                self.test(&choice.test, "test");
                self.with(role.clone(), &choice.body);
                self.with(role, &choice.orelse);
            }
            Expr::Starred(starred) => self.with(Role::bare("unpacked"), &starred.value),
            Expr::Await(awaited) => self.with(Role::bare("awaited"), &awaited.value),
            Expr::Named(named) => {
                let what = described(&named.value);
                self.with(Role::bare("assigned"), &named.value);
                self.store(&named.target, &what);
            }
            Expr::ListComp(comprehension) => {
                self.comprehension(&comprehension.generators);
                self.with(Role::bare("element"), &comprehension.elt);
            }
            Expr::SetComp(comprehension) => {
                self.comprehension(&comprehension.generators);
                self.with(Role::bare("element"), &comprehension.elt);
            }
            Expr::Generator(comprehension) => {
                self.comprehension(&comprehension.generators);
                self.with(Role::bare("element"), &comprehension.elt);
            }
            Expr::DictComp(comprehension) => {
                self.comprehension(&comprehension.generators);
                if let Some(key) = &comprehension.key {
                    self.with(Role::bare("element"), key);
                }
                self.with(Role::bare("element"), &comprehension.value);
            }
            Expr::Lambda(_) => {
                self.nested += 1;
                visitor::walk_expr(self, expr);
                self.nested -= 1;
            }
            Expr::List(_) | Expr::Tuple(_) | Expr::Set(_) | Expr::Dict(_) => {
                if let Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) = expr {
                    for element in elts {
                        self.with(Role::bare("element"), element);
                    }
                } else {
                    visitor::walk_expr(self, expr);
                }
            }
            _ => visitor::walk_expr(self, expr),
        }
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each kind of statement")]
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.statement += 1;
        self.role = Role::bare("other");
        match stmt {
            Stmt::Assign(assign) => {
                let what = described(&assign.value);
                self.with(Role::bare("assigned"), &assign.value);
                assign.targets.iter().for_each(|target| self.store(target, &what));
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    let what = described(value);
                    self.with(Role::bare("assigned"), value);
                    self.store(&assign.target, &what);
                }
            }
            Stmt::AugAssign(assign) => {
                self.with(Role::bare("operand"), &assign.value);
                if let Some(slot) = spelling::path(&assign.target) {
                    self.note(slot, Role::new("changed", assign.op.as_str()));
                }
                if let Expr::Name(name) = &*assign.target {
                    self.bind(&name.id, name.start().to_u32());
                }
                self.parts(&assign.target);
            }
            Stmt::For(each) => {
                self.with(Role::bare("iterated"), &each.iter);
                let what = match &*each.iter {
                    Expr::Call(call) => format!("of {}", called(&call.func)),
                    _ => "of".to_owned(),
                };
                self.store(&each.target, &what.into());
                each.body.iter().chain(&each.orelse).for_each(|stmt| self.visit_stmt(stmt));
            }
            Stmt::While(repeated) => {
                self.test(&repeated.test, "test");
                repeated.body.iter().chain(&repeated.orelse).for_each(|stmt| self.visit_stmt(stmt));
            }
            Stmt::If(choice) => {
                self.test(&choice.test, "test");
                choice.body.iter().for_each(|stmt| self.visit_stmt(stmt));
                for clause in &choice.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.test(test, "test");
                    }
                    clause.body.iter().for_each(|stmt| self.visit_stmt(stmt));
                }
            }
            Stmt::Assert(assertion) => {
                self.test(&assertion.test, "test");
                if let Some(message) = &assertion.msg {
                    self.visit_expr(message);
                }
            }
            Stmt::Return(returned) => {
                if let Some(value) = &returned.value {
                    self.with(Role::bare("returned"), value);
                }
            }
            Stmt::Raise(_) => {
                self.role = Role::bare("raised");
                visitor::walk_stmt(self, stmt);
            }
            Stmt::Delete(deletion) => {
                for target in &deletion.targets {
                    if let Some(slot) = spelling::path(target) {
                        self.note(slot, Role::bare("deleted"));
                    }
                    self.parts(target);
                }
            }
            Stmt::With(block) => {
                for item in &block.items {
                    let what = described(&item.context_expr);
                    self.with(Role::bare("entered"), &item.context_expr);
                    if let Some(target) = &item.optional_vars {
                        self.store(target, &what);
                    }
                }
                block.body.iter().for_each(|stmt| self.visit_stmt(stmt));
            }
            Stmt::Try(attempt) => {
                attempt.body.iter().for_each(|stmt| self.visit_stmt(stmt));
                for ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
                    if let Some(caught) = &handler.type_ {
                        self.with(Role::bare("caught"), caught);
                    }
                    if let Some(name) = &handler.name {
                        self.bind(name, name.start().to_u32());
                    }
                    handler.body.iter().for_each(|stmt| self.visit_stmt(stmt));
                }
                attempt.orelse.iter().chain(&attempt.finalbody).for_each(|stmt| self.visit_stmt(stmt));
            }
            Stmt::FunctionDef(def) => {
                self.bind(&def.name, def.name.start().to_u32());
                self.nested += 1;
                visitor::walk_stmt(self, stmt);
                self.nested -= 1;
            }
            Stmt::ClassDef(def) => {
                self.bind(&def.name, def.name.start().to_u32());
                self.nested += 1;
                visitor::walk_stmt(self, stmt);
                self.nested -= 1;
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.bind(name.split('.').next().unwrap_or_default(), alias.start().to_u32());
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    self.bind(alias.asname.as_ref().unwrap_or(&alias.name), alias.start().to_u32());
                }
            }
            Stmt::Global(ast::StmtGlobal { names, .. }) | Stmt::Nonlocal(ast::StmtNonlocal { names, .. }) => {
                self.found.declared.extend(names.iter().map(|name| CompactString::from(name.as_str())));
            }
            Stmt::Match(matching) => {
                self.with(Role::bare("matched"), &matching.subject);
                for case in &matching.cases {
                    self.visit_pattern(&case.pattern);
                    if let Some(guard) = &case.guard {
                        self.test(guard, "test");
                    }
                    case.body.iter().for_each(|stmt| self.visit_stmt(stmt));
                }
            }
            Stmt::Expr(statement) if statement.value.is_string_literal_expr() => {}
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_pattern(&mut self, pattern: &'a ast::Pattern) {
        if let Some(name) = crate::semantic::scope::captured(pattern) {
            self.bind(name, name.start().to_u32());
        }
        visitor::walk_pattern(self, pattern);
    }
}

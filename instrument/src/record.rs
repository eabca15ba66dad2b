//! The rewriting for recording: every value that is read goes through one hook, by value.
//!
//! `x` becomes `_v_(7,x)`, `y.a` becomes `_v_(8,_v_(9,y).a)`, `f(z)` becomes `_v_(10,_v_(11,f)(_v_(12,z)))`. The hook
//! returns what it is given, so nothing else changes: CPython itself looks names up, reads attributes and calls.
//! Annotations, patterns and type parameters stay as written.

use compact_str::CompactString;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, ExprContext, ModModule, Stmt};
use ruff_text_size::{Ranged, TextSize};
use serde::{Deserialize, Serialize};

use crate::edits::{Edits, PositionMap};
use crate::{Error, Kind, LineIndex, MAX_SOURCE_BYTES, nesting};

/// The hook's name where the source does not use it itself, and where it does.
pub const HOOKS: [&str; 2] = ["_v_", "_surmise_v_"];
/// The hook that tells that a chosen function was entered: `_surmise_lines_('Class.method');`.
pub const LINES_HOOK: &str = "_surmise_lines_";

/// What the syntax does with an observed value, as the public recordings name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// Nothing that the syntax tells.
    Plain,
    /// It is called.
    Callee,
    /// An attribute of it is read or written.
    Base,
    /// It is the class in `except`.
    Exc,
    /// It is a base class.
    Classbase,
    /// It decorates.
    Deco,
    /// Its value is dropped.
    Stmt,
}

impl Use {
    /// The spelling in recordings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Use::Plain => "-",
            Use::Callee => "callee",
            Use::Base => "base",
            Use::Exc => "exc",
            Use::Classbase => "classbase",
            Use::Deco => "deco",
            Use::Stmt => "stmt",
        }
    }
}

/// A place where a value is observed. Its number is its position in [`Recording::sites`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedSite {
    /// The kind of use.
    pub kind: Kind,
    /// The name read, the attribute's name, or the callee's last component (empty where it has none).
    pub name: CompactString,
    /// What is done with the value.
    pub role: Use,
    /// For bases: the attribute that is read from the value or stored in it.
    pub attribute: Option<CompactString>,
    /// Byte offsets of the expression in the source.
    pub start: u32,
    /// End of the expression, exclusive.
    pub end: u32,
}

/// A module rewritten for recording.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The rewritten text.
    pub text: String,
    /// The name of the hook in it.
    pub hook: &'static str,
    /// All observed places.
    pub sites: Vec<ObservedSite>,
    /// From the rewritten text to the source.
    pub positions: PositionMap,
}

/// Rewrites a module for recording; its sites get the numbers from `first` on.
///
/// # Errors
/// As [`crate::instrument`].
pub fn record(source: &str, first: u32) -> Result<Recording, Error> {
    record_lines(source, first, &|_| false)
}

/// Rewrites a module for recording; functions that are chosen by their qualified name also tell when they are entered.
///
/// # Errors
/// As [`crate::instrument`].
pub fn record_lines(source: &str, first: u32, chosen: &(dyn Fn(&str) -> bool + Sync)) -> Result<Recording, Error> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(Error::TooLarge(source.len()));
    }
    nesting::parse(source, |module, _| rewrite(source, module, first, chosen))
}

fn rewrite(source: &str, module: &ModModule, first: u32, chosen: &(dyn Fn(&str) -> bool + Sync)) -> Recording {
    let hook = HOOKS[usize::from(memchr::memmem::find(source.as_bytes(), HOOKS[0].as_bytes()).is_some())];
    let mut recorder = Recorder {
        source,
        lines: LineIndex::new(source),
        hook,
        first,
        edits: Edits::for_source(source.len()),
        moved: Vec::new(),
        sites: Vec::with_capacity(source.len() / 16),
        chosen,
        qualname: String::new(),
    };
    recorder.visit_body(&module.body);
    recorder.moved.sort_unstable();
    let (text, segments) = recorder.edits.apply(source);
    let positions = PositionMap { segments, moved: recorder.moved };
    Recording { text, hook, sites: recorder.sites, positions }
}

struct Recorder<'a> {
    source: &'a str,
    lines: LineIndex,
    hook: &'static str,
    first: u32,
    edits: Edits,
    moved: Vec<(u32, u32, u32)>,
    sites: Vec<ObservedSite>,
    /// Whose lines are wanted.
    chosen: &'a (dyn Fn(&str) -> bool + Sync),
    /// Of the function or class around.
    qualname: String,
}

impl Recorder<'_> {
    /// Wraps an expression; `inside` visits what it is made of.
    fn observe(
        &mut self,
        (kind, name): (Kind, &str),
        (role, attribute): (Use, Option<&str>),
        node: &impl Ranged,
        inside: impl FnOnce(&mut Self),
    ) {
        let number = self.first + self.sites.len() as u32;
        self.sites.push(ObservedSite {
            kind,
            name: CompactString::new(name),
            role,
            attribute: attribute.map(CompactString::new),
            start: node.start().to_u32(),
            end: node.end().to_u32(),
        });
        self.open(node.start(), number);
        inside(self);
        self.edits.replace(node.end().to_u32(), 0, |out| out.push(b')'));
    }

    fn open(&mut self, at: TextSize, number: u32) {
        let before = at.to_usize().checked_sub(1).map(|before| self.source.as_bytes()[before]);
        let hook = self.hook;
        self.edits.replace(at.to_u32(), 0, |out| {
            // A keyword may stand right before the expression: `return"a".join(x)`.
            if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                out.push(b' ');
            }
            out.push_str(hook);
            out.push(b'(');
            crate::rewrite::write_number(out, number);
            out.push(b',');
        });
    }

    /// Visits an expression in a role.
    fn expr(&mut self, expr: &Expr, role: Use, attribute: Option<&str>) {
        match expr {
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                // The compiler looks for the word itself to make the `__class__` cell: it stays inside.
                self.observe((Kind::Variable, name.id.as_str()), (role, attribute), name, |_| {});
            }
            Expr::Attribute(node) => {
                let name = node.attr.as_str();
                if node.ctx == ExprContext::Load {
                    self.observe((Kind::Attribute, name), (role, attribute), node, |this| {
                        this.expr(&node.value, Use::Base, Some(name));
                    });
                    self.report_at_name(node, node);
                } else {
                    self.expr(&node.value, Use::Base, Some(name));
                }
            }
            Expr::Call(call) => {
                let name = crate::rewrite::callee_name(&call.func);
                self.observe((Kind::ReturnValue, name), (role, attribute), call, |this| {
                    this.expr(&call.func, Use::Callee, None);
                    for argument in call.arguments.iter_source_order() {
                        match argument {
                            ast::ArgOrKeyword::Arg(argument) => this.visit_expr(argument),
                            ast::ArgOrKeyword::Keyword(keyword) => this.visit_expr(&keyword.value),
                        }
                    }
                });
                if let Expr::Attribute(attribute) = &*call.func {
                    self.report_at_name(call, attribute);
                }
            }
            // A template keeps the text of its expressions.
            Expr::TString(_) => {}
            Expr::FString(string) => self.f_string(string),
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                self.visit_expr(&lambda.body);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }

    /// CPython reports an attribute on another line than its object at the attribute's name.
    fn report_at_name(&mut self, node: &impl Ranged, attribute: &ast::ExprAttribute) {
        let line = self.lines.line(node.start().to_u32());
        if !self.lines.is_on(line, attribute.attr.end().to_u32()) {
            self.moved.push((node.start().to_u32(), node.end().to_u32(), attribute.attr.start().to_u32()));
        }
    }

    /// Visits the body of a function or class.
    fn body(&mut self, name: &str, body: &[Stmt], is_function: bool) {
        let around = self.qualname.len();
        if around > 0 {
            self.qualname.push('.');
        }
        self.qualname.push_str(name);
        if is_function && (self.chosen)(&self.qualname) {
            let documented = matches!(body.first(), Some(Stmt::Expr(stmt)) if stmt.value.is_string_literal_expr());
            self.announce(&body[usize::from(documented)..]);
        }
        if is_function {
            self.qualname.push_str(".<locals>");
        }
        self.visit_body(body);
        self.qualname.truncate(around);
    }

    /// Tells that the chosen function was entered, in its first statement. Definitions hold no place for that: their
    /// lines are told with the statement after them.
    fn announce(&mut self, body: &[Stmt]) {
        let mut skipped = String::new();
        let mut rest = body;
        loop {
            let Some((first, after)) = rest.split_first() else {
                return;
            };
            let inside = match first {
                Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {
                    let line = self.lines.line(first.start().to_u32());
                    skipped.push(',');
                    skipped.push_str(&line.to_string());
                    rest = after;
                    continue;
                }
                Stmt::Try(stmt) => {
                    let line = self.lines.line(first.start().to_u32());
                    skipped.push(',');
                    skipped.push_str(&line.to_string());
                    rest = &stmt.body;
                    continue;
                }
                Stmt::If(stmt) => Some(&*stmt.test),
                Stmt::While(stmt) => Some(&*stmt.test),
                Stmt::For(stmt) => Some(&*stmt.iter),
                Stmt::Match(stmt) => Some(&*stmt.subject),
                Stmt::With(stmt) => stmt.items.first().map(|item| &item.context_expr),
                _ => None,
            };
            let suffix = if inside.is_some() { " or(" } else { ";" };
            let hook = format!("{LINES_HOOK}('{}'{skipped}){suffix}", self.qualname);
            if let Some(expr) = inside {
                // The hook gives `None`, so the value is the expression's.
                self.edits.replace(expr.start().to_u32(), 0, |out| {
                    out.push(b' ');
                    out.push_str(&hook);
                });
                self.edits.replace(expr.end().to_u32(), 0, |out| out.push(b')'));
            } else {
                let at = first.start().to_u32();
                self.edits.insert_anchored(at, at, |out| out.push_str(&hook));
            }
            return;
        }
    }

    fn defaults(&mut self, parameters: &ast::Parameters) {
        for parameter in parameters {
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
        }
    }

    fn decorators(&mut self, decorators: &[ast::Decorator]) {
        for decorator in decorators {
            self.expr(&decorator.expression, Use::Deco, None);
        }
    }

    fn f_string(&mut self, string: &ast::ExprFString) {
        for part in &string.value {
            if let ast::FStringPart::FString(literal) = part {
                self.elements(&literal.elements);
            }
        }
    }

    fn elements(&mut self, elements: &ast::InterpolatedStringElements) {
        for element in elements {
            if let ast::InterpolatedStringElement::Interpolation(element) = element {
                // `{x=}` shows its own source.
                if element.debug_text.is_none() {
                    self.visit_expr(&element.expression);
                }
                if let Some(spec) = &element.format_spec {
                    self.elements(&spec.elements);
                }
            }
        }
    }
}

impl<'a> Visitor<'a> for Recorder<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => {
                self.decorators(&def.decorator_list);
                self.defaults(&def.parameters);
                self.body(def.name.as_str(), &def.body, true);
            }
            Stmt::ClassDef(def) => {
                self.decorators(&def.decorator_list);
                if let Some(arguments) = &def.arguments {
                    for argument in arguments.iter_source_order() {
                        match argument {
                            ast::ArgOrKeyword::Arg(argument) => self.expr(argument, Use::Classbase, None),
                            ast::ArgOrKeyword::Keyword(keyword) => self.visit_expr(&keyword.value),
                        }
                    }
                }
                self.body(def.name.as_str(), &def.body, false);
            }
            Stmt::Expr(stmt) => self.expr(&stmt.value, Use::Stmt, None),
            Stmt::AnnAssign(assign) => {
                self.visit_expr(&assign.target);
                if let Some(value) = &assign.value {
                    self.visit_expr(value);
                }
            }
            Stmt::TypeAlias(_) => {}
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.expr(expr, Use::Plain, None);
    }

    fn visit_except_handler(&mut self, handler: &'a ast::ExceptHandler) {
        let ast::ExceptHandler::ExceptHandler(handler) = handler;
        if let Some(kind) = &handler.type_ {
            self.expr(kind, Use::Exc, None);
        }
        self.visit_body(&handler.body);
    }

    /// Patterns take names and attributes only as they stand; guards are expressions.
    fn visit_pattern(&mut self, _pattern: &'a ast::Pattern) {}
}

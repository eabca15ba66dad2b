//! The rewriting for recording: every value that is read goes through one hook, by value.
//!
//! `x` becomes `_v_(7,x)`, `y.a` becomes `_v_(8,_v_(9,y).a)`, `f(z)` becomes `_v_(10,_v_(11,f)(_v_(12,z)))`. The hook
//! returns what it is given, so nothing else changes: CPython itself looks names up, reads attributes and calls.
//! Annotations, patterns and type parameters stay as written.

use compact_str::CompactString;
use ruff_python_ast::helpers::body_without_leading_docstring;
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;
use serde::{Deserialize, Serialize};

use super::edits::{Edits, PositionMap};
use super::guards::write_number;
use super::nest::Nest;
use crate::cleanup::blocks;
use crate::role::Role;
use crate::semantic::SourceModel;
use crate::semantic::uses::{Form, Use as Place, UseFlags, UseId};
use crate::sites::Kind;

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

/// Rewrites a module for recording; its sites get the numbers from `first` on. Functions that are chosen by their
/// qualified name also say when they are entered.
#[must_use]
pub fn record(model: &SourceModel, first: u32, chosen: &(dyn Fn(&str) -> bool + Sync)) -> Recording {
    let source = model.text();
    let hook = HOOKS[usize::from(memchr::memmem::find(source.as_bytes(), HOOKS[0].as_bytes()).is_some())];
    let mut recorder = Recorder {
        model,
        hook,
        first,
        edits: Edits::for_source(source.len()),
        moved: Vec::new(),
        sites: Vec::with_capacity(source.len() / 16),
        open: Nest::new(),
    };
    recorder.announce_all(model.suite(), "", chosen);
    for (id, used) in model.tables.uses.iter_enumerated() {
        if let Some(kind) = observed(used) {
            recorder.observe(id, used, kind);
        }
    }
    while let Some((end, ())) = recorder.open.pop() {
        recorder.close(end);
    }
    recorder.moved.sort_unstable();
    let (text, segments) = recorder.edits.apply(source);
    let positions = PositionMap { segments, moved: recorder.moved };
    Recording { text, hook, sites: recorder.sites, positions }
}

/// The kind of a use that is recorded.
fn observed(used: &Place) -> Option<Kind> {
    match used.form {
        Form::Name | Form::Attribute | Form::Call if !used.is(UseFlags::NOT_RECORDED) => used.kind(),
        _ => None,
    }
}

/// What the syntax right around a use does with it.
fn role(used: &Place) -> Use {
    match used.role {
        _ if used.is(UseFlags::PASSED) => Use::Plain,
        _ if used.is(UseFlags::CALLEE) => Use::Callee,
        Role::Base(_) => Use::Base,
        Role::Caught => Use::Exc,
        Role::ClassBase => Use::Classbase,
        Role::Decorator => Use::Deco,
        Role::Statement => Use::Stmt,
        _ => Use::Plain,
    }
}

struct Recorder<'a> {
    model: &'a SourceModel,
    hook: &'static str,
    first: u32,
    edits: Edits,
    moved: Vec<(u32, u32, u32)>,
    sites: Vec<ObservedSite>,
    open: Nest<()>,
}

impl Recorder<'_> {
    /// Wraps a use.
    fn observe(&mut self, id: UseId, used: &Place, kind: Kind) {
        while let Some((end, ())) = self.open.leave(used.start, used.end) {
            self.close(end);
        }
        let number = self.first + self.sites.len() as u32;
        let name = |place: &Place| self.model.tables.scopes.symbols.name(place.symbol).clone();
        let role = role(used);
        // An attribute is listed right before what it is read from.
        let around = id.as_u32().checked_sub(1).map(|before| &self.model.tables.uses[UseId::from_u32(before)]);
        let attribute = around.filter(|_| role == Use::Base).map(name);
        self.sites.push(ObservedSite { kind, name: name(used), role, attribute, start: used.start, end: used.end });
        let hook = self.hook;
        self.edits.open(self.model.text(), used.start, |out| {
            out.push_str(hook);
            out.push(b'(');
            write_number(out, number);
            out.push(b',');
        });
        self.open.push(used.start, used.end, ());
        self.report_at_name(id, used);
    }

    fn close(&mut self, end: u32) {
        self.edits.replace(end, 0, |out| out.push(b')'));
    }

    /// CPython reports an attribute on another line than its object at the attribute's name.
    fn report_at_name(&mut self, id: UseId, used: &Place) {
        let named_by_attribute = match used.form {
            Form::Attribute => true,
            Form::Call => {
                let callee = &self.model.tables.uses[UseId::from_u32(id.as_u32() + 1)];
                used.is(UseFlags::DIRECT) && callee.form == Form::Attribute
            }
            _ => false,
        };
        let lines = self.model.lines();
        if named_by_attribute && !lines.is_on(lines.line(used.start), used.name_at) {
            self.moved.push((used.start, used.end, used.name_at));
        }
    }

    /// Makes the chosen functions below a block say that they were entered; `around` is the qualified name of the
    /// scope, with a dot behind it.
    fn announce_all(&mut self, body: &[Stmt], around: &str, chosen: &(dyn Fn(&str) -> bool + Sync)) {
        for stmt in body {
            match stmt {
                Stmt::FunctionDef(def) => {
                    let name = format!("{around}{}", def.name);
                    if chosen(&name) {
                        self.announce(&name, body_without_leading_docstring(&def.body));
                    }
                    self.announce_all(&def.body, &format!("{name}.<locals>."), chosen);
                }
                Stmt::ClassDef(def) => self.announce_all(&def.body, &format!("{around}{}.", def.name), chosen),
                _ => {
                    for suite in blocks(stmt) {
                        self.announce_all(suite, around, chosen);
                    }
                }
            }
        }
    }

    /// Says that a function was entered, in its first statement. Definitions hold no place for that: their lines are
    /// given with the statement after them.
    fn announce(&mut self, name: &str, body: &[Stmt]) {
        let mut skipped = String::new();
        let mut rest = body;
        loop {
            let Some((first, after)) = rest.split_first() else {
                return;
            };
            let inside = match first {
                Stmt::FunctionDef(_) | Stmt::ClassDef(_) | Stmt::Try(_) => {
                    let line = self.model.lines().line(first.start().to_u32());
                    skipped.push(',');
                    skipped.push_str(&line.to_string());
                    rest = if let Stmt::Try(stmt) = first { &stmt.body } else { after };
                    continue;
                }
                Stmt::If(stmt) => Some(&*stmt.test),
                Stmt::While(stmt) => Some(&*stmt.test),
                Stmt::For(stmt) => Some(&*stmt.iter),
                Stmt::Match(stmt) => Some(&*stmt.subject),
                Stmt::With(stmt) => stmt.items.first().map(|item| &item.context_expr),
                _ => None,
            };
            self.announce_at(first, inside, &format!("{LINES_HOOK}('{name}'{skipped})"));
            return;
        }
    }

    fn announce_at(&mut self, stmt: &Stmt, inside: Option<&Expr>, hook: &str) {
        if let Some(expr) = inside {
            // The hook gives `None`, so the value is the expression's.
            self.edits.replace(expr.start().to_u32(), 0, |out| {
                out.push(b' ');
                out.push_str(hook);
                out.push_str(" or(");
            });
            self.edits.replace(expr.end().to_u32(), 0, |out| out.push(b')'));
        } else {
            let at = stmt.start().to_u32();
            self.edits.insert_anchored(at, (at, at), |out| {
                out.push_str(hook);
                out.push(b';');
            });
        }
    }
}

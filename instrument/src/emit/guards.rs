//! The rewriting for guided runs: every use of a value that may be missing goes through a hook.
//!
//! `x` becomes `_n_(7)`, or `(x if _u_(7)else _n_(7))` where it is a local variable, `y.a` becomes `_a_(7,y)`, and
//! `f(z)` becomes `_c_(7,f,z)`. What is proven to be there stays as written.

use std::ops::Range;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::downstream;
use super::edits::{Edits, Inserted, PositionMap};
use super::nest::Nest;
use crate::hooks::{Hook, HookNames};
use crate::marks::Marks;
use crate::role::{Role, Roles};
use crate::semantic::symbol::{Symbol, is_private};
use crate::semantic::uses::{Form, Resolution, Use, UseFlags, UseId};
use crate::semantic::{LineMark, MarkForm, SourceModel};
use crate::sites::{FromImport, Kind, Parameter, Site, TryBlock};

/// What the rewriting depends on besides the source.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Major and minor version of the interpreter that will run the text.
    pub python: (u8, u8),
    /// Marks parts of expressions, too, that may not be evaluated though the rest is: operands of `and` and `or`, the sides of
    /// conditional expressions, conditions and elements of comprehensions, and what lambdas give.
    pub parts: bool,
}

impl Options {
    /// For the interpreter of a version, with lines marked and no parts of them.
    #[must_use]
    pub const fn new(python: (u8, u8)) -> Self {
        Self { python, parts: false }
    }
}

/// Numbers that another module's text in one process has taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// How many sites it has.
    pub sites: u32,
    /// How many `from` imports it has.
    pub imports: u32,
}

/// A rewritten module and its tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Instrumented {
    /// The rewritten text.
    pub text: String,
    /// Every hooked use, by number.
    pub sites: Vec<Site>,
    /// Names of the functions and classes that sites stand in; the first is the module's, empty.
    pub functions: Vec<String>,
    /// All `try` statements.
    pub tries: Vec<TryBlock>,
    /// All `from` imports, by the number that their hook carries.
    pub imports: Vec<FromImport>,
    /// The parameters of all functions, in the order of the text.
    pub parameters: Vec<Parameter>,
    /// How lines are marked.
    pub marks: Marks,
    /// Where the parts of expressions stand that are marked; their numbers follow those of the lines.
    pub parts: Vec<Range<u32>>,
    /// From the rewritten text to the source.
    pub positions: PositionMap,
    /// Spelling of the hooks.
    pub hooks: HookNames,
}

/// What closes a place that was opened.
enum Close {
    /// This text, at the end.
    Text(&'static str),
    /// `y.a`: from the dot, behind `y`, to the end of the name.
    Attribute { dot: u32, name_at: u32 },
    /// `f(x)`: the parenthesis, if it is still to be replaced, and the text at the end.
    Call { parenthesis: Option<(u32, &'static str)>, text: &'static str },
    /// `x in y`: where the search for the operator starts, if it is still to be replaced.
    Membership { operator: Option<u32>, negated: bool },
    /// `{x=}`: what is written between the expression and its format, and how many bytes that replaces.
    DebugText { len: u32, text: &'static str },
}

pub(crate) struct Guards<'a> {
    model: &'a SourceModel,
    hooks: HookNames,
    /// For a companion module: the numbers that the main one has taken, whose lines are marked, and none here.
    companion_of: Option<Taken>,
    /// The function runs in its imported module: assignments to attributes are hooked, and calls of real functions, too.
    in_place: bool,
    /// Annotations are not evaluated where they stand.
    postponed: bool,
    /// Parts of expressions that are marked, if that is asked for.
    parts: Option<Vec<Range<u32>>>,
    edits: Edits,
    moved: Vec<(u32, u32, u32)>,
    sites: Vec<Site>,
    /// The use of each site.
    uses: Vec<UseId>,
    open: Nest<Close>,
}

impl<'a> Guards<'a> {
    pub(crate) fn new(model: &'a SourceModel, options: Options, companion_of: Option<Taken>) -> Self {
        let (len, scopes) = (model.text().len(), &model.tables.scopes);
        Self {
            model,
            hooks: HookNames { long: scopes.clash },
            companion_of,
            in_place: false,
            postponed: scopes.postponed_annotations || options.python >= (3, 14),
            parts: options.parts.then(Vec::new),
            edits: Edits::for_source(len),
            moved: Vec::new(),
            sites: Vec::with_capacity(len / 24),
            uses: Vec::with_capacity(len / 24),
            open: Nest::new(),
        }
    }

    /// Hooks what may fail in an imported module, too.
    pub(crate) fn in_place(self) -> Self {
        Self { in_place: true, ..self }
    }

    pub(crate) fn emit(mut self) -> Instrumented {
        let tables = &self.model.tables;
        let mut marks: &[LineMark] = if self.companion_of.is_some() { &[] } else { &tables.line_marks };
        for (id, used) in tables.uses.iter_enumerated() {
            while let [mark, rest @ ..] = marks
                && mark.before <= id
            {
                self.mark(mark);
                marks = rest;
            }
            if self.is_guarded(used) {
                self.guard(id, used);
            }
        }
        for mark in marks {
            self.mark(mark);
        }
        while let Some((end, close)) = self.open.pop() {
            self.close(end, &close);
        }
        self.finish()
    }

    fn finish(mut self) -> Instrumented {
        let tables = &self.model.tables;
        let parameters = downstream::complete(self.model, self.postponed, &self.uses, &mut self.sites);
        let mut marks = tables.marks.clone();
        let parts = self.parts.unwrap_or_default();
        marks.lines += parts.len() as u32;
        marks.spans.sort_unstable_by_key(|&(first, last)| (first, std::cmp::Reverse(last)));
        self.moved.sort_unstable();
        let (text, segments) = self.edits.apply(self.model.text());
        Instrumented {
            text,
            sites: self.sites,
            functions: tables.functions.clone(),
            tries: tables.tries.clone(),
            imports: tables.imports.clone(),
            parameters,
            marks,
            parts,
            positions: PositionMap { segments, moved: self.moved },
            hooks: self.hooks,
        }
    }

    fn is_guarded(&self, used: &Use) -> bool {
        let wanted = match used.form {
            Form::Target | Form::Parameter => false,
            Form::Subscript => self.in_place,
            Form::AttributeTarget => self.in_place && !used.is(UseFlags::BARE),
            Form::Name => used.resolution != Resolution::Proven,
            _ => true,
        };
        let kept = UseFlags::NOT_GUARDED | UseFlags::NAMESPACED;
        let is_certain = used.is(UseFlags::CERTAIN) && !(self.in_place && used.is(UseFlags::IN_PLACE));
        let is_postponed = self.postponed && used.is(UseFlags::ANNOTATION);
        wanted && !(is_certain || used.is(kept) || is_postponed)
    }

    fn symbol(&self, symbol: Symbol) -> &CompactString {
        self.model.tables.scopes.symbols.name(symbol)
    }

    /// `__x` inside class `C` is `_C__x` (Language Reference, 6.2.1).
    fn mangled(&self, used: &Use) -> CompactString {
        let name = self.symbol(used.symbol);
        let class = self.model.tables.scopes.scopes[used.scope].class;
        match class {
            Some(class) if is_private(name) => {
                let class = self.symbol(class).trim_start_matches('_');
                if class.is_empty() { name.clone() } else { CompactString::from(format!("_{class}{name}")) }
            }
            _ => name.clone(),
        }
    }

    /// Records a site; returns its number as hooks carry it.
    fn site(&mut self, id: UseId, used: &Use, kind: Kind) -> u32 {
        let (line, column) = self.model.lines().position(used.name_at);
        let marks = matches!(used.form, Form::Caught | Form::Decorator) && self.companion_of.is_none();
        self.uses.push(id);
        self.sites.push(Site {
            kind,
            name: self.mangled(used),
            role: used.role,
            downstream: Roles::default(),
            start: used.start,
            end: used.end,
            line,
            column,
            function: self.model.tables.scopes.scopes[used.scope].function,
            local: used.resolution == Resolution::Unbound,
            rebound: used.is(UseFlags::REBOUND) && used.resolution != Resolution::Unbound,
            in_class: used.is(UseFlags::IN_CLASS) && used.resolution != Resolution::Unbound,
            annotation: used.is(UseFlags::ANNOTATION),
            marks: if marks { used.inner } else { 0 },
        });
        self.sites.len() as u32 - 1 + self.companion_of.map_or(0, |taken| taken.sites)
    }

    /// Closes what ends before a range.
    fn leave(&mut self, start: u32, end: u32) {
        while let Some((end, close)) = self.open.leave(start, end) {
            self.close(end, &close);
        }
        // What stands between the parts of an expression is replaced once the first one is done.
        match self.open.last() {
            Some(Close::Call { parenthesis, .. }) => {
                if let Some((at, text)) = parenthesis.take_if(|(at, _)| *at < start) {
                    self.edits.replace(at, 1, |out| out.push_str(text));
                }
            }
            Some(Close::Membership { operator, negated }) => {
                let negated = *negated;
                if let Some(from) = operator.take_if(|from| *from <= start) {
                    self.operator(from, negated);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, end: u32, close: &Close) {
        match *close {
            Close::Text(text) => self.insert(end, text),
            Close::Attribute { dot, name_at } => {
                // White space and comments between stay.
                self.edits.replace(dot, 1, |_| {});
                self.edits.replace(name_at, end - name_at, |out| out.push(b')'));
            }
            Close::Call { parenthesis, text } => {
                if let Some((at, text)) = parenthesis {
                    self.edits.replace(at, 1, |out| out.push_str(text));
                }
                if !text.is_empty() {
                    self.insert(end - 1, text);
                }
            }
            Close::Membership { operator, negated } => {
                if let Some(from) = operator {
                    self.operator(from, negated);
                }
                self.insert(end, if negated { "))" } else { ")" });
            }
            Close::DebugText { len, text } => self.edits.replace(end, len, |out| out.push_str(text)),
        }
    }

    fn guard(&mut self, id: UseId, used: &Use) {
        match used.form {
            Form::Name => self.name(id, used),
            Form::ReadBefore => self.read_before(id, used),
            Form::Attribute => {
                let number = self.site(id, used, Kind::Attribute);
                let dot = self.find_dot(used);
                let hook = if used.role == Role::Callee { Hook::Method } else { Hook::Attribute };
                self.open(used, hook, number, Close::Attribute { dot, name_at: used.name_at });
                self.report_at_name(used);
            }
            // `_e_(7,y).a += 1`: the hook closes right before the dot.
            Form::Augmented => {
                let number = self.site(id, used, Kind::Attribute);
                let base = Use { end: self.find_dot(used), ..*used };
                self.open(&base, Hook::AugmentedAttribute, number, Close::Text(")"));
            }
            Form::Call => self.call(id, used),
            Form::Awaited => self.adapt(id, used, Hook::Await, ")"),
            Form::Raised => self.adapt(id, used, Hook::Raise, ")"),
            Form::Decorator => self.adapt(id, used, Hook::Decorator, ")"),
            Form::Caught => {
                self.adapt(id, used, Hook::Except, "))");
                self.insert(used.start, "(");
            }
            Form::Subject => {
                let (count, prefix) = (used.inner, self.hooks.prefix());
                let first = self.sites.len() as u32 + self.companion_of.map_or(0, |taken| taken.sites);
                self.leave(used.start, used.end);
                self.open_expr(used.start, |out| {
                    write_hook(out, prefix, Hook::Pattern, first, true);
                    write_number(out, count);
                    out.push_str(",(");
                });
                self.open.push(used.start, used.end, Close::Text("))"));
            }
            Form::PatternName => {
                self.site(id, used, Kind::Variable);
            }
            Form::Membership => self.membership(used),
            Form::Metaclass => self.hand_through(used, Hook::Metaclass),
            Form::Subscript => {
                let bracket = self.find(used.inner, |byte| byte == b'[');
                self.hand_through(&Use { end: bracket, ..*used }, Hook::Tolerant);
            }
            // `_s_(y).a = 1`: the hook closes right before the dot.
            Form::AttributeTarget => self.hand_through(&Use { end: self.find_dot(used), ..*used }, Hook::Tolerant),
            // `from m import a` becomes `_f_(0);from m import a`: the hook looks after what the import would lack.
            Form::ImportFrom => {
                let number = used.inner + self.companion_of.map_or(0, |taken| taken.imports);
                let prefix = self.hooks.prefix();
                self.edits.insert_anchored(used.start, (used.start, used.start), |out| {
                    write_hook(out, prefix, Hook::ImportFrom, number, false);
                    out.push_str(");");
                });
            }
            Form::DebugText => {
                let text = &self.model.text()[used.start as usize + 1..(used.end + used.inner) as usize];
                self.leave(used.name_at, used.end);
                self.edits.replace(used.start, 0, |out| out.push_str(text));
                self.edits.replace(used.start + 1, used.name_at - used.start - 1, |_| {});
                let text = if used.is(UseFlags::BARE) { "!r" } else { "" };
                self.open.push(used.name_at, used.end, Close::DebugText { len: used.inner, text });
            }
            Form::Target | Form::Parameter => {}
        }
    }

    /// Puts an expression into a hook that takes nothing else.
    fn hand_through(&mut self, used: &Use, hook: Hook) {
        let name = format!("{}{}_(", self.hooks.prefix(), hook.letter());
        self.leave(used.start, used.end);
        self.insert(used.start, &name);
        self.open.push(used.start, used.end, Close::Text(")"));
    }

    fn name(&mut self, id: UseId, used: &Use) {
        let number = self.site(id, used, Kind::Variable);
        let prefix = self.hooks.prefix();
        if used.resolution == Resolution::Unbound {
            self.insert(used.start, "(");
            self.edits.replace(used.end, 0, |out| write_unbound(out, prefix, number));
        } else {
            self.edits.replace(used.start, used.end - used.start, |out| {
                write_hook(out, prefix, Hook::Name, number, false);
                out.push(b')');
            });
        }
    }

    /// Before `x += 1` or `del x`: `x=_n_(site);`.
    fn read_before(&mut self, id: UseId, used: &Use) {
        let number = self.site(id, used, Kind::Variable);
        let (prefix, name) = (self.hooks.prefix(), self.model.name(used.symbol));
        self.edits.insert_anchored(used.inner, (used.start, used.end), |out| {
            out.push_str(name);
            out.push(b'=');
            if used.resolution == Resolution::Unbound {
                out.push(b'(');
                out.push_str(name);
                write_unbound(out, prefix, number);
            } else {
                write_hook(out, prefix, Hook::Name, number, false);
                out.push(b')');
            }
            out.push(b';');
        });
    }

    /// Writes `_x_(site,` before a use.
    fn open(&mut self, used: &Use, hook: Hook, number: u32, close: Close) {
        let prefix = self.hooks.prefix();
        self.leave(used.start, used.end);
        self.open_expr(used.start, |out| write_hook(out, prefix, hook, number, true));
        self.open.push(used.start, used.end, close);
    }

    fn adapt(&mut self, id: UseId, used: &Use, hook: Hook, close: &'static str) {
        let number = self.site(id, used, Kind::Variable);
        self.open(used, hook, number, Close::Text(close));
    }

    /// `f(z)` becomes `_c_(site,f,z)`: a comma in place of the parenthesis, nothing where no argument follows.
    fn call(&mut self, id: UseId, used: &Use) {
        let number = self.site(id, used, Kind::ReturnValue);
        let (text, end) = if used.is(UseFlags::BARE) {
            ("", "")
        } else if used.is(UseFlags::SOLE_GENERATOR) {
            // The call's own parentheses were the generator's: it needs its own pair now.
            (",(", ")")
        } else {
            (",", "")
        };
        self.open(used, Hook::Call, number, Close::Call { parenthesis: Some((used.inner, text)), text: end });
        if self.model.tables.uses[UseId::from_u32(id.as_u32() + 1)].form == Form::Attribute && used.is(UseFlags::DIRECT)
        {
            self.report_at_name(used);
        }
    }

    /// `a in b` becomes `_i_(a,b)`, and `a not in b` becomes `(not _i_(a,b))`.
    fn membership(&mut self, used: &Use) {
        let (negated, prefix) = (used.is(UseFlags::BARE), self.hooks.prefix());
        self.leave(used.start, used.end);
        self.open_expr(used.start, |out| {
            out.push_str(if negated { "(not " } else { "" });
            out.push_str(prefix);
            out.push(Hook::Membership.letter() as u8);
            out.push_str("_(");
        });
        self.open.push(used.start, used.end, Close::Membership { operator: Some(used.inner), negated });
    }

    /// Replaces `in` or `not in` behind an offset.
    fn operator(&mut self, from: u32, negated: bool) {
        let mut at = self.find_word(from);
        if negated {
            self.edits.replace(at, 3, |_| {});
            at = self.find_word(at + 3);
        }
        self.edits.replace(at, 2, |out| out.push(b','));
    }

    fn mark(&mut self, mark: &LineMark) {
        let (prefix, mut line) = (self.hooks.prefix(), mark.line);
        if mark.form == MarkForm::Part {
            let Some(parts) = &mut self.parts else { return };
            parts.push(mark.start..mark.end);
            line = self.model.lines().count() + parts.len() as u32;
        }
        if matches!(mark.form, MarkForm::Expression | MarkForm::Part) {
            self.leave(mark.start, mark.end);
            self.open_expr(mark.start, |out| {
                // The list is the quick look; the slow hook runs the first time only. `and` keeps the value.
                out.push(b'(');
                write_subscript(out, prefix, Hook::MarkStore, line);
                out.push_str("or ");
                write_subscript(out, prefix, Hook::MarkExpr, line);
                out.push_str(")and(");
            });
            return self.open.push(mark.start, mark.end, Close::Text(")"));
        }
        self.leave(mark.start, mark.start);
        let before = mark.form == MarkForm::Before;
        self.edits.insert_anchored(mark.start, (mark.end, mark.end), |out| {
            if !before {
                out.push(b';');
            }
            write_subscript(out, prefix, Hook::MarkStore, line);
            out.push_str("=1");
            if before {
                out.push(b';');
            }
        });
    }

    /// Inserts text that starts with a name, apart from a keyword right before it (`in(1, 2)`).
    fn open_expr(&mut self, at: u32, write: impl FnOnce(&mut Inserted)) {
        self.edits.open(self.model.text(), at, write);
    }

    fn insert(&mut self, at: u32, text: &str) {
        self.edits.replace(at, 0, |out| out.push_str(text));
    }

    /// CPython reports an attribute on another line than its object at the attribute's name.
    fn report_at_name(&mut self, used: &Use) {
        let lines = self.model.lines();
        if !lines.is_on(lines.line(used.start), used.name_at) {
            self.moved.push((used.start, used.end, used.name_at));
        }
    }

    /// Where the dot of `y.a` stands.
    fn find_dot(&self, used: &Use) -> u32 {
        self.find(used.inner, |byte| byte == b'.')
    }

    /// Where the next word starts, past white space, comments, backslashes and closing parentheses.
    fn find_word(&self, from: u32) -> u32 {
        self.find(from, |byte| byte.is_ascii_alphabetic())
    }

    fn find(&self, from: u32, wanted: impl Fn(u8) -> bool) -> u32 {
        let bytes = self.model.text().as_bytes();
        let mut at = from as usize;
        while at < bytes.len() && !wanted(bytes[at]) {
            if bytes[at] == b'#' {
                at += memchr::memchr2(b'\n', b'\r', &bytes[at..]).unwrap_or(bytes.len() - at);
            } else {
                at += 1;
            }
        }
        at as u32
    }
}

fn write_unbound(out: &mut Inserted, prefix: &str, site: u32) {
    out.push_str(" if ");
    write_hook(out, prefix, Hook::Bound, site, false);
    out.push_str(")else ");
    write_hook(out, prefix, Hook::Name, site, false);
    out.push_str("))");
}

fn write_hook(out: &mut Inserted, prefix: &str, hook: Hook, site: u32, comma: bool) {
    write_head(out, prefix, hook, b'(', site, comma.then_some(b','));
}

fn write_subscript(out: &mut Inserted, prefix: &str, hook: Hook, line: u32) {
    write_head(out, prefix, hook, b'[', line, Some(b']'));
}

/// `_a_(7,` in one piece: nearly every edit has one.
fn write_head(out: &mut Inserted, prefix: &str, hook: Hook, bracket: u8, number: u32, end: Option<u8>) {
    let mut text = [0_u8; 32];
    let to = text.len() - usize::from(end.is_some());
    text[text.len() - 1] = end.unwrap_or_default();
    let mut from = write_digits(&mut text[..to], number) - 3;
    text[from..from + 3].copy_from_slice(&[hook.letter() as u8, b'_', bracket]);
    for &byte in prefix.as_bytes().iter().rev() {
        from -= 1;
        text[from] = byte;
    }
    out.push_ascii(&text[from..to + usize::from(end.is_some())]);
}

pub(super) fn write_number(out: &mut Inserted, number: u32) {
    let mut digits = [0_u8; 10];
    let from = write_digits(&mut digits, number);
    out.push_ascii(&digits[from..]);
}

/// Writes a number to the end of the buffer, and returns where it starts.
fn write_digits(into: &mut [u8], number: u32) -> usize {
    let mut at = into.len();
    let mut rest = number;
    loop {
        at -= 1;
        into[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return at;
        }
    }
}

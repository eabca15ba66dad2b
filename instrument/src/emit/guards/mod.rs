//! The rewriting for guided runs: every use of a value that may be missing goes through a hook.
//!
//! `x` becomes `_n_(7)`, or `(x if _u_(7)else _n_(7))` where it is a local variable, `y.a` becomes `_a_(7,y)`, and
//! `f(z)` becomes `_c_(7,f,z)`. What is proven to be there stays as written.

mod places;
mod spelling;

use std::ops::Range;

use compact_str::CompactString;

use super::downstream;
use super::edits::{Edits, PositionMap};
use super::instrumented::{Instrumented, Options, Taken};
use super::nest::Nest;
use crate::hooks::{Hook, HookNames};
use crate::role::{Role, Roles};
use crate::semantic::symbol::{Symbol, mangled};
use crate::semantic::uses::{Form, Resolution, Use, UseFlags, UseId};
use crate::semantic::{LineMark, SourceModel};
use crate::sites::{Kind, Site};
use places::Close;
pub(super) use spelling::write_number;
use spelling::{write_hook, write_unbound};

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
        class.and_then(|class| mangled(name, self.symbol(class))).unwrap_or_else(|| name.clone())
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
}

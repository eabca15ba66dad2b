//! The walk over the syntax tree that collects sites, edits and marks.

mod calls;
mod certain;
mod definitions;
mod demands;
mod expressions;
mod headers;
mod later;
mod matching;
mod names;
mod statements;
mod strings;

pub(crate) use headers::handler_names;

use compact_str::CompactString;
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bits::Bits;
use crate::edits::{Edits, Inserted, PositionMap};
use crate::flow::Flow;
use crate::hooks::{Hook, HookNames};
use crate::lines::LineIndex;
use crate::marks::Marks;
use crate::nesting::Nesting;
use crate::roles::{Role, Roles};
use crate::scopes::{ScopeKind, Scopes};
use crate::sites::{FromImport, Kind, Parameter, Site, TryBlock};
use crate::symbols::Symbol;
use crate::{Instrumented, Options, Taken};

/// One scope that the walk is inside of.
struct Frame<'a> {
    scope: usize,
    kind: ScopeKind,
    /// How deep the innermost function around stands, this one counted; 0 outside of functions.
    function_depth: usize,
    flow: Flow,
    /// What functions defined at this point may rely on besides `flow`.
    view: Bits,
    /// The states in which `break` leaves the loops around, innermost last.
    breaks: Vec<Option<Flow>>,
    /// Index of its name in the table of functions.
    function: u32,
    /// Line of its code object (0 for the module), as in [`TryBlock::scope_line`].
    scope_line: u32,
    /// False in class bodies whose namespace may be an arbitrary mapping: no lookup may be added there.
    hooked: bool,
    /// In a method: the name of its first parameter, if nothing rebinds it, and its class.
    receiver: Option<(&'a str, usize)>,
}

pub(crate) struct Rewriter<'a> {
    source: &'a str,
    lines: LineIndex,
    scopes: Scopes<'a>,
    options: Options,
    hooks: HookNames,
    edits: Edits,
    moved: Vec<(u32, u32, u32)>,
    sites: Vec<Site>,
    functions: Vec<String>,
    tries: Vec<TryBlock>,
    imports: Vec<FromImport>,
    parameters: Vec<Parameter>,
    marks: Marks,
    marked: Vec<bool>,
    /// Numbers of another module; its lines are marked, and none here.
    beside: Option<Taken>,
    frames: Vec<Frame<'a>>,
    /// Classes around, innermost last, for the mangling of private names.
    classes: Vec<&'a str>,
    /// Attributes that instances of a class certainly have, by the class's scope.
    certain: FxHashMap<usize, FxHashSet<Symbol>>,
    later: later::Later,
}

pub(crate) fn rewrite(
    source: &str,
    body: &[Stmt],
    nesting: &Nesting,
    options: Options,
    beside: Option<Taken>,
) -> Instrumented {
    let lines = LineIndex::new(source);
    let scopes = Scopes::build(source, body, nesting);
    let hooks = HookNames { long: scopes.clash };
    let marks = Marks { lines: lines.count(), ..Marks::default() };
    let marked = vec![beside.is_some(); lines.count() as usize + 2];
    let mut rewriter = Rewriter {
        source,
        lines,
        scopes,
        options,
        hooks,
        edits: Edits::for_source(source.len()),
        moved: Vec::new(),
        sites: Vec::with_capacity(source.len() / 24),
        functions: vec![String::new()],
        tries: Vec::new(),
        imports: Vec::new(),
        parameters: Vec::new(),
        marks,
        marked,
        beside,
        frames: vec![Frame::new(0, 0, 0)],
        classes: Vec::new(),
        certain: FxHashMap::default(),
        later: later::Later::default(),
    };
    rewriter.module(body);
    rewriter.finish()
}

impl Frame<'_> {
    fn new(scope: usize, function: u32, scope_line: u32) -> Self {
        Self {
            scope,
            kind: ScopeKind::Module,
            function_depth: 0,
            flow: Flow::default(),
            view: Bits::default(),
            breaks: Vec::new(),
            function,
            scope_line,
            hooked: true,
            receiver: None,
        }
    }
}

impl<'a> Rewriter<'a> {
    fn finish(mut self) -> Instrumented {
        self.later.tell(&mut self.scopes, &mut self.sites, &mut self.parameters);
        self.moved.sort_unstable();
        self.marks.spans.sort_unstable_by_key(|&(first, last)| (first, std::cmp::Reverse(last)));
        let (text, segments) = self.edits.apply(self.source);
        Instrumented {
            text,
            sites: self.sites,
            functions: self.functions,
            tries: self.tries,
            imports: self.imports,
            parameters: self.parameters,
            marks: self.marks,
            positions: PositionMap { segments, moved: self.moved },
            hooks: self.hooks,
        }
    }

    fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("the module's frame is never popped")
    }

    fn line(&self, offset: TextSize) -> u32 {
        self.lines.line(offset.to_u32())
    }

    /// Records a site; its number goes into the text.
    fn site(&mut self, kind: Kind, name: &str, role: Role, node: &impl Ranged, name_at: TextSize) -> u32 {
        let (line, column) = self.lines.position(name_at.to_u32());
        let function = self.frame().function;
        self.sites.push(Site {
            kind,
            name: self.mangle(name),
            role,
            later: Roles::default(),
            start: node.start().to_u32(),
            end: node.end().to_u32(),
            line,
            column,
            function,
            local: false,
            rebound: false,
            in_class: false,
            marks: 0,
        });
        self.sites.len() as u32 - 1
    }

    /// The number of a site as hooks carry it.
    fn in_text(&self, site: u32) -> u32 {
        site + self.beside.map_or(0, |taken| taken.sites)
    }

    /// `__x` inside class `C` is `_C__x` (Language Reference, 6.2.1).
    fn mangle(&self, name: &str) -> CompactString {
        match self.classes.last() {
            Some(class) if self.is_private(name) => {
                CompactString::from(format!("_{}{name}", class.trim_start_matches('_')))
            }
            _ => CompactString::new(name),
        }
    }

    /// True for names that are mangled here.
    fn is_private(&self, name: &str) -> bool {
        name.starts_with("__")
            && !name.ends_with("__")
            && !name.contains('.')
            && self.classes.last().is_some_and(|class| !class.trim_start_matches('_').is_empty())
    }

    /// Writes `_x_(site,` before a node.
    fn open_hook(&mut self, hook: Hook, site: u32, at: TextSize) {
        let number = self.in_text(site);
        self.open_expr(at, |out, prefix| write_hook(out, prefix, hook, number, true));
    }

    /// Inserts text that starts with a name, apart from a keyword right before it (`in(1, 2)`).
    fn open_expr(&mut self, at: TextSize, write: impl FnOnce(&mut Inserted, &str)) {
        let prefix = self.hooks.prefix();
        let before = at.to_usize().checked_sub(1).map(|before| self.source.as_bytes()[before]);
        self.edits.replace(at.to_u32(), 0, |out| {
            if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                out.push(b' ');
            }
            write(out, prefix);
        });
    }

    fn insert(&mut self, at: TextSize, text: &str) {
        self.edits.replace(at.to_u32(), 0, |out| out.push_str(text));
    }

    fn delete(&mut self, from: u32, to: u32) {
        self.edits.replace(from, to - from, |_| {});
    }

    /// Marks a line before a statement, or after the one before it (both are positions between statements).
    fn mark_statement(&mut self, line: u32, at: TextSize, anchor: TextSize, before: bool) {
        self.marked[line as usize] = true;
        let prefix = self.hooks.prefix();
        self.edits.insert_anchored(at.to_u32(), anchor.to_u32(), |out| {
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

    /// Visits the expression of a header, marking `line` when it is evaluated.
    fn marked_expr(&mut self, expr: &'a Expr, role: Role, mark: Option<u32>) {
        let Some(line) = mark else {
            return self.expr(expr, role);
        };
        self.marked[line as usize] = true;
        self.open_expr(expr.start(), |out, prefix| {
            // The list is the quick look; the slow hook runs the first time only. `and` keeps the value.
            out.push(b'(');
            write_subscript(out, prefix, Hook::MarkStore, line);
            out.push_str("or ");
            write_subscript(out, prefix, Hook::MarkExpr, line);
            out.push_str(")and(");
        });
        self.expr(expr, role);
        self.insert(expr.end(), ")");
    }

    /// `line` was reached if `by` was.
    fn imply(&mut self, line: u32, by: u32) {
        if line != by {
            self.marks.implied.push((line, by));
        }
    }

    /// Notes that a statement or header spans several lines.
    fn span(&mut self, start: TextSize, end: TextSize) {
        self.span_from(self.line(start), end);
    }

    /// The same for one that starts on a line that is known.
    fn span_from(&mut self, first: u32, end: TextSize) {
        if !self.lines.is_on(first, end.to_u32()) {
            let last = self.line(end);
            self.marks.spans.push((first, last));
        }
    }
}

/// The last component of what is called; empty where it has none.
pub(crate) fn callee_name(callee: &Expr) -> &str {
    calls::callee_name_at(callee).0
}

fn write_hook(out: &mut Inserted, prefix: &str, hook: Hook, site: u32, comma: bool) {
    out.push_str(prefix);
    write_head(out, hook, b'(', site, if comma { b"," } else { b"" });
}

fn write_subscript(out: &mut Inserted, prefix: &str, hook: Hook, line: u32) {
    out.push_str(prefix);
    write_head(out, hook, b'[', line, b"]");
}

/// `a_(7,` in one piece: nearly every edit has one.
fn write_head(out: &mut Inserted, hook: Hook, bracket: u8, number: u32, end: &[u8]) {
    let mut text = [0_u8; 16];
    let to = text.len() - end.len();
    text[to..].copy_from_slice(end);
    let from = write_digits(&mut text[..to], number) - 3;
    text[from..from + 3].copy_from_slice(&[hook.letter() as u8, b'_', bracket]);
    out.push_ascii(&text[from..]);
}

pub(crate) fn write_number(out: &mut Inserted, number: u32) {
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

//! The walk that knows Python's order of evaluation: it lists the uses of a source, with what each name refers to and
//! whether it may be missing there, what feeds what, and how lines are marked.

mod calls;
mod certain;
mod constraint;
mod definitions;
mod expressions;
mod feeding;
mod flow;
mod headers;
mod matching;
mod names;
mod statements;
mod strings;

pub(crate) use headers::{handler_names, suppressed_names};

use ruff_index::IndexVec;
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};

use self::flow::Flow;
use super::bits::Bits;
use super::feeds::Target;
use super::nesting::Nesting;
use super::scope::{MODULE, ScopeId, ScopeKind, Scopes};
use super::symbol::Symbol;
use super::uses::{Form, Resolution, Use, UseFlags, UseId, Variable};
use super::{LineMark, MarkForm, Tables};
use crate::lines::LineIndex;
use crate::marks::Marks;
use crate::role::Role;

/// One scope that the walk is inside of.
struct Frame {
    scope: ScopeId,
    kind: ScopeKind,
    /// Origin deep the innermost function around stands, this one counted; 0 outside of functions.
    function_depth: usize,
    flow: Flow,
    /// What functions defined at this point may rely on besides `flow`.
    view: Bits,
    /// The states in which `break` leaves the loops around, innermost last.
    breaks: Vec<Option<Flow>>,
    /// Index of the innermost function or class in the table of functions.
    function: u32,
    /// Line of the code object (0 for the module), as in [`crate::TryBlock::scope_line`].
    scope_line: u32,
    /// False in class bodies whose namespace may be an arbitrary mapping: no lookup may be added there.
    hooked: bool,
    /// In a method: the name of its first parameter, if nothing rebinds it, and its class.
    receiver: Option<(Symbol, ScopeId)>,
}

/// A function whose body the walk is in, for what it returns; `None` for a lambda.
struct Returning {
    target: Target,
    /// Some `return` or `yield` stands in it.
    answers: bool,
}

/// What holds of uses in code that never runs where it stands, or has to stay as it is written.
const UNEVALUATED: UseFlags = UseFlags::NOT_GUARDED.union(UseFlags::NOT_RECORDED).union(UseFlags::SIGNATURE);

/// What holds of an expression and not of what it is made of.
const DIRECTLY: UseFlags = UseFlags::PASSED.union(UseFlags::CALLEE);

pub(super) struct Walk<'a> {
    source: &'a str,
    lines: &'a LineIndex,
    tables: Tables,
    /// Lines that need no further mark.
    marked: Vec<bool>,
    frames: Vec<Frame>,
    /// Attributes that instances of a class certainly have, by the class's scope.
    certain: FxHashMap<ScopeId, FxHashSet<Symbol>>,
    /// What holds of all uses in the part of the tree that the walk is in.
    region: UseFlags,
    returning: Vec<Option<Returning>>,
    /// Number of `def`s around.
    functions_around: u32,
}

pub(super) fn walk(source: &str, lines: &LineIndex, body: &[Stmt], nesting: &Nesting) -> Tables {
    let tables = Tables {
        scopes: Scopes::build(source, body, nesting),
        uses: IndexVec::with_capacity(source.len() / 12),
        line_marks: Vec::with_capacity(source.len() / 48),
        marks: Marks { lines: lines.count(), ..Marks::default() },
        feeds: Vec::with_capacity(source.len() / 64),
        elements: Vec::new(),
        annotations: Vec::new(),
        bases: Vec::new(),
        raised: Vec::new(),
        functions: vec![String::new()],
        tries: Vec::new(),
        imports: Vec::new(),
    };
    let mut walk = Walk {
        source,
        lines,
        tables,
        marked: vec![false; lines.count() as usize + 2],
        frames: vec![Frame::new(MODULE, 0, 0)],
        certain: FxHashMap::default(),
        region: UseFlags::empty(),
        returning: Vec::new(),
        functions_around: 0,
    };
    walk.intern("");
    walk.module(body);
    walk.tables
}

impl Frame {
    fn new(scope: ScopeId, function: u32, scope_line: u32) -> Self {
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

impl<'a> Walk<'a> {
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the module's frame is never popped")
    }

    fn line(&self, offset: TextSize) -> u32 {
        self.lines.line(offset.to_u32())
    }

    fn intern(&mut self, name: &str) -> Symbol {
        self.tables.scopes.symbols.intern(name)
    }

    /// Lists a use.
    fn list(&mut self, form: Form, symbol: Symbol, role: Role, node: &impl Ranged, name_at: TextSize) -> &mut Use {
        let frame = &self.frames[self.frames.len() - 1];
        let (scope, namespaced) = (frame.scope, !frame.hooked);
        let mut flags = self.region;
        flags.set(UseFlags::NAMESPACED, namespaced);
        self.region.remove(DIRECTLY);
        self.tables.uses.push(Use {
            form,
            resolution: Resolution::Proven,
            flags,
            role,
            start: node.start().to_u32(),
            end: node.end().to_u32(),
            name_at: name_at.to_u32(),
            inner: 0,
            symbol,
            scope,
            variable: Variable::Free(symbol),
        });
        self.tables.uses.raw.last_mut().expect("it was just pushed")
    }

    /// Lists a place that only adapts a value.
    fn adapt(&mut self, form: Form, role: Role, node: &impl Ranged) -> &mut Use {
        let symbol = self.intern("");
        self.list(form, symbol, role, node, node.start())
    }

    fn next_use(&self) -> UseId {
        self.tables.uses.next_index()
    }

    /// Walks a part of the tree in which this holds of all uses, besides what holds around.
    fn in_region(&mut self, flags: UseFlags, work: impl FnOnce(&mut Self)) {
        let around = self.region;
        self.region |= flags;
        work(self);
        self.region = around;
    }

    /// Visits an expression to which the one around passes its own role on.
    fn passed(&mut self, expr: &'a Expr, role: Role) {
        self.in_region(UseFlags::PASSED, |walk| walk.expr(expr, role));
    }

    /// Marks a line before a statement, or after the one before it (both are positions between statements).
    fn mark_statement(&mut self, line: u32, at: TextSize, anchor: TextSize, form: MarkForm) {
        self.marked[line as usize] = true;
        let before = self.next_use();
        let (start, end) = (at.to_u32(), anchor.to_u32());
        self.tables.line_marks.push(LineMark { before, line, start, end, form });
    }

    /// Visits the expression of a header, marking `line` when it is evaluated.
    fn marked_expr(&mut self, expr: &'a Expr, role: Role, mark: Option<u32>) {
        if let Some(line) = mark {
            self.mark_statement(line, expr.start(), expr.end(), MarkForm::Expression);
        }
        self.expr(expr, role);
    }

    /// Visits a part of an expression that may not be evaluated though the rest of it is.
    fn part(&mut self, expr: &'a Expr, visit: impl FnOnce(&mut Self)) {
        if self.frames[self.frames.len() - 1].hooked && !self.region.intersects(UNEVALUATED.union(UseFlags::ANNOTATION))
        {
            let before = self.next_use();
            let (start, end) = (expr.start().to_u32(), expr.end().to_u32());
            self.tables.line_marks.push(LineMark { before, line: 0, start, end, form: MarkForm::Part });
        }
        visit(self);
    }

    /// `line` was reached if `by` was.
    fn imply(&mut self, line: u32, by: u32) {
        if line != by {
            self.tables.marks.implied.push((line, by));
        }
    }

    /// Notes that a statement or header spans several lines.
    fn span(&mut self, start: TextSize, end: TextSize) {
        self.span_from(self.line(start), end);
    }

    /// Notes that a statement or header that starts on this line spans several.
    fn span_from(&mut self, first: u32, end: TextSize) {
        if !self.lines.is_on(first, end.to_u32()) {
            let last = self.line(end);
            self.tables.marks.spans.push((first, last));
        }
    }
}

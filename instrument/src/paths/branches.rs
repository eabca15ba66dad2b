//! Control flow at the level of statements: which blocks a statement leads to, and what decides between them.

use std::ops::Range;

use compact_str::CompactString;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{self as ast, ExceptHandler, Expr, Stmt};
use ruff_text_size::Ranged;

use super::arguments::Arguments;
use super::hints::{self, Hint};
use crate::LineIndex;
use crate::semantic::{bytes, handler_names};

/// A statement that leads to one block or another.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Byte range of what decides: the test, what a loop goes over, the subject, or the body of a `try`.
    pub decides: Range<u32>,
    /// Lines of the header up to its end; for a `try`, of its body.
    pub lines: (u32, u32),
    /// First line of the whole statement, and its last.
    pub whole: (u32, u32),
    /// Where it leads.
    pub ways: Vec<Way>,
}

/// A block that a branch leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// What leads there.
    pub side: Side,
    /// First and last line of the block.
    pub lines: (u32, u32),
}

/// What leads to a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// The condition holds, or the loop has an element.
    Yes,
    /// It does not, or has none.
    No,
    /// The body raises one of these (dotted names; `None` is any).
    Handler(Vec<Option<String>>),
    /// The subject matches.
    Case,
}

/// What the walk finds.
#[derive(Default)]
pub(super) struct Found {
    pub(super) branches: Vec<Branch>,
    pub(super) hints: Vec<Hint>,
    /// Simple statements and headers: bytes and lines, by their start.
    pub(super) statements: Vec<(Range<u32>, (u32, u32))>,
    /// What is put into the container of a name, or passed as the parameter of a name.
    pub(super) put: Vec<(CompactString, Range<u32>)>,
}

struct Builder<'a> {
    lines: &'a LineIndex,
    found: Found,
    /// What stands after the statement at hand: first and last line.
    after: Option<(u32, u32)>,
    /// The class that the statement at hand stands in, without a function between.
    class: Option<&'a str>,
    arguments: Arguments<'a>,
}

pub(super) fn find<'a>(body: &'a [Stmt], lines: &'a LineIndex) -> Found {
    let (found, arguments) = (Found::default(), Arguments::default());
    let mut builder = Builder { lines, found, after: None, class: None, arguments };
    builder.block(body, None);
    let Builder { mut found, arguments, .. } = builder;
    arguments.give(&mut found.put);
    found.statements.sort_unstable_by_key(|(range, _)| range.start);
    found.branches.sort_by_key(|branch| branch.whole.0);
    found
}

impl<'a> Builder<'a> {
    /// Walks a block; `after` is what follows when it is done.
    fn block(&mut self, body: &'a [Stmt], after: Option<(u32, u32)>) {
        let outer = self.after;
        let last = body.last();
        for (at, stmt) in body.iter().enumerate() {
            self.after = match (body.get(at + 1), last) {
                (Some(next), Some(last)) => Some((self.line(next.start().to_u32()), self.end_line(last))),
                _ => after,
            };
            self.statement(stmt);
        }
        self.after = outer;
    }

    fn line(&self, offset: u32) -> u32 {
        self.lines.line(offset)
    }

    fn end_line(&self, node: &impl Ranged) -> u32 {
        self.line(node.end().to_u32().saturating_sub(1).max(node.start().to_u32()))
    }

    fn span(&self, node: &impl Ranged) -> (u32, u32) {
        (self.line(node.start().to_u32()), self.end_line(node))
    }

    fn suite(&self, body: &[Stmt]) -> Option<(u32, u32)> {
        Some((self.line(body.first()?.start().to_u32()), self.end_line(body.last()?)))
    }

    fn header(&mut self, start: u32, end: u32) {
        let lines = (self.line(start), self.line(end.saturating_sub(1).max(start)));
        self.found.statements.push((start..end, lines));
    }

    fn branch(&mut self, whole: &impl Ranged, header: u32, decides: Range<u32>, ways: impl IntoIterator<Item = Way>) {
        let lines = (self.line(header), self.line(decides.end.saturating_sub(1).max(decides.start)));
        let whole = self.span(whole);
        self.found.branches.push(Branch { decides, lines, whole, ways: ways.into_iter().collect() });
    }

    fn way(&self, side: Side, body: &[Stmt]) -> Option<Way> {
        self.suite(body).map(|lines| Way { side, lines })
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::If(branch) => self.choice(branch),
            Stmt::While(repeat) => {
                self.header(repeat.start().to_u32(), repeat.test.end().to_u32());
                let no = self.otherwise(&repeat.orelse);
                let ways = [self.way(Side::Yes, &repeat.body), no];
                self.branch(repeat, repeat.start().to_u32(), bytes(&*repeat.test), ways.into_iter().flatten());
                hints::collect(&repeat.test, &mut self.found.hints);
                self.visit_expr(&repeat.test);
                self.block(&repeat.body, None);
                self.block(&repeat.orelse, self.after);
            }
            Stmt::For(each) => {
                self.header(each.start().to_u32(), each.iter.end().to_u32());
                let no = self.otherwise(&each.orelse);
                let ways = [self.way(Side::Yes, &each.body), no];
                self.branch(each, each.start().to_u32(), bytes(&*each.iter), ways.into_iter().flatten());
                self.visit_expr(&each.iter);
                self.visit_expr(&each.target);
                self.block(&each.body, None);
                self.block(&each.orelse, self.after);
            }
            Stmt::Try(attempt) => self.attempt(attempt),
            Stmt::Match(choice) => {
                self.header(choice.start().to_u32(), choice.subject.end().to_u32());
                let ways: Vec<Way> = choice.cases.iter().filter_map(|case| self.way(Side::Case, &case.body)).collect();
                self.branch(choice, choice.start().to_u32(), bytes(&*choice.subject), ways);
                self.visit_expr(&choice.subject);
                for case in &choice.cases {
                    hints::collect_pattern(&case.pattern, &bytes(&*choice.subject), &mut self.found.hints);
                    if let Some(guard) = &case.guard {
                        hints::collect(guard, &mut self.found.hints);
                        self.visit_expr(guard);
                    }
                    self.block(&case.body, self.after);
                }
            }
            Stmt::With(with) => {
                let end = with.items.last().map_or(with.start(), Ranged::end);
                self.header(with.start().to_u32(), end.to_u32());
                for item in &with.items {
                    self.visit_expr(&item.context_expr);
                }
                self.block(&with.body, self.after);
            }
            Stmt::FunctionDef(def) => {
                self.header(def.start().to_u32(), def.parameters.end().to_u32());
                for default in def.parameters.iter().filter_map(ast::AnyParameterRef::default) {
                    self.visit_expr(default);
                }
                for decorator in &def.decorator_list {
                    self.visit_expr(&decorator.expression);
                }
                self.arguments.function(def, self.class);
                let class = self.class.take();
                self.block(&def.body, None);
                self.class = class;
            }
            Stmt::ClassDef(def) => {
                let end = def.arguments.as_ref().map_or(def.name.end(), |arguments| arguments.end());
                self.header(def.start().to_u32(), end.to_u32());
                if let Some(arguments) = &def.arguments {
                    self.visit_arguments(arguments);
                }
                let class = self.class.replace(def.name.as_str());
                self.block(&def.body, None);
                self.class = class;
            }
            simple => self.simple(simple),
        }
    }

    /// What runs when a loop or a condition says no: its own block, or what follows.
    fn otherwise(&self, orelse: &[Stmt]) -> Option<Way> {
        self.way(Side::No, orelse).or_else(|| self.after.map(|lines| Way { side: Side::No, lines }))
    }

    fn choice(&mut self, branch: &'a ast::StmtIf) {
        let mut at = (branch.start(), &*branch.test, &branch.body);
        let mut rest = branch.elif_else_clauses.as_slice();
        loop {
            let (start, test, body) = at;
            self.header(start.to_u32(), test.end().to_u32());
            let no = match rest.first() {
                Some(clause) => {
                    let first = match clause.test {
                        Some(_) => Some(self.line(clause.start().to_u32())),
                        None => self.suite(&clause.body).map(|(first, _)| first),
                    };
                    let last = rest.last().and_then(|clause| self.suite(&clause.body)).map(|(_, last)| last);
                    first.zip(last).map(|lines| Way { side: Side::No, lines })
                }
                None => self.after.map(|lines| Way { side: Side::No, lines }),
            };
            let ways = [self.way(Side::Yes, body), no];
            self.branch(branch, start.to_u32(), bytes(test), ways.into_iter().flatten());
            hints::collect(test, &mut self.found.hints);
            self.visit_expr(test);
            self.block(body, self.after);
            match rest.split_first() {
                Some((clause, others)) => {
                    rest = others;
                    match &clause.test {
                        Some(test) => at = (clause.start(), test, &clause.body),
                        None => return self.block(&clause.body, self.after),
                    }
                }
                None => return,
            }
        }
    }

    fn attempt(&mut self, attempt: &'a ast::StmtTry) {
        let decides = match (attempt.body.first(), attempt.body.last()) {
            (Some(first), Some(last)) => first.start().to_u32()..last.end().to_u32(),
            _ => bytes(attempt),
        };
        let mut ways = Vec::new();
        for handler in &attempt.handlers {
            let ExceptHandler::ExceptHandler(body) = handler;
            ways.extend(self.way(Side::Handler(handler_names(handler)), &body.body));
        }
        self.branch(attempt, decides.start, decides.clone(), ways);
        let after_body = self.suite(&attempt.orelse).or_else(|| self.suite(&attempt.finalbody)).or(self.after);
        self.block(&attempt.body, after_body);
        for ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
            let end = handler.type_.as_ref().map_or(handler.start().to_u32() + 6, |kind| kind.end().to_u32());
            self.header(handler.start().to_u32(), end);
            if let Some(kind) = &handler.type_ {
                self.visit_expr(kind);
            }
            self.block(&handler.body, self.suite(&attempt.finalbody).or(self.after));
        }
        self.block(&attempt.orelse, self.suite(&attempt.finalbody).or(self.after));
        self.block(&attempt.finalbody, self.after);
    }

    fn simple(&mut self, stmt: &'a Stmt) {
        let lines = self.span(stmt);
        self.found.statements.push((bytes(stmt), lines));
        match stmt {
            Stmt::Assign(assign) => self.arguments.assignment(assign),
            Stmt::Assert(assert) => hints::collect(&assert.test, &mut self.found.hints),
            _ => {}
        }
        walk_stmt(self, stmt);
    }
}

impl<'a> Visitor<'a> for Builder<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.statement(stmt);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => {
                Arguments::put_in(call, &mut self.found.put);
                self.arguments.call(call);
            }
            Expr::ListComp(ast::ExprListComp { generators, .. })
            | Expr::SetComp(ast::ExprSetComp { generators, .. })
            | Expr::DictComp(ast::ExprDictComp { generators, .. })
            | Expr::Generator(ast::ExprGenerator { generators, .. }) => {
                for test in generators.iter().flat_map(|generator| &generator.ifs) {
                    hints::collect(test, &mut self.found.hints);
                }
            }
            Expr::If(choice) => hints::collect(&choice.test, &mut self.found.hints),
            _ => {}
        }
        walk_expr(self, expression);
    }
}

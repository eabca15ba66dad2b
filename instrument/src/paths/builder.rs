//! The walk that collects [`Paths`].

use std::ops::Range;

use compact_str::{CompactString, format_compact};
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{self as ast, ExceptHandler, Expr, ExprContext, Stmt};
use ruff_text_size::Ranged;

use super::arguments::{Arguments, callee};
use super::{Branch, Paths, Side, Way, hints};
use crate::LineIndex;
use crate::builtin_names::is_builtin;
use crate::rewrite::handler_names;

/// Methods that put their arguments into a container.
const MUTATORS: [&str; 8] = ["append", "extend", "insert", "add", "update", "appendleft", "setdefault", "push"];

struct Builder<'a> {
    lines: &'a LineIndex,
    paths: Paths,
    /// What stands after the statement at hand: first and last line.
    after: Option<(u32, u32)>,
    /// Names of the functions around.
    functions: Vec<&'a str>,
    /// The class that the statement at hand stands in, without a function between.
    class: Option<&'a str>,
    arguments: Arguments<'a>,
}

pub(super) fn build<'a>(body: &'a [Stmt], lines: &'a LineIndex) -> Paths {
    let mut builder = Builder {
        lines,
        paths: Paths::default(),
        after: None,
        functions: Vec::new(),
        class: None,
        arguments: Arguments::default(),
    };
    builder.block(body, None);
    let Builder { mut paths, arguments, .. } = builder;
    arguments.give(&mut paths);
    paths.reads.sort_unstable();
    paths.statements.sort_unstable_by_key(|(range, _)| range.start);
    paths.branches.sort_by_key(|branch| branch.whole.0);
    paths
}

pub(super) fn bytes(node: &impl Ranged) -> Range<u32> {
    node.start().to_u32()..node.end().to_u32()
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
        self.paths.statements.push((start..end, lines));
    }

    fn feed(&mut self, name: CompactString, from: Range<u32>) {
        self.paths.feeds.entry(name).or_default().push(from);
    }

    /// The value goes to a target.
    fn assign(&mut self, target: &Expr, value: &Range<u32>) {
        match target {
            Expr::Name(name) => {
                if self.functions.is_empty() && is_builtin(name.id.as_str()) {
                    self.paths.shadows.push((CompactString::new(name.id.as_str()), value.clone()));
                }
                self.feed(CompactString::new(name.id.as_str()), value.clone());
            }
            Expr::Attribute(attribute) => self.feed(format_compact!(".{}", attribute.attr), value.clone()),
            Expr::Subscript(subscript) => self.assign(&subscript.value, value),
            Expr::Starred(starred) => self.assign(&starred.value, value),
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                for element in elts {
                    self.assign(element, value);
                }
            }
            _ => {}
        }
    }

    /// The arguments of `rows.append(row)` reach `rows`.
    fn put_in(&mut self, call: &ast::ExprCall) {
        let Expr::Attribute(method) = &*call.func else { return };
        let Expr::Name(name) = &*method.value else { return };
        if MUTATORS.contains(&method.attr.as_str()) {
            let name = CompactString::new(name.id.as_str());
            self.paths.put.entry(name).or_default().extend(call.arguments.args.iter().map(bytes));
        }
    }

    fn branch(&mut self, whole: &impl Ranged, header: u32, decides: Range<u32>, ways: impl IntoIterator<Item = Way>) {
        let lines = (self.line(header), self.line(decides.end.saturating_sub(1).max(decides.start)));
        let whole = self.span(whole);
        self.paths.branches.push(Branch { decides, lines, whole, ways: ways.into_iter().collect() });
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
                hints::collect(&repeat.test, &mut self.paths.hints);
                self.visit_expr(&repeat.test);
                self.block(&repeat.body, None);
                self.block(&repeat.orelse, self.after);
            }
            Stmt::For(each) => {
                self.header(each.start().to_u32(), each.iter.end().to_u32());
                let no = self.otherwise(&each.orelse);
                let ways = [self.way(Side::Yes, &each.body), no];
                self.branch(each, each.start().to_u32(), bytes(&*each.iter), ways.into_iter().flatten());
                self.assign(&each.target, &bytes(&*each.iter));
                if let Expr::Name(name) = &*each.target {
                    *self.paths.looped.entry(CompactString::new(name.id.as_str())).or_default() += 1;
                }
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
                    hints::collect_pattern(&case.pattern, &bytes(&*choice.subject), &mut self.paths.hints);
                    if let Some(guard) = &case.guard {
                        hints::collect(guard, &mut self.paths.hints);
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
                    if let Some(target) = &item.optional_vars {
                        self.assign(target, &bytes(&item.context_expr));
                    }
                }
                self.block(&with.body, self.after);
            }
            Stmt::FunctionDef(def) => {
                self.header(def.start().to_u32(), def.parameters.end().to_u32());
                for parameter in &def.parameters {
                    self.feed(CompactString::new(parameter.name().as_str()), bytes(parameter.name()));
                    if let Some(default) = parameter.default() {
                        self.feed(CompactString::new(parameter.name().as_str()), bytes(default));
                        self.visit_expr(default);
                    }
                }
                for decorator in &def.decorator_list {
                    self.visit_expr(&decorator.expression);
                }
                self.paths.defined.insert(CompactString::new(def.name.as_str()));
                self.paths.has_functions = true;
                self.arguments.function(def, self.class);
                self.functions.push(def.name.as_str());
                let class = self.class.take();
                self.block(&def.body, None);
                self.class = class;
                self.functions.pop();
            }
            Stmt::ClassDef(def) => {
                let end = def.arguments.as_ref().map_or(def.name.end(), |arguments| arguments.end());
                self.header(def.start().to_u32(), end.to_u32());
                if let Some(arguments) = &def.arguments {
                    self.visit_arguments(arguments);
                }
                self.paths.defined.insert(CompactString::new(def.name.as_str()));
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
            hints::collect(test, &mut self.paths.hints);
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
        self.paths.statements.push((bytes(stmt), lines));
        match stmt {
            Stmt::Assign(assign) => {
                self.arguments.assignment(assign);
                for target in &assign.targets {
                    self.assign(target, &bytes(&*assign.value));
                }
            }
            Stmt::AugAssign(assign) => self.assign(&assign.target, &bytes(&*assign.value)),
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.assign(&assign.target, &bytes(&**value));
                }
            }
            Stmt::Assert(assert) => hints::collect(&assert.test, &mut self.paths.hints),
            Stmt::Import(ast::StmtImport { names, .. }) | Stmt::ImportFrom(ast::StmtImportFrom { names, .. }) => {
                for alias in names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    self.paths.defined.insert(CompactString::new(name.split('.').next().unwrap_or(name)));
                }
            }
            Stmt::Return(returned) => {
                if let (Some(value), Some(function)) = (&returned.value, self.functions.last()) {
                    self.feed(format_compact!("{function}()"), bytes(&**value));
                }
            }
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
        let start = expression.start().to_u32();
        match expression {
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                self.paths.reads.push((start, CompactString::new(name.id.as_str())));
            }
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Load => {
                self.paths.reads.push((start, format_compact!(".{}", attribute.attr)));
            }
            Expr::Call(call) => {
                self.put_in(call);
                self.arguments.call(call);
                if let Some(callee) = callee(call) {
                    self.paths.reads.push((start, format_compact!("{callee}()")));
                }
            }
            Expr::Named(named) => self.assign(&named.target, &bytes(&*named.value)),
            Expr::ListComp(ast::ExprListComp { generators, .. })
            | Expr::SetComp(ast::ExprSetComp { generators, .. })
            | Expr::DictComp(ast::ExprDictComp { generators, .. })
            | Expr::Generator(ast::ExprGenerator { generators, .. }) => {
                for generator in generators {
                    self.assign(&generator.target, &bytes(&generator.iter));
                    if let Expr::Name(name) = &generator.target {
                        *self.paths.comprehended.entry(CompactString::new(name.id.as_str())).or_default() += 1;
                    }
                    for test in &generator.ifs {
                        hints::collect(test, &mut self.paths.hints);
                    }
                }
            }
            Expr::If(choice) => hints::collect(&choice.test, &mut self.paths.hints),
            _ => {}
        }
        walk_expr(self, expression);
    }
}

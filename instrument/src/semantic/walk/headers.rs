//! Compound statements.

use ruff_python_ast::name::UnqualifiedName;
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;

use super::flow::Flow;
use super::statements::dead;
use super::{Walk, constraint};
use crate::role::Role;
use crate::semantic::feeds::Origin;
use crate::semantic::scope::BindingFlags;
use crate::semantic::uses::{Form, UseFlags};
use crate::sites::TryBlock;

impl<'a> Walk<'a> {
    pub(super) fn compound(&mut self, stmt: &'a Stmt, line: u32, next: Option<u32>) {
        let free = self.frame().hooked && !self.marked[line as usize];
        let mark = free.then_some(line);
        match stmt {
            Stmt::FunctionDef(def) => self.function(def, line, mark, next),
            Stmt::ClassDef(def) => self.class(def, line, mark, next),
            Stmt::If(branch) => self.branch(branch, mark, next),
            Stmt::While(repeat) => self.repeat(repeat, line, mark, next),
            Stmt::For(each) => self.each(each, mark, next),
            Stmt::With(with) => self.with(with, mark, next),
            Stmt::Match(choice) => self.choice(choice, mark, next),
            Stmt::Try(attempt) => self.attempt(attempt, line, next),
            _ => unreachable!("only compound statements come here"),
        }
    }

    fn branch(&mut self, branch: &'a ast::StmtIf, mark: Option<u32>, next: Option<u32>) {
        self.span(branch.start(), branch.test.end());
        self.marked_expr(&branch.test, Role::Plain, mark);
        let mut otherwise = self.frame().flow.clone();
        self.block(&branch.body, None, next, false);
        let mut after = std::mem::replace(&mut self.frame().flow, otherwise.clone());
        let mut complete = false;
        for clause in &branch.elif_else_clauses {
            if let Some(test) = &clause.test {
                self.span(clause.start(), test.end());
                let line = self.line(clause.start());
                let mark = (self.frame().hooked && !self.marked[line as usize]).then_some(line);
                self.marked_expr(test, Role::Plain, mark);
                otherwise = self.frame().flow.clone();
            } else {
                complete = true;
            }
            self.block(&clause.body, None, next, false);
            let end = std::mem::replace(&mut self.frame().flow, otherwise.clone());
            after.join(&end);
        }
        if !complete {
            after.join(&otherwise);
        }
        self.frame().flow = after;
    }

    fn repeat(&mut self, repeat: &'a ast::StmtWhile, line: u32, mark: Option<u32>, next: Option<u32>) {
        self.span(repeat.start(), repeat.test.end());
        self.forget_deleted();
        let endless = is_true(&repeat.test);
        if endless {
            // The condition is folded away, so the header is reached exactly when the body is.
            if let Some(first) = repeat.body.first() {
                let first = self.line(first.start());
                self.imply(line, first);
            }
        } else {
            self.marked_expr(&repeat.test, Role::Plain, mark);
        }
        let entry = if endless { Some(line) } else { None };
        let before = self.frame().flow.clone();
        self.frame().breaks.push(endless.then(dead));
        self.block(&repeat.body, entry, None, false);
        let broken = self.frame().breaks.pop().flatten();
        self.frame().flow = broken.unwrap_or(before);
        self.block(&repeat.orelse, None, next, false);
    }

    fn each(&mut self, each: &'a ast::StmtFor, mark: Option<u32>, next: Option<u32>) {
        self.span(each.start(), each.iter.end());
        let role = if each.is_async { Role::Asynchronous } else { constraint::iterated(&each.target) };
        self.feed_loop(&each.target, [Origin::Loop, Origin::LoopPart], &each.iter);
        let first_use = self.next_use();
        self.marked_expr(&each.iter, role, mark);
        self.forget_deleted();
        let before = self.frame().flow.clone();
        self.frame().breaks.push(None);
        self.target(&each.target);
        self.feed_elements(first_use, &each.iter, &each.target);
        self.block(&each.body, None, None, false);
        self.frame().breaks.pop();
        self.frame().flow = before;
        self.block(&each.orelse, None, next, false);
    }

    /// In a loop, a name that some statement deletes may be gone at the start of the next round.
    fn forget_deleted(&mut self) {
        let scope = self.frame().scope;
        let deleted: Vec<u32> = self
            .tables
            .scopes
            .bindings_of(scope)
            .filter(|binding| binding.is(BindingFlags::DELETED))
            .map(|binding| binding.index)
            .collect();
        for index in deleted {
            self.frame().flow.unbind(index);
        }
    }

    fn with(&mut self, with: &'a ast::StmtWith, mark: Option<u32>, next: Option<u32>) {
        if let Some(last) = with.items.last() {
            self.span(with.start(), last.end());
        }
        let role = if with.is_async { Role::Asynchronous } else { Role::Context };
        let mut mark = mark;
        for item in &with.items {
            self.marked_expr(&item.context_expr, role, mark.take());
            if let Some(target) = &item.optional_vars {
                self.feed_loop(target, [Origin::Context; 2], &item.context_expr);
                self.target(target);
            }
        }
        let suppressed: Vec<_> = with.items.iter().flat_map(|item| suppressed_names(&item.context_expr)).collect();
        if let (Some(first), Some(last), false) = (with.body.first(), with.body.last(), suppressed.is_empty()) {
            let [first_line, last_line] = [self.line(first.start()), self.line(last.end())];
            let (scope_line, catches) = (self.frame().scope_line, suppressed);
            self.tables.tries.push(TryBlock { first_line, last_line, scope_line, catches });
        }
        let before = self.frame().flow.clone();
        self.block(&with.body, None, next, false);
        // A context manager may swallow the exception that ended its body.
        if self.frame().flow.dead {
            self.frame().flow = before;
        }
    }

    fn attempt(&mut self, attempt: &'a ast::StmtTry, line: u32, next: Option<u32>) {
        let Some(first) = attempt.body.first() else {
            return;
        };
        let first_line = self.line(first.start());
        self.imply(line, first_line);
        if !attempt.handlers.is_empty() {
            let last = attempt.body.last().map_or(first.end(), Ranged::end);
            let catches = attempt.handlers.iter().flat_map(handler_names).collect();
            let (last_line, scope_line) = (self.line(last), self.frame().scope_line);
            self.tables.tries.push(TryBlock { first_line, last_line, scope_line, catches });
        }
        let before = self.frame().flow.clone();
        self.block(&attempt.body, Some(line), None, false);
        self.block(&attempt.orelse, None, next, false);
        let mut after = std::mem::replace(&mut self.frame().flow, before.clone());
        for handler in &attempt.handlers {
            let ast::ExceptHandler::ExceptHandler(handler) = handler;
            self.frame().flow = before.clone();
            self.handler(handler, next);
            after.join(&std::mem::take(&mut self.frame().flow));
        }
        if attempt.finalbody.is_empty() {
            self.frame().flow = after;
            return;
        }
        // `finally` also runs when the body failed halfway.
        self.frame().flow = before;
        self.block(&attempt.finalbody, None, next, false);
        let end = &self.frame().flow;
        let dies = end.dead;
        let mut joined = end.bound().clone();
        joined.union(after.bound());
        let dead = after.dead || dies;
        self.frame().flow = Flow::known(joined, dead);
    }

    fn handler(&mut self, handler: &'a ast::ExceptHandlerExceptHandler, next: Option<u32>) {
        let line = self.line(handler.start());
        if let Some(kind) = &handler.type_ {
            self.note_raised(kind);
        }
        let first = handler.body.first().map(|stmt| self.line(stmt.start()));
        match &handler.type_ {
            Some(kind) if self.frame().hooked => {
                self.span(handler.start(), kind.end());
                let marks = !self.marked[line as usize];
                self.marked[line as usize] = true;
                self.adapt(Form::Caught, Role::Caught, &**kind).inner = if marks { line } else { 0 };
                self.expr(kind, Role::Caught);
            }
            kind => {
                if let Some(first) = first {
                    self.imply(line, first);
                }
                if let Some(kind) = kind {
                    self.in_region(UseFlags::NOT_GUARDED, |walk| walk.expr(kind, Role::Caught));
                }
            }
        }
        if let Some(name) = &handler.name {
            self.feed_name(name.as_str(), Origin::Caught);
            self.bind(name.as_str());
        }
        self.block(&handler.body, None, next, false);
        if let Some(name) = &handler.name {
            self.unbind(name.as_str());
        }
    }
}

fn is_true(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(literal) => literal.value,
        Expr::NumberLiteral(number) => {
            matches!(&number.value, ast::Number::Int(value) if *value != ast::Int::ZERO)
        }
        _ => false,
    }
}

pub(crate) fn handler_names(handler: &ast::ExceptHandler) -> Vec<Option<String>> {
    let ast::ExceptHandler::ExceptHandler(handler) = handler;
    match handler.type_.as_deref() {
        None => vec![None],
        Some(Expr::Tuple(tuple)) => tuple.elts.iter().filter_map(dotted_name).map(Some).collect(),
        Some(kind) => dotted_name(kind).map(Some).into_iter().collect(),
    }
}

/// The exceptions that `with suppress(...)` swallows, as `except` would name them.
pub(crate) fn suppressed_names(context: &Expr) -> Vec<Option<String>> {
    let Some(call) = context.as_call_expr() else { return Vec::new() };
    let is_suppress = dotted_name(&call.func).is_some_and(|name| matches!(&*name, "suppress" | "contextlib.suppress"));
    if !is_suppress {
        return Vec::new();
    }
    call.arguments.args.iter().filter_map(dotted_name).map(Some).collect()
}

/// `a.b.c` as text.
pub(super) fn dotted_name(expr: &Expr) -> Option<String> {
    UnqualifiedName::from_expr(expr).map(|name| name.to_string())
}

//! Statements and blocks: marks, flow, and the visiting of what they hold.

use ruff_python_ast::helpers::{is_compound_statement, is_docstring_stmt};
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;

use super::flow::{self, Flow};
use super::{UNEVALUATED, Walk, constraint};
use crate::marks::MODULE_ENTRY;
use crate::role::Role;
use crate::semantic::MarkForm;
use crate::semantic::bits::Bits;
use crate::semantic::builtin;
use crate::semantic::feeds::{Origin, Target};
use crate::semantic::scope::{Binding, ScopeKind, Scopes};
use crate::semantic::uses::{Form, Resolution, UseFlags};
use crate::sites::FromImport;

impl<'a> Walk<'a> {
    pub(super) fn module(&mut self, body: &'a [Stmt]) {
        let end = self.lines.count() + 1;
        self.block(body, Some(MODULE_ENTRY), Some(end), true);
    }

    /// Visits a block. `entry` is the line whose mark says that the block was entered, `after` the line that is
    /// reached only if the block came to its end; `documented` blocks may start with a docstring.
    pub(super) fn block(&mut self, body: &'a [Stmt], entry: Option<u32>, after: Option<u32>, documented: bool) {
        let Some(first) = body.first() else {
            return;
        };
        let view = self.frame().view.clone();
        let mut run_end = 0;
        let mut line = self.line(first.start());
        let mut before: Option<(&Stmt, u32)> = None;
        for (position, stmt) in body.iter().enumerate() {
            if position >= run_end {
                run_end = self.start_run(body, position);
            }
            if let Some((before, before_line)) = before {
                self.follow(before, before_line, line);
            }
            let next = body.get(position + 1).map(|next| (next, self.line(next.start())));
            if documented && position == 0 && is_docstring_stmt(stmt) {
                let last = self.line(stmt.end());
                self.tables.marks.docstrings.push((line, last));
            } else {
                let previous = before.map(|(_, line)| line);
                let entry = if position == 0 { entry } else { None };
                self.marked_statement(stmt, line, previous, entry, next.map(|(_, line)| line).or(after));
            }
            before = Some((stmt, line));
            if let Some((next, next_line)) = next {
                self.mark_after(stmt, next, next_line);
                line = next_line;
            }
        }
        self.frame().view = view;
    }

    /// Functions defined from here on may rely on what the coming statements bind before anyone can call them.
    fn start_run(&mut self, body: &'a [Stmt], from: usize) -> usize {
        let frame = &self.frames[self.frames.len() - 1];
        let scope = &self.tables.scopes.scopes[frame.scope];
        let unread = scope.kind == ScopeKind::Function && !scope.encloses_functions;
        if scope.kind == ScopeKind::Class || unread {
            return body.len();
        }
        let mut view = frame.flow.bound().clone();
        let end = flow::quiet_run(&self.tables.scopes, frame.scope, body, from, &mut view);
        self.frame().view = view;
        end.max(from + 1)
    }

    /// What follows a statement that cannot fail was reached if that one was, and needs no mark of its own.
    fn follow(&mut self, before: &'a Stmt, before_line: u32, line: u32) {
        if before_line != line && self.marked[before_line as usize] && self.cannot_fail(before) {
            self.imply(line, before_line);
            self.marked[line as usize] = true;
        }
    }

    /// `pass`, and assignments of constants and bound local variables to local variables.
    fn cannot_fail(&self, stmt: &Stmt) -> bool {
        let frame = self.innermost();
        let local = |name: &ast::ExprName| {
            frame.kind == ScopeKind::Function
                && self.tables.scopes.find_name(frame.scope, name.id.as_str()).is_some_and(Binding::is_own)
        };
        let sure = |value: &Expr| match value {
            Expr::Name(name) => local(name) && self.resolve_name(name.id.as_str()) == Resolution::Proven,
            value => value.is_literal_expr(),
        };
        match stmt {
            Stmt::Pass(_) => true,
            Stmt::Assign(assign) => {
                sure(&assign.value) && assign.targets.iter().all(|target| target.as_name_expr().is_some_and(local))
            }
            _ => false,
        }
    }

    /// A compound statement is marked at the end of the simple one before it.
    fn mark_after(&mut self, stmt: &'a Stmt, next: &'a Stmt, line: u32) {
        if is_compound_statement(next)
            && can_be_followed(stmt)
            && !self.marked[line as usize]
            && self.frame().hooked
            && !self.cannot_fail(stmt)
        {
            self.mark_statement(line, stmt.end(), stmt.start(), MarkForm::After);
        }
    }

    fn marked_statement(
        &mut self,
        stmt: &'a Stmt,
        line: u32,
        previous: Option<u32>,
        entry: Option<u32>,
        next: Option<u32>,
    ) {
        if !self.frame().hooked {
            // No lookups may be added: a line was reached if the next one was.
            if let Some(next) = next {
                self.imply(line, next);
            }
        } else if let Some(entry) = entry {
            self.imply(line, entry);
        }
        if is_compound_statement(stmt) {
            return self.compound(stmt, line, next);
        }
        self.span_from(line, stmt.end());
        match stmt {
            Stmt::ImportFrom(import) if is_future(import) => {
                if let (None, Some(previous)) = (entry, previous) {
                    self.imply(line, previous);
                }
                if let Some(next) = next {
                    self.imply(line, next);
                }
            }
            Stmt::Global(_) | Stmt::Nonlocal(_) => return,
            _ if self.marked[line as usize] || !self.frame().hooked => {}
            _ => self.mark_statement(line, stmt.start(), stmt.start(), MarkForm::Before),
        }
        self.simple(stmt);
    }

    fn simple(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Expr(stmt) => self.expr(&stmt.value, Role::Statement),
            Stmt::Assign(assign) => {
                let role = assign.targets.iter().find_map(unpacked).unwrap_or(Role::Plain);
                for target in &assign.targets {
                    self.feed_value(target, Origin::Assigned, &assign.value);
                }
                self.expr(&assign.value, role);
                for target in &assign.targets {
                    self.target(target);
                }
            }
            Stmt::AugAssign(assign) => self.augmented(stmt, assign),
            Stmt::AnnAssign(assign) => self.annotated(assign),
            Stmt::Return(stmt) => {
                self.feed_result(stmt.value.as_deref());
                if let Some(value) = &stmt.value {
                    self.expr(value, Role::Plain);
                }
                self.frame().flow.dead = true;
            }
            Stmt::Delete(delete) => {
                for target in &delete.targets {
                    self.delete_target(target, stmt);
                }
            }
            Stmt::Raise(raise) => {
                if let Some(raised) = &raise.exc {
                    self.note_raised(raised);
                }
                for operand in [&raise.exc, &raise.cause].into_iter().flatten() {
                    self.adapt(Form::Raised, Role::Raised, &**operand);
                    self.expr(operand, Role::Raised);
                }
                self.frame().flow.dead = true;
            }
            Stmt::Assert(assert) => {
                self.expr(&assert.test, Role::Plain);
                if let Some(message) = &assert.msg {
                    self.expr(message, Role::Plain);
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    let name = name.split('.').next().unwrap_or_default();
                    self.feed_import(name, Origin::Import, stmt);
                    self.bind(name);
                }
            }
            Stmt::ImportFrom(import) => self.import_from(stmt, import),
            Stmt::Break(_) => {
                let frame = self.frame();
                let flow = std::mem::replace(&mut frame.flow, dead());
                if let Some(Some(seen)) = frame.breaks.last_mut() {
                    seen.join(&flow);
                }
            }
            Stmt::Continue(_) => self.frame().flow.dead = true,
            Stmt::TypeAlias(alias) => {
                self.target(&alias.name);
                self.enter(Scopes::of(alias), None, 0);
                if let Some(params) = &alias.type_params {
                    self.type_params(params);
                }
                self.in_region(UNEVALUATED, |walk| walk.expr(&alias.value, Role::Plain));
                self.leave();
            }
            _ => {}
        }
    }

    fn augmented(&mut self, stmt: &'a Stmt, assign: &'a ast::StmtAugAssign) {
        let role = constraint::operand(assign.op, &assign.value);
        let value_role = constraint::right_operand(assign.op, &assign.target);
        self.feed_loop(&assign.target, [Origin::Augmented; 2], &assign.value);
        match &*assign.target {
            Expr::Name(name) => {
                self.read_before(name, stmt, role);
                self.list_target(Form::Target, name.id.as_str(), name);
                self.expr(&assign.value, value_role);
                self.bind(name.id.as_str());
            }
            Expr::Attribute(attribute) => {
                let symbol = self.intern(attribute.attr.as_str());
                let used = self.list(Form::Augmented, symbol, role, attribute, attribute.attr.start());
                used.inner = attribute.value.end().to_u32();
                self.base(attribute);
                self.expr(&assign.value, value_role);
            }
            target => {
                self.target(target);
                self.expr(&assign.value, value_role);
            }
        }
    }

    fn annotated(&mut self, assign: &'a ast::StmtAnnAssign) {
        if let Some(value) = &assign.value {
            self.feed_value(&assign.target, Origin::Bound, value);
            self.expr(value, Role::Plain);
        }
        self.annotate(assign);
        // Annotations of local variables are never evaluated (Language Reference, 7.2.2).
        let scope = self.frame().scope;
        let kind = self.tables.scopes.scopes[scope].kind;
        let local = !matches!(kind, ScopeKind::Module | ScopeKind::Class);
        self.annotation(&assign.annotation, if local { UseFlags::NOT_GUARDED } else { UseFlags::empty() });
        match &*assign.target {
            Expr::Name(name) if assign.value.is_none() => {
                self.list_target(Form::Target, name.id.as_str(), name);
            }
            Expr::Attribute(attribute) => self.attribute_target(attribute, assign.value.is_some()),
            target => self.target(target),
        }
    }

    /// `x: int`, `y.a: int`: what is promised of the target.
    fn annotate(&mut self, assign: &'a ast::StmtAnnAssign) {
        let unbound = assign.value.is_none();
        match &*assign.target {
            Expr::Name(name) => {
                let target = self.variable(name.id.as_str());
                if unbound {
                    self.feed(target, Origin::Bound, None);
                }
                self.promise(target, Some(&assign.annotation));
                if self.innermost().kind == ScopeKind::Class {
                    let target = Target::Attribute(self.intern(name.id.as_str()));
                    self.promise(target, Some(&assign.annotation));
                }
            }
            Expr::Attribute(attribute) => {
                let target = Target::Attribute(self.intern(attribute.attr.as_str()));
                if unbound {
                    self.feed(target, Origin::Bound, None);
                }
                self.promise(target, Some(&assign.annotation));
            }
            _ => {}
        }
    }

    fn delete_target(&mut self, target: &'a Expr, stmt: &'a Stmt) {
        match target {
            Expr::Name(name) => {
                // The lookup would go on to globals and builtins, and what is found there cannot be deleted here.
                let elsewhere = builtin::builtin(name.id.as_str()).exists || self.innermost().kind == ScopeKind::Class;
                if !elsewhere {
                    self.read_before(name, stmt, Role::Plain);
                }
                self.list_target(Form::Target, name.id.as_str(), name);
                self.unbind(name.id.as_str());
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| self.delete_target(element, stmt)),
            Expr::List(list) => list.elts.iter().for_each(|element| self.delete_target(element, stmt)),
            Expr::Attribute(attribute) => self.attribute_target(attribute, false),
            _ => self.expr(target, Role::Plain),
        }
    }

    fn import_from(&mut self, stmt: &'a Stmt, import: &'a ast::StmtImportFrom) {
        for alias in &import.names {
            let bound = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            if bound != "*" {
                self.feed_import(bound, Origin::of_import(alias.name.as_str()), alias);
            }
            self.bind(bound);
        }
        if is_future(import) || !self.frame().hooked {
            return;
        }
        let (line, column) = self.lines.position(stmt.start().to_u32());
        self.adapt(Form::ImportFrom, Role::Plain, stmt).inner = self.tables.imports.len() as u32;
        self.tables.imports.push(FromImport {
            level: import.level,
            module: import.module.as_ref().map(ToString::to_string).unwrap_or_default(),
            names: import.names.iter().map(|alias| alias.name.to_string()).collect(),
            bound: import.names.iter().map(|alias| alias.asname.as_ref().unwrap_or(&alias.name).to_string()).collect(),
            line,
            column,
        });
    }
}

pub(super) fn dead() -> Flow {
    Flow::known(Bits::default(), true)
}

fn is_future(import: &ast::StmtImportFrom) -> bool {
    import.level == 0 && import.module.as_ref().is_some_and(|module| module.as_str() == "__future__")
}

/// True for simple statements that another one on the same line may follow.
fn can_be_followed(stmt: &Stmt) -> bool {
    !is_compound_statement(stmt)
        && !matches!(stmt, Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_))
}

/// The role of a value that is unpacked right away: `a, b = value`.
pub(super) fn unpacked(target: &Expr) -> Option<Role> {
    let elements = match target {
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::List(list) => &list.elts,
        _ => return None,
    };
    Some(Role::Unpacked(u16::try_from(elements.len()).unwrap_or(u16::MAX)))
}

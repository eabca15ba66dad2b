//! Statements and blocks: marks, flow, and the visiting of what they hold.

use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};

use super::names::Resolution;
use super::{Rewriter, demands, write_hook};
use crate::bits::Bits;
use crate::builtin_names;
use crate::flow::{self, Flow};
use crate::hooks::Hook;
use crate::marks::MODULE_ENTRY;
use crate::roles::Role;
use crate::scopes::{Binding, ScopeKind};
use crate::sites::{FromImport, Kind};

impl<'a> Rewriter<'a> {
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
        let mut line = self.line(first_token(first));
        let mut before: Option<(&Stmt, u32)> = None;
        for (position, stmt) in body.iter().enumerate() {
            if position >= run_end {
                run_end = self.start_run(body, position);
            }
            if let Some((before, before_line)) = before {
                self.follow(before, before_line, line);
            }
            let next = body.get(position + 1).map(|next| (next, self.line(first_token(next))));
            if documented && position == 0 && is_docstring(stmt) {
                let last = self.line(stmt.end());
                self.marks.docstrings.push((line, last));
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
        let scope = &self.scopes.scopes[frame.scope];
        let unread = scope.kind == ScopeKind::Function && !scope.encloses_functions;
        if scope.kind == ScopeKind::Class || unread {
            return body.len();
        }
        let mut view = frame.flow.bound().clone();
        let end = flow::quiet_run(&self.scopes, frame.scope, body, from, &mut view);
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
                && self.scopes.find_name(frame.scope, name.id.as_str()).is_some_and(Binding::is_own)
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
        if is_compound(next)
            && can_be_followed(stmt)
            && !self.marked[line as usize]
            && self.frame().hooked
            && !self.cannot_fail(stmt)
        {
            self.mark_statement(line, stmt.end(), stmt.start(), false);
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
        if is_compound(stmt) {
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
            _ => self.mark_statement(line, stmt.start(), stmt.start(), true),
        }
        self.simple(stmt);
    }

    fn simple(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Expr(stmt) => self.expr(&stmt.value, Role::Statement),
            Stmt::Assign(assign) => {
                let role = assign.targets.iter().find_map(unpacked).unwrap_or(Role::Plain);
                let first = self.sites.len();
                self.expr(&assign.value, role);
                for target in &assign.targets {
                    self.note_assigned(first, &assign.value, target);
                    self.target(target);
                }
            }
            Stmt::AugAssign(assign) => self.augmented(stmt, assign),
            Stmt::AnnAssign(assign) => self.annotated(assign),
            Stmt::Return(stmt) => {
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
                for operand in [&raise.exc, &raise.cause].into_iter().flatten() {
                    self.raised(operand);
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
                    self.bind(name.split('.').next().unwrap_or_default());
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
                if let Expr::Name(name) = &*alias.name {
                    self.bind(name.id.as_str());
                }
            }
            _ => {}
        }
    }

    fn augmented(&mut self, stmt: &'a Stmt, assign: &'a ast::StmtAugAssign) {
        match &*assign.target {
            Expr::Name(name) => {
                self.read_before(name, stmt, demands::operand(assign.op, &assign.value));
                self.expr(&assign.value, demands::right_operand(assign.op, &assign.target));
                self.bind(name.id.as_str());
            }
            Expr::Attribute(attribute) if self.frame().hooked => {
                let site = self.attribute_site(attribute, demands::operand(assign.op, &assign.value));
                self.open_hook(Hook::AugmentedAttribute, site, attribute.start());
                self.base(attribute);
                self.insert_before_dot(attribute);
                self.expr(&assign.value, demands::right_operand(assign.op, &assign.target));
            }
            target => {
                self.target(target);
                self.expr(&assign.value, demands::right_operand(assign.op, &assign.target));
            }
        }
    }

    /// `_e_(7,y).a += 1`: the hook closes right before the dot.
    fn insert_before_dot(&mut self, attribute: &'a ast::ExprAttribute) {
        let dot = self.find_dot(attribute);
        self.insert(TextSize::new(dot), ")");
    }

    fn annotated(&mut self, assign: &'a ast::StmtAnnAssign) {
        if let Some(value) = &assign.value {
            self.expr(value, Role::Plain);
        }
        // Annotations of local variables are never evaluated (Language Reference, 7.2.2).
        let scope = self.frame().scope;
        let kind = self.scopes.scopes[scope].kind;
        if matches!(kind, ScopeKind::Module | ScopeKind::Class) {
            self.annotation(&assign.annotation);
        }
        match &*assign.target {
            Expr::Name(name) if assign.value.is_some() => self.bind(name.id.as_str()),
            Expr::Name(_) => {}
            target => self.target(target),
        }
    }

    fn delete_target(&mut self, target: &'a Expr, stmt: &'a Stmt) {
        match target {
            Expr::Name(name) => {
                // A builtin's name would be found, but it cannot be deleted.
                if !builtin_names::builtin(name.id.as_str()).exists {
                    self.read_before(name, stmt, Role::Plain);
                }
                self.unbind(name.id.as_str());
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| self.delete_target(element, stmt)),
            Expr::List(list) => list.elts.iter().for_each(|element| self.delete_target(element, stmt)),
            Expr::Attribute(attribute) => self.base(attribute),
            _ => self.expr(target, Role::Plain),
        }
    }

    fn raised(&mut self, operand: &'a Expr) {
        if !self.frame().hooked {
            return self.expr(operand, Role::Raised);
        }
        let site = self.site(Kind::Variable, "", Role::Raised, operand, operand.start());
        self.open_hook(Hook::Raise, site, operand.start());
        self.expr(operand, Role::Raised);
        self.insert(operand.end(), ")");
    }

    /// `from m import a` becomes `_f_(0);from m import a`: the hook looks after what the import would lack.
    fn import_from(&mut self, stmt: &'a Stmt, import: &'a ast::StmtImportFrom) {
        for alias in &import.names {
            self.bind(alias.asname.as_ref().unwrap_or(&alias.name).as_str());
        }
        if is_future(import) || !self.frame().hooked {
            return;
        }
        let (line, column) = self.lines.position(stmt.start().to_u32());
        let number = self.imports.len() as u32 + self.beside.map_or(0, |taken| taken.imports);
        self.imports.push(FromImport {
            level: import.level,
            module: import.module.as_ref().map(ToString::to_string).unwrap_or_default(),
            names: import.names.iter().map(|alias| alias.name.to_string()).collect(),
            line,
            column,
        });
        let prefix = self.hooks.prefix();
        let at = stmt.start().to_u32();
        self.edits.insert_anchored(at, at, |out| {
            write_hook(out, prefix, Hook::ImportFrom, number, false);
            out.push_str(");");
        });
    }
}

pub(super) fn dead() -> Flow {
    Flow::known(Bits::default(), true)
}

/// Where the first token of a statement stands: the first decorator's `@` where there is one.
pub(super) fn first_token(stmt: &Stmt) -> TextSize {
    stmt.start()
}

fn is_docstring(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Expr(stmt) if stmt.value.is_string_literal_expr())
}

fn is_future(import: &ast::StmtImportFrom) -> bool {
    import.level == 0 && import.module.as_ref().is_some_and(|module| module.as_str() == "__future__")
}

fn is_compound(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::For(_)
            | Stmt::While(_)
            | Stmt::If(_)
            | Stmt::With(_)
            | Stmt::Match(_)
            | Stmt::Try(_)
    )
}

/// True for simple statements that another one on the same line may follow.
fn can_be_followed(stmt: &Stmt) -> bool {
    !is_compound(stmt) && !matches!(stmt, Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_))
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

//! Which names are certainly bound where: the state that the rewriter carries along.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt};

use crate::semantic::bits::Bits;
use crate::semantic::builtin;
use crate::semantic::scope::{BindingFlags, MODULE, ScopeId, Scopes};

/// What is known at one point of a scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    bound: Bits,
    /// Control cannot get here (after `return`, `raise`, ...), so everything holds.
    pub(super) dead: bool,
}

impl Flow {
    pub(super) fn is_bound(&self, index: u32) -> bool {
        self.dead || self.bound.contains(index)
    }

    pub(super) fn bind(&mut self, index: u32) {
        self.bound.insert(index);
    }

    pub(super) fn unbind(&mut self, index: u32) {
        self.bound.remove(index);
    }

    /// The state where two paths meet.
    pub(super) fn join(&mut self, other: &Flow) {
        if self.dead {
            *self = other.clone();
        } else if !other.dead {
            self.bound.intersect(&other.bound);
        }
    }

    pub(super) fn known(bound: Bits, dead: bool) -> Self {
        Self { bound, dead }
    }

    pub(super) fn bound(&self) -> &Bits {
        &self.bound
    }
}

/// What closures defined in `body[from..]` may rely on besides what is bound already: everything that the run of
/// statements which cannot call them is certain to bind. Returns the end of the run.
pub(super) fn quiet_run(scopes: &Scopes, scope: ScopeId, body: &[Stmt], from: usize, view: &mut Bits) -> usize {
    let mut at = from;
    while at < body.len() && !may_call(scopes, &body[at]) {
        definitely_binds(scopes, scope, &body[at], view);
        at += 1;
    }
    // The statement that ends the run binds nothing before its own calls, except that a `def` or `class`
    // whose decorators call still has its name by the time anyone calls it.
    at
}

fn definitely_binds(scopes: &Scopes, scope: ScopeId, stmt: &Stmt, into: &mut Bits) {
    let mut add = |name: &str| {
        if let Some(binding) = scopes.find_name(scope, name)
            && !binding.is(BindingFlags::DELETED)
        {
            into.insert(binding.index);
        }
    };
    match stmt {
        Stmt::FunctionDef(def) => add(def.name.as_str()),
        Stmt::ClassDef(def) => add(def.name.as_str()),
        Stmt::Import(import) => {
            for alias in &import.names {
                add(match &alias.asname {
                    Some(name) => name.as_str(),
                    None => alias.name.as_str().split('.').next().unwrap_or_default(),
                });
            }
        }
        Stmt::ImportFrom(import) => {
            for alias in &import.names {
                add(alias.asname.as_ref().unwrap_or(&alias.name).as_str());
            }
        }
        Stmt::Assign(assign) => {
            for target in &assign.targets {
                bound_names(target, &mut add);
            }
        }
        Stmt::AnnAssign(assign) if assign.value.is_some() => bound_names(&assign.target, &mut add),
        Stmt::With(with) => {
            for stmt in &with.body {
                definitely_binds(scopes, scope, stmt, into);
            }
        }
        Stmt::If(branch) if branch.elif_else_clauses.last().is_some_and(|clause| clause.test.is_none()) => {
            let mut all = Bits::default();
            for stmt in &branch.body {
                definitely_binds(scopes, scope, stmt, &mut all);
            }
            for clause in &branch.elif_else_clauses {
                let mut one = Bits::default();
                for stmt in &clause.body {
                    definitely_binds(scopes, scope, stmt, &mut one);
                }
                all.intersect(&one);
            }
            into.union(&all);
        }
        Stmt::Try(attempt) => {
            let mut all = Bits::default();
            for stmt in attempt.body.iter().chain(&attempt.orelse) {
                definitely_binds(scopes, scope, stmt, &mut all);
            }
            for handler in &attempt.handlers {
                let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                let mut one = Bits::default();
                for stmt in &handler.body {
                    definitely_binds(scopes, scope, stmt, &mut one);
                }
                all.intersect(&one);
            }
            into.union(&all);
        }
        _ => {}
    }
}

/// Calls `add` with each plain name that an assignment to `target` binds.
pub(super) fn bound_names<'a>(target: &'a Expr, add: &mut impl FnMut(&'a str)) {
    match target {
        Expr::Name(name) => add(name.id.as_str()),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| bound_names(element, add)),
        Expr::List(list) => list.elts.iter().for_each(|element| bound_names(element, add)),
        Expr::Starred(starred) => bound_names(&starred.value, add),
        _ => {}
    }
}

/// False for statements that cannot run code of this module: definitions, imports, plain assignments, calls of
/// builtins and of imported names.
fn may_call(scopes: &Scopes, stmt: &Stmt) -> bool {
    let mut finder = CallFinder { scopes, found: false };
    finder.visit_stmt(stmt);
    finder.found
}

struct CallFinder<'s> {
    scopes: &'s Scopes,
    found: bool,
}

impl CallFinder<'_> {
    fn foreign(&self, callee: &Expr) -> bool {
        match callee {
            Expr::Name(name) => {
                let binding = self.scopes.find_name(MODULE, name.id.as_str());
                binding
                    .map_or_else(|| builtin::builtin(name.id.as_str()).exists, |found| found.is(BindingFlags::IMPORTED))
            }
            Expr::Attribute(attribute) => self.foreign(&attribute.value),
            Expr::Call(call) => self.foreign(&call.func),
            Expr::StringLiteral(_) => true,
            _ => false,
        }
    }
}

impl<'a> Visitor<'a> for CallFinder<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if self.found {
            return;
        }
        match stmt {
            Stmt::FunctionDef(def) => {
                for decorator in &def.decorator_list {
                    self.found |= !self.foreign(&decorator.expression);
                }
                for parameter in &def.parameters {
                    if let Some(default) = parameter.default() {
                        self.visit_expr(default);
                    }
                }
            }
            Stmt::ClassDef(def) => {
                for decorator in &def.decorator_list {
                    self.found |= !self.foreign(&decorator.expression);
                }
                if let Some(arguments) = &def.arguments {
                    visitor::walk_arguments(self, arguments);
                }
                self.visit_body(&def.body);
            }
            Stmt::Raise(_) | Stmt::Delete(_) | Stmt::For(_) | Stmt::While(_) => self.found = true,
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            _ if self.found => {}
            Expr::Call(call) if !self.foreign(&call.func) => self.found = true,
            Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_) => self.found = true,
            Expr::Lambda(_) => {}
            _ => visitor::walk_expr(self, expr),
        }
    }
}

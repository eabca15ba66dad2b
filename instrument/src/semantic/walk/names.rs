//! Names: what they refer to, and which are proven bound.

use ruff_python_ast::{ExprName, Stmt};
use ruff_text_size::Ranged;

use super::{Frame, Walk};
use crate::role::Role;
use crate::semantic::builtin::{self, Builtin};
use crate::semantic::scope::{BindingFlags, MODULE, ScopeId, ScopeKind};
use crate::semantic::symbol::Symbol;
use crate::semantic::uses::{Form, Resolution, UseFlags, Variable};

impl Walk<'_> {
    /// What a name means here, and whether it may be missing.
    pub(super) fn resolve(&self, symbol: Symbol) -> (Variable, Resolution) {
        let builtin = self.tables.scopes.symbols.entries[symbol].builtin;
        let (variable, resolution) = self.resolve_bound(symbol).unwrap_or_else(|| {
            let free = Variable::Free(symbol);
            (free, self.resolve_builtin(builtin))
        });
        (variable, if builtin.makes_cell { Resolution::Proven } else { resolution })
    }

    fn resolve_bound(&self, symbol: Symbol) -> Option<(Variable, Resolution)> {
        let innermost = self.innermost();
        for (id, binding) in self.tables.scopes.visible(symbol) {
            let at = binding.scope;
            let scope = &self.tables.scopes.scopes[at];
            if scope.kind == ScopeKind::Class && at != innermost.scope {
                continue;
            }
            if binding.is(BindingFlags::GLOBAL) {
                return Some(self.resolve_global(symbol));
            }
            if !binding.is_own() {
                continue;
            }
            let proven = || {
                let frame = &self.frames[scope.depth];
                let crossed_function = innermost.function_depth > scope.depth;
                frame.flow.is_bound(binding.index) || (crossed_function && frame.view.contains(binding.index))
            };
            let given = || binding.is(BindingFlags::PARAMETER) && !binding.is(BindingFlags::DELETED);
            let resolution = match scope.kind {
                ScopeKind::Module | ScopeKind::Class if proven() => Resolution::Proven,
                ScopeKind::Module => Resolution::Global,
                ScopeKind::Class => Resolution::Class,
                // A comprehension binds its targets before anything in it reads them.
                ScopeKind::TypeParams | ScopeKind::Comprehension => Resolution::Proven,
                ScopeKind::Function if given() || proven() => Resolution::Proven,
                ScopeKind::Function => Resolution::Unbound,
            };
            return Some((Variable::Binding(id), resolution));
        }
        None
    }

    /// What a name that the tree need not hold refers to.
    pub(super) fn resolve_name(&self, name: &str) -> Resolution {
        match self.tables.scopes.symbols.get(name) {
            Some(symbol) => self.resolve(symbol).1,
            None => self.resolve_builtin(builtin::builtin(name)),
        }
    }

    fn resolve_builtin(&self, builtin: Builtin) -> Resolution {
        if builtin.exists || builtin.makes_cell || builtin.in_classes && self.innermost().kind == ScopeKind::Class {
            Resolution::Proven
        } else {
            Resolution::Global
        }
    }

    fn resolve_global(&self, symbol: Symbol) -> (Variable, Resolution) {
        let frame = &self.frames[0];
        let mut visible = self.tables.scopes.visible(symbol);
        let own = visible.find(|(_, binding)| binding.scope == MODULE && binding.is(BindingFlags::BOUND));
        let Some((id, binding)) = own else { return (Variable::Free(symbol), Resolution::Global) };
        let proven = frame.flow.is_bound(binding.index) || frame.view.contains(binding.index);
        (Variable::Binding(id), if proven { Resolution::Proven } else { Resolution::Global })
    }

    /// The frame of the scope that the walk is in.
    pub(super) fn innermost(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    /// True for reads in a class body: their lookup starts in its namespace, which may hold more than the body binds
    /// (`vars()['day'] = 1`).
    fn starts_in_class(&self, symbol: Symbol) -> bool {
        let frame = self.innermost();
        let global = || self.tables.scopes.find(frame.scope, symbol).is_some_and(|own| own.is(BindingFlags::GLOBAL));
        frame.kind == ScopeKind::Class && !global()
    }

    /// The builtin that a name certainly means.
    pub(super) fn certain_builtin(&self, symbol: Symbol) -> Option<Builtin> {
        let hides = BindingFlags::BOUND | BindingFlags::GLOBAL;
        let hidden = self.tables.scopes.visible(symbol).any(|(_, binding)| binding.is(hides));
        (!hidden).then(|| self.tables.scopes.symbols.entries[symbol].builtin)
    }

    /// `x`, read.
    pub(super) fn read_name(&mut self, name: &ExprName, role: Role) {
        let symbol = self.intern(name.id.as_str());
        let (variable, resolution) = self.resolve(symbol);
        let mut flags = UseFlags::empty();
        if resolution != Resolution::Proven {
            flags.set(UseFlags::IN_CLASS, self.starts_in_class(symbol));
            let own = self.tables.scopes.find(MODULE, symbol).is_some_and(|own| own.is(BindingFlags::BOUND));
            flags.set(UseFlags::REBOUND, own && self.innermost().scope == MODULE);
        }
        let used = self.list(Form::Name, symbol, role, name, name.start());
        (used.variable, used.resolution) = (variable, resolution);
        used.flags |= flags;
    }

    /// `x` in `x = 1`: the variable is used, and not read.
    pub(super) fn list_target(&mut self, form: Form, name: &str, node: &impl Ranged) -> Variable {
        let symbol = self.intern(name);
        let variable = self.resolve(symbol).0;
        self.list(form, symbol, Role::Plain, node, node.start()).variable = variable;
        variable
    }

    /// Before `x += 1` or `del x`, where `x` may be missing.
    pub(super) fn read_before(&mut self, name: &ExprName, stmt: &Stmt, role: Role) {
        let symbol = self.intern(name.id.as_str());
        let (variable, resolution) = self.resolve(symbol);
        if resolution == Resolution::Proven || !self.frame().hooked {
            return;
        }
        let used = self.list(Form::ReadBefore, symbol, role, name, name.start());
        (used.variable, used.resolution) = (variable, resolution);
        used.flags.set(UseFlags::IN_CLASS, resolution == Resolution::Class);
        used.inner = stmt.start().to_u32();
    }

    /// Notes that a name of the current scope is bound from here on.
    pub(super) fn bind(&mut self, name: &str) {
        let symbol = self.intern(name);
        let Some((_, binding)) = self.tables.scopes.visible(symbol).next() else {
            return;
        };
        let (scope, index) = (binding.scope, binding.index);
        let mut depth = self.frames.len() - 1;
        // A walrus in a comprehension binds outside of it.
        while self.frames[depth].scope != scope && self.frames[depth].kind == ScopeKind::Comprehension && depth > 0 {
            depth -= 1;
        }
        if self.frames[depth].scope == scope {
            self.frames[depth].flow.bind(index);
        }
    }

    pub(super) fn unbind(&mut self, name: &str) {
        let symbol = self.intern(name);
        let scope = self.frame().scope;
        if let Some(index) = self.tables.scopes.find(scope, symbol).map(|binding| binding.index) {
            self.frame().flow.unbind(index);
            self.frame().view.remove(index);
        }
    }

    /// Enters a scope; `name` is that of a function or class, `None` for lambdas and comprehensions.
    pub(super) fn enter(&mut self, scope: ScopeId, name: Option<&str>, scope_line: u32) {
        let outer = self.frame();
        let (mut function, mut line) = (outer.function, outer.scope_line);
        if let Some(name) = name {
            let functions = &mut self.tables.functions;
            let outer = &functions[function as usize];
            let qualified = if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") };
            function = functions.len() as u32;
            functions.push(qualified);
            line = scope_line;
        }
        let mut frame = Frame::new(scope, function, line);
        let opened = &mut self.tables.scopes.scopes[scope];
        opened.function = function;
        frame.kind = opened.kind;
        let is_function = frame.kind == ScopeKind::Function;
        frame.function_depth = if is_function { self.frames.len() } else { self.innermost().function_depth };
        self.frames.push(frame);
        self.tables.scopes.enter(scope);
    }

    pub(super) fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.tables.scopes.leave(frame.scope);
        }
    }
}

//! Reads of names: which are proven bound, and the hook for those that are not.

use ruff_python_ast::{ExprName, Stmt};
use ruff_text_size::Ranged;

use super::{Frame, Rewriter, write_hook};
use crate::builtin_names::{self, Builtin};
use crate::edits::Inserted;
use crate::hooks::Hook;
use crate::roles::Role;
use crate::scopes::ScopeKind;
use crate::sites::Kind;
use crate::symbols::Symbol;

/// What a name refers to, and whether it may be missing there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resolution {
    /// CPython's own lookup finds it (or the source cannot be the reason when it does not).
    Proven,
    /// A local or free variable that may be unbound.
    Unbound,
    /// A global or builtin that may be missing.
    Global,
    /// A name of the class body around that may be missing there.
    Class,
}

impl<'a> Rewriter<'a> {
    pub(super) fn resolve(&self, symbol: Symbol) -> Resolution {
        let builtin = self.scopes.symbols.entry(symbol).builtin;
        if builtin.makes_cell {
            return Resolution::Proven;
        }
        let innermost = self.innermost();
        for (_, binding) in self.scopes.visible(symbol) {
            let at = binding.scope as usize;
            let scope = &self.scopes.scopes[at];
            if scope.kind == ScopeKind::Class && at != innermost.scope {
                continue;
            }
            if binding.global {
                return self.resolve_global(symbol);
            }
            if !binding.is_own() {
                continue;
            }
            let proven = || {
                let frame = &self.frames[scope.depth];
                let crossed_function = innermost.function_depth > scope.depth;
                frame.flow.is_bound(binding.index) || (crossed_function && frame.view.contains(binding.index))
            };
            return match scope.kind {
                ScopeKind::Module | ScopeKind::Class if proven() => Resolution::Proven,
                ScopeKind::Module => Resolution::Global,
                ScopeKind::Class => Resolution::Class,
                // A comprehension binds its targets before anything in it reads them.
                ScopeKind::TypeParams | ScopeKind::Comprehension => Resolution::Proven,
                ScopeKind::Function if (binding.parameter && !binding.deleted) || proven() => Resolution::Proven,
                ScopeKind::Function => Resolution::Unbound,
            };
        }
        self.resolve_builtin(builtin)
    }

    /// What a name that the tree need not hold refers to.
    pub(super) fn resolve_name(&self, name: &str) -> Resolution {
        match self.scopes.symbols.get(name) {
            Some(symbol) => self.resolve(symbol),
            None => self.resolve_builtin(builtin_names::builtin(name)),
        }
    }

    fn resolve_builtin(&self, builtin: Builtin) -> Resolution {
        if builtin.exists || builtin.makes_cell || builtin.in_classes && self.innermost().kind == ScopeKind::Class {
            Resolution::Proven
        } else {
            Resolution::Global
        }
    }

    fn resolve_global(&self, symbol: Symbol) -> Resolution {
        let frame = &self.frames[0];
        let bound = self.scopes.find(0, symbol).is_some_and(|binding| {
            binding.bound && (frame.flow.is_bound(binding.index) || frame.view.contains(binding.index))
        });
        if bound { Resolution::Proven } else { Resolution::Global }
    }

    /// The frame of the scope that the walk is in.
    pub(super) fn innermost(&self) -> &Frame<'a> {
        &self.frames[self.frames.len() - 1]
    }

    /// True for reads in a class body: their lookup starts in its namespace, which may hold more than the body binds
    /// (`vars()['day'] = 1`).
    fn starts_in_class(&self, symbol: Symbol) -> bool {
        let frame = self.innermost();
        frame.kind == ScopeKind::Class && !self.scopes.find(frame.scope, symbol).is_some_and(|binding| binding.global)
    }

    /// The builtin that a name certainly means.
    pub(super) fn certain_builtin(&self, symbol: Symbol) -> Option<Builtin> {
        let hidden = self.scopes.visible(symbol).any(|(_, binding)| binding.bound || binding.global);
        (!hidden).then(|| self.scopes.symbols.entry(symbol).builtin)
    }

    /// Rewrites the read of a name where it may be missing.
    pub(super) fn read_name(&mut self, name: &'a ExprName, role: Role) {
        let symbol = self.scopes.symbols.intern(name.id.as_str());
        self.note_name(symbol, role);
        let resolution = self.resolve(symbol);
        if resolution == Resolution::Proven || !self.frame().hooked {
            return;
        }
        let site = self.site(Kind::Variable, name.id.as_str(), role, name, name.start());
        self.note_site(site, symbol);
        let (prefix, number) = (self.hooks.prefix(), self.in_text(site));
        let (start, len) = (name.start().to_u32(), name.range().len().to_u32());
        if resolution == Resolution::Unbound {
            self.sites[site as usize].local = true;
            self.insert(name.start(), "(");
            self.edits.replace(name.end().to_u32(), 0, |out| write_unbound(out, prefix, number));
        } else {
            self.sites[site as usize].in_class = self.starts_in_class(symbol);
            let of_module = self.innermost().scope == 0;
            self.sites[site as usize].rebound = of_module && self.scopes.find(0, symbol).is_some_and(|own| own.bound);
            self.edits.replace(start, len, |out| {
                write_hook(out, prefix, Hook::Name, number, false);
                out.push(b')');
            });
        }
    }

    /// Before `x += 1` or `del x`: `x=_n_(site);` where `x` may be missing.
    pub(super) fn read_before(&mut self, name: &'a ExprName, stmt: &'a Stmt, role: Role) {
        let symbol = self.scopes.symbols.intern(name.id.as_str());
        let resolution = self.resolve(symbol);
        if resolution == Resolution::Proven || !self.frame().hooked {
            return;
        }
        let site = self.site(Kind::Variable, name.id.as_str(), role, name, name.start());
        self.note_name(symbol, role);
        self.note_site(site, symbol);
        self.sites[site as usize].in_class = resolution == Resolution::Class;
        self.sites[site as usize].local = resolution == Resolution::Unbound;
        let (prefix, number) = (self.hooks.prefix(), self.in_text(site));
        self.edits.insert_anchored(stmt.start().to_u32(), name.start().to_u32(), |out| {
            out.push_str(name.id.as_str());
            out.push(b'=');
            if resolution == Resolution::Unbound {
                out.push(b'(');
                out.push_str(name.id.as_str());
                write_unbound(out, prefix, number);
            } else {
                write_hook(out, prefix, Hook::Name, number, false);
                out.push(b')');
            }
            out.push(b';');
        });
    }

    /// Notes that a name of the current scope is bound from here on.
    pub(super) fn bind(&mut self, name: &'a str) {
        let symbol = self.scopes.symbols.intern(name);
        let Some((_, binding)) = self.scopes.visible(symbol).next() else {
            return;
        };
        let (scope, index) = (binding.scope as usize, binding.index);
        let mut depth = self.frames.len() - 1;
        // A walrus in a comprehension binds outside of it.
        while self.frames[depth].scope != scope && self.frames[depth].kind == ScopeKind::Comprehension && depth > 0 {
            depth -= 1;
        }
        if self.frames[depth].scope == scope {
            self.frames[depth].flow.bind(index);
        }
    }

    pub(super) fn unbind(&mut self, name: &'a str) {
        let symbol = self.scopes.symbols.intern(name);
        let scope = self.frame().scope;
        if let Some(index) = self.scopes.find(scope, symbol).map(|binding| binding.index) {
            self.frame().flow.unbind(index);
            self.frame().view.remove(index);
        }
    }

    /// Enters a scope; `function` is its name for reports, `None` for lambdas and comprehensions.
    pub(super) fn enter(&mut self, scope: usize, name: Option<&str>, scope_line: u32) {
        let outer = self.frame();
        let (mut function, mut line) = (outer.function, outer.scope_line);
        if let Some(name) = name {
            let outer = &self.functions[function as usize];
            let qualified = if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") };
            function = self.functions.len() as u32;
            self.functions.push(qualified);
            line = scope_line;
        }
        let mut frame = Frame::new(scope, function, line);
        frame.kind = self.scopes.scopes[scope].kind;
        let is_function = frame.kind == ScopeKind::Function;
        frame.function_depth = if is_function { self.frames.len() } else { self.innermost().function_depth };
        self.frames.push(frame);
        self.scopes.enter(scope);
    }

    pub(super) fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.scopes.leave(frame.scope);
        }
    }
}

fn write_unbound(out: &mut Inserted, prefix: &str, site: u32) {
    out.push_str(" if ");
    write_hook(out, prefix, Hook::Bound, site, false);
    out.push_str(")else ");
    write_hook(out, prefix, Hook::Name, site, false);
    out.push_str("))");
}

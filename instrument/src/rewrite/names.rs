//! Reads of names: which are proven bound, and the hook for those that are not.

use ruff_python_ast::{ExprName, Stmt};
use ruff_text_size::Ranged;

use super::{Frame, Rewriter, write_hook};
use crate::builtin_names;
use crate::hooks::Hook;
use crate::roles::Role;
use crate::scopes::ScopeKind;
use crate::sites::Kind;

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
    pub(super) fn resolve(&self, name: &str) -> Resolution {
        // The compiler makes the `__class__` cell where it sees these names.
        if matches!(name, "super" | "__class__") {
            return Resolution::Proven;
        }
        let mut depth = self.frames.len() - 1;
        let mut crossed_function = false;
        let mut at = self.frames[depth].scope;
        loop {
            let scope = &self.scopes.scopes[at];
            let innermost = depth == self.frames.len() - 1;
            let visible = scope.kind != ScopeKind::Class || innermost;
            if let Some(index) = scope.index(name).filter(|_| visible) {
                let binding = scope.bindings[index as usize];
                let proven = || {
                    let frame = &self.frames[depth];
                    frame.flow.is_bound(index) || (crossed_function && frame.view.contains(index))
                };
                if binding.global {
                    return self.resolve_global(name);
                }
                if binding.bound && !binding.nonlocal {
                    return match scope.kind {
                        ScopeKind::Module if proven() || self.frames[depth].flow.dead => Resolution::Proven,
                        ScopeKind::Module => Resolution::Global,
                        ScopeKind::Class if proven() => Resolution::Proven,
                        ScopeKind::Class => Resolution::Class,
                        // A comprehension binds its targets before anything in it reads them.
                        ScopeKind::TypeParams | ScopeKind::Comprehension => Resolution::Proven,
                        ScopeKind::Function if (binding.parameter && !binding.deleted) || proven() => {
                            Resolution::Proven
                        }
                        ScopeKind::Function => Resolution::Unbound,
                    };
                }
            }
            if at == 0 {
                break;
            }
            crossed_function |= scope.kind == ScopeKind::Function;
            at = scope.parent;
            depth -= 1;
        }
        if builtin_names::is_builtin(name) || self.in_class() && matches!(name, "__module__" | "__qualname__") {
            Resolution::Proven
        } else {
            Resolution::Global
        }
    }

    fn resolve_global(&self, name: &str) -> Resolution {
        let module = &self.scopes.scopes[0];
        let frame = &self.frames[0];
        let bound = module.index(name).is_some_and(|index| {
            module.bindings[index as usize].bound && (frame.flow.is_bound(index) || frame.view.contains(index))
        });
        if bound { Resolution::Proven } else { Resolution::Global }
    }

    fn in_class(&self) -> bool {
        let scope = self.frames[self.frames.len() - 1].scope;
        self.scopes.scopes[scope].kind == ScopeKind::Class
    }

    /// True for reads in a class body: their lookup starts in its namespace, which may hold more than the body binds
    /// (`vars()['day'] = 1`).
    fn starts_in_class(&self, name: &str) -> bool {
        let scope = &self.scopes.scopes[self.frames[self.frames.len() - 1].scope];
        scope.kind == ScopeKind::Class && !scope.binding(name).is_some_and(|binding| binding.global)
    }

    /// True where a builtin's name certainly means the builtin.
    pub(super) fn means_builtin(&self, name: &str) -> bool {
        let mut at = self.frames[self.frames.len() - 1].scope;
        loop {
            let scope = &self.scopes.scopes[at];
            if scope.binding(name).is_some_and(|binding| binding.bound || binding.global) {
                return false;
            }
            if at == 0 {
                return true;
            }
            at = scope.parent;
        }
    }

    /// Rewrites the read of a name where it may be missing.
    pub(super) fn read_name(&mut self, name: &'a ExprName, role: Role) {
        self.note_name(name.id.as_str(), role);
        let resolution = self.resolve(name.id.as_str());
        if resolution == Resolution::Proven || !self.frame().hooked {
            return;
        }
        let site = self.site(Kind::Variable, name.id.as_str(), role, name, name.start());
        self.note_site(site, name.id.as_str());
        let prefix = self.hooks.prefix();
        let (start, len) = (name.start().to_u32(), name.range().len().to_u32());
        if resolution == Resolution::Unbound {
            self.insert(name.start(), "(");
            self.edits.replace(name.end().to_u32(), 0, |out| write_unbound(out, prefix, site));
        } else {
            self.sites[site as usize].in_class = self.starts_in_class(name.id.as_str());
            self.edits.replace(start, len, |out| {
                write_hook(out, prefix, Hook::Name, site, false);
                out.push(')');
            });
        }
    }

    /// Before `x += 1` or `del x`: `x=_n_(site);` where `x` may be missing.
    pub(super) fn read_before(&mut self, name: &'a ExprName, stmt: &'a Stmt, role: Role) {
        let resolution = self.resolve(name.id.as_str());
        if resolution == Resolution::Proven || !self.frame().hooked {
            return;
        }
        let site = self.site(Kind::Variable, name.id.as_str(), role, name, name.start());
        self.note_name(name.id.as_str(), role);
        self.note_site(site, name.id.as_str());
        self.sites[site as usize].in_class = resolution == Resolution::Class;
        let prefix = self.hooks.prefix();
        self.edits.insert_anchored(stmt.start().to_u32(), name.start().to_u32(), |out| {
            out.push_str(name.id.as_str());
            out.push('=');
            if resolution == Resolution::Unbound {
                out.push('(');
                out.push_str(name.id.as_str());
                write_unbound(out, prefix, site);
            } else {
                write_hook(out, prefix, Hook::Name, site, false);
                out.push(')');
            }
            out.push(';');
        });
    }

    /// Notes that a name of the current scope is bound from here on.
    pub(super) fn bind(&mut self, name: &str) {
        let mut depth = self.frames.len() - 1;
        // A walrus in a comprehension binds outside of it.
        while self.scopes.scopes[self.frames[depth].scope].kind == ScopeKind::Comprehension && depth > 0 {
            if self.scopes.scopes[self.frames[depth].scope].index(name).is_some() {
                break;
            }
            depth -= 1;
        }
        if let Some(index) = self.scopes.scopes[self.frames[depth].scope].index(name) {
            self.frames[depth].flow.bind(index);
        }
    }

    pub(super) fn unbind(&mut self, name: &str) {
        let scope = self.frame().scope;
        if let Some(index) = self.scopes.scopes[scope].index(name) {
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
        self.frames.push(Frame::new(scope, function, line));
    }

    pub(super) fn leave(&mut self) {
        self.frames.pop();
    }
}

fn write_unbound(out: &mut String, prefix: &str, site: u32) {
    out.push_str(" if ");
    write_hook(out, prefix, Hook::Bound, site, false);
    out.push_str(")else ");
    write_hook(out, prefix, Hook::Name, site, false);
    out.push_str("))");
}

//! What cannot be missing, so that it needs no hook: attributes that a class gives its instances, functions that the
//! module itself defines, attributes of standard library modules.

use ruff_python_ast::{self as ast, Expr, Stmt};
use rustc_hash::FxHashSet;

use super::Walk;
use super::flow::bound_names;
use crate::semantic::scope::{Binding, BindingFlags, MODULE, ScopeId, ScopeKind};
use crate::semantic::symbol::Symbol;
use crate::semantic::uses::Resolution;

impl<'a> Walk<'a> {
    /// Notes the classes in what is raised or caught: `Late`, `Late("...")`, `(Late, module.Early)`.
    pub(super) fn note_raised(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Call(call) => self.note_raised(&call.func),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|class| self.note_raised(class)),
            class => {
                let class = last_name(class).map(|name| self.intern(name));
                self.tables.raised.extend(class);
            }
        }
    }

    /// Notes the bases of a class.
    pub(super) fn note_bases(&mut self, def: &'a ast::StmtClassDef) {
        let class = self.intern(def.name.as_str());
        for base in def.bases().iter().filter_map(last_name) {
            let base = self.intern(base);
            self.tables.bases.push((class, base));
        }
    }

    /// Notes which attributes every instance of a class has: names bound in its body, and `self` attributes that
    /// `__init__` assigns in any case. A class that deletes an attribute proves nothing.
    pub(super) fn note_class(&mut self, def: &'a ast::StmtClassDef, scope: ScopeId) {
        let mut names = FxHashSet::default();
        for stmt in &def.body {
            match stmt {
                Stmt::FunctionDef(method) => {
                    names.insert(self.intern(method.name.as_str()));
                    if method.name.as_str() == "__init__" {
                        assigned_by(method, &mut |name| {
                            names.insert(self.intern(name));
                        });
                    }
                }
                Stmt::Assign(assign) => {
                    for target in &assign.targets {
                        bound_names(target, &mut |name| {
                            names.insert(self.intern(name));
                        });
                    }
                }
                Stmt::AnnAssign(assign) if assign.value.is_some() => {
                    bound_names(&assign.target, &mut |name| {
                        names.insert(self.intern(name));
                    });
                }
                Stmt::Delete(_) => return,
                _ => {}
            }
        }
        self.certain.insert(scope, names);
    }

    /// The first parameter of the method around, if that is called on an instance.
    pub(super) fn receiver(&mut self, def: &'a ast::StmtFunctionDef, class: ScopeId) -> Option<(Symbol, ScopeId)> {
        let bound_otherwise = def
            .decorator_list
            .iter()
            .any(|decorator| !matches!(&decorator.expression, Expr::Name(name) if name.id.as_str() == "property"));
        let first = def.parameters.posonlyargs.first().or(def.parameters.args.first())?;
        let name = self.intern(first.parameter.name.as_str());
        let own = self.tables.scopes.find(self.innermost().scope, name);
        let rebound = own.is_none_or(|binding| binding.is(BindingFlags::OTHERWISE));
        (!bound_otherwise && !rebound).then_some((name, class))
    }

    /// True for reads of attributes that cannot be missing.
    pub(super) fn attribute_is_certain(&mut self, attribute: &'a ast::ExprAttribute) -> bool {
        let Expr::Name(base) = &*attribute.value else {
            return false;
        };
        let base = self.intern(base.id.as_str());
        let around = self.frames.iter().rev().find(|frame| frame.kind != ScopeKind::Comprehension);
        if let Some((receiver, class)) = around.and_then(|frame| frame.receiver)
            && receiver == base
        {
            let attribute = self.intern(attribute.attr.as_str());
            let scopes = &self.tables.scopes;
            let hidden = |binding: &Binding| scopes.scopes[binding.scope].kind == ScopeKind::Comprehension;
            return !scopes.visible(base).next().is_some_and(|(_, binding)| hidden(binding))
                && self.certain.get(&class).is_some_and(|names| names.contains(&attribute));
        }
        let known =
            |binding: &Binding| binding.is(BindingFlags::STANDARD_MODULE) && !binding.is(BindingFlags::OTHERWISE);
        self.binding_of(base).is_some_and(known) && self.resolve(base).1 == Resolution::Proven
    }

    /// True for functions and classes that the module defines and nothing rebinds: their failures are its own.
    pub(super) fn is_own_function(&mut self, callee: &'a Expr) -> bool {
        let own = |binding: &Binding, not: BindingFlags| binding.is(BindingFlags::DEFINED) && !binding.is(not);
        match callee {
            Expr::Name(name) => {
                let symbol = self.intern(name.id.as_str());
                let known = |binding: &Binding| own(binding, BindingFlags::OTHERWISE | BindingFlags::IMPORTED);
                self.binding_of(symbol).is_some_and(known) && self.resolve(symbol).1 == Resolution::Proven
            }
            Expr::Attribute(attribute) => {
                let Some((receiver, class)) = self.innermost().receiver else {
                    return false;
                };
                let Expr::Name(base) = &*attribute.value else {
                    return false;
                };
                if self.intern(base.id.as_str()) != receiver {
                    return false;
                }
                let method = self.intern(attribute.attr.as_str());
                self.tables.scopes.find(class, method).is_some_and(|binding| own(binding, BindingFlags::OTHERWISE))
            }
            _ => false,
        }
    }

    /// The binding that a name refers to from here, without those of class bodies around.
    fn binding_of(&self, symbol: Symbol) -> Option<&Binding> {
        let innermost = self.innermost().scope;
        for (_, binding) in self.tables.scopes.visible(symbol) {
            let at = binding.scope;
            if self.tables.scopes.scopes[at].kind == ScopeKind::Class && at != innermost {
                continue;
            }
            if binding.is(BindingFlags::GLOBAL) {
                return self.tables.scopes.find(MODULE, symbol);
            }
            if !binding.is(BindingFlags::NONLOCAL) {
                return Some(binding);
            }
        }
        None
    }
}

/// `Error` of `Error` and of `module.Error`.
fn last_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}

/// Attributes that the statements at the top of `__init__` assign; those after a `return` do not count.
fn assigned_by<'a>(method: &'a ast::StmtFunctionDef, add: &mut impl FnMut(&'a str)) {
    let Some(first) = method.parameters.posonlyargs.first().or(method.parameters.args.first()) else {
        return;
    };
    let receiver = first.parameter.name.as_str();
    let mut note = |target: &'a Expr| {
        if let Expr::Attribute(attribute) = target
            && matches!(&*attribute.value, Expr::Name(base) if base.id.as_str() == receiver)
        {
            add(attribute.attr.as_str());
        }
    };
    for stmt in &method.body {
        match stmt {
            Stmt::Assign(assign) => assign.targets.iter().for_each(&mut note),
            Stmt::AnnAssign(assign) if assign.value.is_some() => note(&assign.target),
            Stmt::Expr(_) | Stmt::AugAssign(_) | Stmt::Assert(_) | Stmt::Import(_) | Stmt::ImportFrom(_) => {}
            // Anything else may return or delete.
            _ => return,
        }
    }
}

//! What cannot be missing, so that it needs no hook: attributes that a class gives its instances, functions that the
//! module itself defines, attributes of standard library modules.

use ruff_python_ast::{self as ast, Expr, Stmt};
use rustc_hash::FxHashSet;

use super::Rewriter;
use super::names::Resolution;
use crate::scopes::{Binding, ScopeKind};
use crate::symbols::Symbol;

impl<'a> Rewriter<'a> {
    /// Notes which attributes every instance of a class has: names bound in its body, and `self` attributes that
    /// `__init__` assigns in any case. A class that deletes an attribute proves nothing.
    pub(super) fn note_class(&mut self, def: &'a ast::StmtClassDef, scope: usize) {
        let mut names = FxHashSet::default();
        for stmt in &def.body {
            match stmt {
                Stmt::FunctionDef(method) => {
                    names.insert(self.scopes.symbols.intern(method.name.as_str()));
                    if method.name.as_str() == "__init__" {
                        assigned_by(method, &mut |name| {
                            names.insert(self.scopes.symbols.intern(name));
                        });
                    }
                }
                Stmt::Assign(assign) => {
                    for target in &assign.targets {
                        crate::flow::bound_names(target, &mut |name| {
                            names.insert(self.scopes.symbols.intern(name));
                        });
                    }
                }
                Stmt::AnnAssign(assign) if assign.value.is_some() => {
                    crate::flow::bound_names(&assign.target, &mut |name| {
                        names.insert(self.scopes.symbols.intern(name));
                    });
                }
                Stmt::Delete(_) => return,
                _ => {}
            }
        }
        self.certain.insert(scope, names);
    }

    /// The first parameter of the method around, if that is called on an instance.
    pub(super) fn receiver(&self, def: &'a ast::StmtFunctionDef, class: usize) -> Option<(&'a str, usize)> {
        let bound_otherwise = def
            .decorator_list
            .iter()
            .any(|decorator| !matches!(&decorator.expression, Expr::Name(name) if name.id.as_str() == "property"));
        let first = def.parameters.posonlyargs.first().or(def.parameters.args.first())?;
        let name = first.parameter.name.as_str();
        let rebound = self.scopes.find_name(self.innermost().scope, name).is_none_or(|binding| binding.otherwise);
        (!bound_otherwise && !rebound).then_some((name, class))
    }

    /// True for reads of attributes that cannot be missing.
    pub(super) fn attribute_is_certain(&mut self, attribute: &'a ast::ExprAttribute) -> bool {
        let Expr::Name(base) = &*attribute.value else {
            return false;
        };
        let name = base.id.as_str();
        let around = self.frames.iter().rev().find(|frame| frame.kind != ScopeKind::Comprehension);
        if let Some((receiver, class)) = around.and_then(|frame| frame.receiver)
            && receiver == name
        {
            let attribute = self.scopes.symbols.intern(attribute.attr.as_str());
            let base = self.scopes.symbols.intern(name);
            let hidden =
                |binding: &Binding| self.scopes.scopes[binding.scope as usize].kind == ScopeKind::Comprehension;
            return !self.scopes.visible(base).next().is_some_and(|(_, binding)| hidden(binding))
                && self.certain.get(&class).is_some_and(|names| names.contains(&attribute));
        }
        let base = self.scopes.symbols.intern(name);
        let known = |binding: &Binding| binding.standard_module && !binding.otherwise;
        self.binding_of(base).is_some_and(known) && self.resolve(base) == Resolution::Proven
    }

    /// True for functions and classes that the module defines and nothing rebinds: their failures are its own.
    pub(super) fn is_own_function(&mut self, callee: &'a Expr) -> bool {
        match callee {
            Expr::Name(name) => {
                let symbol = self.scopes.symbols.intern(name.id.as_str());
                let known = |binding: &Binding| binding.defined && !binding.otherwise && !binding.imported;
                self.binding_of(symbol).is_some_and(known) && self.resolve(symbol) == Resolution::Proven
            }
            Expr::Attribute(attribute) => {
                let Some((receiver, class)) = self.innermost().receiver else {
                    return false;
                };
                if !matches!(&*attribute.value, Expr::Name(base) if base.id.as_str() == receiver) {
                    return false;
                }
                let method = self.scopes.symbols.intern(attribute.attr.as_str());
                self.scopes.find(class, method).is_some_and(|binding| binding.defined && !binding.otherwise)
            }
            _ => false,
        }
    }

    /// The binding that a name refers to from here, class bodies around left out.
    fn binding_of(&self, symbol: Symbol) -> Option<&Binding> {
        let innermost = self.innermost().scope;
        for (_, binding) in self.scopes.visible(symbol) {
            let at = binding.scope as usize;
            if self.scopes.scopes[at].kind == ScopeKind::Class && at != innermost {
                continue;
            }
            if binding.global {
                return self.scopes.find(0, symbol);
            }
            if !binding.nonlocal {
                return Some(binding);
            }
        }
        None
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

//! What cannot be missing, so that it needs no hook: attributes that a class gives its instances, functions that the
//! module itself defines, attributes of standard library modules.

use ruff_python_ast::{self as ast, Expr, Stmt};
use rustc_hash::FxHashSet;

use super::Rewriter;
use super::names::Resolution;
use crate::scopes::{Binding, ScopeKind};

impl<'a> Rewriter<'a> {
    /// Notes which attributes every instance of a class has: names bound in its body, and `self` attributes that
    /// `__init__` assigns in any case. A class that deletes an attribute proves nothing.
    pub(super) fn note_class(&mut self, def: &'a ast::StmtClassDef, scope: usize) {
        let mut names = FxHashSet::default();
        for stmt in &def.body {
            match stmt {
                Stmt::FunctionDef(method) => {
                    names.insert(method.name.as_str());
                    if method.name.as_str() == "__init__" {
                        assigned_by(method, &mut names);
                    }
                }
                Stmt::Assign(assign) => {
                    for target in &assign.targets {
                        crate::flow::bound_names(target, &mut |name| {
                            names.insert(name);
                        });
                    }
                }
                Stmt::AnnAssign(assign) if assign.value.is_some() => {
                    crate::flow::bound_names(&assign.target, &mut |name| {
                        names.insert(name);
                    });
                }
                Stmt::Delete(_) => return,
                _ => {}
            }
        }
        self.certain.insert(scope, names);
    }

    /// The first parameter of a method that is called on an instance.
    pub(super) fn receiver(&self, def: &'a ast::StmtFunctionDef, class: usize) -> Option<(&'a str, usize)> {
        let bound_otherwise = def
            .decorator_list
            .iter()
            .any(|decorator| !matches!(&decorator.expression, Expr::Name(name) if name.id.as_str() == "property"));
        let first = def.parameters.posonlyargs.first().or(def.parameters.args.first())?;
        let name = first.parameter.name.as_str();
        let rebound = self.scopes.scopes[self.scopes.of(def)].binding(name).is_none_or(|binding| binding.otherwise);
        (!bound_otherwise && !rebound).then_some((name, class))
    }

    /// True for reads of attributes that cannot be missing.
    pub(super) fn attribute_is_certain(&self, attribute: &ast::ExprAttribute) -> bool {
        let Expr::Name(base) = &*attribute.value else {
            return false;
        };
        let name = base.id.as_str();
        let mut depth = self.frames.len() - 1;
        while depth > 0 && self.scopes.scopes[self.frames[depth].scope].kind == ScopeKind::Comprehension {
            if self.scopes.scopes[self.frames[depth].scope].index(name).is_some() {
                return false;
            }
            depth -= 1;
        }
        if let Some((receiver, class)) = self.frames[depth].receiver
            && receiver == name
        {
            return self.certain.get(&class).is_some_and(|names| names.contains(attribute.attr.as_str()));
        }
        let known = |binding: Binding| binding.standard_module && !binding.otherwise;
        self.binding_of(name).is_some_and(known) && self.resolve(name) == Resolution::Proven
    }

    /// True for functions and classes that the module defines and nothing rebinds: their failures are its own.
    pub(super) fn is_own_function(&self, callee: &Expr) -> bool {
        match callee {
            Expr::Name(name) => {
                let known = |binding: Binding| binding.defined && !binding.otherwise && !binding.imported;
                self.binding_of(name.id.as_str()).is_some_and(known)
                    && self.resolve(name.id.as_str()) == Resolution::Proven
            }
            Expr::Attribute(attribute) => {
                self.frames[self.frames.len() - 1].receiver.is_some_and(|(receiver, class)| {
                    matches!(&*attribute.value, Expr::Name(base) if base.id.as_str() == receiver)
                        && self.scopes.scopes[class]
                            .binding(attribute.attr.as_str())
                            .is_some_and(|binding| binding.defined && !binding.otherwise)
                })
            }
            _ => false,
        }
    }

    /// The binding that a name refers to from here, class bodies around left out.
    fn binding_of(&self, name: &str) -> Option<Binding> {
        let innermost = self.frames[self.frames.len() - 1].scope;
        let mut at = innermost;
        loop {
            let scope = &self.scopes.scopes[at];
            if (scope.kind != ScopeKind::Class || at == innermost)
                && let Some(binding) = scope.binding(name)
            {
                if binding.global {
                    return self.scopes.scopes[0].binding(name);
                }
                if !binding.nonlocal {
                    return Some(binding);
                }
            }
            if at == 0 {
                return None;
            }
            at = scope.parent;
        }
    }
}

/// Attributes that the statements at the top of `__init__` assign; those after a `return` do not count.
fn assigned_by<'a>(method: &'a ast::StmtFunctionDef, names: &mut FxHashSet<&'a str>) {
    let Some(first) = method.parameters.posonlyargs.first().or(method.parameters.args.first()) else {
        return;
    };
    let receiver = first.parameter.name.as_str();
    let mut note = |target: &'a Expr| {
        if let Expr::Attribute(attribute) = target
            && matches!(&*attribute.value, Expr::Name(base) if base.id.as_str() == receiver)
        {
            names.insert(attribute.attr.as_str());
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

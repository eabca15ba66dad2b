//! Scopes and what each binds, by Python's own rules (Language Reference, section 4.2).

mod builder;

use ruff_python_ast::{self as ast, Expr};
use rustc_hash::FxHashMap;

use crate::roles::Roles;
use crate::symbols::{Symbol, Symbols};

/// What opened a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Module,
    Class,
    /// A `def` or a `lambda`: its body runs later.
    Function,
    /// A comprehension or generator expression.
    Comprehension,
    /// The hidden scope of PEP 695 type parameters.
    TypeParams,
}

/// How a scope binds a name.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing about the name, in any combination")]
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    symbol: Symbol,
    pub(crate) scope: u32,
    /// Its number in the scope.
    pub(crate) index: u32,
    /// The scope's next binding.
    next: Option<u32>,
    /// The binding of the name in the scopes around, while the scope is open.
    outer: Option<u32>,
    /// What is done with the variable.
    pub(crate) roles: Roles,
    pub(crate) bound: bool,
    pub(crate) parameter: bool,
    pub(crate) imported: bool,
    /// Some statement may take the binding away (`del`, the end of `except ... as name`).
    pub(crate) deleted: bool,
    pub(crate) global: bool,
    pub(crate) nonlocal: bool,
    /// Bound by an undecorated `def` or `class`.
    pub(crate) defined: bool,
    /// Bound by `import` of a standard library module.
    pub(crate) standard_module: bool,
    /// Bound by anything but that.
    pub(crate) otherwise: bool,
}

pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    parent: usize,
    /// Number of scopes around.
    pub(crate) depth: usize,
    /// A `def` or `lambda` stands in it, at whatever depth.
    pub(crate) encloses_functions: bool,
    first: Option<u32>,
    last: Option<u32>,
}

impl Binding {
    /// True for a variable of the scope itself.
    pub(crate) fn is_own(&self) -> bool {
        self.bound && !self.global && !self.nonlocal
    }
}

/// All scopes of a module; number 0 is the module itself.
#[expect(clippy::struct_field_names, reason = "the scopes are what it is about")]
pub(crate) struct Scopes<'a> {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) symbols: Symbols<'a>,
    by_node: FxHashMap<usize, u32>,
    /// A name that only the long spelling of the hooks leaves free.
    pub(crate) clash: bool,
    /// `from __future__ import annotations` stands in the module.
    pub(crate) postponed_annotations: bool,
    /// Classes that name a metaclass, or inherit one, each with the name it comes from.
    namespaced: Vec<(&'a str, &'a str)>,
}

/// The identity of a syntax node while its tree is borrowed.
pub(crate) fn node_id<T>(node: &T) -> usize {
    std::ptr::from_ref(node) as usize
}

impl Scopes<'_> {
    /// The scope that a node opened.
    pub(crate) fn of<T>(&self, node: &T) -> usize {
        self.by_id(node_id(node))
    }

    /// The scope opened by the node of this identity.
    pub(crate) fn by_id(&self, node: usize) -> usize {
        self.by_node.get(&node).map_or(0, |&scope| scope as usize)
    }

    /// Opens a scope inside the one that was opened last: its names hide those around.
    pub(crate) fn enter(&mut self, scope: usize) {
        let mut next = self.scopes[scope].first;
        while let Some(at) = next {
            let binding = &mut self.bindings[at as usize];
            let entry = self.symbols.entry_mut(binding.symbol);
            binding.outer = entry.innermost.replace(at);
            next = binding.next;
        }
    }

    /// Closes the scope that was opened last.
    pub(crate) fn leave(&mut self, scope: usize) {
        let mut next = self.scopes[scope].first;
        while let Some(at) = next {
            let binding = &self.bindings[at as usize];
            self.symbols.entry_mut(binding.symbol).innermost = binding.outer;
            next = binding.next;
        }
    }

    /// The bindings of a name in the open scopes, innermost first.
    pub(crate) fn visible(&self, symbol: Symbol) -> impl Iterator<Item = (u32, &Binding)> {
        let mut next = self.symbols.entry(symbol).innermost;
        std::iter::from_fn(move || {
            let at = next?;
            let binding = &self.bindings[at as usize];
            next = binding.outer;
            Some((at, binding))
        })
    }

    /// The binding of a name in one of the open scopes.
    pub(crate) fn find(&self, scope: usize, symbol: Symbol) -> Option<&Binding> {
        self.visible(symbol).map(|(_, binding)| binding).find(|binding| binding.scope as usize == scope)
    }

    /// The same by the name as text.
    pub(crate) fn find_name(&self, scope: usize, name: &str) -> Option<&Binding> {
        self.find(scope, self.symbols.get(name)?)
    }

    /// The bindings that a scope makes.
    pub(crate) fn bindings_of(&self, scope: usize) -> impl Iterator<Item = &Binding> {
        let mut next = self.scopes[scope].first;
        std::iter::from_fn(move || {
            let binding = &self.bindings[next? as usize];
            next = binding.next;
            Some(binding)
        })
    }

    /// True for classes whose body may run in an arbitrary mapping, where no lookup may be added: only a metaclass
    /// that the module itself defines can make one (`__prepare__`).
    pub(crate) fn is_namespaced(&self, def: &ast::StmtClassDef) -> bool {
        let mut name = def.name.as_str();
        let own = def.arguments.as_ref().and_then(|arguments| metaclass_name(arguments));
        if let Some(metaclass) = own {
            return self.defines(metaclass);
        }
        for _ in 0..self.namespaced.len() {
            let Some((_, origin)) = self.namespaced.iter().find(|(class, _)| *class == name) else {
                return false;
            };
            if self.namespaced.iter().any(|(class, _)| class == origin) {
                name = origin;
            } else {
                return self.defines(origin);
            }
        }
        false
    }

    fn defines(&self, name: &str) -> bool {
        let symbol = self.symbols.get(name);
        self.bindings.iter().any(|binding| Some(binding.symbol) == symbol && binding.bound && !binding.imported)
    }
}

/// The name that a pattern itself binds.
pub(crate) fn captured(pattern: &ast::Pattern) -> Option<&ast::Identifier> {
    match pattern {
        ast::Pattern::MatchAs(pattern) => pattern.name.as_ref(),
        ast::Pattern::MatchStar(pattern) => pattern.name.as_ref(),
        ast::Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
        _ => None,
    }
}

/// The plain name after `metaclass=`.
fn metaclass_name(arguments: &ast::Arguments) -> Option<&str> {
    let keyword =
        arguments.keywords.iter().find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg == "metaclass"))?;
    match &keyword.value {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

//! Scopes and what each binds, by Python's own rules (Language Reference, section 4.2).

use bitflags::bitflags;
use ruff_index::{IndexVec, newtype_index};
use ruff_python_ast::{self as ast, Expr, HasNodeIndex};

use super::symbol::{BindingId, Symbol, Symbols};

/// The number of a scope; 0 is the module.
#[newtype_index]
#[derive(PartialOrd, Ord)]
pub(crate) struct ScopeId;

/// What opened a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// The source as a whole.
    Module,
    /// The body of `class C: ...`.
    Class,
    /// `def f(): ...` or `lambda: ...`, whose body runs when it is called.
    Function,
    /// `[x for x in y]`, and the like in other brackets.
    Comprehension,
    /// The hidden scope of `[T]` in `def f[T](): ...`, `class C[T]: ...` and `type A[T] = ...` (PEP 695).
    TypeParams,
}

bitflags! {
    /// What the statements of a scope do with one of its names.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct BindingFlags: u16 {
        /// Something binds the name: `x = 1`, `for x in y`, `import x`, `def x(): ...`.
        const BOUND = 1;
        /// `def f(x): ...`
        const PARAMETER = 1 << 1;
        /// `import x`, `from m import x`
        const IMPORTED = 1 << 2;
        /// Some statement may take the binding away: `del x`, the end of `except E as x: ...`.
        const DELETED = 1 << 3;
        /// `global x`
        const GLOBAL = 1 << 4;
        /// `nonlocal x`
        const NONLOCAL = 1 << 5;
        /// An undecorated `def x(): ...` or `class x: ...`.
        const DEFINED = 1 << 6;
        /// `import x`, of a module that every supported Python has.
        const STANDARD_MODULE = 1 << 7;
        /// Anything but the four ways above of saying what the name is.
        const OTHERWISE = 1 << 8;
    }
}

/// How a scope binds a name.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) symbol: Symbol,
    pub(crate) scope: ScopeId,
    /// The place of the name among those of its scope, for sets of them ([`super::bits::Bits`]).
    pub(crate) index: u32,
    pub(crate) flags: BindingFlags,
    /// The next binding of the scope.
    pub(super) next: Option<BindingId>,
    /// The binding of the name in the scopes around, while the scope is open.
    pub(super) outer: Option<BindingId>,
}

impl Binding {
    /// True if one of these flags is set.
    pub(crate) fn is(&self, flags: BindingFlags) -> bool {
        self.flags.intersects(flags)
    }

    /// True for a variable of the scope itself.
    pub(crate) fn is_own(&self) -> bool {
        self.is(BindingFlags::BOUND) && !self.is(BindingFlags::GLOBAL | BindingFlags::NONLOCAL)
    }
}

pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    pub(crate) parent: ScopeId,
    /// Number of scopes around.
    pub(crate) depth: usize,
    /// A `def` or `lambda` stands in it, at whatever depth.
    pub(crate) encloses_functions: bool,
    /// The class around whose name private names get, as in `_C__x`.
    pub(crate) class: Option<Symbol>,
    /// The innermost function or class: an index into [`crate::Instrumented::functions`].
    pub(crate) function: u32,
    pub(super) first: Option<BindingId>,
    pub(super) last: Option<BindingId>,
}

/// Why the namespace of a class may be an arbitrary mapping.
pub(super) enum Namespace {
    /// `metaclass=x`, `metaclass=m.x` or `metaclass=x()`: the name at the root of what is called or read, and whether
    /// this is spelled as one of the metaclasses of the standard library, which make dictionaries.
    Metaclass { root: Option<Symbol>, spelled_standard: bool },
    /// A base class has such a namespace.
    Inherited(Symbol),
}

/// All scopes of a module, and its names.
#[expect(clippy::struct_field_names, reason = "the scopes are what it is about")]
pub(crate) struct Scopes {
    pub(crate) scopes: IndexVec<ScopeId, Scope>,
    pub(crate) bindings: IndexVec<BindingId, Binding>,
    pub(crate) symbols: Symbols,
    /// A name that only the long spelling of the hooks leaves free.
    pub(crate) clash: bool,
    /// `from __future__ import annotations` stands in the module.
    pub(crate) postponed_annotations: bool,
    /// Classes that name a metaclass, or inherit one.
    pub(super) namespaces: Vec<(Symbol, Namespace)>,
}

/// The scope of the module.
pub(crate) const MODULE: ScopeId = ScopeId::from_u32(0);

/// Metaclasses of the standard library whose namespaces are dictionaries.
const STANDARD_METACLASSES: [&str; 4] = ["type", "ABCMeta", "EnumMeta", "EnumType"];

impl Scopes {
    /// The scope that a node opened.
    pub(crate) fn of(node: &impl HasNodeIndex) -> ScopeId {
        let number = node.node_index().load().as_u32();
        number.map_or(MODULE, ScopeId::from_u32)
    }

    /// Opens a scope inside the one that was opened last: its names hide those around.
    pub(crate) fn enter(&mut self, scope: ScopeId) {
        let mut next = self.scopes[scope].first;
        while let Some(at) = next {
            let binding = &mut self.bindings[at];
            let entry = &mut self.symbols.entries[binding.symbol];
            binding.outer = entry.innermost.replace(at);
            next = binding.next;
        }
    }

    /// Closes the scope that was opened last.
    pub(crate) fn leave(&mut self, scope: ScopeId) {
        let mut next = self.scopes[scope].first;
        while let Some(at) = next {
            let binding = &self.bindings[at];
            self.symbols.entries[binding.symbol].innermost = binding.outer;
            next = binding.next;
        }
    }

    /// The bindings of a name in the open scopes, innermost first.
    pub(crate) fn visible(&self, symbol: Symbol) -> impl Iterator<Item = (BindingId, &Binding)> {
        let mut next = self.symbols.entries[symbol].innermost;
        std::iter::from_fn(move || {
            let at = next?;
            let binding = &self.bindings[at];
            next = binding.outer;
            Some((at, binding))
        })
    }

    /// The binding of a name in one of the open scopes.
    pub(crate) fn find(&self, scope: ScopeId, symbol: Symbol) -> Option<&Binding> {
        self.visible(symbol).map(|(_, binding)| binding).find(|binding| binding.scope == scope)
    }

    /// The binding in one of the open scopes of a name that is given as text.
    pub(crate) fn find_name(&self, scope: ScopeId, name: &str) -> Option<&Binding> {
        self.find(scope, self.symbols.get(name)?)
    }

    /// The bindings that a scope makes.
    pub(crate) fn bindings_of(&self, scope: ScopeId) -> impl Iterator<Item = &Binding> {
        let mut next = self.scopes[scope].first;
        std::iter::from_fn(move || {
            let binding = &self.bindings[next?];
            next = binding.next;
            Some(binding)
        })
    }

    /// True for classes whose body may run in an arbitrary mapping that a metaclass makes (`__prepare__`): it would see
    /// each lookup that is added there. Metaclasses of imported bases are not known, and taken to make dictionaries.
    pub(crate) fn is_namespaced(&self, def: &ast::StmtClassDef) -> bool {
        let mut name = self.symbols.get(def.name.as_str());
        for _ in 0..self.namespaces.len() {
            let Some((_, namespace)) = self.namespaces.iter().find(|(class, _)| Some(*class) == name) else {
                return false;
            };
            match namespace {
                Namespace::Inherited(base) => name = Some(*base),
                Namespace::Metaclass { root, spelled_standard } => {
                    let standard = if *spelled_standard { BindingFlags::IMPORTED } else { BindingFlags::empty() };
                    return root.is_none_or(|root| self.binds(root, standard));
                }
            }
        }
        false
    }

    /// True if the source binds a name, in a way that has none of these flags. One that it does not bind is missing, and
    /// `type` takes the place of a metaclass that is missing.
    fn binds(&self, symbol: Symbol, but: BindingFlags) -> bool {
        let binds = |binding: &Binding| binding.is(BindingFlags::BOUND) && !binding.is(but);
        self.bindings.iter().any(|binding| binding.symbol == symbol && binds(binding))
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

/// What stands after `metaclass=`: the name at its root, and whether it is spelled as a metaclass that makes
/// dictionaries.
pub(super) fn metaclass(arguments: &ast::Arguments) -> Option<(Option<&str>, bool)> {
    let named = |keyword: &&ast::Keyword| keyword.arg.as_ref().is_some_and(|arg| arg == "metaclass");
    let value = &arguments.keywords.iter().find(named)?.value;
    let spelled = match value {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => "",
    };
    Some((root(value), STANDARD_METACLASSES.contains(&spelled)))
}

/// `m` in `m`, `m.a` and `m.a()`.
fn root(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => root(&attribute.value),
        Expr::Call(call) => root(&call.func),
        _ => None,
    }
}

//! Symbols: each identifier of a source is hashed where it is met, and a number from then on.

use rustc_hash::FxHashMap;

use crate::builtin_names::{self, Builtin};
use crate::roles::{Roles, Types};

/// The number of an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Symbol(u32);

/// What is known of an identifier wherever it stands.
pub(crate) struct Entry {
    /// The innermost binding of the name in the scopes that are open ([`crate::scopes::Scopes::enter`]).
    pub(crate) innermost: Option<u32>,
    /// What it means where nothing binds it.
    pub(crate) builtin: Builtin,
    /// The builtin types that have an attribute of this name, once it was asked for.
    types: Option<Types>,
    /// What is done with the module's variable of this name.
    pub(crate) variable_roles: Roles,
    /// What is done with attributes of this name.
    pub(crate) attribute_roles: Roles,
}

#[derive(Default)]
pub(crate) struct Symbols<'a> {
    by_name: FxHashMap<&'a str, Symbol>,
    entries: Vec<Entry>,
    /// The node's name that was asked for last: one read asks several times.
    last: Option<(&'a str, Symbol)>,
}

impl<'a> Symbols<'a> {
    /// Room for the names of an ordinary source of this size.
    pub(crate) fn for_source(len: usize) -> Self {
        let names = len / 128;
        Self {
            by_name: FxHashMap::with_capacity_and_hasher(names, rustc_hash::FxBuildHasher),
            entries: Vec::with_capacity(names),
            last: None,
        }
    }

    pub(crate) fn intern(&mut self, name: &'a str) -> Symbol {
        if let Some((last, symbol)) = self.last
            && std::ptr::eq(last, name)
        {
            return symbol;
        }
        let next = Symbol(self.entries.len() as u32);
        let symbol = *self.by_name.entry(name).or_insert(next);
        if symbol == next {
            self.entries.push(Entry {
                innermost: None,
                builtin: builtin_names::builtin(name),
                types: None,
                variable_roles: Roles::default(),
                attribute_roles: Roles::default(),
            });
        }
        self.last = Some((name, symbol));
        symbol
    }

    /// The symbol of a name that was met.
    pub(crate) fn get(&self, name: &str) -> Option<Symbol> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn entry(&self, symbol: Symbol) -> &Entry {
        &self.entries[symbol.0 as usize]
    }

    pub(crate) fn entry_mut(&mut self, symbol: Symbol) -> &mut Entry {
        &mut self.entries[symbol.0 as usize]
    }

    /// The builtin types that have the attribute.
    pub(crate) fn types(&mut self, attribute: &'a str) -> Types {
        let symbol = self.intern(attribute);
        *self.entry_mut(symbol).types.get_or_insert_with(|| Types::with(attribute))
    }
}

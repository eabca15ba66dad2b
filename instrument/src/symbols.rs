//! Symbols: each identifier of a source is hashed where it is met, and a number from then on.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::builtin_names::{self, Builtin};
use crate::roles::{Roles, Types};

/// The number of an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Symbol(u32);

/// What is known of an identifier wherever it stands.
pub(crate) struct Entry<'a> {
    name: &'a str,
    hash: u32,
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

pub(crate) struct Symbols<'a> {
    entries: Vec<Entry<'a>>,
    /// A hash table with open addressing, of a power of two and at most half full: one more than the symbol, 0 where
    /// there is none. Nothing is ever removed, which makes it simpler and faster than a map that can do that.
    table: Vec<u32>,
    /// The node's name that was asked for last: one read asks several times.
    last: Option<(&'a str, Symbol)>,
}

impl<'a> Symbols<'a> {
    /// Room for the names of an ordinary source of this size.
    pub(crate) fn for_source(len: usize) -> Self {
        let names = (len / 128).next_power_of_two().max(16);
        Self { entries: Vec::with_capacity(names), table: vec![0; 2 * names], last: None }
    }

    pub(crate) fn intern(&mut self, name: &'a str) -> Symbol {
        if let Some((last, symbol)) = self.last
            && std::ptr::eq(last, name)
        {
            return symbol;
        }
        let hash = hash(name);
        let symbol = self.find(name, hash).unwrap_or_else(|place| self.add(name, hash, place));
        self.last = Some((name, symbol));
        symbol
    }

    /// The symbol of a name that was met.
    pub(crate) fn get(&self, name: &str) -> Option<Symbol> {
        self.find(name, hash(name)).ok()
    }

    /// The symbol, or the free place where the search for it ended.
    fn find(&self, name: &str, hash: u32) -> Result<Symbol, usize> {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while let Some(at) = self.table[place].checked_sub(1) {
            let entry = &self.entries[at as usize];
            if entry.hash == hash && entry.name == name {
                return Ok(Symbol(at));
            }
            place = (place + 1) & mask;
        }
        Err(place)
    }

    fn add(&mut self, name: &'a str, hash: u32, place: usize) -> Symbol {
        let symbol = Symbol(self.entries.len() as u32);
        self.entries.push(Entry {
            name,
            hash,
            innermost: None,
            builtin: builtin_names::builtin(name),
            types: None,
            variable_roles: Roles::default(),
            attribute_roles: Roles::default(),
        });
        self.table[place] = symbol.0 + 1;
        if 2 * self.entries.len() > self.table.len() {
            self.grow();
        }
        symbol
    }

    fn grow(&mut self) {
        let mask = 2 * self.table.len() - 1;
        let mut table = vec![0; mask + 1];
        for (number, entry) in (1..).zip(&self.entries) {
            let mut place = entry.hash as usize & mask;
            while table[place] != 0 {
                place = (place + 1) & mask;
            }
            table[place] = number;
        }
        self.table = table;
    }

    pub(crate) fn entry(&self, symbol: Symbol) -> &Entry<'a> {
        &self.entries[symbol.0 as usize]
    }

    pub(crate) fn entry_mut(&mut self, symbol: Symbol) -> &mut Entry<'a> {
        &mut self.entries[symbol.0 as usize]
    }

    /// The builtin types that have the attribute.
    pub(crate) fn types(&mut self, attribute: &'a str) -> Types {
        let symbol = self.intern(attribute);
        *self.entry_mut(symbol).types.get_or_insert_with(|| Types::with(attribute))
    }
}

fn hash(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers_while_the_table_grows() {
        let names: Vec<String> = (0..1000).map(|number| format!("name_{number}")).collect();
        let mut symbols = Symbols::for_source(0);
        let first: Vec<Symbol> = names.iter().map(|name| symbols.intern(name)).collect();
        assert!(names.iter().zip(&first).all(|(name, &symbol)| symbols.get(name) == Some(symbol)));
        assert!(names.iter().zip(&first).all(|(name, &symbol)| symbols.intern(name) == symbol));
        assert_eq!(symbols.get("name_1000"), None);
    }
}

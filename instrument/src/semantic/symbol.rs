//! Symbols: each identifier of a source is hashed where it is met, and a number from then on.

use std::hash::Hasher;

use compact_str::CompactString;
use ruff_index::{IndexVec, newtype_index};
use rustc_hash::FxHasher;

use super::builtin::{self, Builtin};
use crate::role::Types;

/// The number of an identifier of the source.
#[newtype_index]
pub(crate) struct Symbol;

/// The number of a binding: a scope, and a name in it.
#[newtype_index]
pub(crate) struct BindingId;

/// What is known of an identifier wherever it stands.
pub(crate) struct Entry {
    pub(crate) name: CompactString,
    hash: u32,
    /// The innermost binding of the name in the scopes that are open (`Scopes::enter`).
    pub(crate) innermost: Option<BindingId>,
    /// What the name means where nothing binds it.
    pub(crate) builtin: Builtin,
    /// The builtin types that have an attribute of this name, once it was asked for.
    types: Option<Types>,
}

pub(crate) struct Symbols {
    pub(crate) entries: IndexVec<Symbol, Entry>,
    /// A hash table with open addressing, of a power of two and at most half full: one more than the symbol, 0 where
    /// there is none. Nothing is ever removed, which makes it simpler and faster than a map that can do that.
    table: Vec<u32>,
    /// Addresses and lengths of names that were asked for recently, by address: one read asks several times.
    recent: [(usize, usize, Symbol); RECENT],
}

const RECENT: usize = 16;

impl Symbols {
    /// Room for the names of an ordinary source of this size.
    pub(crate) fn for_source(len: usize) -> Self {
        let names = (len / 128).next_power_of_two().max(16);
        let recent = [(0, 0, Symbol::from_u32(0)); RECENT];
        Self { entries: IndexVec::with_capacity(names), table: vec![0; 2 * names], recent }
    }

    /// The symbol of a name of the tree or of the program text, which stays where it is.
    #[inline]
    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        let (at, len) = (name.as_ptr() as usize, name.len());
        let recent = self.recent[at / 8 % RECENT];
        if (recent.0, recent.1) == (at, len) {
            return recent.2;
        }
        let symbol = self.intern_copy(name);
        self.recent[at / 8 % RECENT] = (at, len, symbol);
        symbol
    }

    /// The symbol of a text that does not outlive the call.
    pub(crate) fn intern_copy(&mut self, name: &str) -> Symbol {
        let hash = hash(name);
        self.find(name, hash).unwrap_or_else(|place| self.add(name, hash, place))
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
            let symbol = Symbol::from_u32(at);
            let entry = &self.entries[symbol];
            if entry.hash == hash && entry.name == name {
                return Ok(symbol);
            }
            place = (place + 1) & mask;
        }
        Err(place)
    }

    fn add(&mut self, name: &str, hash: u32, place: usize) -> Symbol {
        let builtin = builtin::builtin(name);
        let name = CompactString::new(name);
        let symbol = self.entries.push(Entry { name, hash, innermost: None, builtin, types: None });
        self.table[place] = symbol.as_u32() + 1;
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

    /// The text of a symbol.
    pub(crate) fn name(&self, symbol: Symbol) -> &CompactString {
        &self.entries[symbol].name
    }

    /// The builtin types that have an attribute of this name.
    pub(crate) fn types(&mut self, attribute: Symbol) -> Types {
        let Entry { name, types, .. } = &mut self.entries[attribute];
        *types.get_or_insert_with(|| Types::with(name))
    }
}

/// True for names that are mangled in classes: `__x` (Language Reference, 6.2.1).
pub(crate) fn is_private(name: &str) -> bool {
    name.starts_with("__") && !name.ends_with("__") && !name.contains('.')
}

/// What CPython makes of a name inside a class: `_C__x` for `__x` in `C` (Language Reference, 6.2.1); none for names that stay.
pub(crate) fn mangled(name: &str, class: &str) -> Option<CompactString> {
    let class = class.trim_start_matches('_');
    (is_private(name) && !class.is_empty()).then(|| CompactString::from(format!("_{class}{name}")))
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

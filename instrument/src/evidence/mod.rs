//! What a source tells about the values at its sites without running: which sites read the same variable, attribute or
//! function's results, what is assigned to it, and the literals and annotations that say what it is.
//!
//! Attributes and functions are told apart by their names alone, variables by Python's scopes.

/// An enumeration whose variants are also numbers, from 0 on without gaps.
macro_rules! numbered {
    ($(#[$about:meta])* $name:ident: $($variant:ident = $doc:literal;)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = $doc] $variant,)* }

        impl $name {
            /// All of them, by their number.
            pub const ALL: &[Self] = &[$(Self::$variant),*];
        }
    };
}

mod groups;
mod shapes;
mod walk;

use rustc_hash::FxHashMap;

use crate::{Kind, MAX_SOURCE_BYTES, nesting};

pub use shapes::{Counts, Shape};

numbered! {
    /// How a name comes by its values.
    Origin:
    Import = "`import a`";
    FromImport = "`from m import a`";
    FromImportClass = "`from m import A`, by its spelling";
    FromImportConstant = "`from m import AA`, by its spelling";
    Function = "`def a`";
    Class = "`class A`";
    Parameter = "A parameter without a default";
    Default = "A parameter with a default";
    Receiver = "`self` or `cls`, first of a method";
    Variadic = "`*args`";
    Keywords = "`**kwargs`";
    Loop = "`for a in ...`";
    Comprehension = "`... for a in ...`";
    Context = "`with ... as a`";
    Caught = "`except ... as a`";
    Matched = "`case a`";
    Assigned = "`a = ...`";
    Augmented = "`a += ...`";
    Property = "A method that is read as an attribute";
    Generator = "Calls give a generator or a coroutine";
    Builtin = "The builtin of this name";
}

/// A set of [`Origin`]s; empty for names that nothing in the source binds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origins(u32);

impl Origins {
    /// True if it is among them.
    #[must_use]
    pub const fn contains(self, origin: Origin) -> bool {
        self.0 >> origin as u32 & 1 == 1
    }

    /// Those in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn insert(&mut self, origin: Origin) {
        self.0 |= 1 << origin as u32;
    }
}

/// A place that is asked about: the range of a name, an attribute or a call, as in [`crate::Site`].
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The kind of use.
    pub kind: Kind,
    /// The name read, or the last component of what is called.
    pub name: &'a str,
    /// First byte of the expression.
    pub start: u32,
    /// End of the expression, exclusive.
    pub end: u32,
}

/// What reads and writes the same: a variable, the attributes of one name, or the results of the functions of one name.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Literals that are assigned to it or returned.
    pub literals: Counts,
    /// Its annotations.
    pub annotations: Counts,
    /// How it comes by its values.
    pub origins: Origins,
    /// The asked places whose values are assigned to it or returned, by their number.
    pub values: Vec<u32>,
}

/// What is known of one asked place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The group that it reads.
    pub group: u32,
    /// For calls: the group of what is called.
    pub callee: Option<u32>,
    /// The groups that its value goes to.
    pub targets: Vec<u32>,
}

/// All that a source tells.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The asked places, in their order.
    pub places: Vec<Place>,
    /// What they, or their values' targets, belong to.
    pub groups: Vec<Group>,
}

impl Evidence {
    /// Looks for it. A source that does not parse tells no more than which names are the same.
    #[must_use]
    pub fn of(source: &str, asked: &[Asked<'_>]) -> Self {
        let numbers: FxHashMap<(Kind, u32, u32), u32> =
            asked.iter().zip(0..).map(|(asked, number)| ((asked.kind, asked.start, asked.end), number)).collect();
        let places = vec![None; asked.len()];
        let mut found = if source.len() <= MAX_SOURCE_BYTES {
            nesting::parse(source, |module, nesting| walk::walk(source, &module.body, nesting, &numbers, asked.len()))
                .unwrap_or_else(|_| groups::Found { places, groups: Vec::new() })
        } else {
            groups::Found { places, groups: Vec::new() }
        };
        // Several questions may be about one place; what the tree does not hold goes by its name.
        let mut by_name: FxHashMap<(Kind, &str), u32> = FxHashMap::default();
        let mut whole: Vec<Place> = Vec::with_capacity(asked.len());
        for asked in asked {
            let number = numbers[&(asked.kind, asked.start, asked.end)];
            let place = found.places[number as usize].clone().unwrap_or_else(|| {
                let groups = &mut found.groups;
                let group = *by_name.entry((asked.kind, asked.name)).or_insert_with(|| {
                    groups.push(Group::default());
                    groups.len() as u32 - 1
                });
                Place { group, ..Place::default() }
            });
            whole.push(place);
        }
        Self { places: whole, groups: found.groups }
    }
}

#[cfg(test)]
mod tests;

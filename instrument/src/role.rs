//! What code does with a value, as far as the syntax tells: what an injected value must support.

use serde::{Deserialize, Serialize};

/// Builtin types with attributes of their own, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Types(u8);

impl Types {
    /// `int` and `bool`.
    pub const INT: Self = Self(1);
    /// `float`.
    pub const FLOAT: Self = Self(1 << 1);
    /// `str`.
    pub const STR: Self = Self(1 << 2);
    /// `list`.
    pub const LIST: Self = Self(1 << 3);
    /// `tuple`.
    pub const TUPLE: Self = Self(1 << 4);
    /// `set`.
    pub const SET: Self = Self(1 << 5);
    /// `dict`.
    pub const DICT: Self = Self(1 << 6);

    /// The types that have an attribute; all of them for names that every object has.
    #[must_use]
    pub fn with(attribute: &str) -> Self {
        if attribute.starts_with("__") && attribute.ends_with("__") {
            return Self(u8::MAX);
        }
        let found = ATTRIBUTES.binary_search_by_key(&attribute, |&(name, _)| name);
        Self(found.map_or(0, |at| ATTRIBUTES[at].1))
    }

    /// True for none of the types.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if one of the types is in both.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Public attributes of the builtin types, sorted, with the bits of [`Types`] that have them.
#[rustfmt::skip]
const ATTRIBUTES: &[(&str, u8)] = &[
    ("add", 0x20), ("append", 0x08), ("as_integer_ratio", 0x03), ("bit_count", 0x01), ("bit_length", 0x01),
    ("capitalize", 0x04), ("casefold", 0x04), ("center", 0x04), ("clear", 0x68), ("conjugate", 0x03), ("copy",
    0x68), ("count", 0x1c), ("denominator", 0x01), ("difference", 0x20), ("difference_update", 0x20),
    ("discard", 0x20), ("encode", 0x04), ("endswith", 0x04), ("expandtabs", 0x04), ("extend", 0x08), ("find",
    0x04), ("format", 0x04), ("format_map", 0x04), ("from_bytes", 0x01), ("fromhex", 0x02), ("fromkeys", 0x40),
    ("get", 0x40), ("hex", 0x02), ("imag", 0x03), ("index", 0x1c), ("insert", 0x08), ("intersection", 0x20),
    ("intersection_update", 0x20), ("is_integer", 0x02), ("isalnum", 0x04), ("isalpha", 0x04), ("isascii",
    0x04), ("isdecimal", 0x04), ("isdigit", 0x04), ("isdisjoint", 0x20), ("isidentifier", 0x04), ("islower",
    0x04), ("isnumeric", 0x04), ("isprintable", 0x04), ("isspace", 0x04), ("issubset", 0x20), ("issuperset",
    0x20), ("istitle", 0x04), ("isupper", 0x04), ("items", 0x40), ("join", 0x04), ("keys", 0x40), ("ljust",
    0x04), ("lower", 0x04), ("lstrip", 0x04), ("maketrans", 0x04), ("numerator", 0x01), ("partition", 0x04),
    ("pop", 0x68), ("popitem", 0x40), ("real", 0x03), ("remove", 0x28), ("removeprefix", 0x04), ("removesuffix",
    0x04), ("replace", 0x04), ("reverse", 0x08), ("rfind", 0x04), ("rindex", 0x04), ("rjust", 0x04),
    ("rpartition", 0x04), ("rsplit", 0x04), ("rstrip", 0x04), ("setdefault", 0x40), ("sort", 0x08), ("split",
    0x04), ("splitlines", 0x04), ("startswith", 0x04), ("strip", 0x04), ("swapcase", 0x04),
    ("symmetric_difference", 0x20), ("symmetric_difference_update", 0x20), ("title", 0x04), ("to_bytes", 0x01),
    ("translate", 0x04), ("union", 0x20), ("update", 0x60), ("upper", 0x04), ("values", 0x40), ("zfill", 0x04),
];

/// Declares [`Role`], with the numbers of its variants and what each is without its parameters.
macro_rules! roles {
    ($($(#[$about:meta])* $name:ident $(($type:ty = $empty:expr))?,)*) => {
        /// What the code does with the value right where it reads it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Role { $($(#[$about])* $name $(($type))?,)* }

        enum Position { $($name,)* }

        impl Role {
    /// True for what only functions, classes, contexts, coroutines and exceptions can be used for, and no number, text or
    /// container.
    #[must_use]
    pub const fn needs_object(self) -> bool {
        use Role::{Asynchronous, Awaited, Callee, Caught, ClassBase, Context, Decorator, Raised};
        matches!(self, Callee | Awaited | Asynchronous | Context | Raised | Caught | ClassBase | Decorator)
    }

            const EMPTY: &[Self] = &[$(Self::$name $(($empty))?,)*];

            const fn number(self) -> u32 {
                match self { $(Self::$name { .. } => Position::$name as u32,)* }
            }
        }
    };
}

roles! {
    /// Nothing that the syntax tells.
    Plain,
    /// It is called.
    Callee,
    /// An attribute of it is read or written, which these builtin types have.
    Base(Types = Types(0)),
    /// It is indexed by what only the run tells.
    Subscripted,
    /// It is indexed by this number.
    Indexed(u16 = 0),
    /// It is indexed by something that only mappings have.
    Keyed,
    /// It is indexed by what is neither a position nor a key: a list, a condition.
    Selected,
    /// It is sliced.
    Sliced,
    /// A loop, a comprehension or a `*` goes over it.
    Iterated,
    /// A loop goes over it and unpacks its elements.
    IteratedInParts,
    /// A loop goes over it, and does with the elements what no string supports.
    IteratedDeep,
    /// It is the container in `in`, and what is looked for need not be a string.
    Searched,
    /// A `**` spreads it.
    Mapping,
    /// It is unpacked into this many targets.
    Unpacked(u16 = 0),
    /// `await` waits for it.
    Awaited,
    /// `async with` enters it or `async for` goes over it.
    Asynchronous,
    /// A `with` statement enters it.
    Context,
    /// It is an operand of arithmetic or of a comparison by order, with something unknown.
    Operand,
    /// The same with a number, or of an operator that only numbers have.
    Number,
    /// The same of an operator on bits.
    Bits,
    /// The same with a string.
    Text,
    /// It is an operand of arithmetic whose result is used as no number is.
    Part,
    /// It is raised.
    Raised,
    /// It is the class in `except`.
    Caught,
    /// It is a base class.
    ClassBase,
    /// It decorates.
    Decorator,
    /// Its value is dropped.
    Statement,
}

impl Role {
    /// How many elements a container must have for it.
    #[must_use]
    pub const fn elements(self) -> Option<u16> {
        match self {
            Role::Unpacked(count) => Some(count),
            Role::Indexed(index) => Some(index.saturating_add(1)),
            _ => None,
        }
    }
}

/// Elements that are made at most for an index.
const MAX_INDEX: u16 = 16;

/// A set of roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roles {
    bits: u32,
    /// Types that have all attributes that are read.
    types: Types,
    /// Elements that a container must have.
    elements: u16,
}

impl Default for Roles {
    fn default() -> Self {
        Self { bits: 0, types: Types(u8::MAX), elements: 0 }
    }
}

impl Roles {
    /// Adds a role; plain uses tell nothing and are not kept.
    pub(crate) fn insert(&mut self, role: Role) {
        if !matches!(role, Role::Plain | Role::Decorator | Role::Statement) {
            self.bits |= 1 << role.number();
        }
        if let Role::Base(types) = role {
            self.types.0 &= types.0;
        }
        if let Some(elements) = role.elements() {
            self.elements = self.elements.max(elements.min(MAX_INDEX));
        }
    }

    pub(crate) fn union(&mut self, other: Self) {
        self.bits |= other.bits;
        self.types.0 &= other.types.0;
        self.elements = self.elements.max(other.elements);
    }

    /// True if no string supports them.
    pub(crate) fn refuse_text(self) -> bool {
        self.iter().any(|role| match role {
            Role::Base(types) => !types.contains(Types::STR),
            Role::Callee
            | Role::Keyed
            | Role::Selected
            | Role::Mapping
            | Role::Awaited
            | Role::Asynchronous
            | Role::Context
            | Role::Number
            | Role::Bits
            | Role::Part
            | Role::Raised
            | Role::ClassBase => true,
            _ => false,
        })
    }

    /// The roles in the set.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        let in_set = Role::EMPTY.iter().filter(move |role| self.bits >> role.number() & 1 == 1);
        in_set.map(move |&role| if let Role::Base(_) = role { Role::Base(self.types) } else { role })
    }

    /// How many elements a container must have for them.
    #[must_use]
    pub fn elements(self) -> Option<u16> {
        (self.elements > 0).then_some(self.elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_tell_types() {
        assert!(ATTRIBUTES.is_sorted_by_key(|&(name, _)| name));
        assert!(Types::with("append").contains(Types::LIST) && !Types::with("append").contains(Types::STR));
        assert!(Types::with("index").contains(Types::STR) && Types::with("index").contains(Types::TUPLE));
        assert!(!Types::with("is_pyi").contains(Types::STR) && Types::with("__class__").contains(Types::STR));
    }

    #[test]
    fn sets_keep_what_all_their_roles_need() {
        let mut roles = Roles::default();
        for role in [Role::Base(Types::with("index")), Role::Base(Types::with("append")), Role::Indexed(2), Role::Plain]
        {
            roles.insert(role);
        }
        let found: Vec<Role> = roles.iter().collect();
        assert_eq!(found, [Role::Base(Types::LIST), Role::Indexed(0)]);
        assert_eq!(roles.elements(), Some(3));
    }
}

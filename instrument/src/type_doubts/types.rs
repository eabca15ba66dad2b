//! Types of values as far as a text says them: sets of builtin kinds, with the types of elements.

use bitflags::bitflags;

/// Types in types beyond this depth are unknown.
const DEEPEST: usize = 4;

bitflags! {
    /// What a value can be.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct Kinds: u32 {
        const NONE = 1;
        const BOOL = 1 << 1;
        const INT = 1 << 2;
        const FLOAT = 1 << 3;
        const COMPLEX = 1 << 4;
        const STR = 1 << 5;
        const BYTES = 1 << 6;
        const LIST = 1 << 7;
        const TUPLE = 1 << 8;
        const DICT = 1 << 9;
        const SET = 1 << 10;
        const RANGE = 1 << 11;
        /// What is gone over once: `map`, `zip`, a generator.
        const ITERATOR = 1 << 12;
        /// A function or class of the source.
        const FUNCTION = 1 << 13;
        /// A builtin function, or a method of a builtin type.
        const METHOD = 1 << 14;
        /// Anything else, or not known.
        const OTHER = 1 << 15;

        const WHOLE = Self::BOOL.bits() | Self::INT.bits();
        const REAL = Self::WHOLE.bits() | Self::FLOAT.bits();
        const NUMBERS = Self::REAL.bits() | Self::COMPLEX.bits();
        const SEQUENCES = Self::STR.bits() | Self::BYTES.bits() | Self::LIST.bits() | Self::TUPLE.bits();
        const ITERABLE = Self::SEQUENCES.bits() | Self::DICT.bits() | Self::SET.bits() | Self::RANGE.bits()
            | Self::ITERATOR.bits() | Self::OTHER.bits();
        const SIZED = Self::SEQUENCES.bits() | Self::DICT.bits() | Self::SET.bits() | Self::RANGE.bits()
            | Self::OTHER.bits();
        const CALLABLE = Self::FUNCTION.bits() | Self::METHOD.bits() | Self::OTHER.bits();
    }
}

/// The type of a value. Without kinds it is that of no value: what an empty list has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Type {
    pub(super) kinds: Kinds,
    /// Of the elements of a list, tuple, set or iterator.
    item: Option<Box<Type>>,
    /// Of each element of a tuple that is written out.
    parts: Vec<Type>,
}

impl From<Kinds> for Type {
    fn from(kinds: Kinds) -> Self {
        Self { kinds, ..Self::default() }
    }
}

impl Type {
    /// Anything.
    pub(super) fn unknown() -> Self {
        Kinds::OTHER.into()
    }

    pub(super) fn of(kinds: Kinds, item: Type) -> Self {
        Self { kinds, item: Some(Box::new(item.cut(DEEPEST))), parts: Vec::new() }
    }

    pub(super) fn tuple(parts: Vec<Type>) -> Self {
        let item = parts.iter().fold(Self::default(), Self::join);
        let parts = parts.into_iter().map(|part| part.cut(DEEPEST)).collect();
        Self { parts, ..Self::of(Kinds::TUPLE, item) }
    }

    /// Unknown below a depth.
    fn cut(mut self, depth: usize) -> Self {
        if depth == 0 {
            return Self::unknown();
        }
        self.item = self.item.map(|item| Box::new(item.cut(depth - 1)));
        self.parts = self.parts.into_iter().map(|part| part.cut(depth - 1)).collect();
        self
    }

    /// True if something is known of each value, and there can be one.
    pub(super) fn is_known(&self) -> bool {
        !self.kinds.is_empty() && !self.kinds.intersects(Kinds::OTHER)
    }

    pub(super) fn is_within(&self, kinds: Kinds) -> bool {
        self.is_known() && kinds.contains(self.kinds)
    }

    /// Either.
    pub(super) fn join(mut self, other: &Self) -> Self {
        if self.kinds.is_empty() {
            return other.clone();
        }
        if other.kinds.is_empty() {
            return self;
        }
        self.parts = if self.parts.len() == other.parts.len() {
            self.parts.into_iter().zip(&other.parts).map(|(one, other)| one.join(other)).collect()
        } else {
            Vec::new()
        };
        let holds = Kinds::ITERABLE.difference(Kinds::STR | Kinds::BYTES | Kinds::OTHER);
        self.item = match (self.item, &other.item) {
            (Some(one), Some(other)) => Some(Box::new(one.join(other))),
            (Some(one), None) if !other.kinds.intersects(holds) => Some(one),
            (None, Some(other)) if !self.kinds.intersects(holds) => Some(other.clone()),
            _ => None,
        };
        self.kinds |= other.kinds;
        self
    }

    /// What going over it gives. The elements of an empty list, which may be filled where it is not seen, are unknown.
    pub(super) fn element(&self) -> Self {
        let mut found = Self::default();
        let mut add = |kinds: Kinds, element: Type| {
            if self.kinds.intersects(kinds) {
                found = std::mem::take(&mut found).join(&element);
            }
        };
        add(Kinds::STR, Kinds::STR.into());
        add(Kinds::BYTES | Kinds::RANGE, Kinds::INT.into());
        let item = self.item.as_deref().filter(|item| !item.kinds.is_empty());
        add(Kinds::LIST | Kinds::TUPLE | Kinds::SET | Kinds::ITERATOR, item.cloned().unwrap_or_else(Self::unknown));
        add(Kinds::DICT | Kinds::OTHER, Self::unknown());
        if found.kinds.is_empty() { Self::unknown() } else { found }
    }

    /// The parts of a tuple that is written out; none if it is not.
    pub(super) fn parts(&self) -> &[Type] {
        if self.kinds == Kinds::TUPLE { &self.parts } else { &[] }
    }

    /// It has another element, too: so many elements deep.
    pub(super) fn add_element(&mut self, depth: usize, element: &Type) {
        if let Some(mut item) = self.item.take() {
            if depth == 0 {
                item = Box::new(item.join(element).cut(DEEPEST));
            } else {
                item.add_element(depth - 1, element);
            }
            self.item = Some(item);
        }
    }
}

//! Values that code asks for.

use std::ops::Range;

/// A value that a condition asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// Byte range of the expression that is compared.
    pub subject: Range<u32>,
    /// What it would have to be.
    pub wish: Wish,
}

/// What a value would have to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// This string.
    Text(String),
    /// This number.
    Integer(i64),
    /// This number.
    Real(f64),
    /// `None`.
    Nothing,
    /// This truth value.
    Truth(bool),
    /// So many elements or characters.
    Length(u16),
    /// A container or string with this in it.
    Holds(String),
    /// An instance of the builtin type of this name.
    Instance(&'static str),
    /// The object that this dotted name stands for.
    Named(String),
    /// One of the elements, keys or characters of what this dotted name stands for.
    Member(String),
    /// An instance of another class, by the name that the source gives it: `bytearray`, `datetime.date`.
    OtherInstance(String),
}

//! Files that one process writes: one of fixed-size records, one for each site, and one of strings to which they refer.
//!
//! `N.records` starts with a [`Header`] of [`HEADER_BYTES`]. The record of site `s` is at offset `HEADER_BYTES + s *
//! size_of::<SiteRecord>()`; records that were never written are holes. `N.strings` is a sequence of entries, each a
//! little-endian `u32` length, a byte for its kind ([`Text`]), and UTF-8. Entries are numbered from 1 and appended
//! before the records that refer to them, so that a process may die at any time.

/// First bytes of `N.records`.
pub const MAGIC: [u8; 8] = *b"SURMREC1";
/// Offset of the first record.
pub const HEADER_BYTES: u64 = 4096;
/// Maximum number of sites of one recording, over all modules of all processes.
pub const MAX_SITES: usize = 8 << 20;
/// Names of the buckets of lengths; the last has no upper end.
pub const LENGTH_BUCKETS: [&str; 6] = ["0", "1", "2-3", "4-7", "8-31", "32-"];

macro_rules! classes {
    ($($class:ident = $name:literal,)*) => {
        /// The observed classes: the 22 of `LExecutor`'s Table 1 in its order, and four finer ones that map to some of
        /// them. Masks have a bit for each.
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Class { $($class,)* }

        /// Names of the observed classes, by bit.
        pub const CLASSES: [&str; 26] = [$($name),*];
    };
}

classes! {
    None = "None",
    True = "True",
    False = "False",
    IntNeg = "int_neg",
    IntZero = "int_zero",
    IntPos = "int_pos",
    FloatNeg = "float_neg",
    FloatZero = "float_zero",
    FloatPos = "float_pos",
    StrEmpty = "str_empty",
    StrNonempty = "str_nonempty",
    ListEmpty = "list_empty",
    ListNonempty = "list_nonempty",
    TupleEmpty = "tuple_empty",
    TupleNonempty = "tuple_nonempty",
    SetEmpty = "set_empty",
    SetNonempty = "set_nonempty",
    DictEmpty = "dict_empty",
    DictNonempty = "dict_nonempty",
    Callable = "callable",
    Resource = "resource",
    Object = "object",
    ContextManagerObject = "context_manager_object",
    Class = "class",
    Bytes = "bytes",
    Module = "module",
}

/// Header of `N.records`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub magic: [u8; 8],
    pub pid: u32,
    /// Set to 1 once a write has failed: the file lacks everything after it.
    pub failed: u32,
    /// Error number (`errno`) of the failure.
    pub error: u32,
    pub reserved: u32,
    /// Number of strings in `N.strings` when the records were last written.
    pub strings: u64,
    /// Number of hook calls so far.
    pub events: u64,
}

/// Number of a string, and how often it was observed; number 0 stands for no string.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    pub id: u32,
    pub count: u32,
}

/// Observations at one site.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SiteRecord {
    /// Observed classes, a bit mask over [`CLASSES`].
    pub classes: u32,
    /// Classes of sampled elements of containers, a bit mask over [`CLASSES`].
    pub elements: u32,
    /// Number of observations.
    pub total: u32,
    /// Number of sampled observations, of which literal, elements and length were examined.
    pub sampled: u32,
    /// How often each of the first six classes was observed; `count_of` has the bit number of each class plus 1.
    pub counts: [u32; 6],
    pub count_of: [u8; 6],
    pub reserved: [u8; 2],
    /// Types of values whose class does not imply the type.
    pub types: [Slot; 4],
    /// Sampled short literal values.
    pub literals: [Slot; 4],
    /// Sampled lengths, counted in [`LENGTH_BUCKETS`].
    pub lengths: [u16; 6],
    pub padding: u32,
}

/// Size of a record, in bytes.
pub const RECORD_BYTES: usize = size_of::<SiteRecord>();

/// Kind of an entry of `N.strings`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Text {
    /// Qualified name of a type.
    Type = b't',
    /// Value of a string.
    Str = b's',
    /// Value of an integer, in decimal.
    Int = b'i',
    /// Value of a float, as `repr` prints it.
    Float = b'f',
}

impl Text {
    /// The kind that a byte stands for.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        [Text::Type, Text::Str, Text::Int, Text::Float].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Index of the bucket that a length belongs to.
#[must_use]
pub const fn length_bucket(len: usize) -> usize {
    match len {
        0 => 0,
        1 => 1,
        2..=3 => 2,
        4..=7 => 3,
        8..=31 => 4,
        _ => 5,
    }
}

const _: () = assert!(RECORD_BYTES == 128 && HEADER_BYTES as usize >= size_of::<Header>());

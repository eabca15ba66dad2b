//! What one process writes: a file of fixed records, one a site, and a file of strings that the records refer to.
//!
//! `N.records` starts with a [`Header`] of [`HEADER_BYTES`]; the record of site `s` lies at
//! `HEADER_BYTES + s * size_of::<SiteRecord>()`, and places never written are holes. `N.strings` is a sequence of
//! entries: a little-endian `u32` length, then one byte that says what it is ([`Text`]), then UTF-8; entries are
//! numbered from 1. Strings are appended before the records that refer to them, so that a process may die at any time.

/// `N.records` begins with this.
pub const MAGIC: [u8; 8] = *b"SURMREC1";
/// Where the records start.
pub const HEADER_BYTES: u64 = 4096;
/// Sites of one recording, all modules of all processes together.
pub const MAX_SITES: usize = 8 << 20;
/// The last bucket of lengths is open.
pub const LENGTH_BUCKETS: [&str; 6] = ["0", "1", "2-3", "4-7", "8-31", "32-"];

/// The classes observed: the 22 of LExecutor's Table 1 in its order, and four finer ones that fold into them.
pub const CLASSES: [&str; 26] = [
    "None",
    "True",
    "False",
    "int_neg",
    "int_zero",
    "int_pos",
    "float_neg",
    "float_zero",
    "float_pos",
    "str_empty",
    "str_nonempty",
    "list_empty",
    "list_nonempty",
    "tuple_empty",
    "tuple_nonempty",
    "set_empty",
    "set_nonempty",
    "dict_empty",
    "dict_nonempty",
    "callable",
    "resource",
    "object",
    "context_manager_object",
    "class",
    "bytes",
    "module",
];

/// The head of `N.records`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub magic: [u8; 8],
    pub pid: u32,
    /// 1 once a write failed: the file lacks what came later.
    pub failed: u32,
    /// Errno of the failure.
    pub error: u32,
    pub reserved: u32,
    /// Strings in `N.strings` when the records were last written.
    pub strings: u64,
    /// Hook calls so far.
    pub events: u64,
}

/// A string's number and how often it was seen; number 0 is no string.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    pub id: u32,
    pub count: u32,
}

/// What was observed at one site.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SiteRecord {
    /// Bit mask over [`CLASSES`].
    pub classes: u32,
    /// The same of the elements of containers.
    pub elements: u32,
    /// Observations.
    pub total: u32,
    /// Observations whose literal, elements and length were looked at.
    pub sampled: u32,
    /// How often each of the first classes was seen; `count_of` says which: its bit plus 1.
    pub counts: [u32; 6],
    pub count_of: [u8; 6],
    pub reserved: [u8; 2],
    /// Types that the class does not tell.
    pub types: [Slot; 4],
    /// Short literal values.
    pub literals: [Slot; 4],
    /// Lengths by [`LENGTH_BUCKETS`], sampled.
    pub lengths: [u16; 6],
    pub padding: u32,
}

/// Bytes of a record.
pub const RECORD_BYTES: usize = size_of::<SiteRecord>();

/// What an entry of `N.strings` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Text {
    /// The qualified name of a type.
    Type = b't',
    /// A string's value.
    Str = b's',
    /// An integer, in decimal.
    Int = b'i',
    /// A float, as `repr` has it.
    Float = b'f',
}

impl Text {
    /// From its byte.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            b't' => Some(Text::Type),
            b's' => Some(Text::Str),
            b'i' => Some(Text::Int),
            b'f' => Some(Text::Float),
            _ => None,
        }
    }
}

/// The bucket of a length.
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

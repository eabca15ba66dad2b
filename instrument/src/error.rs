//! Why there is no model of a source.

/// Sources are addressed by 32-bit offsets and live in memory several times over.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;

/// Why a source could not be parsed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    /// The source does not parse.
    #[error("line {line}: {message}")]
    Syntax {
        /// Line of the first error, from 1.
        line: u32,
        /// What the parser said.
        message: String,
    },
    /// The source is larger than [`MAX_SOURCE_BYTES`].
    #[error("the source has {0} bytes, more than the {MAX_SOURCE_BYTES} that Surmise takes")]
    TooLarge(usize),
}

//! The model's input: tokens of a source, windows over them, and bundles of recorded examples.
//!
//! The model reads code with *marks*: an `<extra_id_…>` token stands right after each asked value (after a name, after
//! the opening parenthesis of a call), and the decoder is asked with the same token. One pass of the encoder
//! serves all sites of a window, where LExecutor's query (Souza and Pradel 2023, section 3.3; [`Plain`]) needs a pass
//! for each site. The `config.json` of a model names the form that it was trained on.

mod bundle;
mod plain;
mod roberta;
mod vocabulary;
mod windows;

pub use bundle::{Bundle, BundleBuilder, BundleError, Piece, Recorded};
pub(crate) use bundle::{column, numbers, packed, unpacked, values};
pub use plain::Plain;
pub use vocabulary::{BadVocabulary, CLASS_TOKENS, MARKS, Tokens, Vocabulary};
pub use windows::{Shape, Window, windows};

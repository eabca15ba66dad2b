//! Strings that names usually are: those that were observed under the same name in several projects, such as `'utf-8'` under
//! `encoding`.
//!
//! The table lies in the binary and is searched in place. It is a finite-state transducer (crate `fst`) of the keys `N, name, 0,
//! string` and `W, word, 0, string`, where a word is the last one of a name, with one string for each. The value of a key is the
//! share of the projects that have the name with a string in which it is this one, in 255ths: a project in which it is several
//! counts for each by the share of its sites.

mod fit;

use std::borrow::Cow;

use fst::{IntoStreamer, Streamer};

use crate::predictors::last_word;

pub use fit::LiteralsBuilder;

static BUILT_IN: &[u8] = include_bytes!("../../data/model/literals.fst");

/// A table of the most frequent strings of names.
#[derive(Clone, Debug)]
pub struct Literals(fst::Map<Cow<'static, [u8]>>);

impl Literals {
    /// The table that ships in the binary.
    ///
    /// # Panics
    /// Never: a test reads it.
    #[must_use]
    pub fn built_in() -> Self {
        Self(fst::Map::new(Cow::Borrowed(BUILT_IN)).expect("the table in the binary is whole"))
    }

    /// The bytes of the table, as they ship in the binary.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_fst().as_bytes()
    }

    /// Number of names and words with a string.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True for a table without names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The string that a name usually is, or else one whose last word is the same.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<String> {
        [key(b'N', name), key(b'W', last_word(name))].iter().find_map(|key| self.below(key))
    }

    fn below(&self, key: &[u8]) -> Option<String> {
        let (_, before) = key.split_last()?;
        let mut stream = self.0.range().ge(key).lt([before, &[1]].concat()).into_stream();
        let (found, _) = stream.next()?;
        String::from_utf8(found.get(key.len()..)?.to_vec()).ok()
    }
}

/// What the keys of a name begin with.
fn key(level: u8, name: &str) -> Vec<u8> {
    [&[level], name.as_bytes(), &[0]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_is_whole() {
        let table = Literals::built_in();
        assert_eq!(table.of("encoding").as_deref(), Some("utf-8"));
        assert_eq!(table.of("file_encoding").as_deref(), Some("utf-8"), "the last word");
        assert_eq!(table.of("method").as_deref(), Some("GET"));
        assert_eq!(table.of("no such name"), None);
        assert!(!table.is_empty() && table.len() < 10_000);
    }
}

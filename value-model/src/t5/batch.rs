//! Rows of tokens, one after the other.

use super::error::InputError;

/// Tokens of several sequences, stored without padding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    ids: Vec<u32>,
    /// Index in `ids` at which each row begins, then the one at which the last row ends.
    starts: Vec<usize>,
}

impl Batch {
    /// Longest row: attention takes time by its square, so more would be a mistake of the caller.
    pub const MAX_TOKENS: usize = 8192;

    /// Makes a batch with one row for each sequence.
    ///
    /// # Errors
    /// [`InputError::EmptyRow`] and [`InputError::LongRow`].
    pub fn new<R: AsRef<[u32]>>(rows: &[R]) -> Result<Self, InputError> {
        let mut batch = Self { ids: Vec::new(), starts: vec![0] };
        for row in rows {
            batch.push(row.as_ref())?;
        }
        Ok(batch)
    }

    fn push(&mut self, row: &[u32]) -> Result<(), InputError> {
        if row.is_empty() {
            return Err(InputError::EmptyRow(self.rows()));
        }
        if row.len() > Self::MAX_TOKENS {
            return Err(InputError::LongRow { row: self.rows(), length: row.len(), limit: Self::MAX_TOKENS });
        }
        self.ids.extend_from_slice(row);
        self.starts.push(self.ids.len());
        Ok(())
    }

    /// Number of rows, which is the number of sequences.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// All tokens, row after row.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Index in [`Batch::ids`] at which each row begins, then the one at which the last row ends.
    pub(super) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Checks that all tokens are of a vocabulary of that size.
    pub(super) fn check(&self, vocabulary: usize) -> Result<(), InputError> {
        check_tokens(&self.ids, vocabulary)
    }
}

pub(super) fn check_tokens(ids: &[u32], vocabulary: usize) -> Result<(), InputError> {
    match ids.iter().find(|id| **id as usize >= vocabulary) {
        Some(token) => Err(InputError::Token { token: *token, vocabulary }),
        None => Ok(()),
    }
}

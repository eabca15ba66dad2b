//! Joins consecutive rows about the same site, and rows about the same file.

use itertools::Itertools;

use super::row::{FileRow, SiteRow};

/// Passes one joined row for each site to `emit`.
///
/// # Errors
/// The first error of the rows or of `emit`.
#[expect(clippy::result_large_err, reason = "rows of two sites go back to the iterator as they are")]
pub fn together<E>(
    rows: impl Iterator<Item = Result<SiteRow, E>>,
    mut emit: impl FnMut(SiteRow) -> Result<(), E>,
) -> Result<(), E> {
    let joined = rows.coalesce(|one, other| match (one, other) {
        (Ok(mut one), Ok(other)) if one.key() == other.key() => {
            one.seen.join(other.seen);
            Ok(Ok(one))
        }
        pair => Err(pair),
    });
    for row in joined {
        let mut row = row?;
        row.seen.finish();
        emit(row)?;
    }
    Ok(())
}

impl FileRow {
    /// Adds another row about the same file. The number of sites that ran is counted from their joined rows instead.
    pub fn join(&mut self, other: &Self) {
        self.sites = self.sites.max(other.sites);
        self.hit = self.hit.max(other.hit);
        if other.left_out.is_none() {
            self.left_out = None;
        }
    }
}

//! Joins consecutive rows about the same site, and rows about the same file.

use super::row::{FileRow, SiteRow};

/// Passes one joined row for each site to `emit`.
///
/// # Errors
/// The first error of the rows or of `emit`.
pub fn together<E>(
    rows: impl Iterator<Item = Result<SiteRow, E>>,
    mut emit: impl FnMut(SiteRow) -> Result<(), E>,
) -> Result<(), E> {
    let mut last: Option<SiteRow> = None;
    let mut joined = false;
    for row in rows {
        let row = row?;
        match &mut last {
            Some(same) if same.key() == row.key() => {
                same.seen.join(row.seen);
                joined = true;
            }
            _ => {
                if let Some(mut done) = last.replace(row) {
                    if joined {
                        done.seen.finish();
                    }
                    emit(done)?;
                }
                joined = false;
            }
        }
    }
    if let Some(mut done) = last {
        done.seen.finish();
        emit(done)?;
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

//! Rows in their order, of which those that are about the same site become one.

use super::row::{FileRow, SiteRow};

/// Hands on each site's row once.
///
/// # Errors
/// The first of either side.
pub fn together<E>(
    rows: impl Iterator<Item = Result<SiteRow, E>>,
    mut take: impl FnMut(SiteRow) -> Result<(), E>,
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
                    take(done)?;
                }
                joined = false;
            }
        }
    }
    if let Some(mut done) = last {
        done.seen.finish();
        take(done)?;
    }
    Ok(())
}

impl FileRow {
    /// Takes in another account of the same file. How many of its sites ran, only their rows tell.
    pub fn join(&mut self, other: &Self) {
        self.sites = self.sites.max(other.sites);
        self.hit = self.hit.max(other.hit);
        if other.left_out.is_none() {
            self.left_out = None;
        }
    }
}

//! Reads recordings and `value_use` tables, which have fewer columns, into the same type of rows.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use surmise_recorder::layout::CLASSES;

use super::error::ReadError;
use super::row::{CallRow, FileRow, SCHEMA, SiteRow};
use super::stored::StoredSite;
use super::summary::Summary;
use super::table::TableReader;
use super::write::{FILES, LINES, SITES, sha256};

/// A finished recording.
#[derive(Clone, Debug)]
pub struct Recording {
    folder: PathBuf,
    /// Content of `trace.json`.
    pub summary: Summary,
}

impl Recording {
    /// Opens the folder that `surmise trace` wrote.
    ///
    /// # Errors
    /// See [`Summary::read`].
    pub fn open(folder: &Path) -> Result<Self, ReadError> {
        Ok(Self { folder: folder.to_owned(), summary: Summary::read(folder)? })
    }

    /// Path of a table, after a check that it has not changed since it was written.
    fn table(&self, name: &str) -> Result<PathBuf, ReadError> {
        let path = self.folder.join(name);
        if let Some(written) = self.summary.tables.get(name) {
            let found = sha256(&path).map_err(|source| ReadError::Io { path: path.clone(), source })?;
            if found != *written {
                return Err(ReadError::Damaged { path, problem: "it is not what was written".to_owned() });
            }
        }
        Ok(path)
    }

    /// Reader of the sites, in the order of the table.
    ///
    /// # Errors
    /// If the table is missing, damaged or of another version.
    pub fn sites(&self) -> Result<SiteReader, ReadError> {
        let sites = SiteReader::open(&self.table(SITES)?)?;
        if sites.rows == self.summary.sites_hit {
            return Ok(sites);
        }
        let problem = format!("it has {} rows of {}", sites.rows, self.summary.sites_hit);
        Err(ReadError::Damaged { path: sites.table.path, problem })
    }

    /// Rows of the table of files.
    ///
    /// # Errors
    /// As [`Recording::sites`].
    pub fn files(&self) -> Result<Vec<FileRow>, ReadError> {
        let mut files = Vec::new();
        each(open(&self.table(FILES)?)?, |mut rows| {
            files.append(&mut rows);
            Ok(())
        })?;
        Ok::<_, ReadError>(files)
    }

    /// Calls `visit` with batches of the calls whose lines were recorded.
    ///
    /// # Errors
    /// As [`Recording::sites`].
    pub fn calls<E: From<ReadError>>(&self, mut visit: impl FnMut(&[CallRow]) -> Result<(), E>) -> Result<(), E> {
        if self.summary.calls == 0 {
            return Ok(());
        }
        each(open(&self.table(LINES)?)?, |rows| visit(&rows))
    }
}

/// Iterates over the rows of a table of sites, of a recording or a `value_use` file.
pub struct SiteReader {
    table: TableReader,
    project: String,
    /// Number of rows in the table.
    pub rows: u64,
    batch: std::vec::IntoIter<SiteRow>,
    /// Set at the end or after an error, from where nothing more is read.
    over: bool,
}

impl SiteReader {
    /// Opens a table of sites, or that of a recording's folder.
    ///
    /// # Errors
    /// If it is missing, damaged or of another version.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        if path.is_dir() {
            return Recording::open(path)?.sites();
        }
        let table = open(path)?;
        let (project, rows) = (table.metadata("project").unwrap_or_default().to_owned(), table.rows);
        Ok(Self { table, project, rows, batch: Vec::new().into_iter(), over: false })
    }

    /// Project in the table's metadata; several are separated by commas.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// Path of the table.
    pub(super) fn path(&self) -> &Path {
        &self.table.path
    }

    fn refill(&mut self) -> Result<bool, ReadError> {
        let Some(batch) = self.table.next()? else {
            return Ok(false);
        };
        let mut sites: Vec<SiteRow> = Vec::with_capacity(batch.num_rows());
        for stored in self.table.rows_of::<StoredSite<'_>>(&batch)? {
            let site = stored.site(&self.project, sites.last());
            sites.push(site.map_err(|problem| self.table.other_schema(problem))?);
        }
        self.batch = sites.into_iter();
        Ok(true)
    }
}

impl Iterator for SiteReader {
    type Item = Result<SiteRow, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.batch.next() {
                return Some(Ok(row));
            }
            if self.over {
                return None;
            }
            match self.refill() {
                Ok(true) => {}
                Ok(false) => self.over = true,
                Err(error) => {
                    self.over = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// Opens a table and checks its metadata.
fn open(path: &Path) -> Result<TableReader, ReadError> {
    let table = TableReader::open(path)?;
    let wrong = |problem: String| Err(table.other_schema(problem));
    match table.metadata("schema") {
        Some(schema) if schema != SCHEMA => return wrong(format!("its schema is `{schema}`")),
        _ => {}
    }
    let Some(classes) = table.metadata("class_bits") else {
        return wrong("its metadata has no `class_bits`".to_owned());
    };
    if serde_json::from_str::<Vec<String>>(classes).ok().is_none_or(|classes| classes != CLASSES) {
        return wrong("its `class_bits` are others".to_owned());
    }
    Ok(table)
}

/// Calls `visit` with batches of all rows of a table.
fn each<T: DeserializeOwned, E: From<ReadError>>(
    mut table: TableReader,
    mut visit: impl FnMut(Vec<T>) -> Result<(), E>,
) -> Result<(), E> {
    while let Some(batch) = table.next()? {
        visit(table.rows_of(&batch)?)?;
    }
    Ok(())
}

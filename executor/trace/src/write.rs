//! Writes the files of a recording atomically: each appears complete or not at all.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use surmise_recorder::layout::{CLASSES, LENGTH_BUCKETS};
use surmise_value_model::files;
use tempfile::TempPath;

use super::error::TraceError;
use super::row::{CallRow, FileRow, SCHEMA, SiteRow};
use super::stored::StoredSite;
use super::summary::{self, Summary};
use super::table::TableWriter;

/// Name of the table of sites.
pub const SITES: &str = "sites.parquet";
/// Name of the table of files.
pub const FILES: &str = "files.parquet";
/// Name of the table of calls, which exists only if lines were recorded.
pub const LINES: &str = "lines.parquet";

/// Number of rows that are written as one row group.
const ROW_GROUP: usize = 64 << 10;

/// Writes a recording into a folder: sites in sorted order by [`Writer::push`], then [`Writer::finish`].
pub struct Writer {
    folder: PathBuf,
    temporary: Temporary,
    sites: TableWriter,
    calls: Option<TableWriter>,
    pending: Vec<SiteRow>,
    /// Number of rows written.
    pub rows: u64,
    /// Number of unique pairs of a site and a class.
    pub pairs: u64,
    metadata: Vec<(&'static str, String)>,
}

/// Files under temporary names, with their final paths; those that are not renamed are removed on drop.
#[derive(Default)]
struct Temporary(Vec<(TempPath, PathBuf)>);

impl Temporary {
    fn add(&mut self, path: &Path) -> Result<File, TraceError> {
        let file = files::unfinished(path).map_err(|error| TraceError::write(path, &error))?;
        let (file, temporary) = file.into_parts();
        self.0.push((temporary, path.to_owned()));
        Ok(file)
    }
}

impl Writer {
    /// Opens the table of sites. `project` may name several projects, separated by commas.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn new(folder: &Path, project: &str) -> Result<Self, TraceError> {
        let names = |names: &[&str]| serde_json::Value::from(names).to_string();
        let metadata = vec![
            ("schema", SCHEMA.to_owned()),
            ("project", project.to_owned()),
            ("class_bits", names(&CLASSES)),
            ("length_buckets", names(&LENGTH_BUCKETS)),
            ("columns", "UTF-8 byte offsets, 0-based, as in CPython ast; line 1-based".to_owned()),
        ];
        let mut temporary = Temporary::default();
        let path = folder.join(SITES);
        let sites = TableWriter::create::<StoredSite<'static>>(temporary.add(&path)?, path, &metadata)?;
        Ok(Self {
            folder: folder.to_owned(),
            temporary,
            sites,
            calls: None,
            pending: Vec::with_capacity(ROW_GROUP),
            rows: 0,
            pairs: 0,
            metadata,
        })
    }

    /// Writes the next row.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push(&mut self, row: SiteRow) -> Result<(), TraceError> {
        self.rows += 1;
        self.pairs += u64::from(row.seen.classes.count_ones());
        self.pending.push(row);
        if self.pending.len() >= ROW_GROUP { self.flush() } else { Ok(()) }
    }

    /// Writes calls whose lines were recorded.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push_calls(&mut self, rows: &[CallRow]) -> Result<(), TraceError> {
        let table = if let Some(table) = &mut self.calls {
            table
        } else {
            let path = self.folder.join(LINES);
            let file = self.temporary.add(&path)?;
            self.calls.insert(TableWriter::create::<CallRow>(file, path, &self.metadata)?)
        };
        table.write(rows)
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        if !self.pending.is_empty() {
            self.sites.write(&self.pending.iter().map(StoredSite::from).collect::<Vec<_>>())?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Writes the remaining rows and renames all files, the summary last. Returns the summary, completed with the
    /// numbers of the tables.
    ///
    /// # Errors
    /// If a file cannot be written; the folder then keeps its previous content.
    pub fn finish(mut self, files: &[FileRow], summary: Summary) -> Result<Summary, TraceError> {
        self.flush()?;
        self.sites.close()?;
        let has_calls = self.calls.is_some();
        if let Some(calls) = self.calls {
            calls.close()?;
        }
        let path = self.folder.join(FILES);
        let mut table = TableWriter::create::<FileRow>(self.temporary.add(&path)?, path, &self.metadata)?;
        if !files.is_empty() {
            table.write(files)?;
        }
        table.close()?;
        let mut tables = BTreeMap::new();
        for (temporary, path) in &self.temporary.0 {
            let hash = sha256(temporary).map_err(|error| TraceError::write(path, &error))?;
            tables.insert(path.file_name().unwrap_or_default().to_string_lossy().into_owned(), hash);
        }
        let recorded = files.iter().filter(|file| file.left_out.is_none());
        let summary = Summary {
            files: recorded.clone().count() as u64,
            sites: recorded.map(|file| u64::from(file.sites)).sum(),
            sites_hit: self.rows,
            pairs: self.pairs,
            tables,
            ..summary
        };
        let path = self.folder.join(summary::NAME);
        let mut text = serde_json::to_string_pretty(&summary).map_err(|error| TraceError::write(&path, &error))?;
        text.push('\n');
        let mut file = self.temporary.add(&path)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|error| TraceError::write(&path, &error))?;
        // From here to the last rename the folder is unfinished: an old summary must not describe new tables.
        remove(&path)?;
        if !has_calls {
            remove(&self.folder.join(LINES))?;
        }
        for (temporary, path) in self.temporary.0 {
            temporary.persist(&path).map_err(|error| TraceError::write(&path, &error.error))?;
        }
        Ok(summary)
    }
}

fn remove(path: &Path) -> Result<(), TraceError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(TraceError::write(path, &error)),
        _ => Ok(()),
    }
}

/// The SHA-256 of a file, in hexadecimal.
pub(super) fn sha256(path: &Path) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    std::io::copy(&mut File::open(path)?, &mut hash)?;
    Ok(format!("{:x}", hash.finalize()))
}

//! Writes the files of a recording so that each is there whole or not at all.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use surmise_recorder::layout::{CLASSES, LENGTH_BUCKETS};

use super::encode;
use super::error::TraceError;
use super::row::{CallRow, FileRow, SiteRow};
use super::schema::{self, SCHEMA};
use super::summary::{self, Summary};
use super::table::TableWriter;

/// The tables' names.
pub const SITES: &str = "sites.parquet";
/// See [`SITES`].
pub const FILES: &str = "files.parquet";
/// See [`SITES`]; only there if lines were recorded.
pub const LINES: &str = "lines.parquet";

/// Rows that are kept until they are written as one row group.
const ROW_GROUP: usize = 64 << 10;

/// Writes a recording into a folder: all sites, in their order, then [`Writer::finish`].
pub struct Writer {
    folder: PathBuf,
    temporary: Temporary,
    sites: TableWriter,
    calls: Option<TableWriter>,
    pending: Vec<SiteRow>,
    /// Rows written.
    pub rows: u64,
    /// Unique pairs of a site and a class.
    pub pairs: u64,
    metadata: Vec<(&'static str, String)>,
}

/// Files under their temporary names; what is not renamed is removed.
struct Temporary(Vec<(PathBuf, PathBuf)>);

impl Temporary {
    fn add(&mut self, path: PathBuf) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let temporary = PathBuf::from(name);
        self.0.push((temporary.clone(), path));
        temporary
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        for (temporary, _) in &self.0 {
            let _never_made = std::fs::remove_file(temporary);
        }
    }
}

impl Writer {
    /// Opens the table of sites. `project` may name several.
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
        let mut temporary = Temporary(Vec::new());
        let path = folder.join(SITES);
        let sites = TableWriter::create(&temporary.add(path.clone()), path, schema::SITES, &metadata)?;
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
            let temporary = self.temporary.add(path.clone());
            self.calls.insert(TableWriter::create(&temporary, path, schema::CALLS, &self.metadata)?)
        };
        table.write(&encode::calls(rows))
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        if !self.pending.is_empty() {
            self.sites.write(&encode::sites(&self.pending))?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Writes the rest and gives all files their names, the summary last. Returns it with what only the tables tell.
    ///
    /// # Errors
    /// If a file cannot be written; then what was in the folder is still there.
    pub fn finish(mut self, files: &[FileRow], summary: Summary) -> Result<Summary, TraceError> {
        self.flush()?;
        self.sites.close()?;
        let has_calls = self.calls.is_some();
        if let Some(calls) = self.calls {
            calls.close()?;
        }
        let path = self.folder.join(FILES);
        let mut table = TableWriter::create(&self.temporary.add(path.clone()), path, schema::FILES, &self.metadata)?;
        if !files.is_empty() {
            table.write(&encode::files(files))?;
        }
        table.close()?;
        let mut tables = BTreeMap::new();
        for (temporary, path) in &self.temporary.0 {
            let hash = sha256(temporary).map_err(|error| TraceError::write(path, &error))?;
            tables.insert(path.file_name().unwrap_or_default().to_string_lossy().into_owned(), hash);
        }
        let summary = Summary { tables, ..summary };
        let path = self.folder.join(summary::NAME);
        let mut text = serde_json::to_string_pretty(&summary).map_err(|error| TraceError::write(&path, &error))?;
        text.push('\n');
        let file = File::create(self.temporary.add(path.clone()));
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
        written.map_err(|error| TraceError::write(&path, &error))?;
        // From here to the last rename the folder is unfinished: an old summary must not speak for new tables.
        remove(&path)?;
        if !has_calls {
            remove(&self.folder.join(LINES))?;
        }
        for (temporary, path) in &self.temporary.0 {
            std::fs::rename(temporary, path).map_err(|error| TraceError::write(path, &error))?;
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

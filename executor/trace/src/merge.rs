//! Merges several recordings into one. All tables are read side by side, each a batch of rows at a time.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{ReadError, TraceError};
use super::folder::Folder;
use super::read::{Recording, SiteReader};
use super::row::{FileRow, SiteRow};
use super::schema::SCHEMA;
use super::summary::Summary;
use super::together::together;
use super::write::Writer;

/// What identifies a file in recordings: project, path and hash.
type FileKey = (Arc<str>, Arc<str>, Arc<str>);

/// Merges recordings into one in the folder `output`; what they have on the same file is added up.
///
/// # Errors
/// If one of them cannot be read, or the result not written.
pub fn merge(folders: &[PathBuf], output: &Path, replace: bool) -> Result<Summary, TraceError> {
    let recordings: Vec<Recording> = folders.iter().map(|path| Recording::open(path)).collect::<Result<_, _>>()?;
    let mut files: BTreeMap<FileKey, FileRow> = BTreeMap::new();
    for recording in &recordings {
        for file in recording.files()? {
            let key = (file.project.clone(), file.file.clone(), file.sha256.clone());
            match files.get_mut(&key) {
                Some(known) => known.join(&file),
                None => {
                    files.insert(key, FileRow { hit: 0, ..file });
                }
            }
        }
    }
    let readers: Vec<SiteReader> = recordings.iter().map(Recording::sites).collect::<Result<_, _>>()?;
    let projects: BTreeSet<&str> = readers.iter().flat_map(|reader| reader.project().split(',')).collect();
    let projects: Vec<&str> = projects.into_iter().collect();
    let folder = Folder::claim(output, replace)?;
    let mut writer = Writer::new(folder.path(), &projects.join(","))?;
    together(Merged::new(readers)?.map(|row| row.map_err(TraceError::from)), |row| {
        if let Some(file) = files.get_mut(&(row.project.clone(), row.file.clone(), row.sha256.clone())) {
            file.hit += 1;
        }
        writer.push(row)
    })?;
    for recording in &recordings {
        recording.calls(|rows| writer.push_calls(rows))?;
    }
    let mut summary = summarized(recordings.into_iter().map(|recording| recording.summary).collect());
    let files: Vec<FileRow> = files.into_values().collect();
    let recorded = files.iter().filter(|file| file.left_out.is_none());
    summary.files = recorded.clone().count() as u64;
    summary.sites = recorded.map(|file| u64::from(file.sites)).sum();
    (summary.sites_hit, summary.pairs) = (writer.rows, writer.pairs);
    writer.finish(&files, summary)
}

/// Summary of all recordings, without the numbers that follow only from the joined rows.
fn summarized(parts: Vec<Summary>) -> Summary {
    fn common<T: Clone + PartialEq>(parts: &[Summary], of: impl Fn(&Summary) -> &Option<T>) -> Option<T> {
        let first = of(parts.first()?);
        parts.iter().all(|part| of(part) == first).then(|| first.clone()).flatten()
    }
    let packages: BTreeSet<&String> = parts.iter().flat_map(|part| &part.packages).collect();
    let left_out: BTreeSet<_> = parts.iter().flat_map(|part| &part.files_left_out).collect();
    let mut summary = Summary {
        schema: SCHEMA.to_owned(),
        project: common(&parts, |part| &part.project),
        python: common(&parts, |part| &part.python),
        packages: packages.into_iter().cloned().collect(),
        literals: parts.iter().any(|part| part.literals),
        seconds: parts.iter().map(|part| part.seconds).sum(),
        processes: parts.iter().map(|part| part.processes).sum(),
        events: parts.iter().map(|part| part.events).sum(),
        files_left_out: left_out.into_iter().cloned().collect(),
        calls: parts.iter().map(|part| part.calls).sum(),
        damaged: parts.iter().flat_map(|part| part.damaged.iter().cloned()).collect(),
        ..Summary::default()
    };
    for mut part in parts {
        if part.merged.is_empty() {
            // Kept once, in the merged summary.
            part.files_left_out.clear();
            part.damaged.clear();
            part.tables.clear();
            summary.merged.push(part);
        } else {
            summary.merged.append(&mut part.merged);
        }
    }
    summary
}

/// Iterates over the rows of several tables in their common order.
struct Merged {
    readers: Vec<SiteReader>,
    heads: BinaryHeap<Head>,
    /// Error of a reader, returned after the rows that precede it.
    error: Option<ReadError>,
}

/// The next row of one table.
struct Head {
    row: SiteRow,
    reader: usize,
}

impl Ord for Head {
    /// Reversed, because the heap pops the largest entry first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.row.key().cmp(&self.row.key()).then(other.reader.cmp(&self.reader))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}

impl Merged {
    fn new(readers: Vec<SiteReader>) -> Result<Self, ReadError> {
        let mut merged = Self { heads: BinaryHeap::with_capacity(readers.len()), readers, error: None };
        for reader in 0..merged.readers.len() {
            merged.refill(reader, None)?;
        }
        Ok(merged)
    }

    fn refill(&mut self, reader: usize, last: Option<&SiteRow>) -> Result<(), ReadError> {
        let Some(row) = self.readers[reader].next().transpose()? else {
            return Ok(());
        };
        if last.is_some_and(|last| last.key() >= row.key()) {
            return Err(self.readers[reader].damaged("its rows are out of order"));
        }
        self.heads.push(Head { row, reader });
        Ok(())
    }
}

impl Iterator for Merged {
    type Item = Result<SiteRow, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.error.take() {
            self.heads.clear();
            return Some(Err(error));
        }
        let Head { row, reader } = self.heads.pop()?;
        self.error = self.refill(reader, Some(&row)).err();
        Some(Ok(row))
    }
}

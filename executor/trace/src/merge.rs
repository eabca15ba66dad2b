//! Merges several recordings into one. All tables are read side by side, each a batch of rows at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use itertools::Itertools;

use super::error::{ReadError, TraceError};
use super::folder::Folder;
use super::read::{Recording, SiteReader};
use super::row::{FileRow, SCHEMA, SiteRow};
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
    together(merged(readers).map(|row| row.map_err(TraceError::from)), |row| {
        if let Some(file) = files.get_mut(&(row.project.clone(), row.file.clone(), row.sha256.clone())) {
            file.hit += 1;
        }
        writer.push(row)
    })?;
    for recording in &recordings {
        recording.calls(|rows| writer.push_calls(rows))?;
    }
    let summary = summarized(recordings.into_iter().map(|recording| recording.summary).collect());
    let files: Vec<FileRow> = files.into_values().collect();
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

/// The rows of several tables in their common order.
fn merged(readers: Vec<SiteReader>) -> impl Iterator<Item = Result<SiteRow, ReadError>> {
    readers.into_iter().map(in_order).kmerge_by(|one, other| match (one, other) {
        (Ok(one), Ok(other)) => one.key() < other.key(),
        // An error ends the merging: it is passed on at once.
        (one, _) => one.is_err(),
    })
}

/// The rows of one table, up to the first that does not lie behind the row before it.
fn in_order(reader: SiteReader) -> impl Iterator<Item = Result<SiteRow, ReadError>> {
    let (path, mut last) = (reader.path().to_owned(), None);
    reader.map(move |row| {
        let row = row?;
        let key = (row.project.clone(), row.file.clone(), row.sha256.clone(), row.place, row.kind.as_str());
        if last.replace(key.clone()).is_some_and(|last| last >= key) {
            return Err(ReadError::Damaged { path: path.clone(), problem: "its rows are out of order".to_owned() });
        }
        Ok(row)
    })
}

//! Joins recorded sites with the sources in which they were recorded.
//!
//! The sources are unpacked archives, one folder for each project. Recordings name a file by its hash and its path from
//! the folder of the top-level package, `value_use` tables by its path in the source archive.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use surmise_instrument::{Kind, MAX_SOURCE_BYTES, SourceModel};
use surmise_value_model::Query;

use crate::dataset::{Example, Part};
use crate::error::ReadError;
use crate::read::SiteReader;
use crate::row::{Place, SiteRow};
use surmise_engine::source;
use walkdir::{DirEntry, WalkDir};

/// A recorded site with its position in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedSite {
    /// Name, kind and classes of the site.
    pub example: Example,
    /// Byte offset at which the expression starts.
    pub start: usize,
    /// Byte offset at which the expression ends, exclusive.
    pub end: usize,
    /// Byte offset at which a model is asked for the value: see [`SourceModel::anchor`].
    pub anchor: usize,
}

impl JoinedSite {
    /// Query for a predictor about this site in its source.
    pub fn query<'a>(&'a self, model: &'a SourceModel) -> Query<'a> {
        let (name, kind, source) = (self.example.name.as_str(), self.example.kind, model.text());
        Query { name, kind, source, model: Some(model), start: self.start, end: self.end, anchor: self.anchor }
    }
}

/// A recorded file with its source.
pub struct JoinedFile {
    /// Path by which the recording names the file.
    pub path: String,
    /// The model of the file's source.
    pub model: SourceModel,
    /// Recorded sites of the file.
    pub sites: Vec<JoinedSite>,
}

/// Files and sites that could not be joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Files that the sources lack, or have with other content.
    pub files: Vec<String>,
    /// Number of sites in these files.
    pub sites: u64,
    /// Number of sites at which the source has another text.
    pub misplaced: u64,
}

/// Joins one part of a data set with its sources, and calls `visit` for each file.
///
/// # Errors
/// If the part cannot be read; what has no source is counted in [`Lost`].
pub fn join(part: &Part, sources: &Path, mut visit: impl FnMut(JoinedFile)) -> Result<Lost, ReadError> {
    let mut files: BTreeMap<(Arc<str>, Arc<str>), Vec<SiteRow>> = BTreeMap::new();
    for row in SiteReader::open(&part.path)? {
        let row = row?;
        files.entry((row.file.clone(), row.sha256.clone())).or_default().push(row);
    }
    let mut folder = Folder::new(sources.join(&part.project));
    let mut lost = Lost::default();
    for ((path, sha256), rows) in files {
        let count = rows.len() as u64;
        let joined = folder.read(&path, &sha256).and_then(|text| joined(&part.project, &path, text, rows, &mut lost));
        if let Some(file) = joined {
            visit(file);
        } else {
            lost.sites += count;
            lost.files.push(path.to_string());
        }
    }
    Ok(lost)
}

fn joined(project: &str, path: &str, text: String, rows: Vec<SiteRow>, lost: &mut Lost) -> Option<JoinedFile> {
    let model = SourceModel::parse(text).ok()?;
    let mut sites = Vec::with_capacity(rows.len());
    for row in rows {
        let range = range(&model, row.place).filter(|&(start, end)| agrees(&model.text()[start..end], &row));
        let site = range.and_then(|(start, end)| {
            let anchor = model.anchor(row.kind, end as u32)? as usize;
            Some(JoinedSite { example: Example::of(project, &row), start, end, anchor })
        });
        match site {
            Some(site) => sites.push(site),
            None => lost.misplaced += 1,
        }
    }
    Some(JoinedFile { path: path.to_owned(), model, sites })
}

/// Whether the source text at a row's position can be the expression that the row describes.
fn agrees(text: &str, row: &SiteRow) -> bool {
    match row.kind {
        Kind::ReturnValue => text.ends_with(')'),
        Kind::Variable | Kind::Attribute => text.ends_with(row.name.as_str()),
    }
}

/// Bytes at which the expression at a place starts and ends, if the source has such a place.
fn range(model: &SourceModel, place: Place) -> Option<(usize, usize)> {
    let offset = |line: u32, column: u32| {
        let start = (1..=model.lines().count()).contains(&line).then(|| model.lines().start(line) as usize);
        start?.checked_add(column as usize)
    };
    let (start, end) = (offset(place.line, place.column)?, offset(place.end_line, place.end_column)?);
    model.text().get(start..end).map(|_| (start, end))
}

/// Folder with the sources of one project.
pub(crate) struct Folder {
    root: PathBuf,
    /// The files by hash, computed once a path does not lead to the right file.
    by_hash: Option<HashMap<String, PathBuf>>,
}

impl Folder {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root, by_hash: None }
    }

    /// Reads the text of the file with this hash, or with any hash if `sha256` is empty.
    pub(crate) fn read(&mut self, path: &str, sha256: &str) -> Option<String> {
        let inside = Path::new(path);
        if inside.components().all(|component| matches!(component, std::path::Component::Normal(_)))
            && let Some(text) = text_of(&self.root.join(inside), sha256)
        {
            return Some(text);
        }
        if sha256.is_empty() {
            return None;
        }
        let root = self.root.clone();
        let found = self.by_hash.get_or_insert_with(|| hashes(&root)).get(sha256)?;
        text_of(found, sha256)
    }
}

fn text_of(path: &Path, sha256: &str) -> Option<String> {
    let bytes = surmise_value_model::files::read(path, MAX_SOURCE_BYTES as u64).ok()?;
    let same = sha256.is_empty() || hex(&bytes) == sha256;
    if same { source::decode("", &bytes).ok() } else { None }
}

fn hex(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Hashes of all Python files below a folder. Links are not followed.
fn hashes(root: &Path) -> HashMap<String, PathBuf> {
    let entries = WalkDir::new(root).into_iter().flatten().filter(|entry| entry.file_type().is_file());
    let sources = entries.map(DirEntry::into_path).filter(|path| path.extension().is_some_and(|end| end == "py"));
    let hashed = |path: PathBuf| {
        let bytes = surmise_value_model::files::read(&path, MAX_SOURCE_BYTES as u64).ok()?;
        Some((hex(&bytes), path))
    };
    sources.filter_map(hashed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_bytes() {
        let model = SourceModel::parse("a\r\nbé = c\rd\n").expect("it parses");
        let place = |line, column, end_line, end_column| Place { line, column, end_line, end_column };
        assert_eq!(range(&model, place(2, 6, 2, 7)).map(|(start, end)| &model.text()[start..end]), Some("c"));
        assert_eq!(range(&model, place(3, 0, 3, 1)).map(|(start, end)| &model.text()[start..end]), Some("d"));
        assert_eq!(range(&model, place(2, 2, 2, 3)), None, "inside a character");
        assert_eq!(range(&model, place(9, 0, 9, 1)), None);
    }

    #[test]
    fn files_are_found_by_path_or_by_hash_and_nowhere_else() {
        let root = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(root.path().join("src/p")).expect("folders");
        std::fs::write(root.path().join("src/p/m.py"), "x = 1\n").expect("a file");
        std::fs::write(root.path().join("secret.py"), "y = 1\n").expect("a file");
        let mut folder = Folder::new(root.path().join("src"));
        let text = Some("x = 1\n".to_owned());
        assert_eq!(folder.read("p/m.py", ""), text);
        assert_eq!(folder.read("p/m.py", &hex(b"x = 1\n")), text);
        assert_eq!(folder.read("elsewhere/m.py", &hex(b"x = 1\n")), text);
        assert_eq!(folder.read("p/m.py", &hex(b"x = 2\n")), None, "another version");
        assert_eq!(folder.read("../secret.py", ""), None);
    }
}

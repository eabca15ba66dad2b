//! Guards of whole projects: which files are read, what is learned from and what is measured on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use surmise_instrument::SourceModel;
use surmise_instrument::guards::{GuardKind, Listed, Sample, samples};

use super::without_duplicates;
use crate::files;

/// Bytes of a source that is read at most: larger ones are tables or generated.
const MAX_SOURCE: u64 = 512 << 10;
/// Bytes of a manifest at most.
const MAX_MANIFEST: u64 = 16 << 20;

/// A project of the manifest (`corpora/projects.json`), as far as it matters here.
#[derive(Clone, Debug, Deserialize)]
pub struct Project {
    /// Its name, which is that of its folder, too.
    pub name: String,
    /// `train`, `dev` or `test`.
    pub split: String,
}

/// What a project had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Files that were read.
    pub files: usize,
    /// Files that are no Python 3, no text, or too large.
    pub unreadable_files: usize,
    /// Functions.
    pub functions: usize,
    /// Functions that are too long.
    pub long_functions: usize,
    /// Guards whose condition may have side effects or is of a kind that is not taken.
    pub other_conditions: usize,
    /// Guards of functions that were there before.
    pub duplicates: usize,
    /// Guards that were kept.
    pub guards: usize,
}

/// Reads a manifest.
///
/// # Errors
/// What is wrong with the file.
pub fn manifest(path: &Path) -> Result<Vec<Project>, String> {
    let bytes = files::read(path, MAX_MANIFEST).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

/// The guards of a project with what `of` makes of each, without those of functions that were seen before.
pub fn guards<T: Send>(
    folder: &Path,
    seen: &mut BTreeSet<u64>,
    of: impl Fn(&SourceModel, &Sample) -> T + Sync,
) -> (Vec<(Sample, T)>, Counts) {
    let (mut found, mut counts) = (Vec::new(), Counts::default());
    let read = |path: PathBuf| {
        let text = files::read(&path, MAX_SOURCE).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let model = text.and_then(|text| SourceModel::parse(text).ok())?;
        let Listed { found, left, functions } = samples(&model);
        let made = |sample: Sample| {
            let made = of(&model, &sample);
            (sample, made)
        };
        let found = found.into_iter().filter(|sample| !is_expectation(sample)).map(made).collect();
        Some(Listed { found, left, functions })
    };
    // In the order of the paths.
    let all: Vec<Option<Listed<(Sample, T)>>> = sources(folder).into_par_iter().map(read).collect();
    for listed in all {
        let Some(mut listed) = listed else {
            counts.unreadable_files += 1;
            continue;
        };
        counts.files += 1;
        counts.functions += listed.functions;
        counts.long_functions += listed.left.functions;
        counts.other_conditions += listed.left.conditions;
        counts.duplicates += without_duplicates(&mut listed.found, seen);
        found.append(&mut listed.found);
    }
    counts.guards = found.len();
    (found, counts)
}

/// True for what a test asserts: it says what the test is about, and no code after it depends on it.
fn is_expectation(sample: &Sample) -> bool {
    let name = sample.function.rsplit('.').next().unwrap_or_default();
    sample.kind == GuardKind::Assert && name.starts_with("test")
}

/// The Python files below a folder, sorted; links are not followed.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut rest) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = rest.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            if kind.is_dir() {
                rest.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "py") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

//! Data sets of recordings: folders of Parquet files `SPLIT-PROJECT.parquet`, one for each project.

use std::hash::Hasher;
use std::path::{Path, PathBuf};

use fnv::FnvHasher;
use surmise_instrument::Kind;
use surmise_value_model::{Class, Use};

use crate::error::ReadError;
use crate::read::SiteReader;
use crate::row::SiteRow;

/// What the events of a project are used for. No project is in two splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Split {
    /// Events to learn from.
    Train,
    /// Events to choose between variants of a predictor.
    Dev,
    /// Events to measure on, and for nothing else.
    Test,
}

impl Split {
    /// Prefix of the split's files.
    pub fn prefix(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Dev => "dev",
            Split::Test => "test",
        }
    }

    fn of_prefix(prefix: &str) -> Option<Self> {
        [Split::Train, Split::Dev, Split::Test].into_iter().find(|split| split.prefix() == prefix)
    }
}

/// The recorded events of one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Split that the project belongs to.
    pub split: Split,
    /// Name of the project.
    pub project: String,
    /// Path of the Parquet file.
    pub path: PathBuf,
}

/// Why a data set cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A folder cannot be listed.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The folder.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The folder has no file of a data set.
    #[error("no file `train-*.parquet`, `dev-*.parquet` or `test-*.parquet` in `{0}`")]
    Empty(PathBuf),
    /// One project is both learned from and measured on.
    #[error("project `{project}` is in two splits: `{}` and `{}`", paths[0].display(), paths[1].display())]
    TwoSplits {
        /// Name of the project.
        project: String,
        /// Its files in the two splits.
        paths: [PathBuf; 2],
    },
    /// A file is damaged, or not a recording.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Lists the parts of all folders, sorted by project. A project that several folders have is read from the first, so
/// that its sites do not count twice.
pub fn parts(folders: &[PathBuf]) -> Result<Vec<Part>, DataError> {
    let mut parts: Vec<(Part, usize)> = Vec::new();
    for (number, folder) in folders.iter().enumerate() {
        let before = parts.len();
        let failed = |source| DataError::Io { path: folder.clone(), source };
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            parts.extend(part(&entry.map_err(failed)?.path()).map(|part| (part, number)));
        }
        if parts.len() == before {
            return Err(DataError::Empty(folder.clone()));
        }
    }
    parts.sort_by(|(a, first), (b, second)| {
        (&a.project, a.split, first, &a.path).cmp(&(&b.project, b.split, second, &b.path))
    });
    for pair in parts.windows(2) {
        let [(one, _), (other, _)] = pair else { continue };
        if one.project == other.project && one.split != other.split {
            let paths = [one.path.clone(), other.path.clone()];
            return Err(DataError::TwoSplits { project: one.project.clone(), paths });
        }
    }
    parts.dedup_by(|(again, folder), (first, taken)| again.project == first.project && folder != taken);
    Ok(parts.into_iter().map(|(part, _)| part).collect())
}

fn part(path: &Path) -> Option<Part> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".parquet")?;
    let (prefix, project) = stem.split_once('-')?;
    let split = Split::of_prefix(prefix)?;
    Some(Part { split, project: project.to_owned(), path: path.to_owned() })
}

/// A recorded site, as an example for a predictor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Kind of use of the value.
    pub kind: Use,
    /// The name read, or the callee's last component.
    pub name: String,
    /// Classes of values that were recorded at the site.
    pub classes: Vec<Class>,
    /// Hash of project, file, position and kind, which identifies the site.
    pub identity: u64,
}

/// Reads the examples of one part.
///
/// # Errors
/// If its file is damaged, or not a recording.
pub fn examples(part: &Part) -> Result<impl Iterator<Item = Result<Example, ReadError>> + use<>, ReadError> {
    let project = part.project.clone();
    let sites = SiteReader::open(&part.path)?;
    Ok(sites.map(move |row| row.map(|row| Example::of(&project, &row))))
}

impl Example {
    /// Makes an example of a recorded row.
    pub fn of(project: &str, row: &SiteRow) -> Self {
        let place = row.place;
        let [line, column, end_line, end_column] =
            [place.line, place.column, place.end_line, place.end_column].map(u32::to_le_bytes);
        let (file, kind) = (row.file.as_bytes(), row.kind.as_str().as_bytes());
        let identity = identity(&[project.as_bytes(), file, &line, &column, &end_line, &end_column, kind]);
        let kind = use_of(row.kind);
        let classes = Class::of_observed(row.seen.classes).collect();
        Self { kind, name: row.name.to_string(), classes, identity }
    }
}

/// The kind of use, as predictors name it.
pub(crate) fn use_of(kind: Kind) -> Use {
    match kind {
        Kind::Variable => Use::Variable,
        Kind::Attribute => Use::Attribute,
        Kind::ReturnValue => Use::ReturnValue,
    }
}

/// FNV-1a hash of the parts of an identity, which is the same on every machine, so that random splits are as well.
fn identity(parts: &[&[u8]]) -> u64 {
    let mut hasher = FnvHasher::default();
    for part in parts {
        hasher.write(part);
        hasher.write_u8(0xff);
    }
    hasher.finish()
}

/// A random split measures on one pair in this many: those whose [`draw`] is divisible by it.
pub const DRAWN: u64 = 20;

/// Uniform pseudo-random number of a pair of a site and a class, for a seed. It decides the published random split, so
/// it must never change.
pub fn draw(identity: u64, seed: u64, class: Class) -> u64 {
    let mut mixed = identity ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (class as u64).wrapping_mul(0xbf58_476d);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Uniform pseudo-random number of a file of a project, for a seed.
pub fn draw_file(project: &str, file: &str, seed: u64) -> u64 {
    draw(identity(&[project.as_bytes(), file.as_bytes()]), seed, Class::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_their_files() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["train-flask.parquet", "test-a-b.parquet", "notes.txt", "other.parquet"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        let found = parts(&[folder.path().to_owned()]).expect("a data set");
        let names: Vec<_> = found.iter().map(|part| (part.split, part.project.as_str())).collect();
        assert_eq!(names, [(Split::Test, "a-b"), (Split::Train, "flask")]);
        let second = tempfile::tempdir().expect("a temporary folder");
        for name in ["train-flask.parquet", "dev-new.parquet"] {
            std::fs::write(second.path().join(name), "").expect("a file");
        }
        let both = parts(&[folder.path().to_owned(), second.path().to_owned()]).expect("two data sets");
        let from: Vec<_> = both.iter().map(|part| (part.project.as_str(), part.path.starts_with(&second))).collect();
        assert_eq!(from, [("a-b", false), ("flask", false), ("new", true)]);
        std::fs::write(folder.path().join("test-flask.parquet"), "").expect("a file");
        assert!(matches!(parts(&[folder.path().to_owned()]), Err(DataError::TwoSplits { .. })));
        assert!(matches!(parts(&["/nowhere".into()]), Err(DataError::Io { .. })));
    }

    /// Figures of the random split were measured on pairs that this number chose.
    #[test]
    fn the_random_split_stays_as_published() {
        assert_eq!(draw_file("flask", "flask/app.py", 7), 0x7bb2_3160_53b0_f0b5);
    }
}

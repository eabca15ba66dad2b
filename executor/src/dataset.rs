//! Data sets of recordings: folders of Parquet files `SPLIT-PROJECT.parquet`, one a project.

use std::path::{Path, PathBuf};

use surmise_instrument::Kind;
use surmise_value_model::{Class, Use};

use crate::trace::error::ReadError;
use crate::trace::read::SiteReader;
use crate::trace::row::SiteRow;

/// What a project's events are for. No project is in two splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Split {
    /// To learn from.
    Train,
    /// To choose between variants.
    Dev,
    /// To measure on, nothing else.
    Test,
}

impl Split {
    /// The prefix of its files.
    #[must_use]
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

/// One project's events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What they are for.
    pub split: Split,
    /// The project's name.
    pub project: String,
    /// The Parquet file.
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
        /// What the system said.
        source: std::io::Error,
    },
    /// There is nothing to read.
    #[error("no file `train-*.parquet`, `dev-*.parquet` or `test-*.parquet` in `{0}`")]
    Empty(PathBuf),
    /// One project is there to learn from and to measure on.
    #[error("project `{project}` is in two splits: `{}` and `{}`", paths[0].display(), paths[1].display())]
    TwoSplits {
        /// The project.
        project: String,
        /// Its files.
        paths: [PathBuf; 2],
    },
    /// A file is damaged or of another kind.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// All parts of the folders, by project. A project that several folders have is taken from the first of them: its
/// sites would count twice.
///
/// # Errors
/// [`DataError`].
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

/// A site as predictors are asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Kind of use.
    pub kind: Use,
    /// The name read, or the callee's last component.
    pub name: String,
    /// Classes seen there.
    pub classes: Vec<Class>,
    /// What tells the site from all others.
    pub identity: u64,
}

/// The examples of one part.
///
/// # Errors
/// If its file is damaged or of another kind.
pub fn examples(part: &Part) -> Result<impl Iterator<Item = Result<Example, ReadError>> + use<>, ReadError> {
    let project = part.project.clone();
    let sites = SiteReader::open(&part.path)?;
    Ok(sites.map(move |row| row.map(|row| Example::of(&project, &row))))
}

impl Example {
    /// Of a recorded row.
    #[must_use]
    pub fn of(project: &str, row: &SiteRow) -> Self {
        let place = row.place;
        let mut identity = Identity::default();
        identity.add(project.as_bytes());
        identity.add(row.file.as_bytes());
        for number in [place.line, place.column, place.end_line, place.end_column] {
            identity.add(&number.to_le_bytes());
        }
        identity.add(row.kind.as_str().as_bytes());
        let kind = match row.kind {
            Kind::Variable => Use::Variable,
            Kind::Attribute => Use::Attribute,
            Kind::ReturnValue => Use::ReturnValue,
        };
        let classes = Class::of_observed(row.seen.classes).collect();
        Self { kind, name: row.name.to_string(), classes, identity: identity.0 }
    }
}

/// FNV-1a: the same on every machine, so that splits are too.
struct Identity(u64);

impl Default for Identity {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Identity {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// One pair in this many is measured on in a random split: those whose [`draw`] it divides.
pub const DRAWN: u64 = 20;

/// Mixes an identity with a seed and a class: a uniform number.
#[must_use]
pub fn draw(identity: u64, seed: u64, class: Class) -> u64 {
    let mut mixed = identity ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (class as u64).wrapping_mul(0xbf58_476d);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The same for a whole file of a project.
#[must_use]
pub fn draw_file(project: &str, file: &str, seed: u64) -> u64 {
    let mut identity = Identity::default();
    identity.add(project.as_bytes());
    identity.add(file.as_bytes());
    draw(identity.0, seed, Class::None)
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
}

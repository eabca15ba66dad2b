//! Both sides of a comparison as folders, for functions that run where they stand.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::tree::EntryKind;
use sha2::{Digest, Sha256};

use super::{Repository, RepositoryError, Tree, is_python};

/// Files of a side at most, and the bytes of one and of all: larger ones are data that modules do not need to be imported.
const MOST_FILES: usize = 50_000;
const MOST_BYTES_OF_FILE: u64 = 4 << 20;
const MOST_BYTES: u64 = 512 << 20;

/// A side as a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Where it lies, without links.
    pub folder: PathBuf,
    /// Differs from that of any other content.
    pub content: String,
}

impl Repository {
    /// Both sides as folders: a revision is written below `scratch`, and the working tree is taken as it is. Links,
    /// submodules and files of more than 4 MiB are left out.
    ///
    /// # Errors
    /// When the repository cannot be read, a folder cannot be written, or a side is too large.
    pub fn sides_in(&self, scratch: &Path) -> Result<[Side; 2], RepositoryError> {
        let mut written = HashMap::new();
        let old = self.side_in(&self.old, &scratch.join("old"), &mut written)?;
        let new = self.side_in(&self.new, &scratch.join("new"), &mut written)?;
        Ok([old, new])
    }

    /// The Python files of the old side (0) or the new one (1), changed or not.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn files(&self, side: usize) -> Result<Vec<String>, RepositoryError> {
        let id = match [&self.old, &self.new][side] {
            Tree::Of(id) => *id,
            Tree::Empty => return Ok(Vec::new()),
            Tree::Working => {
                let index = self.repo.index_or_empty().map_err(|error| self.unreadable(&error))?;
                let paths = index.entries().iter().map(|entry| entry.path(&index));
                return Ok(paths.filter(|path| is_python(path)).take(MOST_FILES).map(ToString::to_string).collect());
            }
        };
        let root = self.repo.find_tree(id).map_err(|_| RepositoryError::Missing(id.to_string()))?;
        let files = root.traverse().breadthfirst.files().map_err(|error| self.unreadable(&error))?;
        let is_file = |mode: EntryKind| matches!(mode, EntryKind::Blob | EntryKind::BlobExecutable);
        let python = files.into_iter().filter(|entry| is_file(entry.mode.kind()) && is_python(entry.filepath.as_ref()));
        Ok(python.take(MOST_FILES).map(|entry| entry.filepath.to_string()).collect())
    }

    fn side_in(
        &self,
        tree: &Tree,
        folder: &Path,
        written: &mut HashMap<ObjectId, PathBuf>,
    ) -> Result<Side, RepositoryError> {
        let failed = |error: std::io::Error| RepositoryError::Scratch(folder.to_owned(), error);
        let id = match tree {
            Tree::Of(id) => *id,
            Tree::Working => {
                let folder = self.repo.workdir().ok_or(RepositoryError::Bare)?;
                return Ok(Side {
                    folder: folder.canonicalize().map_err(failed)?,
                    content: self.content_of_working()?,
                });
            }
            Tree::Empty => {
                fs::create_dir_all(folder).map_err(failed)?;
                return Ok(Side { folder: folder.canonicalize().map_err(failed)?, content: String::new() });
            }
        };
        fs::create_dir_all(folder).map_err(failed)?;
        let root = self.repo.find_tree(id).map_err(|_| RepositoryError::Missing(id.to_string()))?;
        let files = root.traverse().breadthfirst.files().map_err(|error| self.unreadable(&error))?;
        let (mut count, mut bytes) = (0, 0);
        for entry in files {
            if !matches!(entry.mode.kind(), EntryKind::Blob | EntryKind::BlobExecutable) {
                continue;
            }
            let Some(path) = inside(entry.filepath.as_bytes()) else { continue };
            let Ok(header) = self.repo.find_header(entry.oid) else { continue };
            if header.size() > MOST_BYTES_OF_FILE {
                continue;
            }
            (count, bytes) = (count + 1, bytes + header.size());
            if count > MOST_FILES || bytes > MOST_BYTES {
                return Err(RepositoryError::TooLarge);
            }
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failed)?;
            if written.get(&entry.oid).is_some_and(|same| fs::hard_link(same, &path).is_ok()) {
                continue;
            }
            let blob = self.repo.find_blob(entry.oid).map_err(|error| self.unreadable(&error))?;
            fs::write(&path, &blob.data).map_err(failed)?;
            written.insert(entry.oid, path);
        }
        Ok(Side { folder: folder.canonicalize().map_err(failed)?, content: id.to_string() })
    }

    /// Tells states of the working tree apart, by what differs from the old side.
    fn content_of_working(&self) -> Result<String, RepositoryError> {
        let mut hash = Sha256::new();
        if let Tree::Of(old) = &self.old {
            hash.update(old.as_bytes());
        }
        for change in self.changes()? {
            let place = change.new.as_ref().or(change.old.as_ref());
            hash.update(place.map_or(&[][..], |place| place.at.as_bytes()));
            hash.update(change.new.as_ref().and_then(|place| self.bytes(place).ok()).unwrap_or_default());
        }
        Ok(format!("{:x}", hash.finalize()))
    }
}

/// The path of a tree's file, if it leads nowhere else than below the folder.
fn inside(path: &[u8]) -> Option<PathBuf> {
    let path = PathBuf::from(path.to_str().ok()?);
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        _ => false,
    };
    path.components().all(is_plain).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_folder() {
        assert_eq!(inside(b"src/a.py"), Some(PathBuf::from("src/a.py")));
        for path in [&b"../a.py"[..], b"/etc/a.py", b"a/../../b.py", b".git/hooks/a.py", b"a/.GIT/b.py", b"\xff.py"] {
            assert_eq!(inside(path), None, "{path:?}");
        }
    }
}

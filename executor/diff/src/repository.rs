//! Which Python files two revisions of a Git repository differ in. Nothing is ever written to it.

mod error;
mod trees;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::EntryKind;
use surmise_instrument::MAX_SOURCE_BYTES;

pub use self::error::RepositoryError;
pub use self::trees::Side;
use surmise_engine::source::{self, Source};

/// What is compared.
#[derive(Clone, Debug)]
enum Tree {
    Empty,
    Of(ObjectId),
    Working,
}

/// Where a version of a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's path from the repository's root.
    pub path: String,
    at: BString,
    /// In the repository, or else in the working tree.
    id: Option<ObjectId>,
}

/// A file that one of both sides lacks, or that they differ in.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where it is on the old side.
    pub old: Option<Place>,
    /// Where it is on the new side.
    pub new: Option<Place>,
}

/// An open repository, and both sides of a comparison.
pub struct Repository {
    repo: gix::Repository,
    folder: PathBuf,
    old: Tree,
    new: Tree,
}

impl Repository {
    /// Opens the repository that a folder lies in. `revisions` is
    /// - `A..B`, two commits (what is left away is `HEAD`); `A...B`, their merge base and `B`;
    /// - `A`, a commit and its first parent, also of a merge; the first commit is compared with nothing;
    /// - nothing, `HEAD` and the working tree, as far as files are tracked.
    ///
    /// # Errors
    /// See [`RepositoryError`].
    pub fn open(folder: &Path, revisions: Option<&str>) -> Result<Self, RepositoryError> {
        let repo = gix::discover(folder).map_err(|error| {
            let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            let found = whole.ancestors().any(|folder| folder.join(".git").exists());
            if found {
                RepositoryError::Unreadable(folder.to_owned(), one_line(&error))
            } else {
                RepositoryError::NotOne(folder.to_owned())
            }
        })?;
        let mut opened = Self { repo, folder: folder.to_owned(), old: Tree::Empty, new: Tree::Working };
        (opened.old, opened.new) = opened.sides(revisions)?;
        Ok(opened)
    }

    fn sides(&self, revisions: Option<&str>) -> Result<(Tree, Tree), RepositoryError> {
        let head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        let Some(revisions) = revisions else {
            if self.repo.workdir().is_none() {
                return Err(RepositoryError::Bare);
            }
            let old = if self.is_empty() { Tree::Empty } else { self.tree(self.commit("HEAD")?)? };
            return Ok((old, Tree::Working));
        };
        if let Some((old, new)) = revisions.split_once("...") {
            let (old, new) = (head(old), head(new));
            let (one, other) = (self.commit(&old)?, self.commit(&new)?);
            let base = self.repo.merge_base(one, other).map_err(|error| self.unreadable(&error))?;
            let base = base.ok_or(RepositoryError::NoMergeBase(old, new))?.detach();
            return Ok((self.tree(base)?, self.tree(other)?));
        }
        if let Some((old, new)) = revisions.split_once("..") {
            return Ok((self.tree(self.commit(&head(old))?)?, self.tree(self.commit(&head(new))?)?));
        }
        let commit = self.commit(revisions)?;
        let read = self.repo.find_commit(commit).map_err(|_| RepositoryError::Missing(commit.to_string()))?;
        let parent = read.parent_ids().next().map(gix::Id::detach);
        let old = parent.map_or(Ok(Tree::Empty), |parent| self.tree(parent))?;
        Ok((old, self.tree(commit)?))
    }

    fn is_empty(&self) -> bool {
        self.repo.head_id().is_err() && self.repo.head().is_ok_and(|head| head.is_unborn())
    }

    fn commit(&self, name: &str) -> Result<ObjectId, RepositoryError> {
        if name == "HEAD" && self.is_empty() {
            return Err(RepositoryError::Empty);
        }
        let id = self.repo.rev_parse_single(name).map_err(|_| RepositoryError::NoRevision(name.to_owned()))?;
        let object = id.object().map_err(|_| RepositoryError::Missing(id.to_string()))?;
        let commit = object.peel_to_commit().map_err(|_| RepositoryError::NoCommit(name.to_owned()))?;
        Ok(commit.id)
    }

    fn tree(&self, commit: ObjectId) -> Result<Tree, RepositoryError> {
        let found = self.repo.find_commit(commit).map_err(|_| RepositoryError::Missing(commit.to_string()))?;
        let tree = found.tree_id().map_err(|error| self.unreadable(&error))?;
        Ok(Tree::Of(tree.detach()))
    }

    fn unreadable(&self, error: &dyn std::fmt::Display) -> RepositoryError {
        RepositoryError::Unreadable(self.folder.clone(), one_line(error))
    }

    /// The Python files that differ, by path. Links and submodules are passed over.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn changes(&self) -> Result<Vec<Change>, RepositoryError> {
        let mut both: BTreeMap<BString, (Option<Place>, Option<Place>)> = BTreeMap::new();
        match (&self.old, &self.new) {
            (Tree::Of(old), Tree::Of(new)) => self.walk(Some(*old), Some(*new), &BString::default(), &mut both)?,
            (Tree::Of(old), Tree::Empty | Tree::Working) => {
                self.walk(Some(*old), None, &BString::default(), &mut both)?;
            }
            (_, Tree::Of(new)) => self.walk(None, Some(*new), &BString::default(), &mut both)?,
            _ => {}
        }
        if matches!(self.new, Tree::Working) {
            self.add_working_tree(&mut both)?;
        }
        Ok(both.into_values().map(|(old, new)| Change { old, new }).collect())
    }

    /// Collects what differs below two trees; equal ones are not read.
    fn walk(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        prefix: &BString,
        found: &mut BTreeMap<BString, (Option<Place>, Option<Place>)>,
    ) -> Result<(), RepositoryError> {
        type Entries = BTreeMap<BString, (EntryKind, ObjectId)>;
        let entries = |id: Option<ObjectId>| -> Result<Entries, RepositoryError> {
            let Some(id) = id else { return Ok(BTreeMap::new()) };
            let tree = self.repo.find_tree(id).map_err(|_| RepositoryError::Missing(id.to_string()))?;
            let decoded = tree.decode().map_err(|error| self.unreadable(&error))?;
            let entry = |entry: &gix::objs::tree::EntryRef<'_>| {
                (entry.filename.to_owned(), (entry.mode.kind(), entry.oid.to_owned()))
            };
            Ok(decoded.entries.iter().map(entry).collect())
        };
        let (olds, news) = (entries(old)?, entries(new)?);
        let names: std::collections::BTreeSet<&BString> = olds.keys().chain(news.keys()).collect();
        for name in names {
            let (was, is) = (olds.get(name), news.get(name));
            if was.map(|(_, id)| id) == is.map(|(_, id)| id) {
                continue;
            }
            let mut path = prefix.clone();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(name);
            let tree = |entry: Option<&(EntryKind, ObjectId)>| {
                entry.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| *id)
            };
            if tree(was).is_some() || tree(is).is_some() {
                self.walk(tree(was), tree(is), &path, found)?;
            }
            let file = |entry: Option<&(EntryKind, ObjectId)>| {
                let is_file = |kind| matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable);
                entry.filter(|(kind, _)| is_file(*kind)).map(|(_, id)| Place::new(path.as_bstr(), Some(*id)))
            };
            let (was, is) = (file(was), file(is));
            if is_python(path.as_bstr()) && (was.is_some() || is.is_some()) {
                found.insert(path, (was, is));
            }
        }
        Ok(())
    }

    /// Puts the files that are tracked on the new side, and leaves out those that are as they were.
    fn add_working_tree(
        &self,
        found: &mut BTreeMap<BString, (Option<Place>, Option<Place>)>,
    ) -> Result<(), RepositoryError> {
        let index = self.repo.index_or_empty().map_err(|error| self.unreadable(&error))?;
        for entry in index.entries() {
            let path = entry.path(&index);
            if entry.flags.contains(gix::index::entry::Flags::SKIP_WORKTREE) {
                // A sparse checkout leaves it away, and nobody changed it.
                found.remove(path);
                continue;
            }
            let Some(file) = self.repo.workdir_path(path) else { continue };
            let is_file = std::fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_file());
            if !is_python(path) || !is_file {
                continue;
            }
            let place = Place::new(path, None);
            let slot = found.entry(path.to_owned()).or_default();
            let same = slot.0.as_ref().is_some_and(|old| match (self.bytes(old), self.bytes(&place)) {
                // A checkout may have other ends of lines.
                (Ok(old), Ok(new)) => old == new || old.replace(b"\r\n", b"\n") == new.replace(b"\r\n", b"\n"),
                _ => false,
            });
            if same {
                found.remove(path);
            } else {
                slot.1 = Some(place);
            }
        }
        Ok(())
    }

    /// The bytes of a file, or why there are none.
    fn bytes(&self, place: &Place) -> Result<Vec<u8>, String> {
        let Some(id) = place.id else {
            let path = self.repo.workdir_path(place.at.as_bstr()).ok_or("it is not in the working tree")?;
            let size = std::fs::metadata(&path).map_err(|error| error.to_string())?.len();
            return if size > MAX_SOURCE_BYTES as u64 {
                Err(too_large())
            } else {
                std::fs::read(path).map_err(|error| error.to_string())
            };
        };
        let header = self.repo.find_header(id).map_err(|_| format!("blob {id} is not in the repository"))?;
        if header.size() > MAX_SOURCE_BYTES as u64 {
            return Err(too_large());
        }
        let mut blob = self.repo.find_blob(id).map_err(|error| one_line(&error))?;
        Ok(blob.take_data())
    }

    /// Reads a version of a file as Python does; or says why it is none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn source(&self, place: &Place) -> Result<Source, String> {
        let bytes = self.bytes(place)?;
        let text = source::decode(&place.path, &bytes).map_err(|error| error.to_string())?;
        Ok(Source { name: place.path.clone(), path: None, text })
    }

    /// A file of the old side (0) or the new one (1), whether it changed or not.
    pub fn file(&self, side: usize, path: &str) -> Option<Place> {
        let at = BStr::new(path);
        match [&self.old, &self.new][side] {
            Tree::Empty => None,
            Tree::Of(tree) => {
                let entry = self.repo.find_tree(*tree).ok()?.lookup_entry_by_path(path).ok()??;
                entry.mode().is_blob().then(|| Place::new(at, Some(entry.object_id())))
            }
            Tree::Working => {
                let index = self.repo.index_or_empty().ok()?;
                let file = self.repo.workdir_path(index.entry_by_path(at)?.path(&index))?;
                std::fs::symlink_metadata(file).is_ok_and(|found| found.is_file()).then(|| Place::new(at, None))
            }
        }
    }

    /// True if both are the same content.
    pub fn are_equal(&self, old: &Place, new: &Place) -> bool {
        match (old.id, new.id) {
            (Some(old), Some(new)) => old == new,
            _ => self.bytes(old).is_ok_and(|bytes| Ok(bytes) == self.bytes(new)),
        }
    }

    /// Where the folder lies in the repository, for paths that are given from there.
    pub fn prefix(&self) -> PathBuf {
        let root = self.repo.workdir().and_then(|root| root.canonicalize().ok());
        let folder = self.folder.canonicalize().ok();
        root.zip(folder).and_then(|(root, folder)| Some(folder.strip_prefix(root).ok()?.to_owned())).unwrap_or_default()
    }
}

impl Place {
    fn new(path: &BStr, id: Option<ObjectId>) -> Self {
        Self { path: path.to_str_lossy().into_owned(), at: path.to_owned(), id }
    }
}

fn is_python(path: &BStr) -> bool {
    path.ends_with(b".py") || path.ends_with(b".pyw")
}

fn too_large() -> String {
    format!("it has more than {} MiB of source", MAX_SOURCE_BYTES >> 20)
}

fn one_line(error: &dyn std::fmt::Display) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

//! What can be wrong with a repository.

use std::path::PathBuf;

/// Why a repository cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// There is none.
    #[error("`{}` is not in a Git repository", .0.display())]
    NotOne(PathBuf),
    /// The repository is damaged, or of a kind that is not known.
    #[error("`{}`: the repository cannot be read: {}", .0.display(), .1)]
    Unreadable(PathBuf, String),
    /// A revision does not exist.
    #[error("`{0}` is no revision of the repository")]
    NoRevision(String),
    /// A revision is something else than a commit.
    #[error("`{0}` is no commit")]
    NoCommit(String),
    /// Nothing was ever committed.
    #[error("the repository has no commits")]
    Empty,
    /// Two revisions have no common history.
    #[error("`{0}` and `{1}` have no common ancestor")]
    NoMergeBase(String, String),
    /// A commit is named whose contents are not there.
    #[error("commit {0} is not in the repository")]
    Missing(String),
    /// A side has too many files to be written into a folder.
    #[error("a revision has more files than can be written into a folder")]
    TooLarge,
    /// A side cannot be written into a folder.
    #[error("cannot write into `{}`: {}", .0.display(), .1)]
    Scratch(PathBuf, #[source] std::io::Error),
    /// There is no working tree to compare with.
    #[error("the repository is bare: it has no working tree")]
    Bare,
}

impl RepositoryError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotOne(_) => {
                "--repo takes the folder of a checkout; two files are compared by `surmise diff OLD.py NEW.py`"
            }
            Self::Unreadable(..) => "`git fsck` says more",
            Self::NoRevision(_) => {
                "`git log --oneline --all` lists commits (in a shallow clone, few of them); paths stand behind `--`"
            }
            Self::NoCommit(_) => "give a branch, a tag or a commit, or two with `..` between",
            Self::Empty => "commit something first",
            Self::NoMergeBase(..) => "compare them as they are with `..` in place of `...`, or fetch more history",
            Self::Missing(_) => {
                "in a shallow clone fetch more history (`git fetch --unshallow`; `fetch-depth: 0` in a GitHub workflow)"
            }
            Self::TooLarge => "--alone compares functions as excerpts, without the modules around them",
            Self::Scratch(..) => "both revisions need room in the folder for temporary files (`$TMPDIR`)",
            Self::Bare => "give two revisions: `--repo DIR REV..REV`",
        }
    }
}

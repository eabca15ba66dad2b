//! Why long work could not be done.

use std::path::PathBuf;

/// Why a batch could not be done.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// Something given does not exist or cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that was named cannot be read as Python source.
    #[error(transparent)]
    Source(#[from] surmise_engine::source::SourceError),
    /// Results or reports cannot be written.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line of a JSONL file is not what it should be.
    #[error("`{path}` line {line}: {message}")]
    BadRecord {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The results in the folder are damaged or of another kind.
    #[error("`{path}`: {message}")]
    Store {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// What was given holds nothing of what is run.
    #[error("there is nothing to run in {0}")]
    Empty(String),
    /// No worker could be started.
    #[error(transparent)]
    Worker(#[from] surmise_engine::client::ClientError),
}

impl BatchError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            BatchError::Source(error) => error.hint(),
            BatchError::Read { .. } => "give Python files, folders, or JSONL files with --jsonl",
            BatchError::Write { .. } => "nothing that was finished is lost: the same command goes on from there",
            BatchError::BadRecord { .. } => {
                "--jsonl takes a JSON object a line, and --field names the key of the source"
            }
            BatchError::Store { hint, .. } => hint,
            BatchError::Empty(_) => {
                "give files or folders with Python in them; --functions needs functions, --jsonl records"
            }
            BatchError::Worker(error) => error.hint(),
        }
    }
}

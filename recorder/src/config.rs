//! What `surmise trace` tells the recorder, and the files they share.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The environment variable that holds the path of the [`Config`], as JSON.
pub const VARIABLE: &str = "SURMISE_TRACE";

/// One recording.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The folder of the processes' files.
    pub spool: PathBuf,
    /// Packages and modules to record, dotted names.
    pub packages: Vec<String>,
    /// Paths to leave alone.
    pub exclude: Vec<String>,
    /// Keep short literal values.
    pub literals: bool,
    /// Functions whose lines are recorded: globs over qualified names. None: no lines.
    pub lines: Vec<String>,
}

/// A module that a process imported: one line of `modules.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Its dotted name where it was first imported.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// Number of its first site.
    pub first: u32,
    /// Number of its sites; none if it could not be rewritten.
    pub sites: u32,
    /// Why it was left as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// The registry of modules, in the spool.
#[must_use]
pub fn registry(spool: &Path) -> PathBuf {
    spool.join("modules.jsonl")
}

/// Cached code, in the spool.
#[must_use]
pub fn cache(spool: &Path) -> PathBuf {
    spool.join("cache")
}

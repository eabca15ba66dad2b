//! Configuration that `surmise trace` passes to the recorder, and the files that both use.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Environment variable with the path of the [`Config`], a JSON file.
pub const VARIABLE: &str = "SURMISE_TRACE";

/// Configuration of one recording.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// Folder for the files of the recorded processes.
    pub spool: PathBuf,
    /// Dotted names of the packages and modules to record.
    pub packages: Vec<String>,
    /// Globs of paths that are not recorded.
    pub exclude: Vec<String>,
    /// Whether to record short literal values.
    pub literals: bool,
    /// Globs of functions (`module.qualname`) whose lines are recorded; without any, no lines are recorded.
    pub lines: Vec<String>,
    /// Whether to record the values that these functions read, too, call by call.
    pub call_values: bool,
}

/// A module that a process imported, as a line of `modules.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Dotted name under which the module was first imported.
    pub name: String,
    /// Path of the module's file.
    pub path: PathBuf,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// Number of the module's first site.
    pub first: u32,
    /// How many sites the module has; 0 if it could not be rewritten.
    pub sites: u32,
    /// Why the module was not rewritten, if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// Path of the registry of modules in a spool.
#[must_use]
pub fn registry(spool: &Path) -> PathBuf {
    spool.join("modules.jsonl")
}

/// Folder for cached rewritten code in a spool.
#[must_use]
pub fn cache(spool: &Path) -> PathBuf {
    spool.join("cache")
}

//! `trace.json`: what was recorded, and totals. It is written last, so that a folder which has it is complete.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::ReadError;
use super::row::SCHEMA;

/// Name of the file.
pub const NAME: &str = "trace.json";

/// Content of `trace.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Name of the project; `None` if several were merged.
    pub project: Option<String>,
    /// The command; `None` if several recordings were merged.
    pub command: Option<Vec<String>>,
    /// Exit code of the command; 128 plus the signal's number if a signal ended it.
    pub exit_code: Option<i32>,
    /// Version of the interpreter; `None` if merged recordings differ in it.
    pub python: Option<String>,
    /// Packages that were recorded.
    pub packages: Vec<String>,
    /// Whether short values were recorded.
    pub literals: bool,
    /// Wall-clock time of the command, in seconds.
    pub seconds: f64,
    /// Number of processes that recorded something.
    pub processes: u64,
    /// Number of observed values.
    pub events: u64,
    /// Number of recorded files.
    pub files: u64,
    /// Files that were imported but not recorded.
    pub files_left_out: Vec<LeftOut>,
    /// Number of sites in the recorded files.
    pub sites: u64,
    /// Number of sites that ran, which are the rows of `sites.parquet`.
    pub sites_hit: u64,
    /// Number of unique pairs of a site and a class.
    pub pairs: u64,
    /// Number of calls whose lines were recorded, which are the rows of `lines.parquet`.
    #[serde(default)]
    pub calls: u64,
    /// SHA-256 of each table, in hexadecimal, by the table's name.
    #[serde(default)]
    pub tables: BTreeMap<String, String>,
    /// What was damaged or missing of the processes' files.
    pub damaged: Vec<String>,
    /// Summaries of the recordings that this one was merged from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<Summary>,
}

/// A file that was imported but not recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// Dotted name of the module.
    pub module: String,
    /// Absolute path of the file, as the recorded process saw it.
    pub path: String,
    /// Why the file was not recorded.
    pub reason: String,
}

impl Summary {
    /// Reads the summary in a recording's folder.
    ///
    /// # Errors
    /// If the file is missing, damaged or of another version.
    pub fn read(folder: &Path) -> Result<Self, ReadError> {
        let path = folder.join(NAME);
        let text = std::fs::read_to_string(&path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => ReadError::NoRecording(folder.to_owned()),
            _ => ReadError::Io { path: path.clone(), source },
        })?;
        let damaged = |error: serde_json::Error| ReadError::Damaged { path: path.clone(), problem: error.to_string() };
        let value: serde_json::Value = serde_json::from_str(&text).map_err(damaged)?;
        match value["schema"].as_str() {
            Some(SCHEMA) => serde_json::from_value(value).map_err(damaged),
            other => {
                let problem = format!("its schema is `{}`", other.unwrap_or("none"));
                Err(ReadError::Schema { path, problem })
            }
        }
    }
}

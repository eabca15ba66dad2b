//! `trace.json`: what a recording is of, and its totals. It is written last: a folder that has it is finished.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::ReadError;
use super::schema::SCHEMA;

/// Its name.
pub const NAME: &str = "trace.json";

/// The totals of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`SCHEMA`].
    pub schema: String,
    /// What was recorded; none where several were merged.
    pub project: Option<String>,
    /// The command; none where several were merged.
    pub command: Option<Vec<String>>,
    /// The command's exit code, 128 and the signal's number if one ended it.
    pub exit_code: Option<i32>,
    /// The interpreter's version; none where several were merged that differ.
    pub python: Option<String>,
    /// The packages named.
    pub packages: Vec<String>,
    /// Whether short values were kept.
    pub literals: bool,
    /// How long the command ran.
    pub seconds: f64,
    /// Processes that recorded something.
    pub processes: u64,
    /// Values observed.
    pub events: u64,
    /// Files recorded.
    pub files: u64,
    /// Files that were imported and not recorded.
    pub files_left_out: Vec<LeftOut>,
    /// Sites in the files recorded.
    pub sites: u64,
    /// Sites that ran: rows of `sites.parquet`.
    pub sites_hit: u64,
    /// Unique pairs of a site and a class.
    pub pairs: u64,
    /// Calls whose lines were recorded: rows of `lines.parquet`.
    #[serde(default)]
    pub calls: u64,
    /// SHA-256 of each table, in hexadecimal, by its name.
    #[serde(default)]
    pub tables: BTreeMap<String, String>,
    /// What of the processes' files was damaged or missing.
    pub damaged: Vec<String>,
    /// The recordings that this one was merged from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<Summary>,
}

/// A file that was imported and not recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its dotted name.
    pub module: String,
    /// Where it lies: the whole path, as the traced process saw it.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl Summary {
    /// Reads the summary in a recording's folder.
    ///
    /// # Errors
    /// If there is none, or it is damaged or of another version.
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

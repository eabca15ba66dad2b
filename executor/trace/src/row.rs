//! Rows of a recording: sites with the observed values, files, and calls.

use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use surmise_instrument::Kind;
use surmise_instrument::record::Use;

use super::seen::Seen;

/// Name and version of the format of recordings (docs/trace-format.md), under `schema` in each file.
pub const SCHEMA: &str = "surmise.trace/1";

/// A site that ran, with the observed values. Rows are ordered by their fields, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRow {
    /// The project that was recorded.
    pub project: Arc<str>,
    /// Path of the file, relative to the folder that holds the top-level package.
    pub file: Arc<str>,
    /// SHA-256 of the file's bytes, in hexadecimal; empty in `value_use` tables without it.
    pub sha256: Arc<str>,
    /// Position of the expression.
    pub place: Place,
    /// Kind of use: a variable, an attribute or a call.
    pub kind: Kind,
    /// The name read, the attribute's name, or the callee's last component.
    pub name: CompactString,
    /// Role of the value in its syntax, such as the callee of a call.
    pub role: Use,
    /// For values whose attribute is read or stored: the name of this attribute.
    pub attribute: Option<CompactString>,
    /// Observed values; `value_use` tables have only their classes.
    pub seen: Seen,
}

/// A range of a source as in CPython's `ast`: lines from 1, columns in UTF-8 bytes from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column of the end, exclusive.
    pub end_column: u32,
}

/// Sort key that identifies a row: project, file, hash, position and kind.
pub type Key<'a> = (&'a str, &'a str, &'a str, Place, &'static str);

impl SiteRow {
    /// The sort key of this row.
    pub fn key(&self) -> Key<'_> {
        (&self.project, &self.file, &self.sha256, self.place, self.kind.as_str())
    }
}

/// Parses the name of a kind of use, as the tables spell it.
pub fn kind(text: &str) -> Option<Kind> {
    [Kind::Variable, Kind::Attribute, Kind::ReturnValue].into_iter().find(|kind| kind.as_str() == text)
}

/// Parses the name of a role, as the tables spell it.
pub fn role(text: &str) -> Option<Use> {
    let all = [Use::Plain, Use::Callee, Use::Base, Use::Exc, Use::Classbase, Use::Deco, Use::Stmt];
    all.into_iter().find(|role| role.as_str() == text)
}

/// An imported file of the recorded packages: a row of `files.parquet`, whose columns are the fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRow {
    /// The project that was recorded.
    #[serde(with = "shared")]
    pub project: Arc<str>,
    /// Dotted name under which the file was first imported.
    pub module: String,
    /// Path of the file, as in [`SiteRow::file`].
    #[serde(with = "shared")]
    pub file: Arc<str>,
    /// SHA-256 of the file's bytes, in hexadecimal.
    #[serde(with = "shared")]
    pub sha256: Arc<str>,
    /// Number of sites in the file.
    pub sites: u32,
    /// Number of these sites that ran.
    #[serde(rename = "sites_hit")]
    pub hit: u32,
    /// Why nothing of the file was recorded; `None` if it was recorded.
    pub left_out: Option<String>,
}

/// A call of a function whose lines were recorded: a row of `lines.parquet`, whose columns are the fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRow {
    /// The project that was recorded.
    #[serde(with = "shared")]
    pub project: Arc<str>,
    /// Path of the file, as in [`SiteRow::file`].
    pub file: String,
    /// Qualified name of the function.
    pub function: String,
    /// Name of the running test; empty outside tests.
    pub test: String,
    /// Lines in the order in which they ran.
    pub lines: Vec<u32>,
    /// Whether more lines ran than were recorded.
    pub cut: bool,
    /// The value that the call first read at each site, with `--call-values`, in the order in which they were read.
    #[serde(default)]
    pub values: Vec<CallValueRow>,
}

/// A value that a recorded call read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallValueRow {
    /// Line of the first character of the expression.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Line of its end.
    pub end_line: u32,
    /// Column of its end, exclusive.
    pub end_column: u32,
    /// Kind of use, as in [`SiteRow::kind`].
    pub kind: String,
    /// Name that is read, as in [`SiteRow::name`].
    pub name: String,
    /// Name of the observed class.
    pub class: String,
    /// The value itself, if it is a short string or a number: the string, or the number as `repr` prints it.
    pub literal: Option<String>,
    /// Length of a container or a string.
    pub length: Option<u32>,
}

/// Texts that many rows share, in tables.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(deserializer).map(Arc::from)
    }
}

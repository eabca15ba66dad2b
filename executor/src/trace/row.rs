//! A row of a recording: a site that ran, and what was seen there.

use std::sync::Arc;

use compact_str::CompactString;
use surmise_instrument::Kind;
use surmise_instrument::record::Use;

use super::seen::Seen;

/// A site that ran. Rows are ordered as their fields are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRow {
    /// The project that was recorded.
    pub project: Arc<str>,
    /// The file, from the folder that holds the top-level package.
    pub file: Arc<str>,
    /// SHA-256 of the file's bytes, in hexadecimal; empty in recordings that do not tell.
    pub sha256: Arc<str>,
    /// Where the expression lies.
    pub place: Place,
    /// The kind of use.
    pub kind: Kind,
    /// The name read, the attribute's name, or the callee's last component.
    pub name: CompactString,
    /// What is done with the value.
    pub role: Use,
    /// For bases: the attribute that is read from the value or stored in it.
    pub attribute: Option<CompactString>,
    /// What was seen. Recordings that tell only classes leave the rest empty.
    pub seen: Seen,
}

/// A range of a source as CPython's `ast` has it: lines from 1, columns in UTF-8 bytes from 0.
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

/// What tells one row from another, in the order of recordings.
pub type Key<'a> = (&'a str, &'a str, &'a str, Place, &'static str);

impl SiteRow {
    /// Its key.
    #[must_use]
    pub fn key(&self) -> Key<'_> {
        (&self.project, &self.file, &self.sha256, self.place, self.kind.as_str())
    }
}

/// Kind of use, from its spelling.
#[must_use]
pub fn kind(text: &str) -> Option<Kind> {
    [Kind::Variable, Kind::Attribute, Kind::ReturnValue].into_iter().find(|kind| kind.as_str() == text)
}

/// Role, from its spelling.
#[must_use]
pub fn role(text: &str) -> Option<Use> {
    let all = [Use::Plain, Use::Callee, Use::Base, Use::Exc, Use::Classbase, Use::Deco, Use::Stmt];
    all.into_iter().find(|role| role.as_str() == text)
}

/// A file of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// The project that was recorded.
    pub project: Arc<str>,
    /// Dotted name where it was first imported.
    pub module: String,
    /// As in [`SiteRow::file`].
    pub file: Arc<str>,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: Arc<str>,
    /// Sites in it.
    pub sites: u32,
    /// Sites of it that ran.
    pub hit: u32,
    /// Why nothing of it was recorded.
    pub left_out: Option<String>,
}

/// A call of a function whose lines were recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The project that was recorded.
    pub project: Arc<str>,
    /// As in [`SiteRow::file`].
    pub file: String,
    /// The function's qualified name.
    pub function: String,
    /// The test that was running; empty where none was.
    pub test: String,
    /// Lines in the order in which they ran.
    pub lines: Vec<u32>,
    /// There were more.
    pub cut: bool,
}

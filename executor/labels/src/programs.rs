//! Original programs, and the split that each belongs to.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use surmise_batch::BatchError;

/// A longer line of a file is not read.
const LONGEST_RECORD: u64 = 64 << 20;
/// One of so many problems of the first half is for choosing between models.
const DEV_SHARE: u32 = 10;

/// A program as it is given.
#[derive(Clone, Debug, Deserialize)]
pub struct Program {
    /// Its name.
    pub id: String,
    /// The problem that it is meant to solve: programs of one problem stay together.
    #[serde(default, alias = "problem")]
    pub problem_id: Option<String>,
    /// The source; records without one are left out.
    #[serde(default)]
    pub code: Option<String>,
    /// What its standard input looks like.
    #[serde(default)]
    pub description: String,
    /// `No error`, or the class of the error that it is known to raise.
    #[serde(default)]
    pub error_class: Option<String>,
    /// The line of that error.
    #[serde(default)]
    pub error_line: Option<u32>,
    /// An input under which the error was seen.
    #[serde(default)]
    pub trigger_stdin: Option<String>,
}

/// What a program may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Learning.
    Train,
    /// Choosing between models.
    Dev,
    /// Measuring. No mutant of such a program is made.
    HeldOut,
}

impl Split {
    /// The split of a problem, by the checksum of its name: the halves are those of `scripts/bench-blame.py --half`.
    #[must_use]
    pub fn of(problem: &str) -> Self {
        let sum = crc32fast::hash(problem.as_bytes());
        match (sum % 2, sum / 2 % DEV_SHARE) {
            (1, _) => Self::HeldOut,
            (_, 0) => Self::Dev,
            _ => Self::Train,
        }
    }
}

impl Program {
    /// The problem that it is meant to solve, or its own name.
    #[must_use]
    pub fn problem(&self) -> &str {
        self.problem_id.as_deref().unwrap_or(&self.id)
    }

    /// What it may be used for.
    #[must_use]
    pub fn split(&self) -> Split {
        Split::of(self.problem())
    }

    /// True for programs that are known to raise nothing on their input.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.error_class.as_deref() == Some("No error")
    }
}

/// The programs of JSON Lines files that have a source.
///
/// # Errors
/// When a file cannot be read, or holds something else.
pub fn read(paths: &[impl AsRef<Path>]) -> Result<Vec<Program>, BatchError> {
    let mut found = Vec::new();
    for path in paths {
        let path = path.as_ref();
        let failed = |source| BatchError::Read { path: path.to_owned(), source };
        let mut lines = BufReader::new(File::open(path).map_err(failed)?);
        let mut text = Vec::new();
        for line in 1.. {
            text.clear();
            let read = lines.by_ref().take(LONGEST_RECORD).read_until(b'\n', &mut text).map_err(failed)?;
            if read == 0 {
                break;
            }
            let bad = |message: String| BatchError::BadRecord { path: path.to_owned(), line, message };
            if read as u64 == LONGEST_RECORD {
                return Err(bad(format!("longer than {LONGEST_RECORD} bytes")));
            }
            if text.trim_ascii().is_empty() {
                continue;
            }
            let program: Program =
                serde_json::from_slice(&text).map_err(|error| bad(format!("no labelled program: {error}")))?;
            if program.code.as_ref().is_some_and(|code| !code.is_empty()) {
                found.push(program);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_those_of_the_scripts() {
        // python3 -c 'import zlib; print([zlib.crc32(p.encode()) % 2 + 1 for p in ("p00508", "p02258", "p02389", "p00001")])'
        let halves = ["p00508", "p02258", "p02389", "p00001"].map(|problem| Split::of(problem) == Split::HeldOut);
        assert_eq!(halves, HALVES);
    }

    const HALVES: [bool; 4] = [true, false, false, false];
}

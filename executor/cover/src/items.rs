//! The snippets of a batch: files, functions of files, records of JSONL files.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use sha2::{Digest, Sha256};
use surmise_instrument::{SourceModel, extract};
use walkdir::{DirEntry, WalkDir};

use surmise_batch::BatchError;
use surmise_engine::source::{self, Source};

/// A longer line of a JSONL file is not read.
const LONGEST_RECORD: u64 = 64 << 20;

/// A snippet to run.
#[derive(Clone, Debug)]
pub struct Item {
    /// The place of the snippet in the batch.
    pub index: u64,
    /// The name of the snippet: a path, a path and a function (`a.py::C.method`), or a record's id.
    pub name: String,
    /// What to run; or why it cannot be run.
    pub source: Result<Source, String>,
    /// Call this function of it.
    pub function: Option<String>,
}

impl Item {
    /// Tells apart what would give different results.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.name.as_bytes());
        hash.update([0]);
        match &self.source {
            Ok(source) => hash.update(source.text.as_bytes()),
            Err(message) => hash.update(message.as_bytes()),
        }
        hash.update([0]);
        hash.update(self.function.as_deref().unwrap_or_default().as_bytes());
        format!("{:x}", hash.finalize())[..16].to_owned()
    }
}

/// What makes a batch: arguments of `surmise cover`.
#[derive(Args, Clone, Debug)]
pub struct Given {
    /// Python files, and folders that contain them.
    #[arg(value_name = "PATH", required_unless_present = "jsonl")]
    pub paths: Vec<PathBuf>,
    /// Run each function of the files as a separate snippet, called with injected arguments.
    #[arg(long, conflicts_with = "jsonl")]
    pub functions: bool,
    /// JSON Lines file with one snippet in each object, named by its `id` (repeatable).
    #[arg(long, value_name = "FILE")]
    pub jsonl: Vec<PathBuf>,
    /// With --jsonl: key of the source text in each object.
    #[arg(long, value_name = "NAME", default_value = "code")]
    pub field: String,
}

impl Given {
    /// The files and folders, as they were given.
    #[must_use]
    pub fn shown(&self) -> String {
        let paths = self.paths.iter().chain(&self.jsonl).map(|path| format!("`{}`", path.display()));
        paths.collect::<Vec<_>>().join(", ")
    }

    /// Calls `take` with each snippet in turn, until it returns false.
    ///
    /// # Errors
    /// When something given cannot be read at all. Files in folders that cannot be read are snippets that say so.
    pub fn each(&self, mut take: impl FnMut(Item) -> bool) -> Result<(), BatchError> {
        let mut index = 0;
        let mut number = |name, source, function| {
            let item = Item { index, name, source, function };
            index += 1;
            take(item)
        };
        for path in &self.paths {
            if !path.is_dir() {
                if !self.of_file(source::read(path)?, &mut number) {
                    return Ok(());
                }
                continue;
            }
            for entry in WalkDir::new(path).sort_by_file_name().into_iter().filter_entry(is_wanted) {
                let entry = entry.map_err(|error| {
                    let path = error.path().unwrap_or(path).to_owned();
                    BatchError::Read { path, source: error.into() }
                })?;
                if !entry.file_type().is_file() || entry.path().extension().is_none_or(|end| end != "py") {
                    continue;
                }
                let go_on = match source::read(entry.path()) {
                    Ok(source) => self.of_file(source, &mut number),
                    Err(error) => number(entry.path().display().to_string(), Err(error.to_string()), None),
                };
                if !go_on {
                    return Ok(());
                }
            }
        }
        for path in &self.jsonl {
            if !of_records(path, &self.field, &mut number)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn of_file(
        &self,
        source: Source,
        number: &mut impl FnMut(String, Result<Source, String>, Option<String>) -> bool,
    ) -> bool {
        if !self.functions {
            return number(source.name.clone(), Ok(source), None);
        }
        // A source that does not parse has no functions.
        let Ok(model) = SourceModel::parse(source.text.as_str()) else { return true };
        extract::qualnames(&model).into_iter().all(|function| {
            let name = format!("{}::{}", source.name, function.qualname);
            match extract::in_place(&model, &function.qualname) {
                Ok(text) => number(name, Ok(Source { text, ..source.clone() }), Some(function.qualname)),
                Err(error) => number(name, Err(error.to_string()), None),
            }
        })
    }
}

/// Hidden folders and caches hold nobody's source.
fn is_wanted(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.depth() == 0 || !(name.starts_with('.') || name == "__pycache__")
}

fn of_records(
    path: &Path,
    field: &str,
    number: &mut impl FnMut(String, Result<Source, String>, Option<String>) -> bool,
) -> Result<bool, BatchError> {
    let failed = |source| BatchError::Read { path: path.to_owned(), source };
    let mut lines = BufReader::new(File::open(path).map_err(failed)?);
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let read = std::io::Read::take(&mut lines, LONGEST_RECORD).read_until(b'\n', &mut text).map_err(failed)?;
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
        let record: serde_json::Value =
            serde_json::from_slice(&text).map_err(|error| bad(format!("not JSON: {error}")))?;
        let Some(code) = record[field].as_str() else {
            return Err(bad(format!("no text under `{field}`")));
        };
        let name = match &record["id"] {
            serde_json::Value::String(id) => id.clone(),
            serde_json::Value::Number(id) => id.to_string(),
            _ => format!("{}:{line}", path.display()),
        };
        let source = Source { name: name.clone(), path: None, text: code.to_owned() };
        if !number(name, Ok(source), None) {
            return Ok(false);
        }
    }
    Ok(true)
}

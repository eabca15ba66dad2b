//! Tables of conditions (`corpora/conditions.py`): what the conditions of recorded functions came to, with their sources.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use surmise_instrument::SourceModel;

use crate::dataset::Part;
use crate::error::ReadError;
use crate::join::Folder;
use crate::table::TableReader;

/// The form of the table that this version reads.
const FORM: &str = "surmise.corpus-conditions/1";

/// What one condition came to in the recorded calls.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Outcome {
    file: String,
    sha256: String,
    line: u32,
    column: u32,
    /// Calls in which it held when they first came to it.
    pub first_true: u64,
    /// Calls in which it did not.
    pub first_false: u64,
}

/// The conditions of a file that were recorded, by the byte where what decides begins.
pub struct DecidedFile {
    /// Path by which the recording names the file.
    pub path: String,
    /// The model of the file's source.
    pub model: SourceModel,
    /// What conditions came to.
    pub outcomes: BTreeMap<u32, Outcome>,
}

/// Reads one part of a data set and its sources, and calls `visit` for each file. Returns the number of files that the
/// sources lack.
///
/// # Errors
/// If the part cannot be read, or is no table of conditions.
pub fn decided(part: &Part, sources: &Path, mut visit: impl FnMut(DecidedFile)) -> Result<usize, ReadError> {
    let mut table = TableReader::open(&part.path)?;
    if table.metadata("conditions") != Some(FORM) {
        return Err(table.other_schema(format!("it is no table of the form `{FORM}`")));
    }
    let mut files: BTreeMap<(String, String), Vec<Outcome>> = BTreeMap::new();
    while let Some(batch) = table.next()? {
        for row in table.rows_of::<Outcome>(&batch)? {
            files.entry((row.file.clone(), row.sha256.clone())).or_default().push(row);
        }
    }
    let mut folder = Folder::new(sources.join(&part.project));
    let mut lost = 0;
    for ((path, sha256), rows) in files {
        let model = folder.read(&path, &sha256).and_then(|text| SourceModel::parse(text).ok());
        let Some(model) = model else {
            lost += 1;
            continue;
        };
        let place = |row: &Outcome| {
            let known = (1..=model.lines().count()).contains(&row.line);
            known.then(|| model.lines().start(row.line) + row.column)
        };
        let outcomes = rows.into_iter().filter_map(|row| Some((place(&row)?, row))).collect();
        visit(DecidedFile { path, model, outcomes });
    }
    Ok(lost)
}

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
#[cfg_attr(test, derive(serde::Serialize))]
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
            known.then(|| model.lines().start(row.line).saturating_add(row.column))
        };
        let outcomes = rows.into_iter().filter_map(|row| Some((place(&row)?, row))).collect();
        visit(DecidedFile { path, model, outcomes });
    }
    Ok(lost)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use sha2::{Digest, Sha256};
    use surmise_instrument::evidence;

    use super::*;
    use crate::dataset::Split;
    use crate::table::TableWriter;

    #[test]
    fn conditions_are_found_in_their_sources() {
        let folder = tempfile::tempdir().expect("a folder");
        let source = "def f(x):\n    if x:\n        return 1\n";
        let sources = folder.path().join("sources");
        fs::create_dir_all(sources.join("toy")).expect("a folder");
        fs::write(sources.join("toy/m.py"), source).expect("written");
        let sha256 = format!("{:x}", Sha256::digest(source));
        let row = |file: &str, line, column| {
            let (file, sha256) = (file.to_owned(), if file == "m.py" { sha256.clone() } else { "0".repeat(64) });
            Outcome { file, sha256, line, column, first_true: 3, first_false: 1 }
        };
        let path = folder.path().join("train-toy.parquet");
        let write = |form: &str| {
            let file = File::create(&path).expect("a file");
            let mut table = TableWriter::create::<Outcome>(file, path.clone(), &[("conditions", form.to_owned())])
                .expect("the schema of a row");
            // The second is outside of the file, the third is of one that is not there.
            let rows = [row("m.py", 2, 7), row("m.py", 4_000_000_000, u32::MAX), row("lost.py", 1, 0)];
            table.write(&rows).and_then(|()| table.close()).expect("written");
        };
        let part = Part { split: Split::Train, project: "toy".into(), path: path.clone() };
        write(FORM);
        let mut found = Vec::new();
        let lost = decided(&part, &sources, |file| {
            for condition in evidence::conditions(&file.model) {
                let outcome = file.outcomes.get(&condition.decides.start).expect("it was recorded");
                found.push((file.path.clone(), outcome.first_true, outcome.first_false));
            }
            assert_eq!(file.outcomes.len(), 1, "one lies in the file");
        });
        assert_eq!((lost.ok(), found), (Some(1), vec![("m.py".to_owned(), 3, 1)]));
        write("another/1");
        let refused = decided(&part, &sources, |_| panic!("nothing is read")).expect_err("of another form");
        assert!(refused.to_string().contains("it is no table of the form"), "{refused}");
    }
}

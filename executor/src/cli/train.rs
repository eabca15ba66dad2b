//! `surmise train`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use surmise_value_model::FrequencyBuilder;

use super::printer;
use crate::dataset::{self, DataError, Split};
use crate::exit::Exit;

/// What is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Trained {
    /// The most frequent classes by kind and name.
    Frequency,
}

/// Learn a predictor from recorded executions.
///
/// Reads the parts `train-*.parquet` of data sets (`surmise trace`, `corpora/build.py`); those of other splits are
/// left alone.
#[derive(Args, Debug)]
#[command(after_help = "Example: surmise train --predictor frequency --data DATASET -o frequency.bin")]
pub(super) struct Arguments {
    /// What to train.
    #[arg(long, value_enum, default_value_t = Trained::Frequency)]
    predictor: Trained,
    /// Folder with `SPLIT-PROJECT.parquet` files; may be given several times.
    #[arg(long, value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// Where to write what was learned.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let Trained::Frequency = arguments.predictor;
    let (table, projects, pairs) = match frequency(&arguments.data) {
        Ok(learned) => learned,
        Err(error) => return refuse(&error),
    };
    if let Err(error) = write(&arguments.output, &table) {
        printer::error(&format!("cannot write `{}`: {error}", arguments.output.display()), None);
        return Exit::Usage.into();
    }
    printer::data(&format!(
        "frequency: {pairs} pairs of {projects} projects, {} bytes in {}\n",
        table.len(),
        arguments.output.display()
    ));
    Exit::Success.into()
}

pub(super) fn refuse(error: &DataError) -> ExitCode {
    let hint = match error {
        DataError::Empty(_) => Some("`corpora/build.py` makes such a folder, `surmise trace` a recording to put there"),
        DataError::TwoSplits { .. } => Some("a project's events may be learned from or measured on, not both"),
        _ => None,
    };
    printer::error(&error.to_string(), hint);
    Exit::Usage.into()
}

fn frequency(data: &[PathBuf]) -> Result<(Vec<u8>, usize, u64), DataError> {
    let mut builder = FrequencyBuilder::default();
    let (mut projects, mut pairs) = (0, 0);
    for part in dataset::parts(data)?.iter().filter(|part| part.split == Split::Train) {
        projects += 1;
        for example in dataset::examples(part)? {
            let example = example?;
            for class in example.classes {
                builder.add(example.kind, &example.name, class);
                pairs += 1;
            }
        }
    }
    Ok((builder.build(), projects, pairs))
}

/// Writes the whole file or none of it.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let unfinished = path.with_extension("unfinished");
    let mut file = std::fs::File::create(&unfinished)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| std::fs::rename(&unfinished, path)).inspect_err(
        |_| {
            let _nothing_left = std::fs::remove_file(&unfinished);
        },
    )
}

//! `surmise run --script`: writes the script and reports what it does not reproduce.

use std::path::{Path, PathBuf};

use super::printer;
use super::refusal::Refusal;
use surmise_engine::exit::Exit;
use surmise_report::Report;
use surmise_script::{ScriptError, Writer};

/// Writes the script to `path` and mentions it in the report. `file` is the snippet's file, if the snippet is all of
/// it.
pub(super) fn write_script(
    writer: std::io::Result<Writer>,
    path: &Path,
    file: Option<&Path>,
    python_path: &[PathBuf],
    report: &mut Report,
) -> Result<(), Refusal> {
    let source = file.and_then(|file| std::fs::read(file).ok());
    let source = source.unwrap_or_else(|| report.source.clone().into_bytes());
    let command = format!("surmise run --script {} {}", path.display(), report.name);
    let writer = writer.map_err(|error| ScriptError::Failed(error.to_string()));
    let written = writer.and_then(|writer| writer.write(path, &command, &source, report, python_path));
    let written = written.map_err(|error| {
        let exit = if matches!(error, ScriptError::Failed(_)) { Exit::Internal } else { Exit::Usage };
        Refusal::new(&error, error.hint()).with(exit)
    })?;
    if !written.complete {
        printer::warning(&format!("`{}` does not reproduce all of the run:", path.display()));
        for what in &written.missing {
            printer::note(&format!("  {what}"));
        }
    }
    report.script = Some(written);
    Ok(())
}

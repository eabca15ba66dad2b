//! Joins the lines of selected functions that the processes of a recording wrote to `PID.lines`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use surmise_recorder::lines::Call;

use super::error::TraceError;
use super::process::files_of;
use super::row::CallRow;
use super::write::Writer;

/// Number of calls that are encoded as columns at a time.
const BATCH: usize = 4096;

/// Writes all calls of a spool, those of one process in their order, and returns their number. `files` maps the paths
/// of modules to the names of files in the recording.
///
/// # Errors
/// If the spool cannot be read or the table cannot be written; damaged files are only reported.
pub(super) fn write(
    spool: &Path,
    project: &Arc<str>,
    files: &FxHashMap<String, String>,
    writer: &mut Writer,
    damaged: &mut Vec<String>,
) -> Result<u64, TraceError> {
    let mut written = 0;
    for path in files_of(spool, "lines").map_err(TraceError::io("read", spool))? {
        let file = File::open(&path).map_err(TraceError::io("read", &path))?;
        let mut bad = 0_u64;
        let mut rows = Vec::with_capacity(BATCH);
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(TraceError::io("read", &path))?;
            let Ok(call) = serde_json::from_slice::<Call>(&line) else {
                bad += 1;
                continue;
            };
            rows.push(row(call, project, files));
            written += 1;
            if rows.len() >= BATCH {
                writer.push_calls(&rows)?;
                rows.clear();
            }
        }
        if !rows.is_empty() {
            writer.push_calls(&rows)?;
        }
        if bad > 0 {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            damaged.push(format!("{name}: {bad} of its lines are damaged"));
        }
    }
    Ok(written)
}

fn row(call: Call, project: &Arc<str>, files: &FxHashMap<String, String>) -> CallRow {
    let Call { test, file, function, lines, cut } = call;
    CallRow { project: project.clone(), file: files.get(&file).cloned().unwrap_or(file), function, test, lines, cut }
}

//! Joins the lines of selected functions that the processes of a recording wrote to `PID.lines`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use surmise_recorder::config::Module;
use surmise_recorder::layout::CLASSES;
use surmise_recorder::lines::{Call, CallValue};

use super::error::TraceError;
use super::modules::{self, Positioned};
use super::process::files_of;
use super::row::{CallRow, CallValueRow};
use super::write::Writer;

/// Number of calls that are encoded as columns at a time.
const BATCH: usize = 4096;

/// The recorded modules, whose sources have the positions of sites.
pub(super) struct Sources<'m> {
    /// Names of files in the recording, by the modules' paths.
    names: FxHashMap<String, &'m str>,
    /// In the order of their first sites.
    modules: Vec<&'m Module>,
    /// Sites of modules, by the first; read when a call has values of them, none of a file that has changed.
    sites: FxHashMap<u32, Vec<Positioned>>,
}

impl<'m> Sources<'m> {
    /// Takes modules with their names in the recording.
    pub(super) fn new(modules: &'m [(String, Module)]) -> Self {
        let names = modules.iter().map(|(file, module)| (module.path.display().to_string(), file.as_str())).collect();
        let mut modules: Vec<&Module> = modules.iter().map(|(_, module)| module).collect();
        modules.sort_by_key(|module| module.first);
        Self { names, modules, sites: FxHashMap::default() }
    }

    fn site(&mut self, site: u32) -> Option<&Positioned> {
        let after = self.modules.partition_point(|module| module.first <= site);
        let module = *self.modules.get(after.checked_sub(1)?)?;
        let sites = self.sites.entry(module.first).or_insert_with(|| modules::positioned(module));
        sites.get((site - module.first) as usize)
    }

    fn value(&mut self, value: CallValue) -> Option<CallValueRow> {
        let class = (*CLASSES.get(value.class as usize)?).to_owned();
        let Positioned { place, kind, name } = self.site(value.site)?;
        Some(CallValueRow {
            line: place.line,
            column: place.column,
            end_line: place.end_line,
            end_column: place.end_column,
            kind: kind.as_str().to_owned(),
            name: name.to_string(),
            class,
            literal: value.literal,
            length: value.length,
        })
    }

    fn row(&mut self, call: Call, project: &Arc<str>) -> CallRow {
        let Call { test, file, function, lines, cut, values } = call;
        let values = values.into_iter().filter_map(|value| self.value(value)).collect();
        let file = self.names.get(&file).map_or(file, |name| (*name).to_owned());
        CallRow { project: project.clone(), file, function, test, lines, cut, values }
    }
}

/// Writes all calls of a spool, those of one process in their order, and returns their number.
///
/// # Errors
/// If the spool cannot be read or the table cannot be written; damaged files are only reported.
pub(super) fn write(
    spool: &Path,
    project: &Arc<str>,
    sources: &mut Sources<'_>,
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
            rows.push(sources.row(call, project));
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

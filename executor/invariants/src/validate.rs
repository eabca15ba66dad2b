//! `--validate -- CMD`: conditions are checked at their places while a command runs, and nothing else is changed.
//!
//! The command's Python processes load `runtime/sitecustomize.py`, which puts one call in front of each region when the
//! module is imported. The call evaluates the condition in the caller's frame and counts.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::invariant::{Invariant, Status, Validation};

/// Environment variable with the path of the checks.
const VARIABLE: &str = "SURMISE_INVARIANTS";
const SITECUSTOMIZE: &str = include_str!("../runtime/sitecustomize.py");

#[derive(Serialize)]
struct Check<'a> {
    file: &'a Path,
    line: u32,
    column: u32,
    condition: &'a str,
}

#[derive(Serialize)]
struct Request<'a> {
    folder: &'a Path,
    files: [&'a Path; 1],
    checks: Vec<Check<'a>>,
}

#[derive(Deserialize)]
struct Counted {
    counts: Vec<[u64; 3]>,
}

/// Runs a command and counts what the conditions of a file come to; returns the command's exit code, and whether any
/// process imported the file.
///
/// # Errors
/// If the command cannot be started, or files cannot be written.
pub fn validate(file: &Path, invariants: &mut [Invariant], command: &[OsString]) -> io::Result<(i32, bool)> {
    let folder = tempfile::tempdir()?;
    let file = file.canonicalize()?;
    let checks = invariants.iter().map(|found| Check {
        file: &file,
        line: found.line,
        column: found.column,
        condition: &found.condition,
    });
    let request = Request { folder: folder.path(), files: [&file], checks: checks.collect() };
    let config = folder.path().join("checks.json");
    std::fs::write(&config, serde_json::to_vec(&request)?)?;
    let site = folder.path().join("site");
    std::fs::create_dir(&site)?;
    std::fs::write(site.join("sitecustomize.py"), SITECUSTOMIZE)?;
    let paths = std::env::var_os("PYTHONPATH").filter(|paths| !paths.is_empty());
    let paths: Vec<PathBuf> = std::iter::once(site).chain(paths.iter().flat_map(std::env::split_paths)).collect();
    let paths = std::env::join_paths(paths).map_err(io::Error::other)?;
    let (program, rest) = command.split_first().ok_or_else(|| io::Error::other("no command"))?;
    let mut command = Command::new(program);
    command.args(rest).env(VARIABLE, &config).env("PYTHONPATH", paths);
    // What the command prints is no part of our output.
    command.stdout(io::stderr());
    let status = command.status()?;
    let imported = count(folder.path(), invariants)?;
    Ok((status.code().unwrap_or(1), imported))
}

/// Adds up what processes counted.
fn count(folder: &Path, invariants: &mut [Invariant]) -> io::Result<bool> {
    let mut totals = vec![[0_u64; 3]; invariants.len()];
    let mut imported = false;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "counts") {
            continue;
        }
        // A process that was killed while it wrote leaves no whole file.
        let Ok(counted) = serde_json::from_slice::<Counted>(&std::fs::read(&path)?) else { continue };
        imported = true;
        for (total, count) in totals.iter_mut().zip(counted.counts) {
            total.iter_mut().zip(count).for_each(|(total, count)| *total = total.saturating_add(count));
        }
    }
    for (found, [held, violated, failed]) in invariants.iter_mut().zip(totals) {
        let status = match (held, violated, failed) {
            (0, 0, 0) => Status::NeverReached,
            (0, 0, _) => Status::NotEvaluable,
            (_, 0, _) => Status::Held,
            _ => Status::Violated,
        };
        found.validated = Some(Validation { status, held, violated, failed });
    }
    Ok(imported)
}

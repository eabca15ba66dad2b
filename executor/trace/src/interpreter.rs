//! The interpreter of the recorded command: finds it, and checks that it can load the recorder.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use surmise_interpreter::PYTHON_VERSION;
use surmise_project::answer_of;

use super::error::TraceError;

const PROBE: &str = include_str!("../runtime/probe.py");

/// An interpreter that can load the recorder.
#[derive(Clone, Debug)]
pub struct Interpreter {
    /// Path by which the interpreter is started; links are not resolved, because a link makes a virtual environment.
    pub path: PathBuf,
    /// Version with all three parts, such as `3.11.7`.
    pub version: String,
    /// Tag of its compiled files, such as `cpython-311`.
    pub tag: String,
}

/// Answer that `probe.py` prints.
#[derive(Deserialize)]
struct Answer {
    implementation: String,
    version: String,
    free_threaded: bool,
    debug: bool,
    tag: String,
    problem: Option<String>,
}

impl Interpreter {
    /// Starts an interpreter and checks that the recorder was built for it.
    ///
    /// # Errors
    /// If it does not answer, or is another Python than the recorder was built for.
    pub fn ask(path: PathBuf, library: &Path) -> Result<Self, TraceError> {
        let mut command = Command::new(&path);
        command.args(["-I", "-S", "-c", PROBE]).arg(library).arg(PYTHON_VERSION);
        let output = match answer_of(&mut command) {
            Ok(output) => output,
            Err(problem) => return Err(TraceError::Mute { path, problem }),
        };
        let last = output.lines().last().unwrap_or_default();
        let Ok(answer) = serde_json::from_str::<Answer>(last) else {
            let problem = if last.is_empty() { "it prints nothing".to_owned() } else { format!("it prints `{last}`") };
            return Err(TraceError::Mute { path, problem });
        };
        let of_version = answer.version.rsplit_once('.').is_some_and(|(version, _)| version == PYTHON_VERSION);
        if answer.implementation != "cpython" || !of_version || answer.free_threaded || answer.debug {
            let kind = match answer.implementation.as_str() {
                "cpython" if answer.free_threaded => "free-threaded CPython",
                "cpython" if answer.debug => "a debug build of CPython",
                "cpython" => "CPython",
                other => other,
            };
            return Err(TraceError::WrongPython { found: format!("{kind} {}", answer.version), path });
        }
        match answer.problem {
            Some(problem) => Err(TraceError::Unloadable { path, problem }),
            None => Ok(Self { path, version: answer.version, tag: answer.tag }),
        }
    }
}

/// Finds a program on `path` as a shell does.
pub fn find_program(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let candidates = std::env::split_paths(path).map(|folder| folder.join(name));
    candidates.into_iter().find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

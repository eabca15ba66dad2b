//! The interpreter of the recorded command: finds it, and checks that it can load the recorder.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use surmise_interpreter::PYTHON_VERSION;

use super::error::{RECORDER_VARIABLE, TraceError};

const PROBE: &str = include_str!("../runtime/probe.py");
const LIBRARY: &str = "libsurmise_recorder.so";
/// How long an interpreter may take to answer.
const LIMIT: Duration = Duration::from_secs(30);

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

/// Standard output of a command that succeeds in time, or else a description of what it did.
pub(super) fn answer_of(command: &mut Command) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if begin.elapsed() > LIMIT => {
                let _just_gone = child.kill().and_then(|()| child.wait());
                return Err(format!("it does not answer within {} seconds", LIMIT.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    // An answer fits into a pipe's buffer; a command that prints more blocks and runs into the time limit.
    let read = |pipe: Option<&mut dyn Read>| {
        let mut bytes = Vec::new();
        let _nothing_more = pipe.map(|pipe| pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let output = read(child.stdout.as_mut().map(|pipe| pipe as &mut dyn Read));
    if status.success() {
        return Ok(output);
    }
    let errors = read(child.stderr.as_mut().map(|pipe| pipe as &mut dyn Read));
    let last = errors.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
    Err(format!("it fails with {status}{last}"))
}

/// Path of the recorder's library: beside the binary or in `deps` there, whichever was built last, or else as given by
/// [`RECORDER_VARIABLE`].
///
/// # Errors
/// If there is none.
pub fn library() -> Result<PathBuf, TraceError> {
    let binary = std::env::current_exe().ok();
    let folder = binary.as_deref().and_then(Path::parent);
    let built = folder.into_iter().flat_map(|folder| [folder.join(LIBRARY), folder.join("deps").join(LIBRARY)]);
    let newest = built.filter(|path| path.is_file()).max_by_key(|path| {
        let modified = path.metadata().and_then(|metadata| metadata.modified());
        modified.ok()
    });
    let named = || std::env::var_os(RECORDER_VARIABLE).map(PathBuf::from).filter(|path| path.is_file());
    newest.or_else(named).and_then(|path| std::path::absolute(path).ok()).ok_or(TraceError::NoRecorder)
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

//! `surmise run --script`: a plain Python file under which the best run happens again.
//!
//! A process of our own writes it (`runtime/script.py`, `runtime/prefix.py`), with the user's environment, because
//! LibCST is Python and this process runs none. It sees the snippet as text and never runs it.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use surmise_engine::address_space::stack_bytes;
use surmise_engine::execute::Outcome;
use surmise_engine::host;
use surmise_engine::worker::interpreter::{Flavour, start};
use surmise_engine::worker::module;
use surmise_engine::zygote::SCRIPT_ARGUMENT;
use surmise_report::{Report, Script};

/// Syntax trees are walked recursively, by LibCST too.
const STACK_BYTES: usize = 512 << 20;

/// Why there is no script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// LibCST cannot be imported.
    #[error("`libcst`, which --script needs, cannot be imported: {0}")]
    NoLibcst(String),
    /// The file could not be written.
    #[error("cannot write `{path}`: {error}")]
    Write {
        /// The file.
        path: String,
        /// What the system said.
        error: String,
    },
    /// Our own failure.
    #[error("the script could not be made: {0}")]
    Failed(String),
}

impl ScriptError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoLibcst(_) => format!(
                "install it for the Python that Surmise embeds, by `{} -m pip install libcst`, or name the folder it is in \
                 with --python-path",
                host::python_executable().display()
            ),
            Self::Write { .. } => "--script takes a file in a folder that exists and can be written to".to_owned(),
            Self::Failed(_) => {
                "this is a fault of Surmise, not of the snippet; the report is there without --script".to_owned()
            }
        }
    }
}

#[derive(Serialize)]
struct Request<'a> {
    command: &'a str,
    name: &'a str,
    /// Bytes as Latin-1 text.
    source: String,
    python_path: &'a [PathBuf],
    recording: Value,
    missing: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    NoLibcst(String),
    Written {
        /// Bytes as Latin-1 text.
        script: String,
        missing: Vec<String>,
    },
    /// A source with a guard, its bytes as Latin-1 text.
    Guarded(String),
    /// Why a guard cannot be put in.
    Refused(String),
}

/// A condition that is to be put in front of whole statements.
#[derive(Clone, Debug, Serialize)]
pub struct Guard<'a> {
    /// First line of the statements.
    pub line: u32,
    /// Last line of the statements.
    pub end_line: u32,
    /// The condition.
    pub condition: &'a str,
}

#[derive(Serialize)]
struct GuardRequest<'a> {
    source: String,
    python_path: &'a [PathBuf],
    guard: &'a Guard<'a>,
}

/// The process that writes scripts.
#[derive(Debug)]
pub struct Writer {
    child: Child,
}

impl Writer {
    /// Starts it.
    ///
    /// # Errors
    /// When no process could be started.
    pub fn start() -> io::Result<Self> {
        let mut command = host::worker(SCRIPT_ARGUMENT, true)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(Self { child: command.spawn()? })
    }

    /// Writes the script of a report to a file, whole or not at all.
    ///
    /// # Errors
    /// See [`ScriptError`].
    pub fn write(
        mut self,
        path: &Path,
        command: &str,
        source: &[u8],
        report: &Report,
        python_path: &[PathBuf],
    ) -> Result<Script, ScriptError> {
        let (recording, missing) = recording_of(report);
        let source = source.iter().copied().map(char::from).collect();
        let request = Request { command, name: &report.name, source, python_path, recording, missing };
        match self.ask(&request)? {
            Answer::NoLibcst(why) => Err(ScriptError::NoLibcst(why)),
            Answer::Guarded(_) | Answer::Refused(_) => Err(ScriptError::Failed("it answered another question".into())),
            Answer::Written { script, missing } => {
                let bytes: Option<Vec<u8>> = script.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
                let bytes = bytes.ok_or_else(|| ScriptError::Failed("it is no bytes".into()))?;
                let failed = |error: String| ScriptError::Write { path: path.display().to_string(), error };
                if path.is_dir() {
                    return Err(failed("it is a directory".into()));
                }
                surmise_value_model::files::replace(path, &bytes).map_err(|error| failed(error.to_string()))?;
                Ok(Script { path: path.display().to_string(), complete: missing.is_empty(), missing })
            }
        }
    }

    /// A source with a guard in front of some of its statements.
    ///
    /// # Errors
    /// See [`ScriptError`].
    pub fn guarded(
        mut self,
        source: &[u8],
        guard: &Guard<'_>,
        python_path: &[PathBuf],
    ) -> Result<Vec<u8>, ScriptError> {
        let source = source.iter().copied().map(char::from).collect();
        match self.ask(&GuardRequest { source, python_path, guard })? {
            Answer::NoLibcst(why) => Err(ScriptError::NoLibcst(why)),
            Answer::Guarded(text) => {
                let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
                bytes.ok_or_else(|| ScriptError::Failed("it is no bytes".into()))
            }
            Answer::Refused(why) => Err(ScriptError::Failed(why)),
            Answer::Written { .. } => Err(ScriptError::Failed("it answered another question".into())),
        }
    }

    fn ask(&mut self, request: &impl Serialize) -> Result<Answer, ScriptError> {
        let failed = |error: String| ScriptError::Failed(error);
        let body = serde_json::to_vec(request).map_err(|error| failed(error.to_string()))?;
        if let Some(mut stdin) = self.child.stdin.take() {
            // A process that ended early has its say on standard error.
            let _ended = stdin.write_all(&body);
        }
        let (mut stdout, mut stderr) = (Vec::new(), String::new());
        if let Some(mut pipe) = self.child.stdout.take() {
            pipe.read_to_end(&mut stdout).map_err(|error| failed(error.to_string()))?;
        }
        // What a `sitecustomize` or the like prints comes first.
        let last = stdout.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty()).unwrap_or_default();
        serde_json::from_slice(last).map_err(|_| {
            let read = self.child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut stderr));
            let why = read.and_then(Result::ok).and_then(|_| stderr.lines().last()).unwrap_or("it ended early");
            failed(why.to_owned())
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _already_reaped = self.child.wait();
    }
}

/// What the run recorded, and what is known not to be reproduced.
fn recording_of(report: &Report) -> (Value, Vec<String>) {
    let mut missing: Vec<String> =
        report.repairs.iter().map(|repair| format!("line {}: {}", repair.line, repair.message)).collect();
    let recording = report.recording.as_ref();
    missing
        .extend(recording.and_then(|recording| recording.called.as_ref()).map(|name| format!("the call of `{name}`")));
    if let Some(value) = recording.and_then(|recording| serde_json::from_str(recording.recorded.as_deref()?).ok()) {
        if recording.is_some_and(|recording| !recording.same) {
            missing.push("the run went otherwise when it was repeated".to_owned());
        }
        return (value, missing);
    }
    // A run that was cut off records nothing, and neither does one in which nothing may be injected.
    if !report.injections.is_empty() || matches!(report.outcome, Outcome::Timeout | Outcome::Killed) {
        missing.push("the values of a run that did not come to its end".to_owned());
    }
    let empty: [(); 0] = [];
    let nothing = json!({
        "nodes": empty, "modules": empty, "names": {}, "imported": {}, "placed": empty, "failing": empty, "halted": empty,
        "folders": empty, "used": empty, "missing": empty, "package": null, "arguments": false, "parsed": [],
        "environment": {},
    });
    (nothing, missing)
}

/// Becomes the process that writes scripts; returns its exit code.
pub fn serve() -> i32 {
    let thread = std::thread::Builder::new().stack_size(stack_bytes(STACK_BYTES, 1)).spawn(|| {
        if let Err(error) = start(Flavour::Plain) {
            let _nowhere_else = writeln!(io::stderr(), "{error}");
            return 70;
        }
        // SAFETY: `start` initialized CPython on this thread, which holds the GIL since.
        let py = unsafe { Python::assume_attached() };
        match answer(py) {
            Ok(answer) => i32::from(writeln!(io::stdout(), "{answer}").is_err()),
            Err(error) => {
                let _nowhere_else = writeln!(io::stderr(), "{error}");
                70
            }
        }
    });
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(70)
}

fn answer(py: Python<'_>) -> PyResult<String> {
    module(py, "helpers")?;
    module(py, "prefix")?;
    let script = module(py, "script")?;
    script.call_method0("import_early")?;
    let mut request = String::new();
    io::stdin().read_to_string(&mut request)?;
    script.call_method1("main", (request,))?.extract()
}

//! Shared parts of the whole-program tests: running commands with a time limit, comparing results, looping over folders
//! of programs.

mod folder;
pub mod repo;
pub mod schemas;
pub mod traced;
pub mod unprivileged;
pub mod verdicts;

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::Value;

pub use self::folder::Folder;

/// Time limit of a command, after which it is killed and the test fails.
pub const LIMIT: Duration = Duration::from_mins(1);
/// Time until the pipes of an ended command must close; they stay open only if a child process survived it.
const PIPES_LIMIT: Duration = Duration::from_secs(5);
/// Number of programs of a folder that run at the same time.
const THREADS: usize = 2;

/// Folder of the tests, which contains their programs.
pub fn tests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").join("tests")
}

/// Folder into which `./dev test` installs LibCST: in the target folder, beside what is built for the same Python.
pub fn packages() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_surmise")).ancestors().nth(2);
    target.expect("the binary lies in the target folder").join("python-packages")
}

/// The minor version of the Python 3 that is linked.
pub fn python_minor() -> u32 {
    let minor = surmise_interpreter::PYTHON_VERSION.strip_prefix("3.").and_then(|minor| minor.parse().ok());
    minor.expect("a version of Python 3")
}

/// Command for the binary under test, without environment variables that change its output.
pub fn surmise() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surmise"));
    command.env_remove("NO_COLOR").env_remove("VIRTUAL_ENV").env("COLUMNS", "100");
    command
}

/// Standard input of a command.
#[derive(Clone, Copy, Debug)]
pub enum Stdin<'a> {
    /// Empty input.
    Empty,
    /// Input from a file.
    File(&'a Path),
    /// Input from a pipe that provides these bytes.
    Pipe(&'a [u8]),
}

/// Exit status and output of a command.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub wall: Duration,
}

impl Ended {
    /// Exit code of the command; the test fails if a signal ended it.
    #[track_caller]
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("ended by a signal: {self}"))
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Checks that the command printed one `error:` and one `hint:` line and nothing else.
    #[track_caller]
    pub fn refused(&self, message: &str, hint: &str) {
        let expected = (2, String::new(), format!("error: {message}\nhint: {hint}\n"));
        assert_eq!((self.code(), self.stdout(), self.stderr()), expected, "{self}");
    }

    /// The JSON report on standard output.
    #[track_caller]
    pub fn report(&self) -> Value {
        self.try_report().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Parses the JSON report on standard output.
    ///
    /// # Errors
    /// If there is no report; the error shows what there is instead.
    pub fn try_report(&self) -> Result<Value, String> {
        let value: Value =
            serde_json::from_slice(&self.stdout).map_err(|error| format!("no JSON ({error}): {self}"))?;
        match value["schema"].as_str() {
            Some("surmise.run/1") => Ok(value),
            schema => Err(format!("schema {schema:?}")),
        }
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let start = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(1500)]).into_owned();
        let (stdout, stderr) = (start(&self.stdout), start(&self.stderr));
        write!(out, "{} after {:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}", status(self.status), self.wall)
    }
}

/// Describes an exit status in messages.
pub fn status(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => format!("{status:?}"),
    }
}

/// Runs a command without input to its end, or fails the test as [`run`] fails.
#[track_caller]
pub fn ended(command: &mut Command) -> Ended {
    ended_with(command, Stdin::Empty)
}

#[track_caller]
pub fn ended_with(command: &mut Command, stdin: Stdin<'_>) -> Ended {
    run(command, stdin).unwrap_or_else(|error| panic!("{error}"))
}

/// Report of `surmise run --json` on a snippet with the naive predictor, so that no training changes the result.
#[track_caller]
pub fn naive_report(snippet: &str, arguments: &[&str]) -> Value {
    report_by("naive", snippet, arguments)
}

/// Report of `surmise run --json` on a snippet with a predictor.
#[track_caller]
pub fn report_by(predictor: &str, snippet: &str, arguments: &[&str]) -> Value {
    let mut command = surmise();
    command.args(["run", "--json", "--predictor", predictor]).args(arguments).arg("-");
    ended_with(&mut command, Stdin::Pipe(snippet.as_bytes())).report()
}

/// The values of a command's output, one a line.
#[track_caller]
pub fn json_lines(ended: &Ended) -> Vec<Value> {
    ended.stdout().lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect()
}

/// Runs a command to its end.
///
/// # Errors
/// If it does not end within [`LIMIT`], or leaves a process behind that holds its output open.
pub fn run(command: &mut Command, stdin: Stdin<'_>) -> Result<Ended, String> {
    let begin = Instant::now();
    command.stdin(match stdin {
        Stdin::Empty => Stdio::null(),
        Stdin::File(path) => File::open(path).map_err(|error| format!("{}: {error}", path.display()))?.into(),
        Stdin::Pipe(_) => Stdio::piped(),
    });
    // Its own process group, so that everything it starts is killed with it at the limit.
    let spawned = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn();
    let mut child = spawned.map_err(|error| format!("{command:?}: {error}"))?;
    if let (Stdin::Pipe(bytes), Some(mut pipe)) = (stdin, child.stdin.take()) {
        let bytes = bytes.to_vec();
        std::thread::spawn(move || {
            let _reader_may_end_first = pipe.write_all(&bytes);
        });
    }
    let stdout = child.stdout.take().map(in_background).expect("stdout is a pipe");
    let stderr = child.stderr.take().map(in_background).expect("stderr is a pipe");
    let group = Pid::from_raw(child.id().cast_signed());
    let (ended, end) = channel();
    let waiter = std::thread::spawn(move || {
        let status = child.wait();
        let _nobody_waits_any_more = ended.send(());
        status
    });
    let in_time = end.recv_timeout(LIMIT) != Err(RecvTimeoutError::Timeout);
    if !in_time {
        let _just_gone = killpg(group, Signal::SIGKILL);
    }
    let status = waiter.join().expect("waiting does not panic").map_err(|error| error.to_string())?;
    let wall = begin.elapsed();
    let output = (stdout.recv_timeout(PIPES_LIMIT), stderr.recv_timeout(PIPES_LIMIT));
    let (Ok(stdout), Ok(stderr)) = output else {
        let _just_gone = killpg(group, Signal::SIGKILL);
        return Err(format!("{command:?} left a process behind that holds its output open"));
    };
    let ended = Ended { status, stdout, stderr, wall };
    schemas::check_output(command, &ended.stdout)?;
    if in_time { Ok(ended) } else { Err(format!("{command:?} did not end in {LIMIT:?}; killed: {ended}")) }
}

fn in_background(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (done, result) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _broken = pipe.read_to_end(&mut bytes);
        let _nobody_waits_any_more = done.send(bytes);
    });
    result
}

/// Sorted paths of the Python programs in a folder.
pub fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut programs: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "py")).collect();
    programs.sort();
    assert!(!programs.is_empty(), "no programs in {}", folder.display());
    programs
}

/// Name of a file without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Checks every item, several at a time, and fails at the end with all errors.
pub fn check_all<T: Sync>(items: &[T], name: impl Fn(&T) -> String, check: impl Fn(&T) -> Result<(), String> + Sync) {
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((number, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|number| Some((number, items.get(number)?)))
                {
                    if let Err(complaint) = check(item) {
                        complaints.lock().unwrap_or_else(PoisonError::into_inner).push((number, complaint));
                    }
                }
            });
        }
    });
    let mut complaints = complaints.into_inner().unwrap_or_else(PoisonError::into_inner);
    complaints.sort();
    let text: Vec<String> = complaints
        .iter()
        .map(|(number, complaint)| format!("== {}\n   {}", name(&items[*number]), complaint.replace('\n', "\n   ")))
        .collect();
    assert!(text.is_empty(), "{} of {} fail:\n{}", text.len(), items.len(), text.join("\n"));
}

//! What the benches of this crate share: the two programs they compare, their flags, statistics.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The command under test.
pub const SURMISE: &str = env!("CARGO_BIN_EXE_surmise");
/// Where the benches may write.
pub const SCRATCH: &str = env!("CARGO_TARGET_TMPDIR");

/// What the command line asks for.
#[derive(Clone, Copy)]
pub struct Flags {
    /// Print one JSON object in place of the table.
    pub json: bool,
    /// Once each, to see that all works: `--quick`, and whenever `cargo bench` did not start us (it says `--bench`).
    pub quick: bool,
}

impl Flags {
    /// Reads the command line.
    pub fn parse() -> Self {
        let given = |flag: &str| std::env::args().skip(1).any(|argument| argument == flag);
        Self { json: given("--json"), quick: given("--quick") || !given("--bench") }
    }

    /// How often to do something.
    pub fn times(self, usually: usize) -> usize {
        if self.quick { 1 } else { usually }
    }
}

/// A process that ended.
pub struct Finished {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// From its start to its end.
    pub wall: Duration,
}

/// Runs a command to its end, without input and with a fixed hash seed.
pub fn finish(command: &mut Command) -> Finished {
    let begin = Instant::now();
    let output = command.stdin(Stdio::null()).env("PYTHONHASHSEED", "0").output();
    let wall = begin.elapsed();
    let output = output.unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        wall,
    }
}

/// The interpreter that the command was built with, its real executable: a version manager's `python3` is a script
/// that costs more than the start of Python.
pub fn python() -> PathBuf {
    let probe = scratch("which.py", "import sys\nprint(sys.executable)\n");
    let finished = finish(Command::new(SURMISE).args(["run", "--plain"]).arg(probe));
    let path = PathBuf::from(finished.stdout.trim_end());
    assert!(path.is_file(), "`surmise` names `{}` as its Python: {}", path.display(), finished.stderr);
    path
}

/// Writes a small file for the benches.
pub fn scratch(name: &str, text: &str) -> PathBuf {
    let path = Path::new(SCRATCH).join(name);
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("cannot write `{}`: {error}", path.display()));
    path
}

/// The middle value; the mean of the two middle ones of an even number.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) }
}

/// Milliseconds, for people.
pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

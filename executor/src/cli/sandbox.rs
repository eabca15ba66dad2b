//! Options of the sandbox, shared by the commands that run snippets.

use std::path::PathBuf;

use clap::Args;

use surmise_batch::pool::processors;
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::zygote::sandbox::{Mode, Sandbox};

use super::printer;
use super::refusal::Refusal;

/// How strictly a program is confined, and what it may read and use.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Sandbox")]
pub(super) struct Options {
    /// What to do if this machine refuses a step of the sandbox (`surmise doctor` shows which).
    #[arg(long, value_enum, value_name = "MODE", default_value = "strict")]
    sandbox: Mode,
    /// File or folder that the program may read besides Python, the working folder, the script's folder and
    /// --python-path (repeatable). A working folder that is a home, or lies at the top of the file system, is visible
    /// only if it is named here.
    #[arg(long, value_name = "PATH")]
    allow_read: Vec<PathBuf>,
    /// Memory that each process may use in addition to the interpreter's own, such as 500M or 2G; beyond it Python
    /// raises `MemoryError`.
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
    memory: u64,
    /// How much of standard output, and of standard error, is kept, such as 64K; the rest is counted and dropped.
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = output_size)]
    max_output: u64,
}

/// What a sandbox has to make available for the programs that run in it.
pub(super) struct Program<'a> {
    /// Files of the programs, or folders that contain them.
    pub(super) paths: &'a [PathBuf],
    /// Folders of the packages and projects that these lie in.
    pub(super) folders: &'a [PathBuf],
    /// Folders with real packages to import.
    pub(super) readable: &'a [PathBuf],
    /// Deadline of a run, in seconds.
    pub(super) timeout: f64,
}

impl Options {
    /// Rejects paths that do not exist, because a mistyped path would otherwise show up as a missing file or value.
    pub(super) fn check(&self, python_path: &[PathBuf]) -> Result<(), Refusal> {
        if let Some(path) = python_path.iter().find(|path| !path.is_dir()) {
            let hint = "--python-path takes a folder with packages, such as a virtual environment's site-packages";
            return Err(Refusal::new(format!("`{}` is not a directory", path.display()), hint));
        }
        if let Some(path) = self.allow_read.iter().find(|path| !path.exists()) {
            let hint = "--allow-read takes a file or folder that is there";
            return Err(Refusal::new(format!("`{}` does not exist", path.display()), hint));
        }
        Ok(())
    }

    /// Starts a zygote in this sandbox.
    pub(super) fn start(&self, program: &Program<'_>) -> Result<Zygote, ClientError> {
        self.start_in(&self.sandbox(program))
    }

    /// Starts a zygote in a sandbox that these options chose.
    pub(super) fn start_in(&self, sandbox: &Sandbox) -> Result<Zygote, ClientError> {
        Ok(Zygote::start_in(sandbox)?.keeping_output(self.kept_output()))
    }

    /// Bytes of standard output, and of standard error, that are kept.
    pub(super) fn kept_output(&self) -> usize {
        self.max_output as usize
    }

    /// The sandbox of a program.
    pub(super) fn sandbox(&self, program: &Program<'_>) -> Sandbox {
        let mut sandbox = Sandbox { mode: self.sandbox, memory: self.memory, ..Sandbox::default() };
        sandbox.folders.extend(program.paths.iter().filter_map(|path| {
            let path = std::path::absolute(path).ok()?;
            if path.is_dir() { Some(path) } else { path.parent().map(PathBuf::from) }
        }));
        sandbox.folders.extend(program.folders.iter().cloned());
        sandbox.readable.extend(self.allow_read.iter().chain(program.readable).filter_map(|path| {
            let path = std::path::absolute(path).ok()?;
            // Resolves `.` and `..` to the folder that they name.
            Some(path.canonicalize().unwrap_or(path))
        }));
        // Enough for all cores at once: it is the parent that enforces the deadline.
        sandbox.cpu_seconds = (program.timeout.ceil() as u64).saturating_mul(processors() as u64).saturating_add(5);
        sandbox
    }

    /// Warns about the steps of the sandbox that this machine refused.
    pub(super) fn warn(&self, zygote: &Zygote) {
        let refused = zygote.refused();
        if self.sandbox == Mode::Off {
            printer::warning("the sandbox is off: the program runs with all your rights, on your files and network");
        } else if !refused.is_empty() {
            printer::warning(&format!("this machine refuses part of the sandbox: {refused}; see `surmise doctor`"));
        }
    }
}

/// Parses a size such as `64K`, `500M` or `2G`, or a number of bytes.
fn size(text: &str) -> Result<u64, String> {
    let wrong = || "not a size; write a number and `K`, `M` or `G`, such as 500M".to_owned();
    let (digits, shift) = match text.trim_end_matches(['B', 'b']).to_ascii_uppercase() {
        text if text.ends_with('K') => (text.trim_end_matches('K').to_owned(), 10),
        text if text.ends_with('M') => (text.trim_end_matches('M').to_owned(), 20),
        text if text.ends_with('G') => (text.trim_end_matches('G').to_owned(), 30),
        text => (text, 0),
    };
    let number: u64 = digits.trim().parse().map_err(|_| wrong())?;
    let bytes = number.checked_mul(1 << shift).filter(|bytes| *bytes < 1 << 50).ok_or_else(wrong)?;
    if bytes == 0 { Err("must be above 0".to_owned()) } else { Ok(bytes) }
}

/// Parses the size of kept output, limited because it is held in memory and written into reports.
fn output_size(text: &str) -> Result<u64, String> {
    size(text).and_then(|bytes| if bytes <= 1 << 30 { Ok(bytes) } else { Err("must be at most 1G".to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("64K"), Ok(64 << 10));
        assert_eq!(size("2g"), Ok(2 << 30));
        assert_eq!(size("500MB"), Ok(500 << 20));
        assert_eq!(size("12"), Ok(12));
        for wrong in ["", "0", "-1", "2T", "1.5G", "KK", "99999999999G", "G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert!(output_size("2G").is_err());
    }
}

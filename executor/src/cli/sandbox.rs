//! The options of the sandbox, shared by the commands that run snippets.

use std::path::PathBuf;

use clap::Args;

use crate::client::{ClientError, KEPT_OUTPUT_BYTES, Zygote};
use crate::zygote::sandbox::{DEFAULT_MEMORY, Mode, Sandbox};

use super::printer;

/// How far a program is locked in.
#[derive(Args, Debug)]
#[command(next_help_heading = "Sandbox")]
pub(super) struct Options {
    /// What to do where this machine refuses part of the sandbox (`surmise doctor` tells).
    #[arg(long, value_enum, value_name = "MODE", default_value = "strict")]
    sandbox: Mode,
    /// File or folder that the program may read, besides Python, the working folder, the script's and --python-path
    /// (repeatable). A working folder that is a home or at the top of the file system is shown only if it is named.
    #[arg(long, value_name = "PATH")]
    allow_read: Vec<PathBuf>,
    /// Memory of each process on top of the interpreter's, such as 500M or 2G; more is a `MemoryError`.
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
    memory: u64,
    /// Bytes kept of standard output, and of standard error, such as 64K; what comes after is counted and dropped.
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = output_size)]
    max_output: u64,
}

/// Whose sandbox it is.
pub(super) struct Program<'a> {
    /// What it is, or they are: files, and folders of them.
    pub(super) paths: &'a [PathBuf],
    /// Where it finds packages.
    pub(super) python_path: &'a [PathBuf],
    /// The deadline.
    pub(super) timeout: f64,
}

impl Options {
    /// A mistyped path must not turn into a missing file.
    pub(super) fn check(&self) -> Result<(), (String, &'static str)> {
        match self.allow_read.iter().find(|path| !path.exists()) {
            Some(path) => Err((
                format!("`{}` does not exist", path.display()),
                "--allow-read takes a file or folder that is there",
            )),
            None => Ok(()),
        }
    }

    /// Starts a zygote in this sandbox.
    pub(super) fn start(&self, program: &Program<'_>) -> Result<Zygote, ClientError> {
        let mut sandbox = Sandbox { mode: self.sandbox, memory: self.memory, ..Sandbox::default() };
        sandbox.folders.extend(program.paths.iter().filter_map(|path| {
            let path = std::path::absolute(path).ok()?;
            if path.is_dir() { Some(path) } else { path.parent().map(PathBuf::from) }
        }));
        sandbox.readable.extend(self.allow_read.iter().chain(program.python_path).filter_map(|path| {
            let path = std::path::absolute(path).ok()?;
            // `.` and `..` mean the folder itself.
            Some(path.canonicalize().unwrap_or(path))
        }));
        // All cores at once, and then some: the deadline is the parent's to keep.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        sandbox.cpu_seconds = (program.timeout.ceil() as u64).saturating_mul(cores as u64).saturating_add(5);
        Ok(Zygote::start_in(&sandbox)?.keeping_output(self.max_output as usize))
    }

    /// Says what is missing of the sandbox.
    pub(super) fn warn(&self, zygote: &Zygote) {
        let refused = zygote.refused();
        if self.sandbox == Mode::Off {
            printer::warning("the sandbox is off: the program runs with all your rights, on your files and network");
        } else if !refused.is_empty() {
            printer::warning(&format!("this machine refuses part of the sandbox: {refused}; see `surmise doctor`"));
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            sandbox: Mode::Strict,
            allow_read: Vec::new(),
            memory: DEFAULT_MEMORY,
            max_output: KEPT_OUTPUT_BYTES as u64,
        }
    }
}

/// `64K`, `500M`, `2G`, or a number of bytes.
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

/// Kept in memory, and in a report.
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

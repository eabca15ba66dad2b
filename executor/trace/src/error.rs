//! Errors of making and reading recordings, each with a hint.

use std::path::{Path, PathBuf};

use surmise_interpreter::PYTHON_VERSION;

/// Why a command was not recorded, or why its recording was not written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// An operation on a file failed.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    Io {
        /// The operation, as an infinitive for the message.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The output path is a file, not a folder.
    #[error("`{}` is a file, not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The output folder has other content than a recording.
    #[error("`{}` is not empty and holds no recording", .0.display())]
    Foreign(PathBuf),
    /// The output folder already has a recording.
    #[error("`{}` holds a recording", .0.display())]
    Exists(PathBuf),
    /// The output folder has an unfinished recording.
    #[error("`{}` holds an unfinished recording", .0.display())]
    Unfinished(PathBuf),
    /// The folder has no interrupted recording.
    #[error("`{}` holds nothing to recover", .0.display())]
    NothingToRecover(PathBuf),
    /// Another process writes into the output folder.
    #[error("another `surmise trace` writes into `{}`", .0.display())]
    InUse(PathBuf),
    /// The path has a colon, which separates the entries of `PYTHONPATH`.
    #[error("`{}` has a colon in its path, which `PYTHONPATH` cannot carry", .0.display())]
    Colon(PathBuf),
    /// A package name is not a dotted name, but for example a path.
    #[error("`{0}` is no package name")]
    Package(String),
    /// A glob does not parse.
    #[error("`{glob}` is no glob: {problem}")]
    Glob {
        /// The glob as given.
        glob: String,
        /// What is wrong with the glob.
        problem: String,
    },
    /// No Python was found on `PATH`.
    #[error("no `python3` is on PATH")]
    NoPython,
    /// The interpreter does not answer `probe.py`.
    #[error("`{}` cannot be asked for its version: {problem}", path.display())]
    Mute {
        /// The interpreter.
        path: PathBuf,
        /// What the interpreter did instead of answering.
        problem: String,
    },
    /// The interpreter is not the one that the recorder was built for.
    #[error("`{}` is {found}, and this Surmise records CPython {PYTHON_VERSION} only", path.display())]
    WrongPython {
        /// The interpreter.
        path: PathBuf,
        /// Name and version of the interpreter.
        found: String,
    },
    /// The program was built without the recorder's library.
    #[error("this build of Surmise has no recorder")]
    NoRecorder,
    /// The interpreter cannot load the recorder's library.
    #[error("`{}` cannot load the recorder: {problem}", path.display())]
    Unloadable {
        /// The interpreter.
        path: PathBuf,
        /// Error of the dynamic loader.
        problem: String,
    },
    /// The program of the command is not found.
    #[error("the command `{0}` is not found")]
    NoCommand(String),
    /// The command cannot be executed.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The command as given.
        command: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A file of the recording cannot be written.
    #[error("cannot write `{}`: {problem}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why it cannot be written.
        problem: String,
    },
    /// A recording cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl TraceError {
    /// Makes a function for `map_err` on file operations.
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }

    /// Error for a file of the recording that cannot be written.
    pub(crate) fn write(path: &Path, error: &dyn std::error::Error) -> Self {
        // The prefix that the Parquet library adds to errors of the system means nothing to the user.
        let problem = error.to_string();
        let problem = problem.strip_prefix("External: ").unwrap_or(&problem).to_owned();
        Self::Write { path: path.to_owned(), problem }
    }

    /// Hint that says what to do about the error.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotAFolder(_) | Self::Foreign(_) => "give `-o` a new or empty folder".to_owned(),
            Self::Exists(_) => "give `-o` another folder, or `--replace` to write a new recording over it".to_owned(),
            Self::Unfinished(_) => {
                "`surmise trace recover` writes what there is of it, `--replace` a new recording over it".to_owned()
            }
            Self::NothingToRecover(_) => {
                "give the folder that `surmise trace -o` wrote to when it was cut off".to_owned()
            }
            Self::InUse(_) => "wait for it to end, or give `-o` another folder".to_owned(),
            Self::Colon(_) => "give `-o` a folder without one".to_owned(),
            Self::Package(_) => {
                "give the dotted name that is imported, such as `flask` or `flask.json`, not a path".to_owned()
            }
            Self::Glob { .. } => "`*` stands for any text, `?` for one character, `[ab]` for one of these".to_owned(),
            Self::NoPython => "give the interpreter: `--python VENV/bin/python`".to_owned(),
            Self::Mute { .. } => "`--python` takes the path of an interpreter, such as `VENV/bin/python`".to_owned(),
            Self::WrongPython { path, .. } => {
                format!("build Surmise for that Python: `PYO3_PYTHON={} cargo build --release`", path.display())
            }
            Self::NoRecorder => "build it whole: `cargo build --release --package surmise-executor`".to_owned(),
            Self::Unloadable { path, .. } => {
                format!("rebuild Surmise on this machine: `PYO3_PYTHON={} cargo build --release`", path.display())
            }
            Self::NoCommand(_) => {
                "it is looked for as a shell does; if it belongs to a virtual environment: `--python VENV/bin/python`"
                    .to_owned()
            }
            Self::Io { .. } | Self::Start { .. } | Self::Write { .. } => return None,
            Self::Read(error) => return error.hint(),
        })
    }
}

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Opening or reading a file failed.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The folder has no finished recording.
    #[error("`{}` holds no finished recording: it has no `trace.json`", .0.display())]
    NoRecording(PathBuf),
    /// The file is truncated or overwritten.
    #[error("`{}` is damaged: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with the file.
        problem: String,
    },
    /// The file has another format or another version of it.
    #[error("`{}` is no {} table: {problem}", path.display(), super::row::SCHEMA)]
    Schema {
        /// The file.
        path: PathBuf,
        /// How the file differs from the format.
        problem: String,
    },
}

impl ReadError {
    /// Error for a file that is truncated or overwritten.
    pub(crate) fn damaged(path: &Path, error: &dyn std::error::Error) -> Self {
        Self::Damaged { path: path.to_owned(), problem: error.to_string() }
    }

    /// Hint that says what to do about the error.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Io { .. } => None,
            Self::NoRecording(_) => Some("give the folder that `surmise trace -o` wrote".to_owned()),
            Self::Damaged { .. } => Some("record it anew with `surmise trace --replace`".to_owned()),
            Self::Schema { .. } => Some("docs/trace-format.md describes the tables that Surmise reads".to_owned()),
        }
    }
}

//! What can go wrong around a recording, and what to do about it.

use std::path::{Path, PathBuf};

use surmise_recorder::PYTHON_VERSION;

/// The environment variable that names the recorder's library where it lies neither beside the binary nor in `deps`.
pub const RECORDER_VARIABLE: &str = "SURMISE_RECORDER";

/// Why a command was not recorded, or its recording not written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The system refuses something about a file.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The output is to be a folder.
    #[error("`{}` is a file, not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The output folder has other things in it.
    #[error("`{}` is not empty and holds no recording", .0.display())]
    Foreign(PathBuf),
    /// It has a recording already.
    #[error("`{}` holds a recording", .0.display())]
    Exists(PathBuf),
    /// It has one that was not finished.
    #[error("`{}` holds an unfinished recording", .0.display())]
    Unfinished(PathBuf),
    /// No run that was cut off left anything in it.
    #[error("`{}` holds nothing to recover", .0.display())]
    NothingToRecover(PathBuf),
    /// Another process writes into it.
    #[error("another `surmise trace` writes into `{}`", .0.display())]
    InUse(PathBuf),
    /// `PYTHONPATH` cannot carry the path.
    #[error("`{}` has a colon in its path, which `PYTHONPATH` cannot carry", .0.display())]
    Colon(PathBuf),
    /// A package is named by its path or otherwise wrong.
    #[error("`{0}` is no package name")]
    Package(String),
    /// A glob does not parse.
    #[error("`{glob}` is no glob: {problem}")]
    Glob {
        /// As given.
        glob: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No Python was found.
    #[error("no `python3` is on PATH")]
    NoPython,
    /// The interpreter does not answer.
    #[error("`{}` cannot be asked for its version: {problem}", path.display())]
    Mute {
        /// The interpreter.
        path: PathBuf,
        /// What it did instead.
        problem: String,
    },
    /// The interpreter is none that the recorder was built for.
    #[error("`{}` is {found}, and this Surmise records CPython {PYTHON_VERSION} only", path.display())]
    WrongPython {
        /// The interpreter.
        path: PathBuf,
        /// What it is.
        found: String,
    },
    /// The recorder's library is not where it should be.
    #[error("the recorder `libsurmise_recorder.so` is not found beside `surmise`")]
    NoRecorder,
    /// The interpreter cannot load it.
    #[error("`{}` cannot load the recorder: {problem}", path.display())]
    Unloadable {
        /// The interpreter.
        path: PathBuf,
        /// What the loader said.
        problem: String,
    },
    /// The command is not there.
    #[error("the command `{0}` is not found")]
    NoCommand(String),
    /// The command cannot be executed.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// As given.
        command: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of the recording cannot be written.
    #[error("cannot write `{}`: {problem}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A recording cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl TraceError {
    /// For `map_err` on what concerns a path.
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }

    /// About a file of a recording.
    pub(crate) fn write(path: &Path, error: &dyn std::error::Error) -> Self {
        // The Parquet library's word for errors of the system says nothing to the user.
        let problem = error.to_string();
        let problem = problem.strip_prefix("External: ").unwrap_or(&problem).to_owned();
        Self::Write { path: path.to_owned(), problem }
    }

    /// What to do about it.
    #[must_use]
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
            Self::NoRecorder => {
                format!("build it with `cargo build --release`, or set {RECORDER_VARIABLE} to its path")
            }
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
    /// The system refuses.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no finished recording.
    #[error("`{}` holds no finished recording: it has no `trace.json`", .0.display())]
    NoRecording(PathBuf),
    /// The file is truncated or overwritten.
    #[error("`{}` is damaged: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The file is something else, or of another version.
    #[error("`{}` is no {} table: {problem}", path.display(), super::schema::SCHEMA)]
    Schema {
        /// The file.
        path: PathBuf,
        /// What it has or lacks.
        problem: String,
    },
}

impl ReadError {
    /// About a file that is not whole.
    pub(crate) fn damaged(path: &Path, error: &dyn std::error::Error) -> Self {
        Self::Damaged { path: path.to_owned(), problem: error.to_string() }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Io { .. } => None,
            Self::NoRecording(_) => Some("give the folder that `surmise trace -o` wrote".to_owned()),
            Self::Damaged { .. } => Some("record it anew with `surmise trace --replace`".to_owned()),
            Self::Schema { .. } => Some("docs/trace-format.md describes the tables that Surmise reads".to_owned()),
        }
    }
}

//! Many snippets: which there are ([`items`]), running them on all cores ([`pool`]), keeping every result ([`store`]),
//! and what they come to ([`summary`], [`render`]).
//!
//! Results are written as they come, one checked line each, and the rest is read from there: memory does not grow
//! with the number of snippets beyond a few bytes each, and a killed batch goes on where it stopped.

pub mod items;
pub mod pages;
pub mod pool;
pub mod record;
pub mod render;
pub mod store;
pub mod summary;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::plan::PredictorChoice;

/// One way to run every snippet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Who predicts.
    pub predictor: PredictorChoice,
    /// Runs of a snippet at most.
    pub runs: u32,
}

impl Configuration {
    /// Its name in results and tables: `model`, `naive x64`.
    #[must_use]
    pub fn name(self) -> String {
        let predictor = match self.predictor {
            PredictorChoice::None => "none",
            PredictorChoice::Naive => "naive",
            PredictorChoice::Random => "random",
            PredictorChoice::Frequency => "frequency",
            PredictorChoice::Model => "model",
        };
        if self.runs == 1 { predictor.to_owned() } else { format!("{predictor} x{}", self.runs) }
    }
}

/// Why a batch could not be done.
#[derive(Debug, thiserror::Error)]
pub enum CoverError {
    /// Something given does not exist or cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that was named cannot be read as Python source.
    #[error(transparent)]
    Source(#[from] crate::source::SourceError),
    /// Results or reports cannot be written.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line of a JSONL file is not what it should be.
    #[error("`{path}` line {line}: {message}")]
    BadRecord {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The results in the folder are damaged or of another kind.
    #[error("`{path}`: {message}")]
    Store {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// No worker could be started.
    #[error(transparent)]
    Worker(#[from] crate::client::ClientError),
}

impl CoverError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            CoverError::Source(error) => error.hint(),
            CoverError::Read { .. } => "give Python files, folders, or JSONL files with --jsonl",
            CoverError::Write { .. } => "nothing that was finished is lost: the same command goes on from there",
            CoverError::BadRecord { .. } => {
                "--jsonl takes a JSON object a line, and --field names the key of the source"
            }
            CoverError::Store { hint, .. } => hint,
            CoverError::Worker(error) => error.hint(),
        }
    }
}

/// Set by SIGINT and SIGTERM: no further snippet is begun.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// True once the user wants it to end.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Lets SIGINT and SIGTERM end the batch after the snippets at hand; a second one ends it at once.
pub fn end_on_signals() {
    extern "C" fn note(_signal: i32) {
        INTERRUPTED.store(true, Ordering::Relaxed);
    }
    use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
    let action =
        SigAction::new(SigHandler::Handler(note), SaFlags::SA_RESETHAND | SaFlags::SA_RESTART, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: the handler only stores to an atomic.
        let _old = unsafe { sigaction(signal, &action) };
    }
}

//! Errors of training.

use std::path::PathBuf;

use crate::t5::LoadError;

/// Why training cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A file cannot be read or written.
    #[error("`{path}`: {source}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The checkpoint is damaged or of another recipe.
    #[error("`{path}` cannot be resumed: {problem}")]
    Checkpoint {
        /// Path of the checkpoint.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file of labelled programs holds something else.
    #[error("`{path}`: {problem}")]
    Labels {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The encoder does not take the tokens of a program.
    #[error("the encoder refuses a program: {0}")]
    Encoder(String),
    /// The weights to start from do not fit.
    #[error(transparent)]
    Weights(#[from] LoadError),
    /// The data have nothing to learn from.
    #[error("nothing to learn from in the data")]
    NoData,
    /// The loss became infinite or NaN.
    #[error("the loss is not finite after step {0}")]
    Diverged(u64),
}

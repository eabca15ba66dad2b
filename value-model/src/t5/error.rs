//! Errors of a model's files and of the queries it is given.

use std::path::PathBuf;

/// Why a model cannot be loaded or saved. Each message says what is wrong, where, and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The operating system refused to open, read or write the file.
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// The content of the file cannot be used.
    #[error("{path}: {problem}", path = path.display())]
    File { path: PathBuf, problem: Box<LoadError> },
    /// The directory holds no weights in a known format.
    #[error("no weights: expected model.safetensors or pytorch_model.bin")]
    NoWeights,
    /// `config.json` isn't JSON, or a value has the wrong type.
    #[error("not a T5 configuration: {0}")]
    ConfigSyntax(serde_json::Error),
    /// A value in `config.json` that this implementation doesn't know or that is out of range.
    #[error("configuration: `{key}` is {value}, expected {expected}")]
    Config { key: &'static str, value: String, expected: String },
    /// A file or a part of it is larger than what is read into memory.
    #[error("{what} takes {size} bytes, more than the limit of {limit}")]
    TooLarge { what: String, size: u64, limit: u64 },
    /// The file ends before what its header announces.
    #[error("truncated: {0}")]
    Truncated(String),
    /// The file is of another format, or damaged.
    #[error("damaged or of another format: {0}")]
    Damaged(String),
    /// A tensor that the configuration asks for is not there.
    #[error("tensor `{0}` is missing")]
    Missing(String),
    /// A tensor of another shape than the configuration says.
    #[error("tensor `{name}` has the shape {found:?}, expected {expected:?}")]
    Shape { name: String, found: Vec<usize>, expected: Vec<usize> },
    /// A tensor of a type that weights cannot have.
    #[error("tensor `{name}` is of type {found}, expected {expected}")]
    Dtype { name: String, found: String, expected: &'static str },
    /// A weight is NaN or infinite, which would make every answer NaN.
    #[error("tensor `{0}` holds values that are not finite")]
    NotFinite(String),
}

impl LoadError {
    /// Adds the path of the file that has the problem, unless the error has one.
    pub(crate) fn at(self, path: &std::path::Path) -> Self {
        match self {
            located @ (Self::Io { .. } | Self::File { .. }) => located,
            problem => Self::File { path: path.into(), problem: Box::new(problem) },
        }
    }
}

/// Why a model cannot answer: the caller's tokens don't fit it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// A row of the batch has no tokens.
    #[error("row {0} of the batch is empty")]
    EmptyRow(usize),
    /// A row is longer than [`super::Batch::MAX_TOKENS`].
    #[error("row {row} of the batch has {length} tokens, more than {limit}")]
    LongRow { row: usize, length: usize, limit: usize },
    /// A token is outside the vocabulary.
    #[error("token {token} is outside the vocabulary of {vocabulary}")]
    Token { token: u32, vocabulary: usize },
    /// A query names a row that the encoded batch does not have.
    #[error("there is no row {row} in a batch of {rows}")]
    NoRow { row: usize, rows: usize },
    /// The batch was encoded by another model, whose states mean nothing to this one.
    #[error("the batch was encoded by another model")]
    OtherModel,
}

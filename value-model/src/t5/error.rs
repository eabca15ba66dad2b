//! What can be wrong with a model's files, and with what it is asked.

use std::path::PathBuf;

/// Why a model cannot be loaded or saved. Each message says what is wrong, where, and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file system said no.
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// A problem inside a file.
    #[error("{path}: {problem}", path = path.display())]
    File { path: PathBuf, problem: Box<LoadError> },
    /// A directory without weights in a known format.
    #[error("no weights: expected model.safetensors or pytorch_model.bin")]
    NoWeights,
    /// `config.json` isn't JSON, or a value has the wrong type.
    #[error("not a T5 configuration: {0}")]
    ConfigSyntax(serde_json::Error),
    /// A value in `config.json` that this implementation doesn't know or that is out of range.
    #[error("configuration: `{key}` is {value}, expected {expected}")]
    Config { key: &'static str, value: String, expected: String },
    /// A file or a part of it above what is read into memory.
    #[error("{what} takes {size} bytes, more than the limit of {limit}")]
    TooLarge { what: String, size: u64, limit: u64 },
    /// The file ends before what its header announces.
    #[error("truncated: {0}")]
    Truncated(String),
    /// A file of another format, or a damaged one.
    #[error("damaged or of another format: {0}")]
    Damaged(String),
    /// A pickle that does more than build tensors.
    #[error("refused: this pickle would run code ({0}); only tensors are read")]
    RunsCode(String),
    /// A tensor that the configuration asks for is not there.
    #[error("tensor `{0}` is missing")]
    Missing(String),
    /// A tensor of another shape than the configuration says.
    #[error("tensor `{name}` has the shape {found:?}, expected {expected:?}")]
    Shape { name: String, found: Vec<usize>, expected: Vec<usize> },
    /// A tensor of a type that weights cannot have.
    #[error("tensor `{name}` is of type {found}, expected {expected}")]
    Dtype { name: String, found: String, expected: &'static str },
    /// Not a number, or infinite.
    #[error("tensor `{0}` holds values that are not finite")]
    NotFinite(String),
}

impl LoadError {
    /// Says in which file the problem is.
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
    /// A row without tokens.
    #[error("row {0} of the batch is empty")]
    EmptyRow(usize),
    /// A row longer than [`super::Batch::MAX_TOKENS`].
    #[error("row {row} of the batch has {length} tokens, more than {limit}")]
    LongRow { row: usize, length: usize, limit: usize },
    /// Lengths or widths that don't match the tokens given.
    #[error("the padded batch has {tokens} tokens, not {rows} rows of {width}")]
    Padding { tokens: usize, rows: usize, width: usize },
    /// A token outside the vocabulary.
    #[error("token {token} is outside the vocabulary of {vocabulary}")]
    Token { token: u32, vocabulary: usize },
    /// A row that the encoded batch hasn't.
    #[error("there is no row {row} in a batch of {rows}")]
    NoRow { row: usize, rows: usize },
    /// A batch that another model encoded.
    #[error("the batch was encoded by another model")]
    OtherModel,
}

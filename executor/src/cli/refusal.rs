//! Why a command ended without doing what it was asked for: a message, a hint and an exit code, printed in one place.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use surmise_batch::BatchError;
use surmise_diff::repository::RepositoryError;
use surmise_engine::client::ClientError;
use surmise_engine::exit::Exit;
use surmise_trace::dataset::DataError;
use surmise_trace::error::TraceError;
use surmise_value_model::files;

use super::printer;

/// An error that ends the command.
pub(super) struct Refusal {
    message: String,
    /// What to do about it.
    hint: Option<String>,
    exit: Exit,
}

impl Refusal {
    /// Bad usage or unreadable input, with a hint.
    pub(super) fn new(message: impl Display, hint: impl Display) -> Self {
        Self { hint: Some(hint.to_string()), ..Self::bare(message) }
    }

    /// Bad usage or unreadable input of which the message says all.
    pub(super) fn bare(message: impl Display) -> Self {
        Self { message: message.to_string(), hint: None, exit: Exit::Usage }
    }

    /// The same with another exit code.
    pub(super) fn with(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// Prints the error, and returns its exit code.
    pub(super) fn report(self) -> ExitCode {
        printer::error(&self.message, self.hint.as_deref());
        self.exit.into()
    }
}

impl From<ClientError> for Refusal {
    fn from(error: ClientError) -> Self {
        Self::new(&error, error.hint()).with(error.exit())
    }
}

impl From<BatchError> for Refusal {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::Worker(error) => error.into(),
            error => Self::new(&error, error.hint()),
        }
    }
}

impl From<RepositoryError> for Refusal {
    fn from(error: RepositoryError) -> Self {
        Self::new(&error, error.hint())
    }
}

impl From<TraceError> for Refusal {
    fn from(error: TraceError) -> Self {
        Self { hint: error.hint(), ..Self::bare(&error) }
    }
}

impl From<DataError> for Refusal {
    fn from(error: DataError) -> Self {
        let hint = match error {
            DataError::Empty(_) => "`corpora/build.py` makes such a folder, `surmise trace` a recording to put there",
            DataError::TwoSplits { .. } => "a project's events may be learned from or measured on, not both",
            _ => return Self::bare(error),
        };
        Self::new(error, hint)
    }
}

/// Writes a whole file or none of it.
pub(super) fn write(path: &Path, data: impl AsRef<[u8]>) -> Result<(), Refusal> {
    files::replace(path, data.as_ref())
        .map_err(|error| Refusal::bare(format!("cannot write `{}`: {error}", path.display())))
}

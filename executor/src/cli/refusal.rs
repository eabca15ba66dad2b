//! Why a command ended without doing what it was asked for: a message, a hint and an exit code, printed in one place.

use std::fmt::Display;
use std::path::Path;

use surmise_batch::BatchError;
use surmise_diff::repository::RepositoryError;
use surmise_engine::client::ClientError;
use surmise_engine::exit::{Exit, Status};
use surmise_trace::dataset::DataError;
use surmise_trace::error::TraceError;
use surmise_value_model::files;

use super::printer;

/// An error that ends the command.
#[derive(Debug)]
pub struct Refusal {
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

    /// Arguments that do not parse.
    pub(super) fn usage(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let mut lines = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
        let message = lines.next().unwrap_or_default();
        let refusal = Self::bare(message.strip_prefix("error: ").unwrap_or(message));
        // The values that are possible, or a name that is like the one given.
        let rest: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
        Self { hint: (!rest.is_empty()).then(|| rest.join("; ")), ..refusal }
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The exit code with which the command ends.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Prints the error, and returns its exit code.
    pub(super) fn report(self) -> Status {
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

/// Checks that a file can be written when there is something to write: before long work, and not after it.
pub(super) fn check_writable(path: &Path) -> Result<(), Refusal> {
    let refusal = |problem: &dyn Display| {
        let hint = "give the path of a file in a folder that you may write to";
        Refusal::new(format!("cannot write `{}`: {problem}", path.display()), hint)
    };
    if path.is_dir() {
        return Err(refusal(&"it is a directory"));
    }
    // A device or a pipe is not replaced.
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let tried = tempfile::tempfile_in(folder);
    tried.map(drop).map_err(|error| refusal(&error))
}

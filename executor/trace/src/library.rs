//! The recorder's library: where the file is that the interpreters of recorded commands load.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use surmise_engine::host;
use tempfile::TempPath;

use super::error::TraceError;

/// The recorder's library as the binary has it in itself.
static EMBEDDED: OnceLock<&'static [u8]> = OnceLock::new();

/// Gives the recorder's library, once for the process; nothing where there is none.
pub fn embed(library: &'static [u8]) {
    if !library.is_empty() {
        let _only_once = EMBEDDED.set(library);
    }
}

/// The recorder's library, as a file that an interpreter can load.
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    /// Removes the file, if it was written for this recording.
    _written: Option<TempPath>,
}

impl Library {
    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn written(bytes: &[u8]) -> std::io::Result<Self> {
        let mut file = tempfile::Builder::new().prefix("surmise-recorder-").suffix(".so").tempfile()?;
        file.write_all(bytes)?;
        let path = file.into_temp_path();
        Ok(Self { path: path.to_path_buf(), _written: Some(path) })
    }
}

/// The recorder's library: the one that an interpreter has loaded, which has the recorder in it, or the one that the binary has in
/// itself.
///
/// # Errors
/// If there is none, or it cannot be written.
pub fn library() -> Result<Library, TraceError> {
    if let Some(library) = host::library() {
        return Ok(Library { path: library.to_owned(), _written: None });
    }
    let bytes = EMBEDDED.get().ok_or(TraceError::NoRecorder)?;
    Library::written(bytes).map_err(TraceError::io("write the recorder to", std::env::temp_dir()))
}

//! A temporary folder with the files of a test.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary folder; it is removed when the value is dropped.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with these files.
    pub fn of(files: &[(&str, &str)]) -> Self {
        files.iter().fold(Self::new(), |folder, (name, text)| folder.and(name, text))
    }

    /// Adds a file, and the folders that it lies in.
    pub fn and(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    #[track_caller]
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("a folder can be made");
        std::fs::write(path, content).expect("a file can be written");
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }
}

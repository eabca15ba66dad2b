//! The output folder, claimed by one recording at a time, and the spool in it while the command runs.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use surmise_recorder::config::{self, Config};

use super::error::TraceError;
use super::summary::{self, Summary};

const LOCK: &str = ".lock";
const SPOOL: &str = "spool";
const CONFIG: &str = "config.json";
const BASE: &str = "base.json";
const FAILURES: &str = "failures.txt";
const SITECUSTOMIZE: &str = include_str!("../runtime/sitecustomize.py");

/// An output folder that this process has locked until the value is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Creates the folder if it does not exist, and locks it for a new recording.
    ///
    /// # Errors
    /// If it has other things in it, holds a recording and `replace` is not set, or is in use.
    pub fn claim(path: &Path, replace: bool) -> Result<Self, TraceError> {
        let folder = Self::lock(path)?;
        if !replace && folder.path.join(summary::NAME).exists() {
            return Err(TraceError::Exists(folder.path));
        }
        if folder.spool().exists() {
            if !replace {
                return Err(TraceError::Unfinished(folder.path));
            }
            remove(&folder.spool())?;
        }
        Ok(folder)
    }

    /// Locks a folder with an unfinished recording, and finds its spool.
    ///
    /// # Errors
    /// If there is none in it, or it is in use.
    pub fn reclaim(path: &Path) -> Result<(Self, Spool), TraceError> {
        if !path.join(SPOOL).join(BASE).is_file() {
            return Err(TraceError::NothingToRecover(path.to_owned()));
        }
        let folder = Self::lock(path)?;
        let spool = Spool::of(folder.spool());
        Ok((folder, spool))
    }

    /// Creates the folder if it does not exist, and locks it unless it has other content or is in use.
    fn lock(path: &Path) -> Result<Self, TraceError> {
        let path = std::path::absolute(path).map_err(TraceError::io("find", path))?;
        if has_colon(&path) {
            return Err(TraceError::Colon(path));
        }
        if path.exists() && !path.is_dir() {
            return Err(TraceError::NotAFolder(path));
        }
        std::fs::create_dir_all(&path).map_err(TraceError::io("make the folder", &path))?;
        // CPython resolves the entries of `PYTHONPATH` in the same way.
        let path = path.canonicalize().map_err(TraceError::io("find", &path))?;
        if has_colon(&path) {
            return Err(TraceError::Colon(path));
        }
        // Not even a lock is written into a folder with other content.
        if is_foreign(&path)? {
            return Err(TraceError::Foreign(path));
        }
        let lock = path.join(LOCK);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&lock);
        let file = file.map_err(TraceError::io("write", &lock))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(TraceError::InUse(path)),
            Err(TryLockError::Error(error)) => return Err(TraceError::io("lock", lock)(error)),
        }
        Ok(Self { path, _lock: file })
    }

    /// Absolute path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Folder that the recorded processes write to.
    pub fn spool(&self) -> PathBuf {
        self.path.join(SPOOL)
    }

    /// Creates the spool with all files that the processes need. `tag` names the interpreters that may load the
    /// library.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn make_spool(&self, config: &Config, base: &Summary, library: &Path, tag: &str) -> Result<Spool, TraceError> {
        let spool = Spool::of(self.spool());
        for folder in [&spool.path, &config::cache(&spool.path), &spool.site] {
            std::fs::create_dir(folder).map_err(TraceError::io("make the folder", folder))?;
        }
        let text = serde_json::to_string(config).map_err(std::io::Error::other);
        let text = text.map_err(TraceError::io("write", &spool.config))?;
        std::fs::write(&spool.config, text).map_err(TraceError::io("write", &spool.config))?;
        let about = spool.path.join(BASE);
        let text = serde_json::to_string(base).map_err(std::io::Error::other);
        text.and_then(|text| std::fs::write(&about, text)).map_err(TraceError::io("write", &about))?;
        let module = spool.site.join("sitecustomize.py");
        std::fs::write(&module, SITECUSTOMIZE).map_err(TraceError::io("write", &module))?;
        let link = spool.path.join(format!("_surmise_recorder.{tag}.so"));
        symlink(library, &link).map_err(TraceError::io("make", link))?;
        Ok(spool)
    }
}

/// The folder that the processes of a running command write to.
#[derive(Debug)]
pub struct Spool {
    /// Path of the spool.
    pub path: PathBuf,
    /// Folder with `sitecustomize.py`, which is put in front of `PYTHONPATH`.
    pub site: PathBuf,
    /// Path of the recorder's configuration.
    pub config: PathBuf,
}

impl Spool {
    fn of(path: PathBuf) -> Self {
        Self { site: path.join("site"), config: path.join(CONFIG), path }
    }

    /// Summary of the recording as it was known when the command started, for recovery.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn base(&self) -> Result<Summary, TraceError> {
        let path = self.path.join(BASE);
        let text = std::fs::read(&path).map_err(TraceError::io("read", &path))?;
        serde_json::from_slice(&text).map_err(std::io::Error::from).map_err(TraceError::io("read", &path))
    }

    /// Distinct messages of processes that could not start the recorder, with the number of processes.
    pub fn failures(&self) -> Vec<(String, usize)> {
        let text = std::fs::read(self.path.join(FAILURES)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut failures: Vec<(String, usize)> = Vec::new();
        for line in text.lines() {
            let message = line.split_once('\t').map_or(line, |(_pid, message)| message);
            match failures.iter_mut().find(|(known, _)| known == message) {
                Some((_, count)) => *count += 1,
                None => failures.push((message.to_owned(), 1)),
            }
        }
        failures
    }

    /// Removes the spool after the recording has been written.
    ///
    /// # Errors
    /// If something in it stays.
    pub fn remove(self) -> Result<(), TraceError> {
        // Removed first, so that a partly removed spool does not pass for an unfinished recording.
        let _gone_with_the_rest = std::fs::remove_file(self.path.join(BASE));
        remove(&self.path)
    }
}

/// Removes a folder, with a second attempt for files that surviving processes created during the first.
fn remove(path: &Path) -> Result<(), TraceError> {
    let gone = |result: std::io::Result<()>| match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    };
    let removed = gone(std::fs::remove_dir_all(path)).or_else(|_| gone(std::fs::remove_dir_all(path)));
    removed.map_err(TraceError::io("remove", path))
}

fn has_colon(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().contains(&b':')
}

/// Whether a folder has content other than a finished or unfinished recording.
fn is_foreign(path: &Path) -> Result<bool, TraceError> {
    let mut others = false;
    for entry in std::fs::read_dir(path).map_err(TraceError::io("read", path))? {
        let name = entry.map_err(TraceError::io("read", path))?.file_name();
        others |= name != LOCK;
    }
    Ok(others && !path.join(summary::NAME).is_file() && !path.join(SPOOL).join(CONFIG).is_file())
}

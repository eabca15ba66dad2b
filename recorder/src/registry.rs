//! The registry of modules of a recording, which gives their sites the same numbers in all processes.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::config::{self, Module};
use crate::layout::MAX_SITES;

/// Content of `modules.jsonl` as read so far. A later line for the same file and hash replaces an earlier one.
pub(crate) struct Registry {
    path: PathBuf,
    known: FxHashMap<(PathBuf, String), Module>,
    read_to: u64,
    /// First free site number.
    next: u32,
}

impl Registry {
    pub(crate) fn new(spool: &Path) -> Self {
        Self { path: config::registry(spool), known: FxHashMap::default(), read_to: 0, next: 0 }
    }

    /// Finds the entry of a module, if some process has made one.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn find(&mut self, path: &Path, sha256: &str) -> std::io::Result<Option<Module>> {
        let key = (path.to_owned(), sha256.to_owned());
        if !self.known.contains_key(&key) {
            let mut file = self.open()?;
            self.catch_up(&mut file)?;
        }
        Ok(self.known.get(&key).cloned())
    }

    /// Adds a module and gives it numbers, unless another process has done so in the meantime.
    ///
    /// # Errors
    /// If the file cannot be written, or all numbers are taken.
    pub(crate) fn enter(&mut self, mut module: Module) -> std::io::Result<Module> {
        let key = (module.path.clone(), module.sha256.clone());
        let mut file = self.open()?;
        self.catch_up(&mut file)?;
        match self.known.get(&key) {
            Some(known) if module.left_out.is_none() || known.left_out.is_some() => return Ok(known.clone()),
            Some(known) => module.first = known.first,
            None => module.first = self.next,
        }
        let end = module.first as usize + module.sites as usize;
        if end > MAX_SITES {
            return Err(std::io::Error::other("too many sites"));
        }
        let mut line = serde_json::to_vec(&module)?;
        line.push(b'\n');
        file.write_all(&line)?;
        self.read_to += line.len() as u64;
        self.next = self.next.max(end as u32);
        self.known.insert(key, module.clone());
        Ok(module)
    }

    /// Opens the file, locked until it is closed.
    fn open(&self) -> std::io::Result<File> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(&self.path)?;
        file.lock()?;
        Ok(file)
    }

    fn catch_up(&mut self, file: &mut File) -> std::io::Result<()> {
        file.seek(SeekFrom::Start(self.read_to))?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        self.read_to += text.len() as u64;
        for line in text.lines() {
            let module: Module = serde_json::from_str(line)?;
            self.next = self.next.max(module.first + module.sites);
            self.known.insert((module.path.clone(), module.sha256.clone()), module);
        }
        Ok(())
    }
}

//! Shared parts of the tests of `surmise trace`: small projects that are recorded, and queries on their recordings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use surmise::trace::read::Recording;
use surmise::trace::row::{FileRow, SiteRow};

use super::schemas::fits;
use super::{Ended, Folder, ended, surmise};

/// Path of the interpreter that the recorder is built for.
pub const PYTHON: &str = surmise::host::BUILT_WITH;

/// A folder with a program, which is recorded into the folder `out`.
pub struct Project(Folder);

impl Project {
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self(Folder::of(files))
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        self.0.write(name, content);
    }

    /// Creates a script for `/bin/sh` and returns its path.
    pub fn script(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        self.write(name, format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(self.path(name), PermissionsExt::from_mode(0o755)).expect("it is ours");
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    pub fn command(&self) -> Command {
        let mut command = surmise();
        command.arg("trace").current_dir(self.0.root()).env_remove("PYTHONPATH").env_remove("VIRTUAL_ENV");
        command
    }

    /// Runs `surmise trace` with these arguments.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Ended {
        ended(self.command().args(arguments))
    }

    /// Records package `pkg` while the interpreter runs with these arguments.
    #[track_caller]
    pub fn trace(&self, arguments: &[&str]) -> Ended {
        self.trace_with(&[], arguments)
    }

    #[track_caller]
    pub fn trace_with(&self, options: &[&str], arguments: &[&str]) -> Ended {
        self.run(
            &[&["-o", "out", "--package", "pkg", "--python", PYTHON], options, &["--", PYTHON], arguments].concat(),
        )
    }

    /// Runs the interpreter with these arguments, without recording.
    #[track_caller]
    pub fn plain(&self, arguments: &[&str]) -> Ended {
        let mut command = Command::new(PYTHON);
        command.args(arguments).current_dir(self.0.root()).env_remove("PYTHONPATH").env("PYTHONDONTWRITEBYTECODE", "1");
        ended(&mut command)
    }

    /// Records a run, after a check that its output equals that of the plain run.
    #[track_caller]
    pub fn trace_like_plain(&self, arguments: &[&str]) -> Ended {
        let (plain, traced) = (self.plain(arguments), self.trace(arguments));
        assert_eq!((traced.code(), traced.stdout()), (plain.code(), plain.stdout()), "{traced}");
        assert!(traced.stderr().starts_with(&plain.stderr()), "{plain}\n{traced}");
        traced
    }

    pub fn recording(&self) -> Recording {
        Recording::open(&self.path("out")).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn rows(&self) -> Vec<SiteRow> {
        let rows = self.recording().sites().unwrap_or_else(|error| panic!("{error}"));
        rows.map(|row| row.unwrap_or_else(|error| panic!("{error}"))).collect()
    }

    pub fn files(&self) -> Vec<FileRow> {
        self.recording().files().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Content of `trace.json`.
    pub fn summary(&self) -> Value {
        let summary = serde_json::from_str(&self.0.read("out/trace.json")).expect("JSON");
        fits("surmise.trace/1", &summary).unwrap_or_else(|error| panic!("{error}"));
        summary
    }

    /// How often a name was read.
    pub fn reads(&self, name: &str) -> u32 {
        let rows = self.rows();
        let of_name = rows.iter().filter(|row| row.name == name && row.kind.as_str() == "variable");
        of_name.map(|row| row.seen.total).sum()
    }

    /// Recorded literals.
    pub fn literals(&self) -> BTreeSet<String> {
        let rows = self.rows();
        let literals = rows.iter().flat_map(|row| row.seen.literals.entries());
        literals.map(|(literal, _)| literal.value.to_string()).collect()
    }
}

/// Paths of all files below a folder.
pub fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() { folders.push(path) } else { files.extend([path]) }
        }
    }
    files
}

//! Input of `surmise diff`: two files, a file of records, or revisions of a repository.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::super::printer;
use super::super::refusal::Refusal;
use super::super::values::fingerprint;
use super::Arguments;
use surmise_diff::candidate::Candidate;
use surmise_diff::candidates;
use surmise_diff::file::File;
use surmise_diff::filter::Filter;
use surmise_diff::repository::{Repository, Side};
use surmise_diff::touched::Touched;
use surmise_engine::plan::Settings;
use surmise_engine::source;

/// Receives a candidate for comparison; returns false to stop.
pub(super) type Take<'a> = &'a mut dyn FnMut(Candidate) -> bool;

/// What the command line asks to compare.
pub(super) enum Input<'a> {
    Files(&'a Path, &'a Path),
    Records(&'a Path),
    Revisions { folder: &'a Path, revisions: Option<&'a str> },
}

impl<'a> Input<'a> {
    /// The folder or file that decides which environment is used.
    pub(super) fn start(&self) -> &'a Path {
        match self {
            Self::Files(_, new) => new,
            Self::Records(file) => file,
            Self::Revisions { folder, .. } => folder,
        }
    }
}

impl Arguments {
    /// Interprets the arguments, or explains which of them do not go together.
    pub(super) fn input(&self) -> Result<Input<'_>, Refusal> {
        let usage = |message: &str, hint: &str| Err(Refusal::new(message, hint));
        if self.repo.is_none() && !self.paths.is_empty() {
            return usage("paths behind `--` are for --repo", "`surmise diff --repo DIR REV..REV -- PATH...`");
        }
        match (&self.repo, &self.jsonl, &self.old, &self.new) {
            (Some(folder), _, revisions, None) => {
                Ok(Input::Revisions { folder, revisions: revisions.as_ref().and_then(|revisions| revisions.to_str()) })
            }
            (Some(_), ..) => usage(
                "--repo takes one revision or range",
                "put `..` between two revisions, and paths behind `--`: `surmise diff --repo DIR REV..REV -- PATH...`",
            ),
            (None, Some(file), ..) => Ok(Input::Records(file)),
            (None, None, Some(old), Some(new)) => Ok(Input::Files(old, new)),
            (None, None, Some(_), None) => usage(
                "only one version was given",
                "give two files, or the repository of a revision: `surmise diff --repo . REV`",
            ),
            (None, None, None, _) => usage("nothing to compare was given", "give two files, --repo or --jsonl"),
        }
    }

    /// Passes the functions of both files to `take`.
    pub(super) fn each_function(&self, old: &Path, new: &Path, take: Take<'_>) -> Result<(), Refusal> {
        let read = |path| {
            source::read(path)
                .map_err(|error| Refusal::new(error, "give two Python files: the old version and the new"))
        };
        let (old, new) = (File::new(read(old)?), File::new(read(new)?));
        for file in [&old, &new] {
            file.parsed().map_err(|error| {
                let hint = "both versions must parse as Python 3: there is nothing to compare otherwise";
                Refusal::new(format!("`{}` does not parse: {error}", file.source.name), hint)
            })?;
        }
        let candidates = candidates::functions(&old, &new, self.context);
        if candidates.is_empty() {
            printer::warning("neither version has a function: nothing was compared");
        }
        candidates.into_iter().all(take);
        Ok(())
    }

    /// Passes the records of a JSON Lines file to `take`.
    pub(super) fn each_record(&self, path: &Path, take: Take<'_>) -> Result<(), Refusal> {
        let hint = "--jsonl takes a file with one JSON object a line; --old-field and --new-field name its keys";
        let bad = |message: String| Refusal::new(format!("`{}`{message}", path.display()), hint);
        let file = std::fs::File::open(path).map_err(|error| bad(format!(" cannot be read: {error}")))?;
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let line = line.map_err(|error| bad(format!(", line {number}: {error}")))?;
            if line.trim().is_empty() {
                continue;
            }
            let record: serde_json::Value =
                serde_json::from_str(&line).map_err(|error| bad(format!(", line {number}: not JSON: {error}")))?;
            let field = |name: &str| {
                let text = record[name].as_str();
                text.ok_or_else(|| bad(format!(", line {number}: no text under `{name}`")))
            };
            let id = match &record["id"] {
                serde_json::Value::String(id) => id.clone(),
                _ => format!("{}:{number}", path.display()),
            };
            if !take(candidates::record(&id, field(&self.old_field)?, field(&self.new_field)?)) {
                break;
            }
        }
        Ok(())
    }

    /// Passes the functions that differ between two sides of a repository to `take`, and calls `progress` with the number
    /// of files done and of all files.
    pub(super) fn each_touched(
        &self,
        repository: &Repository,
        sides: Option<[Side; 2]>,
        take: Take<'_>,
        progress: impl Fn(usize, usize),
    ) -> Result<(), Refusal> {
        let filter = Filter::new(&repository.prefix(), &self.paths).map_err(|pattern| {
            let hint = "give files, folders, or patterns such as `src/*.py`";
            Refusal::new(format!("`{pattern}` is no path and no pattern"), hint)
        })?;
        let touched = Touched::find(repository, &filter, sides, self.callees)?;
        if touched.is_empty() {
            printer::note("no Python file differs");
        }
        for file in 0..touched.len() {
            progress(file, touched.len());
            if !touched.candidates(file, self.context).into_iter().all(&mut *take) {
                break;
            }
        }
        Ok(())
    }

    /// Folder that stores results, with the settings on which they depend.
    pub(super) fn store(&self, options: &Settings) -> Option<(&PathBuf, String)> {
        let settings = format!(
            "predictor={:?} runs={} time={} timeout={} strict-messages={} strict-logging={} callees={:?} {}{}",
            self.predictor,
            self.runs,
            self.time,
            self.timeout,
            self.strict_messages,
            self.strict_logging,
            self.callees,
            self.surroundings.fingerprint(options.environment.as_deref()),
            fingerprint(options),
        );
        self.out.as_ref().map(|folder| (folder, settings))
    }
}

//! Results on disk: an append-only file of checked lines.
//!
//! Every line is a JSON object. The first one ([`Head`]) says what was run. Each further one has a result ([`Kept`]) and
//! its checksum: `{"crc32": "0123abcd", "result": {...}}`. Half a line that a killed process left at the end is cut off when the file is opened again; anything else that is not as it was
//! written is an error, and nothing is overwritten. One process at a time may hold the file.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::fcntl::{Flock, FlockArg};
use sha2::{Digest, Sha256};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use surmise_identity::Identity;

use crate::BatchError;

/// A result that can be kept.
pub trait Kept: Serialize + DeserializeOwned {
    /// What the first line of its files begins with.
    const FORMAT: &'static str;
    /// The command that makes it.
    const COMMAND: &'static str;

    /// What distinguishes it: what was run, and how.
    fn keys(&self) -> (&str, &str);
}

/// How each line but the first begins, and what stands between checksum and result.
const CHECKSUM: &str = r#"{"crc32": ""#;
const RESULT: &str = r#"", "result": "#;

/// The name of the file in the folder of `--out`.
pub const FILE_NAME: &str = "results.jsonl";
/// No line is longer: a file without line breaks must not fill the memory.
const MAX_LINE: u64 = 256 << 20;
/// A power cut loses at most so much.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// An open store.
#[derive(Debug)]
pub struct Store<R> {
    path: PathBuf,
    file: Flock<File>,
    /// Where each result lies, by its key.
    places: HashMap<u64, Place>,
    end: u64,
    synced: Instant,
    kind: PhantomData<fn() -> R>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    bytes: u32,
}

impl<R: Kept> Store<R> {
    /// Opens or makes the store of a folder. `identity` and `settings` say what else the results depend on: a store that
    /// was made with others is refused.
    ///
    /// # Errors
    /// When it cannot be read or written, is damaged, of another kind, or in use.
    pub fn open(folder: &Path, identity: &Identity, settings: &str) -> Result<Self, BatchError> {
        let path = folder.join(FILE_NAME);
        let failed = |source| BatchError::Write { path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let file = OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(failed)?;
        let file = Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|_| BatchError::Store {
            path: path.clone(),
            message: "another process is writing these results".into(),
            hint: "wait for it, or give another folder with --out",
        })?;
        let mut store = Self { path, file, places: HashMap::new(), end: 0, synced: Instant::now(), kind: PhantomData };
        store.read(identity, settings)?;
        Ok(store)
    }

    fn read(&mut self, identity: &Identity, settings: &str) -> Result<(), BatchError> {
        let failed = |source| BatchError::Read { path: self.path.clone(), source };
        let bad = |message: String, hint| BatchError::Store { path: self.path.clone(), message, hint };
        let head = Head::new(R::FORMAT, identity, settings);
        let head = serde_json::to_string(&head).map_err(|error| failed(error.into()))? + "\n";
        let mut reader = BufReader::new(self.file.try_clone().map_err(failed)?);
        let mut line = Vec::new();
        let mut end = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).map_err(failed)? as u64;
        if !line.ends_with(b"\n") {
            // New, or killed while it was made.
            if !head.as_bytes().starts_with(&line) {
                return Err(bad(format!("these are no results of `{}`", R::COMMAND), "give another folder with --out"));
            }
            self.truncate(0)?;
            return self.write(head.as_bytes());
        }
        if line != head.as_bytes() {
            let (message, hint) = difference(&String::from_utf8_lossy(&line), R::FORMAT, identity, settings)
                .unwrap_or_else(|| {
                    let message = format!("these are no results of this version of `{}`", R::COMMAND);
                    (message, "give another folder with --out")
                });
            return Err(bad(message, hint));
        }
        loop {
            line.clear();
            let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).map_err(failed)?;
            // Half a line was being written when the process was killed.
            if read == 0 || (!line.ends_with(b"\n") && (read as u64) < MAX_LINE) {
                break;
            }
            let Some(record) = checked::<R>(&line) else {
                return Err(bad(
                    format!("damaged at byte {end}"),
                    "what stands before can be kept by cutting the file there (`truncate -s`)",
                ));
            };
            self.places.insert(key(record.keys()), Place { offset: end, bytes: read as u32 });
            end += read as u64;
        }
        self.truncate(end)
    }

    fn truncate(&mut self, end: u64) -> Result<(), BatchError> {
        self.end = end;
        let failed = |source| BatchError::Write { path: self.path.clone(), source };
        self.file.set_len(end).map_err(failed)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), BatchError> {
        let failed = |source| BatchError::Write { path: self.path.clone(), source };
        if let Err(error) = self.file.write_all(bytes) {
            // Half a line would be taken for damage once another follows it.
            let _full_disk = self.file.set_len(self.end);
            return Err(failed(error));
        }
        self.end += bytes.len() as u64;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.file.sync_data().map_err(failed)?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Keeps a result.
    ///
    /// # Errors
    /// When it cannot be written; what was there before stays whole.
    pub fn add(&mut self, record: &R) -> Result<(), BatchError> {
        let failed = |source: serde_json::Error| BatchError::Write { path: self.path.clone(), source: source.into() };
        let text = serde_json::to_string(record).map_err(failed)?;
        let line = format!("{CHECKSUM}{:08x}{RESULT}{text}}}\n", crc32fast::hash(text.as_bytes()));
        let place = Place { offset: self.end, bytes: line.len() as u32 };
        self.write(line.as_bytes())?;
        self.places.insert(key(record.keys()), place);
        Ok(())
    }

    /// True if there is a result for this.
    pub fn has(&self, fingerprint: &str, configuration: &str) -> bool {
        self.places.contains_key(&key((fingerprint, configuration)))
    }

    /// The result for this, if there is one.
    ///
    /// # Errors
    /// When it cannot be read back.
    pub fn get(&mut self, fingerprint: &str, configuration: &str) -> Result<Option<R>, BatchError> {
        let Some(place) = self.places.get(&key((fingerprint, configuration))).copied() else {
            return Ok(None);
        };
        let mut line = vec![0; place.bytes as usize];
        let failed = |source| BatchError::Read { path: self.path.clone(), source };
        self.file.seek(SeekFrom::Start(place.offset)).map_err(failed)?;
        self.file.read_exact(&mut line).map_err(failed)?;
        match checked(&line) {
            Some(record) => Ok(Some(record)),
            None => Err(BatchError::Store {
                path: self.path.clone(),
                message: format!("damaged at byte {}", place.offset),
                hint: "the file was changed by somebody else while it was in use",
            }),
        }
    }

    /// Puts everything on the disk.
    ///
    /// # Errors
    /// When the system cannot.
    pub fn finish(&mut self) -> Result<(), BatchError> {
        self.file.sync_data().map_err(|source| BatchError::Write { path: self.path.clone(), source })
    }
}

/// What the results of a file depend on besides what was run.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    schema: String,
    runtime: String,
    model: Option<String>,
    settings: String,
}

impl Head {
    fn new(format: &str, identity: &Identity, settings: &str) -> Self {
        let Identity { runtime, model } = identity.clone();
        Self { schema: format.to_owned(), runtime: runtime.to_owned(), model, settings: settings.to_owned() }
    }
}

/// In what results depend on something else than these; `None` if the head of their file is no such line.
fn difference(head: &str, format: &str, identity: &Identity, settings: &str) -> Option<(String, &'static str)> {
    let theirs: Head = serde_json::from_str(head).ok().filter(|head: &Head| head.schema == format)?;
    let Head { runtime, model, settings: other, .. } = theirs;
    Some(if other != settings {
        (format!("results of other settings: {other}"), "repeat the settings, or give another folder with --out")
    } else if runtime != identity.runtime {
        let hint = "what another version did is not comparable: give another folder with --out";
        (format!("results of another version of Surmise's runtime: {runtime}"), hint)
    } else {
        let hint = "use the model that made them, or give another folder with --out";
        (format!("results of another model: {}", model.as_deref().unwrap_or("none")), hint)
    })
}

/// What distinguishes results, in as few bytes as a million of them need.
fn key((fingerprint, configuration): (&str, &str)) -> u64 {
    let digest = Sha256::new().chain_update(fingerprint).chain_update([0]).chain_update(configuration).finalize();
    digest.iter().take(8).fold(0, |key, &byte| key << 8 | u64::from(byte))
}

/// The record of a line, if it is whole. Whatever else is JSON is none of ours.
fn checked<R: Kept>(line: &[u8]) -> Option<R> {
    let line = line.strip_suffix(b"}\n")?.strip_prefix(CHECKSUM.as_bytes())?;
    let (sum, text) = line.split_at_checked(8)?;
    let text = text.strip_prefix(RESULT.as_bytes())?;
    let sum = u32::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    if crc32fast::hash(text) == sum { serde_json::from_slice(text).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result with nothing but its keys.
    #[derive(Debug, serde::Deserialize, serde::Serialize)]
    struct Record {
        index: u64,
        fingerprint: String,
        configuration: String,
    }

    impl Kept for Record {
        const FORMAT: &'static str = "surmise.test-store/1";
        const COMMAND: &'static str = "surmise test";

        fn keys(&self) -> (&str, &str) {
            (&self.fingerprint, &self.configuration)
        }
    }

    fn record(number: u64) -> Record {
        Record { index: number, fingerprint: format!("print{number}"), configuration: "model".into() }
    }

    fn filled(folder: &Path, count: u64) -> PathBuf {
        let mut store = Store::<Record>::open(folder, &Identity::built_in(), "a").expect("a new store");
        for number in 0..count {
            store.add(&record(number)).expect("room for a record");
        }
        folder.join(FILE_NAME)
    }

    #[test]
    fn whatever_is_cut_off_the_whole_results_stay() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = filled(folder.path(), 3);
        let whole = std::fs::read(&path).expect("it was written");
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("it can be written");
            let mut store = Store::<Record>::open(folder.path(), &Identity::built_in(), "a")
                .unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
            let lines = whole[..cut].split(|&byte| byte == b'\n').count().saturating_sub(2);
            let kept = (0..3).filter(|number| store.has(&format!("print{number}"), "model")).count();
            assert_eq!(kept, lines, "cut at {cut}");
            store.add(&record(9)).expect("room for a record");
            let back = store.get("print9", "model").expect("it can be read").expect("it is there");
            assert_eq!(back.index, 9);
        }
    }

    #[test]
    fn each_line_is_an_object() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = std::fs::read_to_string(filled(folder.path(), 2)).expect("it was written");
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
        assert_eq!((&lines[0]["schema"], &lines[0]["settings"]), (&"surmise.test-store/1".into(), &"a".into()));
        assert_eq!((lines.len(), &lines[2]["result"]["index"]), (3, &1.into()));
    }

    #[test]
    fn damage_is_named_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = filled(folder.path(), 3);
        let mut bytes = std::fs::read(&path).expect("it was written");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).expect("it can be written");
        let error = Store::<Record>::open(folder.path(), &Identity::built_in(), "a").expect_err("it is damaged");
        assert!(error.to_string().contains("damaged at byte"), "{error}");
        assert_eq!(std::fs::read(&path).expect("it is there"), bytes);
    }

    #[test]
    fn other_settings_other_files_and_other_processes_are_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = filled(folder.path(), 1);
        let own = Identity::built_in();
        let refused = |identity: &Identity, settings, expected: &str| {
            let error = Store::<Record>::open(folder.path(), identity, settings).expect_err("others made it");
            assert!(error.to_string().contains(expected), "{error}");
        };
        refused(&own, "b", "results of other settings: a");
        refused(&Identity { model: Some("other".into()), ..own.clone() }, "a", "results of another model");
        refused(&own.without_model(), "a", "results of another model");
        refused(&Identity { runtime: "other", ..own.clone() }, "a", "results of another version");
        let held = Store::<Record>::open(folder.path(), &Identity::built_in(), "a").expect("the same settings");
        assert!(
            Store::<Record>::open(folder.path(), &Identity::built_in(), "a")
                .expect_err("in use")
                .to_string()
                .contains("another process")
        );
        drop(held);
        std::fs::write(&path, "my notes\n").expect("it can be written");
        Store::<Record>::open(folder.path(), &Identity::built_in(), "a").expect_err("not ours");
        assert_eq!(std::fs::read(&path).expect("it is there"), b"my notes\n");
    }
}

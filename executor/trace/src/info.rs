//! Numbers about recordings: totals, and how often each class and kind of use was observed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use surmise_instrument::Kind;
use surmise_recorder::layout::CLASSES;

use super::error::ReadError;
use super::read::Recording;

/// Name and version of the JSON.
pub const SCHEMA: &str = "surmise.trace-info/1";

/// Numbers of several recordings.
#[derive(Clone, Debug, Serialize)]
pub struct Info {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Numbers of each recording.
    pub recordings: Vec<Entry>,
    /// Sums over all recordings.
    pub total: Numbers,
    /// Sites and events of each kind of use.
    pub kinds: Vec<Share>,
    /// Sites and events of each class; a site counts for each of its classes.
    pub classes: Vec<Share>,
    /// Reasons for which files were not recorded, the most frequent first.
    pub left_out: Vec<Reason>,
}

/// Numbers of one recording.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Folder of the recording, as given.
    pub folder: PathBuf,
    /// Project of the recording; `None` if several were merged.
    pub project: Option<String>,
    /// Totals of the recording.
    #[serde(flatten)]
    pub numbers: Numbers,
    /// Damage of the processes' files that was found when the recording was written.
    pub damaged: Vec<String>,
}

/// Totals of one or several recordings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Numbers {
    /// Number of recorded files.
    pub files: u64,
    /// Number of files that were imported but not recorded.
    pub files_left_out: u64,
    /// Number of sites in the recorded files.
    pub sites: u64,
    /// Number of sites that ran.
    pub sites_hit: u64,
    /// Number of observed values.
    pub events: u64,
    /// Number of unique pairs of a site and a class.
    pub pairs: u64,
}

/// Sites and events of one class or one kind of use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Name of the class or kind.
    pub name: &'static str,
    /// Number of sites where it was observed.
    pub sites: u64,
    /// Number of its observations.
    pub events: u64,
}

/// A reason for which files were not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The reason, without a line number.
    pub reason: String,
    /// Number of files with this reason.
    pub files: u64,
}

const KINDS: [Kind; 3] = [Kind::Variable, Kind::Attribute, Kind::ReturnValue];

/// Adds up recordings. Those that cannot be read are not counted, and returned as errors.
pub fn info(folders: &[PathBuf]) -> (Info, Vec<ReadError>) {
    let shares = |names: &[&'static str]| names.iter().map(|&name| Share { name, sites: 0, events: 0 }).collect();
    let mut info = Info {
        schema: SCHEMA,
        recordings: Vec::new(),
        total: Numbers::default(),
        kinds: shares(&KINDS.map(Kind::as_str)),
        classes: shares(&CLASSES),
        left_out: Vec::new(),
    };
    let mut reasons = BTreeMap::new();
    let mut errors = Vec::new();
    for folder in folders {
        // Counted on a copy, so that a table which turns out to be damaged halfway adds nothing.
        let mut with = info.clone();
        match with.add(folder, &mut reasons) {
            Ok(()) => info = with,
            Err(error) => errors.push(error),
        }
    }
    info.left_out = reasons.into_iter().map(|(reason, files)| Reason { reason, files }).collect();
    info.left_out.sort_by_key(|reason| std::cmp::Reverse(reason.files));
    (info, errors)
}

impl Info {
    fn add(&mut self, folder: &Path, reasons: &mut BTreeMap<String, u64>) -> Result<(), ReadError> {
        let recording = Recording::open(folder)?;
        let summary = &recording.summary;
        let mut numbers = Numbers { events: summary.events, ..Numbers::default() };
        let files = recording.files()?;
        for file in &files {
            if file.left_out.is_none() {
                numbers.files += 1;
                numbers.sites += u64::from(file.sites);
            }
        }
        numbers.files_left_out = summary.files_left_out.len() as u64;
        for row in recording.sites()? {
            let row = row?;
            numbers.sites_hit += 1;
            numbers.pairs += u64::from(row.seen.classes.count_ones());
            let kind = KINDS.iter().zip(&mut self.kinds).find(|(kind, _)| **kind == row.kind);
            if let Some((_, share)) = kind {
                share.sites += 1;
                share.events += u64::from(row.seen.total);
            }
            for (bit, share) in self.classes.iter_mut().enumerate() {
                share.sites += u64::from(row.seen.classes >> bit & 1);
            }
            for (bit, count) in row.seen.counts.entries() {
                self.classes[usize::from(*bit)].events += u64::from(*count);
            }
        }
        for file in &summary.files_left_out {
            *reasons.entry(without_line(&file.reason).to_owned()).or_default() += 1;
        }
        self.total.add(numbers);
        self.recordings.push(Entry {
            folder: folder.to_owned(),
            project: summary.project.clone(),
            numbers,
            damaged: summary.damaged.clone(),
        });
        Ok(())
    }
}

impl Numbers {
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.files_left_out += other.files_left_out;
        self.sites += other.sites;
        self.sites_hit += other.sites_hit;
        self.events += other.events;
        self.pairs += other.pairs;
    }
}

/// Strips the line from a reason such as `line 7: message`, so that equal faults on different lines count together.
fn without_line(reason: &str) -> &str {
    let rest = reason.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
    rest.filter(|(line, _)| line.bytes().all(|byte| byte.is_ascii_digit())).map_or(reason, |(_, message)| message)
}

//! Joins the records of all processes of a recording, site by site.

use std::path::Path;

use rustc_hash::FxHashMap;
use surmise_recorder::layout::{SiteRecord, Slot};

use super::process::{Entry, Failed, Process, Unreadable, files_of};
use super::seen::{Literal, Seen};

/// The joined records of all processes of a recording.
#[derive(Debug, Default)]
pub struct Folded {
    sites: FxHashMap<u32, Seen<u32, u32>>,
    texts: Texts,
    /// Number of processes that recorded something.
    pub processes: u64,
    /// Number of hook calls, each of which observed a value.
    pub events: u64,
    /// Damaged files, and what is wrong with each; their sound records are used.
    pub damaged: Vec<String>,
    /// Processes that could not write all that they recorded.
    pub failed: Vec<Failed>,
}

/// The distinct strings of all processes.
#[derive(Debug, Default)]
struct Texts {
    numbers: FxHashMap<Entry, u32>,
    entries: Vec<Entry>,
}

impl Texts {
    fn number(&mut self, entry: &Entry) -> u32 {
        if let Some(&number) = self.numbers.get(entry) {
            return number;
        }
        let number = self.entries.len() as u32;
        self.entries.push(entry.clone());
        self.numbers.insert(entry.clone(), number);
        number
    }
}

impl Folded {
    /// Reads and joins all files of a spool.
    ///
    /// # Errors
    /// If the folder itself cannot be read; files that cannot are named in [`Folded::damaged`].
    pub fn read(spool: &Path) -> std::io::Result<Self> {
        let mut folded = Self::default();
        for path in files_of(spool, "records")? {
            folded.add(&path);
        }
        Ok(folded)
    }

    fn add(&mut self, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.processes += 1;
        let mut process = match Process::open(path) {
            Ok(process) => process,
            Err(Unreadable::Empty) => {
                self.failed.push(Failed { errno: 0 });
                return;
            }
            Err(error) => {
                self.damaged.push(format!("{name}: {error}"));
                return;
            }
        };
        self.events += process.events();
        self.failed.extend(process.failed());
        let numbers: Vec<u32> = process.strings.iter().map(|entry| self.texts.number(entry)).collect();
        let sites = &mut self.sites;
        let visited = process.visit(|site, record| sites.entry(site).or_default().join(seen(record, &numbers)));
        if let Err(error) = visited {
            process.problems.push(format!("it cannot be read: {error}"));
        }
        self.damaged.extend(process.problems.iter().map(|problem| format!("{name}: {problem}")));
    }

    /// Removes and returns the observations at a site.
    pub fn take(&mut self, site: u32) -> Option<Seen> {
        let texts = &self.texts.entries;
        let seen = self.sites.remove(&site)?;
        let mut seen = seen.map(
            |number| texts[number as usize].text.clone(),
            |number| {
                let Entry { kind, text } = texts[number as usize].clone();
                Literal { kind, value: text }
            },
        );
        seen.finish();
        Some(seen)
    }

    /// Number of sites whose observations were not taken, because no module claims them.
    pub fn left(&self) -> usize {
        self.sites.len()
    }
}

/// Converts a process's record, with `numbers` as the common numbers of its strings.
fn seen(record: &SiteRecord, numbers: &[u32]) -> Seen<u32, u32> {
    let named = |slots: &[Slot]| {
        let named = slots.iter().filter(|slot| slot.id != 0);
        named.map(|slot| (numbers[slot.id as usize - 1], slot.count)).collect()
    };
    let counts = record.count_of.iter().zip(record.counts).filter(|(class, _)| **class != 0);
    Seen {
        classes: record.classes,
        total: record.total,
        counts: counts.map(|(class, count)| (class - 1, count)).collect(),
        types: named(&record.types),
        literals: named(&record.literals),
        elements: record.elements,
        lengths: record.lengths.map(u32::from),
    }
}

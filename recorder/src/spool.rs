//! The files of one process: created at the first record, written about once a second and at the end.
//!
//! They are opened only for each write, because programs close descriptors that are not theirs (`os.closerange`). A
//! forked child leaves the files to its parent and opens its own. A write that fails, for example because the disk is
//! full, ends the recording of this process: its header says so if it still can, and the recorded program never notices.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::layout::{HEADER_BYTES, Header, MAGIC, RECORD_BYTES, SiteRecord, Text};

/// Number of records in a page, the unit in which they are written.
pub(crate) const RECORDS_PER_PAGE: usize = 32;
/// Maximum number of strings of one process; later strings get number 0, as if there were none.
const MAX_STRINGS: usize = 400_000;
/// Maximum length of a stored string, in bytes; longer ones are truncated.
const MAX_STRING_BYTES: usize = 200;

/// The files of one process, and the strings that are not written yet.
pub(crate) struct Spool {
    folder: PathBuf,
    /// Common path of the files, without their suffixes.
    stem: Option<PathBuf>,
    /// Set once a write has failed, after which nothing more is written.
    broken: bool,
    /// Numbers of strings; the key is the byte of the [`Text`] followed by the string.
    strings: FxHashMap<Box<[u8]>, u32>,
    key: Vec<u8>,
    unwritten: Vec<u8>,
    written_at: Duration,
    /// End of the range of pages that can be dirty.
    pages: usize,
}

impl Spool {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            stem: None,
            broken: false,
            strings: FxHashMap::default(),
            key: Vec::new(),
            unwritten: Vec::new(),
            written_at: now(),
            pages: 0,
        }
    }

    /// Starts new files, in a forked child.
    pub(crate) fn reset(&mut self) {
        let pages = self.pages;
        *self = Self { pages, ..Self::new(&self.folder) };
    }

    /// Extends the range of pages to sites below `end`.
    pub(crate) fn grow(&mut self, end: usize) {
        self.pages = self.pages.max(end.div_ceil(RECORDS_PER_PAGE));
    }

    /// Number of a string; 0 if there are too many strings.
    pub(crate) fn string(&mut self, kind: Text, text: &str) -> u32 {
        let mut text = text;
        if text.len() > MAX_STRING_BYTES {
            text = &text[..text.floor_char_boundary(MAX_STRING_BYTES)];
        }
        self.key.clear();
        self.key.push(kind as u8);
        self.key.extend(text.as_bytes());
        if let Some(&id) = self.strings.get(self.key.as_slice()) {
            return id;
        }
        if self.strings.len() >= MAX_STRINGS {
            return 0;
        }
        let id = self.strings.len() as u32 + 1;
        self.unwritten.extend((self.key.len() as u32).to_le_bytes());
        self.unwritten.extend(&self.key);
        self.strings.insert(self.key.as_slice().into(), id);
        id
    }

    /// Whether the last write was at least `period` ago.
    pub(crate) fn is_due(&self, period: Duration) -> bool {
        now().saturating_sub(self.written_at) >= period
    }

    /// Writes the strings, the dirty pages and the header.
    pub(crate) unsafe fn write(&mut self, records: *mut SiteRecord, dirty: *mut u8, events: u64) {
        self.written_at = now();
        if self.broken || events == 0 {
            return;
        }
        // SAFETY: the recorder's mappings, which have a byte and a page for each of `pages`.
        let result = self.open().and_then(|file| unsafe { self.write_all(&file, records, dirty, events) });
        if let Err(error) = result {
            self.broken = true;
            let code = error.raw_os_error().unwrap_or(0);
            let _no_room_either = self.open().and_then(|file| self.write_header(&file, events, Some(code)));
        }
    }

    fn open(&mut self) -> std::io::Result<File> {
        if let Some(stem) = &self.stem {
            return OpenOptions::new().write(true).open(stem.with_extension("records"));
        }
        let pid = std::process::id();
        let mut attempt = 0_u32;
        loop {
            let stem = self.folder.join(format!("{pid}-{attempt}"));
            match OpenOptions::new().write(true).create_new(true).open(stem.with_extension("records")) {
                Ok(file) => {
                    self.stem = Some(stem);
                    // Allocates the block of the header, so that a failure can be noted even on a full disk.
                    self.write_header(&file, 0, None)?;
                    return Ok(file);
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    unsafe fn write_all(
        &mut self,
        file: &File,
        records: *mut SiteRecord,
        dirty: *mut u8,
        events: u64,
    ) -> std::io::Result<()> {
        if let (Some(stem), false) = (&self.stem, self.unwritten.is_empty()) {
            let mut strings = OpenOptions::new().append(true).create(true).open(stem.with_extension("strings"))?;
            strings.write_all(&self.unwritten)?;
            self.unwritten.clear();
        }
        // SAFETY: see `write`; the GIL is held, so nobody changes the pages meanwhile.
        let marks = unsafe { std::slice::from_raw_parts_mut(dirty, self.pages) };
        for (page, mark) in marks.iter_mut().enumerate().filter(|(_, mark)| **mark != 0) {
            // SAFETY: as above.
            let bytes = unsafe {
                let from: *const u8 = records.add(page * RECORDS_PER_PAGE).cast();
                std::slice::from_raw_parts(from, RECORDS_PER_PAGE * RECORD_BYTES)
            };
            file.write_all_at(bytes, HEADER_BYTES + (page * bytes.len()) as u64)?;
            *mark = 0;
        }
        self.write_header(file, events, None)
    }

    fn write_header(&self, file: &File, events: u64, error: Option<i32>) -> std::io::Result<()> {
        let header = Header {
            magic: MAGIC,
            pid: std::process::id(),
            failed: u32::from(error.is_some()),
            error: error.unwrap_or(0).unsigned_abs(),
            reserved: 0,
            strings: self.strings.len() as u64,
            events,
        };
        // SAFETY: plain data without padding.
        let bytes = unsafe { std::slice::from_raw_parts((&raw const header).cast::<u8>(), size_of::<Header>()) };
        file.write_all_at(bytes, 0)
    }
}

/// Time of the coarse monotonic clock, which takes a few nanoseconds to read.
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime(2) fills the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

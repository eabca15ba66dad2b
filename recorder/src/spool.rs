//! The files of one process: made at the first record, written about once a second and at the end.
//!
//! They are opened for each write only: programs close descriptors that are not theirs (`os.closerange`). A process that forks leaves its files to itself; the child opens its own. A write that fails (disk full) ends the
//! recording of this process: its header says so if it still can, and the traced program never notices.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::layout::{HEADER_BYTES, Header, MAGIC, RECORD_BYTES, SiteRecord, Text};

/// Records are written in pieces of this many.
pub(crate) const RECORDS_PER_PAGE: usize = 32;
/// Strings that one process keeps; later ones are not told apart from no string.
const MAX_STRINGS: usize = 400_000;
/// Part of a string that is kept.
const MAX_STRING_BYTES: usize = 200;

/// The open files, and what they do not have yet.
pub(crate) struct Spool {
    folder: PathBuf,
    /// The files' common path, without their suffixes.
    stem: Option<PathBuf>,
    /// A write failed: nothing more is written.
    broken: bool,
    /// Numbers of strings, by the byte of their [`Text`] and themselves.
    strings: FxHashMap<Box<[u8]>, u32>,
    key: Vec<u8>,
    unwritten: Vec<u8>,
    written_at: Duration,
    /// One past the highest page that can be dirty.
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

    /// In a forked child: files of its own.
    pub(crate) fn reset(&mut self) {
        let pages = self.pages;
        *self = Self { pages, ..Self::new(&self.folder) };
    }

    /// Makes room for sites below `end`.
    pub(crate) fn grow(&mut self, end: usize) {
        self.pages = self.pages.max(end.div_ceil(RECORDS_PER_PAGE));
    }

    /// The number of a string; 0 when there are too many.
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

    /// True when the last write is so long ago.
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
                    // The header's own block: a failure can be told even on a full disk.
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

/// The coarse monotonic clock: a few nanoseconds.
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime(2) fills the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

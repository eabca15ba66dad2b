//! Reads the files of one recorded process: `PID-N.records` and `PID-N.strings` (see the recorder's `layout`).
//!
//! Their content is not trusted: the process may have been killed while it wrote, or the disk may have been full.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use compact_str::CompactString;
use nix::errno::Errno;
use nix::unistd::{Whence, lseek};
use surmise_recorder::layout::{CLASSES, HEADER_BYTES, Header, MAGIC, MAX_SITES, RECORD_BYTES, SiteRecord, Slot, Text};

/// Number of bytes that are read at a time, a multiple of [`RECORD_BYTES`].
const CHUNK: u64 = 1 << 18;
/// Upper limit of the strings of one process, in bytes; the recorder bounds their number and length.
const MAX_STRINGS_BYTES: u64 = 256 << 20;

/// A string of a recorded process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Kind of the string.
    pub kind: Text,
    /// Text of the string.
    pub text: CompactString,
}

/// The opened files of one process.
#[derive(Debug)]
pub struct Process {
    records: File,
    length: u64,
    header: Header,
    /// Strings of the process; string number `n` is at index `n - 1`.
    pub strings: Vec<Entry>,
    /// Damage of the files; their sound parts are used.
    pub problems: Vec<String>,
}

/// A process that could not write all that it recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Error number of the system; 0 if it is not known.
    pub errno: i32,
}

/// Why the files of a process cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// Opening or reading failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file has no bytes: not even a header could be written.
    #[error("it is empty")]
    Empty,
    /// The file does not start with a header.
    #[error("its header is damaged")]
    Header,
}

impl Process {
    /// Opens the files of a process by the path of its records.
    ///
    /// # Errors
    /// See [`Unreadable`].
    pub fn open(path: &Path) -> Result<Self, Unreadable> {
        let records = File::open(path)?;
        let length = records.metadata()?.len();
        if length == 0 {
            return Err(Unreadable::Empty);
        }
        let mut bytes = [0; size_of::<Header>()];
        records.read_exact_at(&mut bytes, 0).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => Unreadable::Header,
            _ => Unreadable::Io(error),
        })?;
        // SAFETY: a header is plain data, and `bytes` has its size.
        let header: Header = unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) };
        if header.magic != MAGIC {
            return Err(Unreadable::Header);
        }
        let mut problems = Vec::new();
        let strings = match read_strings(&path.with_extension("strings")) {
            Ok(bytes) => {
                let (strings, sound) = split_strings(&bytes);
                if !sound || (strings.len() as u64) < header.strings {
                    problems.push(format!("it has {} of {} strings", strings.len(), header.strings));
                }
                strings
            }
            Err(error) => {
                if error.kind() != ErrorKind::NotFound || header.strings > 0 {
                    problems.push(format!("its strings cannot be read: {error}"));
                }
                Vec::new()
            }
        };
        Ok(Self { records, length, header, strings, problems })
    }

    /// Number of hook calls up to the last write of the process.
    pub fn events(&self) -> u64 {
        self.header.events
    }

    /// The failure if the process had to stop writing.
    pub fn failed(&self) -> Option<Failed> {
        (self.header.failed != 0).then_some(Failed { errno: self.header.error.cast_signed() })
    }

    /// Calls `visit` with the number of each site and its record.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn visit(&mut self, mut visit: impl FnMut(u32, &SiteRecord)) -> std::io::Result<()> {
        let mut torn = !self.length.saturating_sub(HEADER_BYTES).is_multiple_of(RECORD_BYTES as u64);
        let mut done = HEADER_BYTES;
        let mut buffer = vec![0; CHUNK as usize];
        for area in data_areas(&self.records, self.length)? {
            // Rounded to whole records. Holes end at blocks, which are larger, but the system does not guarantee it.
            let record = RECORD_BYTES as u64;
            let mut at = area.start.max(done);
            at -= (at - HEADER_BYTES) % record;
            at = at.max(done);
            while at < area.end {
                let rest = (self.length - at) / record * record;
                let wanted = (area.end - at).next_multiple_of(record).min(rest).min(CHUNK);
                if wanted == 0 {
                    break;
                }
                let chunk = &mut buffer[..wanted as usize];
                self.records.read_exact_at(chunk, at)?;
                let first = (at - HEADER_BYTES) / record;
                for (place, bytes) in chunk.chunks_exact(RECORD_BYTES).enumerate() {
                    // SAFETY: a record is plain data, and the slice has its size.
                    let record: SiteRecord = unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) };
                    let site = first + place as u64;
                    if record.total == 0 {
                        continue;
                    }
                    if site < MAX_SITES as u64 && is_sound(&record, &self.strings) {
                        visit(site as u32, &record);
                    } else {
                        torn = true;
                    }
                }
                at += wanted;
            }
            done = at;
        }
        if torn {
            self.problems.push("some of its records are damaged".to_owned());
        }
        Ok(())
    }
}

/// Whether the recorder can have written all values of a record.
fn is_sound(record: &SiteRecord, strings: &[Entry]) -> bool {
    let classes = (1_u32 << CLASSES.len()) - 1;
    let known = |slots: &[Slot], is_kind: fn(Text) -> bool| {
        let mut named = slots.iter().filter(|slot| slot.id != 0);
        named.all(|slot| strings.get(slot.id as usize - 1).is_some_and(|entry| is_kind(entry.kind)))
    };
    let counted = |class: u8| usize::from(class) <= CLASSES.len() && record.classes >> (class - 1) & 1 == 1;
    record.classes != 0
        && (record.classes | record.elements) & !classes == 0
        && record.count_of.iter().all(|&class| class == 0 || counted(class))
        && known(&record.types, |kind| kind == Text::Type)
        && known(&record.literals, |kind| kind != Text::Type)
}

/// Paths of the files of all processes that have this suffix, sorted.
pub(super) fn files_of(spool: &Path, suffix: &str) -> std::io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(spool)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == suffix));
    paths.sort();
    Ok(paths)
}

fn read_strings(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_STRINGS_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Parses the entries, and returns whether all are sound. An incomplete last entry is dropped, because no record refers
/// to it yet.
fn split_strings(mut bytes: &[u8]) -> (Vec<Entry>, bool) {
    let mut strings = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let Some((entry, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize) else {
            break;
        };
        let Some((&kind, text)) = entry.split_first() else {
            return (strings, false);
        };
        let (Some(kind), Ok(text)) = (Text::from_byte(kind), std::str::from_utf8(text)) else {
            return (strings, false);
        };
        strings.push(Entry { kind, text: CompactString::new(text) });
        bytes = rest;
    }
    (strings, true)
}

/// The parts of a sparse file that were written.
fn data_areas(file: &File, length: u64) -> std::io::Result<Vec<Range<u64>>> {
    let mut areas = Vec::new();
    let mut at = 0;
    while at < length {
        let start = match lseek(file, at as i64, Whence::SeekData) {
            Ok(start) => start,
            // The rest of the file is a hole.
            Err(Errno::ENXIO) => break,
            // The file system has no holes.
            Err(Errno::EINVAL | Errno::EOPNOTSUPP) => at as i64,
            Err(error) => return Err(error.into()),
        };
        let end = lseek(file, start, Whence::SeekHole).map_or(length, |end| end as u64).min(length);
        areas.push(start as u64..end);
        at = end.max(start as u64 + 1);
    }
    Ok(areas)
}

//! The memory that a worker marks lines in, and tells when it was ready.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use nix::sys::memfd::{MFdFlags, memfd_create};

use crate::clock::monotonic;
use crate::worker::coverage::{CLOCK_BYTES, read_marks, region_bytes};

/// Shared memory for the line marks.
pub(super) struct SharedMarks {
    pub(super) file: OwnedFd,
    bytes: usize,
    made: Duration,
}

impl SharedMarks {
    pub(super) fn new(lines: u32) -> io::Result<Self> {
        let made = monotonic();
        let bytes = region_bytes(lines) + CLOCK_BYTES;
        let file = memfd_create(c"surmise-marks", MFdFlags::MFD_CLOEXEC)?;
        nix::unistd::ftruncate(&file, i64::try_from(bytes).map_err(io::Error::other)?)?;
        Ok(Self { file, bytes, made })
    }

    /// The marks, and what passed until the worker was ready, if it ever was.
    pub(super) fn read(&self) -> io::Result<(Vec<bool>, Option<Duration>)> {
        let mut bytes = vec![0; self.bytes];
        let file = File::from(self.file.try_clone()?);
        // The worker may have cut the file short; what is missing was not marked.
        let read = std::os::unix::fs::FileExt::read_at(&file, &mut bytes, 0)?;
        if read < bytes.len() {
            return Ok((Vec::new(), None));
        }
        let (marks, clock) = bytes.split_at(self.bytes - CLOCK_BYTES);
        let ready = clock.try_into().map(u64::from_ne_bytes).map(Duration::from_nanos);
        // A program may write there, too: only a time between then and now counts.
        let start = ready.ok().and_then(|ready| ready.checked_sub(self.made));
        Ok((read_marks(marks), start.filter(|start| *start <= monotonic().saturating_sub(self.made))))
    }
}

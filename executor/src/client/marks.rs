//! The memory that a worker marks lines in.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use nix::sys::memfd::{MFdFlags, memfd_create};

use crate::worker::coverage::{read_marks, region_bytes};

/// Shared memory for the line marks.
pub(super) struct SharedMarks {
    pub(super) file: OwnedFd,
    bytes: usize,
}

impl SharedMarks {
    pub(super) fn new(lines: u32) -> io::Result<Self> {
        let bytes = region_bytes(lines);
        let file = memfd_create(c"surmise-marks", MFdFlags::MFD_CLOEXEC)?;
        nix::unistd::ftruncate(&file, i64::try_from(bytes).map_err(io::Error::other)?)?;
        Ok(Self { file, bytes })
    }

    pub(super) fn read(&self) -> io::Result<Vec<bool>> {
        let mut bytes = vec![0; self.bytes];
        let file = File::from(self.file.try_clone()?);
        // The worker may have cut the file short; what is missing was not marked.
        let read = std::os::unix::fs::FileExt::read_at(&file, &mut bytes, 0)?;
        if read < bytes.len() {
            bytes.clear();
        }
        Ok(read_marks(&bytes))
    }
}

//! The standard streams of a template, and what they say of the imports that it made.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::pipe2;

/// Takes over descriptors as standard input, output and error.
pub(crate) fn take(streams: [OwnedFd; 3]) -> io::Result<()> {
    for (target, stream) in (0..).zip(streams) {
        // SAFETY: plain descriptors.
        if unsafe { libc::dup2(stream.as_raw_fd(), target) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Replaces a descriptor by the end of a pipe that nobody reads, so that objects left by an earlier run write into nothing.
pub(crate) fn close_for_good(descriptor: RawFd) -> io::Result<()> {
    let (_unread, nobody) = pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
    // SAFETY: plain descriptors.
    if unsafe { libc::dup3(nobody.as_raw_fd(), descriptor, libc::O_CLOEXEC) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Standard streams that show whether anybody used them.
pub(crate) struct Streams {
    /// Standard input gives one byte, which is nobody's.
    input: OwnedFd,
    output: File,
    /// Descriptors that are open, and threads that run.
    open: usize,
}

impl Streams {
    /// Makes them the standard streams of this process.
    pub(crate) fn of_template() -> io::Result<Self> {
        let (read, write) = pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
        File::from(write).write_all(b"?")?;
        let output = File::from(memfd_create(c"surmise-output", MFdFlags::MFD_CLOEXEC)?);
        let both = || output.as_fd().try_clone_to_owned();
        take([read.as_fd().try_clone_to_owned()?, both()?, both()?])?;
        let mut streams = Self { input: read, output, open: 0 };
        streams.open = Self::used();
        Ok(streams)
    }

    /// What was written so far, which is forgotten.
    pub(crate) fn written(&self) -> io::Result<Vec<u8>> {
        let mut output = &self.output;
        let mut text = Vec::new();
        output.rewind()?;
        output.read_to_end(&mut text)?;
        output.set_len(0)?;
        output.rewind()?;
        Ok(text)
    }

    /// True if nothing was read or written, no file stays open, and no thread runs.
    pub(crate) fn are_untouched(&self) -> bool {
        let mut input = [PollFd::new(self.input.as_fd(), PollFlags::POLLIN)];
        let unread = poll(&mut input, PollTimeout::ZERO).is_ok()
            && input[0].revents().is_some_and(|events| events.contains(PollFlags::POLLIN));
        unread && self.output.metadata().is_ok_and(|output| output.len() == 0) && Self::used() == self.open
    }

    /// Number of descriptors that are open, and of threads that run, in this process.
    fn used() -> usize {
        const DESCRIPTORS: i32 = 256;
        // SAFETY: asks for flags; descriptors that are not open give an error.
        let open = (0..DESCRIPTORS).filter(|&number| unsafe { libc::fcntl(number, libc::F_GETFD) } >= 0).count();
        // None is seen where there is no /proc; Python's own are counted elsewhere.
        let threads = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
        open + threads
    }
}

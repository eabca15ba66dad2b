//! What a run writes, read until it is over: its streams, and the zygote's word of its end.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::ClientError;
use crate::descriptors;
use crate::zygote::END;

/// How long a zygote may take to end what a run left: hundreds of processes that all want the processor, at worst.
const LAST_WORDS: Duration = Duration::from_secs(20);
/// How long to wait for the ends of pipes after the worker is gone, where a straggler may hold them open.
const GRACE: Duration = Duration::from_millis(200);

/// Bytes of a stream, as far as they were kept.
#[derive(Debug, Default)]
pub struct Captured {
    /// The first bytes.
    pub kept: Vec<u8>,
    /// How many there were in all.
    pub total: u64,
}

impl Captured {
    /// Lossy text, with a note where it was cut.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.kept).into_owned();
        if self.total > self.kept.len() as u64 {
            let dropped = self.total - self.kept.len() as u64;
            let _infallible = write!(text, "\n[{dropped} more bytes]\n");
        }
        text
    }
}

/// One stream of a run.
pub(super) struct Source {
    from: Option<File>,
    pub(super) captured: Captured,
    limit: usize,
}

impl Source {
    pub(super) fn new(from: OwnedFd, limit: usize) -> Self {
        Self { from: Some(File::from(from)), captured: Captured::default(), limit }
    }

    /// Reads what is there; forgets the stream at its end.
    fn read(&mut self) {
        let mut buffer = [0; 1 << 14];
        let Some(from) = &mut self.from else {
            return;
        };
        match from.read(&mut buffer) {
            Ok(0) | Err(_) => self.from = None,
            Ok(read) => {
                let room = self.limit - self.captured.kept.len();
                self.captured.kept.extend_from_slice(&buffer[..read.min(room)]);
                self.captured.total += read as u64;
            }
        }
    }
}

/// Reads what a run writes until it is over or its time is up.
pub(super) struct Collector<'a> {
    /// Standard output, standard error, events.
    pub(super) sources: [Source; 3],
    pub(super) socket: &'a UnixStream,
    pub(super) worker: Option<OwnedFd>,
    pub(super) status: Option<i32>,
    pub(super) timed_out: bool,
}

impl Collector<'_> {
    pub(super) fn collect(&mut self, deadline: Instant) -> Result<(), ClientError> {
        let mut until = deadline;
        let mut forked = false;
        loop {
            let over = self.status.is_some();
            if over && self.sources.iter().all(|source| source.from.is_none()) {
                return Ok(());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                if over {
                    return Ok(());
                }
                if !self.timed_out {
                    self.timed_out = true;
                    self.kill();
                    // The worker is dying; the zygote reports soon, or it is stuck itself.
                    until = Instant::now() + LAST_WORDS;
                    continue;
                }
                return Err(ClientError::Lost(io::ErrorKind::TimedOut.into()));
            }
            let (ready, socket_ready) = self.wait(left, over)?;
            for (source, ready) in self.sources.iter_mut().zip(ready) {
                if ready {
                    source.read();
                }
            }
            if socket_ready {
                if forked {
                    let status = descriptors::receive::<4>(self.socket).map_err(ClientError::Lost)?;
                    let (status, _) = status.ok_or_else(|| ClientError::Lost(io::ErrorKind::UnexpectedEof.into()))?;
                    self.status = Some(i32::from_le_bytes(status));
                    until = Instant::now() + GRACE;
                } else {
                    let forked_message = descriptors::receive::<1>(self.socket).map_err(ClientError::Lost)?;
                    let (_, mut fds) =
                        forked_message.ok_or_else(|| ClientError::Lost(io::ErrorKind::UnexpectedEof.into()))?;
                    self.worker = fds.pop();
                    forked = true;
                }
            }
        }
    }

    fn wait(&self, left: Duration, over: bool) -> Result<([bool; 3], bool), ClientError> {
        let mut which = Vec::with_capacity(4);
        let mut fds = Vec::with_capacity(4);
        for (number, source) in self.sources.iter().enumerate() {
            if let Some(from) = &source.from {
                which.push(number);
                fds.push(PollFd::new(from.as_fd(), PollFlags::POLLIN));
            }
        }
        if !over {
            which.push(3);
            fds.push(PollFd::new(self.socket.as_fd(), PollFlags::POLLIN));
        }
        let millis = u16::try_from(left.as_millis().saturating_add(1)).unwrap_or(u16::MAX);
        match poll(&mut fds, PollTimeout::from(millis)) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(ClientError::Setup(error.into())),
        }
        let mut ready = [false; 4];
        for (number, fd) in which.into_iter().zip(&fds) {
            ready[number] = fd.any().unwrap_or(false);
        }
        Ok(([ready[0], ready[1], ready[2]], ready[3]))
    }

    /// The worker by its handle, which even a stuck zygote cannot prevent; the others by the zygote.
    fn kill(&self) {
        let _nobody_there = descriptors::send(self.socket, &END, &[]);
        if let Some(worker) = &self.worker {
            // SAFETY: pidfd_send_signal(2) on our own descriptor of the worker.
            unsafe {
                libc::syscall(
                    libc::SYS_pidfd_send_signal,
                    worker.as_raw_fd(),
                    libc::SIGKILL,
                    std::ptr::null::<libc::siginfo_t>(),
                    0,
                );
            }
        }
    }
}

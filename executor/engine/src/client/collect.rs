//! What a run writes, read until it is over: its streams, and word of its end from its template or the zygote.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags};

use super::ClientError;
use super::ends::{read_end, wait_for};
use super::template::Template;
use crate::descriptors;
use crate::protocol::Reply;
use crate::stop::Stop;
use crate::zygote::END;

/// How long a zygote may take to end what a run left: hundreds of processes that all want the processor, at worst.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(20);
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
    /// Of the process that makes the runs, or is the only one.
    pub(super) template: &'a mut Template,
    pub(super) zygote: &'a UnixStream,
    pub(super) end: Option<RunEnd>,
    pub(super) timed_out: bool,
}

/// How a run, and the process that made it, ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunEnd {
    /// Exit code, or the signal's number plus 256.
    pub(super) status: i32,
    /// Another run may be made by the same process.
    pub(super) goes_on: bool,
}

impl Collector<'_> {
    pub(super) fn collect(&mut self, deadline: Instant, stop: Option<&Stop>) -> Result<(), ClientError> {
        let mut until = deadline;
        loop {
            if self.end.is_some() && self.sources.iter().all(|source| source.from.is_none()) {
                return Ok(());
            }
            let left = until.saturating_duration_since(Instant::now());
            // Once it is ending, whatever asked for the end has to wait for it.
            let left = if self.timed_out || self.end.is_some() { left } else { Stop::share(stop, left) };
            if left.is_zero() {
                if self.end.is_some() {
                    return Ok(());
                }
                if self.timed_out {
                    return Err(ClientError::Lost(io::ErrorKind::TimedOut.into()));
                }
                // The zygote ends everybody; or it is stuck itself.
                self.timed_out = true;
                descriptors::send(self.zygote, &END, &[]).map_err(ClientError::Lost)?;
                until = Instant::now() + LAST_WORDS;
                continue;
            }
            let ready = self.wait(left)?;
            for (source, ready) in self.sources.iter_mut().zip(ready) {
                if ready {
                    source.read();
                }
            }
            if self.end.is_none() {
                self.hear(ready[3], ready[4])?;
                if self.end.is_some() {
                    until = Instant::now() + GRACE;
                }
            }
        }
    }

    /// What the template and the zygote say of the run's end.
    fn hear(&mut self, template: bool, zygote: bool) -> Result<(), ClientError> {
        if template {
            match self.template.reply() {
                Some(Reply::Loaded { lines }) => self.template.lines = lines,
                Some(Reply::Ended { status, clean }) if !self.template.once => {
                    self.end = Some(RunEnd { status, goes_on: clean });
                }
                Some(_) => {}
                // The zygote knows how it ended.
                None => self.template.is_silent = true,
            }
        }
        if zygote
            && let Some((id, status)) = read_end(self.zygote)?
            && id == self.template.id
        {
            // Whoever makes many runs does not end of itself.
            let status = if self.template.once { status } else { status.max(256 + libc::SIGKILL) };
            self.end = self.end.or(Some(RunEnd { status, goes_on: false }));
        }
        Ok(())
    }

    /// Which of the sources, the template and the zygote can be read.
    fn wait(&self, left: Duration) -> Result<[bool; 5], ClientError> {
        let mut which = Vec::with_capacity(5);
        let mut fds = Vec::with_capacity(5);
        for (number, source) in self.sources.iter().enumerate() {
            if let Some(from) = &source.from {
                which.push(number);
                fds.push(PollFd::new(from.as_fd(), PollFlags::POLLIN));
            }
        }
        if self.end.is_none() {
            if !self.template.is_silent {
                which.push(3);
                fds.push(PollFd::new(self.template.socket.as_fd(), PollFlags::POLLIN));
            }
            which.push(4);
            fds.push(PollFd::new(self.zygote.as_fd(), PollFlags::POLLIN));
        }
        wait_for(&mut fds, left)?;
        let mut ready = [false; 5];
        for (number, fd) in which.into_iter().zip(&fds) {
            ready[number] = fd.any().unwrap_or(false);
        }
        Ok(ready)
    }
}

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

/// The place of the events among the streams of a run.
const EVENTS: usize = 2;

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

/// What a run writes.
pub(super) struct Sources {
    /// Standard output, standard error, events.
    pub(super) streams: [Source; 3],
    /// When the last of its events came.
    pub(super) ended: Option<Instant>,
}

/// Reads what runs in one process write until the last one is over or the time of one is up.
pub(super) struct Collector<'a> {
    /// Of each run, in their order.
    pub(super) runs: Vec<Sources>,
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
    /// `timeout` is the time that each run after the first one may take.
    pub(super) fn collect(
        &mut self,
        deadline: Instant,
        timeout: Duration,
        stop: Option<&Stop>,
    ) -> Result<(), ClientError> {
        let mut until = deadline;
        let mut known = 0;
        loop {
            if self.end.is_some() && self.sources().all(|source| source.from.is_none()) {
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
            let [template, zygote] = self.read_what_is_ready(left)?;
            let over = self.runs.iter().take_while(|run| run.ended.is_some()).count();
            if self.end.is_none() {
                self.hear(template, zygote)?;
                if self.end.is_some() {
                    until = Instant::now() + GRACE;
                } else if over > known && !self.timed_out {
                    // The next one has begun.
                    until = Instant::now() + timeout;
                }
            }
            known = over;
        }
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        self.runs.iter().flat_map(|run| &run.streams)
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

    /// Waits until anything can be read, and reads what runs have written; whether the template and the zygote say anything.
    fn read_what_is_ready(&mut self, left: Duration) -> Result<[bool; 2], ClientError> {
        let said = |fd: &PollFd<'_>| fd.any().unwrap_or(false);
        let mut fds: Vec<_> = self.sources().filter_map(|source| source.from.as_ref()).map(polled).collect();
        let (streams, mut speakers) = (fds.len(), [false; 2]);
        if self.end.is_none() {
            fds.push(polled(self.zygote));
            if !self.template.is_silent {
                fds.push(polled(&self.template.socket));
            }
        }
        wait_for(&mut fds, left)?;
        for (speaker, fd) in speakers.iter_mut().rev().zip(&fds[streams..]) {
            *speaker = said(fd);
        }
        let ready: Vec<bool> = fds[..streams].iter().map(said).collect();
        drop(fds);
        let mut ready = ready.into_iter();
        for run in &mut self.runs {
            for source in run.streams.iter_mut().filter(|source| source.from.is_some()) {
                if ready.next() == Some(true) {
                    source.read();
                }
            }
            if run.ended.is_none() && run.streams[EVENTS].from.is_none() {
                run.ended = Some(Instant::now());
            }
        }
        Ok(speakers)
    }
}

fn polled(from: &impl AsFd) -> PollFd<'_> {
    PollFd::new(from.as_fd(), PollFlags::POLLIN)
}

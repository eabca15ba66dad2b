//! The parent's handle of a process that compiles a program and makes its runs.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::ends::{read_end, wait_for};
use super::{ClientError, Request};
use crate::descriptors;
use crate::protocol::{Load, Reply, read_frame, write_frame};
use crate::stop::Stop;
use crate::zygote::{OTHER, SERIES, SITES, TASK, TEMPLATE};

/// A message of a template comes as a whole, or its writer is not what it should be.
const PATIENCE: Duration = Duration::from_secs(2);

/// A process for one program. It lives until the zygote ends it, together with all others.
#[derive(Debug)]
pub(super) struct Template {
    /// Its number among the templates asked for, which the zygote counts too.
    pub(super) id: u32,
    /// What it was asked for as: [`crate::zygote::ONCE`], [`crate::zygote::DRAWN`].
    flags: u8,
    /// [`crate::protocol::Program::id`], once a program was handed over.
    pub(super) program: Option<u64>,
    pub(super) socket: UnixStream,
    /// How far it has come with its program.
    pub(super) progress: Progress,
    /// The lines that count, once it has said so.
    pub(super) lines: Vec<u32>,
    /// Sites that it knows.
    sites: usize,
    /// Sites at the front of which it knows what they take.
    assigned: usize,
    /// It makes one run, by becoming that run.
    pub(super) once: bool,
    /// It closed its socket.
    pub(super) is_silent: bool,
}

/// How far a process has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Progress {
    /// It waits for a program, or compiles it.
    Started,
    /// The program is compiled; what runs in the process from there on are its imports.
    Loaded,
    /// Its runs may begin.
    Ready,
}

/// What became of a program that was handed over.
pub(super) enum Loaded {
    /// Its runs may begin.
    Ready,
    /// This module cannot be preloaded.
    Unfit(String),
    /// The function cannot run in its module, for this reason.
    Unplaced(String),
    /// The process ended with this status, or could not do its part.
    Ended(i32),
    /// It could not do its part.
    Failed(String),
    /// The time was up.
    Late,
}

impl Template {
    /// Asks the zygote for a new process.
    pub(super) fn start(zygote: &UnixStream, id: u32, flags: u8) -> Result<Self, ClientError> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(PATIENCE))?;
        descriptors::send(zygote, &[TEMPLATE, flags], &[theirs.as_raw_fd()]).map_err(ClientError::Lost)?;
        Ok(Self {
            id,
            flags,
            program: None,
            socket,
            progress: Progress::Started,
            lines: Vec::new(),
            sites: 0,
            assigned: 0,
            once: false,
            is_silent: false,
        })
    }

    /// True if it has no program yet and may take one that is asked for with these flags.
    pub(super) fn is_spare(&self, flags: u8) -> bool {
        self.program.is_none() && self.flags & flags == flags
    }

    /// Hands a program over. If the process is gone the zygote says what became of it.
    pub(super) fn load(&mut self, load: &Load<'_>) {
        self.program = Some(load.program.id);
        self.sites = load.program.sites.len();
        self.assigned = if load.program.is_unassigned { 0 } else { self.sites };
        self.once = load.once;
        let _gone = write_frame(&self.socket, load);
    }

    /// Waits until runs may begin, or cannot.
    pub(super) fn wait(
        &mut self,
        zygote: &UnixStream,
        deadline: Instant,
        stop: Option<&Stop>,
    ) -> Result<Loaded, ClientError> {
        loop {
            let left = Stop::share(stop, deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Ok(Loaded::Late);
            }
            let mut fds = vec![PollFd::new(zygote.as_fd(), PollFlags::POLLIN)];
            if !self.is_silent {
                fds.push(PollFd::new(self.socket.as_fd(), PollFlags::POLLIN));
            }
            wait_for(&mut fds, left)?;
            let ready = |number: usize| fds.get(number).is_some_and(|fd: &PollFd<'_>| fd.any().unwrap_or(false));
            let (ended, said) = (ready(0), ready(1));
            if said {
                match self.reply() {
                    Some(Reply::Loaded { lines }) => (self.progress, self.lines) = (Progress::Loaded, lines),
                    Some(Reply::Ready) => {
                        self.progress = Progress::Ready;
                        return Ok(Loaded::Ready);
                    }
                    Some(Reply::Unfit { module }) => return Ok(Loaded::Unfit(module)),
                    Some(Reply::Unplaced { problem }) => return Ok(Loaded::Unplaced(problem)),
                    Some(Reply::Failed { message }) => return Ok(Loaded::Failed(message)),
                    Some(Reply::Ended { .. }) => {}
                    None => self.is_silent = true,
                }
            } else if ended
                && let Some((id, status)) = read_end(zygote)?
                && id == self.id
            {
                return Ok(Loaded::Ended(status));
            }
        }
    }

    /// True unless it ended since its last run.
    pub(super) fn is_there(&self) -> bool {
        let mut fds = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready == 0)
    }

    /// Asks for runs in one process, with the sites that are new to it; `rights` are the descriptors of each run.
    pub(super) fn send(&mut self, request: &Request<'_>, rights: &[[RawFd; 5]]) -> io::Result<()> {
        let (sites, assignment) = request.sites;
        // With companion modules there are more than the plan's own.
        if request.loaded.is_some() {
            descriptors::send(&self.socket, &OTHER, &[])?;
            write_frame(&self.socket, request.program)?;
        } else if sites.len() > self.assigned && assignment.len() >= sites.len() {
            let new = (&sites[self.sites..], self.assigned, &assignment[self.assigned..sites.len()]);
            descriptors::send(&self.socket, &SITES, &[])?;
            write_frame(&self.socket, &new)?;
            (self.sites, self.assigned) = (sites.len(), sites.len());
        }
        for (number, (task, rights)) in (1..).zip(request.tasks.iter().zip(rights)) {
            let head = if number < request.tasks.len() { &SERIES } else { &TASK };
            descriptors::send(&self.socket, head, rights)?;
            write_frame(&self.socket, task)?;
        }
        Ok(())
    }

    /// What it says next; `None` if that cannot be read.
    pub(super) fn reply(&self) -> Option<Reply> {
        serde_json::from_slice(&read_frame(&self.socket).ok()??).ok()
    }

    /// Waits until the zygote says that a process has ended.
    pub(super) fn wait_for_end(&self, zygote: &UnixStream, patience: Duration) -> Result<(), ClientError> {
        zygote.set_read_timeout(Some(patience))?;
        while let Some((id, _)) = read_end(zygote)? {
            if id == self.id {
                zygote.set_read_timeout(None)?;
                return Ok(());
            }
        }
        Err(ClientError::Lost(io::ErrorKind::UnexpectedEof.into()))
    }
}

//! A template: the process that has compiled a program and made its imports, and forks for each run.
//!
//! It takes the steps of the sandbox before it is given the program, which the parent may still be making then. It is
//! confined as a run is, for what it imports is as little to be trusted. A run that is forked from it can neither signal nor
//! look into it, and must leave nothing behind: otherwise the parent asks for another template. Where the parent asks for
//! several runs at once, one process makes them, up to the first one that leaves it otherwise than it was. A run may be that of
//! another program whose function stands at the same place of the module that the template has imported: a rewrite.

use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::sys::signal::SigSet;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, setsid};
use pyo3::prelude::*;

use super::fork::{FAILED, forked};
use super::sandbox::{Confinement, Scratch};
use super::warm_up::warm_up_more;
use super::{OTHER, SITES, SOCKET_FD, TASK};
use crate::descriptors;
use crate::protocol::{End, Event, Load, Program, Reply, Task, read_frame, write_frame};
use crate::worker::streams::{self, Streams};
use crate::worker::{AddedSites, LoadedProgram, Pipe, Runtime};

/// What a template has from the zygote.
pub(super) struct Template<'z> {
    pub(super) runtime: &'z Runtime,
    pub(super) confinement: &'z Confinement,
    /// The other end is the parent's.
    pub(super) socket: UnixStream,
}

/// A run that the parent asks for: what it is given, and where its line marks go.
struct Requested {
    task: Task,
    streams: [OwnedFd; 3],
    events: OwnedFd,
    marks: OwnedFd,
}

impl Template<'_> {
    /// Waits for the program, loads it and makes its runs until nobody asks for any; returns the exit code.
    pub(super) fn serve(&self, py: Python<'_>) -> i32 {
        let _already_leader = setsid();
        // SAFETY: closes the control socket, which no run may see.
        unsafe { libc::close(SOCKET_FD) };
        let confined = self.confinement.enter();
        let Ok(Some(body)) = read_frame(&self.socket) else { return FAILED };
        let Ok(mut load) = serde_json::from_slice::<Load<'_>>(&body) else { return FAILED };
        let program = std::mem::take(&mut load.program).into_owned();
        let served = if load.once {
            self.become_run(py, program, confined)
        } else {
            confined.and_then(|()| self.make_runs(py, program, load))
        };
        served.unwrap_or_else(|message| {
            self.say(&Reply::Failed { message });
            FAILED
        })
    }

    fn become_run(&self, py: Python<'_>, program: Program, confined: Result<(), String>) -> Result<i32, String> {
        let (mut requested, _) = self.requested(|_| ()).unwrap_or_default();
        let Some(Requested { task, streams, events, marks }) = requested.pop() else { return Ok(FAILED) };
        streams::take(streams).map_err(text)?;
        let _unblocked = SigSet::all().thread_unblock();
        let events = Pipe(events.into_raw_fd());
        if let Err(message) = confined {
            let _nobody_left_to_tell = write_frame(events, &Event::End(End::Internal { message }));
            return Ok(FAILED);
        }
        let loaded = LoadedProgram::load(py, self.runtime, program).map_err(text)?;
        self.say(&Reply::Loaded { lines: loaded.lines().to_vec() });
        self.hang_up();
        loaded.make_time_virtual();
        Ok(loaded.run(self.runtime, task, Some((events, marks))))
    }

    fn make_runs(&self, py: Python<'_>, program: Program, load: Load<'_>) -> Result<i32, String> {
        // SAFETY: prctl(2) with constant arguments; orphans of a run come to this process.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
        let own = Streams::of_template().map_err(text)?;
        let scratch = Scratch::observe(self.confinement).map_err(text)?;
        let mut loaded = LoadedProgram::load(py, self.runtime, program).map_err(text)?;
        self.say(&Reply::Loaded { lines: loaded.lines().to_vec() });
        loaded.keep_output(own.written().map_err(text)?);
        warm_up_more(py, self.runtime).map_err(text)?;
        let mut untouched = || own.are_untouched() && !has_children() && scratch.is_empty();
        loaded.unplaced = load.unplaced;
        if loaded.unplaced.is_none()
            && let Err(problem) = self.enter_module(&mut loaded, &own, &mut untouched)?
        {
            self.say(&Reply::Unplaced { problem });
            return Ok(0);
        }
        if let Some(module) = loaded.preload(self.runtime, &load.preloads, &mut untouched).map_err(text)? {
            self.say(&Reply::Unfit { module });
            return Ok(0);
        }
        // No run may see them.
        drop(own);
        self.confinement.hide();
        self.say(&Reply::Ready);
        while let Some((requested, other)) = self.requested(|added| loaded.add_sites(added)) {
            loaded.make_time_virtual();
            // The child changes its own copy of the program.
            let child = forked(py, || {
                self.hang_up();
                self.confinement.enter_fork();
                let _own_session = setsid();
                let _unblocked = SigSet::all().thread_unblock();
                let made = match other {
                    Some(other) => self.run_other(&loaded, other, requested),
                    None => self.make_series(&loaded, requested, || !has_children() && scratch.is_empty()),
                };
                made.unwrap_or(FAILED)
            });
            let status = wait_for(child.map_err(text)?);
            let clean = !has_children() && scratch.is_clean();
            self.say(&Reply::Ended { status, clean });
        }
        Ok(0)
    }

    /// Makes runs in this process, as many as leave it as it was; returns the exit code of the last one.
    fn make_series(
        &self,
        loaded: &LoadedProgram<'_>,
        requested: Vec<Requested>,
        mut untouched: impl FnMut() -> bool,
    ) -> io::Result<i32> {
        let mut left = requested.len();
        let mut state = None;
        for (number, Requested { task, streams, events, marks }) in requested.into_iter().enumerate() {
            left -= 1;
            streams::take(streams)?;
            if number > 0 {
                loaded.make_time_virtual();
            } else if left > 0 {
                state = loaded.state(self.runtime);
            }
            let events = events.into_raw_fd();
            let next = || state.as_ref().filter(|_| left > 0 && untouched());
            let (code, goes_on) = loaded.run_before_others(self.runtime, task, Some((Pipe(events), marks)), next);
            if !goes_on {
                return Ok(code);
            }
            streams::close_for_good(events)?;
        }
        Ok(FAILED)
    }

    /// Runs another program, whose function is put in the place of the loaded one's.
    fn run_other(&self, loaded: &LoadedProgram<'_>, other: Program, mut requested: Vec<Requested>) -> io::Result<i32> {
        let Some(Requested { task, streams, events, marks }) = requested.pop() else { return Ok(FAILED) };
        streams::take(streams)?;
        let events = Pipe(events.into_raw_fd());
        match loaded.with_other(self.runtime, other).map_err(text).flatten() {
            Ok(other) => Ok(other.run(self.runtime, task, Some((events, marks)))),
            Err(message) => {
                let _nobody_left_to_tell = write_frame(events, &Event::End(End::Internal { message }));
                Ok(FAILED)
            }
        }
    }

    /// Imports the module of the function that the program is, if it is one; or says why it cannot be.
    fn enter_module(
        &self,
        loaded: &mut LoadedProgram<'_>,
        own: &Streams,
        untouched: &mut impl FnMut() -> bool,
    ) -> Result<Result<(), String>, String> {
        let entered = loaded.enter_module(self.runtime).map_err(text)?;
        // What the project's modules print when they are imported is not the function's.
        own.written().map_err(text)?;
        Ok(entered.and_then(|()| {
            let problem = "importing its module starts threads or processes, opens files or writes them";
            if untouched() { Ok(()) } else { Err(problem.to_owned()) }
        }))
    }

    /// The next runs, which one process makes, and the program that they are of if it is another one; sites that come before
    /// them are handed on.
    fn requested(&self, mut add_sites: impl FnMut(AddedSites)) -> Option<(Vec<Requested>, Option<Program>)> {
        let (mut series, mut other) = (Vec::new(), None);
        loop {
            let (head, fds) = descriptors::receive::<1>(&self.socket).ok()??;
            let body = read_frame(&self.socket).ok()??;
            if head == SITES {
                add_sites(serde_json::from_slice(&body).ok()?);
                continue;
            }
            if head == OTHER {
                other = Some(serde_json::from_slice(&body).ok()?);
                continue;
            }
            let task = serde_json::from_slice(&body).ok()?;
            let [stdin, stdout, stderr, events, marks] = fds.try_into().ok()?;
            series.push(Requested { task, streams: [stdin, stdout, stderr], events, marks });
            if head == TASK {
                return Some((series, other));
            }
        }
    }

    fn say(&self, reply: &Reply) {
        let _nobody_listens = write_frame(&self.socket, reply);
    }

    /// What a run does is no word of its template's.
    fn hang_up(&self) {
        // SAFETY: this process will not use the socket again, and ends without dropping it.
        unsafe { libc::close(self.socket.as_raw_fd()) };
    }
}

/// Exit code, or the signal's number plus 256. Orphans of the run are reaped on the way: as zombies they would count.
fn wait_for(run: Pid) -> i32 {
    loop {
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == run => return code,
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == run => return 256 + signal as i32,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return FAILED,
        }
    }
}

/// True if anybody is left whom a run made, or an import: orphans come to this process.
fn has_children() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Err(Errno::ECHILD) => return false,
            Ok(WaitStatus::StillAlive) => return true,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return true,
        }
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

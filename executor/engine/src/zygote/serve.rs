//! The zygote's loop: a template for each program, and the end of everybody when one of them ends.

use std::io::Write;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};
use pyo3::prelude::*;

use super::fork::{FAILED, forked};
use super::sandbox::{self, Checklist, Confinement, Mode, Rehearsal, Sandbox, View};
use super::template::Template;
use super::warm_up::{preload, warm_up, warm_up_more};
use super::{DRAWN, ONCE, PRELOAD, SOCKET_FD, TEMPLATE};
use crate::address_space::stack_bytes;
use crate::descriptors;
use crate::protocol::{read_frame, write_frame};
use crate::worker::Runtime;
use crate::worker::interpreter::{Flavour, start};

/// Stack of the Python thread: hooks call back into the interpreter, so deep recursion of the program is deep
/// recursion here. Committed only as far as it is used.
const STACK_BYTES: usize = 2 << 30;

/// How often orphans are reaped, in milliseconds.
const REAPING: u8 = 100;

/// `mi_option_purge_delay`, which the binding has no name for.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
/// What glibc's arena grows by.
const TOP_PAD: i32 = 1 << 20;

/// Memory is given back when the process ends, soon. Otherwise each worker would purge what the zygote once freed, and
/// grow its Python thread's own arena page by page.
fn settle_allocators() {
    // SAFETY: options of the allocators, set while this process has one thread.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, -1);
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_TOP_PAD, TOP_PAD);
    }
}

/// What whoever called us left open is nothing for a program that is not to be trusted.
fn close_inherited() {
    // SAFETY: nothing here has opened anything yet.
    unsafe { libc::syscall(libc::SYS_close_range, SOCKET_FD + 1, libc::c_uint::MAX, 0) };
}

/// Becomes a zygote; returns its exit code.
#[must_use]
pub fn serve() -> i32 {
    sandbox::die_with_parent();
    close_inherited();
    settle_allocators();
    let socket = own_socket();
    let Ok(Some(body)) = read_frame(&socket) else {
        return FAILED;
    };
    let Ok(sandbox) = serde_json::from_slice::<Sandbox>(&body) else {
        return FAILED;
    };
    if sandbox.mode == Mode::Off {
        let confinement = Confinement::new(Checklist::new(Mode::Off), None);
        return on_deep_stack(move || serve_programs(&socket, confinement, None));
    }
    // Under pressure for memory, what runs here goes first.
    let _where_there_is_one = std::fs::write("/proc/self/oom_score_adj", "1000");
    let view = View::gather(&sandbox);
    let mut list = Checklist::new(sandbox.mode);
    let Ok(group) = sandbox::enter_namespaces(&mut list, &view) else {
        return refused(&socket, &list);
    };
    // SAFETY: this process has one thread.
    match unsafe { fork() } {
        Ok(ForkResult::Parent { child }) => {
            drop(socket);
            wait_for_zygote(child)
        }
        Ok(ForkResult::Child) => {
            sandbox::die_with_parent();
            let Ok(rehearsal) = sandbox::close(&mut list, &view, group.as_ref()) else {
                return refused(&socket, &list);
            };
            let confinement = Confinement::new(list, Some(view));
            on_deep_stack(move || serve_programs(&socket, confinement, Some(rehearsal)))
        }
        Err(_) => FAILED,
    }
}

fn wait_for_zygote(child: Pid) -> i32 {
    loop {
        match waitpid(child, None) {
            Ok(WaitStatus::Exited(_, code)) => return code,
            Ok(WaitStatus::Signaled(..)) => return FAILED,
            Err(Errno::EINTR) | Ok(_) => {}
            Err(_) => return FAILED,
        }
    }
}

/// Tells the parent which step was refused.
fn refused(socket: &UnixStream, list: &Checklist) -> i32 {
    let _nobody_left_to_tell = write_frame(socket, &list.findings());
    FAILED
}

pub(super) fn report(error: &dyn std::error::Error) {
    let _nowhere_else = writeln!(std::io::stderr(), "surmise: {error}");
}

/// Works on a stack for deep recursion, which this thread changes to: a process that forks while it has other threads is
/// warned by CPython since 3.12, and its children would have nobody to end them.
pub(super) fn on_deep_stack(work: impl FnOnce() -> i32 + Send + 'static) -> i32 {
    let bytes = stack_bytes(STACK_BYTES, 1);
    if cfg!(not(Py_3_14)) {
        return stacker::grow(bytes, work);
    }
    // CPython 3.14 asks the system where the stack of its thread ends.
    let thread = std::thread::Builder::new().stack_size(bytes).spawn(work);
    // Signals are for the Python thread alone: it must wake up from what they interrupt.
    let _unblocked_only_here = SigSet::all().thread_block();
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(FAILED)
}

pub(super) fn own_socket() -> UnixStream {
    // SAFETY: the parent put the socket there for us (see `SOCKET_FD`), and nobody else owns it.
    unsafe { UnixStream::from_raw_fd(SOCKET_FD) }
}

fn serve_programs(socket: &UnixStream, mut confinement: Confinement, rehearsal: Option<Rehearsal>) -> i32 {
    if let Err(error) = start(Flavour::Guided) {
        report(&error);
        return FAILED;
    }
    // SAFETY: `start` initialized CPython on this thread, which holds the GIL since.
    let py = unsafe { Python::assume_attached() };
    let runtime = match Runtime::load(py).and_then(|runtime| warm_up(py, &runtime).map(|()| runtime)) {
        Ok(runtime) => runtime,
        Err(error) => {
            error.print(py);
            return FAILED;
        }
    };
    if rehearsal.is_some_and(|rehearsal| rehearsal.finish(&mut confinement.list).is_err()) {
        return refused(socket, &confinement.list);
    }
    // A run could interrupt the zygote otherwise, which has CPython's handlers. Runs unblock them again.
    let _unblocked_in_runs = SigSet::all().thread_block();
    if write_frame(socket, &confinement.list.findings()).is_err() {
        return FAILED;
    }
    let mut zygote = Zygote { socket, asked: 0, children: Vec::new() };
    let mut is_warm = false;
    loop {
        let has_message = zygote.wait();
        if zygote.reap().is_err() {
            return FAILED;
        }
        if !has_message {
            continue;
        }
        let Ok(Some(([kind, flags], mut fds))) = descriptors::receive::<2>(socket) else {
            return 0;
        };
        let done = match kind {
            TEMPLATE => {
                // Before the fork, so that it is done once; the run itself tells of a failure.
                if flags & DRAWN != 0 {
                    let _reported_by_the_run = runtime.drawn(py);
                }
                let Some(ours) = fds.pop() else { return FAILED };
                let template = Template { runtime: &runtime, confinement: &confinement, socket: ours.into() };
                let forked = zygote.fork(py, flags & ONCE != 0, || template.serve(py));
                // The parent has to wait for the template anyway.
                let warmed = if std::mem::replace(&mut is_warm, true) { Ok(()) } else { warm_up_more(py, &runtime) };
                forked.is_ok() && warmed.is_ok()
            }
            kind if kind == PRELOAD[0] => {
                let Ok(Some(body)) = read_frame(socket) else { return FAILED };
                preload(py, &runtime, &body).is_ok()
            }
            _ => zygote.end_all().is_ok(),
        };
        if !done {
            return FAILED;
        }
    }
}

/// The processes that the zygote made, all of which end together.
struct Zygote<'z> {
    socket: &'z UnixStream,
    /// Templates asked for so far, which go by these numbers.
    asked: u32,
    children: Vec<Child>,
}

/// A template.
struct Child {
    number: u32,
    pid: Pid,
    /// Readable when it has ended.
    handle: Option<OwnedFd>,
    /// It may be a run, whose orphans come to us.
    once: bool,
}

impl Zygote<'_> {
    fn fork(&mut self, py: Python<'_>, once: bool, work: impl FnOnce() -> i32) -> std::io::Result<()> {
        self.asked += 1;
        let pid = forked(py, work)?;
        self.children.push(Child { number: self.asked, pid, handle: pidfd(pid), once });
        Ok(())
    }

    /// Waits until a child ends or the parent says something; true for the latter.
    fn wait(&self) -> bool {
        let mut fds = vec![PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        let handles = self.children.iter().filter_map(|child| child.handle.as_ref());
        fds.extend(handles.map(|handle| PollFd::new(handle.as_fd(), PollFlags::POLLIN)));
        let patience = if fds.len() <= self.children.len() {
            PollTimeout::from(1u8)
        } else if self.children.iter().any(|child| child.once) {
            // As zombies, orphans of the run would count.
            PollTimeout::from(REAPING)
        } else {
            PollTimeout::NONE
        };
        poll(&mut fds, patience).is_ok() && fds[0].any().unwrap_or(false)
    }

    /// Takes note of who ended. With one of our own all end.
    fn reap(&mut self) -> std::io::Result<()> {
        loop {
            let (pid, status) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => (pid, code),
                Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, 256 + signal as i32),
                Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return Ok(()),
                Ok(_) | Err(Errno::EINTR) => continue,
                Err(error) => return Err(error.into()),
            };
            if let Some(at) = self.children.iter().position(|child| child.pid == pid) {
                let child = self.children.remove(at);
                end_everybody(pid);
                self.end_all()?;
                self.tell(child.number, status)?;
            }
        }
    }

    /// Ends all children and whatever they made, and waits until it is gone.
    fn end_all(&mut self) -> std::io::Result<()> {
        for child in &self.children {
            end_everybody(child.pid);
        }
        if std::process::id() == 1 {
            while matches!(waitpid(None, None), Ok(_) | Err(Errno::EINTR)) {}
        } else {
            for child in &self.children {
                while matches!(waitpid(child.pid, None), Err(Errno::EINTR)) {}
            }
            while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive) {}
        }
        for child in std::mem::take(&mut self.children) {
            self.tell(child.number, 256 + libc::SIGKILL)?;
        }
        Ok(())
    }

    /// Tells the parent that a child ended.
    fn tell(&self, number: u32, status: i32) -> std::io::Result<()> {
        let mut message = [0; 8];
        message[..4].copy_from_slice(&number.to_le_bytes());
        message[4..].copy_from_slice(&status.to_le_bytes());
        descriptors::send(self.socket, &message, &[])
    }
}

/// A handle to a process, which can be waited for together with sockets.
fn pidfd(child: Pid) -> Option<OwnedFd> {
    // SAFETY: pidfd_open(2) returns a new descriptor or an error.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, child.as_raw(), 0);
        i32::try_from(fd).ok().filter(|fd| *fd >= 0).map(|fd| OwnedFd::from_raw_fd(fd))
    }
}

/// Process 1 of a namespace may signal everyone else in it, all of them at once: nobody can fork away from that.
fn end_everybody(child: Pid) {
    if std::process::id() == 1 {
        let _nobody_left = kill(Pid::from_raw(-1), Signal::SIGKILL);
    } else {
        // The child and its group, where there is no namespace to end.
        let _gone = kill(child, Signal::SIGKILL);
        let _nobody_left = killpg(child, Signal::SIGKILL);
    }
}

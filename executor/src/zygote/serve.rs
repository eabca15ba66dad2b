//! The zygote's loop, and the plain run.

use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, setsid};
use pyo3::ffi;
use pyo3::prelude::*;
use surmise_instrument::LineIndex;

use super::sandbox::{self, Checklist, Finding, Mode, Rehearsal, Sandbox, View};
use super::{AHEAD_HEAD, END, PAIRED_HEAD, SOCKET_FD};
use crate::clock::monotonic;
use crate::descriptors;
use crate::protocol::{End, Event, Job, read_frame, write_frame};
use crate::worker::coverage::{CLOCK_BYTES, region_bytes};
use crate::worker::interpreter::{Flavour, start};
use crate::worker::{Channels, INTERRUPTED, Native, Pipe, Runtime, run, run_file};

/// Stack of the Python thread: hooks call back into the interpreter, so deep recursion of the program is deep
/// recursion here. Committed only as far as it is used.
const STACK_BYTES: usize = 2 << 30;

/// How often orphans are reaped, in milliseconds.
const REAPING: u8 = 100;

/// Exit code of a zygote that could not start.
const FAILED: i32 = 70;

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
pub(crate) fn serve() -> i32 {
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
        let confinement = Confinement { list: Checklist::new(Mode::Off), view: None };
        return on_big_stack(move || serve_runs(&socket, confinement, None));
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
            let confinement = Confinement { list, view: Some(view) };
            on_big_stack(move || serve_runs(&socket, confinement, Some(rehearsal)))
        }
        Err(_) => FAILED,
    }
}

/// What a worker goes through before it runs anything.
struct Confinement {
    list: Checklist,
    /// `None` without a sandbox.
    view: Option<View>,
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

/// Runs one program plainly; returns its exit code.
pub(crate) fn plain() -> i32 {
    on_big_stack(|| {
        let socket = own_socket();
        let Ok(Some(body)) = read_frame(&socket) else {
            return FAILED;
        };
        drop(socket);
        let Ok(job) = serde_json::from_slice::<Job>(&body) else {
            return FAILED;
        };
        if let Err(error) = start(Flavour::Plain) {
            report(&error);
            return FAILED;
        }
        // SAFETY: `start` initialized CPython on this thread, which holds the GIL since.
        let py = unsafe { Python::assume_attached() };
        let runtime = match Runtime::load(py) {
            Ok(runtime) => runtime,
            Err(error) => {
                error.print(py);
                return FAILED;
            }
        };
        let code = if job.text.is_empty() {
            run_file(&job)
        } else {
            let marks = private_region(job.lines);
            run(py, &runtime, job, Channels { events: None, marks })
        };
        // SAFETY: the GIL is held, and nothing of Python is used after.
        let flushed = unsafe { ffi::Py_FinalizeEx() };
        if code == INTERRUPTED {
            // SAFETY: ends the process as CPython does, so that a shell sees the interrupt.
            unsafe {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                libc::kill(libc::getpid(), libc::SIGINT);
            }
        }
        // CPython's own exit code when flushing standard output fails at the end.
        if flushed < 0 { 120 } else { code }
    })
}

/// Line marks that nobody reads.
fn private_region(lines: u32) -> (*mut *mut ffi::PyObject, usize) {
    let bytes = region_bytes(lines);
    let words = vec![0usize; bytes.div_ceil(size_of::<usize>())];
    (words.leak().as_mut_ptr().cast(), bytes)
}

fn report(error: &dyn std::error::Error) {
    let _nowhere_else = writeln!(std::io::stderr(), "surmise: {error}");
}

fn on_big_stack(work: impl FnOnce() -> i32 + Send + 'static) -> i32 {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    // Signals are for the Python thread alone: it must wake up from what they interrupt.
    let _unblocked_only_here = SigSet::all().thread_block();
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(FAILED)
}

fn own_socket() -> UnixStream {
    // SAFETY: the parent put the socket there for us (see `SOCKET_FD`), and nobody else owns it.
    unsafe { UnixStream::from_raw_fd(SOCKET_FD) }
}

fn serve_runs(socket: &UnixStream, mut confinement: Confinement, rehearsal: Option<Rehearsal>) -> i32 {
    if let Err(error) = start(Flavour::Guided) {
        report(&error);
        return FAILED;
    }
    // SAFETY: `start` initialized CPython on this thread, which holds the GIL since.
    let py = unsafe { Python::assume_attached() };
    let runtime = match Runtime::load(py) {
        Ok(runtime) => runtime,
        Err(error) => {
            error.print(py);
            return FAILED;
        }
    };
    if let Err(error) = warm_up(py, &runtime) {
        error.print(py);
        return FAILED;
    }
    if rehearsal.is_some_and(|rehearsal| rehearsal.finish(&mut confinement.list).is_err()) {
        return refused(socket, &confinement.list);
    }
    // A run could interrupt the zygote otherwise, which has CPython's handlers. Workers unblock them again.
    let _unblocked_in_workers = SigSet::all().thread_block();
    if write_frame(socket, &confinement.list.findings()).is_err() {
        return FAILED;
    }
    let mut warm = false;
    while let Ok(Some((head, fds))) = descriptors::receive::<1>(socket) {
        if head == END {
            // It was over already.
            continue;
        }
        let Ok(Some(body)) = read_frame(socket) else {
            break;
        };
        if head == AHEAD_HEAD {
            if import_ahead(py, &runtime, &body).is_err() {
                break;
            }
            continue;
        }
        let Ok(fds) = <[OwnedFd; 5]>::try_from(fds) else {
            break;
        };
        // Before the fork, so that it is done once; the run itself tells of a failure.
        if head == PAIRED_HEAD {
            let _told_by_the_run = runtime.paired(py);
        }
        if serve_one(py, &runtime, socket, &confinement, &body, fds).is_err() {
            break;
        }
        // The parent has its answer, and thinks.
        if !std::mem::replace(&mut warm, true) && warm_up_more(py).is_err() {
            break;
        }
    }
    0
}

/// Puts modules of the standard library aside for the runs to come.
fn import_ahead(py: Python<'_>, runtime: &Runtime, body: &[u8]) -> PyResult<()> {
    let names: Vec<String> = serde_json::from_slice(body).unwrap_or_default();
    runtime.shelf(py)?.call_method1("put", (names,))?;
    py.import("gc")?.call_method0("freeze")?;
    Ok(())
}

/// What runs that fail would import. Not before the first one: it may succeed, and be the only one.
fn warm_up_more(py: Python<'_>) -> PyResult<()> {
    for module in ["linecache", "traceback"] {
        py.import(module)?;
    }
    py.import("gc")?.call_method0("freeze")?;
    Ok(())
}

/// What every run would import or make first, and the collector's youngest generations out of the way.
fn warm_up(py: Python<'_>, runtime: &Runtime) -> PyResult<()> {
    for module in ["importlib.machinery", "atexit", "warnings"] {
        py.import(module)?;
    }
    // The first use of `compile` makes the classes of all syntax nodes.
    let code = py.import("builtins")?.call_method1("compile", ("a = 1", "<surmise>", "exec", 0, true))?;
    runtime.program.bind(py).call_method1("line_table", (code,))?;
    py.get_type::<Native>();
    // What it searches lines with asks the processor once what it has, which a virtual machine answers slowly.
    let _asked = LineIndex::new("a\n");
    py.import("gc")?.call_method0("freeze")?;
    Ok(())
}

fn serve_one(
    py: Python<'_>,
    runtime: &Runtime,
    socket: &UnixStream,
    confinement: &Confinement,
    body: &[u8],
    fds: [OwnedFd; 5],
) -> std::io::Result<()> {
    // SAFETY: CPython wants to know before and after; this process has no other Python thread.
    let forked = unsafe {
        ffi::PyOS_BeforeFork();
        fork()
    };
    match forked {
        Ok(ForkResult::Child) => {
            // SAFETY: in the child of a fork that was announced.
            unsafe { ffi::PyOS_AfterFork_Child() };
            let code = worker(py, runtime, confinement, body, fds);
            // SAFETY: ends the process without running the zygote's own exit handlers.
            unsafe { libc::_exit(code & 0xff) }
        }
        Ok(ForkResult::Parent { child }) => {
            // SAFETY: in the parent of a fork that was announced.
            unsafe { ffi::PyOS_AfterFork_Parent() };
            drop(fds);
            let handle = pidfd(child);
            let rights: Vec<i32> = handle.iter().map(AsRawFd::as_raw_fd).collect();
            descriptors::send(socket, b"f", &rights)?;
            let status = wait_for(child, handle.as_ref(), socket);
            clean_up(child);
            descriptors::send(socket, &status.to_le_bytes(), &[])
        }
        Err(error) => {
            // SAFETY: as above.
            unsafe { ffi::PyOS_AfterFork_Parent() };
            Err(error.into())
        }
    }
}

/// A handle to the worker that means the same process in every namespace.
fn pidfd(child: Pid) -> Option<OwnedFd> {
    // SAFETY: pidfd_open(2) returns a new descriptor or an error.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, child.as_raw(), 0);
        i32::try_from(fd).ok().filter(|fd| *fd >= 0).map(|fd| OwnedFd::from_raw_fd(fd))
    }
}

/// Exit code, or the signal's number plus 256. Orphans of the run are reaped on the way: as zombies they would count.
/// When the parent says so, or is gone, everybody is ended at once: among hundreds that keep forking, the worker alone
/// would take long to die.
fn wait_for(worker: Pid, handle: Option<&OwnedFd>, socket: &UnixStream) -> i32 {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(child, code)) if child == worker => return code,
            Ok(WaitStatus::Signaled(child, signal, _)) if child == worker => return 256 + signal as i32,
            Ok(WaitStatus::StillAlive) => {}
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(_) => return FAILED,
        }
        let mut fds = vec![PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
        fds.extend(handle.map(|handle| PollFd::new(handle.as_fd(), PollFlags::POLLIN)));
        let often = if handle.is_some() { REAPING } else { 1 };
        let told = poll(&mut fds, PollTimeout::from(often)).is_ok() && fds[0].any().unwrap_or(false);
        if told {
            let over = descriptors::receive::<1>(socket);
            end_everybody(worker);
            if !matches!(over, Ok(Some((END, _)))) {
                return FAILED;
            }
        }
    }
}

/// Process 1 of a namespace may signal everyone else in it, all of them at once: nobody can fork away from that.
fn end_everybody(worker: Pid) {
    if std::process::id() == 1 {
        let _nobody_left = kill(Pid::from_raw(-1), Signal::SIGKILL);
    } else {
        // The worker and its group, where there is no namespace to end.
        let _gone = kill(worker, Signal::SIGKILL);
        let _nobody_left = killpg(worker, Signal::SIGKILL);
    }
}

/// Ends whatever a run left behind after its worker, and waits until it is gone.
fn clean_up(worker: Pid) {
    if std::process::id() == 1 {
        end_everybody(worker);
        while matches!(waitpid(None, None), Ok(_) | Err(Errno::EINTR)) {}
    } else {
        let _nobody_left = killpg(worker, Signal::SIGKILL);
        while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive) {}
    }
}

/// Goes through the steps of a run, which succeeded in a rehearsal.
fn confine(confinement: &Confinement) -> Result<(), String> {
    let Some(view) = &confinement.view else {
        return Ok(());
    };
    let mut list = confinement.list.clone();
    list.forget_rehearsal();
    sandbox::enter_run(&mut list, view).map_err(|_| match list.findings().last() {
        Some(Finding { step, problem: Some(problem) }) => format!("the sandbox failed: {}: {problem}", step.what()),
        _ => "the sandbox failed".to_owned(),
    })
}

fn worker(py: Python<'_>, runtime: &Runtime, confinement: &Confinement, body: &[u8], fds: [OwnedFd; 5]) -> i32 {
    let [stdin, stdout, stderr, events, region] = fds;
    let _already_leader = setsid();
    let _unblocked = SigSet::all().thread_unblock();
    // SAFETY: closes the control socket, which the worker must not see.
    unsafe { libc::close(SOCKET_FD) };
    for (target, fd) in [(0, &stdin), (1, &stdout), (2, &stderr)] {
        // SAFETY: plain descriptors.
        if unsafe { libc::dup2(fd.as_raw_fd(), target) } < 0 {
            return FAILED;
        }
    }
    drop((stdin, stdout, stderr));
    let Ok(job) = serde_json::from_slice::<Job>(body) else {
        return FAILED;
    };
    let Some(marks) = map_region(&region, job.lines) else {
        return FAILED;
    };
    // Whoever can write to the shared marks by a descriptor could crash us: the mapping is enough.
    drop(region);
    let events = Pipe(events.into_raw_fd());
    if let Err(message) = confine(confinement) {
        let _nobody_left_to_tell = write_frame(events, &Event::End(End::Internal { message }));
        return FAILED;
    }
    // SAFETY: the region has these bytes after the marks.
    unsafe { marks.0.byte_add(marks.1).cast::<u64>().write(monotonic().as_nanos() as u64) };
    run(py, runtime, job, Channels { events: Some(events), marks })
}

/// Where the marks are, and their bytes; [`CLOCK_BYTES`] more follow.
fn map_region(region: &OwnedFd, lines: u32) -> Option<(*mut *mut ffi::PyObject, usize)> {
    let bytes = region_bytes(lines);
    // SAFETY: a fresh shared mapping of a file that the parent made large enough.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes + CLOCK_BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            region.as_raw_fd(),
            0,
        )
    };
    (address != libc::MAP_FAILED).then_some((address.cast(), bytes))
}

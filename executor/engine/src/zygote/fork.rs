//! Processes that a process with CPython in it makes of itself.

use nix::unistd::{ForkResult, Pid, fork};
use pyo3::ffi;
use pyo3::prelude::*;

/// Exit code of a zygote that could not start.
pub(super) const FAILED: i32 = 70;

/// Forks a child that does some work and ends.
pub(super) fn forked(_py: Python<'_>, work: impl FnOnce() -> i32) -> std::io::Result<Pid> {
    // SAFETY: CPython wants to know before and after; this process has no other Python thread.
    let forked = unsafe {
        ffi::PyOS_BeforeFork();
        fork()
    };
    if let Ok(ForkResult::Child) = forked {
        // SAFETY: in the child of a fork that was announced; it ends without running its parent's exit handlers.
        unsafe {
            ffi::PyOS_AfterFork_Child();
            libc::_exit(work() & 0xff)
        }
    }
    // SAFETY: in the parent of a fork that was announced.
    unsafe { ffi::PyOS_AfterFork_Parent() };
    match forked? {
        ForkResult::Parent { child } => Ok(child),
        ForkResult::Child => unreachable!("it has ended"),
    }
}

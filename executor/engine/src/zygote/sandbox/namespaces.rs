//! Steps 1 to 6: namespaces of the zygote, made in the launcher.

use std::io;

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getgid, getuid, sethostname};

/// Host name inside the sandbox.
const HOST_NAME: &str = "surmise";

/// Why a namespace could not be entered.
#[derive(Debug, thiserror::Error)]
pub(super) enum NamespaceError {
    #[error("unshare of the {what} namespace: {source}")]
    Unshare { what: &'static str, source: Errno },
    #[error("{file}: {source}")]
    Map { file: &'static str, source: io::Error },
    #[error("sethostname: {0}")]
    HostName(Errno),
}

fn leave(what: &'static str, flag: CloneFlags) -> Result<(), NamespaceError> {
    unshare(flag).map_err(|source| NamespaceError::Unshare { what, source })
}

/// Enters a user namespace in which only the user's own id exists, unchanged, so that programs see the owner of their
/// files.
pub(super) fn users() -> Result<(), NamespaceError> {
    let (uid, gid) = (getuid(), getgid());
    leave("user", CloneFlags::CLONE_NEWUSER)?;
    for (file, text) in [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("{uid} {uid} 1")),
        ("/proc/self/gid_map", format!("{gid} {gid} 1")),
    ] {
        std::fs::write(file, text).map_err(|source| NamespaceError::Map { file, source })?;
    }
    Ok(())
}

pub(super) fn mounts() -> Result<(), NamespaceError> {
    leave("mount", CloneFlags::CLONE_NEWNS)
}

/// Prepares a pid namespace, which takes effect for children: the zygote will be process 1.
pub(super) fn processes() -> Result<(), NamespaceError> {
    leave("pid", CloneFlags::CLONE_NEWPID)
}

/// Enters a network namespace in which no interface is up, not even loopback.
pub(super) fn network() -> Result<(), NamespaceError> {
    leave("network", CloneFlags::CLONE_NEWNET)
}

pub(super) fn ipc() -> Result<(), NamespaceError> {
    leave("IPC", CloneFlags::CLONE_NEWIPC)
}

/// Enters a UTS namespace and hides the machine's host name.
pub(super) fn host_name() -> Result<(), NamespaceError> {
    leave("UTS", CloneFlags::CLONE_NEWUTS)?;
    sethostname(HOST_NAME).map_err(NamespaceError::HostName)
}

/// Has the kernel kill this process when its parent dies.
pub(crate) fn die_with_parent() {
    // SAFETY: prctl(2) with constant arguments.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
}

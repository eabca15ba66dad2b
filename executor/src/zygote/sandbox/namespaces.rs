//! Steps 1 to 6: namespaces of the zygote, made in the launcher.

use std::io;

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getgid, getuid, sethostname};

/// What machines of the sandbox are called.
const HOST_NAME: &str = "surmise";

/// Why there is no namespace.
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

/// The user's own number stays what it was, so that programs see the owner of their files; no other exists inside.
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

/// Takes effect for children: the zygote will be process 1.
pub(super) fn processes() -> Result<(), NamespaceError> {
    leave("pid", CloneFlags::CLONE_NEWPID)
}

/// Nothing in it is up, not even the loopback interface.
pub(super) fn network() -> Result<(), NamespaceError> {
    leave("network", CloneFlags::CLONE_NEWNET)
}

pub(super) fn ipc() -> Result<(), NamespaceError> {
    leave("IPC", CloneFlags::CLONE_NEWIPC)
}

/// The machine's name is nobody's business.
pub(super) fn host_name() -> Result<(), NamespaceError> {
    leave("UTS", CloneFlags::CLONE_NEWUTS)?;
    sethostname(HOST_NAME).map_err(NamespaceError::HostName)
}

/// Dies with the process that made this one.
pub(crate) fn die_with_parent() {
    // SAFETY: prctl(2) with constant arguments.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
}

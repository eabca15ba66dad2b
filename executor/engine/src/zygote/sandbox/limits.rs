//! Step 13: resource limits of each process of a run.

use nix::errno::Errno;
use nix::sys::resource::{Resource, setrlimit};

use super::processes::PROCESSES;
use super::view::View;

/// Size limit of a file that a run writes, in bytes.
const FILE_BYTES: u64 = 256 << 20;
/// Limit of open file descriptors.
const DESCRIPTORS: u64 = 256;
/// Size limit of core files: one byte, because with 0 the kernel still starts a crash handler if core files go to a
/// pipe.
const CORE_BYTES: u64 = 1;
/// Limit of locked memory, in bytes: enough for secrets, too little to exhaust the machine's memory.
const LOCKED_BYTES: u64 = 1 << 20;
/// Assumed address space of the zygote, in bytes, if `/proc` does not show it.
const ADDRESS_SPACE: u64 = 4 << 30;

/// Why a limit could not be set.
#[derive(Debug, thiserror::Error)]
#[error("setrlimit({what}): {source}")]
pub(super) struct LimitError {
    what: &'static str,
    source: Errno,
}

pub(super) fn set(view: &View) -> Result<(), LimitError> {
    let limits = [
        ("AS", Resource::RLIMIT_AS, address_space().saturating_add(view.memory)),
        ("FSIZE", Resource::RLIMIT_FSIZE, FILE_BYTES),
        ("NOFILE", Resource::RLIMIT_NOFILE, DESCRIPTORS),
        ("NPROC", Resource::RLIMIT_NPROC, PROCESSES),
        ("CORE", Resource::RLIMIT_CORE, CORE_BYTES),
        ("CPU", Resource::RLIMIT_CPU, view.cpu_seconds),
        ("MEMLOCK", Resource::RLIMIT_MEMLOCK, LOCKED_BYTES),
        ("RTPRIO", Resource::RLIMIT_RTPRIO, 0),
        ("MSGQUEUE", Resource::RLIMIT_MSGQUEUE, 0),
    ];
    for (what, resource, value) in limits {
        lower(resource, value).map_err(|source| LimitError { what, source })?;
    }
    Ok(())
}

/// Sets a limit, but never above the user's own.
fn lower(resource: Resource, value: u64) -> nix::Result<()> {
    let (_, hard) = nix::sys::resource::getrlimit(resource)?;
    let value = value.min(hard);
    setrlimit(resource, value, value)
}

/// Address space that the interpreter has reserved, most of it the stack for deep recursion.
fn address_space() -> u64 {
    let sizes = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Option<u64> = sizes.split(' ').next().and_then(|pages| pages.parse().ok());
    pages.map_or(ADDRESS_SPACE, |pages| pages * 4096)
}

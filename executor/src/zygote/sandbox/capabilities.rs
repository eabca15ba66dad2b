//! Steps 10 and 15: no way to new privileges, and none that are left.

use std::io;

use caps::CapSet;
use caps::errors::CapsError;

/// Why privileges stay.
#[derive(Debug, thiserror::Error)]
pub(super) enum CapabilityError {
    #[error("prctl({what}): {source}")]
    Prctl { what: &'static str, source: io::Error },
    #[error("dropping capabilities: {0}")]
    Drop(#[from] CapsError),
}

/// Being user 0 gives no capabilities, for good.
const SECURE_BITS: libc::c_ulong = 0b10_1111;

fn set(what: &'static str, option: libc::c_int, value: libc::c_ulong) -> Result<(), CapabilityError> {
    // SAFETY: prctl(2) options that take one number.
    let result = unsafe { libc::prctl(option, value, 0, 0, 0) };
    if result == 0 { Ok(()) } else { Err(CapabilityError::Prctl { what, source: io::Error::last_os_error() }) }
}

/// In the zygote, which keeps its capabilities in its own namespace to make mounts: no program that is executed gets
/// any, and nobody without them may look into the zygote.
pub(super) fn renounce() -> Result<(), CapabilityError> {
    set("PR_SET_NO_NEW_PRIVS", libc::PR_SET_NO_NEW_PRIVS, 1)?;
    set("PR_SET_DUMPABLE", libc::PR_SET_DUMPABLE, 0)?;
    set("PR_SET_SECUREBITS", libc::PR_SET_SECUREBITS, SECURE_BITS)?;
    Ok(caps::clear(None, CapSet::Bounding)?)
}

/// In the worker.
pub(super) fn drop_all() -> Result<(), CapabilityError> {
    for kind in [CapSet::Ambient, CapSet::Effective, CapSet::Permitted, CapSet::Inheritable] {
        caps::clear(None, kind)?;
    }
    // A program may look at itself, as everywhere.
    set("PR_SET_DUMPABLE", libc::PR_SET_DUMPABLE, 1)
}

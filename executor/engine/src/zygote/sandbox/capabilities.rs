//! Steps 10 and 15: no new privileges can be gained, and all capabilities are dropped.

use std::io;

use caps::CapSet;
use caps::errors::CapsError;

/// Why privileges could not be given up.
#[derive(Debug, thiserror::Error)]
pub(super) enum CapabilityError {
    #[error("prctl({what}): {source}")]
    Prctl { what: &'static str, source: io::Error },
    #[error("dropping capabilities: {0}")]
    Drop(#[from] CapsError),
}

/// Secure bits by which user id 0 gives no capabilities, locked.
const SECURE_BITS: libc::c_ulong = 0b10_1111;

fn set(what: &'static str, option: libc::c_int, value: libc::c_ulong) -> Result<(), CapabilityError> {
    // SAFETY: prctl(2) options that take one number.
    let result = unsafe { libc::prctl(option, value, 0, 0, 0) };
    if result == 0 { Ok(()) } else { Err(CapabilityError::Prctl { what, source: io::Error::last_os_error() }) }
}

/// Step 10, in the zygote: no executed program gains capabilities, and no process without them may inspect the zygote,
/// which keeps its own in order to mount.
pub(super) fn renounce() -> Result<(), CapabilityError> {
    set("PR_SET_NO_NEW_PRIVS", libc::PR_SET_NO_NEW_PRIVS, 1)?;
    set("PR_SET_DUMPABLE", libc::PR_SET_DUMPABLE, 0)?;
    set("PR_SET_SECUREBITS", libc::PR_SET_SECUREBITS, SECURE_BITS)?;
    Ok(caps::clear(None, CapSet::Bounding)?)
}

/// Step 15, in a template: drops all capabilities.
pub(super) fn drop_all() -> Result<(), CapabilityError> {
    for kind in [CapSet::Ambient, CapSet::Effective, CapSet::Permitted, CapSet::Inheritable] {
        caps::clear(None, kind)?;
    }
    // A program may inspect itself, as it can outside the sandbox.
    set("PR_SET_DUMPABLE", libc::PR_SET_DUMPABLE, 1)
}

/// Sets whether processes without capabilities may inspect this one.
pub(super) fn set_visible(visible: bool) {
    let _cannot_fail = set("PR_SET_DUMPABLE", libc::PR_SET_DUMPABLE, visible.into());
}

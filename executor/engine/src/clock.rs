//! A monotonic clock that parent and workers share.

use std::time::Duration;

use crate::worker::virtual_time::real_now;

/// Monotonic time, counted from the same moment for every process of this machine.
#[must_use]
pub fn monotonic() -> Duration {
    // Runs have a time of their own.
    Duration::from_nanos(real_now(libc::CLOCK_MONOTONIC) as u64)
}

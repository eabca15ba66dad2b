//! A monotonic clock that parent and workers share.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// Monotonic time, counted from the same moment for every process of this machine.
#[must_use]
pub fn monotonic() -> Duration {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from)
}

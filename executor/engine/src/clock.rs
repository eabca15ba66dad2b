//! Real time, as the kernel has it: runs have a time of their own (`worker::virtual_time`), in which the C library's
//! functions answer.

use std::time::Duration;

use libc::{clockid_t, timespec};

use crate::protocol::Clocks;

/// Nanoseconds in a second.
pub(crate) const SECOND: i64 = 1_000_000_000;

/// Monotonic time, counted from the same moment for every process of this machine.
#[must_use]
pub fn monotonic() -> Duration {
    Duration::from_nanos(real(libc::CLOCK_MONOTONIC).unsigned_abs())
}

/// What the clocks of this machine show now.
#[must_use]
pub fn clocks() -> Clocks {
    Clocks { day: real(libc::CLOCK_REALTIME), monotonic: real(libc::CLOCK_MONOTONIC) }
}

/// The real time of a clock, in nanoseconds.
pub(crate) fn real(clock: clockid_t) -> i64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills in a structure of ours.
    unsafe { libc::syscall(libc::SYS_clock_gettime, clock, &raw mut time) };
    nanos(time)
}

/// A time in nanoseconds.
pub(crate) fn nanos(time: timespec) -> i64 {
    time.tv_sec.saturating_mul(SECOND).saturating_add(time.tv_nsec)
}

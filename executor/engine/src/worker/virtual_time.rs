//! Time and chance of guided runs: waiting takes no time, clocks go on by what was waited for, and random numbers are the
//! same in each run.
//!
//! CPython asks the C library for the time, waits through it and takes random bytes from it; `c_library` answers instead.
//! In a guided run a clock starts at the real time of the program's start and moves by a step with each look at it, and
//! by the whole time with each wait; steps grow, so that a loop which waits by looking at a clock ends. Where another
//! thread or process may have something to do, a wait takes a little real time, too (`threads`). Parents, zygotes and
//! `--plain` runs have real time.

use std::ffi::c_int;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};

use libc::{clockid_t, timespec};
use pyo3::ffi;

use super::threads::{self, Wait};
use crate::clock::{SECOND, clocks, real};
use crate::protocol::Clocks;

/// What a look at a clock adds at first, in nanoseconds.
const STEP: i64 = 1_000;
/// The same where versions are compared: to look once more is no difference, as far as a clock of microseconds says.
const FINE_STEP: i64 = 1;
/// So many looks later the step is twice as large.
const LOOKS: u64 = 1_000;
/// Steps grow up to 2^this times the first one.
const MOST_DOUBLINGS: u64 = 50;
/// Real time that a wait takes where others may have something to do, in nanoseconds: for a child process, which is
/// asked for again and again, and for a thread.
const FOR_PROCESSES: i64 = 10_000_000;
const FOR_THREADS: i64 = 200_000_000;
/// A thread that waits sees so often what the others do.
const SLICE: i64 = 10_000_000;
/// So many waits with nothing in between are one that never ends.
const ENDLESS: u32 = 20_000;
/// No clock goes farther than that, in nanoseconds: some 250 years.
const FAR: i64 = i64::MAX / 2;

static IS_VIRTUAL: AtomicBool = AtomicBool::new(false);
/// Nanoseconds since the start of the program.
static ELAPSED: AtomicI64 = AtomicI64::new(0);
static FIRST_STEP: AtomicI64 = AtomicI64::new(STEP);
static LOOKED: AtomicU64 = AtomicU64::new(0);
/// The clocks at the start: that of the day, the monotonic one.
static START: [AtomicI64; 2] = [AtomicI64::new(0), AtomicI64::new(0)];
/// Whether a program runs in this process, whose waits may be without an end.
static IS_RUNNING: AtomicBool = AtomicBool::new(false);
/// Waits that ended with nothing.
static IN_VAIN: AtomicU32 = AtomicU32::new(0);
/// Whether the program was interrupted because it waits for what nobody sends.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);
static RANDOM: AtomicU64 = AtomicU64::new(0);

/// Lets time be virtual in this process and its children from here on, from the same moment at each call: from `start`,
/// or from now on.
pub(crate) fn begin(start: Option<Clocks>) {
    if !IS_VIRTUAL.swap(true, Ordering::Relaxed) {
        let Clocks { day, monotonic } = start.unwrap_or_else(clocks);
        START[0].store(day - day % STEP, Ordering::Relaxed);
        START[1].store(monotonic - monotonic % STEP, Ordering::Relaxed);
    }
    ELAPSED.store(0, Ordering::Relaxed);
    LOOKED.store(0, Ordering::Relaxed);
    IN_VAIN.store(0, Ordering::Relaxed);
    IS_INTERRUPTED.store(false, Ordering::Relaxed);
    RANDOM.store(0, Ordering::Relaxed);
}

pub(super) fn is_virtual() -> bool {
    IS_VIRTUAL.load(Ordering::Relaxed)
}

pub(super) fn spec(nanos: i64) -> timespec {
    timespec { tv_sec: nanos / SECOND, tv_nsec: nanos % SECOND }
}

/// The time of a clock, which moves by looking at it.
pub(super) fn look(clock: clockid_t) -> i64 {
    let doublings = (LOOKED.fetch_add(1, Ordering::Relaxed) / LOOKS).min(MOST_DOUBLINGS);
    advance(FIRST_STEP.load(Ordering::Relaxed).saturating_mul(1 << doublings));
    now(clock)
}

fn elapsed() -> i64 {
    ELAPSED.load(Ordering::Relaxed)
}

pub(super) fn now(clock: clockid_t) -> i64 {
    let start = match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => START[0].load(Ordering::Relaxed),
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => 0,
        _ => START[1].load(Ordering::Relaxed),
    };
    start.saturating_add(elapsed())
}

fn advance(by: i64) {
    let add = |elapsed: i64| Some(elapsed.saturating_add(by.max(0)).min(FAR));
    let _always = ELAPSED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
}

/// The real time that a wait takes where there is no other thread: some for a child process, if there is one.
fn share_of_processes(time: i64) -> i64 {
    if has_child() { time.min(FOR_PROCESSES) } else { 0 }
}

/// Whether there is a child process that nobody has waited for.
fn has_child() -> bool {
    // SAFETY: a plain system call; the structure is filled in by the kernel.
    unsafe {
        let mut child: libc::siginfo_t = mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_ALL, 0, &raw mut child, options) == 0
    }
}

/// Lets other threads and processes do what they would have done in that time. `ready` waits for up to some real time
/// for what is waited for; what it gives first that is not zero is the answer.
fn meanwhile(time: i64, ready: impl Fn(i64) -> c_int) -> c_int {
    if threads::others() == 0 {
        let share = share_of_processes(time);
        return if share > 0 { ready(share) } else { 0 };
    }
    let wait = Wait::until(elapsed().saturating_add(time));
    let (mut share, mut waited_for) = (time.min(FOR_THREADS), 0);
    while share > 0 && waited_for < time && !wait.ends_first(threads::others()) {
        let (slice, worked) = (SLICE.min(share), real(libc::CLOCK_PROCESS_CPUTIME_ID));
        let came = ready(slice);
        if came != 0 {
            return came;
        }
        waited_for += slice;
        let is_idle = real(libc::CLOCK_PROCESS_CPUTIME_ID) - worked < slice / 50;
        if is_idle && !wait.another_ends_before() && !threads::another_works() {
            share -= slice;
        }
    }
    ready(0)
}

fn real_sleep(time: i64) {
    if time > 0 {
        let request = spec(time);
        // SAFETY: a plain system call.
        unsafe { libc::syscall(libc::SYS_clock_nanosleep, libc::CLOCK_MONOTONIC, 0, &raw const request, 0) };
    }
}

/// A wait that nothing can end. Others work on meanwhile, but it is not for their results.
pub(super) fn sleep(time: i64) {
    if threads::others() == 0 {
        real_sleep(share_of_processes(time));
        return pass(time);
    }
    let wait = Wait::until(elapsed().saturating_add(time));
    let mut share = time.min(FOR_THREADS);
    while share > 0 && !wait.ends_first(threads::others()) {
        let (slice, worked) = (SLICE.min(share), real(libc::CLOCK_PROCESS_CPUTIME_ID));
        real_sleep(slice);
        if wait.another_ends_before() {
            continue;
        }
        // Who could work has had no more of this time than the processor gave.
        let had = if threads::another_works() { real(libc::CLOCK_PROCESS_CPUTIME_ID) - worked } else { slice };
        share -= had.min(slice);
    }
    pass(wait.end().saturating_sub(elapsed()));
}

/// Time that was waited for has passed: who waits need not look at a clock so often.
fn pass(time: i64) {
    LOOKED.store(0, Ordering::Relaxed);
    advance(time);
    if IS_RUNNING.load(Ordering::Relaxed) && IN_VAIN.fetch_add(1, Ordering::Relaxed) > ENDLESS {
        IN_VAIN.store(0, Ordering::Relaxed);
        interrupt();
    }
}

/// The program begins to run, in a process of its own; `is_compared` says that another version is to see the same time.
pub(super) fn run(is_compared: bool) {
    FIRST_STEP.store(if is_compared { FINE_STEP } else { STEP }, Ordering::Relaxed);
    IS_RUNNING.store(is_virtual(), Ordering::Relaxed);
}

/// Whether there is neither a thread nor a process that may end a wait of the program, nor a timer.
pub(super) fn is_alone() -> bool {
    if !IS_RUNNING.load(Ordering::Relaxed) {
        return false;
    }
    // SAFETY: a plain system call; the structure is filled in by the kernel.
    let is_timed = unsafe {
        let mut timer: libc::itimerval = mem::zeroed();
        libc::getitimer(libc::ITIMER_REAL, &raw mut timer) == 0
            && (timer.it_value.tv_sec, timer.it_value.tv_usec) != (0, 0)
    };
    threads::others() == 0 && !has_child() && !is_timed
}

/// Interrupts the program as Ctrl-C does, because it waits for what nobody sends: its handlers run, then it ends.
fn interrupt() {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
    // SAFETY: may be called from any thread, with and without the lock of the interpreter.
    unsafe { ffi::PyErr_SetInterrupt() };
}

/// Whether the program was interrupted because it waits for what nobody sends.
pub(super) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

/// A wait for something that `ready` asks for, with the real time it may take: positive as soon as there is something,
/// negative after an error. `timeout` is negative for a wait without an end.
pub(super) fn wait(timeout: i64, ready: impl Fn(i64) -> c_int) -> c_int {
    if timeout < 0 && !is_alone() {
        return ready(-1);
    }
    let now = ready(0);
    if now == 0 && timeout < 0 {
        interrupt();
        return 0;
    }
    if now != 0 || timeout == 0 {
        return now;
    }
    let end = elapsed().saturating_add(timeout);
    let later = meanwhile(timeout, ready);
    if later == 0 {
        pass(end.saturating_sub(elapsed()));
    }
    later
}

/// The next bytes of a fixed sequence (splitmix64).
pub(super) fn random(bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        let state = RANDOM.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..chunk.len()]);
    }
}

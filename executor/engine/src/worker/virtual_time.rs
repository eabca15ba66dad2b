//! Time and chance of guided runs: waiting takes no time, clocks go on by what was waited for, and random numbers are the
//! same in each run.
//!
//! CPython asks the C library for the time, waits through it and takes random bytes from it. The functions here have the
//! names of the C library's, so that the dynamic linker hands them to CPython (the build script of each program exports
//! them). Until [`begin`] is called they are plain system calls: in the parent, in a zygote, in `--plain` runs. In a
//! guided run a clock starts at the real time of the program's start and moves by a step with each look at it, and by
//! the whole time with each wait; steps grow, so that a loop which waits by looking at a clock ends. Where another
//! thread or process may have something to do, a wait takes a little real time, too.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU64, Ordering};
use std::{mem, ptr};

use libc::{clockid_t, sem_t, size_t, ssize_t, timespec, timeval};

use crate::clock::{SECOND, clocks, nanos, real};
use crate::protocol::Clocks;

/// What a look at a clock adds at first, in nanoseconds.
const STEP: i64 = 1_000;
/// So many looks later the step is twice as large.
const LOOKS: u64 = 1_000;
/// Steps grow up to 2^this times the first one.
const MOST_DOUBLINGS: u64 = 50;
/// Real time that a wait takes where others may have something to do, in nanoseconds: for a child process, which is
/// asked for again and again, and for a thread.
const FOR_PROCESSES: i64 = 10_000_000;
const FOR_THREADS: i64 = 200_000_000;
/// A thread that waits sees so often whether another one works.
const SLICE: i64 = 20_000_000;
/// No clock goes farther than that, in nanoseconds: some 250 years.
const FAR: i64 = i64::MAX / 2;

static IS_VIRTUAL: AtomicBool = AtomicBool::new(false);
/// Nanoseconds since the start of the program.
static ELAPSED: AtomicI64 = AtomicI64::new(0);
static LOOKED: AtomicU64 = AtomicU64::new(0);
/// The clocks at the start: that of the day, the monotonic one.
static START: [AtomicI64; 2] = [AtomicI64::new(0), AtomicI64::new(0)];
static RANDOM: AtomicU64 = AtomicU64::new(0);

/// Lets time be virtual in this process and its children from here on, from the same moment at each call: from `start`,
/// or from now on.
pub(crate) fn begin(start: Option<Clocks>) {
    if !IS_VIRTUAL.swap(true, Ordering::Relaxed) {
        let Clocks { day, monotonic } = start.unwrap_or_else(clocks);
        START[0].store(day, Ordering::Relaxed);
        START[1].store(monotonic, Ordering::Relaxed);
    }
    ELAPSED.store(0, Ordering::Relaxed);
    LOOKED.store(0, Ordering::Relaxed);
    RANDOM.store(0, Ordering::Relaxed);
}

fn is_virtual() -> bool {
    IS_VIRTUAL.load(Ordering::Relaxed)
}

fn spec(nanos: i64) -> timespec {
    timespec { tv_sec: nanos / SECOND, tv_nsec: nanos % SECOND }
}

/// The time of a clock, which moves by looking at it.
fn look(clock: clockid_t) -> i64 {
    let doublings = (LOOKED.fetch_add(1, Ordering::Relaxed) / LOOKS).min(MOST_DOUBLINGS);
    advance(STEP.saturating_mul(1 << doublings));
    now(clock)
}

fn now(clock: clockid_t) -> i64 {
    let start = match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => START[0].load(Ordering::Relaxed),
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => 0,
        _ => START[1].load(Ordering::Relaxed),
    };
    start.saturating_add(ELAPSED.load(Ordering::Relaxed))
}

fn advance(by: i64) {
    let add = |elapsed: i64| Some(elapsed.saturating_add(by.max(0)).min(FAR));
    let _always = ELAPSED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
}

/// The real time that a wait takes: none, unless somebody else may have something to do meanwhile.
fn real_share(of: i64) -> i64 {
    // SAFETY: plain system calls; the structures are filled in by the kernel.
    unsafe {
        let mut about: libc::stat = mem::zeroed();
        // A folder has a link for each folder in it; each thread has one.
        if libc::stat(c"/proc/self/task".as_ptr(), &raw mut about) == 0 && about.st_nlink > 3 {
            return of.min(FOR_THREADS);
        }
        let mut child: libc::siginfo_t = mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        if libc::waitid(libc::P_ALL, 0, &raw mut child, options) == 0 { of.min(FOR_PROCESSES) } else { 0 }
    }
}

fn real_sleep(time: i64) {
    if time > 0 {
        let request = spec(time);
        // SAFETY: a plain system call.
        unsafe { libc::syscall(libc::SYS_clock_nanosleep, libc::CLOCK_MONOTONIC, 0, &raw const request, 0) };
    }
}

/// A wait that nothing can end.
fn sleep(time: i64) {
    real_sleep(real_share(time));
    pass(time);
}

/// Time that was waited for has passed: who waits need not look at a clock so often.
fn pass(time: i64) {
    LOOKED.store(0, Ordering::Relaxed);
    advance(time);
}

/// A wait for something that `ready` asks for, with the real time it may take: positive as soon as there is something,
/// negative after an error. `timeout` is negative for a wait without an end.
fn wait(timeout: i64, ready: impl Fn(i64) -> c_int) -> c_int {
    if timeout < 0 {
        return ready(-1);
    }
    let now = ready(0);
    if now != 0 || timeout == 0 {
        return now;
    }
    let share = real_share(timeout);
    let later = if share > 0 { ready(share) } else { 0 };
    if later == 0 {
        pass(timeout);
    }
    later
}

/// What a system call gives, as the C library does: -1 after an error, whose number is in `errno`.
fn call(result: c_long) -> c_int {
    result as c_int
}

fn fail(error: c_int) -> c_int {
    // SAFETY: the place of this thread's `errno`.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// `clock_gettime(3)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    // SAFETY: the caller's pointer, which may be written to.
    unsafe {
        if !is_virtual() {
            return call(libc::syscall(libc::SYS_clock_gettime, clock, time));
        }
        *time = spec(look(clock));
    }
    0
}

/// `gettimeofday(3)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int {
    // SAFETY: the caller's pointers.
    unsafe {
        if !is_virtual() || time.is_null() {
            return call(libc::syscall(libc::SYS_gettimeofday, time, zone));
        }
        let now = look(libc::CLOCK_REALTIME);
        *time = timeval { tv_sec: now / SECOND, tv_usec: now % SECOND / 1_000 };
    }
    0
}

/// `time(3)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn time(seconds: *mut libc::time_t) -> libc::time_t {
    let clock = libc::CLOCK_REALTIME;
    let now = if is_virtual() { look(clock) } else { real(clock) } / SECOND;
    if !seconds.is_null() {
        // SAFETY: the caller's pointer, which may be written to.
        unsafe { *seconds = now };
    }
    now
}

/// `clock(3)`.
#[unsafe(no_mangle)]
pub extern "C" fn clock() -> libc::clock_t {
    let clock = libc::CLOCK_PROCESS_CPUTIME_ID;
    let now = if is_virtual() { look(clock) } else { real(clock) };
    now / 1_000
}

/// `clock_nanosleep(3)`, which gives the number of an error.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    request: *const timespec,
    left: *mut timespec,
) -> c_int {
    // SAFETY: the caller's pointers.
    unsafe {
        if !is_virtual() {
            let failed = libc::syscall(libc::SYS_clock_nanosleep, clock, flags, request, left) < 0;
            return if failed { *libc::__errno_location() } else { 0 };
        }
        let until = nanos(*request);
        sleep(if flags & libc::TIMER_ABSTIME != 0 { until.saturating_sub(now(clock)) } else { until });
    }
    0
}

/// `nanosleep(3)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nanosleep(request: *const timespec, left: *mut timespec) -> c_int {
    // SAFETY: the caller's pointers.
    unsafe {
        if !is_virtual() {
            return call(libc::syscall(libc::SYS_nanosleep, request, left));
        }
        sleep(nanos(*request));
    }
    0
}

/// `poll(3)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn poll(fds: *mut libc::pollfd, count: libc::nfds_t, timeout: c_int) -> c_int {
    let ready = |time: i64| {
        let limit = spec(time);
        let limit = if time < 0 { ptr::null() } else { &raw const limit };
        // SAFETY: the caller's pointer and a limit of ours.
        call(unsafe { libc::syscall(libc::SYS_ppoll, fds, count, limit, ptr::null::<c_void>(), 0) })
    };
    let timeout = i64::from(timeout).saturating_mul(1_000_000);
    if is_virtual() { wait(timeout, ready) } else { ready(timeout.max(-1)) }
}

/// `select(3)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn select(
    count: c_int,
    read: *mut libc::fd_set,
    write: *mut libc::fd_set,
    other: *mut libc::fd_set,
    timeout: *mut timeval,
) -> c_int {
    // SAFETY: the caller's pointers; each is null or points to a set, which the kernel empties where nothing is ready.
    unsafe {
        let held = [read, write, other].map(|set| if set.is_null() { None } else { Some(*set) });
        let ready = |time: i64| {
            for (set, held) in [read, write, other].into_iter().zip(held) {
                if let Some(held) = held {
                    *set = held;
                }
            }
            let limit = spec(time);
            let limit = if time < 0 { ptr::null() } else { &raw const limit };
            call(libc::syscall(libc::SYS_pselect6, count, read, write, other, limit, ptr::null::<c_void>()))
        };
        if timeout.is_null() {
            return ready(-1);
        }
        let time = (*timeout).tv_sec.saturating_mul(SECOND).saturating_add((*timeout).tv_usec.saturating_mul(1_000));
        if time < 0 {
            return fail(libc::EINVAL);
        }
        if is_virtual() { wait(time, ready) } else { ready(time) }
    }
}

/// `epoll_wait(3)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_wait(
    epoll: c_int,
    events: *mut libc::epoll_event,
    most: c_int,
    timeout: c_int,
) -> c_int {
    let ready = |time: i64| {
        // Rounded up, as CPython does: a wait is not shorter than it should be.
        let millis = if time < 0 { -1 } else { time.div_euclid(1_000_000) + i64::from(time % 1_000_000 > 0) };
        // SAFETY: the caller's pointer.
        call(unsafe {
            libc::syscall(libc::SYS_epoll_pwait, epoll, events, most, millis as c_int, ptr::null::<c_void>(), 0)
        })
    };
    let timeout = i64::from(timeout).saturating_mul(1_000_000);
    if is_virtual() { wait(timeout, ready) } else { ready(timeout.max(-1)) }
}

/// A function of the C library, looked up once.
struct Original {
    name: &'static std::ffi::CStr,
    found: AtomicPtr<c_void>,
}

impl Original {
    const fn new(name: &'static std::ffi::CStr) -> Self {
        Self { name, found: AtomicPtr::new(ptr::null_mut()) }
    }

    fn get(&self) -> *mut c_void {
        let mut found = self.found.load(Ordering::Relaxed);
        if found.is_null() {
            // SAFETY: the next definition of the name after this program's own.
            found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
            self.found.store(found, Ordering::Relaxed);
        }
        found
    }
}

/// How long it is until a moment of one of the virtual clocks; which one is seen by how near it is.
fn until(moment: i64) -> i64 {
    let day = moment.saturating_sub(now(libc::CLOCK_REALTIME));
    let monotonic = moment.saturating_sub(now(libc::CLOCK_MONOTONIC));
    if day.saturating_abs() < monotonic.saturating_abs() { day } else { monotonic }
}

/// Waits for a semaphore up to a moment of a virtual clock.
unsafe fn wait_for_semaphore(semaphore: *mut sem_t, moment: i64) -> c_int {
    static WAIT: Original = Original::new(c"sem_timedwait");
    let left = until(moment);
    // SAFETY: the caller's semaphore, and the C library's function of this type.
    unsafe {
        let original: unsafe extern "C" fn(*mut sem_t, *const timespec) -> c_int = mem::transmute(WAIT.get());
        if libc::sem_trywait(semaphore) == 0 {
            return 0;
        }
        // Who works on what is waited for gets the time for it.
        let (mut share, mut waited_for) = (real_share(left), 0);
        while share > 0 && waited_for < left {
            let (slice, worked) = (SLICE.min(share), real(libc::CLOCK_PROCESS_CPUTIME_ID));
            let limit = spec(real(libc::CLOCK_REALTIME) + slice);
            let waited = original(semaphore, &raw const limit);
            if waited == 0 || *libc::__errno_location() != libc::ETIMEDOUT {
                return waited;
            }
            waited_for += slice;
            if real(libc::CLOCK_PROCESS_CPUTIME_ID) - worked < slice / 50 {
                share -= slice;
            }
        }
    }
    pass(left);
    fail(libc::ETIMEDOUT)
}

/// `sem_timedwait(3)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_timedwait(semaphore: *mut sem_t, moment: *const timespec) -> c_int {
    static WAIT: Original = Original::new(c"sem_timedwait");
    // SAFETY: the caller's pointers, and the C library's function of this type.
    unsafe {
        if is_virtual() {
            return wait_for_semaphore(semaphore, nanos(*moment));
        }
        let original: unsafe extern "C" fn(*mut sem_t, *const timespec) -> c_int = mem::transmute(WAIT.get());
        original(semaphore, moment)
    }
}

/// `sem_clockwait(3)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_clockwait(semaphore: *mut sem_t, clock: clockid_t, moment: *const timespec) -> c_int {
    static WAIT: Original = Original::new(c"sem_clockwait");
    // SAFETY: the caller's pointers, and the C library's function of this type.
    unsafe {
        if is_virtual() {
            return wait_for_semaphore(semaphore, nanos(*moment));
        }
        let original: unsafe extern "C" fn(*mut sem_t, clockid_t, *const timespec) -> c_int =
            mem::transmute(WAIT.get());
        original(semaphore, clock, moment)
    }
}

/// `pthread_cond_timedwait(3)`, by which threads of CPython wait for their turn: that goes by real time.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut libc::pthread_cond_t,
    mutex: *mut libc::pthread_mutex_t,
    moment: *const timespec,
) -> c_int {
    static WAIT: Original = Original::new(c"pthread_cond_timedwait");
    // SAFETY: the caller's pointers, and the C library's function of this type.
    unsafe {
        let original: unsafe extern "C" fn(
            *mut libc::pthread_cond_t,
            *mut libc::pthread_mutex_t,
            *const timespec,
        ) -> c_int = mem::transmute(WAIT.get());
        if !is_virtual() {
            return original(condition, mutex, moment);
        }
        // CPython gives its conditions the monotonic clock.
        let left = nanos(*moment).saturating_sub(now(libc::CLOCK_MONOTONIC)).clamp(0, SECOND);
        let limit = spec(real(libc::CLOCK_MONOTONIC) + left);
        original(condition, mutex, &raw const limit)
    }
}

/// `getrandom(2)`: numbers of a fixed sequence (splitmix64).
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut c_void, length: size_t, flags: c_uint) -> ssize_t {
    if !is_virtual() {
        // SAFETY: the caller's buffer.
        return unsafe { libc::syscall(libc::SYS_getrandom, buffer, length, flags) } as ssize_t;
    }
    // SAFETY: the caller's buffer has so many bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), length) };
    for chunk in bytes.chunks_mut(8) {
        let state = RANDOM.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..chunk.len()]);
    }
    length as ssize_t
}

//! Functions of the C library by which CPython asks for the time, waits and takes random bytes, for guided runs.
//!
//! They have the names of the C library's, so that the dynamic linker hands them to CPython (the build script of each
//! program exports them). Until a guided run begins they are plain system calls.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::{mem, ptr};

use libc::{clockid_t, sem_t, size_t, ssize_t, timespec, timeval};

use super::virtual_time::{is_alone, is_virtual, look, now, random, sleep, spec, wait};
use crate::clock::{SECOND, nanos, real};

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

/// True if a call on a socket would wait for ever: it may block, has nothing to read, and nobody is there to send.
fn waits_for_nobody(socket: c_int, flags: c_int) -> bool {
    let mut ready = libc::pollfd { fd: socket, events: libc::POLLIN, revents: 0 };
    // SAFETY: plain system calls; the structure is ours.
    unsafe {
        let blocks = flags & libc::MSG_DONTWAIT == 0 && libc::fcntl(socket, libc::F_GETFL) & libc::O_NONBLOCK == 0;
        let none = spec(0);
        let (limit, mask) = (&raw const none, ptr::null::<c_void>());
        blocks && libc::syscall(libc::SYS_ppoll, &raw mut ready, 1, limit, mask, 0) == 0 && is_alone()
    }
}

/// `accept4(2)`: a connection that nobody asks for is refused to the program, not waited for.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept4(
    socket: c_int,
    address: *mut libc::sockaddr,
    length: *mut libc::socklen_t,
    flags: c_int,
) -> c_int {
    if is_virtual() && waits_for_nobody(socket, 0) {
        return fail(libc::ENETUNREACH);
    }
    // SAFETY: the caller's pointers.
    call(unsafe { libc::syscall(libc::SYS_accept4, socket, address, length, flags) })
}

/// `accept(2)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept(socket: c_int, address: *mut libc::sockaddr, length: *mut libc::socklen_t) -> c_int {
    // SAFETY: the caller's pointers.
    unsafe { accept4(socket, address, length, 0) }
}

/// `recvfrom(2)`: a message that nobody sends is refused to the program, not waited for.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recvfrom(
    socket: c_int,
    buffer: *mut c_void,
    size: size_t,
    flags: c_int,
    address: *mut libc::sockaddr,
    length: *mut libc::socklen_t,
) -> ssize_t {
    if is_virtual() && waits_for_nobody(socket, flags) {
        return fail(libc::ENETUNREACH) as ssize_t;
    }
    // SAFETY: the caller's pointers.
    unsafe { libc::syscall(libc::SYS_recvfrom, socket, buffer, size, flags, address, length) as ssize_t }
}

/// `recv(2)`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recv(socket: c_int, buffer: *mut c_void, size: size_t, flags: c_int) -> ssize_t {
    // SAFETY: the caller's pointers; without an address none is written.
    unsafe { recvfrom(socket, buffer, size, flags, ptr::null_mut(), ptr::null_mut()) }
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
        let ready = |time: i64| {
            if libc::sem_trywait(semaphore) == 0 {
                return 1;
            }
            let limit = spec(real(libc::CLOCK_REALTIME) + time);
            if time == 0 {
                0
            } else if original(semaphore, &raw const limit) == 0 {
                1
            } else if *libc::__errno_location() == libc::ETIMEDOUT {
                0
            } else {
                -1
            }
        };
        match wait(left.max(0), ready) {
            0 => fail(libc::ETIMEDOUT),
            came if came > 0 => 0,
            failed => failed,
        }
    }
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

/// `getrandom(2)`.
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
    random(unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), length) });
    length as ssize_t
}

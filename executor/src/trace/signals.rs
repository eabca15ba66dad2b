//! Signals while a command runs: those of the terminal are the command's own business, and the recording is written
//! however it ends.

use std::sync::atomic::{AtomicI32, Ordering};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// The command's process; 0 while there is none.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// A signal that came before the command was there.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// The terminal sends these to all of its processes.
const FROM_TERMINAL: [Signal; 2] = [Signal::SIGINT, Signal::SIGQUIT];
/// These are sent to one process, and passed on.
const TO_PASS_ON: [Signal; 2] = [Signal::SIGTERM, Signal::SIGHUP];

/// Until this is dropped, signals do not end us.
#[derive(Debug)]
pub struct Guard(Vec<(Signal, SigAction)>);

impl Guard {
    /// Takes the signals. Handlers, unlike ignored signals, are not inherited by the command.
    #[must_use]
    pub fn new() -> Self {
        let mut before = Vec::new();
        let terminal = FROM_TERMINAL.map(|signal| (signal, SigHandler::Handler(nothing)));
        for (signal, handler) in terminal.into_iter().chain(TO_PASS_ON.map(|s| (s, SigHandler::Handler(pass_on)))) {
            let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
            // SAFETY: the handlers only touch atomics and call kill(2).
            let Ok(old) = (unsafe { sigaction(signal, &action) }) else {
                continue;
            };
            if matches!(old.handler(), SigHandler::SigIgn) {
                // `nohup`, or a shell's background: the command is to ignore it as well.
                // SAFETY: restores what was there.
                let _back = unsafe { sigaction(signal, &old) };
            } else {
                before.push((signal, old));
            }
        }
        Self(before)
    }
}

/// Names the process that signals are passed on to.
pub fn pass_to(pid: u32) {
    CHILD.store(pid.cast_signed(), Ordering::SeqCst);
    let early = EARLY.swap(0, Ordering::SeqCst);
    if early != 0 {
        pass_on(early);
    }
}

impl Default for Guard {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        for (signal, action) in &self.0 {
            // SAFETY: restores what was there.
            let _back = unsafe { sigaction(*signal, action) };
        }
    }
}

/// The process is no more.
pub fn pass_to_nobody() {
    CHILD.store(0, Ordering::SeqCst);
}

extern "C" fn nothing(_signal: i32) {}

extern "C" fn pass_on(signal: i32) {
    let child = CHILD.load(Ordering::SeqCst);
    if child == 0 {
        EARLY.store(signal, Ordering::SeqCst);
        return;
    }
    // SAFETY: kill(2) may be called from a handler; it changes nothing of ours but errno, which is put back.
    unsafe {
        let errno = *libc::__errno_location();
        libc::kill(child, signal);
        *libc::__errno_location() = errno;
    }
}

//! Signals while a command runs: the command handles them, and the recording is written however it ends.

use std::sync::atomic::{AtomicI32, Ordering};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// Process id of the command; 0 while none is running.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// A signal that arrived before the command was started.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Signals that a terminal sends to all of its processes, the command included.
const FROM_TERMINAL: [Signal; 2] = [Signal::SIGINT, Signal::SIGQUIT];
/// Signals that are sent to one process, and that are passed on to the command.
const TO_PASS_ON: [Signal; 2] = [Signal::SIGTERM, Signal::SIGHUP];

/// Keeps signals from ending this process until the value is dropped.
#[must_use = "signals end this process again once the value is dropped"]
#[derive(Debug)]
pub struct Guard(Vec<(Signal, SigAction)>);

impl Guard {
    /// Installs handlers; unlike ignored signals, the command does not inherit them.
    pub fn install() -> Self {
        let mut before = Vec::new();
        let terminal = FROM_TERMINAL.map(|signal| (signal, SigHandler::Handler(nothing)));
        for (signal, handler) in terminal.into_iter().chain(TO_PASS_ON.map(|s| (s, SigHandler::Handler(pass_on)))) {
            let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
            // SAFETY: the handlers only touch atomics and call kill(2).
            let Ok(old) = (unsafe { sigaction(signal, &action) }) else {
                continue;
            };
            if matches!(old.handler(), SigHandler::SigIgn) {
                // Ignored because of `nohup` or a shell's background job: the command shall ignore it as well.
                // SAFETY: restores the previous action.
                let _back = unsafe { sigaction(signal, &old) };
            } else {
                before.push((signal, old));
            }
        }
        Self(before)
    }
}

/// Sets the process that signals are passed on to.
pub fn pass_to(pid: u32) {
    CHILD.store(pid.cast_signed(), Ordering::SeqCst);
    let early = EARLY.swap(0, Ordering::SeqCst);
    if early != 0 {
        pass_on(early);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        for (signal, action) in &self.0 {
            // SAFETY: restores the previous action.
            let _back = unsafe { sigaction(*signal, action) };
        }
    }
}

/// Stops passing signals on, because the process has ended.
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
    // SAFETY: kill(2) is async-signal-safe; it changes only errno, which is restored.
    unsafe {
        let errno = *libc::__errno_location();
        libc::kill(child, signal);
        *libc::__errno_location() = errno;
    }
}

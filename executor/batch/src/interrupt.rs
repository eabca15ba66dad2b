//! The end of long work on request: SIGINT and SIGTERM.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set by SIGINT and SIGTERM: no further snippet is begun.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// True once the user wants it to end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Lets SIGINT and SIGTERM end the batch after the snippets at hand; a second one ends it at once.
pub fn end_on_signals() {
    extern "C" fn note(_signal: i32) {
        INTERRUPTED.store(true, Ordering::Relaxed);
    }
    use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
    let action =
        SigAction::new(SigHandler::Handler(note), SaFlags::SA_RESETHAND | SaFlags::SA_RESTART, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: the handler only stores to an atomic.
        let _old = unsafe { sigaction(signal, &action) };
    }
}

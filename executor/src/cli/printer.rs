//! Owns all output of the command: data to stdout, messages to stderr, `error:` and `hint:` lines.

use std::io::{IsTerminal, Write};

use crate::report::terminal::Style;

/// Writes data to standard output; a closed pipe is no error.
pub(super) fn data(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _closed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// An error with what to do about it.
pub(super) fn error(message: &str, hint: Option<&str>) {
    let mut stderr = std::io::stderr().lock();
    let _closed = writeln!(stderr, "error: {message}");
    if let Some(hint) = hint {
        let _closed = writeln!(stderr, "hint: {hint}");
    }
}

/// A remark that does not stop anything.
pub(super) fn warning(message: &str) {
    let _closed = writeln!(std::io::stderr(), "warning: {message}");
}

/// Colours for a terminal, unless `NO_COLOR` is set.
pub(super) fn style() -> Style {
    Style {
        colour: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

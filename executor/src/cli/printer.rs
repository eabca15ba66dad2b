//! All output of the commands: data to stdout; messages to stderr, with `error:`, `hint:` and `warning:` in front.

use std::cell::RefCell;
use std::io::{IsTerminal, Write};

use indicatif::HumanCount;
use surmise_report::terminal::Style;

/// Writes data to standard output; a closed pipe is not an error.
pub(super) fn data(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _closed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Prints an error, and a hint that says what to do about it.
pub(super) fn error(message: &str, hint: Option<&str>) {
    let mut stderr = std::io::stderr().lock();
    let _closed = writeln!(stderr, "error: {message}");
    if let Some(hint) = hint {
        let _closed = writeln!(stderr, "hint: {hint}");
    }
}

thread_local! {
    /// Warnings of this thread, while somebody collects them.
    static COLLECTED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Prints a warning: something the user should know, after which the command continues.
pub(super) fn warning(message: &str) {
    let is_collected = COLLECTED
        .with_borrow_mut(|collected| collected.as_mut().map(|collected| collected.push(message.to_owned())).is_some());
    if !is_collected {
        let _closed = writeln!(std::io::stderr(), "warning: {message}");
    }
}

/// Does some work on this thread, and returns its warnings instead of printing them.
pub fn collecting_warnings<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    COLLECTED.set(Some(Vec::new()));
    let done = work();
    (done, COLLECTED.take().unwrap_or_default())
}

/// Prints progress or a remark, without a prefix.
pub(super) fn note(message: &str) {
    let _closed = writeln!(std::io::stderr(), "{message}");
}

/// Style of terminal output: coloured on a terminal, unless `NO_COLOR` is set.
pub(super) fn style() -> Style {
    Style {
        colour: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

/// Columns of the terminal on standard output; where it is none, those of a wide one.
pub(super) fn width() -> usize {
    console::Term::stdout().size_checked().map_or(120, |(_, columns)| usize::from(columns).max(40))
}

/// A count with its noun in the right number, such as `1 file` or `1,234 files`.
pub(super) fn plural(count: u64, noun: &str) -> String {
    let ending = match noun {
        _ if count == 1 => "",
        noun if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", grouped(count))
}

/// A number with commas between groups of three digits.
pub(super) fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

//! All output of the commands: data to stdout; messages to stderr, with `error:`, `hint:` and `warning:` in front.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use clap::ColorChoice;
use indicatif::HumanCount;
use surmise_report::terminal::Style;

/// Environment variable that turns colours off, unless it is empty (<https://no-color.org>).
const NO_COLOR: &str = "NO_COLOR";
/// Environment variable that turns colours on, unless it is empty or 0 (<https://force-color.org>).
const FORCE_COLOR: &str = "FORCE_COLOR";

/// What `--color` says.
static COLOUR: OnceLock<ColorChoice> = OnceLock::new();
/// `--quiet`
static QUIET: AtomicBool = AtomicBool::new(false);
/// The first failure to write data.
static UNWRITTEN: Mutex<Option<io::Error>> = Mutex::new(None);

/// Takes over `--color` and `--quiet`.
pub(super) fn set_up(colour: ColorChoice, quiet: bool) {
    let _first_one_counts = COLOUR.set(colour);
    QUIET.store(quiet, Ordering::Relaxed);
}

/// True if neither progress nor remarks are wanted.
pub(super) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes data to standard output; a closed pipe is not an error. Another failure ends the command with an error, in the
/// end ([`unwritten`]).
pub(super) fn data(text: &str) {
    let mut stdout = io::stdout().lock();
    note_failure(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
}

/// Keeps a failure to write to standard output.
pub(super) fn note_failure(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        UNWRITTEN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Why some data could not be written to standard output, if so.
pub(super) fn unwritten() -> Option<io::Error> {
    UNWRITTEN.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Prints an error, and a hint that says what to do about it.
pub(super) fn error(message: &str, hint: Option<&str>) {
    let mut stderr = io::stderr().lock();
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
        let _closed = writeln!(io::stderr(), "warning: {message}");
    }
}

/// Does some work on this thread, and returns its warnings instead of printing them.
pub fn collecting_warnings<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    COLLECTED.set(Some(Vec::new()));
    let done = work();
    (done, COLLECTED.take().unwrap_or_default())
}

/// Prints progress or a remark, without a prefix, unless `--quiet` is given.
pub(super) fn note(message: &str) {
    if is_quiet() {
        return;
    }
    let _closed = writeln!(io::stderr(), "{message}");
}

/// Style of terminal output.
pub(super) fn style() -> Style {
    let colour = match COLOUR.get().copied().unwrap_or(ColorChoice::Auto) {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_coloured(io::stdout().is_terminal(), |name| std::env::var(name).ok()),
    };
    Style { colour }
}

/// Whether output is coloured where the command line does not say so.
fn is_coloured(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    if is_set(NO_COLOR) {
        false
    } else if is_set(FORCE_COLOR) {
        variable(FORCE_COLOR).is_some_and(|value| value != "0")
    } else {
        is_terminal && variable("TERM").is_none_or(|terminal| terminal != "dumb")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_on_colours() {
        let coloured = |is_terminal: bool, variables: &[(&str, &str)]| {
            let find =
                |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
            is_coloured(is_terminal, find)
        };
        assert!(coloured(true, &[]) && !coloured(false, &[]));
        assert!(coloured(true, &[("NO_COLOR", "")]) && !coloured(true, &[("NO_COLOR", "1")]));
        assert!(coloured(false, &[("FORCE_COLOR", "1")]) && !coloured(true, &[("FORCE_COLOR", "0")]));
        assert!(!coloured(true, &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]));
        assert!(!coloured(true, &[("TERM", "dumb")]) && coloured(false, &[("TERM", "dumb"), ("FORCE_COLOR", "3")]));
    }
}

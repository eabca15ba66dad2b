//! What a run did, and the first thing in which two runs differ.

use super::verdict::{CallEnd, TestCase, Witness};
use surmise_engine::execute::Outcome;
use surmise_ledger::Entry;

/// Entries before and after the difference that a witness shows.
const AROUND: usize = 4;
/// Values that a witness shows.
const SHOWN_VALUES: usize = 40;

/// What a run did, in order: kind and description.
fn entries(run: &Entry) -> Vec<(String, String)> {
    let mut entries = run.behaviour.as_ref().map(|behaviour| behaviour.entries.clone()).unwrap_or_default();
    let has_end = entries.iter().any(|(kind, _)| kind == "raise");
    match (&run.error, run.outcome) {
        (_, Outcome::Timeout) => entries.push(("end".to_owned(), "does not end".to_owned())),
        (Some(error), _) if !has_end => entries.push(("raise".to_owned(), error.kind.clone())),
        _ => {}
    }
    let printed = run.stdout.lines().map(|line| ("output".to_owned(), without_place(line)));
    entries.extend(printed);
    entries
}

/// A line of output; that of a traceback without the file and the number of a line, which other changes move.
fn without_place(line: &str) -> String {
    let in_traceback = || {
        let (_file, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
        let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        (rest.is_empty() || rest.starts_with(", in ")).then(|| format!("  File ..., line ...{rest}"))
    };
    in_traceback().unwrap_or_else(|| line.to_owned())
}

/// True if the run can be compared: it came to an end that Python knows of.
pub fn is_whole(run: &Entry) -> bool {
    run.behaviour.is_some() && matches!(run.outcome, Outcome::Completed | Outcome::Error)
}

/// True if both did the same.
pub fn same(old: &Entry, new: &Entry) -> bool {
    entries(old) == entries(new)
}

/// The number of the first thing that two runs did otherwise; `None` if they did the same.
pub fn first_difference(old: &Entry, new: &Entry) -> Option<usize> {
    first(&entries(old), &entries(new))
}

fn first(olds: &[(String, String)], news: &[(String, String)]) -> Option<usize> {
    (0..olds.len().max(news.len())).find(|&at| olds.get(at) != news.get(at))
}

/// The first difference; `None` if there is none.
pub fn difference(old: &Entry, new: &Entry) -> Option<Witness> {
    let (olds, news) = (entries(old), entries(new));
    let at = first(&olds, &news)?;
    let text = |entry: &(String, String)| format!("{} {}", entry.0, entry.1);
    let window = |entries: &[(String, String)]| {
        let from = at.saturating_sub(AROUND).min(entries.len());
        entries[from..(at + AROUND + 1).min(entries.len())].iter().map(text).collect()
    };
    let kind = olds.get(at).or(news.get(at)).map(|entry| entry.0.clone()).unwrap_or_default();
    let mut given: Vec<(String, String)> = Vec::new();
    for run in [old, new] {
        for value in run.behaviour.iter().flat_map(|behaviour| &behaviour.given) {
            if given.len() < SHOWN_VALUES && !given.contains(value) {
                given.push(value.clone());
            }
        }
    }
    Some(Witness {
        given,
        kind,
        old: olds.get(at).map(text),
        new: news.get(at).map(text),
        old_entries: window(&olds),
        new_entries: window(&news),
        test: None,
    })
}

/// The difference of two runs as a test: both versions were called alike and did nothing but return or raise, and of
/// what they read only parameters were injected, whose sites begin with the numbers given.
pub fn test_case([old, new]: [&Entry; 2], first: [u32; 2]) -> Option<TestCase> {
    let (before, after) = (old.behaviour.as_ref()?, new.behaviour.as_ref()?);
    let (imports, call) = before.call.clone().filter(|call| after.call.as_ref() == Some(call))?;
    let (old, new) = (end(old, first[0])?, end(new, first[1])?);
    (old != new).then_some(TestCase { imports, call, old, new })
}

fn end(run: &Entry, first: u32) -> Option<CallEnd> {
    let behaviour = run.behaviour.as_ref()?;
    if !run.injections.iter().all(|injection| injection.site.is_some_and(|site| site >= first)) {
        return None;
    }
    match behaviour.entries.as_slice() {
        [(kind, _)] if kind == "return" => behaviour.result.clone().map(CallEnd::Returns),
        [(kind, class)] if kind == "raise" => Some(CallEnd::Raises(class.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tracebacks_are_compared_without_their_places() {
        assert_eq!(without_place("  File \"/a/b.py\", line 12, in f"), "  File ..., line ..., in f");
        assert_eq!(without_place("  File \"<string>\", line 1"), "  File ..., line ...");
        for other in ["File \"a\" is missing, line 3", "  File \"a\", line 3 and more", "x = 1"] {
            assert_eq!(without_place(other), other);
        }
    }
}

//! Complete programs behave under `surmise run --plain` exactly as under the Python that Surmise was built with:
//! same standard output, same standard error, same exit status (see `complete/README.md`).

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use crate::support::traced::PYTHON;
use crate::support::{Ended, Stdin, check_all, file_name, programs, python_minor, run, status, surmise, tests_folder};

/// False for programs that ask for a newer Python than the linked one in their first line.
fn is_taken(program: &[u8]) -> bool {
    let first = String::from_utf8_lossy(program.split(|&byte| byte == b'\n').next().unwrap_or_default());
    let Some(version) = first.strip_prefix("# requires:") else {
        return true;
    };
    let minor = version.trim().strip_prefix("3.").and_then(|minor| minor.parse().ok());
    python_minor() >= minor.unwrap_or_else(|| panic!("not a version: {first}"))
}

/// Programs that are known to behave differently, each with the page that explains it.
fn divergences(folder: &Path) -> BTreeMap<String, Divergence> {
    let text = std::fs::read_to_string(folder.join("divergences.txt")).expect("tests/complete/divergences.txt");
    let entries = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parse = |line: &str| {
        let (program, rest) = line.split_once(" -> ")?;
        let (page, versions) = rest.split_once(' ').unwrap_or((rest, "3.9-3.99"));
        let (first, last) = versions.split_once('-').unwrap_or((versions, versions));
        let minor = |version: &str| version.strip_prefix("3.")?.parse().ok();
        let divergence = Divergence { page: page.to_owned(), first: minor(first)?, last: minor(last)? };
        Some((program.to_owned(), divergence))
    };
    entries.map(|line| parse(line).unwrap_or_else(|| panic!("not `PROGRAM -> PAGE [VERSIONS]`: {line}"))).collect()
}

/// A known difference: the page that explains it, and the minor versions of Python 3 that show it.
struct Divergence {
    page: String,
    first: u32,
    last: u32,
}

#[test]
fn complete_programs_behave_as_under_python() {
    let folder = tests_folder().join("complete");
    let known = divergences(&folder);
    check_all(
        &programs(&folder),
        |program| file_name(program),
        |program| {
            let name = file_name(program);
            let bytes = std::fs::read(program).map_err(|error| error.to_string())?;
            if !is_taken(&bytes) {
                return Ok(());
            }
            let input = program.with_extension("stdin");
            let stdin = if input.exists() { Stdin::File(&input) } else { Stdin::Empty };
            let expected = run(Command::new(PYTHON).arg(&name).current_dir(&folder), stdin)?;
            let found = run(surmise().args(["run", "--plain", &name]).current_dir(&folder), stdin)?;
            let here = known.get(&name).filter(|known| (known.first..=known.last).contains(&python_minor()));
            match (difference(&expected, &found), here) {
                (None, None) | (Some(_), Some(_)) => Ok(()),
                (Some(difference), None) => Err(difference),
                (None, Some(Divergence { page, .. })) => {
                    Err(format!("does not differ any more: remove it from divergences.txt (and from {page})"))
                }
            }
        },
    );
}

#[test]
fn every_divergence_has_a_program_and_a_page() {
    let folder = tests_folder().join("complete");
    let pages = tests_folder().join("../docs/limitations");
    for (program, Divergence { page, .. }) in divergences(&folder) {
        assert!(folder.join(&program).is_file(), "divergences.txt names `{program}`, which is not there");
        assert!(pages.join(&page).is_file(), "`{program}` needs the page docs/limitations/{page}");
    }
}

/// Describes where two runs first differ; Python's line comes first.
fn difference(expected: &Ended, found: &Ended) -> Option<String> {
    let ends = [expected.status, found.status];
    let mut text = Vec::new();
    if ends.map(|end| (end.code(), end.signal())).windows(2).any(|pair| pair[0] != pair[1]) {
        text.push(format!("python: {}, surmise: {}", status(ends[0]), status(ends[1])));
    }
    for (stream, one, other) in
        [("stdout", &expected.stdout, &found.stdout), ("stderr", &expected.stderr, &found.stderr)]
    {
        if let Some((line, python, surmise)) = first_different_line(one, other) {
            text.push(format!("{stream} line {line}:\n- {python}\n+ {surmise}"));
        }
    }
    (!text.is_empty()).then(|| text.join("\n"))
}

/// The line's number from 1 and the two lines, escaped so that every difference shows.
fn first_different_line(one: &[u8], other: &[u8]) -> Option<(usize, String, String)> {
    let show = |line: Option<&[u8]>| line.map_or("(nothing)".to_owned(), |line| line.escape_ascii().to_string());
    let mut ones = one.split_inclusive(|&byte| byte == b'\n');
    let mut others = other.split_inclusive(|&byte| byte == b'\n');
    for number in 1.. {
        match (ones.next(), others.next()) {
            (None, None) => return None,
            (one, other) if one != other => return Some((number, show(one), show(other))),
            _ => {}
        }
    }
    None
}

#[test]
fn differences_are_found_byte_for_byte() {
    assert_eq!(first_different_line(b"a\nb\n", b"a\nb\n"), None);
    assert_eq!(first_different_line(b"a\nb\n", b"a\nb"), Some((2, "b\\n".to_owned(), "b".to_owned())));
    assert_eq!(first_different_line(b"", b"\r\n"), Some((1, "(nothing)".to_owned(), "\\r\\n".to_owned())));
}

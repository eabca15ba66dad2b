//! What the tests over real code share: CPython as the judge, the files it comes with, and what must hold of every
//! rewritten text.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use surmise_instrument::record::Recording;
use surmise_instrument::{Error, Instrumented, Kind, LineIndex, Options, PositionMap, SourceModel};

/// Parses and rewrites a source.
pub fn instrument(source: &str, options: Options) -> Result<Instrumented, Error> {
    SourceModel::parse(source).map(|model| surmise_instrument::instrument(&model, options))
}

/// Where CPython itself gives up on nesting. Hooks nest deeper, and the executor runs the source as written then
/// (`docs/limitations/code-objects.md`).
const LIMITS: [&str; 5] = [
    "too many nested parenthes",
    "RecursionError",
    "MemoryError",
    "parser stack overflow",
    "f-string: expressions nested too deeply",
];

/// The `python3` on the path.
pub struct Python {
    pub options: Options,
    /// The standard library and the installed packages.
    roots: Vec<PathBuf>,
}

impl Python {
    pub fn find() -> Self {
        let script = "import site, sys, sysconfig\n\
                      print(*sys.version_info[:2], sysconfig.get_path('stdlib'), *site.getsitepackages(), sep='\\n')";
        let output = Command::new("python3").args(["-c", script]).output().expect("`python3` is on the path");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("paths of Python are UTF-8");
        let mut lines = text.lines();
        let mut part = || lines.next().and_then(|part| part.parse().ok()).expect("a part of Python's version");
        let options = Options::new((part(), part()));
        Self { options, roots: lines.map(PathBuf::from).filter(|root| root.is_dir()).collect() }
    }

    /// Every `.py` of the standard library with its tests and of the installed packages, sorted.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = BTreeSet::new();
        for root in &self.roots {
            collect(root, &mut files);
        }
        assert!(files.len() > 500, "only {} files in {:?}", files.len(), self.roots);
        files.into_iter().collect()
    }

    /// At most `count` of all files, the same ones each time.
    pub fn sample(&self, count: usize) -> Vec<PathBuf> {
        let mut files = self.files();
        files.sort_by_cached_key(|path| {
            let root = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
            (hash(root.unwrap_or(path)), path.clone())
        });
        files.truncate(count);
        files.sort();
        files
    }
}

fn collect(folder: &Path, into: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
            continue;
        };
        if kind.is_dir() {
            collect(&path, into);
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "py") {
            into.insert(path);
        }
    }
}

/// FNV-1a: the same on every machine.
fn hash(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The text of a file as the executor hands it over; `None` where it is not UTF-8.
pub fn read(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("cannot read `{}`: {error}", path.display()));
    let text = String::from_utf8(bytes).ok()?;
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A CPython process that compiles.
#[derive(Default)]
pub struct Compiler {
    process: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
}

/// What CPython thinks of a source and of what became of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Both compile.
    Same,
    /// The source does not compile.
    Refused(String),
    /// Hooks nest deeper than CPython goes.
    Limit(String),
    /// The rewritten text does not compile, though the source does.
    Broken(String),
}

impl Compiler {
    pub fn judge(&mut self, source: &str, rewritten: &str) -> Judgement {
        let process = self.process.get_or_insert_with(start);
        let asked = [source, rewritten].iter().try_for_each(|text| {
            let len = u32::try_from(text.len()).expect("texts are far below 4 GiB");
            process.1.write_all(&len.to_le_bytes())?;
            process.1.write_all(text.as_bytes())
        });
        let asked = asked.and_then(|()| process.1.flush());
        let mut answers = [(); 2].map(|()| {
            let mut line = String::new();
            process.2.read_line(&mut line).ok().filter(|&len| len > 0).map(|_| line.trim_end().to_owned())
        });
        match (answers[0].take(), answers[1].take()) {
            (Some(refused), Some(_)) if !refused.is_empty() => Judgement::Refused(refused),
            (Some(_), Some(problem)) if problem.is_empty() => Judgement::Same,
            (Some(_), Some(problem)) if LIMITS.iter().any(|limit| problem.contains(limit)) => Judgement::Limit(problem),
            (Some(_), Some(problem)) => Judgement::Broken(problem),
            (first, _) => {
                let ended = self.stop();
                match first.filter(String::is_empty) {
                    Some(_) => Judgement::Broken(format!("CPython ended: {ended} {asked:?}")),
                    None => Judgement::Refused(format!("CPython ended: {ended}")),
                }
            }
        }
    }

    fn stop(&mut self) -> String {
        let Some((mut child, stdin, _)) = self.process.take() else {
            return String::new();
        };
        drop(stdin);
        child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        self.stop();
    }
}

fn start() -> (Child, ChildStdin, BufReader<ChildStdout>) {
    let mut child = Command::new("python3")
        .args(["-I", "-c", include_str!("compiles.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`python3` is on the path");
    let stdin = child.stdin.take().expect("it was piped");
    let stdout = BufReader::new(child.stdout.take().expect("it was piped"));
    (child, stdin, stdout)
}

/// What must hold of every rewriting; the error says what does not.
pub fn check_ranges(source: &str, done: &Instrumented) -> Result<(), String> {
    let (old, new) = (LineIndex::new(source), LineIndex::new(&done.text));
    ensure(old.count() == new.count(), "the number of lines", (old.count(), new.count()))?;
    let lines = 1..=old.count();
    for site in &done.sites {
        ensure(site.start < site.end && source.get(site.start as usize..site.end as usize).is_some(), "range", site)?;
        ensure(lines.contains(&site.line), "line", site)?;
        let name_at = old.start(site.line) + site.column;
        ensure((site.start..site.end).contains(&name_at), "the name stands outside of its expression", site)?;
        ensure(old.position(name_at) == (site.line, site.column), "column", site)?;
        let there = &source[name_at as usize..];
        ensure(site.kind == Kind::ReturnValue || spells(there, &site.name), "the name is not there", site)?;
        ensure((site.function as usize) < done.functions.len(), "function", site)?;
        ensure(site.marks <= old.count(), "marked line", site)?;
    }
    check_segments(source, &done.text, &done.positions)?;
    for block in &done.tries {
        ensure(block.first_line <= block.last_line && lines.contains(&block.last_line), "lines of a `try`", block)?;
        ensure(block.scope_line <= block.first_line, "line of the scope of a `try`", block)?;
    }
    for import in &done.imports {
        let at = old.start(import.line) + import.column;
        ensure(old.position(at) == (import.line, import.column), "place of an import", import)?;
        ensure(source[at as usize..].starts_with("from"), "place of an import", import)?;
    }
    let marks = &done.marks;
    for part in &done.parts {
        ensure(source.get(part.start as usize..part.end as usize).is_some(), "part", part)?;
    }
    let counted = old.count() + done.parts.len() as u32;
    ensure(marks.lines == counted, "number of lines and parts in the marks", marks.lines)?;
    for &(first, last) in marks.spans.iter().chain(&marks.docstrings) {
        ensure(first <= last && lines.contains(&first) && lines.contains(&last), "span", (first, last))?;
    }
    for &(line, by) in &marks.implied {
        ensure(lines.contains(&line) && by <= old.count() + 1 && line != by, "implied line", (line, by))?;
    }
    Ok(())
}

/// True if the text starts with the name; private names are mangled, others than ASCII normalized.
fn spells(text: &str, name: &str) -> bool {
    let ascii = text.chars().take_while(|char| char.is_alphanumeric() || *char == '_').all(|char| char.is_ascii());
    text.starts_with(name) || name.contains("__") && text.starts_with("__") || !ascii
}

/// Recording only inserts, sites have the right text, and their numbers are those in the text.
pub fn check_recording(source: &str, done: &Recording) -> Result<(), String> {
    check_segments(source, &done.text, &done.positions)?;
    for segment in &done.positions.segments {
        ensure(segment.old_start == segment.old_end, "recording removed something", segment)?;
    }
    let openings = done.text.matches(&format!("{}(", done.hook)).count();
    ensure(openings == done.sites.len(), "hooks in the text", openings)?;
    for site in &done.sites {
        let there = source.get(site.start as usize..site.end as usize);
        let there = there.ok_or_else(|| format!("a site's range: {site:?}"))?;
        let right = match site.kind {
            Kind::Variable => spells(there, &site.name) && there.len() >= site.name.len(),
            Kind::Attribute => there.is_ascii() && there.ends_with(site.name.as_str()) || !there.is_ascii(),
            Kind::ReturnValue => there.ends_with(')'),
        };
        ensure(right, "a site's text", (site, there))?;
    }
    Ok(())
}

/// Segments are sorted and apart, what lies between them is the source's own, and all positions lead back into it.
fn check_segments(source: &str, text: &str, map: &PositionMap) -> Result<(), String> {
    let (mut old_at, mut new_at) = (0, 0);
    for segment in &map.segments {
        let (new_start, new_end) = (segment.new_start as usize, segment.new_end as usize);
        let (old_start, old_end) = (segment.old_start as usize, segment.old_end as usize);
        ensure(new_start <= new_end && old_start <= old_end, "a segment's direction", segment)?;
        ensure(new_at <= new_start && old_at <= old_start, "segments overlap", segment)?;
        ensure(text.get(new_start..new_end).is_some(), "a segment's range", segment)?;
        ensure(source.get(old_start..old_end).is_some(), "a segment's source range", segment)?;
        ensure(source[old_at..old_start] == text[new_at..new_start], "unedited text differs", segment)?;
        let removed = &source[old_start..old_end];
        ensure(!removed.contains(['\n', '\r']), "a line's end was edited", segment)?;
        if let Some(anchor) = segment.anchor {
            ensure(source.get(anchor.0 as usize..anchor.1 as usize).is_some(), "anchor", segment)?;
        }
        for (start, end) in [(new_start, new_end), (new_at, new_start), (new_start, new_start), (new_end, new_end)] {
            let (from, to) = map.to_source(start as u32, end as u32);
            ensure(
                from <= to && source.get(from as usize..to as usize).is_some(),
                "mapped range",
                (segment, from, to),
            )?;
        }
        (old_at, new_at) = (old_end, new_end);
    }
    ensure(source[old_at..] == text[new_at..], "the text after the last edit differs", new_at)?;
    for &(start, end, reported) in &map.moved {
        ensure(start < end && (start..end).contains(&reported), "moved position", (start, end, reported))?;
        ensure(source.is_char_boundary(reported as usize), "moved position", (start, end, reported))?;
    }
    Ok(())
}

fn ensure(holds: bool, what: &str, details: impl Debug) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{what}: {details:?}")) }
}

//! The standard library of the `python3` on the path, its tests, and the installed packages: what CPython compiles
//! still compiles after rewriting, and all tables fit the texts.
//!
//! A sample by default; `SURMISE_TEST_FILES=all` takes every file, a number that many.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Compiler, Judgement, Python, check_ranges, check_recording, instrument, read};
use surmise_instrument::record::record;
use surmise_instrument::{Error, Kind, Options, SourceModel};

const SAMPLE: usize = 1500;
const THREADS: usize = 2;

/// What became of all files.
#[derive(Default)]
struct Tally {
    same: AtomicUsize,
    refused: AtomicUsize,
    undecodable: AtomicUsize,
    failures: Mutex<Vec<String>>,
}

#[test]
fn what_cpython_compiles_still_compiles_after_rewriting() {
    let python = Python::find();
    let files = match std::env::var("SURMISE_TEST_FILES").as_deref() {
        Ok("all") => python.files(),
        Ok(count) => python.sample(count.parse().expect("SURMISE_TEST_FILES is `all` or a number")),
        Err(_) => python.sample(SAMPLE),
    };
    let (tally, next) = (Tally::default(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut compiler = Compiler::default();
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(problem) = check(path, &python, &mut compiler, &tally) {
                        let failure = format!("{}: {problem}", path.display());
                        tally.failures.lock().expect("no thread panics with it").push(failure);
                    }
                }
            });
        }
    });
    let [same, refused, undecodable] =
        [&tally.same, &tally.refused, &tally.undecodable].map(|count| count.load(Ordering::Relaxed));
    let failures = tally.failures.into_inner().expect("no thread panics with it");
    let summary = format!(
        "{} files: {same} compile, {} fail, {refused} are not for CPython {}.{}, {undecodable} are not UTF-8",
        files.len(),
        failures.len(),
        python.options.python.0,
        python.options.python.1,
    );
    assert!(failures.is_empty(), "{summary}\n{}", failures.join("\n"));
    assert!(same * 10 > files.len() * 9, "{summary}");
}

fn check(path: &Path, python: &Python, compiler: &mut Compiler, tally: &Tally) -> Result<(), String> {
    let Some(source) = read(path) else {
        tally.undecodable.fetch_add(1, Ordering::Relaxed);
        return Ok(());
    };
    let done = match instrument(&source, python.options) {
        Ok(done) => done,
        Err(Error::Syntax { line, message }) => {
            // Compiling the source twice tells whether CPython takes what our parser does not.
            return match compiler.judge(&source, &source) {
                Judgement::Refused(_) => {
                    tally.refused.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                }
                _ => Err(format!("CPython compiles it, our parser does not: line {line}: {message}")),
            };
        }
        Err(error) => return Err(error.to_string()),
    };
    check_ranges(&source, &done)?;
    let model = SourceModel::parse(source.as_str()).map_err(|error| format!("for recording: {error}"))?;
    let recording = record(&model, 0, &|_| false);
    check_recording(&source, &recording)?;
    if let Judgement::Limit(problem) | Judgement::Broken(problem) = compiler.judge(&source, &recording.text) {
        return Err(format!("for recording: {problem}"));
    }
    // Of one file in three, as CPython's compiler takes most of the time.
    if source.len() % 3 == 0 {
        check_parts(&source, python, compiler).map_err(|problem| format!("with parts: {problem}"))?;
    }
    match compiler.judge(&source, &done.text) {
        Judgement::Same => tally.same.fetch_add(1, Ordering::Relaxed),
        Judgement::Refused(_) => tally.refused.fetch_add(1, Ordering::Relaxed),
        Judgement::Limit(problem) | Judgement::Broken(problem) => return Err(problem),
    };
    Ok(())
}

/// The same with parts of expressions marked, too.
fn check_parts(source: &str, python: &Python, compiler: &mut Compiler) -> Result<(), String> {
    let options = Options { parts: true, ..python.options };
    let done = instrument(source, options).map_err(|error| error.to_string())?;
    check_ranges(source, &done)?;
    match compiler.judge(source, &done.text) {
        Judgement::Broken(problem) => Err(problem),
        Judgement::Same | Judgement::Refused(_) | Judgement::Limit(_) => Ok(()),
    }
}

/// The judges must see what they are there for.
#[test]
fn faults_are_seen() {
    let python = Python::find();
    let mut compiler = Compiler::default();
    assert_eq!(compiler.judge("x = 1", "x = 2"), Judgement::Same);
    assert!(matches!(compiler.judge("x = 1", "x = = 1"), Judgement::Broken(_)));
    assert!(matches!(compiler.judge("x = = 1", "x = 1"), Judgement::Refused(_)));
    let source = "import a\nx = a.b(c)\n";
    let done = instrument(source, python.options).expect("it parses");
    assert_eq!(check_ranges(source, &done), Ok(()));
    let mut other = done.clone();
    other.text = other.text.replace("x =", "x  =");
    assert!(check_ranges(source, &other).is_err(), "text between the edits");
    for site in 0..done.sites.len() {
        let mut other = done.clone();
        other.sites[site].line += 1;
        assert!(check_ranges(source, &other).is_err(), "line of {:?}", other.sites[site]);
    }
    let named = done.sites.iter().position(|site| site.kind == Kind::Attribute).expect("`a.b` is a site");
    let mut other = done.clone();
    other.sites[named].column -= 1;
    assert!(check_ranges(source, &other).is_err(), "column of {:?}", other.sites[named]);
    let mut other = done;
    other.positions.segments.swap(0, 1);
    assert!(check_ranges(source, &other).is_err(), "order of segments");
}

#[test]
fn the_sample_is_the_same_each_time() {
    let python = Python::find();
    let (first, second): (Vec<PathBuf>, Vec<PathBuf>) = (python.sample(100), python.sample(100));
    assert_eq!(first, second);
    assert_eq!(first.len(), 100);
}

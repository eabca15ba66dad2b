//! Mutants of real files: rewriting and cleaning up never panic, always end, keep the lines, and what CPython compiles
//! still compiles.
//!
//! The same mutants each time; `PROPTEST_CASES` makes more of them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::support::{Compiler, Judgement, Python, check_ranges, instrument, read};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestError, TestRng, TestRunner};
use surmise_instrument::cleanup::{Prepared, prepare};
use surmise_instrument::{Error, Instrumented, LineIndex};

const DEFAULT_CASES: u32 = 96;
/// Files of the standard library to mutate, besides the repository's own programs.
const LIBRARY_FILES: usize = 150;
/// Larger files only make a case slow.
const LARGEST_FILE: usize = 16 << 10;
/// Not a measure of speed: a case that takes this long does not end.
const ENDLESS: Duration = Duration::from_mins(3);
/// What a deep tree may take without a compiler's optimizations.
const STACK: usize = 512 << 20;

static PYTHON: LazyLock<Python> = LazyLock::new(Python::find);
static FILES: LazyLock<Vec<(PathBuf, String)>> = LazyLock::new(|| {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").join("tests");
    let mut paths: Vec<PathBuf> = ["complete", "incomplete"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(tests.join(folder)).expect("the corpora are in the repository"))
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    paths.sort();
    paths.extend(PYTHON.sample(LIBRARY_FILES));
    let texts = paths.into_iter().filter_map(|path| read(&path).map(|text| (path, text)));
    texts.filter(|(_, text)| text.len() <= LARGEST_FILE).collect()
});

/// Pieces that a mutation puts somewhere.
const PIECES: [&str; 58] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    ";",
    "=",
    ":=",
    "->",
    "\\",
    "\\\n",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\u{c}",
    "    ",
    "\n    ",
    "#",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "f'",
    "f\"{x=}\"",
    "f'{a.b!r:{c.d()}}'",
    "rb'",
    "lambda",
    "lambda:x",
    "await ",
    "async ",
    "yield ",
    "*",
    "**",
    "@",
    "del x.y",
    " if ",
    " else ",
    " for x in y.z() ",
    " in ",
    " not in ",
    "not ",
    "is ",
    ".a",
    ".a()",
    "x.y(",
    "global x\n",
    "nonlocal x\n",
    "class A:\n",
    "def f():\n",
    "try:\n",
    "return x\n",
    "é",
    "𝒳",
    "_a_",
];

/// One change of a text. Places are fractions of it, so that they keep their meaning while others shrink.
#[derive(Clone, Debug)]
enum Mutation {
    Delete { at: f64, len: usize },
    Duplicate { at: f64, len: usize, to: f64 },
    Swap { at: f64, with: f64, len: usize },
    Insert { at: f64, piece: usize },
    Random { at: f64, text: String },
    DeleteToken { at: f64 },
    DuplicateToken { at: f64 },
    SwapTokens { at: f64, with: f64 },
    DeleteLine { at: f64 },
    Indent { at: f64, with: &'static str },
    Truncate { at: f64 },
    NewLines { with: &'static str },
    Nest { at: f64, depth: usize, kind: usize },
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = || 0.0..1.0_f64;
    let spaces = prop::sample::select(vec!["", " ", "  ", "\t", "        ", "\u{c}    ", "\u{a0}", " \t "]);
    prop_oneof![
        2 => (place(), 1..200_usize).prop_map(|(at, len)| Mutation::Delete { at, len }),
        2 => (place(), 1..200_usize, place()).prop_map(|(at, len, to)| Mutation::Duplicate { at, len, to }),
        2 => (place(), place(), 1..60_usize).prop_map(|(at, with, len)| Mutation::Swap { at, with, len }),
        6 => (place(), 0..PIECES.len()).prop_map(|(at, piece)| Mutation::Insert { at, piece }),
        1 => (place(), ".{0,12}").prop_map(|(at, text)| Mutation::Random { at, text }),
        4 => place().prop_map(|at| Mutation::DeleteToken { at }),
        4 => place().prop_map(|at| Mutation::DuplicateToken { at }),
        4 => (place(), place()).prop_map(|(at, with)| Mutation::SwapTokens { at, with }),
        2 => place().prop_map(|at| Mutation::DeleteLine { at }),
        2 => (place(), spaces).prop_map(|(at, with)| Mutation::Indent { at, with }),
        1 => place().prop_map(|at| Mutation::Truncate { at }),
        1 => prop::sample::select(vec!["\r\n", "\r", "\n\n"]).prop_map(|with| Mutation::NewLines { with }),
        1 => (place(), 1..300_usize, 0..NESTS.len()).prop_map(|(at, depth, kind)| Mutation::Nest { at, depth, kind }),
    ]
}

/// What opens a level, what stands in the middle, what closes a level.
const NESTS: [(&str, &str, &str); 12] = [
    ("(", "x.a", ")"),
    ("(", "", ""),
    ("[", "f()", "]"),
    ("{1:", "x", "}"),
    ("f(", "x", ")"),
    ("lambda:", "x.a", ""),
    ("not ", "x.a", ""),
    ("x.a if f() else ", "y.b", ""),
    ("x.a[", "0", "]"),
    ("-", "x.a", ""),
    ("", "x", ".a()"),
    ("x.a + ", "y", ""),
];

fn nested(depth: usize, (open, middle, close): (&str, &str, &str)) -> String {
    [&open.repeat(depth), middle, &close.repeat(depth)].concat()
}

fn boundary(text: &str, fraction: f64) -> usize {
    #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a place somewhere in a small text")]
    let at = (text.len() as f64 * fraction) as usize;
    text.floor_char_boundary(at)
}

fn span(text: &str, at: f64, len: usize) -> std::ops::Range<usize> {
    let start = boundary(text, at);
    start..text.floor_char_boundary((start + len).min(text.len())).max(start)
}

/// A word, a number, or one other character, at a place or behind it.
fn token(text: &str, at: f64) -> std::ops::Range<usize> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let start = boundary(text, at);
    let start = text[..start].trim_end_matches(is_word).len();
    let start = start + text[start..].len() - text[start..].trim_start_matches([' ', '\n', '\r', '\t']).len();
    let word = text[start..].len() - text[start..].trim_start_matches(is_word).len();
    let len = if word > 0 { word } else { text[start..].chars().next().map_or(0, char::len_utf8) };
    start..start + len
}

fn line(text: &str, at: f64) -> std::ops::Range<usize> {
    let at = boundary(text, at);
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    start..text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

fn exchange(text: &str, one: std::ops::Range<usize>, other: std::ops::Range<usize>) -> String {
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    if first.end > second.start {
        return text.to_owned();
    }
    let parts = [&text[..first.start], &text[second.clone()], &text[first.end..second.start], &text[first]];
    parts.concat() + &text[second.end..]
}

impl Mutation {
    fn apply(&self, text: &mut String) {
        match self {
            Self::Delete { at, len } => text.replace_range(span(text, *at, *len), ""),
            Self::Duplicate { at, len, to } => {
                let copy = text[span(text, *at, *len)].to_owned();
                text.insert_str(boundary(text, *to), &copy);
            }
            Self::Swap { at, with, len } => *text = exchange(text, span(text, *at, *len), span(text, *with, *len)),
            Self::Insert { at, piece } => text.insert_str(boundary(text, *at), PIECES[*piece]),
            Self::Random { at, text: inserted } => text.insert_str(boundary(text, *at), inserted),
            Self::DeleteToken { at } => text.replace_range(token(text, *at), ""),
            Self::DuplicateToken { at } => {
                let range = token(text, *at);
                let copy = format!(" {}", &text[range.clone()]);
                text.insert_str(range.end, &copy);
            }
            Self::SwapTokens { at, with } => *text = exchange(text, token(text, *at), token(text, *with)),
            Self::DeleteLine { at } => text.replace_range(line(text, *at), ""),
            Self::Indent { at, with } => text.insert_str(line(text, *at).start, with),
            Self::Truncate { at } => text.truncate(boundary(text, *at)),
            Self::NewLines { with } => *text = text.replace('\n', with),
            Self::Nest { at, depth, kind } => {
                let range = token(text, *at);
                text.replace_range(range, &nested(*depth, NESTS[*kind]));
            }
        }
    }
}

/// The results of both entry points.
struct Done {
    direct: Result<Instrumented, Error>,
    prepared: Prepared,
    mended: Result<Instrumented, Error>,
}

/// Rewrites and cleans up on a thread of its own; an error where it panics or does not end.
fn process(source: &str) -> Result<Done, String> {
    let (sender, receiver) = channel();
    let text = source.to_owned();
    let work = move || {
        let direct = instrument(&text, PYTHON.options);
        let prepared = prepare(&text);
        let mended = instrument(&prepared.text, PYTHON.options);
        let _only_if_late = sender.send(Done { direct, prepared, mended });
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).map_err(|error| error.to_string())?;
    match receiver.recv_timeout(ENDLESS) {
        Ok(done) => Ok(done),
        Err(RecvTimeoutError::Timeout) => Err(format!("did not end within {ENDLESS:?}")),
        Err(RecvTimeoutError::Disconnected) => {
            let panic = thread.join().err();
            let message = panic.as_ref().and_then(|panic| panic.downcast_ref::<String>()).cloned();
            let literal = panic.as_ref().and_then(|panic| panic.downcast_ref::<&str>());
            Err(message.unwrap_or_else(|| literal.copied().unwrap_or("it panicked").to_owned()))
        }
    }
}

/// All that must hold of a text, whatever it is.
fn check(source: &str, compiler: &mut Compiler) -> Result<(), String> {
    let done = process(source)?;
    let lines = LineIndex::new(source).count();
    let prepared = &done.prepared;
    if LineIndex::new(&prepared.text).count() != lines {
        return Err(format!("cleaned up, it has {} lines, not {lines}", LineIndex::new(&prepared.text).count()));
    }
    for repair in &prepared.repairs {
        if repair.line < 1 || repair.line > repair.last_line || repair.last_line > lines {
            return Err(format!("a repair outside of the text: {repair:?}"));
        }
    }
    match &done.mended {
        Ok(mended) => check_ranges(&prepared.text, mended)?,
        Err(Error::Syntax { line, message }) => {
            return Err(format!("cleaned up, it does not parse: line {line}: {message}"));
        }
        Err(Error::TooLarge(_)) => {}
    }
    let direct = match &done.direct {
        Ok(direct) => direct,
        // Before 3.12, CPython puts what stands in an f-string's braces into parentheses: `f"{x for x in y}"`.
        Err(Error::Syntax { message, .. }) if message.starts_with("f-string") && PYTHON.options.python < (3, 12) => {
            return Ok(());
        }
        Err(error) => return refused(source, error, compiler),
    };
    check_ranges(source, direct)?;
    match compiler.judge(source, &direct.text) {
        Judgement::Broken(problem) => return Err(format!("does not compile after rewriting: {problem}")),
        Judgement::Same if prepared.text != source => {
            return Err(format!("CPython compiles it, but it was cleaned up: {:?}", prepared.repairs));
        }
        Judgement::Same | Judgement::Limit(_) | Judgement::Refused(_) => {}
    }
    Ok(())
}

/// What our parser does not take, CPython must not take either.
fn refused(source: &str, error: &Error, compiler: &mut Compiler) -> Result<(), String> {
    // `compile` takes a last line that a backslash continues if it ends in `\r\n`; reading a file, CPython does not.
    let continued = source.trim_end_matches(['\r', '\n']).ends_with('\\');
    match compiler.judge(source, source) {
        Judgement::Same | Judgement::Limit(_) | Judgement::Broken(_) if !continued => {
            Err(format!("CPython compiles it, our parser does not: {error}"))
        }
        _ => Ok(()),
    }
}

fn runner() -> TestRunner {
    let given = std::env::var_os("PROPTEST_CASES").is_some();
    let mut config = Config { failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
    if !given {
        config.cases = DEFAULT_CASES;
    }
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Runs the property over a strategy; a failure shows the smallest text that was found.
#[track_caller]
fn hold<S: Strategy>(strategy: &S, text: impl Fn(&S::Value) -> String) {
    let compiler = RefCell::new(Compiler::default());
    let property = |value: S::Value| -> TestCaseResult {
        check(&text(&value), &mut compiler.borrow_mut()).map_err(TestCaseError::fail)
    };
    if let Err(TestError::Fail(reason, value)) = runner().run(strategy, property) {
        let source = text(&value);
        let file = std::env::temp_dir().join(format!("surmise-fuzz-{}.py", std::process::id()));
        std::fs::write(&file, &source).expect("the temporary directory can be written");
        let shown: String = source.chars().take(4000).collect();
        panic!("{reason}\n{value:?}\nthe text, also in `{}`:\n{shown}", file.display());
    }
}

#[test]
fn unchanged_files_hold() {
    let mut compiler = Compiler::default();
    let failures: Vec<String> = FILES
        .iter()
        .filter_map(|(path, text)| {
            check(text, &mut compiler).err().map(|problem| format!("{}: {problem}", path.display()))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} files:\n{}", failures.len(), FILES.len(), failures.join("\n"));
}

#[test]
fn mutants_of_files_hold() {
    let strategy = (0..FILES.len(), prop::collection::vec(mutation(), 1..6));
    hold(&strategy, |(file, mutations)| mutant(*file, mutations));
}

/// Most mutants of whole files do not parse; those of a few lines often do.
#[test]
fn mutants_of_a_few_lines_hold() {
    let strategy = (0..FILES.len(), 0.0..1.0_f64, 1..12_usize, prop::collection::vec(mutation(), 0..3));
    hold(&strategy, |(file, at, count, mutations)| {
        let text = &FILES[*file].1;
        let lines: Vec<&str> = text[line(text, *at).start..].split_inclusive('\n').take(*count).collect();
        let indent = lines.first().map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
        let dedented =
            lines.iter().map(|line| line.get(indent..).filter(|_| line[..indent].trim().is_empty()).unwrap_or(line));
        let mut text: String = dedented.collect();
        for mutation in mutations {
            mutation.apply(&mut text);
        }
        text
    });
}

fn mutant(file: usize, mutations: &[Mutation]) -> String {
    let mut text = FILES[file].1.clone();
    for mutation in mutations {
        mutation.apply(&mut text);
    }
    text
}

/// Pieces in a row: dense in syntax that seldom stands together.
#[test]
fn heaps_of_tokens_hold() {
    let names =
        vec!["x", "y.z", "f(x)", "x[0]", "1", "'s'", " ", "\n", "    ", "x = ", "if x: ", "for x in y: ", "pass"];
    let piece = prop_oneof![prop::sample::select(PIECES.to_vec()), prop::sample::select(names)];
    hold(&prop::collection::vec(piece, 0..60), |pieces| pieces.concat());
}

/// Nesting far beyond what CPython takes: nobody's stack may overflow.
#[test]
fn hostile_nesting_holds() {
    let (mut compiler, mut failures) = (Compiler::default(), Vec::new());
    let wraps = [("", ""), ("x = ", "\n"), ("def f(a=", "): pass\n"), ("def f():\n    return ", "\n"), ("f'{", "}'")];
    for nest in NESTS {
        for depth in [90, 199, 1000, 5000, 100_000] {
            for (before, after) in wraps {
                let source = [before, &nested(depth, nest), after].concat();
                if let Err(problem) = check(&source, &mut compiler) {
                    failures.push(format!("{nest:?}, {depth} deep, behind {before:?}: {problem}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn hostile_blocks_hold() {
    let (mut compiler, mut failures) = (Compiler::default(), Vec::new());
    let block = |header: &str, depth: usize| -> String {
        let levels = (0..depth).map(|level| format!("{}{header}\n", " ".repeat(level)));
        levels.collect::<String>() + &" ".repeat(depth) + "pass\n"
    };
    for header in
        ["if x.a:", "while f():", "def f(x=y.z):", "class A(b.c):", "try:", "with a.b() as c:", "for x in y.z:"]
    {
        for depth in [19, 95, 150, 1000] {
            if let Err(problem) = check(&block(header, depth), &mut compiler) {
                failures.push(format!("{depth} blocks of {header:?}: {problem}"));
            }
        }
    }
    for line in
        ["elif x.a: pass\n", "else: x.a\n", "except x.a: pass\n", "@a.b\n", "x.a;", "\\\n", "\u{c}", "'''", "f'{", "#"]
    {
        for source in [line.repeat(20_000), format!("if x: pass\n{}", line.repeat(5000))] {
            if let Err(problem) = check(&source, &mut compiler) {
                failures.push(format!("{line:?} many times: {problem}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

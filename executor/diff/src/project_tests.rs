//! The tests of a repository that may call a function.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use surmise_engine::protocol::TestFile;
use surmise_engine::source::decode;
use surmise_instrument::SourceModel;
use surmise_instrument::extract::{Function, qualnames};

use super::repository::Side;
use super::test_functions::TestFunctions;

/// Files of a function at most.
const MOST_FILES: usize = 4;
/// From what calls a function to what calls that, where no test names it.
const LEVELS: usize = 2;
/// Names of functions by whose calls one is called.
const MOST_CALLERS: usize = 8;

/// Tests that may call a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    /// The folder of their revision.
    pub root: PathBuf,
    /// Their files.
    pub files: Vec<TestFile>,
}

/// The Python files of the new side, read when a function is first called as tests call it, and only if any has tests.
#[derive(Debug, Default)]
pub struct ProjectTests {
    /// The folders of both sides.
    old: PathBuf,
    new: PathBuf,
    /// From the new side's folder.
    paths: Vec<String>,
    read: OnceLock<Vec<Read>>,
    /// What calls functions of some names: a change may touch many of one name.
    callers: Mutex<BTreeMap<Vec<String>, Vec<String>>>,
}

#[derive(Debug)]
struct Read {
    path: String,
    text: String,
    is_test: bool,
    /// Of a file with tests that the change touches, the functions that it added or changed.
    changed: Option<Vec<String>>,
}

impl ProjectTests {
    /// Of both sides, and the paths of the new side's Python files.
    pub fn of(old: &Side, new: &Side, paths: Vec<String>) -> Self {
        Self { old: old.folder.clone(), new: new.folder.clone(), paths, ..Self::default() }
    }

    /// Files with tests that may call a function of a file: those that the change touches, those that name the function or what
    /// calls it, or else what calls that, and where there are none, those of the module.
    pub fn calling(&self, path: &str, qualname: &str) -> Tests {
        let files = self.read.get_or_init(|| self.read());
        let (tests, others): (Vec<&Read>, Vec<&Read>) = files.iter().partition(|file| file.is_test);
        if tests.is_empty() {
            return Tests::default();
        }
        let mut names = vec![named_by(qualname)];
        let mut last = names.clone();
        let mut found = Vec::new();
        for _level in 0..LEVELS {
            last = self.callers(&others, last);
            last.retain(|name| !names.contains(name));
            names.extend(last.clone());
            found = naming(&tests, &names, path);
            if !found.is_empty() {
                break;
            }
        }
        if found.is_empty() {
            names.clear();
            found = tests.iter().copied().filter(|file| is_for(&file.path, path)).collect();
        }
        let touched = tests.iter().copied().filter(|file| file.changed.as_ref().is_some_and(|tests| !tests.is_empty()));
        let unnamed: Vec<&Read> = touched.filter(|file| !found.iter().any(|other| other.path == file.path)).collect();
        found.splice(..0, unnamed);
        let entry = |file: &Read| {
            let path = self.new.join(&file.path).display().to_string();
            let first = file.changed.clone().unwrap_or_default();
            let functions = TestFunctions::of(&file.text, &names, &first)?;
            Some(TestFile { path, text: functions.text, lines: functions.lines, first })
        };
        let files = found.into_iter().take(MOST_FILES).filter_map(entry).collect();
        Tests { root: self.new.clone(), files }
    }

    fn read(&self) -> Vec<Read> {
        if !self.paths.iter().any(|path| is_test(path)) {
            return Vec::new();
        }
        let text = |folder: &Path, path: &String| decode(path, &std::fs::read(folder.join(path)).ok()?).ok();
        let one = |path: &String| {
            let new = text(&self.new, path)?;
            let old = || text(&self.old, path).unwrap_or_default();
            let changed = Some(path).filter(|path| is_test(path)).map(|_| old()).filter(|old| *old != new);
            let changed = changed.map(|old| changed_functions(&old, &new));
            Some(Read { path: path.clone(), text: new, is_test: is_test(path), changed })
        };
        self.paths.iter().filter_map(one).collect()
    }

    /// [`callers()`], each found once.
    fn callers(&self, files: &[&Read], names: Vec<String>) -> Vec<String> {
        let known = |all: &BTreeMap<Vec<String>, Vec<String>>| all.get(&names).cloned();
        if let Some(found) = known(&self.callers.lock().unwrap_or_else(PoisonError::into_inner)) {
            return found;
        }
        let found = callers(files, &names);
        self.callers.lock().unwrap_or_else(PoisonError::into_inner).insert(names, found.clone());
        found
    }
}

/// The files that name one of some names, those first that the change touches, then those of the module, then those that name
/// the first of the names most often.
fn naming<'a>(tests: &[&'a Read], names: &[String], path: &str) -> Vec<&'a Read> {
    let rank = |file: &Read| {
        let count = |name: &String| words(&file.text, name).take(100).count();
        let (direct, all) = (count(&names[0]), names.iter().map(count).sum::<usize>());
        (all > 0).then(|| (file.changed.is_some(), is_for(&file.path, path), direct, all))
    };
    let mut found: Vec<_> = tests.iter().filter_map(|file| Some((rank(file)?, *file))).collect();
    found.sort_by(|(one, file), (other, next)| other.cmp(one).then_with(|| file.path.cmp(&next.path)));
    found.into_iter().map(|(_, file)| file).collect()
}

/// The name by which code calls a function: that of the class for methods that the language calls.
fn named_by(qualname: &str) -> String {
    let mut parts = qualname.rsplit('.');
    let name = parts.next().unwrap_or_default();
    let is_special = name.starts_with("__") && name.ends_with("__");
    parts.next().filter(|_| is_special).unwrap_or(name).to_owned()
}

/// The names of the functions of a file whose text an older version of it does not have.
fn changed_functions(old: &str, new: &str) -> Vec<String> {
    let Ok(model) = SourceModel::parse(new) else { return Vec::new() };
    let lines: Vec<&str> = new.lines().collect();
    let functions = qualnames(&model).into_iter().filter(|function| !old.contains(&body(&lines, function)));
    functions.map(|function| function.qualname.rsplit('.').next().unwrap_or_default().to_owned()).collect()
}

/// The lines of a function, its decorators included.
fn body(lines: &[&str], function: &Function) -> String {
    lines.get(function.line as usize - 1..function.last_line as usize).unwrap_or_default().join("\n")
}

/// True for files that have tests by their names.
pub(super) fn is_test(path: &str) -> bool {
    let stem = stem(path);
    stem.starts_with("test") || stem.ends_with("_test") || stem.ends_with("_tests")
}

/// True for the file with the tests of a module, as most projects name it.
fn is_for(test: &str, path: &str) -> bool {
    let (test, module) = (stem(test), stem(path).trim_start_matches('_'));
    let module = if module == "_init__" || module == "init__" { "" } else { module };
    !module.is_empty() && (test == format!("test_{module}") || test == format!("{module}_test"))
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// The names of the functions and methods of some files that call one of some names.
fn callers(files: &[&Read], names: &[String]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for file in files {
        if found.len() >= MOST_CALLERS {
            break;
        }
        if !names.iter().any(|name| words(&file.text, name).next().is_some()) {
            continue;
        }
        let Ok(model) = SourceModel::parse(file.text.as_str()) else { continue };
        let lines: Vec<&str> = file.text.lines().collect();
        let calls = |function: &&Function| {
            let body = body(&lines, function);
            names.iter().any(|name| {
                let is_definition = |at: usize| body[..at].trim_end().ends_with("def");
                words(&body, name).any(|at| !is_definition(at) && body[at + name.len()..].starts_with(['(', ',', ')']))
            })
        };
        let functions = qualnames(&model);
        found.extend(functions.iter().filter(calls).map(|function| named_by(&function.qualname)));
    }
    found.into_iter().take(MOST_CALLERS).collect()
}

/// Where a name stands in a text as a word of its own.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(name)
        .map(|(at, _)| at)
        .filter(move |&at| !is_part(text[..at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_files() {
        assert!(is_test("tests/test_a.py") && is_test("p/a_test.py") && is_test("test_a.py"));
        assert!(!is_test("tests/helpers.py") && !is_test("p/contest.py") && !is_test("tests/conftest.py"));
        assert!(is_for("tests/test_number.py", "src/p/number.py") && is_for("tests/test_make.py", "attr/_make.py"));
        assert!(!is_for("tests/test_time.py", "src/p/number.py") && !is_for("tests/test_.py", "src/p/__init__.py"));
    }

    #[test]
    fn tests_that_came_with_a_change_are_found() {
        let old = "def test_a():\n    f(1)\n\nclass TestB:\n    def test_c(self):\n        f(2)\n";
        let new = old.replace("f(2)", "f(3)") + "\n@mark\ndef test_d():\n    f(4)\n";
        assert_eq!(changed_functions(old, &new), ["test_c", "test_d"]);
        assert!(changed_functions(old, old).is_empty());
    }

    #[test]
    fn what_calls_a_function_is_found_by_its_name() {
        let callers = |text: &str, name: &str| {
            let file = Read { path: "a.py".to_owned(), text: text.to_owned(), is_test: false, changed: None };
            callers(&[&file], &[name.to_owned()])
        };
        let text = "def _f(x): return x\nclass C:\n    def m(self): return _f(1)\n    def __eq__(self, other): return map(_f, other)\n\
                    def g(x_f): return x_f(1)\n";
        assert_eq!(callers(text, "_f"), ["C", "m"]);
        assert!(callers(text, "m").is_empty() && callers("def f(:\n", "f").is_empty());
        assert_eq!(
            (named_by("a.C.m").as_str(), named_by("C.__eq__").as_str(), named_by("f").as_str()),
            ("m", "C", "f")
        );
    }
}

//! `surmise diff --repo`: which functions a change touches, their surroundings, and repositories that cannot be
//! compared.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::support::repo::{Repo, command, diff, expected, git};
use crate::support::{ended, surmise};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

const OLD: &str = "\
import json

def same(a):
    return g(a)

def signature(a, n=1):
    return g(a, n)

def more(a):
    return g(a)

@cached
def decorated(a):
    return g(a)

def outer(a):
    def inner(b):
        return b.x
    return g(inner(a))

class C:
    def method(self, a):
        return self.g(a.x)
    async def later(self):
        return await self.g(1)
    def commented(self):
        return self.x
    @property
    def size(self):
        return self._size
    @size.setter
    def size(self, value):
        self._size = value

def gone(a):
    b = a.x
    c = b + 1
    return c

def removed(a):
    return a.only_here
";

const NEW: &str = "\
import os

def same(a):
    return g(a)

def signature(a, n=2):
    return g(a, n)

def more(a, b=None):
    if b:
        h(b)
    return g(a)

def decorated(a):
    return g(a)

def outer(a):
    def inner(b):
        return b.y
    return g(inner(a))

class C:
    def method(self, a):
        x = a.x
        return self.g(x)
    async def later(self):
        return await self.g(2)
    def commented(self):
        # What it is.
        return self.x
    @property
    def size(self):
        return self._size
    @size.setter
    def size(self, value):
        self._size = value + 1

def added(a):
    return a.new
";

#[test]
fn a_commit_touches_functions_of_all_kinds() {
    let body = "def f(a):\n    x = a.n\n    y = x + 1\n    return g(y)\n";
    let repo = Repo::new(&[("p/a.py", OLD), ("p/before.py", body), ("p/whole.py", "def w(): pass\n"), ("x.txt", "1")]);
    repo.git(&["mv", "p/before.py", "p/after.py"]);
    repo.git(&["mv", "p/whole.py", "p/elsewhere.py"]);
    repo.commit(&[
        ("p/a.py", NEW),
        ("p/b.py", "def gone(a):\n    b = a.x\n    c = b + 1\n    return c\n"),
        ("p/after.py", &body.replace("g(y)", "g(y, 1)")),
        ("x.txt", "2"),
    ]);
    let found = repo.words(&["HEAD"]);
    let expected = expected(&[
        ("p/a.py::C.commented", "equal"),
        ("p/a.py::C.later", "different"),
        ("p/a.py::C.method", "equal"),
        ("p/a.py::C.size (setter)", "different"),
        ("p/a.py::added", "added"),
        ("p/a.py::decorated", "different"),
        ("p/a.py::more", "different"),
        ("p/a.py::outer", "different"),
        ("p/a.py::removed", "removed"),
        ("p/a.py::signature", "different"),
        ("p/after.py::f", "different"),
        ("p/b.py::gone (was p/a.py::gone)", "equal"),
    ]);
    assert_eq!(found, expected);
    assert_eq!(repo.words(&["HEAD~1..HEAD"]), expected);
}

#[test]
fn revisions_are_two_commits_or_one_with_its_first_parent() {
    let repo = Repo::new(&[("a.py", "def f(a): return a.one\n")]);
    repo.git(&["branch", "side"]);
    repo.commit(&[("a.py", "def f(a): return a.two\n")]);
    repo.git(&["tag", "two"]);
    repo.git(&["checkout", "--quiet", "side"]);
    repo.commit(&[("b.py", "def g(a): return a.one\n")]);
    repo.git(&["checkout", "--quiet", "main"]);
    repo.git(&["merge", "--quiet", "--no-edit", "side"]);
    let (changed, came) = (("a.py::f", "different"), ("b.py::g", "added"));
    for (revisions, found) in [
        ("two", &[changed][..]),
        ("HEAD", &[came]),
        ("HEAD^2", &[came]),
        ("HEAD^2..HEAD", &[changed]),
        ("two..side", &[changed, came]),
        ("two...side", &[came]),
        ("two..", &[came]),
        ("two~1", &[("a.py::f", "added")]),
        ("HEAD..HEAD", &[]),
    ] {
        assert_eq!(repo.words(&[revisions]), expected(found), "{revisions}");
    }
    // Compared in the other direction, the function is removed.
    assert_eq!(repo.words(&["HEAD..two"]), expected(&[("b.py::g", "removed")]));
}

#[test]
fn without_revisions_the_working_tree_is_compared() {
    let text = "def f(a):\n    return a.one\n";
    let repo =
        Repo::new(&[("p/a.py", text), ("p/same.py", text), ("p/ends.py", text), ("p/away.py", "def w(): pass\n")]);
    assert_eq!(repo.words(&[]), expected(&[]));
    repo.write("p/a.py", text.replace("one", "two"));
    repo.write("p/ends.py", text.replace('\n', "\r\n"));
    repo.write("p/untracked.py", text);
    repo.write("p/staged.py", "def s(): pass\n");
    repo.git(&["add", "p/staged.py"]);
    std::fs::remove_file(repo.path().join("p/away.py")).expect("it is there");
    let found = [("p/a.py::f", "different"), ("p/away.py::w", "removed"), ("p/staged.py::s", "added")];
    assert_eq!(repo.words(&[]), expected(&found));
    // A file that a sparse checkout omits does not count as removed.
    std::fs::remove_file(repo.path().join("p/same.py")).expect("it is there");
    repo.git(&["update-index", "--skip-worktree", "p/same.py"]);
    assert_eq!(repo.words(&[]), expected(&found));
    let ended = diff(&repo.path().join("p"), &["--json", "--", "a.py"]);
    assert!(ended.stdout().contains("p/a.py::f") && !ended.stdout().contains("away"), "{ended}");
}

#[test]
fn paths_and_patterns_choose_files() {
    let repo = Repo::new(&[]);
    let text = "def f(): pass\n";
    repo.commit(&[("p/a.py", text), ("p/q/b.py", text), ("r/test_c.py", text)]);
    for (paths, found) in [
        (&["p"][..], &["p/a.py::f", "p/q/b.py::f"][..]),
        (&["p/q", "r"], &["p/q/b.py::f", "r/test_c.py::f"]),
        (&["*/test_*.py"], &["r/test_c.py::f"]),
        (&["nowhere"], &[]),
    ] {
        let names: Vec<String> = repo.verdicts(&[&["HEAD", "--"], paths].concat()).into_keys().collect();
        assert_eq!(names, found, "{paths:?}");
    }
}

#[test]
fn what_stands_around_a_function_is_there_if_it_is_wanted() {
    let old = "\
LIMIT = 3
def helper(a):
    return a * LIMIT
def changing(a):
    return 1
def uses(a):
    return helper(2)
def extracted(a):
    return [row.x for row in a if row.ok]
def both(a):
    return changing(a)
class C:
    def inline(self, a):
        return self.rest(a.x + 1)
    def rest(self, a):
        return a
";
    let new = "\
LIMIT = 3
def helper(a):
    return a * LIMIT
def changing(a):
    return 2
def uses(a):
    return 6
def extracted(a):
    return _rows(a)
def _rows(a):
    return [row.x for row in a if row.ok]
def both(a):
    result = changing(a)
    return result
class C:
    def inline(self, a):
        return self.rest(self._more(a))
    def _more(self, a):
        return a.x + 1
    def rest(self, a):
        return a
";
    let repo = Repo::new(&[("a.py", old)]);
    repo.commit(&[("a.py", new)]);
    let shared = [
        ("a.py::_rows", "added"),
        ("a.py::C._more", "added"),
        ("a.py::changing", "different"),
        ("a.py::both", "equal"),
    ];
    let around = [("a.py::uses", "equal"), ("a.py::extracted", "equal"), ("a.py::C.inline", "equal")];
    let missing = [("a.py::uses", "different"), ("a.py::extracted", "different"), ("a.py::C.inline", "different")];
    for (context, own) in [("module", around), ("none", missing)] {
        let mut all = expected(&[&shared[..], &own].concat());
        all.sort();
        assert_eq!(repo.words(&["HEAD", "--context", context]), all, "{context}");
    }
    // Companion modules come from the revision, not from the working folder.
    repo.commit(&[("a.py", "import b\ndef f(a):\n    return b.g(a)\n"), ("b.py", "def g(a):\n    return 1\n")]);
    repo.commit(&[("a.py", "import b\ndef f(a):\n    return 1\n")]);
    repo.write("b.py", "def g(a):\n    return 2\n");
    assert_eq!(repo.words(&["HEAD"]), expected(&[("a.py::f", "equal")]));
    assert_eq!(repo.words(&["HEAD", "--context", "none"]), expected(&[("a.py::f", "different")]));
}

#[test]
fn files_that_cannot_be_compared_are_unknown_and_the_others_are_not() {
    let good = "def f(a):\n    return a.x\n";
    let repo = Repo::new(&[
        ("two.py", "def f(a):\n    print 'x'\n"),
        ("broken.py", good),
        ("never.py", "def f(a):\n    return 1\n    while True:\n        pass\n"),
        ("good.py", good),
        ("both.py", "def f(:\n"),
    ]);
    repo.write("binary.py", b"def f(a):\0\n");
    repo.write("latin.py", b"x = '\xff'\n");
    repo.git(&["add", "--all"]);
    repo.commit(&[]);
    repo.write("huge.py", vec![b'#'; 80 << 20]);
    symlink("good.py", repo.path().join("link.py")).expect("a link");
    repo.commit(&[
        ("two.py", "def f(a):\n    print('x')\n"),
        ("broken.py", "def f(a:\n    return a.x\n"),
        ("never.py", "def f(a):\n    while True:\n        pass\n    return 1\n"),
        ("good.py", &good.replace('x', "y")),
        ("both.py", "def g(:\n"),
        ("binary.py", good),
        ("latin.py", good),
    ]);
    let found = repo.verdicts(&["HEAD", "--timeout", "0.3"]);
    let reasons = [
        ("two.py", "the old version cannot be compared: it is Python 2 (line 2)"),
        ("broken.py", "the new version cannot be compared: it does not parse"),
        ("never.py::f", "runs do not end"),
        ("both.py", "neither version can be compared: it does not parse"),
        ("binary.py", "the old version cannot be compared: `binary.py` is a binary file, not Python source"),
        ("latin.py", "the old version cannot be compared: `latin.py` is not valid UTF-8 (byte 5)"),
        ("huge.py", "the new version cannot be compared: it has more than"),
    ];
    for (name, reason) in reasons {
        let (verdict, why) = found.get(name).unwrap_or_else(|| panic!("no `{name}`: {found:#?}"));
        assert_eq!(verdict, "unknown", "{name}");
        assert!(why.starts_with(reason), "{name}: {why}");
    }
    assert_eq!(found["good.py::f"].0, "different");
    assert_eq!(found.len(), reasons.len() + 1, "links are passed over: {found:#?}");
}

#[test]
fn what_is_no_repository_or_revision_is_an_error_with_a_hint() {
    let repo = Repo::new(&[("a.py", "def f(): pass\n")]);
    repo.commit(&[("a.py", "def f(): return 1\n")]);
    repo.git(&["checkout", "--quiet", "--orphan", "other"]);
    repo.commit(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inside = |name: &str| folder.path().join(name);
    let address = format!("file://{}", repo.path().display());
    git(folder.path(), &["clone", "--quiet", "--bare", &address, "bare"]);
    git(folder.path(), &["clone", "--quiet", "--depth=1", "--branch=main", &address, "shallow"]);
    git(folder.path(), &["init", "--quiet", "empty"]);
    git(folder.path(), &["init", "--quiet", "damaged"]);
    std::fs::write(inside("damaged/.git/config"), "[core\n").expect("it can be written");
    std::fs::create_dir(inside("none")).expect("a folder");
    let whole = repo.path().to_owned();
    for (folder, arguments, message) in [
        (&inside("none"), &["HEAD"][..], "`.` is not in a Git repository"),
        (&whole, &["nonsense"], "`nonsense` is no revision of the repository"),
        (&whole, &["main..nonsense"], "`nonsense` is no revision of the repository"),
        (&whole, &["main:a.py"], "`main:a.py` is no commit"),
        (&whole, &["main...other"], "`main` and `other` have no common ancestor"),
        (&whole, &["main", "other"], "--repo takes one revision or range"),
        (&whole, &["main", "--", "a[.py"], "`a[.py` is no path and no pattern"),
        (&inside("bare"), &[], "the repository is bare: it has no working tree"),
        (&inside("shallow"), &["HEAD"], "commit "),
        (&inside("shallow"), &["HEAD~1.."], "`HEAD~1` is no revision"),
        (&inside("empty"), &["HEAD"], "the repository has no commits"),
        (&inside("damaged"), &["HEAD"], "`.`: the repository cannot be read: "),
    ] {
        let ended = diff(folder, arguments);
        assert_eq!(ended.code(), 2, "{arguments:?}: {ended}");
        let stderr = ended.stderr();
        let lines: Vec<&str> = stderr.lines().collect();
        let [error, hint] = lines[..] else { panic!("{arguments:?}: {ended}") };
        assert!(error.starts_with(&format!("error: {message}")), "{arguments:?}: {ended}");
        assert!(hint.starts_with("hint: "), "{arguments:?}: {ended}");
    }
    // In a repository without commits, everything is new.
    std::fs::write(inside("empty/a.py"), "def f(): pass\n").expect("it can be written");
    git(&inside("empty"), &["add", "a.py"]);
    assert!(diff(&inside("empty"), &[]).stdout().starts_with("added      a.py::f"));
    assert_eq!(diff(&inside("bare"), &["main"]).code(), 1);
}

/// A repository with a change of this many files with one function each, of which every 50th behaves differently.
fn wide(files: usize) -> Repo {
    let repo = Repo::new(&[]);
    for (name, other) in [("old", "a.x"), ("new", "a.y")] {
        for number in 0..files {
            let result = if number.is_multiple_of(50) { other } else { "a.x" };
            let text = format!("def f(a):\n    b = {number}  # {name}\n    return g(b, {result})\n");
            repo.write(&format!("p{}/m{number:04}.py", number % 40), text);
        }
        repo.commit(&[]);
    }
    repo
}

#[test]
fn objects_of_a_renamed_class_are_the_same() {
    let old = "class Span:\n    def __init__(self, start: int, end: int):\n        self.start, self.end = start, end\n\n    def both(self):\n        \
               return self.start, self.end\n\n    def move(self, by):\n        self.start += by\n        self.end += by\n\n    def last(self):\n        \
               if self.end > self.start:\n            return self.end\n        return self.start\n";
    let body = "if self.end > self.start:\n            return self.end\n        return self.start";
    let new = old.replace("Span", "Range").replace(body, "return [self.start, self.end][self.end > self.start]");
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", old)]);
    repo.commit(&[("p/a.py", &new)]);
    let found = repo.documents(&["HEAD"]);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found.iter().all(|one| one["verdict"] == "equal" && one["in_place"] == true), "{found:#?}");
}

#[test]
fn a_change_of_5000_files_goes_on_where_it_stopped() {
    let repo = wide(5000);
    let kept = tempfile::tempdir().expect("a temporary folder");
    let out = kept.path().to_str().expect("a plain path").to_owned();
    let arguments = ["HEAD", "--runs", "1", "--out", &out];
    let mut child =
        command(repo.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a first result");
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("it runs");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("it ends");
    let ended = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("run the same command again to continue"), "{stderr}");
    let before = rest.lines().count();
    assert!(before < 5000, "it was interrupted");
    let ended = repo.diff(&arguments);
    assert_eq!(ended.code(), 1, "{ended}");
    assert!(
        ended.stdout().ends_with("100 different, 0 possible, 4900 equal, 0 unknown, 0 added, 0 removed\n"),
        "{ended}"
    );
    assert!(ended.stderr().contains("kept from an earlier run"), "{ended}");
    let again = repo.diff(&arguments);
    assert!(again.stderr().contains("5,000 results kept from an earlier run"), "{again}");
    assert_eq!(again.stdout(), ended.stdout());
    let other = repo.diff(&["HEAD", "--runs", "2", "--out", &out]);
    assert_eq!(other.code(), 2, "{other}");
    assert!(other.stderr().contains("results of other settings"), "{other}");
}

#[test]
fn a_log_for_code_scanning_is_well_formed() {
    let repo =
        Repo::new(&[("my pkg/a.py", "def f(a):\n    return a.x\ndef g(a): pass\n"), ("b.py", "def f(): pass\n")]);
    repo.commit(&[("my pkg/a.py", "def h(a): pass\n\n\ndef f(a):\n    return a.y\n"), ("b.py", "def f(:\n")]);
    let file = repo.path().join("log.sarif");
    let ended = repo.diff(&["HEAD", "--markdown", "--sarif", "log.sarif"]);
    assert_eq!(ended.code(), 1, "{ended}");
    assert!(
        ended.stdout().starts_with("**Behaviour:** 1 different, 0 possible, 0 equal, 1 unknown, 1 added, 1 removed\n"),
        "{ended}"
    );
    let log: Value = serde_json::from_slice(&std::fs::read(file).expect("it was written")).expect("JSON");
    let known: serde_sarif::sarif::Sarif = serde_json::from_value(log.clone()).expect("as the schema has it");
    assert_eq!(serde_json::to_value(known).expect("JSON"), log, "what the schema does not know would be lost");
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|schema| schema.ends_with("sarif-schema-2.1.0.json")), "{log:#}");
    let [run] = &log["runs"].as_array().expect("runs")[..] else { panic!("one run: {log:#}") };
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "Surmise");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 2, "what is equal, added or removed is no result: {log:#}");
    for result in results {
        let number = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(driver["rules"][number]["id"], result["ruleId"]);
        assert!(["warning", "note"].contains(&result["level"].as_str().expect("a level")));
        assert!(!result["message"]["text"].as_str().expect("a text").is_empty());
    }
    let places: Vec<(&Value, &Value)> = results
        .iter()
        .map(|result| &result["locations"][0]["physicalLocation"])
        .map(|place| (&place["artifactLocation"]["uri"], &place["region"]["startLine"]))
        .collect();
    assert_eq!(places, [(&json!("b.py"), &json!(1)), (&json!("my%20pkg/a.py"), &json!(4))]);
    let found = &results[1]["properties"]["witness"];
    assert_eq!((&found["old"], &found["new"]), (&json!("return <a.x>"), &json!("return <a.y>")), "{log:#}");
}

#[test]
fn a_difference_without_injected_values_is_written_as_a_test() {
    let of_class = |word: &str| {
        format!(
            "class Box:\n    def __init__(self, size: int):\n        self.size = size\n    def grown(self, by: int) -> int:\n        return self.size {word} by\n"
        )
    };
    let of_missing = |word: &str| format!("from elsewhere import g\ndef f(a: int):\n    return g(a) {word} 1\n");
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", &of_class("+")), ("p/b.py", &of_missing("+"))]);
    repo.commit(&[("p/a.py", &of_class("-")), ("p/b.py", &of_missing("-"))]);
    let compared = repo.diff(&["HEAD", "--test", "test_changes.py"]);
    assert_eq!(compared.code(), 1, "{compared}");
    assert!(compared.stderr().contains("1 of 2 differences can be shown without injected values"), "{compared}");
    let written = std::fs::read_to_string(repo.path().join("test_changes.py")).expect("it was written");
    assert!(written.contains("def test_Box_grown():\n") && written.contains("    assert p.a.Box("), "{written}");
    repo.write("check.py", "import test_changes\ntest_changes.test_Box_grown()\n");
    for (revision, passes) in [("main~1", true), ("main", false)] {
        repo.git(&["checkout", "--quiet", revision]);
        let mut python = surmise();
        python.args(["run", "--plain", "check.py"]).current_dir(repo.path()).env("PYTHONDONTWRITEBYTECODE", "1");
        assert_eq!(ended(&mut python).code() == 0, passes, "{revision}: {written}");
    }
}

#[test]
fn docstrings_say_what_parameters_are() {
    let text = |result: &str| {
        format!(
            "class Size:\n    def __init__(self):\n        self.width = 3\n\ndef f(it):\n    \"\"\"Measures.\n\n    \
             :type it: Size\n    \"\"\"\n    if not isinstance(it, Size):\n        raise TypeError(it)\n    \
             return {result}\n"
        )
    };
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", &text("it.width"))]);
    repo.commit(&[("p/a.py", &text("it.width + 1"))]);
    let [found] = &repo.documents(&["HEAD"])[..] else { panic!("one function") };
    assert_eq!((&found["verdict"], &found["in_place"]), (&json!("different"), &json!(true)), "{found:#}");
    assert_eq!((&found["witness"]["old"], &found["witness"]["new"]), (&json!("return 3"), &json!("return 4")));
}

#[test]
fn callees_of_one_revision_hide_what_changed_in_them() {
    let repo = Repo::new(&[
        ("p/__init__.py", ""),
        ("p/rates.py", "def rate():\n    return 2\n"),
        ("p/a.py", "from .rates import rate\ndef f(n: int):\n    return rate() * n\n"),
    ]);
    let changed = "from .rates import rate\ndef f(n: int):\n    factor = rate()\n    return factor * n\n";
    repo.commit(&[("p/a.py", changed), ("p/rates.py", "def rate():\n    return 3\n")]);
    let verdicts = |more: &[&str]| {
        let documents = repo.documents(&[&["HEAD"], more, &["--", "p/a.py"]].concat());
        documents.iter().map(|found| (found["verdict"].clone(), found["in_place"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&[]), [(json!("different"), json!(true))], "its callee changed");
    for revision in ["old", "new"] {
        assert_eq!(verdicts(&["--callees", revision]), [(json!("equal"), json!(true))], "{revision}");
    }
}

#[test]
fn a_witness_has_few_unusual_values_and_short_lines() {
    let text = |extra: &str| {
        let parameters: Vec<String> = (0..12).map(|number| format!("a{number}")).collect();
        let kept = parameters.iter().map(|name| format!("    keep({name}.x)\n")).collect::<Vec<_>>().concat();
        format!(
            "def f({}):\n{kept}    if a5 == 'rare':\n        return 1{extra}\n    return 2\n",
            parameters.join(", ")
        )
    };
    let repo = Repo::new(&[("a.py", &text(""))]);
    repo.commit(&[("a.py", &text(" + 1"))]);
    let compared = repo.diff(&["HEAD"]);
    assert_eq!(compared.code(), 1, "{compared}");
    assert!(compared.stdout().lines().all(|line| line.chars().count() <= 120), "{compared}");
    let [found] = &repo.documents(&["HEAD"])[..] else { panic!("one function") };
    assert_eq!((&found["witness"]["old"], &found["witness"]["new"]), (&json!("return 1"), &json!("return 2")));
}

#[test]
fn a_name_in_a_shared_import_touches_those_who_use_it() {
    let functions = "def one(a):\n    return f(a)\ndef two(a):\n    return g(a)\n";
    let repo = Repo::new(&[("a.py", &format!("from m import (\n    f,\n    g,\n)\n{functions}"))]);
    repo.commit(&[("a.py", &format!("from m import (\n    h as f,\n    g,\n    i,\n)\n{functions}"))]);
    let names: Vec<Value> = repo.documents(&["HEAD"]).into_iter().map(|found| found["name"].clone()).collect();
    assert_eq!(names, [json!("a.py::one")]);
}

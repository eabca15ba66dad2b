//! `surmise run` as its users and their scripts see it: bad input and bad options, exit codes, the JSON report, and the
//! effect of each option.

use std::path::Path;
use std::process::Command;

use crate::support::{Ended, Folder, Stdin, ended, ended_with, python_minor, surmise};
use serde_json::{Value, json};

impl Folder {
    /// A folder with a snippet in `snippet.py`.
    fn with(snippet: &str) -> Self {
        Self::of(&[("snippet.py", snippet)])
    }

    #[track_caller]
    fn run_with(&self, stdin: Stdin<'_>, arguments: &[&str]) -> Ended {
        ended_with(surmise().arg("run").args(arguments).current_dir(self.root()), stdin)
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(Stdin::Empty, arguments)
    }

    /// JSON report on `snippet.py`, and the exit code of the command.
    #[track_caller]
    fn report(&self, arguments: &[&str]) -> (Value, i32) {
        report(&self.run(&[arguments, &["--json", "snippet.py"]].concat()))
    }
}

#[track_caller]
fn report(ended: &Ended) -> (Value, i32) {
    (ended.report(), ended.code())
}

fn names(injections: &Value) -> Vec<&str> {
    let injections = injections.as_array().map(Vec::as_slice).unwrap_or_default();
    injections.iter().filter_map(|injection| injection["name"].as_str()).collect()
}

// Input that cannot be read, or only just.

#[test]
fn files_that_are_no_source_are_bad_usage() {
    let folder = Folder::new().and("program", b"\x7fELF\x02\x01\x01\0\0\0").and("latin.py", b"name = 'caf\xe9'\n");
    for (file, message, hint) in [
        (
            "nowhere.py",
            "cannot read `nowhere.py`: No such file or directory (os error 2)",
            "give the path of a Python file, or `-` to read standard input",
        ),
        (".", "`.` is a directory", "name a file in it: `surmise run` runs one snippet at a time"),
        (
            "program",
            "`program` is a binary file, not Python source",
            "give Python source text, not compiled code or an archive",
        ),
        (
            "latin.py",
            "`latin.py` is not valid UTF-8 (byte 11)",
            "save the file as UTF-8, or declare its encoding in the first line: `# -*- coding: latin-1 -*-`",
        ),
    ] {
        folder.run(&[file]).refused(message, hint);
    }
}

#[test]
fn a_declared_encoding_is_honoured() {
    let folder = Folder::new().and("snippet.py", b"# -*- coding: latin-1 -*-\nprint('caf\xe9')\n");
    assert_eq!(folder.report(&[]).0["stdout"], "café\n");
}

#[test]
fn an_empty_file_completes() {
    let (report, exit) = Folder::with("").report(&[]);
    assert_eq!((&report["outcome"], exit), (&json!("completed"), 0));
    assert_eq!(report["lines"], json!({"total": 0, "covered": 0, "covered_lines": [], "missed_lines": []}));
}

#[test]
fn a_huge_file_is_refused_quickly() {
    let ended = Folder::with(&"x = 1\n".repeat((50 << 20) / 6)).run(&["snippet.py"]);
    ended.refused(
        "`snippet.py` has more than 16 MiB of source",
        "cut the part to run out of it, for example one module or function",
    );
    assert!(ended.wall.as_secs() < 10, "took {:?}", ended.wall);
}

/// Texts before and after an expression or statement that nest, or chain, when they are repeated.
const NESTING: [(&str, &str); 9] =
    [("(", ")"), ("[", "]"), ("{1: ", "}"), ("f(", ")"), ("-", ""), ("not ", ""), ("", ".b"), ("", "+a"), ("(", "")];

#[test]
fn deep_nesting_is_survived() {
    for (open, close) in NESTING {
        let snippet = format!("a = 1\nx = {}a{}\ny = 2\n", open.repeat(100_000), close.repeat(100_000));
        let folder = Folder::with(&snippet);
        for predictor in ["naive", "none"] {
            let (report, exit) = folder.report(&["--predictor", predictor]);
            let outcome = report["outcome"].as_str().unwrap_or_default();
            let known = [("completed", 0), ("error", 1), ("syntax-error", 1)];
            assert!(known.contains(&(outcome, exit)), "{open}{close}, {predictor}: {outcome}, exit code {exit}");
        }
        assert!([0, 1].contains(&folder.run(&["--plain", "snippet.py"]).code()), "{open}{close}, plain");
    }
}

#[test]
fn a_snippet_on_standard_input_runs() {
    let snippet = b"print(missing)\nanswer = input()\n";
    let (report, exit) = report(&Folder::new().run_with(Stdin::Pipe(snippet), &["--json", "-"]));
    assert_eq!((&report["outcome"], exit), (&json!("completed"), 0));
    assert_eq!(report["file"], "<stdin>");
    assert_eq!(names(&report["injections"]), ["missing", "input"], "the source is not the program's own input");
}

// Flags.

#[test]
fn bad_values_of_flags_are_bad_usage() {
    let folder = Folder::with("print('ran')\n");
    for arguments in [
        &["--timeout", "0"][..],
        &["--timeout", "-1"],
        &["--timeout", "soon"],
        &["--timeout", "nan"],
        &["--timeout", "inf"],
        &["--seed", "-1"],
        &["--seed", "1.5"],
        &["--seed", "99999999999999999999"],
        &["--predictor", "oracle"],
        &["--values", "all"],
        &["--no-inject", "everything"],
        &["--show", "nothing"],
        &["--no-such-flag"],
        &["--body"],
        &["--plain", "--json"],
        &["--plain", "--html", "report.html"],
        &["--stdin", "nowhere.txt"],
        &["--stdin", "."],
        &["--python-path", "nowhere"],
        &["--html", "nowhere/report.html"],
    ] {
        let ended = folder.run(&[arguments, &["snippet.py"]].concat());
        assert_eq!(ended.code(), 2, "{arguments:?}: {ended}");
        assert!(ended.stderr().starts_with("error: "), "{arguments:?}: {ended}");
        assert_eq!(ended.stdout(), "", "{arguments:?}");
    }
    assert_eq!(folder.run(&[]).code(), 2, "no file at all");
}

#[test]
fn a_function_that_is_not_there_is_bad_usage() {
    let folder = Folder::with("def alpha():\n    pass\nclass Beta:\n    def gamma(self):\n        pass\n");
    let ended = folder.run(&["snippet.py", "--function", "alhpa"]);
    assert_eq!((ended.code(), ended.stdout().as_str()), (2, ""));
    let text = ended.stderr();
    assert!(text.starts_with("error: no function `alhpa` in the source\nhint: did you mean `alpha`"), "{text}");
    let ended = folder.run(&["snippet.py", "--function", "Beta.gama"]);
    assert!(ended.stderr().contains("hint: did you mean `Beta.gamma`"), "{ended}");
    Folder::with("x = 1\n")
        .run(&["snippet.py", "--function", "alpha"])
        .refused("no function `alpha` in the source", "the file defines no function");
}

#[test]
fn exit_codes_are_as_documented() {
    for (snippet, arguments, outcome, exit) in [
        ("x = missing\n", &[][..], "completed", 0),
        ("import sys\nsys.exit('text')\n", &[], "completed", 0),
        ("raise ValueError('real')\n", &[], "error", 1),
        ("def f(:\n", &["--predictor", "none"], "syntax-error", 1),
        ("while True:\n    pass\n", &["--timeout", "0.5"], "timeout", 3),
        ("import os\nos.kill(os.getpid(), 9)\n", &[], "killed", 3),
    ] {
        let (report, code) = Folder::with(snippet).report(arguments);
        assert_eq!((report["outcome"].as_str(), code), (Some(outcome), exit), "{snippet}: {report}");
        let words = Folder::with(snippet).run(&[arguments, &["snippet.py"]].concat());
        assert_eq!(words.code(), exit, "the same without --json: {words}");
    }
}

#[test]
fn plain_returns_the_programs_own_exit_code() {
    for (snippet, code) in [("raise SystemExit(9)\n", 9), ("x = 1\n", 0), ("missing\n", 1)] {
        assert_eq!(Folder::with(snippet).run(&["--plain", "snippet.py"]).code(), code, "{snippet}");
    }
}

#[test]
fn without_a_predictor_nothing_is_injected() {
    let folder = Folder::with("import sys\nprint(sys.argv[1:])\nprint(missing.attribute)\n");
    let (report, exit) = folder.report(&["--predictor", "none"]);
    assert_eq!((&report["outcome"], exit), (&json!("error"), 1));
    assert_eq!(report["error"]["type"], "NameError");
    assert_eq!(report["error"]["message"], "name 'missing' is not defined");
    assert_eq!((&report["injections"], &report["uses"]["guided"]), (&json!([]), &json!(0)));
    let traceback = report["stderr"].as_str().unwrap_or_default();
    assert!(traceback.ends_with("NameError: name 'missing' is not defined\n"), "{traceback}");
    for (snippet, error) in [
        ("import no_such_library\n", "ModuleNotFoundError"),
        ("open('nowhere.txt')\n", "FileNotFoundError"),
        ("input()\n", "EOFError"),
    ] {
        assert_eq!(Folder::with(snippet).report(&["--predictor", "none"]).0["error"]["type"], error);
    }
}

/// A snippet with many reads, attributes and calls of missing values, none of which ends the run.
fn many_sites() -> String {
    let statements: Vec<String> = (0..40).map(|number| format!("a{number} = b{number}\nprint(b{number})")).collect();
    statements.join("\n")
}

#[test]
fn random_predictions_depend_on_the_seed_alone() {
    let folder = Folder::with(&many_sites());
    let run = |seed| {
        let (mut report, exit) = folder.report(&["--predictor", "random", "--seed", seed]);
        report["time_ms"] = Value::Null;
        (report, exit)
    };
    let (first, again, other) = (run("1"), run("1"), run("2"));
    assert_eq!(first, again);
    assert_ne!(first.0["injections"], other.0["injections"]);
    assert_eq!((&first.0["outcome"], first.1), (&json!("completed"), 0));
}

/// What has no hash of its own is hashed by its address.
#[test]
fn sets_of_objects_have_the_same_order_in_each_process() {
    let folder = Folder::with(
        "found = [object() for _ in range(3000)]\nnumbers = {id(one): number for number, one in enumerate(found)}\nprint([numbers[id(one)] \
         for one in set(found)][:40], missing)\n",
    );
    let run = || folder.report(&["--runs", "1"]).0["stdout"].clone();
    let first = run();
    assert!(first.as_str().is_some_and(|text| text.len() > 100), "{first}");
    assert_eq!(run(), first);
}

#[test]
fn no_inject_io_lets_failures_surface() {
    let folder = Folder::with("text = open('nowhere.txt').read()\nprint(missing, text)\n");
    assert_eq!(folder.report(&[]).0["outcome"], "completed");
    let (report, exit) = folder.report(&["--no-inject", "io"]);
    assert_eq!((&report["error"]["type"], exit), (&json!("FileNotFoundError"), 1));
    let folder = Folder::with("print(missing)\ninput()\n");
    let (report, _) = folder.report(&["--no-inject", "io"]);
    assert_eq!(report["error"]["type"], "EOFError");
    assert_eq!(names(&report["injections"]), ["missing"], "the rest is injected as always");
}

#[test]
fn real_input_is_read_before_any_is_made_up() {
    let folder = Folder::with("a = input()\nb = input()\nc = input()\nprint(a, b)\n").and("input.txt", "one\ntwo\n");
    let file = report(&folder.run(&["--json", "--stdin", "input.txt", "snippet.py"])).0;
    let pipe = report(&folder.run_with(Stdin::Pipe(b"one\ntwo\n"), &["--json", "snippet.py"])).0;
    for report in [file, pipe] {
        assert_eq!((&report["outcome"], &report["stdout"]), (&json!("completed"), &json!("one two\n")));
        assert_eq!(names(&report["injections"]), ["input"]);
        assert_eq!(report["injections"][0]["line"], 3);
    }
}

#[test]
fn real_packages_are_imported_from_the_python_path() {
    let folder = Folder::with("import library.part\nprint(library.part.double(21))\n")
        .and("packages/library/__init__.py", "")
        .and("packages/library/part.py", "def double(x):\n    return 2 * x\n");
    assert_ne!(folder.report(&[]).0["stdout"], "42\n");
    let (report, _) = folder.report(&["--python-path", "packages"]);
    assert_eq!((&report["stdout"], &report["injections"]), (&json!("42\n"), &json!([])));
}

#[test]
fn arguments_reach_the_program() {
    let folder = Folder::with("import sys\nprint(sys.argv)\n");
    let ended = folder.run(&["--json", "snippet.py", "one", "two"]);
    assert_eq!(report(&ended).0["stdout"], "['snippet.py', 'one', 'two']\n");
    let ended = folder.run(&["--json", "snippet.py", "--", "--dash"]);
    assert_eq!(report(&ended).0["stdout"], "['snippet.py', '--dash']\n");
}

#[test]
fn single_functions_run() {
    let snippet = "\
raise SystemExit('the module itself is not run')
def function(first, *, second):
    print('function')
    return first + second
class Box(Base):
    def method(self, key):
        print('method', end='\\n')
        return self.items[key]
    @staticmethod
    def static(value):
        print('static')
    @classmethod
    def of_class(cls, value):
        print('of_class')
async def coroutine(source):
    async with source as opened:
        print('coroutine')
        return await opened.read()
def generator(items):
    for item in items:
        yield item
    print('generator')
async def stream(items):
    async for item in items:
        yield item
    print('stream')
def outer(x):
    def inner(y):
        print('inner')
    return inner
";
    let folder = Folder::with(snippet);
    for name in ["function", "Box.method", "method", "Box.static", "Box.of_class", "coroutine", "generator", "stream"] {
        let (report, exit) = folder.report(&["--function", name]);
        assert_eq!((&report["outcome"], exit), (&json!("completed"), 0), "{name}: {report}");
        let last = name.rsplit('.').next().unwrap_or(name);
        assert_eq!(report["stdout"], format!("{last}\n"), "{name}: {report}");
        assert_eq!(report["lines"]["missed_lines"], json!([]), "{name}");
    }
    assert!(folder.report(&["--function", "outer"]).1 == 0);
}

#[test]
fn a_function_runs_on_what_a_recorded_call_had() {
    let snippet = "def f(kind, rows=None):\n    if kind == 'form':\n        return 1\n    for row in rows:\n        \
                   print(row)\n    return len(rows)\n";
    let value = |line: u32, column: u32, name: &str, class: u32, literal: Value, length: Value| {
        json!({"line": line, "column": column, "end_line": line, "end_column": column + name.len() as u32,
               "kind": "variable", "name": name, "class": class, "literal": literal, "length": length})
    };
    let call = |conditions: Value| {
        let kind = value(2, 7, "kind", 10, json!("page"), json!(4));
        let rows = value(4, 15, "rows", 12, json!(null), json!(3));
        json!({"schema": "surmise.recorded-call/1", "values": [kind, rows], "conditions": conditions})
    };
    let folder = Folder::with(snippet).and("call.json", call(json!([])).to_string());
    let recorded = ["--function", "f", "--alone", "--runs", "1", "--recorded"];
    let path = folder.path("call.json").display().to_string();
    let (report, exit) = folder.report(&[&recorded[..], &[&path]].concat());
    assert_eq!((exit, &report["lines"]["missed_lines"]), (0, &json!([3])), "{report}");
    let values: Vec<&Value> =
        report["injections"].as_array().expect("a list").iter().map(|injection| &injection["value"]).collect();
    assert_eq!(values[0], "'page'", "{report}");
    assert_eq!(report["stdout"].as_str().map(|text| text.lines().count()), Some(3), "three rows: {report}");
    folder.write("call.json", "{}");
    let refused = folder.run(&[&recorded[..], &[&path, "snippet.py"]].concat());
    let message = format!("cannot use the recorded call {path}: missing field `schema` at line 1 column 2");
    refused.refused(&message, "--recorded takes the values of one call: docs/trace-format.md has the form");
}

#[test]
fn a_functions_body_runs_as_a_script() {
    let folder = Folder::with("def function(first):\n    print('ran')\n    return first.value\n");
    let (report, exit) = folder.report(&["--function", "function", "--body"]);
    assert_eq!((&report["outcome"], &report["stdout"], exit), (&json!("completed"), &json!("ran\n"), 0), "{report}");
    assert_eq!(names(&report["injections"])[..1], ["first"]);
}

// What comes out.

/// Sorted keys of a JSON object.
#[track_caller]
fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("not an object: {value}"));
    object.keys().map(String::as_str).collect()
}

#[test]
fn the_json_report_has_its_documented_keys() {
    let (report, _) = Folder::with("print(missing.part)\nraise ValueError('real')\n").report(&[]);
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    assert_eq!(
        keys(&report),
        sorted(vec![
            "schema",
            "file",
            "outcome",
            "exit_code",
            "error",
            "errors",
            "lines",
            "best_run",
            "plausible_run",
            "runs",
            "unsteady",
            "surroundings",
            "runtime",
            "model",
            "injections",
            "uses",
            "repairs",
            "stdout",
            "stderr",
            "time_ms",
        ])
    );
    let of_error = sorted(vec![
        "type",
        "message",
        "line",
        "column",
        "end_line",
        "end_column",
        "verdict",
        "depends_on",
        "function",
        "passed_over",
        "hint",
    ]);
    assert_eq!(keys(&report["error"]), of_error);
    assert_eq!(report["errors"], json!([report["error"]]));
    assert_eq!(report["error"]["verdict"], json!("certain"));
    assert_eq!(keys(&report["lines"]), sorted(vec!["total", "covered", "covered_lines", "missed_lines"]));
    assert_eq!(keys(&report["best_run"]), ["branches", "covered", "covered_lines", "log_probability"]);
    let of_plausible = ["branches", "covered", "covered_lines", "error", "injections", "outcome", "run"];
    assert_eq!(keys(&report["plausible_run"]), of_plausible);
    assert_eq!(keys(&report["uses"]), sorted(vec!["total", "guided"]));
    assert_eq!(keys(&report["time_ms"]), sorted(vec!["instrument", "predict", "execute", "start", "total"]));
    let millis = |part: &str| report["time_ms"][part].as_f64().expect("a number");
    assert!(0.0 < millis("start") && millis("start") < millis("execute"), "{}", report["time_ms"]);
    assert_eq!(
        keys(&report["injections"][0]),
        sorted(vec!["line", "column", "kind", "name", "class", "value", "probability", "rank", "site", "path"])
    );
    let (report, _) = Folder::with("x = 1\n").report(&[]);
    assert_eq!(report["error"], Value::Null);
}

#[test]
fn json_is_one_line_and_nothing_else() {
    let ended = Folder::with("print('text')\nmissing\n").run(&["--json", "snippet.py"]);
    assert_eq!((ended.stdout().lines().count(), ended.stderr().as_str()), (1, ""), "{ended}");
}

#[test]
fn errors_are_reported_where_they_happened() {
    let snippet = "\
def divide(a, b):
    return a / b

é = 'ääää'; divide(1, 0)
";
    let (report, _) = Folder::with(snippet).report(&[]);
    let error = &report["error"];
    assert_eq!((&error["type"], &error["message"]), (&json!("ZeroDivisionError"), &json!("division by zero")));
    assert_eq!(error["line"], 2, "{error}");
    let (report, _) = Folder::with("x = 1\né = 'ääää'; int('a')\n").report(&[]);
    let error = &report["error"];
    assert_eq!(error["line"], 2, "{error}");
    // CPython stores columns since 3.11.
    assert!([json!(12), Value::Null].contains(&error["column"]), "columns count characters: {error}");
}

#[test]
fn the_terminal_report_shows_values_error_and_coverage() {
    let folder = Folder::with("total = price * 2\nprint('shown')\nint('a')\nx = 1\n");
    let ended = folder.run(&["--predictor", "naive", "snippet.py"]);
    let text = ended.stdout();
    for part in ["# price = <price>", "  shown\n", "ValueError", "snippet.py:3", "3 of 4 lines covered (75%)"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!text.contains('\x1b'), "colours without a terminal");
    assert_eq!(ended.code(), 1);
}

#[test]
fn the_rewritten_source_has_the_same_lines_and_compiles() {
    let patterns = if python_minor() < 10 { "" } else { "match p:\n    case Point(x=0): pass\n" };
    let snippet = "\
\"\"\"Docstring.\"\"\"
from __future__ import annotations
import os

class A(Base):
    x: int = foo.bar(1,
        2)
    def m(self): return self.y.z(
        'a'
        'b')

if x: y = a.b; z = c(d)
for i in (q.r
          for q in s()): print(f'{i.j!r:>{k}} {l=}')
";
    let snippet = [snippet, patterns].concat();
    let folder = Folder::with(&snippet);
    let ended = folder.run(&["--show", "instrumented", "snippet.py"]);
    assert_eq!((ended.code(), ended.stderr().as_str()), (0, ""));
    let text = ended.stdout();
    assert_ne!(text, snippet);
    assert_eq!(text.lines().count(), snippet.lines().count(), "{text}");
    let check = "import sys\ncompile(open('shown.py').read(), 'shown.py', 'exec')\n";
    let folder = folder.and("shown.py", &text).and("check.py", check);
    let ended = folder.run(&["--plain", "check.py"]);
    assert_eq!(ended.code(), 0, "{ended}\n{text}");
}

#[test]
fn an_html_report_is_written_beside_the_other() {
    let folder = Folder::with("print(missing, '<script>')\n");
    let ended = folder.run(&["--html", "report.html", "--json", "snippet.py"]);
    assert_eq!(report(&ended).1, 0);
    let page = folder.read("report.html");
    assert!(page.contains("snippet.py") && page.contains("missing"), "{page}");
    assert!(page.trim_start().to_ascii_lowercase().starts_with("<!doctype html>"), "{page}");
    assert!(!page.contains("<script>"), "the snippet's text is not escaped");
    assert!(!folder_has_parts(folder.root()), "a temporary file was left behind");
}

fn folder_has_parts(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    entries.filter_map(Result::ok).any(|entry| entry.file_name().to_string_lossy().ends_with(".part"))
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = Folder::with("print('x' * 500_000)\n");
    let script = format!(
        "{} run --json snippet.py | head -c 10 >/dev/null; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_surmise")
    );
    let ended = ended(Command::new("bash").args(["-c", &script]).current_dir(folder.root()));
    assert_eq!((ended.code(), ended.stderr().as_str()), (0, ""), "{ended}");
}

// Help texts, pinned by snapshots.

#[track_caller]
fn help(arguments: &[&str], exit: i32) -> String {
    let ended = ended(surmise().args(arguments));
    assert_eq!(ended.code(), exit, "{ended}");
    format!("{}{}", ended.stdout(), ended.stderr())
}

#[test]
fn help_is_pinned() {
    insta::assert_snapshot!("help", help(&["--help"], 0));
    insta::assert_snapshot!("help_run", help(&["run", "--help"], 0));
    insta::assert_snapshot!("help_diff", help(&["diff", "--help"], 0));
    insta::assert_snapshot!("help_explain", help(&["explain", "--help"], 0));
    insta::assert_snapshot!("help_predict", help(&["predict", "--help"], 0));
    insta::assert_snapshot!("help_run_short", help(&["run", "-h"], 0));
}

/// `ulimit -v`: with less address space, stacks are smaller; with too little, nothing starts.
#[test]
fn a_limited_address_space_is_enough_or_refused() {
    let folder = Folder::with("def deep(n):\n    return n and deep(n - 1)\nprint(deep(900))\n");
    let limited = |kibibytes: &str, arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", kibibytes, env!("CARGO_BIN_EXE_surmise")]);
        ended(command.args(arguments).current_dir(folder.root()))
    };
    for arguments in
        [["run", "--runs=2", "snippet.py"], ["run", "--plain", "snippet.py"], ["cover", "--jobs=4", "snippet.py"]]
    {
        let ended = limited("2000000", &arguments);
        assert_eq!((ended.code(), ended.stderr().contains("error")), (0, false), "{arguments:?}: {ended}");
    }
    // The program itself has to fit: a hundred megabytes without optimization.
    for kibibytes in ["1500000", "500000", "200000"] {
        let ended = limited(kibibytes, &["run", "snippet.py"]);
        assert_eq!(ended.code(), 4, "{kibibytes}: {ended}");
        let stderr = ended.stderr();
        assert!(stderr.starts_with("error: the address space of processes is limited to "), "{ended}");
        assert!(stderr.ends_with("`ulimit -v unlimited`\n") && stderr.contains("\nhint: "), "{ended}");
    }
}

#[test]
fn no_command_is_bad_usage_with_help() {
    assert!(help(&[], 2).contains("Usage: surmise [OPTIONS] <COMMAND>"));
    assert!(help(&["--version"], 0).starts_with("surmise "));
}

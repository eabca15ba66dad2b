//! Recordings as files: bad input and bad output of `surmise trace`, damage, `info` and `merge`.

use crate::support::traced::{PYTHON, Project};

const MAIN: &str = "number = 20\nprint(number + 1)\n";

fn project() -> Project {
    Project::new(&[("pkg/__init__.py", ""), ("pkg/__main__.py", MAIN)])
}

// Bad packages, interpreters and commands.

#[test]
fn a_command_that_is_not_there_is_bad_usage() {
    let project = project();
    let ended = project.run(&["-o", "out", "--package", "pkg", "--", "no-such-command", "-x"]);
    ended.refused(
        "the command `no-such-command` is not found",
        "it is looked for as a shell does; if it belongs to a virtual environment: `--python VENV/bin/python`",
    );
    assert!(!project.path("out").exists());
    let ended = project.run(&["-o", "out", "--package", "pkg", "--python", PYTHON, "--", "./pkg/__main__.py"]);
    let message = "error: cannot start `./pkg/__main__.py`: Permission denied (os error 13)\n";
    assert_eq!((ended.code(), ended.stderr()), (2, message.to_owned()));
    assert!(!project.path("out/spool").exists());
}

#[test]
fn a_package_that_is_never_imported_is_an_error() {
    let project = project();
    let trace = |name: &str, arguments: &[&str]| {
        let options =
            ["-o", "out", "--replace", "--package", "pkg", "--package", name, "--python", PYTHON, "--", PYTHON];
        project.run(&[&options, arguments].concat())
    };
    let ended = trace("no_such_package", &["-m", "pkg"]);
    assert_eq!((ended.code(), ended.stdout()), (2, "21\n".to_owned()), "{ended}");
    let message = "error: package `no_such_package` was never imported: it is not found\nhint: ";
    assert!(ended.stderr().contains(message), "{ended}");
    assert_eq!(project.summary()["sites_hit"], 3, "the rest is recorded");

    let ended = trace("_json", &["-m", "pkg"]);
    assert_eq!(ended.code(), 2, "{ended}");
    assert!(ended.stderr().contains("error: package `_json` is compiled (`"), "{ended}");

    let ended = trace("wave", &["-m", "pkg"]);
    assert_eq!(ended.code(), 2, "{ended}");
    assert!(ended.stderr().contains("wave.py`) was never imported by a recorded process\n"), "{ended}");

    let ended = trace("wave", &["-I", "-c", "raise SystemExit(5)"]);
    assert_eq!(ended.code(), 5, "the command's own failure comes first: {ended}");
    assert!(ended.stderr().contains("package `pkg`") && ended.stderr().contains("package `wave`"), "{ended}");
}

#[test]
fn names_and_globs_are_checked() {
    let project = project();
    project.run(&["-o", "out", "--package", "src/pkg", "--", PYTHON]).refused(
        "`src/pkg` is no package name",
        "give the dotted name that is imported, such as `flask` or `flask.json`, not a path",
    );
    let ended = project.run(&["-o", "out", "--package", "pkg", "--exclude", "a[", "--", PYTHON]);
    assert_eq!(ended.code(), 2, "{ended}");
    assert!(ended.stderr().starts_with("error: `a[` is no glob: "), "{ended}");
    assert!(!project.path("out").exists());
}

#[test]
fn another_python_is_refused() {
    let project = project();
    let answer = r#"{"implementation": "NAME", "version": "3.99.1", "free_threaded": false, "debug": false,
        "tag": "x", "problem": null}"#;
    for (name, kind) in [("cpython", "CPython"), ("pypy", "pypy")] {
        let line = answer.replace("NAME", name).replace('\n', " ");
        let python = project.script("bin/python", &format!("echo '{line}'"));
        let ended = project.run(&["-o", "out", "--package", "pkg", "--python", &python, "--", "true"]);
        let version = surmise_interpreter::PYTHON_VERSION;
        ended.refused(
            &format!("`{python}` is {kind} 3.99.1, and this Surmise records CPython {version} only"),
            &format!("build Surmise for that Python: `PYO3_PYTHON={python} cargo build --release`"),
        );
    }
    let hint = "`--python` takes the path of an interpreter, such as `VENV/bin/python`";
    let python = project.script("bin/python", "echo Python 2.7");
    let ended = project.run(&["-o", "out", "--package", "pkg", "--python", &python, "--", "true"]);
    ended.refused(&format!("`{python}` cannot be asked for its version: it prints `Python 2.7`"), hint);
    let nowhere = project.path("nowhere/python").display().to_string();
    let ended = project.run(&["-o", "out", "--package", "pkg", "--python", &nowhere, "--", "true"]);
    let message = format!("`{nowhere}` cannot be asked for its version: No such file or directory (os error 2)");
    ended.refused(&message, hint);
    assert!(!project.path("out").exists());
}

// Bad output folders.

#[test]
fn a_recording_is_only_written_over_when_asked_to() {
    let project = project();
    assert_eq!(project.trace(&["-m", "pkg"]).code(), 0);
    let out = project.path("out").display().to_string();
    let hint = "give `-o` another folder, or `--replace` to write a new recording over it";
    project.trace(&["-m", "pkg"]).refused(&format!("`{out}` holds a recording"), hint);
    assert_eq!(project.trace_with(&["--replace"], &["-m", "pkg"]).code(), 0);
    // The state that a killed `surmise trace` leaves.
    std::fs::remove_file(project.path("out/trace.json")).expect("it is there");
    project.write("out/spool/config.json", "{}");
    let hint = "`surmise trace recover` writes what there is of it, `--replace` a new recording over it";
    project.trace(&["-m", "pkg"]).refused(&format!("`{out}` holds an unfinished recording"), hint);
    assert_eq!(project.trace_with(&["--replace"], &["-m", "pkg"]).code(), 0);
}

#[test]
fn a_killed_recording_is_recovered() {
    let project = project();
    // The recorded program ends by killing `surmise trace`.
    project.write("pkg/last.py", "import os, signal\nnumber = 20\nos.kill(os.getppid(), signal.SIGKILL)\n");
    let ended = project.trace(&["-m", "pkg.last"]);
    // Its output pipe closes only with the recorded program, which outlives it.
    assert_eq!(ended.status.code(), None, "{ended}");
    assert!(project.path("out/spool").exists() && !project.path("out/trace.json").exists(), "{ended}");
    let recover = |json: &[&str]| project.run(&[&["recover"], json, &["out"]].concat());
    let ended = recover(&["--json"]);
    assert_eq!(ended.code(), 0, "{ended}");
    let summary: serde_json::Value = serde_json::from_str(&ended.stdout()).expect("JSON");
    assert!(summary["sites_hit"].as_u64() >= Some(4) && summary["exit_code"].is_null(), "{summary}");
    assert_eq!(summary["packages"], serde_json::json!(["pkg"]));
    assert!(project.path("out/sites.parquet").exists() && !project.path("out/spool").exists());
    let hint = "give the folder that `surmise trace -o` wrote to when it was cut off";
    recover(&[]).refused("`out` holds nothing to recover", hint);
}

#[test]
fn folders_of_others_are_left_alone() {
    let project = project();
    project.write("out/letter.txt", "dear");
    let out = project.path("out").display().to_string();
    let hint = "give `-o` a new or empty folder";
    for options in [&[][..], &["--replace"]] {
        let ended = project.trace_with(options, &["-m", "pkg"]);
        ended.refused(&format!("`{out}` is not empty and holds no recording"), hint);
    }
    assert_eq!(std::fs::read_dir(&out).expect("a folder").count(), 1);
    std::fs::remove_dir_all(&out).expect("it is ours");
    project.write("out", "a file");
    project.trace(&["-m", "pkg"]).refused(&format!("`{out}` is a file, not a folder"), hint);
    let ended = project.run(&["-o", "out/below", "--package", "pkg", "--python", PYTHON, "--", "true"]);
    let message = format!("error: cannot make the folder `{out}/below`: Not a directory (os error 20)\n");
    assert_eq!((ended.code(), ended.stderr()), (2, message));
    let ended = project.run(&["-o", "a:b", "--package", "pkg", "--python", PYTHON, "--", "true"]);
    let folder = project.path("a:b").display().to_string();
    let message = format!("`{folder}` has a colon in its path, which `PYTHONPATH` cannot carry");
    ended.refused(&message, "give `-o` a folder without one");
}

#[test]
fn one_recording_at_a_time_writes_into_a_folder() {
    let project = project();
    project.write("out/.lock", "");
    let lock = std::fs::File::open(project.path("out/.lock")).expect("it was just made");
    lock.lock().expect("nobody else has it");
    let message = format!("another `surmise trace` writes into `{}`", project.path("out").display());
    let hint = "wait for it to end, or give `-o` another folder";
    project.trace(&["-m", "pkg"]).refused(&message, hint);
    drop(lock);
    assert_eq!(project.trace(&["-m", "pkg"]).code(), 0);
}

#[test]
fn a_process_that_cannot_write_is_told_of() {
    let project = project();
    // As on a full disk: there is room only for the header.
    let limited = project.script("limited", "ulimit -f 8; exec \"$@\"");
    let trace = |code: &str| {
        let options = ["-o", "out", "--replace", "--package", "pkg", "--python", PYTHON, "--", &limited, PYTHON, "-c"];
        project.run(&[&options[..], &[&format!("import pkg.__main__; raise SystemExit({code})")]].concat())
    };
    let ended = trace("0");
    let message = "1 process could not write all that was recorded: File too large (os error 27)";
    assert_eq!((ended.code(), ended.stdout()), (70, "21\n".to_owned()), "{ended}");
    assert!(ended.stderr().contains(&format!("error: {message}\nhint: make room where `out` lies")), "{ended}");
    assert_eq!(project.summary()["damaged"], serde_json::json!([message]));
    assert_eq!(trace("6").code(), 6, "the command's own failure comes first");
}

// Damaged recordings, `info` and `merge`.

#[test]
fn recordings_are_counted() {
    let project = project();
    project.trace(&["-m", "pkg"]);
    let ended = project.run(&["info", "out"]);
    let expected = "\
recording  project  files  skipped  sites  hit  events  pairs
out        pkg          2        0      3    3       3      3

kind          sites  of hit  events
variable          2  66.7 %       2
return value      1  33.3 %       1

class     sites  of hit  events
None          1  33.3 %       1
int_pos       1  33.3 %       1
callable      1  33.3 %       1
";
    assert_eq!((ended.code(), ended.stdout(), ended.stderr()), (0, expected.to_owned(), String::new()));
    let ended = project.run(&["info", "--json", "out"]);
    let info: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!((&info["schema"], &info["total"]["pairs"]), (&"surmise.trace-info/1".into(), &3.into()));
}

#[test]
fn damage_is_found_and_named() {
    let project = project();
    project.trace(&["-m", "pkg"]);
    project.run(&["merge", "-o", "good", "out"]);
    for (file, bytes) in [
        ("sites.parquet", &b""[..]),
        ("sites.parquet", b"PAR1 no table PAR1"),
        ("files.parquet", b"PAR1"),
        ("trace.json", b"{"),
        ("trace.json", br#"{"schema": "surmise.trace/99"}"#),
    ] {
        let path = project.path("out").join(file);
        let whole = std::fs::read(&path).expect("a recording");
        std::fs::write(&path, bytes).expect("it is ours");
        check_damage(&project, file);
        if bytes.is_empty() {
            std::fs::write(&path, &whole[..whole.len() / 2]).expect("it is ours");
            check_damage(&project, file);
        }
        std::fs::write(&path, whole).expect("it is ours");
    }
    assert_eq!(project.run(&["info", "out", "good"]).code(), 0);
    let ended = project.run(&["info", "nowhere"]);
    let hint = "give the folder that `surmise trace -o` wrote";
    ended.refused("`nowhere` holds no finished recording: it has no `trace.json`", hint);
}

#[track_caller]
fn check_damage(project: &Project, file: &str) {
    let ended = project.run(&["info", "out", "good"]);
    assert_eq!(ended.code(), 2, "{ended}");
    assert!(ended.stderr().contains(&format!("out/{file}` is ")), "{ended}");
    assert_eq!(ended.stderr().lines().count(), 2, "{ended}");
    assert!(ended.stdout().contains("good       pkg "), "what is good is shown: {ended}");
    let ended = project.run(&["merge", "-o", "merged", "good", "out"]);
    assert_eq!(ended.code(), 2, "{ended}");
    assert!(!project.path("merged/trace.json").exists());
}

#[test]
fn recordings_are_merged() {
    let project = project();
    project.write("other/__init__.py", "print(1)\n");
    project.trace_with(&["--package", "other"], &["-c", "import pkg.__main__, other"]);
    let arguments = ["-o", "second", "--package", "other", "--project", "other", "--", PYTHON, "-c", "import other"];
    assert_eq!(project.run(&arguments).code(), 0);
    let ended = project.run(&["merge", "-o", "all", "second", "out", "out", "--json"]);
    let message = "merged 3 recordings: 7 sites of 4 files (12 events, 3 processes) in all\n";
    assert_eq!((ended.code(), ended.stderr()), (0, message.to_owned()), "{ended}");
    let summary: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(summary["merged"].as_array().map(Vec::len), Some(3));
    assert_eq!(summary["project"], serde_json::Value::Null);
    let merged = surmise::trace::read::SiteReader::open(&project.path("all")).expect("a recording");
    let rows: Vec<_> = merged.map(|row| row.expect("a good row")).collect();
    let totals: Vec<(&str, &str, u32)> = rows.iter().map(|row| (&*row.project, &*row.file, row.seen.total)).collect();
    assert_eq!(totals[0], ("other", "other/__init__.py", 1));
    assert_eq!(totals[2], ("pkg", "other/__init__.py", 2), "the same in both: {totals:?}");
    assert!(rows.is_sorted_by(|a, b| a.key() < b.key()));
    let number = rows.iter().find(|row| row.name == "number").expect("it is read");
    assert_eq!(number.seen.literals.entries()[0].1, 2);
}

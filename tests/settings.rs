//! The command as people expect it: settings in files, colours, and what goes wrong before and after the work.

use std::fs::File;
use std::process::Stdio;

use crate::support::{Ended, Folder, ended, surmise};

#[track_caller]
fn run(folder: &Folder, arguments: &[&str]) -> Ended {
    ended(surmise().args(arguments).env("XDG_CONFIG_HOME", folder.path("home")).current_dir(folder.root()))
}

fn snippets() -> Folder {
    Folder::of(&[
        ("src/a.py", "x = 1\nprint(x)\n"),
        ("src/b.py", "def f(n):\n    if n:\n        return 1\n    return 2\n"),
    ])
}

#[test]
fn the_nearest_file_with_settings_counts() {
    let folder = snippets();
    let runs = |arguments: &[&str]| {
        let ended = run(&folder, arguments);
        assert_eq!(ended.code(), 0, "{ended}");
        ended.report()["runs"].as_u64()
    };
    let (default, file) = (runs(&["run", "--json", "src/b.py"]), "[tool.surmise]\nruns = 1\n");
    assert!(default > Some(1));
    folder.write("pyproject.toml", file);
    assert_eq!(runs(&["run", "--json", "src/b.py"]), Some(1));
    assert!(runs(&["run", "--json", "--runs", "64", "src/b.py"]) > Some(1), "the command line goes first");
    assert!(runs(&["--isolated", "run", "--json", "src/b.py"]) > Some(1));
    folder.write("src/pyproject.toml", "[tool.other]\nruns = 3\n");
    assert_eq!(runs(&["run", "--json", "src/b.py"]), Some(1), "a file without the table is passed by");
    folder.write("src/surmise.toml", "[run]\nruns = 64\n[cover]\nruns = 1\n");
    assert!(runs(&["run", "--json", "src/b.py"]) > Some(1), "files are not merged");
    folder.write("other.toml", "runs = 1\n");
    assert_eq!(runs(&["--config", "other.toml", "run", "--json", "src/b.py"]), Some(1));
    folder.write("home/surmise/surmise.toml", "runs = 1\n");
    let elsewhere = Folder::of(&[("b.py", &folder.read("src/b.py"))]);
    let mut command = surmise();
    command.args(["run", "--json", "b.py"]).current_dir(elsewhere.root()).env("XDG_CONFIG_HOME", folder.path("home"));
    assert_eq!(ended(&mut command).report()["runs"], 1, "the user's file is the last resort");
}

#[test]
fn wrong_settings_are_named_with_their_place() {
    for (text, message, hint) in [
        ("\n  runz = 1\n", ":2:3: `runz` is no option of any command", "did you mean `runs`?"),
        ("[cover]\nloov = 1\n", ":2:1: `loov` is no option of `cover`", "did you mean `lcov`?"),
        ("[covr]\nruns = 1\n", ":1:2: `covr` is no command", "did you mean `cover`?"),
        ("runs = 'many'\n", ":1:1: invalid value 'many' for '--runs <N>'", ""),
        ("no-drive = 1\n", ":1:12: `no-drive` takes `true` or `false`", ""),
        ("runs = [1]\n", ":1:8: `runs` takes a text or a number", ""),
        ("runs 1\n", ":1:6: ", ""),
    ] {
        let folder = snippets().and("surmise.toml", text);
        let ended = run(&folder, &["cover", "src"]);
        assert_eq!((ended.code(), ended.stdout().as_str()), (2, ""), "{text}: {ended}");
        assert!(ended.stderr().contains(&format!("surmise.toml{message}")), "{text}: {ended}");
        assert!(hint.is_empty() || ended.stderr().contains(&format!("hint: {hint}")), "{text}: {ended}");
    }
}

#[test]
fn settings_do_not_fight_with_the_command_line() {
    let folder = snippets().and("surmise.toml", "predictor = 'naive'\nno-drive = true\n[check]\nsarif = 'log.sarif'\n");
    let ended = run(&folder, &["cover", "src", "--compare", "none,naive", "--runs", "1", "--json"]);
    assert_eq!(ended.code(), 0, "{ended}");
    folder.write("src/a.md", "```python\nx = 1\n```\n");
    assert_eq!(run(&folder, &["check", "src"]).code(), 0);
    assert!(folder.path("log.sarif").is_file(), "paths start at the file's folder");
}

#[test]
fn colours_are_as_asked_for() {
    let folder = snippets();
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = surmise();
        command.args(arguments).args(["run", "--runs", "1", "src/a.py"]).current_dir(folder.root());
        ended(command.envs(variables.iter().copied())).stdout().contains("\x1b[")
    };
    assert!(!coloured(&[], &[]) && coloured(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(coloured(&[], &[("FORCE_COLOR", "1")]) && !coloured(&["--color=never"], &[("FORCE_COLOR", "1")]));
}

#[test]
fn a_table_can_be_sorted_and_be_a_condition() {
    let folder = snippets();
    let names = |sort: &str| {
        let ended = run(&folder, &["cover", "src", "--no-drive", "--runs", "1", "--sort", sort]);
        let rows = ended.stdout();
        let rows = rows.lines().skip(1).take(2).map(|row| row.split(' ').next().unwrap_or_default().to_owned());
        rows.collect::<Vec<_>>()
    };
    assert_eq!(names("name"), ["src/a.py", "src/b.py"]);
    assert_eq!(names("covered"), ["src/b.py", "src/a.py"]);
    assert_eq!(names("missed"), ["src/b.py", "src/a.py"]);
    let code = |least: &str| run(&folder, &["cover", "src", "--no-drive", "--runs", "1", "--fail-under", least]).code();
    assert_eq!((code("40"), code("90%"), code("101")), (0, 1, 2));
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let folder = snippets();
    for arguments in [&["--help"][..], &["run", "src/a.py"], &["cover", "src", "--runs", "1"], &["completions", "bash"]]
    {
        let mut command = surmise();
        command.args(arguments).current_dir(folder.root());
        let full = File::options().write(true).open("/dev/full").expect("it is there");
        let output = command.stdout(Stdio::from(full)).stderr(Stdio::piped()).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains("cannot write to standard output"), "{stderr}");
    }
    for option in ["--lcov", "--svg"] {
        let ended = run(&folder, &["cover", "src", option, "gone/file", "--out", "out"]);
        assert!(ended.code() == 2 && ended.stderr().contains("cannot write `gone/file`"), "{ended}");
        assert!(!folder.path("out").exists(), "nothing was run");
    }
}

#[test]
fn nothing_to_run_is_an_error() {
    let folder = Folder::of(&[("empty/notes.txt", ""), ("plain/a.py", "x = 1\n"), ("none.jsonl", "")]);
    for arguments in [&["cover", "empty"][..], &["cover", "--functions", "plain"], &["cover", "--jsonl", "none.jsonl"]]
    {
        let ended = run(&folder, arguments);
        assert!(ended.code() == 2 && ended.stderr().starts_with("error: there is nothing to run in `"), "{ended}");
    }
}

#[test]
fn functions_of_one_file_are_one_section_of_the_tracefile() {
    let folder = snippets();
    let ended = run(&folder, &["cover", "--functions", "src", "src/b.py", "--lcov", "lcov.info"]);
    assert_eq!(ended.code(), 0, "{ended}");
    let lcov = folder.read("lcov.info");
    assert_eq!(lcov.matches("SF:").count(), 1, "{lcov}");
    assert!(lcov.contains("FN:1,f\nFNDA:1,f\nFNF:1\nFNH:1\n"), "{lcov}");
}

#[test]
fn shells_and_manuals_know_the_commands() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let ended = run(&folder, &["completions", shell]);
        assert!(ended.code() == 0 && ended.stdout().contains("fail-under"), "{ended}");
    }
    let page = run(&folder, &["man", "cover"]);
    assert!(
        page.code() == 0 && page.stdout().starts_with(".ie") && page.stdout().contains("surmise\\-cover"),
        "{page}"
    );
    run(&folder, &["man", "nothing"]).refused(
        "there is no command `nothing`",
        "the commands are run, cover, check, diff, predict, explain, invariants, trace, train, eval, label, mcp, lsp, doctor, completions, man, help",
    );
    let version = run(&folder, &["--version"]).stdout();
    assert!(version.starts_with("surmise ") && version.contains(", model "), "{version}");
    assert!(version.contains(&format!("(CPython {}.", surmise_interpreter::PYTHON_VERSION)), "{version}");
}

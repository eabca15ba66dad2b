//! `surmise cover`: runs of many snippets, results that survive interruptions, and reports.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Ended, Stdin, run, surmise, tests_folder};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A temporary folder with a data set of these snippets.
fn data_set(snippets: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lines = snippets.iter().enumerate().map(|(id, code)| format!("{}\n", json!({ "id": id, "code": code })));
    std::fs::write(folder.path().join("set.jsonl"), lines.collect::<String>()).expect("it can be written");
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = surmise();
    command.args(["cover", "--predictor", "naive"]).args(arguments).current_dir(folder);
    command
}

#[track_caller]
fn cover(folder: &Path, arguments: &[&str]) -> Ended {
    run(&mut command(folder, arguments), Stdin::Empty).unwrap_or_else(|error| panic!("{error}"))
}

/// Results without fields that differ from run to run.
#[track_caller]
fn results(ended: &Ended) -> Vec<Value> {
    let mut results: Vec<Value> =
        ended.stdout().lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect();
    for result in &mut results {
        if let Some(result) = result.as_object_mut() {
            result.remove("time_ms");
            for key in ["summary", "summaries"] {
                if let Some(summary) = result.get_mut(key) {
                    forget_times(summary);
                }
            }
        }
    }
    results
}

fn forget_times(value: &mut Value) {
    if let Some(object) = value.as_object_mut() {
        object.remove("total_ms");
        object.remove("predict_ms");
        object.values_mut().for_each(forget_times);
    }
}

#[test]
fn a_data_set_is_covered_and_summed_up() {
    let set = data_set(&["x = 1\nprint(x)\n", "if a:\n    b\nelse:\n    c\n", "def f(:\n", "x = 1\nint('a')\ny = 1\n"]);
    let ended = cover(set.path(), &["--jsonl", "set.jsonl", "--json"]);
    assert_eq!(ended.code(), 0, "{ended}");
    let results = results(&ended);
    let shares: Vec<(&Value, &Value)> =
        results[..4].iter().map(|result| (&result["file"], &result["lines"]["covered"])).collect();
    assert_eq!(
        shares,
        [(&json!("0"), &json!(2)), (&json!("1"), &json!(3)), (&json!("2"), &json!(0)), (&json!("3"), &json!(2))]
    );
    let summary = &results[4]["summary"];
    assert_eq!((&summary["files"], &summary["fully_covered"]), (&json!(4), &json!(3)), "{summary}");
    let mean = summary["mean_file_coverage"].as_f64().expect("a number");
    assert!((mean - 11.0 / 12.0).abs() < 1e-9, "{summary}");
}

#[test]
fn folders_functions_and_comparisons() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [
        (
            "pkg/a.py",
            "import nowhere\nclass A:\n    def m(self, x):\n        return nowhere.f(x)\ndef g():\n    return 1\n",
        ),
        ("pkg/.hidden/b.py", "x\n"),
        ("pkg/bad.py", "x = '\0'\n"),
        ("pkg/notes.txt", "x\n"),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }
    let files = results(&cover(folder.path(), &["pkg", "--json"]));
    let names: Vec<&str> = files.iter().filter_map(|file| file["file"].as_str()).collect();
    assert_eq!(names, ["pkg/a.py", "pkg/bad.py"]);
    let functions = results(&cover(folder.path(), &["pkg/a.py", "--functions", "--json"]));
    let names: Vec<&str> = functions.iter().filter_map(|file| file["file"].as_str()).collect();
    assert_eq!(names, ["pkg/a.py::A.m", "pkg/a.py::g"]);
    assert_eq!(functions[2]["summary"]["fully_covered"], json!(2));
    let mut compare = surmise();
    compare.args(["cover", "pkg/a.py", "--compare", "none,naive", "--runs", "4", "--svg", "c.svg"]);
    let ended = run(compare.current_dir(folder.path()), Stdin::Empty).unwrap_or_else(|error| panic!("{error}"));
    for name in ["\nnone ", "\nnaive ", "\nnaive x4 "] {
        assert!(ended.stdout().contains(name), "{ended}");
    }
    let picture = std::fs::read_to_string(folder.path().join("c.svg")).expect("it was written");
    assert!(picture.contains("naive x4 (100.0 %)"), "{picture}");
}

#[test]
fn files_see_what_lies_beside_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("lib.py"), "VALUE = 7\n").expect("it can be written");
    std::fs::write(folder.path().join("main.py"), "import lib\nprint(lib.VALUE)\n").expect("it can be written");
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let paths = [folder.path().join("main.py"), folder.path().to_owned()];
    for path in paths {
        let found = results(&cover(elsewhere.path(), &["--json", &path.display().to_string()]));
        let main = found.iter().find(|file| file["file"].as_str().is_some_and(|name| name.ends_with("main.py")));
        assert_eq!(main.expect("it is there")["stdout"], json!("7\n"), "{found:?}");
    }
}

#[test]
fn reports_are_written() {
    let set = data_set(&["print(a)\n", "while b:\n    raise c\nd\n"]);
    let ended = cover(set.path(), &["--jsonl", "set.jsonl", "--html", "report", "--lcov", "lcov.info"]);
    assert_eq!(ended.code(), 0, "{ended}");
    let index = std::fs::read_to_string(set.path().join("report/index.html")).expect("it was written");
    for number in 0..2 {
        let page = format!("pages/{number}.html");
        assert!(index.contains(&page) && set.path().join("report").join(page).exists(), "{index}");
    }
    let lcov = std::fs::read_to_string(set.path().join("lcov.info")).expect("it was written");
    assert_eq!(lcov.matches("end_of_record").count(), 2);
    assert!(lcov.contains("SF:1\nDA:1,1\nDA:2,1\nDA:3,1\nLF:3\nLH:3\n"), "{lcov}");
}

#[test]
fn results_survive_kills_and_none_is_doubled() {
    let snippets: Vec<String> =
        (0..40).map(|number| format!("x{number} = a.b\nif x{number} > {number}:\n    c\nelse:\n    d\n")).collect();
    let set = data_set(&snippets.iter().map(String::as_str).collect::<Vec<_>>());
    let undisturbed = results(&cover(set.path(), &["--jsonl", "set.jsonl", "--json"]));
    let store = set.path().join("out/results.jsonl");
    let lines = || std::fs::read_to_string(&store).map_or(0, |text| text.lines().count());
    let arguments = ["--jsonl", "set.jsonl", "--json", "--out", "out"];
    for kept in [4, 13, 22, 31] {
        let mut child = command(set.path(), &arguments);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        while lines() < kept && child.try_wait().expect("it can be waited for").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
    }
    let before = lines();
    let resumed = cover(set.path(), &arguments);
    assert_eq!(results(&resumed), undisturbed);
    assert!(before > 4 && resumed.stderr().contains("kept from an earlier run"), "{resumed}");
    assert_eq!(lines(), 41, "one line a snippet, and the head");
}

#[test]
fn results_of_other_weights_or_another_runtime_are_refused() {
    let set = data_set(&["print(len(rows))\n"]);
    let folder = set.path();
    let shipped = tests_folder().join("../value-model/data/model");
    std::fs::create_dir(folder.join("model")).expect("it can be made");
    for name in ["config.json", "tokenizer.json", "model.safetensors", "stacker.safetensors"] {
        std::fs::copy(shipped.join(name), folder.join("model").join(name)).expect("a file that ships");
    }
    let of_model = || {
        let mut command = surmise();
        command.args(["cover", "--model", "model", "--jsonl", "set.jsonl", "--out", "out", "--json"]);
        run(command.current_dir(folder), Stdin::Empty).unwrap_or_else(|error| panic!("{error}"))
    };
    let ended = of_model();
    assert_eq!(ended.code(), 0, "{ended}");
    let (model, runtime) = (results(&ended)[0]["model"].clone(), results(&ended)[0]["runtime"].clone());
    assert!(of_model().stderr().contains("1 result kept from an earlier run"));
    let store = folder.join("out/results.jsonl");
    let whole = std::fs::read_to_string(&store).expect("results");
    let refused = |part: &str| {
        let before = std::fs::read(&store).expect("results");
        let ended = of_model();
        assert_eq!(ended.code(), 2, "{ended}");
        assert!(ended.stderr().contains(part) && ended.stderr().contains("hint:"), "{ended}");
        assert_eq!(std::fs::read(&store).expect("results"), before, "what was refused is left alone");
    };
    // The path is the same, and the answers are not: the second model is gone.
    std::fs::remove_file(folder.join("model/stacker.safetensors")).expect("it is there");
    refused(&format!("results of another model: {}", model.as_str().expect("a hash")));
    std::fs::copy(shipped.join("stacker.safetensors"), folder.join("model/stacker.safetensors")).expect("it is there");
    let other = whole.replacen(runtime.as_str().expect("a hash"), &"0".repeat(32), 1);
    std::fs::write(&store, other).expect("it can be written");
    refused("results of another version of Surmise's runtime: 0000");
}

#[test]
fn bad_input_gets_one_clear_error() {
    let folder = data_set(&["x\n"]);
    std::fs::write(folder.path().join("bad.jsonl"), "{\"code\": \"x\"}\nnot json\n").expect("it can be written");
    std::fs::write(folder.path().join("binary.py"), b"\0\x01\xff").expect("it can be written");
    std::fs::create_dir(folder.path().join("notes")).expect("it can be made");
    std::fs::write(folder.path().join("notes/results.jsonl"), "mine\n").expect("it can be written");
    for (arguments, part) in [
        (&["gone.py"][..], "`gone.py`"),
        (&["binary.py"], "binary.py"),
        (&["--jsonl", "bad.jsonl"], "`bad.jsonl` line 2: not JSON"),
        (&["--jsonl", "set.jsonl", "--field", "text"], "line 1: no text under `text`"),
        (&["--jsonl", "set.jsonl", "--out", "notes"], "no results of"),
        (&["--jsonl", "set.jsonl", "--lcov", "gone/lcov.info"], "gone/lcov.info"),
        (&[], "required"),
    ] {
        let ended = cover(folder.path(), arguments);
        assert_eq!(ended.code(), 2, "{ended}");
        assert!(ended.stderr().contains(part), "{ended}");
        assert!(ended.stderr().contains("hint:") || arguments.is_empty(), "{ended}");
    }
    let notes = std::fs::read_to_string(folder.path().join("notes/results.jsonl")).expect("it is there");
    assert_eq!(notes, "mine\n");
}

//! `surmise cover`: runs of many snippets, results that survive interruptions, and reports.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Ended, Folder, ended, json_lines, surmise, tests_folder};
use serde_json::{Value, json};

/// A temporary folder with a data set of these snippets.
fn data_set(snippets: &[&str]) -> Folder {
    let lines = snippets.iter().enumerate().map(|(id, code)| format!("{}\n", json!({ "id": id, "code": code })));
    Folder::new().and("set.jsonl", lines.collect::<String>())
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = surmise();
    command.args(["cover", "--predictor", "naive"]).args(arguments).current_dir(folder);
    command
}

#[track_caller]
fn cover(folder: &Path, arguments: &[&str]) -> Ended {
    ended(&mut command(folder, arguments))
}

/// Results without fields that differ from run to run.
#[track_caller]
fn results(ended: &Ended) -> Vec<Value> {
    let mut results = json_lines(ended);
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
    let ended = cover(set.root(), &["--jsonl", "set.jsonl", "--json"]);
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
    let folder = Folder::of(&[
        (
            "pkg/a.py",
            "import nowhere\nclass A:\n    def m(self, x):\n        return nowhere.f(x)\ndef g():\n    return 1\n",
        ),
        ("pkg/.hidden/b.py", "x\n"),
        ("pkg/bad.py", "x = '\0'\n"),
        ("pkg/notes.txt", "x\n"),
    ]);
    let files = results(&cover(folder.root(), &["pkg", "--json"]));
    let names: Vec<&str> = files.iter().filter_map(|file| file["file"].as_str()).collect();
    assert_eq!(names, ["pkg/a.py", "pkg/bad.py"]);
    let functions = results(&cover(folder.root(), &["pkg/a.py", "--functions", "--json"]));
    let names: Vec<&str> = functions.iter().filter_map(|file| file["file"].as_str()).collect();
    assert_eq!(names, ["pkg/a.py::A.m", "pkg/a.py::g"]);
    assert_eq!(functions[2]["summary"]["fully_covered"], json!(2));
    let mut compare = surmise();
    compare.args(["cover", "pkg/a.py", "--compare", "none,naive", "--runs", "4", "--svg", "c.svg"]);
    let ended = ended(compare.current_dir(folder.root()));
    for name in ["\nnone ", "\nnaive ", "\nnaive x4 "] {
        assert!(ended.stdout().contains(name), "{ended}");
    }
    let picture = folder.read("c.svg");
    assert!(picture.contains("naive x4 (100.0 %)"), "{picture}");
}

#[test]
fn files_see_what_lies_beside_them() {
    let folder = Folder::of(&[("lib.py", "VALUE = 7\n"), ("main.py", "import lib\nprint(lib.VALUE)\n")]);
    let elsewhere = Folder::new();
    for path in [folder.path("main.py"), folder.root().to_owned()] {
        let found = results(&cover(elsewhere.root(), &["--json", &path.display().to_string()]));
        let main = found.iter().find(|file| file["file"].as_str().is_some_and(|name| name.ends_with("main.py")));
        assert_eq!(main.expect("it is there")["stdout"], json!("7\n"), "{found:?}");
    }
}

#[test]
fn reports_are_written() {
    let set = data_set(&["print(a)\n", "while b:\n    raise c\nd\n"]);
    let ended = cover(set.root(), &["--jsonl", "set.jsonl", "--html", "report", "--lcov", "lcov.info"]);
    assert_eq!(ended.code(), 0, "{ended}");
    let index = set.read("report/index.html");
    for number in 0..2 {
        let page = format!("pages/{number}.html");
        assert!(index.contains(&page) && set.path("report").join(page).exists(), "{index}");
    }
    let lcov = set.read("lcov.info");
    assert_eq!(lcov.matches("end_of_record").count(), 2);
    assert!(lcov.contains("SF:1\nFNF:0\nFNH:0\nDA:1,1\nDA:2,1\nDA:3,1\nLF:3\nLH:3\n"), "{lcov}");
}

#[test]
fn results_survive_kills_and_none_is_doubled() {
    let snippets: Vec<String> =
        (0..40).map(|number| format!("x{number} = a.b\nif x{number} > {number}:\n    c\nelse:\n    d\n")).collect();
    let set = data_set(&snippets.iter().map(String::as_str).collect::<Vec<_>>());
    let undisturbed = results(&cover(set.root(), &["--jsonl", "set.jsonl", "--json"]));
    let store = set.path("out/results.jsonl");
    let lines = || std::fs::read_to_string(&store).map_or(0, |text| text.lines().count());
    let arguments = ["--jsonl", "set.jsonl", "--json", "--out", "out"];
    for kept in [4, 13, 22, 31] {
        let mut child = command(set.root(), &arguments);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        while lines() < kept && child.try_wait().expect("it can be waited for").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
    }
    let before = lines();
    let resumed = cover(set.root(), &arguments);
    assert_eq!(results(&resumed), undisturbed);
    assert!(before > 4 && resumed.stderr().contains("kept from an earlier run"), "{resumed}");
    assert_eq!(lines(), 41, "one line a snippet, and the head");
}

#[test]
fn results_of_other_weights_or_another_runtime_are_refused() {
    let set = data_set(&["print(len(rows))\n"]);
    let folder = set.root();
    let shipped = tests_folder().join("../value-model/data/model");
    for name in ["config.json", "tokenizer.json", "model.safetensors", "stacker.safetensors"] {
        set.write(&format!("model/{name}"), std::fs::read(shipped.join(name)).expect("a file that ships"));
    }
    let of_model = || {
        let mut command = surmise();
        command.args(["cover", "--model", "model", "--jsonl", "set.jsonl", "--out", "out", "--json"]);
        ended(command.current_dir(folder))
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
    let folder = data_set(&["x\n"])
        .and("bad.jsonl", "{\"code\": \"x\"}\nnot json\n")
        .and("binary.py", b"\0\x01\xff")
        .and("notes/results.jsonl", "mine\n");
    for (arguments, part) in [
        (&["gone.py"][..], "`gone.py`"),
        (&["binary.py"], "binary.py"),
        (&["--jsonl", "bad.jsonl"], "`bad.jsonl` line 2: not JSON"),
        (&["--jsonl", "set.jsonl", "--field", "text"], "line 1: no text under `text`"),
        (&["--jsonl", "set.jsonl", "--out", "notes"], "no results of"),
        (&["--jsonl", "set.jsonl", "--lcov", "gone/lcov.info"], "gone/lcov.info"),
        (&[], "required"),
    ] {
        let ended = cover(folder.root(), arguments);
        assert_eq!(ended.code(), 2, "{ended}");
        assert!(ended.stderr().contains(part), "{ended}");
        assert!(ended.stderr().contains("hint:") || arguments.is_empty(), "{ended}");
    }
    assert_eq!(folder.read("notes/results.jsonl"), "mine\n");
}

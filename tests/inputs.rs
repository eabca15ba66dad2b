//! `surmise run --stdin-description` and `surmise label`: inputs from descriptions, and programs with bugs.

use serde_json::Value;

use crate::support::schemas::check_lines;
use crate::support::{Ended, Folder, ended, surmise};

/// Two numbers on one line.
const PAIR: &str = "Input : Input is given in the following format : A B Constraints : 1 ≤ A ≤ 9 0 ≤ B ≤ 3";

fn run(folder: &Folder, arguments: &[&str]) -> Ended {
    ended(surmise().arg("run").args(arguments).current_dir(folder.root()))
}

fn report(folder: &Folder, arguments: &[&str]) -> Value {
    let ended = run(folder, &[&["--json"], arguments].concat());
    serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended}"))
}

/// The errors of a report: class, line, verdict.
fn errors(report: &Value) -> Vec<(String, u64, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let errors = report["errors"].as_array().cloned().unwrap_or_default();
    errors.iter().map(|e| (text(&e["type"]), e["line"].as_u64().unwrap_or(0), text(&e["verdict"]))).collect()
}

#[test]
fn an_error_is_conditional_on_the_input_that_is_printed() {
    let folder = Folder::of(&[("divide.py", "a, b = map(int, input().split())\nprint(a // b)\n")]);
    let report = report(&folder, &["--stdin-description", PAIR, "divide.py"]);
    assert_eq!(errors(&report), [("ZeroDivisionError".to_owned(), 2, "conditional".to_owned())], "{report}");
    let error = &report["errors"][0];
    let stdin = error["stdin"].as_str().expect("the input is there");
    let fields: Vec<i64> = stdin.split_whitespace().map(|field| field.parse().expect("a number")).collect();
    assert!(matches!(fields[..], [1..=9, 0]) && stdin.ends_with('\n'), "{stdin:?}");
    let (raised, tried) = (error["inputs"]["raised"].as_u64(), error["inputs"]["tried"].as_u64());
    assert!(raised >= Some(1) && raised < tried, "{error}");
    assert_eq!(report["sampled_input"]["origin"], "description");
    let text = run(&folder, &["--stdin-description", PAIR, "divide.py"]);
    let shown = text.stdout();
    assert!(
        shown.contains("standard input: from the description, 12 samples\n  A B\n    A: whole number 1 to 9\n"),
        "{text}"
    );
    assert!(shown.contains("conditional: raised with standard input \""), "{text}");
    assert_eq!(text.code(), 0, "the run that covers most completes: {text}");
}

#[test]
fn what_the_network_expects_is_named_first() {
    let source = "a, b = map(int, input().split())\nif a > 5:\n    print(10 // (b - 1))\nelse:\n    print(a + 'x')\n";
    let folder = Folder::of(&[("two.py", source)]);
    let found = errors(&report(&folder, &["--stdin-description", PAIR, "two.py"]));
    let expected = [("TypeError", 5), ("ZeroDivisionError", 3)]
        .map(|(kind, line)| (kind.to_owned(), line, "conditional".to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn an_error_under_every_input_is_certain_and_the_contradiction_is_said() {
    let folder = Folder::of(&[("lines.py", "a = int(input())\nb = int(input())\nprint(a + b)\n")]);
    let report = report(&folder, &["--stdin-description", PAIR, "lines.py"]);
    assert_eq!(errors(&report), [("ValueError".to_owned(), 1, "certain".to_owned())], "{report}");
    let note = report["sampled_input"]["notes"][0].as_str().unwrap_or_default();
    assert!(note.starts_with("line 1 of the input is `A B` by the description, but line 1 of the code"), "{note}");
}

#[test]
fn the_end_of_a_described_input_is_real() {
    let folder = Folder::of(&[("more.py", "a, b = input().split()\nprint(a, b)\nc = input()\n")]);
    let report = report(&folder, &["--stdin-description", PAIR, "more.py"]);
    assert_eq!(errors(&report), [("EOFError".to_owned(), 3, "certain".to_owned())], "{report}");
}

#[test]
fn what_is_missing_besides_is_injected() {
    let folder =
        Folder::of(&[("part.py", "n = int(input())\nrows = [parse(input()) for _ in range(n)]\nprint(len(rows))\n")])
            .and(
                "task.txt",
                "入力は以下の形式で与えられる 。 N S_1 : S_N 制約 : 2 ≤ N ≤ 4 S_i は 英小文字 からなる 文字列",
            );
    let report = report(&folder, &["--stdin-description", "task.txt", "part.py"]);
    assert_eq!(report["outcome"], "completed", "{report}");
    assert!(matches!(report["stdout"].as_str(), Some("2\n" | "3\n" | "4\n")), "{report}");
    let names: Vec<&str> =
        report["injections"].as_array().into_iter().flatten().filter_map(|value| value["name"].as_str()).collect();
    assert!(names.contains(&"parse") && !names.contains(&"input"), "{names:?}");
}

#[test]
fn the_code_speaks_where_the_description_does_not() {
    let folder = Folder::of(&[("read.py", "n = int(input())\nxs = list(map(int, input().split()))\nprint(xs[n])\n")]);
    for (given, origin, notes) in [
        ("code", "code", 0),
        ("", "code", 1),
        ("Une ligne avec un entier, puis une ligne avec des entiers.", "code", 1),
        ("Constraints : 2 ≤ n ≤ 3", "description-and-code", 1),
    ] {
        let report = report(&folder, &["--stdin-description", given, "read.py"]);
        let sampled = &report["sampled_input"];
        assert_eq!(sampled["origin"], origin, "{given}: {report}");
        assert_eq!(sampled["notes"].as_array().map(Vec::len), Some(notes), "{given}: {report}");
        assert_eq!(errors(&report), [("IndexError".to_owned(), 3, "certain".to_owned())], "{given}: {report}");
    }
}

#[test]
fn huge_counts_are_cut_and_said() {
    let text = "format : N A_1 ... A_N Constraints : 10 ^ 9 ≤ N ≤ 10 ^ 18 1 ≤ A_i ≤ 9";
    let folder = Folder::of(&[("sum.py", "n = int(input())\nprint(sum(map(int, input().split())))\n")]);
    let report = report(&folder, &["--stdin-description", text, "--stdin-samples", "3", "sum.py"]);
    assert_eq!(report["outcome"], "completed", "{report}");
    let notes = report["sampled_input"]["notes"].to_string();
    assert!(notes.contains("samples are cut"), "{notes}");
    let samples = report["sampled_input"]["samples"].as_array().expect("samples").clone();
    assert!(samples.iter().all(|sample| sample.as_str().is_some_and(|text| text.len() < 1 << 16)));
}

#[test]
fn samples_depend_on_the_seed_alone() {
    let folder = Folder::of(&[("pair.py", "print(input())\n")]);
    let samples = |seed: &str| {
        let report = report(&folder, &["--stdin-description", PAIR, "--seed", seed, "pair.py"]);
        report["sampled_input"]["samples"].clone()
    };
    let first = samples("1");
    assert_eq!(first, samples("1"));
    assert_ne!(first, samples("2"));
}

#[test]
fn bad_usage_is_one_error() {
    let folder = Folder::of(&[("pair.py", "print(input())\n")]);
    let refused = |arguments: &[&str], message: &str| {
        let ended = run(&folder, &[arguments, &["pair.py"]].concat());
        let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.code() == 2 && stderr.contains(message), "{ended}");
    };
    refused(&["--stdin-description", "missing.txt"], "error: `missing.txt` is not a file\nhint: ");
    refused(&["--stdin-description", "a b", "--plain"], "cannot be used with");
    refused(&["--stdin-samples", "3"], "--stdin-description");
    refused(&["--stdin-description", "a b", "--stdin-samples", "0"], "0");
}

/// Two programs of a problem that is learned from, and one of a held-out problem (checksums as in the scripts).
const PROGRAMS: &str = concat!(
    r#"{"id": "a", "problem_id": "p02258", "code": "n = int(input())\nxs = [int(input()) for _ in range(n)]\nprint(max(xs) // n)\n", "description": "format : N A_1 : A_N Constraints : 2 ≤ N ≤ 9 1 ≤ A_i ≤ 9", "error_class": "No error", "error_line": null}"#,
    "\n",
    r#"{"id": "b", "problem_id": "p02258", "code": "print(undefined)\n", "description": "", "error_class": "NameError", "error_line": 1}"#,
    "\n",
    r#"{"id": "c", "problem_id": "p00508", "code": "a, b = map(int, input().split())\nprint(a + b)\n", "description": "", "error_class": "No error", "error_line": null}"#,
    "\n"
);

fn label(folder: &Folder, arguments: &[&str]) -> Ended {
    let mut command = surmise();
    command.args(["label", "--data", "programs.jsonl", "--out", "labels", "--per-round", "20", "--jobs", "1"]);
    ended(command.args(arguments).current_dir(folder.root()))
}

fn rows(folder: &Folder, file: &str) -> Vec<Value> {
    let path = folder.root().join("labels").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    check_lines("surmise.labels/1", &text);
    text.lines().map(|line| serde_json::from_str(line).expect("a label is JSON")).collect()
}

#[test]
fn programs_are_labelled_and_the_work_goes_on_where_it_was() {
    let folder = Folder::of(&[]).and("programs.jsonl", PROGRAMS);
    let first = label(&folder, &["--count", "10", "--json"]);
    assert_eq!(first.code(), 0, "{first}");
    let originals = rows(&folder, "labels-originals.jsonl");
    let splits: Vec<&str> = originals.iter().filter_map(|row| row["split"].as_str()).collect();
    assert_eq!(splits, ["train", "train", "held-out"]);
    let mutants = rows(&folder, "labels-000.jsonl");
    assert!(mutants.len() > 10 && mutants.iter().all(|row| row["problem"] == "p02258"), "{}", mutants.len());
    let failing: Vec<&Value> = mutants.iter().filter(|row| row["error_class"] != "No error").collect();
    assert!(failing.len() > 3 && failing.iter().all(|row| row["error_line"].is_u64()), "{mutants:?}");
    for row in &failing {
        let files = Folder::of(&[("mutant.py", row["code"].as_str().expect("a source"))])
            .and("input.txt", row["stdin"].as_str().expect("an input"));
        let report = report(&files, &["--predictor", "none", "--stdin", "input.txt", "mutant.py"]);
        assert_eq!((&report["error"]["type"], &report["error"]["line"]), (&row["error_class"], &row["error_line"]));
    }
    // Half a label that an interrupted run left behind is cut off.
    let name = |round: u32| format!("labels-{round:03}.jsonl");
    let next = (0..1000)
        .map(name)
        .find(|file| !folder.root().join("labels").join(file).exists())
        .expect("few rounds were begun");
    std::fs::write(folder.root().join("labels").join(&next), "{\"id\": \"half").expect("the folder can be written");
    let labels = |ended: &Ended| {
        let counts = serde_json::from_slice::<Value>(&ended.stdout);
        let counts = counts.unwrap_or_else(|error| panic!("counts are JSON: {error}\n{ended}"));
        counts["card"]["labels"].as_u64().expect("a number")
    };
    let before = labels(&first);
    let more = label(&folder, &["--count", &(before + 1).to_string(), "--json"]);
    assert!(labels(&more) > before, "{more}");
    assert_eq!(rows(&folder, "labels-000.jsonl"), mutants, "what was done stays");
    check_lines("surmise.labels/1", &folder.read("labels/results.jsonl"));
    assert!(rows(&folder, &next).iter().all(|row| row["id"].as_str().is_some_and(|id| id.starts_with("a~"))));
    let card = std::fs::read_to_string(folder.root().join("labels/card.md")).expect("the card is there");
    assert!(card.contains("| held-out | 1 |") && card.contains("| none | Originals, unchanged. | 3 |"), "{card}");
}

#[test]
fn labelling_refuses_what_it_cannot_use() {
    let folder = Folder::of(&[]).and("programs.jsonl", "{\"id\": 1}\n");
    let broken = label(&folder, &[]);
    let stderr = String::from_utf8_lossy(&broken.stderr).into_owned();
    assert!(broken.code() == 2 && stderr.contains("`programs.jsonl` line 1: no labelled program"), "{broken}");
    let folder =
        Folder::of(&[]).and("programs.jsonl", "{\"id\": \"x\", \"code\": \"x\", \"error_class\": \"NameError\"}\n");
    let useless = label(&folder, &[]);
    assert!(useless.code() == 2 && String::from_utf8_lossy(&useless.stderr).contains("nothing to put bugs into"));
}

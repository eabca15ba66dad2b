//! The JSON Schemas in docs/schemas: all documents have one, and they take nothing else.
//!
//! Every document that a command of the other tests prints with `--json` is checked against its schema, too
//! (`support::schemas::check_output`); here are files, and documents with all their parts.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::schemas::{SCHEMAS, check_lines, fits};
use crate::support::{Folder, ended, json_lines, surmise, tests_folder};

/// Calls a function on each schema of an object in a schema.
fn each_object(schema: &Value, of: &str, take: &mut dyn FnMut(&str, &Value)) {
    match schema {
        Value::Object(keys) => {
            if keys.contains_key("properties") {
                take(of, schema);
            }
            keys.iter().for_each(|(key, value)| each_object(value, &format!("{of}/{key}"), take));
        }
        Value::Array(items) => items.iter().for_each(|item| each_object(item, of, take)),
        _ => {}
    }
}

#[test]
fn schemas_are_schemas_and_take_no_unknown_keys() {
    for (name, schema) in SCHEMAS.iter() {
        jsonschema::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (tool, number) = name.split_once('/').expect("a name with a number");
        assert_eq!(schema["$id"], format!("urn:surmise:{}:{number}", tool.trim_start_matches("surmise.")));
        assert!(crate::support::schemas::folder().join(format!("{tool}-{number}.json")).is_file(), "{name}");
        each_object(schema, name, &mut |place, object| {
            assert_eq!(object["additionalProperties"], false, "{place} takes any key");
            let required: BTreeSet<&str> =
                object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let has = |key: &&str| object["properties"].get(*key).is_some();
            assert!(required.iter().all(has), "{place} requires what it does not have");
        });
    }
}

/// Names of schemas in the sources of the commands.
#[test]
fn each_document_of_the_sources_has_a_schema() {
    let root = tests_folder();
    let root = root.parent().expect("a repository");
    let is_name = |text: &&str| text.starts_with("surmise.") && text.contains('/') && !text.contains([' ', '\n', '`']);
    // Read, and not written, by the command; or a file of ours that nobody else reads.
    let internal =
        ["surmise.llm-answer/1", r"surmise.llm-answer/1\", "surmise.test-store/1", "surmise.corpus-conditions/1"];
    let mut found = BTreeSet::new();
    let mut folders = vec![root.join("executor")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() && !path.ends_with("benches") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                found.extend(text.split('"').filter(is_name).map(str::to_owned));
            }
        }
    }
    found.retain(|name| !internal.contains(&name.as_str()));
    assert!(found.len() >= 14, "{found:?}");
    for name in &found {
        assert!(SCHEMAS.contains_key(name), "`{name}` has no schema in docs/schemas");
    }
}

#[test]
fn an_unknown_key_does_not_fit() {
    let folder = Folder::of(&[("a.py", "print(total / count)\n")]);
    let ended = ended(surmise().args(["run", "--json", "--predictor", "naive", "a.py"]).current_dir(folder.root()));
    let mut report = ended.report();
    report["news"] = json!(1);
    let complaint = fits("surmise.run/1", &report).expect_err("an unknown key");
    assert!(complaint.contains("'news' was unexpected"), "{complaint}");
    report.as_object_mut().expect("an object").remove("news");
    report["best_run"]["branches"] = json!([{ "line": 1, "block": [1, 2], "side": 0 }]);
    assert!(fits("surmise.run/1", &report).expect_err("an unknown key").contains("/best_run/branches/0"));
    assert!(fits("surmise.nothing/1", &report).is_err());
}

const FUNCTION: &str = "\
import missing

def paid(orders, limit):
    total = 0
    for order in orders.pending():
        if order.total > limit:
            total += order.total
    if not total:
        raise ValueError('nothing was paid')
    return missing.rounded(total)
";

#[test]
fn reports_and_results_of_batches_fit() {
    let folder = Folder::of(&[
        ("a.py", FUNCTION),
        ("b.py", "n = int(input())\nm = int(input())\nprint(n / m)\n"),
        ("broken.py", "def f(:\n"),
        ("old.py", "def f(n):\n    return n + 1\n\ndef g(n):\n    return n\n\ndef gone():\n    pass\n"),
        ("new.py", "def f(n):\n    return n + 2\n\ndef g(m):\n    return m\n\ndef come():\n    pass\n"),
        ("page.md", "```python\nx = 1\nprint(x.real, x.imagined)\n```\n\n```console\n$ ls\n```\n"),
    ]);
    folder.write("script.out/.keep", "");
    let run = |arguments: &[&str]| {
        let ended = ended(surmise().args(arguments).current_dir(folder.root()));
        assert!(matches!(ended.code(), 0 | 1), "{ended}");
        json_lines(&ended)
    };
    // Each of these is checked when it is printed.
    let report = &run(&[
        "run",
        "--json",
        "--stdin-description",
        "Two integers A and B are given in a line separated by a space. (1 <= A, B <= 9)",
        "b.py",
    ])[0];
    assert!(!report["sampled_input"].is_null() && !report["errors"][0]["stdin"].is_null(), "{report:#}");
    let report = &run(&["run", "--json", "--function", "paid", "a.py"])[0];
    assert!(!report["injections"].as_array().expect("injections").is_empty(), "{report:#}");
    assert!(!run(&["cover", "--json", "--candidates", "a.py", "broken.py", "--out", "covered"]).is_empty());
    check_lines("surmise.cover-store/3", &folder.read("covered/results.jsonl"));
    assert_eq!(run(&["diff", "--json", "old.py", "new.py", "--out", "compared"]).len(), 5);
    check_lines("surmise.diff-store/4", &folder.read("compared/results.jsonl"));
    assert_eq!(run(&["check", "--json", "page.md", "--out", "checked"])[0]["summary"]["certain"], 1);
    check_lines("surmise.check-store/1", &folder.read("checked/results.jsonl"));
}

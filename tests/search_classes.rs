//! Values that are instances of the classes that conditions ask for.

use serde_json::{Value, json};

use crate::support::{Stdin, ended_with, surmise};

/// What `surmise run --json` says of a function that checks the class of its argument.
#[track_caller]
fn searched(condition: &str) -> Value {
    let snippet = format!(
        "import collections.abc, datetime, decimal, pathlib, re, types\nfrom missing import Other\nclass Own:\n    def \
         __init__(self, a):\n        self.a = a\ndef f(value):\n    if {condition}:\n        return 1\n    return 2\n"
    );
    let mut command = surmise();
    command.args(["run", "--json", "--predictor", "naive", "-"]);
    ended_with(&mut command, Stdin::Pipe(snippet.as_bytes())).report()
}

#[test]
fn each_class_that_a_condition_asks_for_has_an_instance() {
    for class in [
        ["bytes", "(bytearray, memoryview)", "complex", "frozenset", "slice", "type", "ValueError"].as_slice(),
        &["datetime.date", "decimal.Decimal", "pathlib.Path", "re.Match", "re.Pattern", "collections.abc.Iterator"],
        &["types.FunctionType", "types.GeneratorType", "types.ModuleType", "Own", "Other"],
    ]
    .concat()
    {
        let report = searched(&format!("isinstance(value, {class})"));
        let missed = &report["lines"]["missed_lines"];
        // `__init__` of a class that is never made stays as it is.
        assert!(missed.as_array().is_some_and(|lines| !lines.contains(&json!(8))), "{class}: {missed}");
        assert_eq!(report["errors"], json!([]), "{class}");
    }
}

#[test]
fn what_cannot_be_made_passes_for_an_instance() {
    let snippet = "import ast\ndef f(node):\n    if isinstance(node, ast.Name):\n        if node.id == 'a name':\n            \
                   return 1\n        return 2\n    if isinstance(node.value, (ast.Attribute, ast.Call)):\n        return \
                   3\n    return 4\n";
    let mut command = surmise();
    command.args(["run", "--json", "--predictor", "naive", "-"]);
    let report = ended_with(&mut command, Stdin::Pipe(snippet.as_bytes())).report();
    assert_eq!((&report["lines"]["missed_lines"], &report["errors"]), (&json!([]), &json!([])), "{report:#}");
}

#[test]
fn a_class_that_nothing_is_an_instance_of_is_left_alone() {
    let report = searched("isinstance(value, int.missing)");
    assert_eq!(report["lines"]["missed_lines"], json!([8, 9]), "{report:#}");
}

//! `surmise diff`: what counts as a difference, what does not, and errors for input that cannot be compared.

use std::path::Path;
use std::process::Command;

use crate::support::{Ended, Folder, ended, json_lines, surmise};
use serde_json::{Value, json};

#[track_caller]
fn in_folder(folder: &Path, arguments: &[&str]) -> Ended {
    let mut command: Command = surmise();
    command.args(["diff", "--predictor", "naive"]).args(arguments).current_dir(folder);
    ended(&mut command)
}

fn files(old: &str, new: &str) -> Folder {
    Folder::of(&[("old.py", old), ("new.py", new)])
}

/// Exit code and JSON result of comparing two versions of a file with a single function.
#[track_caller]
fn compared(old: &str, new: &str, more: &[&str]) -> (i32, Value) {
    let folder = files(old, new);
    let ended = in_folder(folder.root(), &[&["--json", "old.py", "new.py"], more].concat());
    let first = ended.stdout().lines().next().map_or_else(|| panic!("no result: {ended}"), str::to_owned);
    (ended.code(), serde_json::from_str(&first).expect("JSON lines"))
}

#[track_caller]
fn equal(old: &str, new: &str) -> Value {
    let (code, found) = compared(old, new, &[]);
    assert_eq!((code, &found["verdict"]), (0, &json!("equal")), "{found:#}");
    found
}

#[track_caller]
fn different(old: &str, new: &str, kind: &str) -> Value {
    let (code, found) = compared(old, new, &[]);
    assert_eq!((code, &found["verdict"]), (1, &json!("different")), "{found:#}");
    assert_eq!(found["witness"]["kind"], kind, "{found:#}");
    found
}

#[test]
fn code_that_is_the_same_is_not_run() {
    let old = "def f(a, b=1):\n    'doc'\n    rows = a + b  # sum\n    return rows\n";
    for new in [
        "def f(a, b=1):\n    'other'\n    rows = (a +\n            b)\n    return rows\n",
        "def f(a: int, b: int = 1) -> int:\n    rows: int = a + b\n    return rows\n",
        "def f(a, b=1):\n    lines = a + b\n    return lines\n",
    ] {
        let found = equal(old, new);
        assert_eq!(found["runs"], 0, "{found:#}");
    }
}

#[test]
fn other_ways_to_write_the_same_are_equal() {
    let pairs = [
        ("def f(a):\n    return g(a.x + 1)\n", "def f(a):\n    more = a.x + 1\n    return g(more)\n"),
        ("def f(s):\n    s.a = 1\n    s.b = 2\n", "def f(s):\n    s.b = 2\n    s.a = 1\n"),
        (
            "def f(a):\n    if a.ok:\n        return g(a)\n    else:\n        return None\n",
            "def f(a):\n    if not a.ok:\n        return None\n    return g(a)\n",
        ),
        (
            "def f(rows):\n    out = []\n    for row in rows:\n        if row.ok:\n            out.append(row.name)\n    return out\n",
            "def f(rows):\n    return [row.name for row in rows if row.ok]\n",
        ),
        ("def f(name):\n    return open(name, 'r', -1).read()\n", "def f(name):\n    return open(name).read()\n"),
        (
            "def f(s):\n    ask = getattr(s, 'is_open', None)\n    if ask is not None:\n        return ask()\n",
            "def f(s):\n    is_it = getattr(s, 'is_open', None)\n    if is_it is not None:\n        return is_it()\n    return None\n",
        ),
        (
            "def f():\n    return [cell(n, s) for n, s in ((1, 2), (3, 4))]\n",
            "def f():\n    return list(map(cell, (1, 3), (2, 4)))\n",
        ),
        (
            "import time\ndef f():\n    return time.time(), 1\n",
            "import time\ndef f():\n    now = time.time()\n    return now, 1\n",
        ),
        (
            "import traceback\ndef f(a):\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        traceback.print_exc(limit=0)\n        print(traceback.format_stack()[-1].splitlines()[0])\n    return a\n",
            "import traceback\n\n\ndef f(a):\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        traceback.print_exc(limit=0)\n        print(traceback.format_stack()[-1].splitlines()[0])\n    result = a\n    return result\n",
        ),
        ("def f(a):\n    return not (a.x or a.y)\n", "def f(a):\n    return not a.x and not a.y\n"),
        ("def f(a):\n    return a.n > 3\n", "def f(a):\n    return 3 < a.n\n"),
        ("def f(a):\n    raise ValueError(f'no {a}')\n", "def f(a):\n    raise ValueError('never')\n"),
        (
            "def f(a):\n    logger.info('one')\n    return a\n",
            "def f(a):\n    logger.info('two %s', a)\n    return a\n",
        ),
    ];
    for (old, new) in pairs {
        let found = equal(old, new);
        if found["runs"] == json!(0) {
            assert_eq!(found["reason"], "same code, written in another way", "{found:#}");
            continue;
        }
        assert!(found["runs"].as_u64() > Some(4), "{found:#}");
        assert_eq!(found["changed_lines"]["covered"], found["changed_lines"]["total"], "{found:#}");
    }
}

#[test]
fn conditions_of_imports_are_decided_as_in_the_module() {
    let rest =
        "def f(rows):\n    if isinstance(rows, Sized):\n        return len(rows)\n    else:\n        return None\n";
    let old = format!(
        "from sys import version_info\nif version_info >= (3, 3):\n    from collections.abc import Sized\nelse:\n    from collections import Sized\n{rest}"
    );
    let new = format!("from collections.abc import Sized\n{}", rest.replace("    else:\n        return", "    return"));
    // The import that never runs is a line that no run reaches.
    let (code, found) = compared(&old, &new, &[]);
    assert!(code == 0 && found["verdict"] != "different", "{found:#}");
}

#[test]
fn what_a_change_does_is_shown() {
    let branches = "def f(a):\n    if a.ok:\n        return 'yes'\n    else:\n        return 'no'\n";
    let calls = "def f(a):\n    first(a)\n    second(a)\n";
    let pairs = [
        ("def f(a):\n    return a.x + 1\n", "def f(a):\n    return a.x + 2\n", "return"),
        ("def f(a):\n    return a.x + 1\n", "def f(a):\n    return a.x - 1\n", "return"),
        ("def f(a):\n    return a.n > 3\n", "def f(a):\n    return a.n >= 3\n", "return"),
        (calls, "def f(a):\n    first(a)\n", "call"),
        (calls, "def f(a):\n    second(a)\n    first(a)\n", "call"),
        (
            "def f(a):\n    if not a:\n        raise KeyError(1)\n",
            "def f(a):\n    if not a:\n        raise IndexError(1)\n",
            "raise",
        ),
        ("def f(a, n=1):\n    g(n)\n", "def f(a, n=2):\n    g(n)\n", "call"),
        (branches, "def f(a):\n    if a.ok:\n        return 'yes'\n    return 'maybe'\n", "return"),
        ("def f(self):\n    self.n = 1\n", "def f(self):\n    self.n = 2\n", "write"),
        ("def f(a):\n    print('x', a.n)\n", "def f(a):\n    print('y', a.n)\n", "output"),
        ("def f(a):\n    global seen\n    seen = 1\n", "def f(a):\n    global seen\n    seen = 2\n", "global"),
        ("def f(a):\n    yield 1\n    yield 2\n", "def f(a):\n    yield 1\n    yield 3\n", "yield"),
    ];
    for (old, new, kind) in pairs {
        different(old, new, kind);
    }
}

#[test]
fn a_witness_tells_the_values_and_both_behaviours() {
    let found = different("def f(a):\n    return a.x + 1\n", "def f(a):\n    return a.x + 2\n", "return");
    for key in ["schema", "name", "old_line", "new_line", "verdict", "reason", "runs", "changed_lines", "time_ms"] {
        assert!(found.get(key).is_some(), "no `{key}`: {found:#}");
    }
    assert_eq!(found["schema"], "surmise.diff/1");
    let witness = &found["witness"];
    assert!(witness["values"].is_array(), "{found:#}");
    assert_ne!(witness["old"], witness["new"], "{found:#}");
}

#[test]
fn messages_and_logging_count_if_asked() {
    let old = "def f(a):\n    raise ValueError('one')\n";
    let (code, _) = compared(old, "def f(a):\n    raise ValueError('two')\n", &["--strict-messages"]);
    assert_eq!(code, 1);
    // The same for a missing class whose name does not show that it is an exception.
    let (old, new) = ("def f(a):\n    raise DropItem(a.x)\n", "def f(a):\n    raise DropItem(a.x, 'two')\n");
    assert_eq!(compared(old, new, &[]).0, 0);
    assert_eq!(compared(old, new, &["--strict-messages"]).0, 1);
    let old = "def f(a):\n    logger.info('one')\n";
    let (code, _) = compared(old, "def f(a):\n    logger.info('two')\n", &["--strict-logging"]);
    assert_eq!(code, 1);
}

#[test]
fn functions_that_only_one_version_has_are_listed() {
    let (code, found) = compared("def f(): pass\n", "def g(): return 1\n", &[]);
    assert_eq!((code, &found["verdict"], &found["name"]), (0, &json!("added"), &json!("g")));
    let folder = files("def f(): pass\n", "def g(): return 1\n");
    let ended = in_folder(folder.root(), &["--markdown", "old.py", "new.py"]);
    assert!(ended.stdout().contains("| `f` | removed |"), "{ended}");
}

#[test]
fn what_never_ends_is_unknown() {
    let old = "def f(a):\n    while True:\n        pass\n    return 1\n";
    let (code, found) = compared(old, &old.replace('1', "2"), &["--timeout", "0.3"]);
    assert_eq!((code, &found["verdict"]), (0, &json!("unknown")), "{found:#}");
    assert_eq!(found["reason"], "runs do not end", "{found:#}");
}

#[test]
fn what_differs_each_time_is_unknown() {
    let old = "import os\ndef f(a):\n    return os.getpid()\n";
    let new = "import os\ndef f(a):\n    return os.getpid() + 1\n";
    let (code, found) = compared(old, new, &[]);
    assert_eq!((code, &found["verdict"]), (0, &json!("unknown")), "{found:#}");
}

#[test]
fn what_cannot_be_read_is_an_error_of_usage() {
    let folder = files("def f(): pass\n", "def f(:\n");
    for arguments in [&["old.py", "new.py"][..], &["old.py", "gone.py"], &["old.py"], &["--jsonl", "gone.jsonl"]] {
        let ended = in_folder(folder.root(), arguments);
        assert_eq!(ended.code(), 2, "{ended}");
        assert!(ended.stderr().contains("error: "), "{ended}");
    }
    let folder = files("x = 1\n", "x = 2\n");
    let ended = in_folder(folder.root(), &["old.py", "new.py"]);
    assert_eq!(ended.code(), 0, "{ended}");
    assert!(ended.stderr().contains("neither version has a function"), "{ended}");
}

#[test]
fn records_have_a_verdict_each() {
    let records = [
        json!({ "id": "same", "a": "def f(x):\n    return x\n", "b": "def f(x):  # it\n    return x\n" }),
        json!({ "id": "other", "a": "    def f(self):\n        return 1\n", "b": "    def f(self):\n        return 2\n" }),
        json!({ "id": "broken", "a": "def f(:\n", "b": "def f(): pass\n" }),
    ];
    let lines = records.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let folder = Folder::new().and("pairs.jsonl", lines);
    let arguments = ["--jsonl", "pairs.jsonl", "--old-field", "a", "--new-field", "b", "--json"];
    let ended = in_folder(folder.root(), &arguments);
    assert_eq!(ended.code(), 1, "{ended}");
    let found = json_lines(&ended);
    let verdicts: Vec<&Value> = found[..3].iter().map(|found| &found["verdict"]).collect();
    assert_eq!(verdicts, [&json!("equal"), &json!("different"), &json!("unknown")], "{ended}");
    assert_eq!(found[3]["summary"]["different"], 1, "{ended}");
}

//! `surmise invariants`: conditions, their validation by a command, missing guards and their fix, and bad input.

use std::fmt::Write;
use std::process::Command;

use serde_json::Value;

use crate::support::{Ended, Folder, ended, packages, surmise};

const MODULE: &str = "\
import re


class Reader:
    def __init__(self, source=None):
        self.source = source
        self.pending = None

    def flush(self):
        self.pending.write('end')
        self.pending.close()


def number(text, prefix=None):
    found = re.match(r'[0-9]+', text)
    return int(found.group(0))


def shorten(text, limit=None):
    if limit is not None:
        text = text[:limit]
    return text.strip()
";

#[track_caller]
fn invariants(folder: &Folder, arguments: &[&str]) -> Ended {
    let mut command: Command = surmise();
    ended(command.arg("invariants").args(arguments).current_dir(folder.root()).env("PYTHONPATH", packages()))
}

#[track_caller]
fn report(folder: &Folder, arguments: &[&str]) -> (i32, Value) {
    let ended = invariants(folder, &[&["--json"], arguments].concat());
    let text = ended.stdout();
    (ended.code(), serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {ended}")))
}

fn conditions(report: &Value, key: &str) -> Vec<(String, String)> {
    let text = |found: &Value, key: &str| found[key].as_str().unwrap_or_default().to_owned();
    let found = report[key].as_array().map(Vec::as_slice).unwrap_or_default();
    found.iter().map(|found| (text(found, "function"), text(found, "condition"))).collect()
}

#[test]
fn conditions_parse_name_what_is_in_scope_and_come_with_entropy() {
    let folder = Folder::of(&[("m.py", MODULE)]);
    let (code, report) = report(&folder, &["m.py", "--most", "4", "--entropy", "8"]);
    assert_eq!((code, &report["schema"], &report["functions"]), (0, &"surmise.invariants/1".into(), &4.into()));
    let found = report["invariants"].as_array().expect("a list");
    assert!(found.len() >= 4, "{report:#}");
    let mut last = 0.0;
    for invariant in found {
        let entropy = invariant["entropy"].as_f64().expect("a number");
        assert!(entropy >= last && entropy <= 8.0, "{invariant:#}");
        last = entropy;
        assert!(invariant["line"].as_u64() <= invariant["end_line"].as_u64(), "{invariant:#}");
        let condition = invariant["condition"].as_str().expect("a text");
        let (spelled, negation) =
            surmise_instrument::guards::with_negation(condition).unwrap_or_else(|| panic!("{condition}"));
        assert_eq!(spelled, condition);
        assert_ne!(negation, condition);
    }
    let found = conditions(&report, "invariants");
    assert!(found.iter().any(|(function, text)| function == "number" && text.starts_with("found")), "{found:?}");
    assert!(found.iter().all(|(function, text)| function != "shorten" || text != "limit is not None"), "{found:?}");
}

#[test]
fn regions_of_a_line_are_asked_each_by_itself() {
    let folder = Folder::of(&[("m.py", MODULE)]);
    let asked = |more: &[&str]| -> Vec<(u64, u64, String)> {
        let (code, report) = report(&folder, &[&["m.py", "--most", "5", "--entropy", "20"], more].concat());
        assert_eq!(code, 0, "{report:#}");
        let number = |found: &Value, key: &str| found[key].as_u64().expect("a number");
        let found = report["invariants"].as_array().expect("a list").iter();
        let text = |found: &Value| found["condition"].as_str().expect("a text").to_owned();
        found.map(|found| (number(found, "line"), number(found, "end_line"), text(found))).collect()
    };
    // `self.pending.write('end')` by itself, and with the line after it.
    let line = asked(&["--line", "10"]);
    for region in [(10, 10), (10, 11)] {
        let own: Vec<&str> =
            line.iter().filter(|found| (found.0, found.1) == region).map(|found| found.2.as_str()).collect();
        assert!(!own.is_empty() && own.len() <= 5 && own.contains(&"self.pending"), "{region:?} {own:?}");
    }
    assert!(line.iter().all(|found| found.0 == 10), "{line:?}");
    let every = asked(&["--every-region"]);
    assert!(line.iter().all(|found| every.contains(found)), "{line:?} {every:?}");
    assert!(every.iter().any(|found| found.0 != 10), "{every:?}");
    let nowhere = invariants(&folder, &["m.py", "--line", "1"]);
    assert_eq!(nowhere.code(), 2);
    assert!(nowhere.to_string().contains("no region of `m.py` begins at line 1"), "{nowhere}");
    assert_eq!(invariants(&folder, &["m.py", "--line", "0"]).code(), 2);
    assert_eq!(invariants(&folder, &["m.py", "--line", "1", "--every-region"]).code(), 2);
}

#[test]
fn a_command_checks_conditions_at_their_places() {
    let uses = "import m\nassert m.number('12') == 12\nassert m.shorten(' ab ') == 'ab'\nprint('used')\n";
    let folder = Folder::of(&[("m.py", MODULE), ("use.py", uses), ("fails.py", "import m\nm.number('')\n")]);
    let python = surmise_interpreter::PYTHON_VERSION.split('.').next().map(|major| format!("python{major}"));
    let python = python.expect("a version");
    let all = ["--entropy", "12", "--most", "9", "--validate", "m.py", "--", &python];
    let (_, found) = report(&folder, &[&all[..], &["use.py"]].concat());
    assert_eq!(found["suite"], serde_json::json!({"exit_code": 0, "imported": true}));
    let of = |function: &str| -> Vec<String> {
        let all = found["invariants"].as_array().expect("a list");
        let own = all.iter().filter(|found| found["function"] == function);
        own.map(|found| found["validated"]["status"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert!(of("number").iter().any(|status| status == "held"), "{found:#}");
    assert!(of("Reader.flush").iter().all(|status| status == "never-reached"), "{found:#}");
    let failing = invariants(&folder, &[&["--json"], &all[..], &["fails.py"]].concat());
    let text = String::from_utf8_lossy(&failing.stderr).into_owned();
    assert!(text.contains("warning: the command ended with 1"), "{failing}");
    let nothing = invariants(&folder, &[&all[..], &["-c", "pass"]].concat());
    assert!(nothing.to_string().contains("no Python process of the command imported the file"), "{nothing}");
    let none = invariants(&folder, &["--validate", "m.py", "--", "no-such-program"]);
    assert_eq!(none.code(), 2, "{none}");
}

#[test]
fn a_missing_guard_is_proved_and_fixed() {
    let folder = Folder::of(&[("m.py", MODULE)]);
    let (code, found) = report(&folder, &["--missing-guards", "--entropy", "8", "m.py"]);
    let missing = found["missing"].as_array().expect("a list");
    let proved = missing.iter().filter(|found| found["proof"]["proved"] == true).count();
    assert!(proved > 0 && code == 1, "{found:#}");
    assert!(
        missing[..proved].iter().all(|found| found["proof"]["proved"] == true),
        "proved ones come first: {found:#}"
    );
    let error = &missing[0]["proof"]["error"];
    assert!(error["type"].as_str().is_some_and(|kind| kind.ends_with("Error")), "{error:#}");
    let fixed = invariants(&folder, &["--missing-guards", "--entropy", "8", "--fix", "m.py"]);
    let diff = fixed.stdout();
    let condition = missing[0]["condition"].as_str().expect("a text");
    assert!(diff.contains(&format!("if {condition}:")), "{fixed}");
    let removed = diff.lines().filter(|line| line.starts_with('-') && !line.starts_with("---")).count();
    let added = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++")).count();
    assert_eq!(added, removed + 1, "one line is new, the others are indented: {diff}");
}

#[test]
fn a_page_shows_the_source_with_its_conditions() {
    let folder = Folder::of(&[("m.py", MODULE)]);
    let ended = invariants(&folder, &["--html", "page.html", "--entropy", "8", "m.py"]);
    let page = std::fs::read_to_string(folder.root().join("page.html")).expect("a page");
    assert_eq!(ended.code(), 0, "{ended}");
    assert!(page.contains("class=\"condition\"") && page.contains("def shorten(text, limit=None):"), "{page}");
}

#[test]
fn bad_input_is_said_skipped_and_counted() {
    let mut long = String::from("def long(x):\n");
    for number in 0..3000 {
        let _never_fails = writeln!(long, "    y{number} = x.get({number})");
    }
    let odd = "async def f(x):\n    if (y := x):\n        return y\n    if await x:\n        return 1\n    \
               if (lambda: x)():\n        return 2\n    return x.value\n";
    let files = [("two.py", "print 'two'\n"), ("long.py", &long), ("odd.py", odd), ("none.py", "x = 1\n")];
    let folder = Folder::of(&files);
    let two = invariants(&folder, &["two.py"]);
    assert_eq!(two.code(), 2, "{two}");
    assert!(two.to_string().contains("hint: only Python 3 is understood"), "{two}");
    let (_, found) = report(&folder, &["long.py"]);
    assert_eq!(found["left_out"]["long_functions"], 1, "{found:#}");
    let (_, found) = report(&folder, &["odd.py"]);
    assert_eq!(found["functions"], 1, "{found:#}");
    let (code, found) = report(&folder, &["none.py"]);
    assert_eq!((code, &found["functions"], &found["invariants"]), (0, &0.into(), &serde_json::json!([])));
    let none = invariants(&folder, &["none.py", "--missing-guards"]);
    assert_eq!(none.code(), 0, "{none}");
    let model = invariants(&folder, &["none.py", "--model", "."]);
    assert_eq!(model.code(), 2, "{model}");
}

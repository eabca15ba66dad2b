//! `surmise predict`: the network that ships, on programs of all kinds, and what is refused.

use serde_json::Value;

use crate::support::{Ended, Folder, ended, surmise};

const PROGRAM: &str = "n = int(input())\nvalues = list(map(int, input().split()))\nfor i in range(n):\n    \
                       print(values[i] + missing_name)\n";
const DESCRIPTION: &str = "The first line has an integer N. The second line has N integers.";

fn predict(folder: &Folder, arguments: &[&str]) -> Ended {
    ended(surmise().arg("predict").args(arguments).current_dir(folder.root()))
}

fn report(folder: &Folder, arguments: &[&str]) -> Value {
    let ended = predict(folder, &[&["--json"], arguments].concat());
    let report: Value = serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended}"));
    let none = report["none"].as_f64().expect("a probability");
    let probabilities = |key: &str| -> Vec<f64> {
        let all = report[key].as_array().into_iter().flatten();
        all.map(|one| one["probability"].as_f64().expect("a probability")).collect()
    };
    let (errors, lines) = (probabilities("errors"), probabilities("lines"));
    assert_eq!(report["schema"], "surmise.predict/1");
    assert!((none + errors.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{report}");
    assert!(lines.is_empty() || (lines.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{report}");
    for ranked in [&errors, &lines] {
        assert!(ranked.is_sorted_by(|left, right| left >= right), "{report}");
    }
    assert_eq!(ended.code(), i32::from(errors.first().is_some_and(|most| *most > none)), "{report}");
    report
}

/// Checks that there is one error with one hint, and nothing else.
#[track_caller]
fn refused(ended: &Ended, message: &str, hint: &str) {
    let said = ended.stderr();
    let lines: Vec<&str> = said.lines().collect();
    let [error, advice] = lines[..] else { panic!("{ended}") };
    assert!(error.starts_with("error: ") && error.contains(message), "{ended}");
    assert!(advice.starts_with("hint: ") && advice.contains(hint), "{ended}");
    assert_eq!((ended.code(), ended.stdout()), (2, String::new()), "{ended}");
}

#[test]
fn errors_and_lines_are_ranked_and_drawn() {
    let folder = Folder::of(&[("program.py", PROGRAM)]).and("description.txt", DESCRIPTION);
    let found = report(&folder, &["program.py", "--stdin-description", "description.txt", "--html", "page.html"]);
    let lines: Vec<u64> =
        found["lines"].as_array().into_iter().flatten().filter_map(|line| line["line"].as_u64()).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| (1..=4).contains(line)), "{found}");
    assert_eq!(found["described"], true);
    // The file's text and the same text on the command line are one description.
    let untimed = |mut report: Value| {
        assert!(report["time_ms"].take().as_f64().is_some_and(|time| time > 0.0), "{report}");
        report
    };
    let again = report(&folder, &["program.py", "--stdin-description", DESCRIPTION]);
    assert_eq!(untimed(found), untimed(again));
    let page = std::fs::read_to_string(folder.root().join("page.html")).expect("a page");
    assert!(page.contains("Instruction pointer over time") && page.contains("missing_name"), "{page}");
    assert!(!page.contains("<script"), "{page}");
    let text = predict(&folder, &["program.py"]).stdout();
    assert!(text.contains("NameError") && text.contains("line 1: n = int(input())"), "{text}");
    assert!(text.contains("no description of the input was read"), "{text}");
}

#[test]
fn what_the_source_says_against_lines_is_listed() {
    let source = "a, b, c = map(int, input().split())\nb = []\nb.appned(a)\nprint(a + \"x\", undefined)\n";
    let folder = Folder::of(&[("program.py", source)]);
    let description = "format : A B Constraints : 1 ≤ A , B ≤ 9";
    let found = report(&folder, &["program.py", "--stdin-description", description, "--html", "page.html"]);
    let doubts: Vec<(u64, &str)> = found["doubts"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|doubt| Some((doubt["line"].as_u64()?, doubt["kind"].as_str()?)))
        .collect();
    assert_eq!(
        doubts,
        [(1, "input-mismatch"), (3, "missing-attribute"), (4, "undefined-name"), (4, "unsupported-operation")]
    );
    let text = predict(&folder, &["program.py"]).stdout();
    assert!(text.contains("what the source says\n  line 3: the value does not have the attribute\n"), "{text}");
    assert!(!text.contains("by its description"), "{text}");
    let page = std::fs::read_to_string(folder.root().join("page.html")).expect("a page");
    assert!(page.contains("<li>Line 1: the input is something else by its description.</li>"), "{page}");
    // What reads as it should has none.
    let right = Folder::of(&[("right.py", "a, b = map(int, input().split())\nprint(a + b)\n")]);
    let found = report(&right, &["right.py", "--stdin-description", description]);
    assert_eq!(found["doubts"], serde_json::json!([]), "{found}");
}

#[test]
fn descriptions_of_any_kind_are_read() {
    let folder = Folder::of(&[("program.py", PROGRAM)]);
    let long = "The input has an integer. ".repeat(2000);
    for description in ["", " ", "整数 N が与えられる。", "There is no input at all.", "\u{1f40d}\u{0}x", &long]
    {
        if !description.contains('\0') {
            report(&folder, &["program.py", "--stdin-description", description]);
        }
    }
}

#[test]
fn programs_of_any_kind_are_read_and_what_is_left_out_is_said() {
    let many = "x = 1\n".repeat(5_000);
    let programs = [
        ("empty.py", "", ""),
        ("many.py", many.as_str(), "statements are beyond the limit"),
        ("recursion.py", "def f(n):\n    return f(n - 1) if n else 0\nprint(f(3))\n", ""),
        (
            "often.py",
            "def f(n):\n    return 1 / n\nf(1)\nf(0)\n",
            "`f` (line 1) is not followed: it is called more than once",
        ),
        ("generator.py", "def f():\n    yield 1\nprint(list(f()))\n", "a call of it does not run its body"),
        ("class.py", "class C:\n    def m(self):\n        return self.x\nC().m()\n", "`m` (line 2) is not followed"),
        (
            "async.py",
            "import asyncio\nasync def f():\n    pass\nasyncio.run(f())\n",
            "a call of it does not run its body",
        ),
        ("try.py", "try:\n    int(input())\nexcept ValueError:\n    raise\nfinally:\n    print()\n", ""),
        ("broken.py", "print 'x'\nfor i in range(3)\n    pass\n", "is not Python as it stands"),
    ];
    for (name, source, note) in programs {
        let folder = Folder::of(&[(name, source)]);
        let found = report(&folder, &[name]);
        let notes = found["notes"].to_string();
        assert!(notes.contains(note) && (!note.is_empty() || !notes.contains("not followed")), "{name}: {found}");
    }
}

#[test]
fn bad_input_is_refused_in_one_message() {
    let folder = Folder::of(&[("program.py", PROGRAM)]).and("other/errors.json", "{}");
    let config = include_str!("../value-model/data/errors/errors.json");
    let weights: &[u8] = include_bytes!("../value-model/data/errors/errors.safetensors");
    let shape: Value = serde_json::from_str(config).expect("JSON");
    let width = shape["width"].as_u64().expect("a number");
    let wide = config.replace(&format!("\"width\": {width}"), &format!("\"width\": {}", 2 * width));
    let folder = folder.and("wide/errors.json", &wide);
    std::fs::write(folder.root().join("wide/errors.safetensors"), weights).expect("written");
    let hint = "--errors-model takes a folder";
    refused(&predict(&folder, &["program.py", "--errors-model", "wide"]), "statement.weight", hint);
    refused(&predict(&folder, &["program.py", "--errors-model", "other"]), "errors.json", hint);
    refused(&predict(&folder, &["program.py", "--errors-model", "nowhere"]), "nowhere/errors.json", hint);
    refused(&predict(&folder, &["nowhere.py"]), "cannot read `nowhere.py`", "give the path of a Python file");
    let ended = predict(&folder, &["program.py", "--orca", "--stdin-description", "x"]);
    assert_eq!(ended.code(), 2, "{ended}");
}

#[test]
fn what_is_predicted_is_run_under_inputs_that_fit() {
    let folder = Folder::of(&[
        ("program.py", "n = int(input())\nvalues = list(map(int, input().split()))\nprint(values[n])\n"),
        ("right.py", "n = int(input())\nprint(n + 1)\n"),
        ("edge.py", "n = int(input())\nprint(100 // n)\n"),
    ]);
    let described = "An integer N, then N integers.\nformat : N A_1 A_2 ... A_N Constraints : 1 ≤ N ≤ 5 , 1 ≤ A_i ≤ 9";
    let run = |file: &str, options: &[&str]| {
        let mut command = surmise();
        command.args(["predict", "--json", "--verify=12"]).args(options).arg(file).current_dir(folder.root());
        ended(&mut command)
    };
    let found = run("program.py", &["--stdin-description", described]);
    let of = |ended: &Ended| -> Value {
        serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended}"))
    };
    let report = of(&found);
    assert_eq!(
        (found.code(), &report["found"][0]["type"], &report["found"][0]["line"]),
        (1, &"IndexError".into(), &3.into())
    );
    assert!(report["found"][0]["stdin"].as_str().is_some_and(|text| text.lines().count() == 2), "{report}");
    assert_eq!(report["found"][0]["typical"], true, "{report}");
    // Whether the least number is allowed is for the description to say.
    let edge = run("edge.py", &["--stdin-description", "format : N Constraints : 0 ≤ N ≤ 1000"]);
    let report = of(&edge);
    assert_eq!(
        (&report["found"][0]["type"], &report["found"][0]["typical"]),
        (&"ZeroDivisionError".into(), &false.into())
    );
    let right = run("right.py", &[]);
    assert_eq!((right.code(), &of(&right)["found"]), (0, &serde_json::json!([])), "{right}");
}

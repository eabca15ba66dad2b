//! Searches over many runs of one snippet: what they reach, their verdicts on errors, and where they end.

use crate::support::{Ended, Folder, Stdin, ended_with, python_minor, surmise, tests_folder};
use serde_json::{Value, json};

/// Report of `surmise run --json` on a snippet, by default with the naive predictor, so that the result does not depend
/// on the training of the model.
#[track_caller]
fn searched(snippet: &str, arguments: &[&str]) -> Value {
    let (report, _) = ended(snippet, arguments);
    report
}

#[track_caller]
fn ended(snippet: &str, arguments: &[&str]) -> (Value, Ended) {
    let naive: &[&str] = if arguments.contains(&"--predictor") { &[] } else { &["--predictor", "naive"] };
    let mut command = surmise();
    command.args(["run", "--json"]).args(naive).args(arguments).arg("-");
    let ended = ended_with(&mut command, Stdin::Pipe(snippet.as_bytes()));
    (ended.report(), ended)
}

#[track_caller]
fn missed(snippet: &str, arguments: &[&str]) -> Vec<u64> {
    let report = searched(snippet, arguments);
    report["lines"]["missed_lines"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect()
}

/// Verdict on an error of this class, with the names on which it depends.
#[track_caller]
fn verdict(report: &Value, kind: &str) -> (String, Vec<String>) {
    let errors = report["errors"].as_array().expect("a list");
    let error = errors.iter().find(|error| error["type"] == kind).unwrap_or_else(|| panic!("no {kind}: {report}"));
    let names = error["depends_on"].as_array().expect("a list").iter();
    let names = names.map(|value| value["name"].as_str().unwrap_or_default().to_owned());
    (error["verdict"].as_str().unwrap_or_default().to_owned(), names.collect())
}

#[test]
fn the_most_plausible_run_is_named_beside_the_one_that_covers_most() {
    let snippet =
        "rows = load()\nif rows.broken:\n    rows.mend()\n    rows.log()\n    raise ValueError(rows)\nprint(rows)\n";
    let report = searched(snippet, &[]);
    assert_eq!(report["best_run"]["covered_lines"], json!([1, 2, 3, 4, 5]), "{report}");
    let plausible = &report["plausible_run"];
    assert_eq!(plausible["covered_lines"], json!([1, 2, 6]), "{report}");
    assert_eq!((&plausible["outcome"], &plausible["error"]), (&json!("completed"), &json!(null)), "{report}");
    let mut command = surmise();
    command.args(["run", "--predictor", "naive", "-"]);
    let shown = ended_with(&mut command, Stdin::Pipe(snippet.as_bytes())).stdout();
    let first = shown.lines().next().unwrap_or_default();
    assert!(first.starts_with("most plausible: run 1 of") && first.ends_with("among them 3, 4, 5"), "{shown}");
}

#[test]
fn every_choice_of_a_menu_is_made() {
    let snippet = "\
while True:
    choice = input('1) add  2) list  q) quit: ')
    if choice == '1':
        print('added')
    elif choice == '2':
        print('listed')
    elif choice == 'q':
        break
    else:
        print('unknown')
print('bye')
";
    let report = searched(snippet, &["--runs", "1"]);
    assert_eq!((&report["outcome"], &report["error"]), (&json!("completed"), &json!(null)), "{report}");
    let printed = report["stdout"].as_str().expect("text");
    assert!(["added", "listed", "bye"].iter().all(|line| printed.contains(line)), "{printed}");
    assert_eq!(missed(snippet, &[]), Vec::<u64>::new());
    // What is made a number of is never a letter, and what is taken apart keeps its form.
    let numbers = "while True:\n    guess = int(input())\n    if guess == 7:\n        break\n    a, b = input().split('=')\n    if a == 'x':\n        print(b)\n";
    let report = searched(numbers, &["--runs", "1"]);
    assert_eq!((&report["outcome"], &report["errors"]), (&json!("completed"), &json!([])), "{report}");
}

#[test]
fn a_text_that_is_taken_apart_may_have_any_number_of_parts() {
    for snippet in ["a, b = input().split(sep)\nprint(b)\n", "text = input()\na, b = text.split('=')\nprint(b)\n"] {
        let report = searched(snippet, &[]);
        let errors = report["errors"].as_array().expect("a list");
        assert!(errors.iter().all(|error| error["verdict"] != "certain"), "{report}");
        assert_eq!(report["lines"]["missed_lines"], json!([]), "{report}");
    }
    let (wrong, names) = verdict(&searched("a, b = 'x=y=z'.split('=')\nprint(b, other)\n", &[]), "ValueError");
    assert_eq!((wrong.as_str(), names), ("certain", Vec::new()));
}

#[test]
fn both_sides_of_branches_are_taken() {
    let snippet = "\
if ready:
    mode = 'a'
else:
    mode = 'b'
for row in rows:
    if row.kind == 'big':
        print(row)
    elif len(row.parts) == 7:
        print('seven')
    else:
        print('other')
else:
    print('end')
if total > 100:
    exit(1)
print('small')
";
    assert_eq!(missed(snippet, &[]), Vec::<u64>::new());
    assert!(!missed(snippet, &["--runs", "1"]).is_empty(), "one run cannot do both");
}

#[test]
fn strings_and_numbers_of_conditions_are_tried() {
    let snippet = "\
name = input()
if name == 'secret':
    print(1)
elif name.startswith('x-'):
    print(2)
count = int(name) if name.isdigit() else load().count
if count == 42:
    print(3)
if 'key' in options():
    print(4)
";
    assert_eq!(missed(snippet, &["--predictor", "model"]), Vec::<u64>::new());
}

#[test]
fn handlers_and_what_follows_an_expected_failure_are_reached() {
    let snippet = "\
try:
    import simplejson_of_nobody as json
    fast = json.loads
except ImportError:
    import json
    fast = None
try:
    value = store.load('a')
except KeyError:
    value = None
except (OSError, store.Locked) as error:
    value = error
";
    assert_eq!(missed(snippet, &[]), Vec::<u64>::new());
}

/// An exception class that is itself missing can be raised into its handler.
#[test]
fn handlers_of_missing_classes_are_entered() {
    let snippet = "\
try:
    value = fetch(key)
except MissingError as error:
    value = str(error)
except client.errors.Timeout:
    value = None
print(value)
";
    assert_eq!(missed(snippet, &[]), Vec::<u64>::new());
    let report = searched(snippet, &[]);
    let named = |name: &str| report["injections"].as_array().expect("a list").iter().any(|found| found["name"] == name);
    assert!(named("MissingError") && named("client"), "{report}");
}

/// Both sides are reached, whatever the predictor makes of the condition.
#[test]
fn a_condition_behind_a_not_goes_both_ways() {
    let snippet = "if not allowed(user):\n    raise ValueError(user)\nprint(1 if not names else 2)\nprint('on')\n";
    for predictor in ["naive", "model", "frequency"] {
        let report = searched(snippet, &["--predictor", predictor]);
        assert_eq!(report["lines"]["missed_lines"], json!([]), "{predictor}: {report}");
        let (found, _) = verdict(&report, "ValueError");
        assert_eq!(found, "conditional", "{predictor}");
    }
}

#[test]
fn an_import_whose_failure_ends_the_snippet_is_tried() {
    let snippet =
        "try:\n    import missing_one\nexcept ImportError:\n    raise SystemError('install it')\nprint('on')\n";
    let report = searched(snippet, &[]);
    assert_eq!(report["lines"]["missed_lines"], json!([]), "{report}");
    assert_eq!(verdict(&report, "SystemError").0, "conditional", "{report}");
}

#[test]
fn functions_that_nobody_calls_are_called() {
    let snippet = "\
class Reader(Base):
    limit = 3

    def __init__(self, path):
        self.path = path

    def rows(self):
        for row in self.path.split(','):
            yield row

    @property
    def size(self):
        return len(self.path)

    @staticmethod
    def helper(x, *, y):
        return x + y

    @classmethod
    def make(cls, text):
        return cls(text)


async def fetch(session):
    async with session.get('/') as reply:
        return await reply.json()


def used():
    return 1


used()
";
    assert_eq!(missed(snippet, &[]), Vec::<u64>::new());
    assert!(missed(snippet, &["--no-drive"]).contains(&5));
    let report = searched("def f(x):\n    return x.a + int('b')\n", &[]);
    assert_eq!(report["outcome"], json!("completed"), "the snippet itself does: {report}");
    assert_eq!(report["errors"][0]["function"], json!("f"), "{report}");
    let report = searched("def f(x):\n    return [1][2] + x.a\n", &[]);
    // Before Python 3.11 errors have no column: the read that was answered may be what failed.
    assert_eq!(verdict(&report, "IndexError").0, if python_minor() < 11 { "conditional" } else { "certain" });
}

#[test]
fn the_only_run_calls_functions_after_the_module() {
    let snippet = "\
print('module')
def fails(rows):
    print('called')
    raise ValueError('no')
def never_ends():
    while True:
        try:
            pass
        except:
            pass
class Shop:
    def price(self, item):
        return item.price * 2
def used(value):
    return value
used(1)
def leaves():
    raise SystemExit(3)
def crashes():
    import os
    os._exit(3)
";
    let report = searched(snippet, &["--runs", "1"]);
    // Python 3.9 may take the signal that ends the call inside of the `try`, newer ones where the loop jumps back.
    let left = &report["lines"]["missed_lines"];
    assert!(*left == json!([9, 10]) || (python_minor() < 10 && *left == json!([])), "{left}");
    assert_eq!(
        (&report["outcome"], &report["exit_code"], &report["runs"]),
        (&json!("completed"), &json!(0), &json!(1))
    );
    assert_eq!((&report["stdout"], &report["error"]), (&json!("module\n"), &Value::Null));
    let errors: Vec<_> = report["errors"].as_array().expect("a list").iter().map(|error| &error["function"]).collect();
    assert_eq!(errors, [&json!("fails")]);
    let mut never_called = vec![3, 4, 6, 7, 8, 9, 10, 13, 18, 20, 21];
    // Nor does Python 3.9 have an instruction for `while True`.
    never_called.retain(|&line| python_minor() >= 10 || line != 6);
    assert_eq!(missed(snippet, &["--runs", "1", "--no-drive"]), never_called);
}

#[test]
fn parameters_with_defaults_get_other_values_too() {
    let snippet = "\
class Node:
    def __init__(self, value, left=None):
        self.value = value
        if left is not None:
            self.left = left.copy()
def load(path, mode='fast', *, limit=0):
    if mode == 'slow':
        print('slow')
    if limit > 10:
        return path[:limit]
    return path
";
    assert_eq!(missed(snippet, &[]), Vec::<u64>::new());
    let function = ["--function", "load"];
    assert_eq!(missed(snippet, &function), Vec::<u64>::new());
}

/// A function that the module did not reach to define is not reported as an error.
#[test]
fn functions_behind_an_error_are_not_called() {
    let report = searched("assert 1 == 2\ndef behind(key):\n    return key\n", &[]);
    let errors: Vec<_> = report["errors"].as_array().expect("a list").iter().map(|error| &error["type"]).collect();
    assert_eq!(errors, [&json!("AssertionError")]);
}

/// A loop that asks until the input is right gets `EOFError` in the end.
#[test]
fn input_is_not_answered_for_ever() {
    let report = searched("while input('?') != str(10 ** 9):\n    print('again')\nprint('end')\n", &["--runs", "1"]);
    assert_eq!((&report["outcome"], &report["error"]["type"]), (&json!("error"), &json!("EOFError")));
    assert_eq!(missed("while input('?') != 'quit':\n    print('again')\nprint('end')\n", &[]), Vec::<u64>::new());
}

/// The example of the README: real code checks its arguments, and only values of the predicted classes pass.
#[test]
fn the_models_values_carry_a_run_through_where_objects_do_not() {
    let snippet = std::fs::read_to_string(tests_folder().join("../docs/columns.py")).expect("the README's example");
    let by_model = searched(&snippet, &["--runs", "1", "--predictor", "model"]);
    assert_eq!((&by_model["outcome"], &by_model["lines"]["missed_lines"]), (&json!("completed"), &json!([2])));
    let by_naive = searched(&snippet, &["--runs", "1"]);
    assert_eq!((&by_naive["error"]["type"], &by_naive["error"]["line"]), (&json!("TypeError"), &json!(2)));
}

/// After a single run it is unknown whether another would avoid a condition on injected values.
#[test]
fn an_error_behind_a_condition_is_not_certain_after_one_run() {
    let snippet = "if not isinstance(name, str):\n    raise TypeError('no text')\nprint(name)\n";
    assert_eq!(verdict(&searched(snippet, &["--runs", "1"]), "TypeError").0, "conditional");
    assert_eq!(verdict(&searched(snippet, &[]), "TypeError").0, "conditional");
    let always = "limit = 3\nif limit < 5:\n    raise ValueError('too low')\nprint(name)\n";
    assert_eq!(verdict(&searched(always, &["--runs", "1"]), "ValueError").0, "certain");
}

#[test]
fn sets_of_injected_objects_have_the_same_order_in_each_run() {
    let snippet = "print({a, b, c, d, e, f, g, h, i.j, k(), l(), m[0]})\n";
    let printed = || searched(snippet, &["--runs", "1"])["stdout"].clone();
    let first = printed();
    assert!(first.as_str().is_some_and(|text| text.contains("<k()>")), "{first}");
    assert!((0..3).all(|_| printed() == first));
}

/// The outcome of a run is that of the module, whatever is called after it.
#[test]
fn functions_are_called_after_a_module_that_failed() {
    let snippet = "\
def first():
    return 1
def leaves():
    import os
    os._exit(3)
print('before')
{}['module']
def behind():
    return 2
";
    let (report, ended) = ended(snippet, &["--runs", "1"]);
    assert_eq!(report["lines"]["missed_lines"], json!([8, 9]));
    assert_eq!((&report["error"]["type"], &report["error"]["line"]), (&json!("KeyError"), &json!(7)));
    assert_eq!(ended.code(), 1);
    assert_eq!(report["errors"].as_array().map(Vec::len), Some(1));
}

#[test]
fn names_that_are_the_bug_are_named_though_a_value_was_injected() {
    let snippet = "\
def total(rows):
    for row in rows:
        last = row
    return last
count = total(data)
print(coutn)
if count:
    result = 1
print(result)
";
    let report = searched(snippet, &[]);
    assert_eq!(verdict(&report, "UnboundLocalError").0, "conditional", "{report}");
    let errors = report["errors"].as_array().expect("a list");
    let named: Vec<(&Value, &Value)> = errors.iter().map(|error| (&error["line"], &error["hint"])).collect();
    assert!(named.contains(&(&json!(6), &json!("did you mean `count`?"))), "{report}");
    assert!(named.contains(&(&json!(9), &Value::Null)), "{report}");
    assert!(errors.iter().all(|error| error["passed_over"] == true), "{report}");
    let global = "count = 0\ndef add():\n    count += 1\nadd()\nmissing\n";
    let report = searched(global, &[]);
    assert_eq!((verdict(&report, "UnboundLocalError").0.as_str(), &report["outcome"]), ("certain", &json!("error")));
    let program = "n = int(input())\nprint(n + limit)\n";
    assert_eq!(verdict(&searched(program, &[]), "NameError").0, "conditional");
    let innocent = "name = name.strip()\nprint(name, other)\n";
    assert_eq!(searched(innocent, &[])["errors"], json!([]));
}

#[test]
fn an_error_that_no_value_avoids_is_certain() {
    let report = searched("x = load()\nprint(x.name)\nprint('a' + 1)\n", &[]);
    assert_eq!(verdict(&report, "TypeError"), ("certain".to_owned(), vec![]));
    let report = searched("print(1)\nprint([1][3])\n", &[]);
    assert_eq!(verdict(&report, "IndexError"), ("certain".to_owned(), vec![]));
}

#[test]
fn an_error_that_needs_a_value_is_conditional() {
    let report = searched("total = int(count())\nif total == 0:\n    print('none')\nprint(10 / total)\n", &[]);
    assert_eq!(verdict(&report, "ZeroDivisionError"), ("conditional".to_owned(), vec!["count".to_owned()]));
    let report = searched("if mode == 'x':\n    raise ValueError(mode)\nprint(mode)\n", &[]);
    assert_eq!(verdict(&report, "ValueError").0, "conditional");
}

#[test]
fn an_error_that_another_class_avoids_is_a_guess() {
    // The predictor expects a number of a function named `get_count`.
    let snippet = "row = {}\nrow['x'] = get_count()\nprint('a' + row['x'])\nprint('end')\n";
    let report = searched(snippet, &["--predictor", "frequency"]);
    assert_eq!(verdict(&report, "TypeError"), ("guess".to_owned(), vec!["get_count".to_owned()]));
    assert_eq!((&report["outcome"], &report["lines"]["missed_lines"]), (&json!("completed"), &json!([])), "{report}");
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let snippet =
        "for item in items:\n    if item.a > limit and item.b:\n        use(item)\n    else:\n        drop(item)\n";
    let reports: Vec<Value> = (0..2)
        .map(|_| {
            let mut report = searched(snippet, &["--predictor", "model", "--seed", "5"]);
            report["time_ms"] = Value::Null;
            report
        })
        .collect();
    assert_eq!(reports[0], reports[1]);
}

#[test]
fn the_budget_holds_whatever_the_snippet_does() {
    let report = searched("a = f()\nif a.b: pass\nelif a.c: pass\nelif a.d: pass\nelse: pass\n", &["--runs", "3"]);
    assert!(report["runs"].as_u64().is_some_and(|runs| runs <= 3), "{report}");
    let endless = "import os\nwhile go():\n    pass\nif flag:\n    os._exit(3)\nwhile True:\n    a = 1\n    b = 2\n";
    let (report, ended) = ended(endless, &["--time", "2", "--timeout", "1"]);
    assert_eq!(report["outcome"], json!("timeout"), "{report}");
    assert!(ended.wall.as_secs() < 20, "{ended}");
}

#[test]
fn a_snippet_that_answers_differently_every_time_is_found_out() {
    let snippet =
        "import os\nx = missing()\nif os.getpid() % 2:\n    y = 1\nelse:\n    y = 2\nraise ValueError(os.getpid())\n";
    assert_eq!(searched(snippet, &[])["unsteady"], json!(true));
    let steady = "import os\nx = missing()\nif x.flag:\n    y = 1\nelse:\n    y = 2\n";
    assert_eq!(searched(steady, &[])["unsteady"], json!(false));
}

#[test]
fn every_run_reads_the_same_standard_input() {
    let snippet = "line = input()\nif flag:\n    print('yes', line)\nelse:\n    print('no', line)\n";
    let folder = Folder::of(&[("snippet.py", snippet)]);
    let mut command = surmise();
    command.args(["run", "--json", "--predictor", "naive"]).arg(folder.path("snippet.py"));
    let ended = ended_with(&mut command, Stdin::Pipe(b"given\n"));
    let report = ended.report();
    assert_eq!(report["lines"]["missed_lines"], json!([]), "{report}");
    assert!(report["stdout"].as_str().is_some_and(|text| text.ends_with("given\n")), "{report}");
}

/// Class and line of the errors that are reported as certain or conditional.
#[track_caller]
fn reported(snippet: &str) -> Vec<(String, u64)> {
    let report = searched(snippet, &[]);
    let errors = report["errors"].as_array().expect("a list").iter();
    let found = errors.filter(|error| error["verdict"] != "guess");
    found
        .map(|error| (error["type"].as_str().unwrap_or_default().to_owned(), error["line"].as_u64().unwrap_or(0)))
        .collect()
}

fn error(kind: &str, line: u64) -> Vec<(String, u64)> {
    vec![(kind.to_owned(), line)]
}

#[test]
fn real_values_raise_what_stand_ins_hide() {
    let first = "best = rows[0]\nfor row in rows[1:]:\n    if row > best:\n        best = row\nprint(best)\n";
    assert_eq!(reported(first), error("IndexError", 1));
    let spread = "kept = []\nfor row in rows:\n    if row not in kept:\n        kept += row\nprint(kept)\n";
    assert_eq!(reported(spread), error("TypeError", 4), "numbers do not extend a list");
    let nothing = "kept = []\nfor row in rows:\n    kept = kept.append(row)\nprint(kept)\n";
    assert_eq!(reported(nothing), error("AttributeError", 3), "`append` gives nothing");
    let gone =
        "for row in list(rows):\n    if row > 1:\n        rows.remove(row)\n        rows.remove(row)\nprint(rows)\n";
    assert!(reported(gone).contains(&("ValueError".to_owned(), 4)));
}

#[test]
fn code_that_takes_care_of_its_edges_is_not_blamed() {
    for snippet in [
        "if not rows:\n    exit(0)\nprint(max(rows) + rows[0])\n",
        "total = 0\nfor i in range(len(rows)):\n    if limit < rows[i]:\n        total += rows[i]\nprint(total)\n",
        "for name, age in people:\n    print(name.upper(), age + 1)\n",
        "if len(rows) == 0:\n    exit(0)\nfor i in range(len(rows)):\n    print(rows[i])\nprint(i)\n",
    ] {
        assert_eq!(reported(snippet), [], "{snippet}");
    }
}

#[test]
fn texts_in_the_right_shape_lead_to_the_error_behind() {
    let behind = "\
count, step = map(int, first.split())
rows = [int(part) for part in second.split()]
for i in range(count):
    print(rows[i] + step)
print('sum: ' + sum(rows))
";
    assert_eq!(reported(behind), error("TypeError", 5));
    // The code does not define which input it requires.
    let input = "count, step = map(int, first.split())\nprint(count // step)\n";
    assert_eq!(reported(input), []);
    let arity = "rows = list(int, text.split())\nprint(rows)\n";
    assert_eq!(reported(arity), error("TypeError", 1));
    let never = "count = int(text)\nprint('%d of %d' (count, count))\n";
    assert_eq!(reported(never), error("TypeError", 2));
}

#[test]
fn names_of_incomplete_programs_are_judged_by_what_the_code_binds() {
    assert_eq!(
        reported("rows = [int(x) for x in text.split()]\nsum = sum(rows)\nprint(sum)\n"),
        error("UnboundLocalError", 2)
    );
    assert_eq!(reported("sum = sum([1, 2])\nprint(sum)\n"), [], "as it stands, it runs");
    assert_eq!(reported("rows = [row for _ in parts()]\nprint([row for row in rows])\n"), error("NameError", 1));
    assert_eq!(reported("a, b = text.split()\nif a == b:\n    print(YES)\n"), error("NameError", 3));
    assert_eq!(reported("a, b = text1.split()\nc = text2\nprint(a, b, c, text3)\n"), []);
    assert_eq!(reported("for row in lst:\n    print(row)\n"), [], "`lst` is no `list`");
    assert_eq!(reported("name = fetch()\npritn(name)\n"), error("NameError", 2));
    assert_eq!(reported("if rows:\n    rows = rows[1:]\nprint(rows)\n"), [], "a parameter");
}

#[test]
fn functions_of_one_line_are_called_too() {
    let snippet = "def one(x): return x.part\nif limit > 3:\n    raise ValueError(limit)\ndef other(y): return y\n";
    let report = searched(snippet, &[]);
    assert_eq!(report["lines"]["missed_lines"], json!([]), "{report}");
}

#[test]
fn what_an_import_that_was_left_out_raises_is_the_code_s_own() {
    let snippet = "rows = [1, 2]\nprint(rows[math.floor(2.5)])\n";
    let report = searched(snippet, &[]);
    assert_eq!(verdict(&report, "IndexError"), ("certain".to_owned(), Vec::new()));
    let report = searched(snippet, &["--no-inject", "imports"]);
    assert_eq!(report["outcome"], "completed", "{report}");
}

//! Changes that keep behaviour: what must not be called different, and how much is run to say so.

use std::process::Command;

use serde_json::{Value, json};
use surmise_instrument::SourceModel;
use surmise_instrument::equivalent::equivalent;

use crate::support::repo::Repo;
use crate::support::traced::PYTHON;
use crate::support::{Folder, Stdin, check_all, file_name, programs, run, tests_folder};

/// Beginnings of the names of programs that print what they see of their own text, names of variables, or in which order
/// operators get their operands.
const SEE_THEIR_TEXT: [&str; 4] = ["class_operators", "exc_name", "intro_", "tb_"];

/// What is said of the only function that a commit changes.
#[track_caller]
fn compared(old: &[(&str, &str)], new: &[(&str, &str)]) -> Value {
    let repo = Repo::new(old);
    repo.commit(new);
    let documents = repo.documents(&["HEAD"]);
    let [found] = &documents.iter().filter(|found| found["runs"] != json!(0)).collect::<Vec<_>>()[..] else {
        panic!("one function that was run: {documents:#?}")
    };
    (*found).clone()
}

#[test]
fn an_extracted_helper_runs_as_the_code_that_it_was() {
    let head = "import random\nclass Tally:\n    def __init__(self):\n        self.update()\n    def update(self):\n        \
                self._size = 3\n";
    let old = format!("{head}    def size(self):\n        return self._size * random.choice(self._parts)\n");
    let new = format!(
        "{head}    def size(self):\n        return product(self)\ndef product(self):\n    return self._size * \
         random.choice(self._parts)\n"
    );
    let found = compared(&[("p/__init__.py", ""), ("p/a.py", &old)], &[("p/a.py", &new)]);
    assert_eq!((&found["verdict"], &found["in_place"]), (&json!("equal"), &json!(true)), "{found:#}");
    let wrong = new.replace("return self._size *", "return 1 + self._size *");
    let found = compared(&[("p/__init__.py", ""), ("p/a.py", &old)], &[("p/a.py", &wrong)]);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn what_an_equivalent_rewrite_changes_as_well_is_no_difference() {
    let old = "def f(a):\n    rows = []\n    a.keep(a)\n    return f.__code__.co_varnames\n";
    let new = "def f(a):\n    lines = [*()]\n    a.keep(a)\n    return f.__code__.co_varnames\n";
    // By itself, in its module, and in one whose import needs something made up.
    for (package, head) in [("", ""), ("p/", ""), ("p/", "import nowhere\nKEPT = nowhere.kept()\n")] {
        let [old, new] = [old, new].map(|text| format!("{head}{text}"));
        let (init, file) = (format!("{package}__init__.py"), format!("{package}a.py"));
        let mut files = vec![(file.as_str(), old.as_str())];
        files.extend((!package.is_empty()).then_some((init.as_str(), "")));
        let found = compared(&files, &[(file.as_str(), &new)]);
        assert_eq!(found["verdict"], "unknown", "{found:#}");
        assert_eq!(found["in_place"], !package.is_empty(), "{found:#}");
        let reason = found["reason"].as_str().expect("a text");
        assert!(reason.contains("equivalent rewrite of itself"), "{reason}");
    }
    let wrong = new.replace("keep(a)", "keep(a, 1)");
    let found = compared(&[("a.py", old)], &[("a.py", &wrong)]);
    assert_eq!(found["verdict"], "different", "what comes before is a difference: {found:#}");
}

#[test]
fn runs_end_when_no_path_is_new() {
    let text = |body: &str| format!("def f(a: int):\n    if a > 0:\n        return 1\n    return {body}\n");
    let old = [("p/__init__.py", ""), ("p/a.py", &*text("a + a"))];
    let found = compared(&old, &[("p/a.py", &text("2 * a"))]);
    assert_eq!((&found["verdict"], &found["in_place"]), (&json!("equal"), &json!(true)), "{found:#}");
    let runs = found["runs"].as_u64().expect("a number");
    assert!((20..50).contains(&runs), "both paths are known long before the 64th run: {runs}");
}

#[test]
fn what_an_import_stands_for_is_unknown_where_it_cannot_be_made() {
    let old =
        "from .compat import without\nfrom .gone import x\nraise ImportError\ndef f(a):\n    return without(a, [])\n";
    let new = "import itertools\nfrom .gone import x\nraise ImportError\ndef f(a):\n    return \
               itertools.filterfalse(a, [])\n";
    let found = compared(&[("p/__init__.py", ""), ("p/a.py", old)], &[("p/a.py", new)]);
    assert_eq!((&found["verdict"], &found["in_place"]), (&json!("unknown"), &json!(false)), "{found:#}");
    let other = old.replace("without(a, [])", "without(a, [1])");
    let found = compared(&[("p/__init__.py", ""), ("p/a.py", old)], &[("p/a.py", &other)]);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn what_other_code_reads_of_an_object_is_no_change_of_it() {
    let text = |call: &str| {
        format!(
            "class C:\n    def __init__(self, n):\n        self.n = n\n    def show(self):\n        return self.m\n    def \
             f(self, k: int):\n{call}        return k + 1\n"
        )
    };
    let old = [("p/__init__.py", ""), ("p/a.py", &*text("        self.show()\n"))];
    let found = compared(&old, &[("p/a.py", &text("        k and self.show()\n"))]);
    assert_eq!((&found["verdict"], &found["in_place"]), (&json!("equal"), &json!(true)), "{found:#}");
}

#[test]
fn calls_of_attributes_are_named_whatever_the_locals_are_called() {
    let text = |local: &str| {
        format!(
            "def f(pool):\n    {local} = pool.get()\n    if {local} is None:\n        {local} = pool.instance()\n    \
                 return [{local}]\n"
        )
    };
    let (old, new) = (text("instance"), text("found").replace("[found]", "list([found])"));
    let found = compared(&[("a.py", &old)], &[("a.py", &new)]);
    assert_eq!(found["verdict"], "equal", "{found:#}");
}

#[test]
fn a_private_function_is_called_as_the_module_calls_it() {
    let text = |name: &str, parameter: &str| {
        format!("def {name}(row{parameter}):\n    return [row]\ndef all_of(rows, options):\n    return rows\n")
    };
    for (name, verdict) in [("_format", "equal"), ("format", "different")] {
        let found = compared(&[("a.py", &text(name, ", options"))], &[("a.py", &text(name, ""))]);
        assert_eq!(found["verdict"], verdict, "{found:#}");
    }
}

#[test]
fn a_method_that_is_renamed_has_the_same_object() {
    let text = |name: &str, last: &str| {
        format!(
            "class Cache:\n    def __init__(self, size):\n        self.size = size\n        self.count = 0\n        self.data = \
             {{}}\n        self.order = []\n    def {name}(self, key: str):\n        self.order = [key]\n        self.last = \
             key\n        self.first = None\n{last}"
        )
    };
    let old = [("p/__init__.py", ""), ("p/a.py", &*text("_update", ""))];
    let found = compared(&old, &[("p/a.py", &text("_touch", "        return None\n"))]);
    assert_eq!((&found["verdict"], &found["in_place"]), (&json!("equal"), &json!(true)), "{found:#}");
}

#[test]
fn a_class_that_is_renamed_is_the_same_class() {
    let text = |error: &str, class: &str, test: &str| {
        format!(
            "class {error}(Exception):\n    pass\nclass {class}:\n    def __init__(self, text):\n        self.text = text\n    \
             def check(self, text: str):\n        if {test}:\n            raise {error}(self.text)\n        return \
             {class}(text)\ndef of(text: str):\n    if {test}:\n        return None\n    return {class}(text)\n"
        )
    };
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", &text("CutError", "Cut", "not text"))]);
    repo.commit(&[("p/a.py", &text("PieceError", "Piece", "text == ''"))]);
    let verdict = |name: &str, verdict: &str| {
        let documents = repo.documents(&["HEAD"]);
        let found = documents.iter().find(|found| found["name"] == name).expect("it is compared");
        assert_eq!((&found["verdict"], &found["in_place"]), (&json!(verdict), &json!(true)), "{found:#}");
    };
    verdict("p/a.py::Piece.check (was Cut.check)", "equal");
    verdict("p/a.py::of", "equal");
    repo.commit(&[("p/a.py", &text("PieceError", "Piece", "text == 'x'"))]);
    verdict("p/a.py::Piece.check", "different");
    verdict("p/a.py::of", "different");
}

#[test]
fn where_a_revision_lies_is_no_behaviour_of_it() {
    let text = |made: &str| {
        format!(
            "import os\ndef f(name: str):\n    folder = os.path.dirname(__file__)\n    print(folder)\n    return {made}\n"
        )
    };
    let old = [("p/__init__.py", ""), ("p/a.py", &*text("folder + '/' + name"))];
    let found = compared(&old, &[("p/a.py", &text("f'{folder}/{name}'"))]);
    assert_eq!((&found["verdict"], &found["in_place"]), (&json!("equal"), &json!(true)), "{found:#}");
    let found = compared(&old, &[("p/a.py", &text("f'{folder}//{name}'"))]);
    assert_eq!(found["verdict"], "different", "{found:#}");
    let old_value = found["witness"]["old"].as_str().unwrap_or_default();
    assert!(old_value.contains("<project>/p/"), "{old_value}");
}

#[test]
fn code_for_other_versions_of_python_is_not_to_be_reached() {
    let old = "import sys\nPY3 = sys.version_info[0] > 2\ndef f(a):\n    if not PY3:\n        a = a.encode()\n    return \
               str(a)\n";
    let new = "import sys\ndef f(a):\n    return str(a)\n";
    let found = compared(&[("a.py", old)], &[("a.py", new)]);
    assert_eq!(found["verdict"], "equal", "{found:#}");
}

#[test]
fn numbers_are_formatted_alike_in_either_way() {
    let text = |line: &str| format!("def f(job):\n    print({line})\n");
    let old = [("a.py", &*text("'%.2f %s' % (job.seconds, job.name)"))];
    let found = compared(&old, &[("a.py", &text("f'{job.seconds:.2f} {job.name}'"))]);
    assert_eq!(found["verdict"], "equal", "{found:#}");
    let found = compared(&old, &[("a.py", &text("f'{job.seconds:.3f} {job.name}'"))]);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn members_of_enumerations_that_are_numbers_count_as_numbers() {
    let text = |head: &str, prefix: &str| {
        format!(
            "{head}def f(item):\n    kind = item.kind\n    if kind == {prefix}A:\n        return 1\n    if kind == \
             {prefix}B:\n        return 2\n    return 3\n"
        )
    };
    let old = [("p/__init__.py", ""), ("p/a.py", &*text("A = 10\nB = 11\n", ""))];
    let enumeration = "from enum import IntEnum\nclass Kind(IntEnum):\n    A = 10\n    B = 11\n";
    let found = compared(&old, &[("p/a.py", &text(enumeration, "Kind."))]);
    assert_eq!((&found["verdict"], &found["in_place"]), (&json!("equal"), &json!(true)), "{found:#}");
    let found = compared(&old, &[("p/a.py", &text(&enumeration.replace("11", "12"), "Kind."))]);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn what_comes_before_a_refusal_of_both_is_possible_at_most() {
    let text = |call: &str, operand: &str| format!("def f(rows):\n    {call}return [] + {operand}\n");
    for (call, operand, verdict) in [
        ("rows.count(); ", "None", "possible"),
        ("rows.count(); ", "[1]", "different"),
        ("rows.x = 1; ", "[1]", "different"),
    ] {
        let found = compared(&[("a.py", &text("", operand))], &[("a.py", &text(call, operand))]);
        assert_eq!(found["verdict"], verdict, "{call}{operand}: {found:#}");
    }
    let (old, new) = (text("rows.count(); ", "None"), text("rows.size(); ", "None"));
    let found = compared(&[("a.py", &old)], &[("a.py", &new)]);
    assert_eq!(found["verdict"], "different", "both do something before: {found:#}");
}

#[test]
fn equivalent_rewrites_of_complete_programs_behave_the_same() {
    let folder = tests_folder().join("complete");
    check_all(
        &programs(&folder),
        |program| file_name(program),
        |program| {
            let text = std::fs::read_to_string(program).unwrap_or_default();
            let rewritten = SourceModel::parse(text).ok().and_then(|model| equivalent(&model));
            let Some(rewritten) = rewritten else { return Ok(()) };
            let name = file_name(program);
            if SEE_THEIR_TEXT.iter().any(|beginning| name.starts_with(beginning)) {
                return Ok(());
            }
            let copies = Folder::new();
            copies.write(&name, rewritten);
            let input = program.with_extension("stdin");
            let stdin = || if input.exists() { Stdin::File(&input) } else { Stdin::Empty };
            let python = |file: &std::path::Path| {
                run(Command::new(PYTHON).arg(file).env("PYTHONPATH", &folder).current_dir(&folder), stdin())
            };
            let (expected, found) = (python(program)?, python(&copies.root().join(&name))?);
            if (expected.stdout(), expected.status) == (found.stdout(), found.status) {
                return Ok(());
            }
            Err(format!("before:\n{}\nafter:\n{}\n{}", expected.stdout(), found.stdout(), found.stderr()))
        },
    );
}

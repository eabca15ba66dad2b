//! Functions in their modules whose runs one process makes: what a run leaves there is no behaviour of the next one.

use crate::support::repo::compared_in_place;

/// Twenty runs are more than one process makes.
#[track_caller]
fn equal(old: &str, new: &str) {
    let found = compared_in_place(old, new);
    assert_eq!(found["verdict"], "equal", "{found:#?}");
    assert!(found["runs"].as_u64().is_some_and(|runs| runs > 20), "{found:#?}");
}

#[test]
fn what_a_class_counts_begins_anew_with_each_run() {
    let old = "class C:\n    calls = 0\n\ndef f(x):\n    C.calls += 1\n    return C.calls > 4, x\n";
    equal(old, &old.replace("C.calls > 4", "False"));
}

#[test]
fn what_a_module_keeps_begins_anew_with_each_run() {
    let old = "SEEN = []\n\ndef f(x):\n    SEEN.append(x)\n    return len(SEEN) == 1\n";
    equal(old, &old.replace("return len(SEEN) == 1", "return not SEEN[1:]"));
    let found = compared_in_place(old, &old.replace("== 1", "== 2"));
    assert_eq!(found["verdict"], "different", "{found:#?}");
}

#[test]
fn chance_and_time_are_the_same_in_each_run() {
    let old = "import random, time\n\ndef f(x):\n    return random.random(), time.time(), x\n";
    equal(old, "import random, time\n\ndef f(x):\n    drawn = random.random()\n    return drawn, time.time(), x\n");
}

#[test]
fn a_run_that_ends_its_process_or_hangs_is_one_run() {
    let old = "import os\n\ndef f(x):\n    if x:\n        return 1\n    os._exit(3)\n";
    let found = compared_in_place(old, &old.replace("return 1", "return 2"));
    assert_eq!(found["verdict"], "different", "{found:#?}");
    let old = "def f(x):\n    while not x:\n        pass\n    return 1\n";
    let found = compared_in_place(old, &old.replace("return 1", "return 2"));
    assert_eq!(found["verdict"], "different", "{found:#?}");
}

#[test]
fn what_a_run_changes_of_the_interpreter_begins_anew() {
    let old = "import os, sys, warnings\n\ndef f(x):\n    first = 'p.mark' not in sys.modules and 'MARK' not in os.environ\n    \
               sys.modules['p.mark'] = sys\n    os.environ['MARK'] = '1'\n    warnings.simplefilter('error')\n    \
               open('mark', 'x').close()\n    return first and x\n";
    equal(old, &old.replace("return first and x", "return x if first else first"));
}

#[test]
fn no_run_writes_bytecode() {
    let old = "import sys\n\ndef f(x):\n    return sys.dont_write_bytecode and x\n";
    equal(old, &old.replace("sys.dont_write_bytecode and x", "x"));
}

#[test]
fn a_difference_of_a_late_run_is_found() {
    let old = "def f(x, y, z):\n    if x and not y and z == 'rare':\n        return 1\n    return 0\n";
    let found = compared_in_place(old, &old.replace("return 1", "return 2"));
    assert_eq!(found["verdict"], "different", "{found:#?}");
}

#[test]
fn values_by_names_of_one_version_are_not_carried_to_the_other() {
    let old = "FIRST = 'hrule'\nFANCY = frozenset([('double border', 15)])\n\ndef f(style):\n    if not isinstance(style, \
               frozenset):\n        raise TypeError\n    if style == FIRST:\n        return 1\n    elif style == FANCY:\n        \
               return 2\n    return 3\n";
    equal(old, &old.replace("FANCY", "DOUBLE"));
}

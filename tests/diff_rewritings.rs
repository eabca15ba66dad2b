//! Ways to write one thing, as refactorings exchange them: functions that do the same are equal, and one that does not is
//! different.

use crate::diff_values::{different, equal};
use crate::support::repo::{Repo, compared_in_place};

/// Checks what is said of a function that keeps its behaviour, and of the same with another text in it.
#[track_caller]
fn check(old: &str, new: &str, (right, wrong): (&str, &str)) {
    equal(old, new);
    assert!(new.contains(right));
    different(old, &new.replace(right, wrong));
}

#[test]
fn a_parameter_is_no_attribute_of_the_same_name() {
    let class = "class R:\n    def __init__(self, schema):\n        self.schema = schema\n    def call(self, ";
    let old = format!("{class}v):\n        return [self.schema, v]\n");
    let new = format!("{class}schema):\n        return [self.schema, schema]\n");
    check(&old, &new, ("[self.schema, schema]", "[self.schema, self.schema]"));
}

#[test]
fn a_renamed_method_is_called_under_its_new_name_in_other_files() {
    let class =
        |name: &str| format!("class C:\n    def {name}(self):\n        self.ready = True\n        return self.ready\n");
    let user = |name: &str, last: &str| format!("def use(c):\n    c.{name}()\n    return c.lock.{last}()\n");
    let repo =
        Repo::new(&[("p/__init__.py", ""), ("p/a.py", &class("prepare")), ("p/b.py", &user("prepare", "acquire"))]);
    for (last, verdict) in [("acquire", "equal"), ("release", "different")] {
        repo.commit(&[("p/a.py", &class("start_next")), ("p/b.py", &user("start_next", last))]);
        let documents = repo.documents(&["HEAD"]);
        let found = documents.iter().find(|found| found["name"] == "p/b.py::use").expect("it is compared");
        assert_eq!(found["verdict"], verdict, "{found:#}");
        repo.commit(&[("p/a.py", &class("prepare")), ("p/b.py", &user("prepare", "acquire"))]);
    }
}

#[test]
fn texts_that_are_written_in_parts_are_one_text() {
    let old = "def emit(stream, name):\n    stream.write('x = ' + name)\n";
    let new = "def emit(stream, name):\n    stream.write('x = ')\n    stream.write(name)\n";
    check(old, new, ("'x = '", "'y = '"));
}

#[test]
fn wrapped_functions_are_called_with_parameters_of_their_own() {
    let old = "import functools\ndef logged(function):\n    def wrapper(value):\n        return function(value, 1)\n    \
               return wrapper\n";
    let new = old.replace("    def wrapper", "    @functools.wraps(function)\n    def wrapper");
    check(old, &new, ("function(value, 1)", "function(value, 2)"));
}

#[test]
fn elements_are_the_same_by_number_and_one_after_the_other() {
    let head = "def pairs(rows):\n    out = []\n";
    let old = format!("{head}    for i in range(len(rows.all)):\n        out.append(rows.all[i])\n    return out\n");
    let new = format!("{head}    for row in rows.all:\n        out.append(row)\n    return out\n");
    check(&old, &new, ("(row)", "(row.x)"));
}

#[test]
fn what_is_there_already_is_not_written() {
    let old = "def f(t):\n    if 'q' in t.value:\n        t.value = t.value\n    return t.value\n";
    check(old, "def f(t):\n    t.value = t.value\n    return t.value\n", ("t.value = t.value", "t.value = t.other"));
}

#[test]
fn addresses_in_texts_do_not_count() {
    let old = "class C:\n    def __repr__(self):\n        return 'C ' + hex(id(self))\n";
    let new = "class C:\n    def __repr__(self):\n        return f'C {hex(id(self))}'\n";
    check(old, new, ("C {", "D {"));
}

#[test]
fn addresses_as_keys_do_not_count() {
    let old =
        "def f(known, other):\n    key = id(other)\n    known.first[key].add(other)\n    return known.second[key]\n";
    let new = "def f(known, other):\n    known.first[id(other)].add(other)\n    return known.second[id(other)]\n";
    check(old, new, ("second[id", "third[id"));
}

#[test]
fn whole_numbers_are_written_in_either_way() {
    let old = "def f(task):\n    return '%s has %d rows' % (task.name, task.rows)\n";
    let new = "def f(task):\n    return f'{task.name} has {task.rows} rows'\n";
    check(old, new, ("{task.rows}", "{task.rows:03}"));
}

#[test]
fn an_order_of_three_is_one() {
    let old = "def f(a, b, c):\n    return a.n < b.n and b.n < c.n and not a.n < c.n\n";
    let new = "def f(a, b, c):\n    a.n < b.n and b.n < c.n\n    return False and a\n";
    let found = compared_in_place(old, new);
    assert_eq!(found["reason"], "no run evaluated `not a.n < c.n` in line 2 of the old version", "{found:#}");
    different(old, &new.replace("False and a", "a.n < b.n"));
}

#[test]
fn annotations_mean_the_same_in_either_spelling() {
    let old = "import typing\ndef f(rows: typing.List[int]):\n    return [row.bit_length() + 1 for row in rows]\n";
    let new = "def f(rows: list[int]):\n    return [1 + row.bit_length() for row in rows]\n";
    check(old, new, ("1 +", "2 +"));
}

#[test]
fn lists_are_extended_in_either_way() {
    let old =
        "class A:\n    def f(self, names, last):\n        return [1] + names, self.names + [last], (2,) + last.all\n";
    let new =
        "class A:\n    def f(self, names, last):\n        return [1, *names], [*self.names, last], (2, *last.all)\n";
    check(old, new, ("*self.names, last", "last, *self.names"));
}

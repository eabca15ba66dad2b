//! Parts of functions that runs of `surmise diff` may pass by: sides of expressions, the end of a `with` statement that fails,
//! functions that a result holds.

use crate::diff_values::{different, equal};
use crate::support::repo::compared_in_place;

#[test]
fn only_parts_that_were_evaluated_are_equal() {
    let old = "import sys\ndef f(x):\n    return x.a if sys.maxsize > 5 else x.b\n";
    let found = compared_in_place(old, &old.replace("x.b", "x.c"));
    assert_eq!(found["verdict"], "unknown", "{found:#}");
    assert_eq!(
        found["reason"],
        "no run evaluated `x.b` in line 3 of the old version and `x.c` in line 3 of the new version"
    );
    let other = old.replace("return x.a", "y = x\n    return y.a").replace("x.b", "(x . b)");
    equal(old, &other);
    let versions = "import sys\nPY2 = sys.version_info[0] == 2\ndef f(x):\n    return x.a() if PY2 else x.b\n";
    equal(versions, &versions.replace("x.a()", "x.c()"));
    let lambda = "def f(x):\n    g = lambda: x.b\n    return x.a\n";
    let found = compared_in_place(lambda, &lambda.replace("x.b", "x.c"));
    assert_eq!(found["verdict"], "unknown", "{found:#}");
    let rows = "def f(rows):\n    return [row.name for row in rows if row.size > 3 and row.name]\n";
    equal(rows, "def f(rows):\n    return [one.name for one in rows if 3 < one.size and one.name]\n");
}

#[test]
fn sides_that_only_some_values_evaluate_are_looked_for() {
    let or = "def f(x, y):\n    return x.a or y.b\n";
    different(or, &or.replace("y.b", "y.c"));
    let sorting = "def f(rows):\n    try:\n        rows, known = sorted(rows), True\n    except TypeError:\n        \
                   rows, known = list(rows), False\n    return rows if known else 1\n";
    different(sorting, &sorting.replace("else 1", "else 2"));
}

#[test]
fn with_statements_may_raise() {
    for (header, imported) in
        [("@contextmanager\ndef", "contextmanager"), ("@asynccontextmanager\nasync def", "asynccontextmanager")]
    {
        let function =
            |body: &str| format!("from contextlib import {imported}\n{header} f(device):\n    device.open()\n{body}");
        let plain = function("    yield device\n    device.close()\n");
        let safe = function("    try:\n        yield device\n    finally:\n        device.close()\n");
        let found = different(&plain, &safe);
        assert_eq!(found["witness"]["values"][0]["path"], "yield", "{found:#}");
        equal(&safe, &safe.replace("device", "one"));
        let waiting = function("    try:\n        yield device\n    except KeyError:\n        device.lost()\n");
        different(&waiting, &waiting.replace("KeyError", "(KeyError, OSError)"));
    }
    let method = "import contextlib\nclass C:\n    @contextlib.contextmanager\n    def f(self, one):\n        one.level = 3\n        \
                  yield\n        one.level = 1\n";
    let safe = "        try:\n            yield\n        finally:\n            one.level = 1\n";
    different(method, &method.replace("        yield\n        one.level = 1\n", safe));
}

#[test]
fn generators_of_no_context_manager_come_to_their_end() {
    let old = "def f(rows):\n    for row in rows:\n        yield row.a\n    rows.close()\n";
    let new = "def f(rows):\n    try:\n        for row in rows:\n            yield row.a\n    finally:\n        rows.close()\n";
    equal(old, new);
}

#[test]
fn functions_that_a_dictionary_holds_are_called() {
    let old = "def f(x):\n    return {'a': lambda: x.b, 'c': lambda: x.d}\n";
    different(old, &old.replace("x.d", "x.e"));
}

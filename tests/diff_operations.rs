//! Differences that few values show, or that only failing calls do: what `surmise diff` tries for the sake of operations
//! that one version has.

use crate::diff_values::{different, equal};

#[test]
fn texts_are_those_that_methods_change() {
    let old = "def f(name: str) -> str:\n    return name\n";
    for call in ["strip()", "lower()", "expandtabs()", "title()", "rstrip('\\n')"] {
        different(old, &old.replace("return name", &format!("return name.{call}")));
    }
    let compared = "def f(method: str):\n    return method == 'post'\n";
    different(compared, &compared.replace("method ==", "method.lower() =="));
    let joined = "def f(parts: list[str]):\n    return '/'.join(parts)\n";
    different(joined, &joined.replace("(parts)", "(part for part in parts if part)"));
    equal(joined, &joined.replace("(parts)", "([part for part in parts])"));
}

#[test]
fn numbers_are_those_that_rounding_and_forms_tell_apart() {
    let old = "def f(x: float):\n    return int(x * 100)\n";
    different(old, &old.replace("int(", "round("));
    let form = "def f(n):\n    return '{0:.3g}'.format(n).replace('-0', '-')\n";
    different(form, &form.replace("('-0', '-')", "('e-0', 'e-')"));
    equal(form, &form.replace("'{0:.3g}'", "'{:.3g}'"));
}

#[test]
fn elements_are_equal_or_none_among_others() {
    let old = "def f(names):\n    return list(names)\n";
    different(old, &old.replace("list(names)", "list(dict.fromkeys(names))"));
    let gaps = "def f(items):\n    found = []\n    for item in items:\n        if item is None:\n            break\n        \
                found.append(item)\n    return found\n";
    different(gaps, &gaps.replace("break", "continue"));
}

#[test]
fn variables_of_the_environment_have_several_values() {
    let old = "import os\ndef f():\n    try:\n        return int(os.environ['COLUMNS'])\n    except KeyError:\n        \
               return 80\n";
    let found = different(old, &old.replace("except KeyError", "except (KeyError, ValueError)"));
    assert_eq!(found["witness"]["values"][0]["path"], "COLUMNS", "{found:#}");
    let shell = "import os\ndef f():\n    return os.environ.get('SHELL_NAME') == 'tcsh'\n";
    different(shell, &shell.replace("'tcsh'", "'csh'"));
    equal(shell, &shell.replace("os.environ.get(", "os.getenv("));
}

#[test]
fn calls_fail_that_only_one_version_waits_for() {
    let old = "class Bad(Exception):\n    def __init__(self, error):\n        self.text = str(error.args[0])\nclass C:\n    \
               def text(self):\n        return 'x'\n    def f(self):\n        return self.text()\n";
    for error in ["Exception", "Bad", "(ValueError, Bad)"] {
        let caught = format!("try:\n            return self.text()\n        except {error}:\n            return ''");
        let found = different(old, &old.replace("return self.text()", &caught));
        assert_eq!(found["witness"]["kind"], "raise", "{found:#}");
    }
    let cleaned =
        "def f(lock, work):\n    lock.acquire()\n    result = work()\n    lock.release()\n    return result\n";
    let safely = "def f(lock, work):\n    lock.acquire()\n    try:\n        return work()\n    finally:\n        \
                  lock.release()\n";
    different(cleaned, safely);
    equal(safely, &safely.replace("return work()", "results = [work()]\n        return results[0]"));
}

#[test]
fn callers_give_as_many_values_as_a_function_asks_for() {
    let old = "def f(*args, **kwargs):\n    return args[2] if len(args) > 2 else kwargs.get('status')\n";
    different(old, &old.replace('2', "3"));
    different(old, &old.replace("'status'", "'state'"));
}

#[test]
fn several_conditions_hold_at_once() {
    let old = "def f(a, b, mode, limit):\n    if a and not b:\n        if mode == 'strict' and limit > 10:\n            \
               return 1\n    return 2\n";
    different(old, &old.replace("> 10", ">= 10"));
    equal(old, &old.replace("limit > 10", "10 < limit"));
}

#[test]
fn names_that_only_other_functions_bind_fail() {
    let old = "def other(x):\n    def inner():\n        return x\n    try:\n        return inner()\n    except OSError as \
               error:\n        return error\ndef f(rows):\n    for row in rows:\n        return row\n    return None\n";
    let found = different(old, &old.replace("return None", "return error"));
    assert_eq!(found["witness"]["new"], "raise NameError", "{found:#}");
}

#[test]
fn local_variables_that_are_not_bound_fail() {
    let old = "def f(rows, wanted):\n    for row in rows:\n        if row == wanted:\n            found = row\n    return found\n";
    let found = different(old, &old.replace("    for", "    found = None\n    for"));
    assert_eq!(found["witness"]["old"], "raise UnboundLocalError", "{found:#}");
}

//! Values and answers of `surmise diff` that go together: no object has all of what only made-up ones could have at once.

use crate::diff_values::{different, equal};

#[test]
fn names_that_say_yes_or_no_are_true_or_false() {
    let old = "def f(v):\n    if v.is_new or v.has_parts():\n        return True\n    return False\n";
    equal(old, "def f(v):\n    return v.is_new or v.has_parts()\n");
    different(old, "def f(v):\n    return v.is_new and v.has_parts()\n");
}

#[test]
fn functions_are_equal_to_nothing_but_themselves() {
    let old = "import re\ndef f(func):\n    if func not in (re.match, re.search):\n        raise ValueError\n    if func is \
               re.match:\n        return 1\n    return 2\n";
    equal(
        old,
        &old.replace("is re.match:\n        return 1\n    return 2", "is re.search:\n        return 2\n    return 1"),
    );
}

#[test]
fn what_is_no_text_is_equal_to_none() {
    let old = "def f(marks):\n    groups = []\n    for mark in marks:\n        if isinstance(mark, list):\n            \
               groups.extend(mark)\n        elif isinstance(mark, str):\n            if mark == 'or':\n                \
               groups.append(mark)\n            else:\n                raise TypeError\n        else:\n            raise \
               TypeError\n    return groups\n";
    let plain = "def f(marks):\n    groups = []\n    for mark in marks:\n        if isinstance(mark, list):\n            \
                 groups.extend(mark)\n        elif mark == 'or':\n            groups.append(mark)\n        else:\n            \
                 raise TypeError\n    return groups\n";
    equal(old, plain);
    different(old, &plain.replace("raise TypeError", "raise ValueError"));
}

#[test]
fn lists_hold_what_dictionaries_hold() {
    let old = "SIZES = {'s': 1, 'm': 2}\ndef f(size):\n    seen = {size}\n    if size in list(SIZES.keys()):\n        return SIZES[size]\n    return seen\n";
    equal(old, &old.replace("list(SIZES.keys())", "SIZES"));
    let listed = "def f(size):\n    if size in ['s', 'm']:\n        return 1\n    return 0\n";
    different(listed, &listed.replace("return 1", "return 2"));
    let parts = "def f(text):\n    return text.split('.')[0], text.replace('a', 'b')\n";
    equal(parts, &parts.replace("'.')", "'.', -1)").replace("'b')", "'b', -1)"));
}

#[test]
fn containers_of_a_made_up_size_are_real() {
    let old = "from collections import deque\ndef f(rows, n):\n    last = deque(maxlen=n)\n    for row in rows:\n        \
               last.append((row, 1))\n    return [row for row, _ in last]\n";
    equal(old, &old.replace("(row, 1)", "row").replace("[row for row, _ in last]", "list(last)"));
}

#[test]
fn what_is_called_is_a_function() {
    let old = "def f(rows, key=None):\n    if key is None:\n        return list(rows)\n    return [key(row) for row in rows]\n";
    equal(old, &old.replace("[key(row) for row in rows]", "list(map(key, rows))"));
    let old = "def f(hooks: dict, name):\n    try:\n        hook = hooks[name]\n    except KeyError:\n        pass\n    else:\n        \
               hook(name)\n";
    equal(old, "def f(hooks: dict, name):\n    if hook := hooks.get(name):\n        hook(name)\n");
}

#[test]
fn what_a_version_calls_is_true() {
    let old = "def f(rows, key=None):\n    if key is None:\n        return list(rows)\n    return [key(row) for row in rows]\n";
    equal(old, "def f(rows, key=None):\n    return list(map(key, rows) if key else rows)\n");
    different(old, "def f(rows, key=None):\n    return list(rows if key else map(key, rows))\n");
}

#[test]
fn functions_that_raise_do_not_return() {
    let old = "def f(tokens):\n    if not tokens.check('A'):\n        tokens.raise_syntax_error('expected a')\n    else:\n        \
               tokens.read()\n    return tokens\n";
    equal(old, &old.replace("expected a", "an A is missing").replace("    else:\n        tokens", "    tokens"));
    let status = old.replace("raise_syntax_error('expected a')", "raise_for_status()");
    different(&status, &status.replace("    else:\n        tokens", "    tokens"));
}

#[test]
fn forms_of_attributes_ask_for_no_numbers() {
    let old = "def f(info):\n    text = '{0.major}.{0.minor}'.format(info)\n    if info.level != 'final':\n        text += \
               info.level[0]\n    return text\n";
    equal(old, &old.replace("'{0.major}.{0.minor}'.format(info)", "f'{info.major}.{info.minor}'"));
}

#[test]
fn iterators_give_what_generators_give() {
    let old = "from collections import deque\ndef f(rows: list[int]):\n    return iter(deque(rows, maxlen=2))\n";
    equal(old, "def f(rows: list[int]):\n    yield from rows[-2:]\n");
    different(old, "def f(rows: list[int]):\n    yield from rows[:2]\n");
}

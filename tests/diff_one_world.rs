//! Values and answers of `surmise diff` that go together: no object has all of what only made-up ones could have at once.

use crate::diff_values::{different, equal};
use crate::support::repo::compared_in_place;

/// The verdict on `f` where a commit changes the module of a package.
#[track_caller]
fn in_place(old: &str, new: &str) -> String {
    let found = compared_in_place(old, new);
    found["verdict"].as_str().unwrap_or_default().to_owned()
}

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
    let old = "SIZES = {'s': 1, 'm': 2}\ndef f(size):\n    seen = {size}\n    if size in sorted(SIZES.keys()):\n        return SIZES[size]\n    return seen\n";
    equal(old, &old.replace("sorted(SIZES.keys())", "SIZES"));
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

#[test]
fn what_versions_count_with_is_a_number() {
    let old = "def f(n, rows):\n    rows = list(rows)\n    size, more = divmod(len(rows), n)\n    parts = []\n    for i in range(n):\n        \
               start = i * size + (i if i < more else more)\n        stop = (i + 1) * size + (i + 1 if i + 1 < more else more)\n        \
               parts.append(rows[start:stop])\n    return parts\n";
    let new = "def f(n, rows):\n    rows = list(rows)\n    size, more = divmod(len(rows), n)\n    parts = []\n    stop = 0\n    for i in \
               range(1, n + 1):\n        start = stop\n        stop = i * size + (i if i < more else more)\n        \
               parts.append(rows[start:stop])\n    return parts\n";
    equal(old, new);
    different(old, &new.replace("range(1, n + 1)", "range(1, n + 2)"));
}

#[test]
fn variables_have_as_many_elements_in_both_versions() {
    let old = "def f(version=None):\n    if version is None:\n        _version = (1, 2)\n    else:\n        _version = version\n    return \
               [_version[0], _version[1]]\n";
    equal(old, &old.replace("_version", "version"));
    different(old, &old.replace("_version", "version").replace("(1, 2)", "(1, 3)"));
}

#[test]
fn assertions_for_type_checkers_hold() {
    let old = "def f(rows: dict, name: str):\n    found = rows.get(name)\n    if found is not None:\n        return found\n    last = \
               {}.get(name)\n    return [last]\n";
    equal(old, &old.replace("    return [last]", "    assert last is not None\n    return [last]"));
    equal(old, &old.replace("    return [last]", "    assert isinstance(last, str)\n    return [last]"));
    different(old, &old.replace("    return [last]", "    assert last\n    return [last]"));
}

#[test]
fn attributes_that_are_asked_otherwise_are_mappings() {
    let old = "class Hooks:\n    def __init__(self):\n        self.hooks = {}\n\n    def f(self, name):\n        try:\n            \
               hook = self.hooks[name]\n        except KeyError:\n            pass\n        else:\n            hook(name)\n";
    let new = "class Hooks:\n    def __init__(self):\n        self.hooks = {}\n\n    def f(self, name):\n        if hook := \
               self.hooks.get(name):\n            hook(name)\n";
    assert_eq!(in_place(old, new), "equal");
    assert_eq!(in_place(old, &new.replace("hook(name)", "hook(name, 1)")), "different");
}

#[test]
fn imports_fail_where_helpers_wait_for_it() {
    let old = "import functools\n\n\ndef f(version):\n    try:\n        import _not_there\n    except ImportError:\n        return True\n    \
               return _not_there.ask(version)\n";
    let new = "import functools\n\n\n@functools.lru_cache(maxsize=1)\ndef helper():\n    try:\n        return \
               __import__('_not_there')\n    except ImportError:\n        return None\n\n\ndef f(version):\n    module = helper()\n    \
               if module is None:\n        return True\n    return module.ask(version)\n";
    assert_eq!(in_place(old, new), "equal");
    assert_eq!(in_place(old, &new.replace("return True", "return False")), "different");
}

#[test]
fn functions_for_other_types_are_a_part_of_generic_ones() {
    let old = "import functools\n\n\n@functools.singledispatch\ndef f(text):\n    return [text, 1]\n\n\n@f.register\ndef of_text(text: \
               str):\n    return text.upper()\n";
    let new = "def f(text):\n    if isinstance(text, str):\n        return text.upper()\n    return [text, 1]\n";
    assert_eq!(in_place(old, new), "equal");
    assert_eq!(in_place(old, &new.replace("upper", "lower")), "different");
}

#[test]
fn what_versions_match_in_different_ways_is_a_text() {
    let old = "import re\nENDING = re.compile('(y)$')\nENDINGS = {'y': 'ies'}\n\n\ndef f(word):\n    if ENDING.search(word):\n        \
               return ENDING.sub(ENDINGS[ENDING.search(word).group(1)], word)\n    return word + 's'\n";
    let new = "import re\nENDING = re.compile('(y)$')\nENDINGS = {'y': 'ies'}\n\n\ndef f(word):\n    found = ENDING.sub(lambda match: \
               ENDINGS[match.group(1)], word)\n    return found if found != word else word + 's'\n";
    assert_eq!(in_place(old, new), "equal");
    assert_eq!(in_place(old, &new.replace("+ 's'", "+ 'es'")), "different");
}

#[test]
fn attributes_are_of_the_kind_that_the_constructor_gives_them() {
    let class = "class Rows:\n    def __init__(self):\n        self.first = []\n        self.last = []\n        self.size = 0\n\n    def f(self, \
                 row):\n";
    let old = &format!(
        "{class}        before = list(self.first)\n        self.first.append(row)\n        try:\n            return self.first + \
         self.last, self.size + 1\n        finally:\n            self.first = before\n"
    );
    let new = &format!(
        "{class}        rows = self.first + self.last\n        rows.insert(len(self.first), row)\n        return rows, 1 + \
         self.size\n"
    );
    assert_eq!(in_place(old, new), "equal");
    assert_eq!(in_place(old, &new.replace("len(self.first)", "len(self.last)")), "different");
    assert_eq!(in_place(old, &old.replace("self.first = before", "self.first = []")), "different");
}

#[test]
fn methods_of_texts_and_containers_are_no_calls() {
    let old = "def f(name: str, ignored):\n    ignored = ['a', *ignored]\n    return any(name.startswith(beginning) for beginning in ignored)\n";
    assert_eq!(in_place(old, &old.replace("any(", "any([").replace("ignored)\n", "ignored])\n")), "equal");
    assert_eq!(in_place(old, &old.replace("any(", "all(")), "different");
    let old = "def f(element, *pools):\n    if len(element) != len(pools):\n        raise ValueError\n    return \
               [tuple(pool).index(one) for one, pool in zip(element, pools)]\n";
    let new = "def f(element, *pools):\n    found = [tuple(pool).index(one) for one, pool in zip(element, pools)]\n    if \
               len(element) != len(pools):\n        raise ValueError\n    return found\n";
    assert_eq!(in_place(old, new), "equal");
    assert_eq!(in_place(old, &new.replace("!=", "==")), "different");
}

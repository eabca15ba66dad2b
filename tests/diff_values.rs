//! Differences that only certain values show: which values `surmise diff` tries for the sake of a change.

use serde_json::{Value, json};

use crate::support::repo::Repo;

/// What is said of the only function of a module that was run, in its module.
#[track_caller]
fn compared(old: &str, new: &str) -> Value {
    let found = compared_anywhere(old, new);
    assert_eq!(found["in_place"], true, "{found:#}");
    found
}

/// What is said of the only function of a module that was run.
#[track_caller]
fn compared_anywhere(old: &str, new: &str) -> Value {
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", old)]);
    repo.commit(&[("p/a.py", new)]);
    let documents = repo.documents(&["HEAD"]);
    let [found] = &documents.iter().filter(|found| found["runs"] != json!(0)).collect::<Vec<_>>()[..] else {
        panic!("one function that was run: {documents:#?}")
    };
    (*found).clone()
}

#[track_caller]
pub fn different(old: &str, new: &str) -> Value {
    let found = compared(old, new);
    assert_eq!(found["verdict"], "different", "{old}\n{new}\n{found:#}");
    found
}

#[track_caller]
pub fn equal(old: &str, new: &str) {
    let found = compared(old, new);
    assert_eq!(found["verdict"], "equal", "{old}\n{new}\n{found:#}");
}

#[test]
fn values_are_of_the_classes_that_only_one_version_checks_for() {
    let old = "from collections.abc import Mapping\ndef f(*rows):\n    if len(rows) == 1 and isinstance(rows[0], dict):\n        \
               return 1\n    return 2\n";
    different(old, &old.replace(", dict", ", Mapping"));
    let text = "def f(name):\n    if isinstance(name, (str, bytes)):\n        return 1\n    return 2\n";
    different(text, &text.replace("(str, bytes)", "str"));
    equal(text, &text.replace("(str, bytes)", "(bytes, str)"));
    let kind = "from typing import Any\ndef f(d: dict[str, Any], kind: type, key: str):\n    value = d.get(key)\n    if \
                value is None:\n        return None\n    if not isinstance(value, kind):\n        raise \
                ValueError\n    return value\n";
    let strict = kind.replace(
        "not isinstance(value, kind)",
        "not isinstance(value, kind) or kind is int and isinstance(value, bool)",
    );
    different(kind, &strict);
}

#[test]
fn values_are_instances_of_classes_that_both_versions_check_for() {
    let old = "import ast\ndef f(node):\n    if isinstance(node.value, ast.Name) and node.value.id == 'one':\n        \
               return 1\n    return 2\n";
    let found = different(old, &old.replace("'one'", "'two'"));
    assert!(found["witness"].to_string().contains("<Name>"), "the witness says of which class a value is: {found:#}");
    different(old, &old.replace("ast.Name)", "ast.Attribute)"));
    equal(old, &old.replace("== 'one':", "in ('one',):"));
    // In either order a value is an instance of one of them.
    let order = "import ast\ndef f(node):\n    if isinstance(node, ast.Name):\n        return 1\n    if isinstance(node, \
                 ast.Call):\n        return 2\n    return 3\n";
    let other = "import ast\ndef f(node):\n    if isinstance(node, ast.Call):\n        return 2\n    if isinstance(node, \
                 ast.Name):\n        return 1\n    return 3\n";
    equal(order, other);
    let path = "from pathlib import Path\ndef f(path):\n    if isinstance(path, Path) and path.suffix == '.md':\n        \
                return 1\n    return 2\n";
    different(path, &path.replace(".md", ".txt"));
}

#[test]
fn values_are_false_or_none_where_only_one_version_asks() {
    let old = "def f(size=1):\n    if not isinstance(size, int):\n        raise TypeError\n    return size\n";
    different(old, &old.replace("if not", "if size is not None and not"));
    let plain = "def f(a):\n    if a is not None:\n        return a\n    return 5\n";
    different(plain, "def f(a):\n    return a or 5\n");
    equal(plain, "def f(a):\n    if a is None:\n        return 5\n    return a\n");
}

#[test]
fn annotated_containers_have_several_elements_or_none() {
    let old = "from typing import Iterable\ndef f(rows: list[int], names: Iterable[str] = ()):\n    return rows[:1]\n";
    different(old, &old.replace("rows[:1]", "rows"));
    different(old, &old.replace("rows[:1]", "rows[:1] and rows[0]"));
    let words = "from typing import Iterable, Optional\ndef f(words: Optional[Iterable[str]] = None):\n    return \
                 [word[:0] for word in (WORDS)]\n";
    let one = "[words] if isinstance(words, str) else words or []";
    different(&words.replace("WORDS", one), &words.replace("WORDS", "words or []"));
}

#[test]
fn warnings_of_the_projects_own_code_count() {
    let old = "import warnings\ndef f(a):\n    if a.old:\n        warnings.warn('old', WARNING, stacklevel=2)\n    return 1\n";
    let warned = old.replace("WARNING", "DeprecationWarning");
    let found = different(&warned, &old.replace("warnings.warn('old', WARNING, stacklevel=2)", "pass"));
    assert_eq!(found["witness"]["old"], "warning DeprecationWarning", "{found:#}");
    different(&warned, &old.replace("WARNING", "UserWarning"));
    let elsewhere = warned.replace("'old'", "'new'").replace("stacklevel=2", "stacklevel=3");
    equal(&warned, &elsewhere.replace("return 1", "return 2 - 1"));
    // The interpreter warns of a number that is another type's, by itself.
    let converted = "class N:\n    def __int__(self):\n        return True\ndef f(a):\n    return int(N())\n";
    equal(converted, &converted.replace("int(N())", "int(N().__int__() is True)"));
}

#[test]
fn returned_functions_are_compared_with_their_attributes_and_called_again() {
    let old = "def f(a):\n    kept = []\n    def more(count=1):\n        before = len(kept)\n        \
               kept.extend(range(count or 0))\n        return len(kept) - before\n    more.limit = 3\n    return more\n";
    different(old, &old.replace("limit = 3", "limit = 4"));
    different(old, &old.replace("return len(kept) - before", "return len(kept)"));
    equal(old, &old.replace("count or 0", "count and count or 0").replace("kept = []", "kept = list()"));
}

#[test]
fn returned_functions_get_what_their_parameters_ask_for() {
    let old = "def make(msg=None):\n    def check(value):\n        if not isinstance(value, str):\n            raise \
               ValueError(msg)\n        return value.strip()\n    return check\n";
    different(old, &old.replace("strip()", "lstrip()"));
    different(old, &old.replace("strip()", "upper()"));
    equal(old, &old.replace("value.strip()", "str.strip(value)"));
    let rows = "def make(a):\n    def check(rows: list[int]):\n        return isinstance(rows, list) and \
                rows[:1]\n    return check\n";
    different(rows, &rows.replace("rows[:1]", "rows[-1:]"));
    let renamed = rows.replace("rows: list", "lines: list").replace("(rows,", "(lines,");
    // Such a parameter gets no list, so that no run evaluates what changed.
    let found = compared(rows, &renamed.replace("rows[:1]", "[*lines[:1]]"));
    assert_eq!(found["verdict"], "unknown", "{found:#}");
}

#[test]
fn a_difference_in_doubt_is_followed_to_others() {
    let text = |last: &str| {
        format!("def f(a, b):\n    if b {last}:\n        if a == []:\n            return -1\n    return 5\n")
    };
    let old = text("is None");
    different(&old, &old.replace("-1", "-2"));
    // Only the excerpts come to it with likely values.
    let old = text("== 0");
    let found = compared_anywhere(&old, &old.replace("-1", "-2"));
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn values_provoke_what_only_one_version_catches() {
    let old = "def f(value, default=0):\n    try:\n        return int(value)\n    except (TypeError, ValueError):\n        \
               try:\n            return int(float(value))\n        except (TypeError, ValueError):\n            return \
               default\n";
    let found = different(
        old,
        &old.replacen("ValueError):\n            return", "ValueError, OverflowError):\n            return", 1),
    );
    assert_eq!(found["witness"]["old"], "raise OverflowError", "{found:#}");
    let text =
        "def f(text: str):\n    try:\n        return text.encode()\n    except UnicodeError:\n        return b''\n";
    different(text, &text.replace("UnicodeError", "LookupError"));
    equal(text, &text.replace("text.encode()", "str.encode(text)"));
    let ratio = "def f(a: int, b: int):\n    try:\n        return a / b\n    except ERROR:\n        return None\n";
    different(&ratio.replace("ERROR", "ZeroDivisionError"), &ratio.replace("ERROR", "KeyError"));
    let whole = ratio.replace("ERROR", "ZeroDivisionError");
    equal(&whole, &whole.replace("a / b", "a.__truediv__(b)"));
}

#[test]
fn typed_dictionaries_have_their_keys() {
    let old = "from typing import TypedDict\nclass Film(TypedDict):\n    name: str\n    year: 'int'\nclass Seen(Film, \
               total=False):\n    stars: int\ndef f(film: Seen) -> str:\n    return film['name'] + str(film['year'] + \
               film.get('stars', 0))\n";
    different(old, &old.replace("['year'] +", "['year'] -"));
    different(old, &old.replace("'stars', 0", "'stars', 7"));
    equal(old, &old.replace("return film['name']", "name = film['name']\n    return name"));
}

#[test]
fn values_are_the_constants_that_only_one_version_names() {
    let old = "from enum import Enum\nclass Kind(Enum):\n    low = 1\n    high = 2\n    none = 3\nLIMIT = 7919\nclass \
               T:\n    Word = object()\n    Name = object()\ndef f(a):\n    if TEST:\n        return 1\n    return 2\n";
    let with = |test: &str| old.replace("TEST", test);
    different(&with("a == LIMIT"), &with("a == 5 and False"));
    different(&with("a is T.Word"), &with("a is T.Word or a is T.Name"));
    different(&with("a in (Kind.low, Kind.high)"), &with("a in (Kind.low,)"));
    equal(&with("a in (Kind.low, Kind.high)"), &with("a == Kind.low or a == Kind.high"));
    let rows = "class T:\n    Word = object()\n    Name = object()\ndef f(rows):\n    found = []\n    for kind, text in \
                rows:\n        if kind is T.Word:\n            found.append(text)\n    return found\n";
    different(rows, &rows.replace("kind is T.Word", "kind is T.Word or kind is T.Name"));
    equal(rows, &rows.replace("kind is T.Word", "T.Word is kind"));
}

#[test]
fn values_offer_what_only_one_version_asks_for() {
    let iterable = "def f(x):\n    return hasattr(x, '__iter__')\n";
    let tried =
        "def f(x):\n    try:\n        iter(x)\n        return True\n    except TypeError:\n        return False\n";
    different(iterable, tried);
    let keys = "def f(x, other):\n    if hasattr(x, 'keys'):\n        return 1\n    return other\n";
    different(keys, &keys.replace("hasattr(x, 'keys')", "callable(getattr(x, 'keys', None))"));
    equal(keys, &keys.replace("hasattr(x, 'keys')", "getattr(x, 'keys', other) is not other or hasattr(x, 'keys')"));
    let class = "def f(x):\n    return 1 if callable(x) else 2\n";
    different(class, &class.replace("callable(x)", "callable(x) and not isinstance(x, type)"));
}

#[test]
fn values_hold_what_only_one_version_names() {
    let escaped = "def f(s: str):\n    return ''.join('_' + x if x in '[]!*' else x for x in s)\n";
    different(escaped, &escaped.replace("'[]!*'", "'$[]!*'"));
    let safe = "from urllib.parse import quote\ndef f(url: str):\n    return quote(url, safe=':/#?')\n";
    different(safe, &safe.replace("':/#?'", "':/#?%'"));
    let decoded = "def f(src: bytes, codec: str):\n    try:\n        return src.decode(codec)\n    except LookupError:\n        \
                   return src.decode('latin-1')\n";
    different(decoded, &decoded.replace("LookupError", "(UnicodeDecodeError, LookupError)"));
}

#[test]
fn what_is_asked_of_copies_and_by_helpers_is_asked_of_the_value() {
    let copied = "from typing import Any, Mapping\ndef f(params: Mapping[str, Any]):\n    found = params or {}\n    for k, v in \
                  found.items():\n        if isinstance(v, (int, float)):\n            found[k] = str(v)\n    return len(found)\n";
    different(copied, &copied.replace("params or {}", "dict(params) if params else {}"));
    let helped = "def f(spec, target):\n    if callable(getattr(spec, 'glomit', None)):\n        return spec.glomit(target)\n    \
                  return 3\n";
    let helper = "def has(obj):\n    return callable(getattr(obj, 'glomit', None)) and not isinstance(obj, type)\n\n\n";
    different(helped, &format!("{helper}{}", helped.replace("callable(getattr(spec, 'glomit', None))", "has(spec)")));
}

#[test]
fn calls_of_the_standard_library_fail_as_only_one_version_expects() {
    let split = "from urllib.parse import urlsplit\ndef f(url: str):\n    parts = urlsplit(url)\n    name = \
                 parts.netloc.encode('idna')\n    return name, parts.path\n";
    let handled = split.replace(
        "    name = parts.netloc.encode('idna')\n",
        "    try:\n        name = parts.netloc.encode('idna')\n    except UnicodeError:\n        name = parts.netloc\n",
    );
    different(split, &handled);
    // Which version of the library is there is no question of this change.
    let asked = "import gettext\ndef f(text: str):\n    try:\n        return gettext.NullTranslations().pgettext('a', text)\n    \
                 except AttributeError:\n        return text\n";
    let found = compared(
        asked,
        "import gettext\ndef f(text: str):\n    return gettext.NullTranslations().pgettext('a', text)\n",
    );
    assert_ne!(found["verdict"], "different", "{found:#}");
}

#[test]
fn objects_of_libraries_are_compared_by_what_they_hold() {
    let text = "from email.message import Message\ndef f(subject: str):\n    message = Message()\n    message['Subject'] = \
                subject\n    return message\n";
    let set = text.replace("    return message\n", "    message['To'] = 'all'\n    return message\n");
    different(text, &set);
    equal(
        text,
        &text.replace("    return message\n", "    if not subject:\n        return message\n    return message\n"),
    );
}

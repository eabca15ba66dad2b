//! State that objects keep in another way, and defaults that are written in another way: what they show is compared.

use serde_json::json;

use crate::support::repo::Repo;

/// All functions that a commit changes do the same, and some do something else once a part of it is replaced.
#[track_caller]
fn alike(old: &str, new: &str, (part, replaced): (&str, &str)) {
    let verdicts = |new: &str| {
        let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", old)]);
        repo.commit(&[("p/a.py", new)]);
        let mut found = repo.documents(&["HEAD"]);
        found.retain(|found| found["runs"] != json!(0));
        found
    };
    let found = verdicts(new);
    assert!(!found.is_empty() && found.iter().all(|found| found["verdict"] == "equal"), "{found:#?}");
    let changed = new.replace(part, replaced);
    assert_ne!(changed, new);
    let found = verdicts(&changed);
    assert!(found.iter().any(|found| found["verdict"] == "different"), "{found:#?}");
}

/// A class with a constructor that takes `x`, by the lines of this, and more.
fn class(constructor: &str, more: &str) -> String {
    let indented = |body: &str, indent: &str| body.replace('\n', &format!("\n{indent}"));
    format!(
        "class C:\n    def __init__(self, x):\n        {}\n    {}\n",
        indented(constructor, "        "),
        indented(more, "    ")
    )
}

#[test]
fn private_attributes_have_any_name() {
    let old = class("self._x = x\nself.rows = []", "def add(self, row):\n    self.rows.append((self._x, row))");
    alike(&old, &old.replace("_x", "_key"), ("(self._key, row)", "(row, self._key)"));
    let old = class("self._found = {}", "def set(self, key, value):\n    self._found[key] = value");
    alike(&old, &old.replace("_found", "_known"), ("= value", "= key"));
}

#[test]
fn private_attributes_of_one_version_do_not_count() {
    let old = class("self.x = x\nself._seen = []\nself.rows = {}", "");
    alike(&old, &class("self.x = x\nself.rows = {}", ""), ("self.x = x", "self.x = [x]"));
    alike(
        &class(
            "self.x = x\nself._words = None",
            "@property\ndef words(self):\n    if self._words is None:\n        self._words = self.x.split()\n    return self._words",
        ),
        &format!(
            "from functools import cached_property\n{}",
            class("self.x = x", "@cached_property\ndef words(self):\n    return self.x.split()"),
        ),
        ("split()", "split(',')"),
    );
}

#[test]
fn mangled_attributes_are_renamed_and_dropped() {
    let add = "def add(self, y):\n    if len(self.__ys) < self.__most:\n        self.__ys.append(y)\n        return True\n    return False";
    let old = class("self.__most = x\nself.__ys = []", add);
    alike(&old, &old.replace("__most", "__limit").replace("__ys", "__items"), ("< self.__limit", "<= self.__limit"));
    // Another class of the file goes on having a `__seen` of its own.
    let other = class("self.__seen = x", "").replace("class C", "class D");
    let old = class("self.x = x", "");
    alike(
        &format!("{other}{old}"),
        &format!("{other}{}", class("self.x = x\nself.__seen = {}", "")),
        ("self.x = x", "self.x = [x]"),
    );
    alike(
        &old,
        &class("self.__x = x", "@property\ndef x(self):\n    return self.__x"),
        ("self.__x = x", "self.__x = [x]"),
    );
}

#[test]
fn objects_come_from_constructors_where_versions_keep_other_things() {
    let methods = "def __len__(self):\n    return len(self.__found)\ndef __setitem__(self, key, value):\n    self.__found[key] = value\n\
                   def __getitem__(self, key):\n    return self.__found[key]\ndef has(self, key):\n    return key in self.__found";
    let others = "def __len__(self):\n    return len(self.__keys)\ndef __setitem__(self, key, value):\n    \
                  if key in self.__keys:\n        self.__values[self.__keys.index(key)] = value\n        return\n    \
                  self.__keys.append(key)\n    self.__values.append(value)\ndef __getitem__(self, key):\n    try:\n        \
                  return self.__values[self.__keys.index(key)]\n    except ValueError:\n        raise KeyError(key)\n\
                  def has(self, key):\n    return key in self.__keys";
    alike(
        &class("self.x = x\nself.__found = {}", methods),
        &class("self.x = x\nself.__keys = []\nself.__values = []", others),
        ("return self.__values[", "return self.__keys["),
    );
    let seen = "def add(self, y):\n    if y not in self._seen:\n        self._seen.append(y)\ndef __contains__(self, y):\n    \
                return y in self._seen";
    alike(
        &class("self._seen = []", seen),
        &class(
            "self._seen = set()",
            &seen.replace("if y not in self._seen:\n        self._seen.append", "self._seen.add"),
        ),
        ("return y in", "return y not in"),
    );
    let last = "def add(self, row):\n    self._rows.append(row)\ndef last(self):\n    if not self._rows:\n        \
                raise KeyError('empty')\n    return self._rows[-1]";
    let of_queue = "def add(self, row):\n    self._queue.append(row)\ndef last(self):\n    try:\n        \
                    return self._queue[-1]\n    except IndexError:\n        raise KeyError('empty')";
    alike(
        &class("self.x = x\nself._rows = []", last),
        &format!("import collections\n{}", class("self.x = x\nself._queue = collections.deque()", of_queue)),
        ("return self._queue[-1]", "return self._queue[-1] or None"),
    );
}

#[test]
fn what_a_property_computes_in_one_version_is_not_seen() {
    let old = class("self.x = x\nself.size = x + 1", "");
    let new = class("self.x = x", "@property\ndef size(self):\n    return self.x + 1");
    for (one, other) in [(&old, &new), (&new, &old)] {
        let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", one)]);
        repo.commit(&[("p/a.py", other)]);
        let found = repo.documents(&["HEAD", "--only", "unknown"]);
        let reasons: Vec<&str> = found.iter().filter_map(|found| found["reason"].as_str()).collect();
        assert_eq!(reasons, ["`size` is kept by one version and computed by a property in the other"]);
    }
}

#[test]
fn attributes_go_behind_properties() {
    let show = "def show(self):\n    return self.x.upper()";
    alike(
        &class("self.x = x\nself.size = 1", show),
        &class("self._x = x\nself.size = 1", &format!("@property\ndef x(self):\n    return self._x\n{show}")),
        ("self._x = x", "self._x = x or 1"),
    );
}

#[test]
fn attributes_go_into_classes() {
    let get =
        "def get(self):\n    if self._found is None:\n        self._found = self.x.read()\n    return self._found";
    alike(
        &class("self.x = x\nself._found = None", get),
        &class("self.x = x", get).replace("class C:\n", "class C:\n    _found = None\n"),
        ("_found = None", "_found = 1"),
    );
}

#[test]
fn private_attributes_hold_containers_of_any_kind() {
    let has = "def has(self, y):\n    return y in self._xs";
    alike(&class("self._xs = list(x)", has), &class("self._xs = tuple(x)", has), ("tuple(x)", "tuple(x)[:1]"));
    let seen =
        "def visit(self, y):\n    if y in self._seen:\n        return False\n    self._seen.append(y)\n    return True";
    alike(
        &class("self.x = x\nself._seen = []", seen),
        &class("self.x = x\nself._seen = set()", &seen.replace("append", "add")),
        ("add(y)", "add(self.x)"),
    );
    alike(
        &class("self.x = x\nself._edges = {}", "def add(self, a, b):\n    self._edges.setdefault(a, []).append(b)"),
        &format!(
            "from collections import defaultdict\n{}",
            class("self.x = x\nself._edges = defaultdict(list)", "def add(self, a, b):\n    self._edges[a].append(b)"),
        ),
        ("append(b)", "append((a, b))"),
    );
}

#[test]
fn objects_that_are_not_finished_have_no_state() {
    alike(
        &class("if x is None:\n    raise ValueError\nself.x = x\nself.size = 2", ""),
        &class("self.size = 2\nif x is None:\n    raise ValueError\nself.x = x", ""),
        ("size = 2", "size = 3"),
    );
}

#[test]
fn defaults_are_written_in_either_way() {
    alike(
        "_UNSET = object()\ndef f(x, places=2):\n    return x, places\n",
        "_UNSET = object()\ndef f(x, places=_UNSET):\n    if places is _UNSET:\n        places = 2\n    return x, places\n",
        ("places = 2", "places = 3"),
    );
    alike(
        "def f(x, rows=[]):\n    return list(rows) + [x]\n",
        "def f(x, rows=None):\n    if rows is None:\n        rows = []\n    return list(rows) + [x]\n",
        ("rows = []", "rows = [1]"),
    );
    alike(
        "def f(x, rows={}):\n    found = dict(rows)\n    found['x'] = x\n    return found\n",
        "def f(x, rows=None):\n    return {**(rows or {}), 'x': x}\n",
        ("'x': x", "'x': [x]"),
    );
}

#[test]
fn a_dataclass_has_the_constructor_of_its_fields() {
    alike(
        "class C:\n    def __init__(self, x, y=0):\n        self.x = x\n        self.y = y\n    \
         def size(self):\n        return self.x.size * self.y\n",
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: object\n    y: int = 0\n    \
         def size(self):\n        size = self.x.size\n        return size * self.y\n",
        ("size * self.y", "size * (self.y + 1)"),
    );
}

#[test]
fn constructors_are_annotated_or_not() {
    alike(
        &class(
            "self.x = x",
            "def f(self, y):\n    total = 0\n    for one in y:\n        total += one.n * self.x\n    return total",
        ),
        &class("self.x = x", "def f(self, y):\n    return sum(one.n * self.x for one in y)")
            .replace("x):", "x: int) -> None:"),
        ("one.n", "one.m"),
    );
}

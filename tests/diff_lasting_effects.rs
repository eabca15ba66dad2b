//! What a function leaves behind elsewhere than in its module, and what the objects hold that it gives: all of it is compared.

use serde_json::json;

use crate::support::repo::Repo;

/// A function does something else once a part of its module is replaced.
#[track_caller]
fn differs(text: &str, (part, replaced): (&str, &str)) {
    let changed = text.replace(part, replaced);
    assert_ne!(changed, text);
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", text)]);
    repo.commit(&[("p/a.py", &changed)]);
    let documents = repo.documents(&["HEAD"]);
    let run: Vec<_> = documents.iter().filter(|found| found["runs"] != json!(0)).collect();
    assert!(run.iter().any(|found| found["verdict"] == "different"), "{changed}\n{documents:#?}");
}

#[test]
fn attributes_of_classes() {
    differs("class C:\n    count = 0\n    def f(self):\n        C.count += 1\n", ("+= 1", "+= 2"));
    differs("class C:\n    known = {}\n    def f(self, x):\n        self.known[x] = 1\n", ("= 1", "= 2"));
    differs(
        "class C:\n    known = []\nclass D(C):\n    def f(self, x):\n        type(self).known = [x]\n",
        ("[x]", "[x, x]"),
    );
}

#[test]
fn the_environment_and_the_process() {
    differs("import os\ndef f(x):\n    os.environ['A'] = 'b'\n    return x\n", ("'b'", "'c'"));
    differs("import os\ndef f(x):\n    os.chdir('/tmp')\n    return x\n", ("'/tmp'", "'/'"));
    differs("import sys\ndef f(x):\n    sys.path.append('/a')\n    return x\n", ("append('/a')", "insert(0, '/a')"));
}

#[test]
fn objects_of_classes_that_derive_from_containers() {
    let point = "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f(a, b):\n    return P(a, b)\n";
    differs(point, ("P(a, b)", "P(b, a)"));
    differs("class L(list):\n    pass\ndef f(a, b):\n    return L([a, b])\n", ("[a, b]", "[b, a]"));
    differs("class S(str):\n    pass\ndef f(a, b):\n    return S(a)\n", ("S(a)", "S(b)"));
    differs("class S(str):\n    def f(self):\n        return S(self.upper())\n", ("upper", "lower"));
    differs("class D(dict):\n    def f(self, x):\n        self.root = x\n", ("= x", "= [x]"));
    differs(
        "from collections import OrderedDict\ndef f(a, b):\n    return OrderedDict([('a', a), ('b', b)])\n",
        ("('a', a), ('b', b)", "('b', b), ('a', a)"),
    );
}

#[test]
fn classes_that_are_made_and_exceptions_that_carry_values() {
    differs("def f(x):\n    class C:\n        v = x\n    return C\n", ("v = x", "v = [x]"));
    differs("def f(n):\n    return type('C', (), {'v': n})\n", ("'v': n", "'w': n"));
    let error = "class E(Exception):\n    def __init__(self, code):\n        self.code = code\ndef f(a):\n    raise E(a.code)\n";
    differs(error, ("E(a.code)", "E(a.number)"));
    let error = "class E(Exception):\n    def __init__(self, path):\n        super().__init__()\n        self._path = path or []\nclass T(E):\n    \
                 def __init__(self, path):\n        super().__init__(path)\n";
    differs(error, ("super().__init__(path)", "super().__init__(None)"));
}

#[test]
fn results_of_what_is_made_up() {
    differs("def f(x):\n    return int(x, 16)\n", ("16", "8"));
    differs("import json\ndef f(x):\n    return json.dumps({'a': x.a})\n", ("x.a", "x.b"));
    differs("import subprocess\ndef f(x):\n    return subprocess.check_output(['ls', x])\n", ("'ls'", "'cat'"));
    differs("import time\ndef f(x):\n    return time.strftime('%Y', x)\n", ("%Y", "%m"));
}

#[test]
fn what_is_the_same_under_another_name_is_no_difference() {
    let made = |name: &str| {
        format!(
            "from collections import namedtuple\n{name} = namedtuple('{name}', 'x y')\ndef f(a, b):\n    return {name}(a, b)\n"
        )
    };
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", &made("Place"))]);
    repo.commit(&[("p/a.py", &made("Point"))]);
    let documents = repo.documents(&["HEAD"]);
    assert!(!documents.is_empty() && documents.iter().all(|found| found["verdict"] == "equal"), "{documents:#?}");
    crate::support::repo::alike_in_place(
        "def f(a):\n    return a.x ** 2 + a.y ** 2\n",
        "def f(a):\n    return a.x * a.x + a.y * a.y\n",
        ("a.y * a.y", "a.x * a.y"),
    );
}

#[test]
fn a_version_that_fails_by_itself_is_different_under_any_values() {
    let text = "def f(x):\n    if x is True:\n        x = 'a' + 'b'\n    return x\n";
    differs(text, ("'a' +", "'a' -"));
    differs(text, ("'a' + 'b'", "len(4)"));
    differs(
        "import string\ndef f(x):\n    if x is None:\n        return string.digits\n    return 1\n",
        ("digits", "digit"),
    );
}

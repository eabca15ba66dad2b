//! Ways to ask and to call that come to one thing: whichever a version takes, it gets the same answers.

use serde_json::{Value, json};

use crate::support::python_minor;
use crate::support::repo::Repo;

/// What is said of a function of a module that is run, in its module.
#[track_caller]
fn compared(old: &str, new: &str, more: &[(&str, &str)]) -> Value {
    let repo = Repo::new(&[&[("p/__init__.py", ""), ("p/a.py", old)], more].concat());
    repo.commit(&[("p/a.py", new)]);
    let documents = repo.documents(&["HEAD"]);
    let [found] = &documents.iter().filter(|found| found["runs"] != json!(0)).collect::<Vec<_>>()[..] else {
        panic!("one function that was run: {documents:#?}")
    };
    assert_eq!(found["in_place"], true, "{found:#}");
    (*found).clone()
}

#[track_caller]
fn equal(old: &str, new: &str) {
    let found = compared(old, new, &[]);
    assert_eq!(found["verdict"], "equal", "{found:#}");
}

#[test]
fn mappings_answer_all_questions_for_a_key_alike() {
    for (old, new) in [
        ("def f(d):\n    return d.get('size', 3)\n", "def f(d):\n    return d['size'] if 'size' in d else 3\n"),
        (
            "def f(d):\n    out = []\n    for key in d:\n        out.append((key, d[key]))\n    return out\n",
            "def f(d):\n    return [(key, value) for key, value in d.items()]\n",
        ),
        ("def f(d):\n    return len(d.keys())\n", "def f(d):\n    return len(d)\n"),
        ("def f(d):\n    return sorted(d.keys())\n", "def f(d):\n    return sorted(d)\n"),
        (
            "def f(d):\n    if 'a' not in d:\n        d['a'] = []\n    d['a'].append(1)\n    return d\n",
            "def f(d):\n    d.setdefault('a', []).append(1)\n    return d\n",
        ),
        (
            "def f(d: dict):\n    if 'a' in d:\n        return d['a']\n    return 1\n",
            "def f(d: dict):\n    return d.get('a', 1)\n",
        ),
        (
            "def f(d):\n    try:\n        return d['a']\n    except KeyError:\n        return None\n",
            "def f(d):\n    return d.get('a')\n",
        ),
        ("def f(d, k):\n    return d.get(k, None)\n", "def f(d, k):\n    return d.get(k)\n"),
        (
            "def f(o):\n    out = []\n    for name in o['attrs']:\n        out.append((name, o['attrs'][name]))\n    return out\n",
            "def f(o):\n    return [(name, value) for name, value in o['attrs'].items()]\n",
        ),
        ("def f(o):\n    return [o.held[k] for k in o.held]\n", "def f(o):\n    return list(o.held.values())\n"),
        (
            "def f(d):\n    if 'a' in d:\n        del d['a']\n    return 'a' in d\n",
            "def f(d):\n    d.pop('a', None)\n    return 'a' in d\n",
        ),
    ] {
        equal(old, new);
    }
}

#[test]
fn another_default_or_key_of_a_mapping_is_a_difference() {
    let old = "def f(d):\n    return d['size'] if 'size' in d else 3\n";
    for new in ["d.get('size', 4)", "d.get('sizes', 3)", "d.get('size') or 3"] {
        let found = compared(old, &format!("def f(d):\n    return {new}\n"), &[]);
        assert_eq!(found["verdict"], "different", "{new}: {found:#}");
    }
}

#[test]
fn ways_to_ask_for_an_attribute_agree() {
    let asked = "def f(o):\n    if hasattr(o, 'name'):\n        return o.name\n    return 'none'\n";
    let tried = "def f(o):\n    try:\n        return o.name\n    except AttributeError:\n        return 'none'\n";
    equal(asked, "def f(o):\n    return getattr(o, 'name', 'none')\n");
    equal(tried, asked);
    let found = compared(tried, "def f(o):\n    return getattr(o, 'name', 'some')\n", &[]);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn ways_to_name_and_call_the_same_function_agree() {
    let base = "class B:\n    def f(self, x: int):\n        return x + 1\nclass C(B):\n    def f(self, x: int):\n";
    equal(&format!("{base}        return B.f(self, x) * 2\n"), &format!("{base}        return super().f(x) * 2\n"));
    let head = "import os\nfrom os import path\ndef g(a, b=2):\n    return a, b\n";
    equal(&format!("{head}def f(x):\n    return g(x, 3)\n"), &format!("{head}def f(x):\n    return g(b=3, a=x)\n"));
    equal(
        &format!("{head}def f(x: str):\n    return os.path.join('a', x)\n"),
        &format!("{head}def f(x: str):\n    return path.join('a', x)\n"),
    );
}

#[test]
fn a_module_is_imported_without_what_its_surroundings_no_longer_have() {
    let head = "from json import gone\nfrom . import broken\nfrom collections import Mapping, newer\n\
                class M(Mapping):\n    __len__ = __iter__ = __getitem__ = None\n";
    let more = [("p/broken.py", "print 'of another time'\n")];
    let text = |body: &str| format!("{head}def f(a: int):\n    return {body}\n");
    let found = compared(&text("a + a"), &text("2 * a"), &more);
    assert_eq!(found["verdict"], "equal", "{found:#}");
    let found = compared(&text("a + a"), &text("3 * a"), &more);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn functions_that_a_decorator_compiled_anew_are_found() {
    let remade = "import ast\ndef remade(f):\n    with open(f.__code__.co_filename) as file:\n        tree = \
                  ast.parse(file.read())\n    node = next(one for one in tree.body if getattr(one, 'name', '') == \
                  f.__name__)\n    node.decorator_list = []\n    code = compile(ast.Module([node], []), \
                  f.__code__.co_filename, 'exec')\n    inner = next(one for one in code.co_consts if hasattr(one, \
                  'co_code'))\n    made = type(f)(inner, f.__globals__, f.__name__, f.__defaults__)\n    made.__annotations__ = f.__annotations__\n    return made\n";
    let old = "from .checks import remade\n@remade\n@remade\ndef f(a: int):\n    return a + a\n";
    let found = compared(old, &old.replace("a + a", "2 * a"), &[("p/checks.py", remade)]);
    assert_eq!(found["verdict"], "equal", "{found:#}");
    let found = compared(old, &old.replace("a + a", "3 * a"), &[("p/checks.py", remade)]);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn a_package_that_refuses_what_a_module_does_with_it_is_missing() {
    let packages = format!(".venv/lib/python3.{}/site-packages/strict/__init__.py", python_minor());
    let settings = format!("home = /usr/bin\nversion = 3.{}.1\n", python_minor());
    let strict = "def checked(f):\n    raise ValueError('no annotations of this version')\n";
    let old = "from strict import checked\n@checked\ndef f(a: int):\n    return a + a\n";
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", old)]);
    repo.write(".venv/pyvenv.cfg", settings);
    std::fs::create_dir_all(repo.path().join(&packages).parent().expect("a folder")).expect("it can be made");
    repo.write(&packages, strict);
    repo.write(".gitignore", ".venv\n");
    repo.commit(&[("p/a.py", &old.replace("a + a", "2 * a"))]);
    let documents = repo.documents(&["HEAD", "--python", ".venv"]);
    assert_eq!(
        (&documents[0]["verdict"], &documents[0]["in_place"]),
        (&json!("equal"), &json!(true)),
        "{documents:#?}"
    );
}

#[test]
fn code_that_is_written_in_another_way_is_not_run() {
    let repo = Repo::new(&[
        ("p/__init__.py", ""),
        (
            "p/a.py",
            "def f(a):\n    if a.b:\n        raise ValueError('no %s' % a)\n    else:\n        result = g(a)\n        return result\n",
        ),
    ]);
    repo.commit(&[("p/a.py", "def f(a):\n    if a.b:\n        raise ValueError(f'{a} is wrong')\n    return g(a)\n")]);
    let documents = repo.documents(&["HEAD"]);
    assert_eq!((&documents[0]["verdict"], &documents[0]["runs"]), (&json!("equal"), &json!(0)), "{documents:#?}");
    let strict = repo.documents(&["--strict-messages", "HEAD"]);
    assert_ne!(strict[0]["runs"], json!(0), "{strict:#?}");
}

#[test]
fn texts_are_taken_apart_by_one_method_or_another() {
    let split = "def f(name):\n    parts = name.split('.')\n    return '.'.join(parts[:-1]), parts[-1]\n";
    let parted = "def f(name):\n    module, _, last = name.rpartition('.')\n    return module, last\n";
    equal(split, parted);
    let found = compared(split, &parted.replace("rpartition", "partition"), &[]);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn a_clock_says_the_same_to_both_versions() {
    let old = "import datetime\ndef f(o):\n    o.start = datetime.datetime.utcnow()\n    return o\n";
    equal(
        old,
        "import datetime\ndef f(o):\n    now = datetime.datetime.now(datetime.timezone.utc)\n    o.start = \
         now.replace(tzinfo=None)\n    return o\n",
    );
    let found = compared(old, &old.replace("utcnow()", "utcnow() + datetime.timedelta(1)"), &[]);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

#[test]
fn a_parameter_that_is_the_functions_own_is_not_given() {
    let old = "TABLE = [1, 2]\ndef f(x: int, _table=TABLE):\n    return x + len(_table)\n";
    equal(old, "TABLE = [1, 2]\ndef f(x: int):\n    table = TABLE\n    return x + len(table)\n");
}

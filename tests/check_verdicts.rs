//! `surmise check`: which errors of a run are errors of the page.

use crate::check::{findings, known};
use crate::support::Folder;

#[test]
fn what_lies_in_the_surroundings_is_no_error_of_the_page() {
    let folder = Folder::of(&[
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        (
            "shop.py",
            "class Store:\n    def __init__(self):\n        raise ImportError('Store needs pymongo')\n\ndef locale():\n    raise ValueError('set the environment variable LANG')\n\nwindow = None\n\ndef shop(x):\n    return x\n",
        ),
        (
            "a.md",
            "# One\n\n```python\nimport shop\nshop.Store()\nshop.locale()\nshop.window(1)\n```\n\n# Other\n\n```python\nshop(1)\nshop.gone\n```\n",
        ),
        (
            "b.md",
            "```python\nimport os\nkey = os.getenv('SHOP_KEY')\nkey.upper()\nkey + 'a'\n```\n\n```pycon\n>>> c = 1\n>>> c() <-- call again\n```\n",
        ),
    ]);
    assert_eq!(findings(&folder, &["a.md", "b.md"]), []);
}

#[test]
fn a_class_without_the_attribute_is_no_stand_in() {
    let folder = Folder::of(&[("a.md", "```python\nclass Shape:\n    sides = 3\n\nprint(Shape.side)\n```\n")]);
    let expected = [("a.md".to_owned(), 5, known(6), "AttributeError".to_owned())];
    assert_eq!(findings(&folder, &["a.md"]), expected);
}

#[test]
fn pages_show_parts_of_classes_and_replace_builtins() {
    let folder = Folder::of(&[
        (
            "forms.py",
            "def compile(form, extra=()):\n    return form\n\ndriver = None\n\ndef save(value):\n    return isinstance(value, driver)\n",
        ),
        (
            "a.md",
            "# One\n\n```pycon\n>>> from forms import compile\n>>> compile('{}')\n```\n\n# Two\n\n```pycon\n>>> form = compile('{}', extra=[1])\n>>> form.gone\n```\n",
        ),
        ("b.md", "# One\n\n```python\nclass User:\n    name = 1\n```\n\n# Two\n\n```python\nprint(User.email)\n```\n"),
        (
            "c.md",
            "```python\nclass Span:\n    length = 1\n```\n\n```python\nclass Span:\n    radius = 2\nprint(Span.length)\n```\n",
        ),
        ("d.md", "```python\nimport forms\nforms.save(1)\nisinstance(1, forms.driver)\n```\n"),
    ]);
    let expected = [("a.md", 12, known(4), "AttributeError")];
    let expected = expected.map(|(page, line, column, kind)| (page.to_owned(), line, column, kind.to_owned()));
    assert_eq!(findings(&folder, &["a.md", "b.md", "c.md", "d.md"]), expected);
}

#[test]
fn values_of_other_sections_and_of_statements_that_raised_are_not_relied_on() {
    let other = "# One\n\n```python\nstates = ['A']\n```\n\n# Two\n\n```python\nprint(states['A'])\nfor state in states:\n    \
        print(state + 1)\nlevels = [1]\nlevels['A']\n```\n";
    let raised = "```python\nitems = [1]\nitems.extend(items.gone)\nassert len(items) == 2\nitem = items.lost\nprint(item + 1)\n[].gone\n```\n";
    let shortened = "```python\nrows = []\n...\nrows[0]\n```\n";
    let source =
        "```python\nimport inspect\ndef f():\n    return 1\nimport ast\nast.parse(inspect.getsource(f)).gone\n```\n";
    let folder = Folder::of(&[("a.md", other), ("b.md", raised), ("c.md", shortened), ("d.md", source)]);
    let expected = [
        ("a.md", 14, known(0), "TypeError"),
        ("b.md", 3, known(13), "AttributeError"),
        ("b.md", 7, known(0), "AttributeError"),
    ];
    let expected = expected.map(|(page, line, column, kind)| (page.to_owned(), line, column, kind.to_owned()));
    assert_eq!(findings(&folder, &["a.md", "b.md", "c.md", "d.md"]), expected);
}

#[test]
fn names_of_what_only_the_reader_has_and_sentences_are_no_code() {
    let page = "```python\nfrom shop import load\nload('prices.toml')\nload('shop.Prices')\nload()\n```\n\n```python\nThere were two people by the door.\n```\n\n```python\nx = load(\n```\n";
    let folder = Folder::of(&[
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        (
            "shop.py",
            "def load(name):\n    if name == 'prices.toml':\n        raise ValueError('unknown format')\n    return {}[name]\n",
        ),
        ("a.md", page),
    ]);
    let expected = [
        ("a.md".to_owned(), 5, known(0), "TypeError".to_owned()),
        ("a.md".to_owned(), 13, None, "SyntaxError".to_owned()),
    ];
    assert_eq!(findings(&folder, &["a.md"]), expected);
}

const SHOP: &str = "\
import sys
import types

rows = []
if sys.platform == 'plan9':
    plan9 = 1

class Stock:
    def __init__(self):
        self.rows = {}

    def take(self, name):
        return self.rows[name]

    def names(self):
        return ['a']

def names():
    return ['a']
";

#[test]
fn what_depends_on_the_state_of_a_package_is_not_certain() {
    let page = "\
```python
import shop
stock = shop.Stock()
stock.take('apple')
stock.later
shop.rows[0]
int(shop.names()[0])
shop.names().gone
shop.names(1)
shop.plan9
shop.plan10
shop.Stock.later
print('a' + 1)
from shop import plan9
from shop import plan10
shop.rows(shop.load())
from shop.dynamic import anything
```
";
    let dynamic = "import sys, types\nclass M(types.ModuleType): pass\nsys.modules[__name__] = M(__name__)\n";
    let folder = Folder::of(&[
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        ("shop/__init__.py", SHOP),
        ("shop/dynamic.py", dynamic),
        ("docs/a.md", page),
    ]);
    let found = findings(&folder, &["docs"]);
    let found: Vec<(u64, &str)> = found.iter().map(|(_, line, _, kind)| (*line, kind.as_str())).collect();
    let expected = [
        (8, "AttributeError"),
        (9, "TypeError"),
        (11, "AttributeError"),
        (12, "AttributeError"),
        (13, "TypeError"),
        (15, "ImportError"),
        (16, "AttributeError"),
    ];
    assert_eq!(found, expected);
    let all = findings(&folder, &["--conditional", "docs"]);
    let all: Vec<u64> = all.iter().map(|(_, line, ..)| *line).collect();
    for line in [4, 5, 6, 7, 10] {
        assert!(all.contains(&line), "{all:?}");
    }
}

#[test]
fn parts_and_other_languages_are_no_errors_of_the_page() {
    let pages = [
        ("a.md", "```python\n'uptodate': [False],\n```\n\n```python\nx = 1\nif x:\n    y = 2\n.\n.\n```\n"),
        ("b.md", "```python\nPKCS-1 {iso(1) member(2)}\nEND\n```\n\n```python\nx = f(1)\nThe result is 5\n```\n"),
        (
            "c.rst",
            "Options::\n\n    check(default=list('a', 'b'))\n\nThis violates a rule:\n\n.. code-block:: none\n\n   X\n\n.. code-block:: python\n\n   lambda = 1\n\n.. ipython:: python\n\n   x = 1\n   @savefig a.png align=center\n   print(x)\n",
        ),
        ("d.md", "```python\nclass User:\n    pass\nUser(1)\nUser().name\n```\n"),
        (
            "e.md",
            "```python\n@queue.task(context=True)\ndef work(path, task=None):\n    return task.id\nwork('a')\ndef key(row, size=None):\n    return size + 1\nsorted([1], key=key)\n@queue.task\ndef clean(job):\n    pass\nclean()\nclean.delay()\n```\n\n```python\nimport json\njson.dumps(\n    ...,\n    cod=1,\n)\n```\n\n```python\na = 1          b = 2\n```\n",
        ),
    ];
    let folder = Folder::of(&pages);
    assert_eq!(findings(&folder, &["a.md", "b.md", "c.rst", "d.md", "e.md"]), []);
}

//! What reports say of errors in classes and decorated functions, whole and cut out of their surroundings.

use crate::support::verdicts::{errors, has, missed};
use crate::support::{Folder, Stdin, ended_with, naive_report as report, surmise};
use serde_json::{Value, json};

#[test]
fn objects_have_gone_through_more_than_their_making() {
    let snippet = "\
class Queue(Base):
    def __init__(self, limit):
        super().__init__()
        self.limit, self.closed, self.count = limit, False, 0

    def put(self, item, *more, **options):
        if self.closed:
            raise ValueError(item)
        if self.count > 5:
            return None
        if more and options:
            return more
        return item
";
    assert_eq!(missed(snippet, &[]), json!([]));
}

#[test]
fn what_is_decorated_runs() {
    let snippet = "\
import contextlib, functools

@contextlib.contextmanager
def opened(path):
    handle = acquire(path)
    try:
        yield handle
    finally:
        handle.release()

@contextlib.asynccontextmanager
async def session(url):
    yield await connect(url)

class Shape:
    @functools.cached_property
    def area(self):
        return measure(self)

    @property
    def side(self):
        return self.area

    @side.setter
    def side(self, value):
        self.kept = value
";
    assert_eq!(missed(snippet, &["--runs", "1"]), json!([]));
}

#[test]
fn a_function_runs_as_in_its_surroundings() {
    let source = "\
import abc, enum, functools
from typing import Generic, Tuple
from .kinds import T, Kind

class Box(Generic[T]):
    def put(self, item):
        super().put(item)
        self.count += 1
        return Box(self.items, item)

    def __hidden(self, x) -> Tuple[Kind, int]:
        return self.__other + x

class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def is_warm(self):
        return self is Color.RED or self.value > Color.GREEN

class Query(abc.ABC):
    @abc.abstractmethod
    def run(self): ...

    def merged(self, other):
        query = Query(self, other)
        query.add(len(self), self + other)
        for part in self:
            query.add(part)
        return query

def outer(scale):
    def inner(value):
        return value * scale
    return inner

@functools.total_ordering
class Field:
    def text(self, value):
        return str(value)
";
    let folder = Folder::of(&[("m.py", source)]);
    for function in ["Box.put", "Box.__hidden", "Color.is_warm", "Query.merged", "outer.inner", "Field.text"] {
        let mut command = surmise();
        command.args(["run", "--json", "--predictor", "naive", "--function", function, "m.py"]);
        command.current_dir(folder.root());
        let report = ended_with(&mut command, Stdin::Empty).report();
        assert_eq!(report["lines"]["missed_lines"], json!([]), "{function}: {report}");
        let certain = report["errors"].as_array().expect("a list").iter().any(|error| error["verdict"] == "certain");
        assert!(!certain, "{function}: {report}");
    }
}

/// What a class lacks, its missing base may have.
#[test]
fn an_operation_that_a_missing_base_may_define_is_not_certainly_wrong() {
    let errors = errors("class Row(Base, dict):\n    pass\nrow = Row(key)\nprint(row(1), row << 2)\n");
    assert!(errors.iter().all(|(.., verdict)| verdict != "certain"), "{errors:?}");
}

#[test]
fn methods_that_are_to_be_overridden_have_no_error() {
    let snippet = "class Base:\n    def run(self):\n        raise NotImplementedError\nprint(Base, name)\n";
    assert_eq!(errors(snippet), []);
    // What some values alone lead to is a case that the code leaves out.
    let snippet = "class Base:\n    def run(self, mode):\n        if mode == 'fast':\n            raise NotImplementedError\n        return mode\nprint(Base, name)\n";
    has(snippet, "NotImplementedError", 4, &["conditional"]);
}

#[test]
fn decorated_functions_get_what_their_decorators_give_them() {
    let snippet =
        "@click.command()\n@click.argument('name')\ndef hello(name):\n    click.echo('hi ' + name)\nhello()\n";
    assert_eq!(errors(snippet), []);
    assert_eq!(missed(snippet, &["--runs", "1"]), json!([]));
    let several = "\
from functools import singledispatch
@singledispatch
def show(x):
    return other(x)
@show.register
def _(x: int):
    return str(x)
@show.register(list)
def _(x):
    return [show(i) for i in x]
print(show(3))
";
    assert_eq!(missed(several, &[]), json!([]));
    assert_eq!(missed(several, &["--runs", "1"]), json!([]));
}

#[test]
fn methods_of_real_objects_get_stand_ins_as_what_they_are_in_place_of() {
    let digest = "import hashlib\nd = hashlib.md5()\nwith open(path, 'rb') as f:\n    d.update(f.read())\n";
    assert_eq!(errors(&format!("{digest}print(d.hexdigest())\n")), []);
    has(&digest.replace("'rb'", "'r'"), "TypeError", 4, &["certain", "conditional"]);
}

#[test]
fn a_property_that_was_cut_out_of_its_class_gets_an_object() {
    let pair = "@property\ndef volume(self):\n    return self._volume\n\n@volume.setter\ndef volume(self, level):\n    \
                if level > 100:\n        raise ValueError('level')\n    self._volume = level\n";
    assert!(errors(pair).iter().all(|(_, _, verdict)| verdict != "certain"));
    assert_eq!(missed(pair, &[]), json!([]));
}

#[test]
fn an_object_of_a_class_that_is_shown_whole_lacks_attributes() {
    let class = "class Account:\n    def __init__(self, owner):\n        self.owner = owner\n";
    has(&format!("{class}a = Account(person)\nprint(a.balance)\n"), "AttributeError", 5, &["conditional"]);
    let missing = "class Account(Base):\n    def __init__(self, owner):\n        self.owner = owner\n";
    assert_eq!(errors(&format!("{missing}a = Account(person)\nprint(a.balance)\n")), []);
}

#[test]
fn what_a_new_object_lacks_is_for_its_caller_to_put_there() {
    let stack = "class Stack:\n    def __init__(self):\n        self.items = []\n    def pop(self):\n        return self.items.pop()\n    \
                 def peek(self):\n        return self.tiems[-1]\n    def label(self):\n        return 'size: ' + 1\n";
    has(stack, "IndexError", 5, &["conditional"]);
    let pair = "class Pair:\n    def __init__(self):\n        self.ends = ()\n    def width(self):\n        low, high = self.ends\n        return high - low\n";
    has(pair, "ValueError", 5, &["conditional"]);
    has(stack, "AttributeError", 7, &["certain"]);
    has(stack, "TypeError", 9, &["certain"]);
    // What the module itself does with a new object is not for anybody else to prepare.
    has(&format!("{stack}Stack().pop()\n"), "IndexError", 5, &["certain"]);
    let report = report(stack, &[]);
    let errors = report["errors"].as_array().expect("a list").iter();
    let depends: Vec<&Value> = errors.filter(|error| error["line"] == 5).map(|error| &error["depends_on"][0]).collect();
    assert_eq!((&depends[0]["name"], &depends[0]["value"]), (&json!("self"), &json!("a new Stack")), "{report}");
}

#[test]
fn a_type_that_the_operation_accepts_in_another_run_is_not_certainly_wrong() {
    let table = "class Table:\n    def __init__(self):\n        self.rows = {}\n    def get(self, key):\n        return self.rows[key]\n";
    let errors = errors(table);
    assert!(errors.iter().all(|(_, _, verdict)| verdict != "certain"), "{errors:?}");
}

#[test]
fn attributes_that_a_whole_class_lacks_are_named() {
    let circle = "class Shape:\n    pass\nclass Circle(Shape):\n    def __init__(self, r):\n        self.r = r\n    \
        def area(self):\n        return math.pi * self.radius ** 2\nprint(Circle(1).area())\n";
    has(circle, "AttributeError", 7, &["conditional"]);
    // Another class may be what gives it.
    assert_eq!(errors(&circle.replace("class Shape:\n    pass\n", "")), []);
    let order = "from dataclasses import dataclass, field\n@dataclass\nclass Order:\n    items: list = field(default_factory=list)\n    \
        def biggest(self):\n        return max(self.items)\n";
    has(order, "ValueError", 6, &["conditional"]);
}

use super::{Function, NotFound};
use crate::{LineIndex, SourceModel};
use ruff_python_parser::parse_module;
use std::path::Path;

const MODULE: &str = r#"from __future__ import annotations
import os; VERSION = 1; import sys
try:
    import json
except ImportError:
    json = None
if TYPE_CHECKING:
    from a import b
if DEBUG:
    import noise
    noise.make()

@final
class A(Base[int],
        metaclass=M):
    """Doc."""
    limit = 3

    @property
    def size(self): return self._size

    @size.setter
    def size(self, size):
        self._size = size

    if sys.version_info > (3,):
        @staticmethod
        async def visit(node: "x:y" = {1: 2}):
            # Above the first statement.
            if node:
                return 1, 2  # two
            yield node
            x = yield
            def inner():
                return 3
            text = """
    kept
"""
            return

@cache
def outer(x) -> {1: lambda: 2}:
    import re
    y = x
    def inner(z):
        return z
    return inner
"#;

fn parsed(source: &str) -> SourceModel {
    SourceModel::parse(source).expect("it parses")
}

fn in_place(source: &str, qualname: &str) -> Result<String, NotFound> {
    super::in_place(&parsed(source), qualname)
}

fn body(source: &str, qualname: &str) -> Result<String, NotFound> {
    super::body(&parsed(source), qualname)
}

fn qualnames(source: &str) -> Vec<Function> {
    super::qualnames(&parsed(source))
}

fn checked(qualname: &str) -> String {
    let text = in_place(MODULE, qualname).expect("the module has it");
    assert_eq!(LineIndex::new(&text).count(), LineIndex::new(MODULE).count());
    assert!(parse_module(&text).is_ok(), "{text}");
    text
}

/// Lines that are not blank, with their numbers.
fn lines(text: &str) -> Vec<(usize, &str)> {
    (1..).zip(text.lines()).filter(|line| !line.1.trim().is_empty()).collect()
}

#[test]
fn functions_are_listed_in_order() {
    let functions = qualnames(MODULE);
    let names: Vec<_> = functions.iter().map(|function| function.qualname.as_str()).collect();
    assert_eq!(names, ["A.size", "A.size", "A.visit", "A.visit.inner", "outer", "outer.inner"]);
    let visit = Function {
        qualname: "A.visit".to_owned(),
        line: 27,
        last_line: 39,
        is_async: true,
        is_method: true,
        accessor: None,
    };
    assert_eq!(functions[2], visit);
    assert!(!functions[3].is_method && !functions[5].is_async);
    assert_eq!((functions[4].line, functions[4].last_line), (41, 47));
    assert_eq!(qualnames("x = 1\n"), []);
}

#[test]
fn a_method_keeps_its_class_and_the_imports() {
    let text = checked("A.visit");
    let lines = lines(&text);
    let head = [
        (1, "from __future__ import annotations"),
        (2, "import os; import sys"),
        (3, "try:"),
        (4, "    import json"),
        (5, "except ImportError:"),
        (6, "    json = None"),
        (7, "if TYPE_CHECKING:"),
        (8, "    from a import b"),
        (13, "@final"),
        (14, "class A(Base[int],"),
        (15, "        metaclass=M):"),
        (26, "    if True:"),
        (27, "        @staticmethod"),
        (28, "        async def visit(node: \"x:y\" = {1: 2}):"),
    ];
    assert_eq!(lines[..head.len()], head);
    assert_eq!(lines.last(), Some(&(39, "            return")));
}

#[test]
fn constants_that_are_read_stay() {
    let module = "\
LIMIT = 3; OTHER = 4
TWICE = 1
TWICE = 2
NAMES: list[str] = ['a', -1]
MADE = make()
PY3 = sys.version_info[:1] >= (3,) and sys.version_info.major != 2
FAST = sys.flags.optimize
class A:
    size = 2
    rest = 5
    def f(self, limit=LIMIT):
        return NAMES[self.size], TWICE, MADE, PY3, FAST
    def g(self): pass
";
    let text = in_place(module, "A.f").expect("the module has it");
    let kept: Vec<&str> = lines(&text).into_iter().map(|(_, line)| line.trim()).collect();
    let constants = [
        "LIMIT = 3",
        "NAMES: list[str] = ['a', -1]",
        "PY3 = sys.version_info[:1] >= (3,) and sys.version_info.major != 2",
    ];
    assert_eq!(kept[..3], constants);
    let function =
        ["class A:", "size = 2", "def f(self, limit=LIMIT):", "return NAMES[self.size], TWICE, MADE, PY3, FAST"];
    assert_eq!(kept[3..], function);
}

#[test]
fn what_functions_change_is_no_constant() {
    let module = "\
CACHE = None
LIMIT = 3
HANDLERS = []
NAMES: dict = {}
class A:
    seen = []
    rule = None
    size = 3
    def g(self):
        return self.seen, self.rule, self.size
def set_up():
    global CACHE
    CACHE = LIMIT
def f():
    return CACHE, LIMIT, HANDLERS, NAMES
";
    let text = in_place(module, "f").expect("the module has it");
    let kept: Vec<&str> = lines(&text).into_iter().map(|(_, line)| line.trim()).collect();
    assert_eq!(kept, ["LIMIT = 3", "def f():", "return CACHE, LIMIT, HANDLERS, NAMES"]);
    let text = in_place(module, "A.g").expect("the module has it");
    let kept: Vec<&str> = lines(&text).into_iter().map(|(_, line)| line.trim()).collect();
    assert_eq!(kept, ["class A:", "size = 3", "def g(self):", "return self.seen, self.rule, self.size"]);
}

#[test]
fn of_a_property_the_getter_is_taken() {
    let text = checked("A.size");
    assert_eq!(lines(&text).last(), Some(&(20, "    def size(self): return self._size")));
}

#[test]
fn a_nested_function_keeps_the_outer_header() {
    for name in ["outer.inner", "outer.<locals>.inner"] {
        let text = checked(name);
        let kept = lines(&text);
        let expected = [
            (42, "def outer(x) -> {1: lambda: 2}:"),
            (43, "    import re"),
            (45, "    def inner(z):"),
            (46, "        return z"),
        ];
        assert_eq!(kept[kept.len() - 4..], expected);
    }
}

#[test]
fn bodies_are_scripts() {
    let expected = r#"# Above the first statement.
if node:
    exit((1, 2))  # two
exit(node)
x = exit()
def inner():
    return 3
text = """
    kept
"""
exit()
"#;
    assert_eq!(body(MODULE, "A.visit").as_deref(), Ok(expected));
    assert_eq!(body("def f(): x = 1; return x # y\n", "f").as_deref(), Ok("x = 1; exit(x) # y\n"));
    assert_eq!(body("def f():\r\n\tyield  from x\r\n\r\n", "f").as_deref(), Ok("exit(x)\n"));
    assert_eq!(body("def f():\n    return (yield 1)", "f").as_deref(), Ok("exit((exit(1)))\n"));
    assert_eq!(body("def f():\n  return\\\n\n", "f").as_deref(), Ok("exit()\n"));
}

#[test]
fn names_may_be_short_or_wrong() {
    assert!(in_place(MODULE, "visit").is_ok());
    let error = in_place(MODULE, "inner").expect_err("two functions have that name");
    assert_eq!(error.nearest[..2], ["A.visit.inner", "outer.inner"]);
    let error = body(MODULE, "A.vist").expect_err("misspelled");
    assert_eq!(error.to_string(), "no function `A.vist` in the source");
    assert_eq!(error.nearest[0], "A.visit");
    assert!(error.nearest.len() <= 3);
    assert_eq!(body("x", "f"), Err(NotFound { qualname: "f".to_owned(), nearest: Vec::new() }));
}

/// Bodies are those that `LExecutor` ran, up to blanks; the records are not in the repository.
#[test]
fn bodies_agree_with_the_records() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/datasets/functions.jsonl");
    let Ok(records) = std::fs::read_to_string(path) else { return };
    let squeezed = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split_whitespace().collect()).filter(|line: &String| !line.is_empty()).collect()
    };
    let (mut count, mut same) = (0, 0);
    for line in records.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("records are JSON");
        let (Some(code), Some(function)) = (record["code"].as_str(), record["function"].as_str()) else { continue };
        let functions = qualnames(function);
        let outermost = functions.first().expect("each record is a function");
        let text = body(function, &outermost.qualname).expect("it was just listed");
        assert!(parse_module(&text).is_ok(), "{}", record["id"]);
        count += 1;
        same += usize::from(squeezed(&text) == squeezed(code));
        for function in functions {
            let found = SourceModel::parse(code).ok().and_then(|code| super::in_place(&code, &function.qualname).ok());
            assert!(parse_module(&found.unwrap_or_default()).is_ok());
        }
    }
    #[expect(clippy::print_stdout, reason = "the share is what one runs this test for")]
    {
        println!("functions: {same} of {count} bodies agree");
    }
    assert!(same * 10 >= count * 9, "{same} of {count}");
}

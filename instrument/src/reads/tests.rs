use super::*;

fn of(source: &str) -> Vec<Read> {
    reads(&SourceModel::parse(source).expect("the source parses"))
}

fn line(names: &[&str], shape: Shape, value: Conversion, line: u32) -> Read {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    Read::Line(Line { names, shape, value, separator: None, line })
}

#[test]
fn lines_have_the_names_and_conversions_of_their_fields() {
    let found = of(
        "n = int(input())\na, b = map(int, input().split())\nxs = [float(x) for x in input().split()]\ns = input().strip()\n",
    );
    assert_eq!(
        found,
        [
            line(&["n"], Shape::One, Conversion::Integer, 1),
            line(&["a", "b"], Shape::Fields(2), Conversion::Integer, 2),
            line(&["xs"], Shape::List, Conversion::Real, 3),
            line(&["s"], Shape::One, Conversion::Text, 4),
        ]
    );
}

#[test]
fn loops_have_counts() {
    let row = || line(&["x"], Shape::One, Conversion::Integer, 2);
    assert_eq!(
        of("for i in range(n - 1):\n    x = int(input())\n"),
        [Read::Repeat { count: Some("n - 1".into()), body: vec![row()] }]
    );
    assert_eq!(of("while True:\n    x = int(input())\n"), [Read::Repeat { count: None, body: vec![row()] }]);
    assert_eq!(
        of("rows = [list(map(int, input().split())) for _ in range(n)]\n"),
        [Read::Repeat { count: Some("n".into()), body: vec![line(&["rows"], Shape::List, Conversion::Integer, 1)] }]
    );
}

#[test]
fn other_names_and_own_functions_are_followed() {
    let source = "import sys\ninput = sys.stdin.readline\nread = lambda: int(input())\ndef main():\n    n = read()\n    for _ in range(n):\n        show(input())\ndef show(x):\n    print(x)\nmain()\n";
    let expected = [
        line(&["n"], Shape::One, Conversion::Integer, 5),
        Read::Repeat { count: Some("n".into()), body: vec![line(&[], Shape::One, Conversion::Text, 7)] },
    ];
    assert_eq!(of(source), expected);
    let rest = of("import sys\ndata = list(map(int, sys.stdin.buffer.read().split()))\n");
    assert!(matches!(&rest[..], [Read::Rest(Line { value: Conversion::Integer, .. })]), "{rest:?}");
}

#[test]
fn recursion_and_programs_that_read_nothing_end() {
    assert_eq!(of("def f():\n    input()\n    f()\nf()\n"), [line(&[], Shape::One, Conversion::Text, 2)]);
    assert_eq!(of("print(1)\n"), []);
}

#[test]
fn methods_and_classes_are_followed() {
    let source = "class Task:\n    def __init__(self):\n        self.n = int(input())\n    def read(self):\n        self.rows = [int(x) for x in input().split()]\ntask = Task()\ntask.read()\n";
    let expected =
        [line(&["n"], Shape::One, Conversion::Integer, 3), line(&["rows"], Shape::List, Conversion::Integer, 5)];
    assert_eq!(of(source), expected);
    let spread = "def f(a, b, c):\n    print(a)\nf(*map(int, input().split()))\n";
    assert_eq!(of(spread), [line(&[], Shape::Fields(3), Conversion::Integer, 3)]);
}

#[test]
fn loops_to_the_end_of_the_input_say_what_a_line_is() {
    let pair = |at| line(&["a", "b"], Shape::Fields(2), Conversion::Integer, at);
    let source = "import sys\nfor row in sys.stdin:\n    if row.strip() == '0':\n        break\n    a, b = map(int, row.split())\n    print(a, row)\n";
    assert_eq!(of(source), [Read::ToEnd(vec![pair(5)])]);
    let source =
        "while True:\n    try:\n        a, b = map(int, input().split())\n    except EOFError:\n        break\n";
    assert_eq!(of(source), [Read::ToEnd(vec![pair(3)])]);
    let unused = of("import sys\nfor row in sys.stdin:\n    print(1)\n");
    assert_eq!(unused, [Read::ToEnd(vec![line(&[], Shape::One, Conversion::Text, 2)])]);
}

#[test]
fn indexes_and_compared_texts_are_known() {
    let source = "n, m = map(int, input().split())\nfor _ in range(m):\n    a, b = map(int, input().split())\n    graph[a - 1].append(b)\nfor c in cs:\n    if s[c] == 'R' or s in ('up', 'down'):\n        go({'L': 1}[s])\n";
    let found = uses(&SourceModel::parse(source).expect("the source parses"));
    let indexes: Vec<(&str, bool)> = found.indexes.iter().map(|(name, one)| (name.as_str(), *one)).collect();
    assert_eq!(indexes, [("a", true), ("c", false), ("cs", false), ("s", false)]);
    assert_eq!(found.texts.iter().map(String::as_str).collect::<Vec<_>>(), ["L", "R", "down", "up"]);
}

#[test]
fn huge_places_are_no_lengths() {
    let source = "s = input()\nprint(s[18446744073709551615:], s[18446744073709551615], s[3])\n";
    let found = uses(&SourceModel::parse(source).expect("the source parses"));
    assert_eq!(found.lengths.get("s"), Some(&4));
}

#[test]
fn columns_and_rows_say_how_many_fields_a_line_has() {
    let columns = of("x, y = zip(*[map(int, input().split()) for _ in range(n)])\n");
    let body = vec![line(&["x", "y"], Shape::Fields(2), Conversion::Integer, 1)];
    assert_eq!(columns, [Read::Repeat { count: Some("n".into()), body }]);
    let source =
        "for a, b in rows:\n    print(a)\nfor first, *rest in lists:\n    print(size[0], size[1], other[0], other)\n";
    let found = uses(&SourceModel::parse(source).expect("the source parses"));
    assert_eq!(found.widths.into_iter().collect::<Vec<_>>(), [("rows".to_owned(), 2)]);
    assert_eq!(found.places.into_iter().collect::<Vec<_>>(), [("size".to_owned(), 2)]);
}

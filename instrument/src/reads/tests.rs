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

use super::*;

fn found(text: &str) -> Vec<Check> {
    checks(&SourceModel::parse(text).expect("it parses")).into_iter().collect()
}

fn check(key: &str, class: &str) -> Check {
    (key.to_owned(), class.to_owned())
}

#[test]
fn classes_are_found_with_what_is_asked_about() {
    let text = "def f(a, b):\n    if isinstance(a, (str, m.C)):\n        return type(b.x) is int\n";
    assert_eq!(found(text), [check("attribute:x", "int"), check("variable:a", "m.C"), check("variable:a", "str")]);
}

#[test]
fn truth_and_none_are_asked_about() {
    let text = "def f(a, b, c, d):\n    if a: return b is not None or b is int\n    return (not c.x) + (d or 1)\n";
    let expected = [
        check("attribute:x", FALSY),
        check("variable:a", FALSY),
        check("variable:b", "None"),
        check("variable:b", "itself int"),
        check("variable:d", FALSY),
    ];
    assert_eq!(found(text), expected);
}

#[test]
fn values_are_compared_with_named_constants() {
    let text = "def f(a, rows, d):\n    a == b or a == LOW\n    for t, v in rows: t is T.Key or v in (K.a, 1)\n    for k, w in d.items(): w != m.HIGH\n    c = \
                g()\n    b is c\n";
    let expected = [
        check("element:d", "itself m.HIGH"),
        check("part 0:rows", "itself T.Key"),
        check("part 1:rows", "itself K.a"),
        check("variable:a", "itself LOW"),
        check("variable:t", "itself T.Key"),
        check("variable:v", "itself K.a"),
        check("variable:w", "itself m.HIGH"),
    ];
    let found: Vec<Check> = found(text).into_iter().filter(|(_, class)| class != FALSY).collect();
    assert_eq!(found, expected);
}

#[test]
fn literals_are_looked_up_in_tables_and_matched_by_expressions() {
    let text = "import re\nSIZES = {'small': 1, 2: x, y: 3}\nclass C:\n    kinds = frozenset(('a', 'b'))\n    WORD = \
                re.compile(r'x+')\n    def f(self, a, b, c, d):\n        SIZES.get(a); SIZES[b]; c in self.kinds\n        \
                self.WORD.fullmatch(d.text); re.sub(r'\\.', '', d.name); e in other\n";
    let one = |key: &str, value: &str| check(key, &format!("{ONE_OF}{value}"));
    let expected = [
        one("attribute:name", "'.'\0\\."),
        one("attribute:text", "'x'\u{0}x+"),
        one("attribute:text", "'xx'\u{0}x+"),
        one("attribute:text", "'xxx'\u{0}x+"),
        one("variable:a", "'small'\u{0}1"),
        one("variable:a", "2\u{0}x"),
        one("variable:b", "'small'\u{0}1"),
        one("variable:b", "2\u{0}x"),
        one("variable:c", "'a'\0"),
        one("variable:c", "'b'\0"),
    ];
    assert_eq!(found(text), expected);
}

#[test]
fn handlers_ask_for_what_they_catch() {
    let text =
        "def f(a, b):\n    try:\n        x = int(a.strip(), b[0].y)\n    except (m.Error, ValueError):\n        pass\n";
    let errors = ["raising ValueError", "raising m.Error"];
    let expected = ["attribute:y", "variable:a"].into_iter().flat_map(|key| errors.map(|error| check(key, error)));
    let raising = found(text).into_iter().filter(|(_, class)| class.starts_with(RAISING));
    assert_eq!(raising.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn values_are_followed_to_where_they_come_from() {
    let got = "def f(d, k):\n    v = d.get(k)\n    return isinstance(v, bool)\n";
    assert_eq!(
        found(got),
        [check("element:d", "bool"), check("return value:get", "bool"), check("variable:v", "bool")]
    );
    let elements = |text: &str| found(text).into_iter().any(|one| one == check("element:rows", "dict"));
    for looped in [
        "def f(*rows):\n    for row in rows:\n        isinstance(row, dict)\n",
        "def f(*rows):\n    return [isinstance(row, dict) for row in rows]\n",
        "def f(*rows):\n    return isinstance(rows[0], dict)\n",
        "def f(*rows):\n    match rows[0]:\n        case dict(): return 1\n",
    ] {
        assert!(elements(looped), "{looped}");
    }
}

#[test]
fn operations_are_found_that_tell_few_values_apart() {
    let text = "def f(a, b, c, d, parts):\n    1 < b; c >= 2; a.strip('x'); round(b * 2) // 3; f'{c:.2f}'; '%d' % d.e\n    \
                a.lower() in ('on', 'Off'); '/'.join(one for one in parts if one)\n";
    let expected = [
        check("attribute:e", "number \0%d"),
        check("element:parts", FALSY),
        check("element:parts", "text joined"),
        check("variable:a", "one of 'OFF'\0lower"),
        check("variable:a", "one of 'ON'\0lower"),
        check("variable:a", "text case\0lower()"),
        check("variable:a", "text space\0strip('x')"),
        check("variable:b", "near 1\0of <"),
        check("variable:b", "number \0//"),
        check("variable:b", "number \0round"),
        check("variable:c", "near 2\0>="),
        check("variable:c", "number \0.2f"),
        check("variable:one", FALSY),
    ];
    assert_eq!(found(text), expected);
}

#[test]
fn operands_have_the_conversion_in_their_place() {
    let forms = |text: &str| found(text).into_iter().filter(|(_, class)| class.starts_with(NUMBER)).collect::<Vec<_>>();
    let text = "def f(a, b, c):\n    '%s, 5%% of %03d and %(name)-5.1f' % (a, b, c)\n";
    assert_eq!(forms(text), [check("variable:b", "number \0%03d"), check("variable:c", "number \0%-5.1f")]);
    assert_eq!(forms("def f(a, b):\n    '%*d' % (a, b); '%' % a; 'no' % b; a % b\n"), []);
    for whole in ["d", "05d", ",d", "%d", "%-3i"] {
        assert!(writes_whole_numbers(whole), "{whole}");
    }
    for other in ["%s", "%.2f", ".2f", "round", "'{:d}'", "//", ""] {
        assert!(!writes_whole_numbers(other), "{other}");
    }
}

#[test]
fn fields_of_formats_have_forms_or_none() {
    let forms = |form: &str| found(&format!("def f(a):\n    '{form}'.format(a)\n")).len();
    assert_eq!(
        [forms("{:.2f}"), forms("{0:d}"), forms("{}: {!r}"), forms("{0.major}"), forms("{0.size:d}")],
        [1, 1, 0, 0, 0]
    );
}

#[test]
fn what_is_called_comes_from_somewhere() {
    let text =
        "def f(hooks, key, g):\n    hook = hooks.get(key)\n    for one in g.all:\n        one()\n    hook(key.x())\n";
    let called = called_values(&SourceModel::parse(text).expect("it parses"));
    let expected = ["element:all", "element:hooks", "return value:get", "variable:hook", "variable:one"];
    assert_eq!(called.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn handlers_wait_for_calls_to_fail() {
    let text = "def f(a):\n    try:\n        int(a.b())\n        g(lambda: h())\n    except (m.Error, AttributeError):\n        \
                pass\n    except:\n        i()\n";
    let failing = found(text).into_iter().filter(|(_, class)| class.starts_with(FAILING));
    let calls = ["return value:b", "return value:g"].into_iter();
    let expected = calls.flat_map(|key| ["Exception", "m.Error"].map(|error| check(key, &format!("{FAILING}{error}"))));
    assert_eq!(failing.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn constants_are_those_that_values_are_compared_with() {
    let text = "TABLE = {'x': 1, 'y': 2}\ndef f(a, b):\n    if a.kind == 'one' or a.kind in ('two', 3):\n        return TABLE[b['key']]\n    \
                match b.code:\n        case 200 | -1:\n            return {'z': 0}.get(a.kind)\n";
    let found = equated(&SourceModel::parse(text).expect("it parses"));
    let texts = |all: &[&str]| all.iter().map(|text| Equated::Text((*text).to_owned())).collect::<Vec<_>>();
    assert_eq!(found["attribute:kind"], [texts(&["one", "two"]), vec![Equated::Number(3)], texts(&["z"])].concat());
    assert_eq!(found["item:key"], texts(&["x", "y"]));
    assert_eq!(found["attribute:code"], [Equated::Number(200), Equated::Number(-1)]);
}

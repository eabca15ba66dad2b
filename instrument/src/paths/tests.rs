use super::*;

const SOURCE: &str = "\
def fetch(url, retries=3):
    if retries > 5:
        return None
    reply = get(url)
    try:
        data = reply.json()
    except (ValueError, http.Error):
        data = {}
    for row in data:
        print(row)
    else:
        print('none')
    return data
kind = fetch(address)
if kind == 'zip':
    a = 1
elif kind in ('tar', 'gz'):
    a = 2
else:
    a = 3
match kind:
    case 'x': b = 1
    case [p, q]: b = 2
";

#[test]
fn branches_lead_to_blocks() {
    let paths = Paths::of(&SourceModel::parse(SOURCE).expect("it parses"));
    let found: Vec<(u32, Vec<(u32, u32)>)> = paths
        .branches
        .iter()
        .map(|branch| (branch.lines.0, branch.ways.iter().map(|way| way.lines).collect()))
        .collect();
    let expected = [
        (2, vec![(3, 3), (4, 13)]),
        (6, vec![(8, 8)]),
        (9, vec![(10, 10), (12, 12)]),
        (15, vec![(16, 16), (17, 20)]),
        (17, vec![(18, 18), (20, 20)]),
        (21, vec![(22, 22), (23, 23)]),
    ];
    assert_eq!(found, expected);
    let Side::Handler(names) = &paths.branches[1].ways[0].side else { panic!("not a handler") };
    assert_eq!(names, &[Some("ValueError".to_owned()), Some("http.Error".to_owned())]);
}

#[test]
fn arguments_reach_parameters() {
    let source = "\
def total(rows, *more, scale=1):
    return rows
class Shop:
    def __init__(self, name):
        self.sell(name, n=2)
    def sell(self, item, n):
        pass
total(orders, extra, scale=factor)
Shop(title)
first = map(lambda pair: pair[0], stock)
names.sort(key=total)
";
    let paths = Paths::of(&SourceModel::parse(source).expect("it parses"));
    let fed = |name: &str| -> Vec<&str> {
        let ranges = paths.origins.put.get(name).into_iter().flatten();
        ranges.map(|range| &source[range.start as usize..range.end as usize]).collect()
    };
    assert_eq!(fed("rows"), ["orders", "names"]);
    assert_eq!(fed("more"), ["extra", "names"]);
    assert_eq!(fed("scale"), ["factor", "names"]);
    assert_eq!((fed("item"), fed("n")), (vec!["name"], vec!["2"]));
    assert_eq!(fed("name"), ["title"]);
    assert_eq!(fed("pair"), ["stock"]);
    assert_eq!(fed("self"), Vec::<&str>::new());
}

#[test]
fn values_are_followed_to_where_they_come_from() {
    let paths = Paths::of(&SourceModel::parse(SOURCE).expect("it parses"));
    let row = SOURCE.find("row)").expect("it is there") as u32;
    let texts: Vec<(u32, &str)> = paths
        .origins
        .near(row..row + 3)
        .into_iter()
        .map(|(distance, range)| (distance, &SOURCE[range.start as usize..range.end as usize]))
        .collect();
    assert_eq!(
        texts,
        [(0, "row"), (1, "data"), (2, "reply.json()"), (2, "{}"), (3, "get(url)"), (4, "url"), (4, "address")]
    );
    let kind = SOURCE.find("kind == ").expect("it is there") as u32;
    let texts: Vec<&str> = paths
        .origins
        .near(kind..kind + 4)
        .iter()
        .map(|(_, range)| &SOURCE[range.start as usize..range.end as usize])
        .collect();
    assert_eq!(texts[..4], ["kind", "fetch(address)", "None", "data"]);
}

#[test]
fn conditions_tell_what_they_compare_with() {
    let paths = Paths::of(&SourceModel::parse(SOURCE).expect("it parses"));
    let wishes: Vec<(&str, &Wish)> = paths
        .hints
        .iter()
        .map(|hint| (&SOURCE[hint.subject.start as usize..hint.subject.end as usize], &hint.wish))
        .collect();
    let text = |text: &str| Wish::Text(text.to_owned());
    let expected = [
        ("retries", Wish::Integer(5)),
        ("retries", Wish::Integer(6)),
        ("retries", Wish::Integer(4)),
        ("kind", text("zip")),
        ("kind", text("tar")),
        ("kind", text("gz")),
        ("kind", text("x")),
        ("kind", Wish::Length(2)),
    ];
    assert_eq!(wishes, expected.iter().map(|(subject, wish)| (*subject, wish)).collect::<Vec<_>>());
    let more = SourceModel::parse("if len(x) >= 2 and isinstance(y, (str, Foo)) and 'k' in z and 0 < n: pass");
    let more = Paths::of(&more.expect("it parses"));
    let wishes: Vec<&Wish> = more.hints.iter().map(|hint| &hint.wish).collect();
    assert_eq!(
        wishes,
        [
            &Wish::Length(3),
            &Wish::Length(2),
            &Wish::Length(1),
            &Wish::Instance("str"),
            &Wish::OtherInstance("Foo".to_owned()),
            &Wish::Holds("k".to_owned()),
            &Wish::Integer(0),
            &Wish::Integer(1),
            &Wish::Integer(-1),
        ]
    );
}

#[test]
fn a_name_may_stand_for_a_length() {
    let text = "count = len(rows)\nif count == 2:\n    pass\n";
    let paths = Paths::of(&SourceModel::parse(text).expect("it parses"));
    let hint = &paths.hints[1];
    assert_eq!(
        (&text[hint.subject.start as usize..hint.subject.end as usize], &hint.wish),
        ("count", &Wish::Length(2))
    );
}

#[test]
fn functions_of_the_standard_library_read_texts_in_their_forms() {
    let text = "\
import re, socket
PAIR = re.compile(r'(\\d+)-([a-z])')
m = PAIR.match(line) or re.fullmatch('x{3}', other)
day = datetime.strptime(when, '%Y-%m')
socket.inet_pton(socket.AF_INET, address)
anything.match(line), PAIR.sub(one, two), re.split(' +', line)
";
    let paths = Paths::of(&SourceModel::parse(text).expect("it parses"));
    let found = paths.formats.iter().map(|hint| {
        let Wish::Text(wish) = &hint.wish else { panic!("{hint:?}") };
        (&text[hint.subject.start as usize..hint.subject.end as usize], wish.as_str())
    });
    let expected = [("line", "0-a"), ("other", "xxx"), ("when", "2021-03"), ("address", "127.0.0.1")];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn a_key_is_one_that_the_dictionary_has() {
    let text = "\
CODES: dict = {'': 0, 'OK': 1, 'no': 2}
class A:
    NAMES = {4: 'four'}
CODES[a], CODES[str(b).lower()], self.NAMES[c.d], CODES['no'], other[e], CODES[f + 'x']
def of_parameter(CODES, i):
    own = {'x': 1}
    return CODES[g], own[h]
def of_module(i):
    return CODES[j], own[k]
CODES[l] = 3
CODES[m]
for counts in all_counts:
    counts[n]
";
    let paths = Paths::of(&SourceModel::parse(text).expect("it parses"));
    let found = paths.outcomes.iter().map(|outcome| {
        let requirement = &outcome.requires[0];
        let subject = &text[requirement.subject.start as usize..requirement.subject.end as usize];
        (subject, requirement.wish.clone().expect("a key"))
    });
    let key = |text: &str| Wish::Text(text.to_owned());
    let expected = [("a", key("OK")), ("b", key("no")), ("c.d", Wish::Integer(4)), ("h", key("x")), ("j", key("OK"))];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn statements_are_found_by_line() {
    let paths = Paths::of(&SourceModel::parse(SOURCE).expect("it parses"));
    let text = |line| paths.statement(line).map(|range| &SOURCE[range.start as usize..range.end as usize]);
    assert_eq!(text(4), Some("reply = get(url)"));
    assert_eq!(text(9), Some("for row in data"));
    assert_eq!(text(99), None);
}

/// What the guards of a source require: subject, question, answer.
fn required(source: &str) -> Vec<(String, Question, bool)> {
    let paths = Paths::of(&SourceModel::parse(source).expect("it parses"));
    let guards = paths.outcomes.iter().filter(|outcome| outcome.is_guard).flat_map(|outcome| &outcome.requires);
    let text = |range: &Range<u32>| source[range.start as usize..range.end as usize].to_owned();
    guards.map(|one| (text(&one.subject), one.question, one.answer)).collect()
}

#[test]
fn what_keeps_code_from_raising_is_required() {
    let own = |text: &str, question, answer| (text.to_owned(), question, answer);
    assert_eq!(required("if not x: raise E\n"), [own("x", Question::Truth, true)]);
    assert_eq!(required("assert a is DONE\n"), [own("a", Question::Identity, true)]);
    assert_eq!(required("if not isinstance(x, Path): raise E\n"), [own("x", Question::OtherInstance, true)]);
    assert_eq!(required("if x not in (1, 2):\n    raise E\n"), [own("x", Question::Comparison, true)]);
    let of_name = [own("NAMES", Question::Membership, true), own("x", Question::Element, true)];
    assert_eq!(required("if x not in NAMES:\n    raise E\n"), of_name);
    assert_eq!(required("assert isinstance(x, bytes)\n"), [own("x", Question::OtherInstance, true)]);
    // Nothing but a `raise` follows.
    let searched =
        "def f(rows):\n    for row in rows:\n        if row.ready:\n            return row\n    raise KeyError\n";
    assert_eq!(required(searched), [own("row.ready", Question::Truth, true)]);
    assert_eq!(required("def f(x):\n    if x:\n        return 1\n    raise E\n"), [own("x", Question::Truth, true)]);
    assert_eq!(required("if x: raise A\nelse: raise B\n"), []);
    assert_eq!(required("if x: pass\n"), []);
}

#[test]
fn requirements_know_what_values_are_compared_with() {
    let source = "if kind != 'form': pass\nif value is NONE: pass\nif n in (3, 4): pass\n";
    let paths = Paths::of(&SourceModel::parse(source).expect("it parses"));
    let wish = |decides: &str, truth: bool| {
        let start = source.find(decides).expect("it is there") as u32;
        let outcome = paths.outcomes.iter().find(|one| one.decides.start == start && one.truth == truth);
        outcome.expect("both outcomes are listed").requires[0].wish.clone()
    };
    assert_eq!(wish("kind", false), Some(Wish::Text("form".to_owned())));
    assert_eq!(wish("kind", true), None);
    assert_eq!(wish("n in", true), Some(Wish::Integer(3)));
}

#[test]
fn texts_are_in_the_form_in_which_they_are_read() {
    let source = "key, value = line.split('=')\nn = int(digits[2:4])\na, *b = x.split()\nf = float(text)\n";
    let paths = Paths::of(&SourceModel::parse(source).expect("it parses"));
    let formats: Vec<(&str, &Wish)> = paths
        .formats
        .iter()
        .map(|hint| (&source[hint.subject.start as usize..hint.subject.end as usize], &hint.wish))
        .collect();
    let text = |text: &str| Wish::Text(text.to_owned());
    assert_eq!(formats, [("line", &text("1=1")), ("digits", &text("11111111")), ("text", &text("1"))]);
}

#[test]
fn a_name_is_unbound_unless_its_value_is_made_of_itself() {
    let unbound = |source: &str, name: &str| {
        let paths = Paths::of(&SourceModel::parse(source).expect("it parses"));
        paths.may_be_unbound(name, source.find(name).expect("it is there") as u32)
    };
    assert!(unbound("print(total)\ntotal = 1\n", "total"));
    assert!(unbound("total += 1\n", "total"));
    assert!(!unbound("while k > 0:\n    k -= 1\n", "k"), "a parameter, if this is the body of a function");
    assert!(!unbound("for x in rows: new = [x]\nrows = new\n", "rows"));
    assert!(!unbound("use(seq)\nseq = list(seq)\n", "seq"));
}

#[test]
fn deleted_names_and_functions_defined_later_are_never_bound_before() {
    let never = |source: &str, name: &str, nth: usize| {
        let at = source.match_indices(name).nth(nth).expect("it is there").0;
        is_never_bound_before(&SourceModel::parse(source).expect("it parses"), name, at as u32)
    };
    assert!(never("f()\ndef f(): pass\n", "f", 0));
    assert!(never("x = 1\ndel x\nprint(x)\n", "x", 2));
    assert!(never("try:\n    raise E\nexcept E as err:\n    pass\nprint(err)\n", "err", 1));
    assert!(!never("try:\n    go()\nexcept E as err:\n    print(err)\n", "err", 1));
    assert!(
        !never("err = None\ntry:\n    go()\nexcept E as err:\n    pass\nprint(err)\n", "err", 2),
        "if nothing is raised"
    );
    assert!(!never("x = 1\nif y:\n    del x\nprint(x)\n", "x", 2), "on the other way it is bound");
    assert!(!never("for i in a:\n    f()\n    def f(): pass\n", "f", 1), "in the second round");
    assert!(!never("print(x)\nx = 1\n", "x", 0), "a parameter, if this is the body of a function");
    assert!(!never("from m import *\nf()\ndef f(): pass\n", "f()", 0));
    assert!(!never("def g():\n    global f\n    f = 1\ng()\nf()\ndef f(): pass\n", "f()", 0));
    assert!(!never("def g():\n    return f()\ndef f(): pass\n", "f()", 0), "it may be called later");
}

#[test]
fn tables_have_what_is_read_of_their_rows() {
    let tables = |source: &str| {
        let paths = Paths::of(&SourceModel::parse(source).expect("it parses"));
        paths.tables().into_values().map(|lines| lines.concat()).collect::<Vec<_>>()
    };
    let by_name =
        "import csv\nfor row in csv.DictReader(f):\n    if row['kind, or so'] == 'a':\n        n = row.get('n')\n";
    assert_eq!(tables(by_name), ["\"kind, or so\",n\na,1\n1,1\n"]);
    let by_place =
        "from csv import reader\nrows = list(reader(f, delimiter='|'))\nfor row in rows[1:]:\n    float(row[2])\n";
    assert_eq!(tables(by_place), ["1|1|1\n1|1|1\n"]);
    let unpacked = "import csv\nfor a, b, c in csv.reader(f): pass\nfor i, j in enumerate(csv.reader(g)): pass\n";
    assert_eq!(tables(unpacked), ["1,1,1\n1,1,1\n", "1,1\n1,1\n"]);
    let with_names = "import csv\nfor row in csv.DictReader(f, ['n', 'm']):\n    if int(row['n']) > 7: pass\n";
    assert_eq!(tables(with_names), ["7,1\n8,1\n6,1\n"]);
    assert_eq!(tables("for row in reader(f):\n    row[0]\n"), Vec::<String>::new());
}

#[test]
fn elements_of_names_and_characters_with_numbers_are_asked_for() {
    let text = "\
class A:
    def f(self, kind, letter):
        number = ord(letter) if letter else 0
        if kind in self.KINDS or kind not in tables.NAMES or number > 64:
            return self.OTHER == kind
";
    let paths = Paths::of(&SourceModel::parse(text).expect("it parses"));
    let found = paths.hints.iter().map(|hint| {
        let subject = &text[hint.subject.start as usize..hint.subject.end as usize];
        (subject, hint.wish.clone())
    });
    let member = |name: &str| Wish::Member(name.to_owned());
    let letter = |text: &str| Wish::Text(text.to_owned());
    let expected = [
        ("kind", member("A.KINDS")),
        ("kind", member("tables.NAMES")),
        ("number", letter("@")),
        ("number", Wish::Integer(64)),
        ("number", letter("A")),
        ("number", Wish::Integer(65)),
        ("number", letter("?")),
        ("number", Wish::Integer(63)),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn augmented_assignments_read_their_targets() {
    let text = "value, at = find(text)\nat += 1\nself.count -= step\n";
    let paths = Paths::of(&SourceModel::parse(text).expect("it parses"));
    let read = |statement: &str| {
        let start = text.find(statement).expect("it is there") as u32;
        paths.origins.read_in(start..start + statement.len() as u32).map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(read("at += 1"), ["at"]);
    assert!(read("self.count -= step").contains(&".count".to_owned()));
    let start = text.find("at += 1").expect("it is there") as u32;
    let sources = paths.origins.near(start..start + 7);
    let found = sources.iter().any(|(_, range)| text[range.start as usize..range.end as usize] == *"find(text)");
    assert!(found, "{sources:?}");
}

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
            &Wish::Holds("k".to_owned()),
            &Wish::Integer(0),
            &Wish::Integer(1),
            &Wish::Integer(-1),
        ]
    );
}

#[test]
fn statements_are_found_by_line() {
    let paths = Paths::of(&SourceModel::parse(SOURCE).expect("it parses"));
    let text = |line| paths.statement(line).map(|range| &SOURCE[range.start as usize..range.end as usize]);
    assert_eq!(text(4), Some("reply = get(url)"));
    assert_eq!(text(9), Some("for row in data"));
    assert_eq!(text(99), None);
}

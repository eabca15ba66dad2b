use proptest::prelude::*;

use super::*;

/// The evidence about all places of these texts in a source, `name()` being calls.
fn evidence<'a>(source: &'a str, texts: &[&'a str]) -> (Evidence, Vec<Asked<'a>>) {
    let mut asked = Vec::new();
    for text in texts {
        for (start, _) in source.match_indices(text) {
            let (kind, name) = match (text.strip_suffix("()"), text.rsplit_once('.')) {
                (Some(callee), _) => (Kind::ReturnValue, callee.rsplit('.').next().unwrap_or(callee)),
                (None, Some((_, name))) => (Kind::Attribute, name),
                (None, None) => (Kind::Variable, *text),
            };
            asked.push(Asked { kind, name, start: start as u32, end: (start + text.len()) as u32 });
        }
    }
    (Evidence::of(SourceModel::parse(source).ok().as_ref(), &asked), asked)
}

fn shapes(counts: &Counts) -> Vec<Shape> {
    Shape::ALL.iter().copied().filter(|&shape| counts[shape as usize] > 0).collect()
}

fn origins(group: &Group) -> Vec<Origin> {
    Origins::ALL.iter().copied().filter(|&origin| group.origins.contains(origin)).collect()
}

#[test]
fn variables_are_told_apart_by_their_scopes() {
    let source = "xx = 1\ndef f(xx='a'):\n    return xx\nclass C:\n    xx = None\n    def g(self): return xx\n[xx for xx in y]\n\
                  def h():\n    global xx\n    xx = []\n";
    let (found, asked) = evidence(source, &["xx"]);
    let group = |nth: usize| &found.groups[found.places[nth].group as usize];
    let expected: [(usize, &[Shape]); 6] = [
        (0, &[Shape::PositiveInt, Shape::EmptyList]),
        (1, &[Shape::Str]),
        (2, &[Shape::Str]),
        (3, &[Shape::None]),
        (4, &[Shape::PositiveInt, Shape::EmptyList]),
        (5, &[]),
    ];
    for (nth, literals) in expected {
        assert_eq!(shapes(&group(nth).literals), literals, "number {nth} at {}", asked[nth].start);
    }
    assert_eq!(origins(group(5)), [Origin::Comprehension]);
    assert_eq!(found.places[0].group, found.places[4].group);
    // That the module's text names the variable once more in `global xx` is no place of the tree.
    assert!(origins(group(7)).is_empty() && origins(group(8)) == [Origin::Assigned]);
}

#[test]
fn values_lead_to_what_they_are_assigned_to() {
    let source = "def load(): return 0 if a else thing()\nrows = load()\nself.rows = rows or None\nprint(self.rows)\n";
    let (found, asked) = evidence(source, &["rows", "load()", "thing()", "self.rows"]);
    let nth = |text: &str, number: usize| {
        let mut places = (0..asked.len()).filter(|&at| {
            let asked = asked[at];
            &source[asked.start as usize..asked.end as usize] == text
        });
        places.nth(number).expect("it was asked")
    };
    let (call, read, attribute) = (nth("load()", 1), nth("rows", 2), nth("self.rows", 1));
    assert_eq!(found.places[call].targets, [found.places[read].group], "rows = load()");
    assert_eq!(found.places[read].targets, [found.places[attribute].group], "self.rows = rows or None");
    let rows = &found.groups[found.places[attribute].group as usize];
    assert_eq!((shapes(&rows.literals), rows.values.clone()), (vec![Shape::None], vec![read as u32]));
    let loaded = &found.groups[found.places[call].group as usize];
    assert_eq!((shapes(&loaded.literals), loaded.values.len()), (vec![Shape::ZeroInt], 1), "what load returns");
    assert_eq!(origins(&found.groups[found.places[call].callee.expect("a callee") as usize]), [Origin::Function]);
}

#[test]
fn definitions_say_where_names_come_from() {
    for (source, text, expected) in [
        ("import numpy as np\nnp", "np", vec![Origin::Import]),
        ("import os.path\nos", "os", vec![Origin::Import]),
        ("from m import work\nwork", "work", vec![Origin::FromImport]),
        ("from m import Work as w\nw", "w", vec![Origin::FromImportClass]),
        ("from m import LEVEL\nLEVEL", "LEVEL", vec![Origin::FromImportConstant]),
        ("class A: pass\nA", "A", vec![Origin::Class]),
        ("class A:\n  def f(self, *args, **kw): self", "self", vec![Origin::Receiver]),
        ("def f(*args): args", "args", vec![Origin::Variadic]),
        ("def f(**kw): kw", "kw", vec![Origin::Keywords]),
        ("for i in x: i\ni += 1", "i", vec![Origin::Loop, Origin::Augmented]),
        ("with x as (f, g): g", "g", vec![Origin::Context]),
        ("try: pass\nexcept E as err: err", "err", vec![Origin::Caught]),
        ("match x:\n  case {'a': got}: got", "got", vec![Origin::Matched]),
        ("if (n := 1): n", "n", vec![Origin::Assigned]),
        ("class A:\n  @property\n  def size(self): return 1\na.size", "a.size", vec![Origin::Property]),
        ("class A:\n  def size(self): return 1\na.size", "a.size", vec![Origin::Function]),
        ("def gen(): yield 1\ngen()", "gen()", vec![Origin::Generator]),
        ("async def get(): return 1\nget()", "get()", vec![Origin::Generator]),
        ("len", "len", vec![Origin::Builtin]),
        ("frame", "frame", vec![]),
        ("a.size", "a.size", vec![]),
    ] {
        let (found, asked) = evidence(source, &[text]);
        let last = (0..asked.len()).max_by_key(|&at| asked[at].start).expect("it is there");
        assert_eq!(origins(&found.groups[found.places[last].group as usize]), expected, "{source}");
    }
}

#[test]
fn annotations_belong_to_variables_attributes_and_results() {
    let source =
        "class A:\n  n: int = None\n  def f(self, s: 'str') -> bool:\n    s\n    self.t: list = s\nA().n; x.f(); y.t";
    let (found, asked) = evidence(source, &["s", "A().n", "x.f()", "y.t"]);
    let of = |name: &str| {
        let at = asked.iter().rposition(|asked| asked.name == name).expect("it was asked");
        shapes(&found.groups[found.places[at].group as usize].annotations)
    };
    assert_eq!(of("s"), [Shape::Str]);
    assert_eq!(of("n"), [Shape::PositiveInt]);
    assert_eq!(of("f"), [Shape::True]);
    assert_eq!(of("t"), [Shape::List]);
}

#[test]
fn sources_that_do_not_parse_still_tell_which_names_are_the_same() {
    let (found, asked) = evidence("x = = x y", &["x", "y"]);
    assert_eq!(asked.len(), 3);
    assert_eq!(found.places[0].group, found.places[1].group);
    assert_ne!(found.places[0].group, found.places[2].group);
}

#[test]
fn hostile_sources_take_no_more_than_ordinary_ones() {
    let deep = format!("{}x{} = 1\n", "(".repeat(150), ")".repeat(150));
    let targets = "x = ".repeat(20_000);
    let values = vec!["x"; 20_000].join(" or ");
    for source in [deep, format!("{targets}{values}\n"), format!("y: '{}'\n", "[".repeat(199))] {
        let (found, asked) = evidence(&source, &["x"]);
        let links: usize = found.places.iter().take(asked.len()).map(|place| place.targets.len()).sum();
        assert!(links <= 8 * 20_000, "{links} links");
    }
}

/// Expressions that open scopes and bind names inside of one another.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("a"), Just("b.a"), Just("f()"), Just("0"), Just("a.f(b)")].prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|x| format!("(lambda a, *b: {x})")),
            pair.clone().prop_map(|(x, y)| format!("[{x} for a in {y} if (b := a)]")),
            pair.clone().prop_map(|(x, y)| format!("{{a: {x} for a, b in {y}}}")),
            pair.clone().prop_map(|(x, y)| format!("({x} if {y} else a)")),
            pair.prop_map(|(x, y)| format!("f'{{{x}:{{{y}}}}}'").replace('\n', "")),
            inner.prop_map(|x| format!("(yield {x})")),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_stands_in_a_source_each_place_belongs_somewhere(parts in prop::collection::vec((0..8_usize, expression()), 1..6)) {
        let statement = |(form, x): &(usize, String)| match form {
            0 => format!("a = b = {x}\n"),
            1 => format!("def f(a={x}, *b, **f) -> {x}:\n    global g\n    return {x}\n"),
            2 => format!("class f(a, b={x}):\n    a: int = {x}\n    def a(self): return a\n"),
            3 => format!("@a\nasync def f[T: {x}](b: T):\n    async with {x} as a: pass\n"),
            4 => format!("for a, (b, *f) in {x}: f += {x}\n"),
            5 => format!("match {x}:\n    case [a, *b] | {{'k': a, **b}} if {x}: pass\n"),
            6 => format!("try: {x}\nexcept a as b: del b\n"),
            _ => format!("a.b, f = {x}, {x}\nfrom a import b, A as f\n"),
        };
        let source: String = parts.iter().map(statement).collect();
        let (found, asked) = evidence(&source, &["a", "b", "b.a", "f()"]);
        prop_assert_eq!(found.places.len(), asked.len());
        for place in &found.places {
            let groups = place.targets.iter().chain(&place.callee).chain([&place.group]);
            prop_assert!(groups.copied().all(|group| (group as usize) < found.groups.len()));
        }
        for group in &found.groups {
            prop_assert!(group.values.iter().all(|&value| (value as usize) < asked.len()));
        }
    }
}

#[test]
fn conditions_say_what_is_asked_of_what_and_where_it_leads() {
    let source = "def check(value, strict=False):\n    if not isinstance(value, str) and strict:\n        raise TypeError\n    \
                  for row in value.rows():\n        if row is None: continue\n    while strict:\n        break\n";
    let found = conditions(&SourceModel::parse(source).expect("it parses"));
    let decides: Vec<&str> =
        found.iter().map(|one| &source[one.decides.start as usize..one.decides.end as usize]).collect();
    assert_eq!(decides, ["not isinstance(value, str) and strict", "value.rows()", "row is None", "strict"]);
    let has = |number: usize, word: &str| {
        assert!(found[number].features.iter().any(|feature| feature == word), "{word}: {:?}", found[number].features);
    };
    has(0, "kind|if");
    has(0, "end|if|raise TypeError");
    has(0, "name|not isinstance()|value");
    has(0, "operand|not isinstance()|str");
    has(0, "origin|truth|parameter=false");
    has(1, "kind|for");
    has(2, "origin|is|loop:rows()");
    has(2, "inside|if|1|0");
    has(3, "end|while|break");
}

proptest! {
    #[test]
    fn conditions_of_any_source_are_in_it(source in "(if|while|for|elif|else|x|\\.y|\\(|\\)|:|\n| |    |in|is|not|'é'|1|==){0,60}") {
        if let Ok(model) = SourceModel::parse(source.as_str()) {
            for condition in conditions(&model) {
                prop_assert!(source.get(condition.decides.start as usize..condition.decides.end as usize).is_some());
                prop_assert!(condition.features.iter().all(|feature| feature.len() < 1000));
            }
        }
    }
}

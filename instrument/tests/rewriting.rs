//! What the rewritten text looks like, construct by construct. Whether it runs is for the whole-program tests.

use surmise_instrument::{
    Error, Instrumented, MODULE_ENTRY, Options, Role, SourceModel, Taken, Types, instrument, instrument_companion,
    instrument_in_place,
};

fn rewrite(source: &str) -> Instrumented {
    let model = SourceModel::parse(source).unwrap_or_else(|error| panic!("{source:?}: {error}"));
    instrument(&model, Options::new((3, 11)))
}

/// The rewritten text without its line marks.
fn text(source: &str) -> String {
    let mut text = rewrite(source).text;
    while let Some(start) = text.find("_k_[") {
        let before = text[..start].ends_with(';') && !text[..start].ends_with("\n;");
        let end = start + text[start..].find("=1").map_or(0, |at| at + 2);
        let end = if text[end..].starts_with(';') { end + 1 } else { end };
        let start = if before && !text[end..].is_empty() && text[end..].starts_with('\n') { start - 1 } else { start };
        text.replace_range(start..end, "");
    }
    text.trim_end_matches(';').to_owned()
}

#[test]
fn attributes_and_calls_go_through_hooks() {
    assert_eq!(text("import x\nx.f(1).y\n").lines().nth(1), Some("_a_(0,_c_(1,_b_(2,x),1))"));
}

#[test]
fn a_companion_module_goes_on_with_the_numbers_and_marks_no_line() {
    let source = "\
from .a import b
def f(x, c):
    if c: y = x.z
    y += g(x)
    match x:
        case K(): pass
        case 1 if y: pass
    return y
try: h()
except Missing: raise
";
    let model = SourceModel::parse(source).expect("it parses");
    let companion = instrument_companion(&model, Options::new((3, 11)), Taken { sites: 100, imports: 7 });
    let single = rewrite(source);
    assert!(companion.text.starts_with("_f_(7);from") && !companion.text.contains("_k_["), "{}", companion.text);
    let numbers = |text: &str| -> Vec<u32> {
        let hooks = text.split('_').collect::<Vec<_>>();
        let number = |part: &&str| part.strip_prefix('(')?.split([',', ')']).next()?.parse().ok();
        hooks
            .windows(2)
            .filter(|pair| pair[0].len() == 1 && pair[0] != "f")
            .filter_map(|pair| number(&pair[1]))
            .collect()
    };
    let more: Vec<u32> = numbers(&single.text).into_iter().map(|number| number + 100).collect();
    assert!(more.len() > 8, "{}", single.text);
    assert_eq!(numbers(&companion.text), more);
    assert_eq!(
        companion.sites.iter().map(|site| &site.name).collect::<Vec<_>>(),
        single.sites.iter().map(|site| &site.name).collect::<Vec<_>>()
    );
}

#[test]
fn proven_names_stay() {
    let source = "import q\ndef f(a, b=1):\n    c = a\n    return len(c) + b\n";
    assert!(rewrite(source).sites.iter().all(|site| site.name != "a" && site.name != "b" && site.name != "c"));
}

#[test]
fn type_parameters_have_a_scope_of_their_own() {
    let source = "def f():\n  x = 1\n  def g[T](a: T):\n    nonlocal x\n    return x, T\n  class C[U]:\n    \
                  def h(self): return U, gone\n  return g\n";
    let rewritten = rewrite(source);
    let missing: Vec<&str> = rewritten.sites.iter().map(|site| site.name.as_str()).collect();
    assert_eq!(missing, ["gone"]);
}

#[test]
fn missing_names_are_read_by_a_hook_and_maybe_unbound_locals_by_another() {
    assert_eq!(text("missing\n"), "_n_(0)\n");
    let source = "def f(c):\n    if c:\n        x = 1\n    return x\n";
    assert!(rewrite(source).text.contains("return (x if _u_(0)else _n_(0))"));
}

#[test]
fn functions_defined_later_are_proven_until_someone_may_call() {
    let early = "def a():\n    return b()\ndef b():\n    return 1\na()\n";
    assert!(rewrite(early).sites.is_empty(), "nothing can call `a` before `b` is there");
    let late = "def a():\n    return b()\na()\ndef b():\n    return 1\n";
    assert!(rewrite(late).sites.iter().any(|site| site.name == "b"));
}

#[test]
fn certain_attributes_of_self_stay() {
    let source =
        "class A:\n    def __init__(self):\n        self.x = 1\n    def f(self):\n        return self.x + self.y\n";
    let names: Vec<_> = rewrite(source).sites.iter().map(|site| site.name.to_string()).collect();
    assert_eq!(names, ["y"]);
}

#[test]
fn private_names_are_mangled_in_the_table() {
    let names: Vec<_> = rewrite("class A:\n    def f(self):\n        return self.__x\n").sites;
    assert_eq!(names[0].name, "_A__x");
}

#[test]
fn a_keyword_right_before_an_expression_keeps_its_distance() {
    let made = rewrite("def f():\n    for i in(1, 2): pass\n");
    assert!(made.text.contains("in (_k_[2]or _j_[2])and((1, 2))"), "{}", made.text);
}

#[test]
fn future_imports_and_docstrings_stay_first() {
    let made = rewrite("\"\"\"doc\"\"\"\nfrom __future__ import annotations\nx: Missing = 1\n");
    assert!(made.text.starts_with("\"\"\"doc\"\"\"\nfrom __future__ import annotations\n"));
    assert!(made.sites.is_empty(), "postponed annotations are text");
    assert_eq!(made.marks.docstrings, [(1, 1)]);
}

#[test]
fn the_number_of_lines_holds() {
    let source = "a = b(\n  c,\n  d)\nif (e and\n    f): g\nh\\\n.i\n";
    assert_eq!(rewrite(source).text.lines().count(), source.lines().count());
}

#[test]
fn a_source_that_uses_a_hooks_name_gets_the_long_spelling() {
    let made = rewrite("_a_ = 1\nx.y\n");
    assert!(made.hooks.long && made.text.contains("_surmise_a_(0,"), "{}", made.text);
}

#[test]
fn roles_say_what_is_done_with_the_value() {
    let role = |source: &str| rewrite(source).sites[0].role;
    assert_eq!(role("for x in y: pass\n"), Role::Iterated);
    assert_eq!(role("a, b = y\n"), Role::Unpacked(2));
    assert_eq!(role("y[0]\n"), Role::Indexed(0));
    assert_eq!(role("y[-2]\n"), Role::Indexed(1));
    assert_eq!(role("y[i]\n"), Role::Subscripted);
    assert_eq!(role("y['key']\n"), Role::Keyed);
    assert_eq!(role("y[1:]\n"), Role::Sliced);
    assert_eq!(role("y[['a', 'b']]\n"), Role::Selected);
    assert_eq!(role("y[y.a > 1]\n"), Role::Selected);
    assert_eq!(role("y[(y.a > 1) & z]\n"), Role::Selected);
    assert_eq!(role("y[1:, 0]\n"), Role::Selected);
    assert_eq!(role("y[1, 0]\n"), Role::Keyed);
    assert_eq!(role("for a, b in y: pass\n"), Role::IteratedInParts);
    assert_eq!(role("y + 'text'\n"), Role::Text);
    assert_eq!(role("y - z\n"), Role::Number);
    assert_eq!(role("y ^ z\n"), Role::Bits);
    let of_y = |source: &str| rewrite(source).sites.into_iter().find(|site| site.name == "y").map(|site| site.role);
    assert_eq!(of_y("(y - z).days\n"), Some(Role::Part));
    assert_eq!(of_y("(y - z).real\n"), Some(Role::Number));
    assert_eq!(role("for x in y - z: pass\n"), Role::Part);
    assert_eq!(role("for x in n * [0]: pass\n"), Role::Number);
    assert_eq!(role("y < 1.5\n"), Role::Number);
    assert_eq!(role("'text' in y\n"), Role::Iterated);
    assert_eq!(role("1 in y\n"), Role::Searched);
    let argument = rewrite("sorted(y)\n");
    assert!(argument.sites.iter().any(|site| site.name == "y" && site.role == Role::Iterated));
    let base = of_y("y.append(1)\n");
    assert!(matches!(base, Some(Role::Base(types)) if types.contains(Types::LIST) && !types.contains(Types::STR)));
    assert_eq!(role("with y: pass\n"), Role::Context);
    assert_eq!(role("class A(y): pass\n"), Role::ClassBase);
}

#[test]
fn what_is_done_with_elements_is_told_of_what_is_iterated() {
    let iterated_deep = |source: &str, name: &str| {
        let made = rewrite(source);
        let site = made.sites.iter().find(|site| site.name == name).expect("it is a site");
        let parameter = made.parameters.iter().find(|parameter| parameter.name == name);
        parameter
            .map_or(site.downstream, |parameter| parameter.downstream)
            .iter()
            .any(|role| role == Role::IteratedDeep)
    };
    assert!(iterated_deep("for x in y:\n    x.name\n", "y"));
    assert!(iterated_deep("a = [x['key'] for x in y.all()]\n", "all"));
    assert!(iterated_deep("def f(y):\n    return {x.name: x for x in y}\nf(y)\n", "y"));
    assert!(iterated_deep("for i, x in enumerate(y):\n    x.name\n", "y"));
    assert!(iterated_deep("for x in sorted(y):\n    x.name\n", "y"));
    assert!(!iterated_deep("for x in y:\n    x.upper()\n", "y"));
    assert!(!iterated_deep("for x in y:\n    print(x)\n", "y"));
}

/// `docs/limitations/coverage.md`: of `case` lines only a later one tells that an earlier one was tried.
#[test]
fn case_lines_follow_from_the_match_and_from_later_cases() {
    let made =
        rewrite("match x:\n    case 1:\n        a = 1\n    case 2:\n        b = 1\n    case 3:\n        c = 1\n");
    let close = |marked: &[usize]| {
        let mut reached = vec![false; 9];
        for &line in marked {
            reached[line] = true;
        }
        made.marks.close(&mut reached);
        (1..8).filter(|&line| reached[line]).collect::<Vec<_>>()
    };
    assert_eq!(close(&[1]), [1, 2], "the first case is always tried");
    assert_eq!(close(&[1, 5]), [1, 2, 4, 5]);
}

#[test]
fn a_module_that_starts_with_a_definition_was_entered() {
    let made = rewrite("def f():\n    pass\nf()\n");
    let mut reached = vec![false; 6];
    reached[MODULE_ENTRY as usize] = true;
    made.marks.close(&mut reached);
    assert!(reached[1] && !reached[2]);
}

#[test]
fn what_does_not_parse_is_refused_with_its_line() {
    assert!(matches!(SourceModel::parse("x = 1\ny = = 2\n"), Err(Error::Syntax { line: 2, .. })));
    let deep = "(".repeat(100_000);
    assert!(matches!(SourceModel::parse(deep), Err(Error::Syntax { line: 1, .. })));
}

#[test]
fn functions_in_place_have_hooks_where_real_code_may_refuse_values() {
    let source = "def f(self, x, *args):\n    self.x = y.z = isinstance(x, C)\n    self.n += 1\n    del self.x\n    return x.g(*args)\n    z = (x)[1][x.y], x[1:], x[1]\n";
    let model = SourceModel::parse(source).expect("it parses");
    let options = Options::new((3, 11));
    let text = instrument_in_place(&model, options).text;
    let lines: Vec<&str> =
        text.lines().map(|line| line.trim_start().split_once(';').map_or(line, |(_, rest)| rest)).collect();
    assert!(lines[1].starts_with("_s_(self).x = _s_("), "{text}");
    assert!(lines[1].contains(",isinstance,x,") && lines[1].matches("_c_(").count() == 1, "{text}");
    assert!(!lines[2].contains("_s_(") && lines[3] == "del self.x", "{text}");
    assert!(lines[4].contains("_c_(") && lines[4].contains("*args"), "{text}");
    assert!(lines[5].contains("_s_(_s_((x))[1])[_a_(") && lines[5].ends_with("x[1:], _s_(x)[1]"), "{text}");
    // Anywhere else CPython sees these itself.
    let plain = instrument(&model, options).text;
    assert!(!plain.contains("_s_(") && !plain.contains("_c_("), "{plain}");
}

#[test]
fn parts_that_may_not_be_evaluated_are_marked_where_that_is_asked_for() {
    let source = "def f(a, b):\n    x = a or b.c\n    return [y for y in x if y] if b else (lambda: x)\n";
    let model = SourceModel::parse(source).expect("it parses");
    let plain = instrument(&model, Options::new((3, 11)));
    assert!(plain.parts.is_empty());
    let marked = instrument(&model, Options { parts: true, ..Options::new((3, 11)) });
    let parts: Vec<&str> = marked.parts.iter().map(|part| &source[part.start as usize..part.end as usize]).collect();
    assert_eq!(parts, ["b.c", "[y for y in x if y]", "y", "y", "lambda: x", "x"]);
    assert_eq!(marked.marks.lines, plain.marks.lines + 6, "each has a number behind those of the lines");
    assert!(marked.text.contains("a or (_k_[5]or _j_[5])and("), "{}", marked.text);
}

#[test]
fn what_is_only_written_has_no_parts() {
    let source = "from __future__ import annotations\ndef f(a: x or y) -> b if c else d:\n    return f'{a or b=}'\n";
    let model = SourceModel::parse(source).expect("it parses");
    assert_eq!(instrument(&model, Options { parts: true, ..Options::new((3, 11)) }).parts, []);
}

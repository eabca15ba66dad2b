//! What reports say of errors: which values count as made up, and what no value helps.

use crate::support::verdicts::{blames, errors, errors_with_model, has, missed};
use crate::support::{naive_report as report, python_minor};
use serde_json::json;

#[test]
fn a_constant_of_the_code_is_not_one_that_was_injected_elsewhere() {
    has("print(size * 2)\nn = 1\nn.sort()\n", "AttributeError", 3, &["certain"]);
    has("if debug:\n    pass\ntable = {}\ntable.pop(True)\n", "KeyError", 4, &["certain"]);
    has(
        "import re\nstart(job)\nfound = re.search('a', 'b')\nprint(found.start())\n",
        "AttributeError",
        4,
        &["certain"],
    );
    has("print(label)\nvalue = float('a')\n", "ValueError", 2, &["certain"]);
    // What comes from an injection may be anything.
    let errors = errors("total = (left == right).mean()\nprint(total)\n");
    assert_eq!(errors, []);
}

#[test]
fn objects_have_attributes_and_show_no_layout_of_ours() {
    for snippet in [
        "def show(row):\n    return sorted(vars(row), key=str)\nprint(show(first))\n",
        "options = vars(parse())\nprint(options['name'])\n",
    ] {
        let errors = errors(snippet);
        assert!(errors.iter().all(|(_, _, verdict)| verdict != "certain"), "{errors:?}");
    }
    let report = report(
        "for name in row.__slots__:\n    print(name)\nprint(getattr(row, '__slots__', None), row.__doc__)\n",
        &[],
    );
    assert!(!report.to_string().contains("_surmise"), "{report:#}");
}

#[test]
fn what_the_source_writes_out_is_known() {
    has("row = {'id': find()}\nprint(row['name'])\n", "KeyError", 2, &["certain"]);
    has("names = []\nfor n in [first, 'b', 'c']:\n    names = names.append(n)\n", "AttributeError", 3, &["certain"]);
    has("seen = {}\nfor word in words:\n    seen[word] += 1\n", "KeyError", 3, &["certain", "conditional"]);
    // A dictionary that was handed on may have been filled.
    let errors = errors("row = {}\nfill(row)\nprint(row['name'])\n");
    assert!(errors.iter().all(|(_, _, verdict)| verdict != "certain"), "{errors:?}");
    // Two operations of one line are two.
    let both = "ages = {'a': 1}\nprint(ages[who], ages['b'])\n";
    if python_minor() >= 11 {
        has(both, "KeyError", 2, &["certain"]);
        has(both, "KeyError", 2, &["conditional"]);
    }
}

#[test]
fn a_length_that_was_answered_holds() {
    has(
        "rows = load(name)\nfor i in range(len(rows)):\n    print(rows[i] - rows[i + 1])\n",
        "IndexError",
        3,
        &["certain", "conditional"],
    );
    assert_eq!(errors("rows = load(name)\nfor i in range(len(rows) - 1):\n    print(rows[i], rows[i + 1])\n"), []);
}

#[test]
fn no_name_of_ours_is_seen() {
    let snippet = "from ..core import Thing\nprint(type(Thing()), Thing)\nraise TypeError(type(Thing))\n";
    let text = report(snippet, &[]).to_string();
    assert!(!text.contains("surmise_missing") && !text.contains("_surmise") && !text.contains("StandIn"), "{text}");
}

#[test]
fn what_no_value_helps_is_certain() {
    let own: [(&str, &str, u64); 7] = [
        ("base = {'a': 1}\nmerged = base.update(extra)\nprint(merged['a'])\n", "TypeError", 3),
        ("tree = {}\ntree['a']['b'] = value\n", "KeyError", 2),
        ("total = 5\nprint(total(items))\n", "TypeError", 2),
        ("n = 10\nshow(n)\nfor i in n:\n    print(i)\n", "TypeError", 3),
        ("row = []\nrow[0] = value\n", "IndexError", 2),
        ("d = {'a': 1}\nshow(d)\nprint(d.keys()[0])\n", "TypeError", 3),
        (
            "class A:\n    pass\nclass B(A):\n    def __init__(self, x):\n        super().__init__(x)\nB(v)\n",
            "TypeError",
            5,
        ),
    ];
    for (snippet, kind, line) in own {
        has(snippet, kind, line, &["certain"]);
    }
}

#[test]
fn what_a_search_over_shapes_finds_is_conditional() {
    let own: [(&str, &str, u64); 2] = [
        ("cache = load()\nfor key in cache:\n    if cache[key] is None:\n        del cache[key]\n", "RuntimeError", 2),
        (
            "def find(rows, id):\n    for row in rows:\n        if row.id == id:\n            return row\n\
             print(find(users, wanted).name)\n",
            "AttributeError",
            5,
        ),
    ];
    for (snippet, kind, line) in own {
        has(snippet, kind, line, &["conditional"]);
    }
}

#[test]
fn a_name_that_the_standard_library_lacks_is_reported_though_the_run_goes_on() {
    has("from math import squareroot\nprint(squareroot(4))\n", "ImportError", 1, &["certain"]);
    assert_eq!(missed("from math import squareroot\nprint(squareroot(4))\n", &[]), json!([]));
    assert!(!blames("try:\n    from urllib import quote\nexcept ImportError:\n    from urllib.parse import quote\n"));
    assert!(!blames("from missing import squareroot\nprint(squareroot(4))\n"));
}

#[test]
fn what_is_put_into_a_container_counts_for_its_size() {
    let all = errors("votes = dict()\nfor name in open(path):\n    votes[name] += 1\nprint(max(votes))\n");
    assert!(all.iter().any(|(kind, line, verdict)| kind == "KeyError" && *line == 3 && verdict != "guess"), "{all:?}");
    assert!(all.iter().all(|(kind, _, verdict)| kind != "ValueError" || verdict != "certain"), "{all:?}");
    let sections = "import configparser\nc = configparser.ConfigParser()\nc.read(path)\nprint(c['remote']['url'])\n";
    assert!(errors(sections).iter().all(|(_, _, verdict)| verdict != "certain"));
}

#[test]
fn a_shape_that_no_operation_fits_is_not_one_that_the_code_is_meant_for() {
    assert!(!blames(
        "groups = {}\nfor p in people:\n    groups.setdefault(p.city, []).append(p)\nprint(len(groups))\n"
    ));
    assert!(!blames("for x, y in loader:\n    x, y = x.to(device), y.to(device)\n    step(x, y)\n"));
    // What the code itself made of the wrong type is its own fault.
    has(
        "seen = []\nfor i in items:\n    if i not in seen:\n        seen = seen.append(i)\n",
        "TypeError",
        3,
        &["certain", "conditional"],
    );
}

#[test]
fn a_class_is_no_misspelt_variable() {
    assert!(!blames("def detail(uid):\n    user = User.query.get(uid)\n    return user.name\n"));
    has("def total(rows):\n    result = sum(rows)\n    return resut\n", "NameError", 3, &["conditional", "certain"]);
}

#[test]
fn coroutines_have_the_event_loop_that_they_will_import() {
    assert!(!blames(
        "async def remind(ctx, minutes: int):\n    await asyncio.sleep(minutes * 60)\n    await ctx.send(1)\n"
    ));
}

#[test]
fn names_that_no_way_binds_are_certain() {
    has("prepare()\nmain()\ndef main():\n    print('x')\n", "NameError", 2, &["certain"]);
    has("rows = load()\ndel rows\nprint(rows)\n", "NameError", 3, &["certain"]);
    has(
        "try:\n    start()\n    raise KeyError('x')\nexcept KeyError as e:\n    pass\nprint(e)\n",
        "NameError",
        6,
        &["certain"],
    );
    has("x = 1\nif flag:\n    del x\nprint(x)\n", "NameError", 4, &["conditional"]);
}

#[test]
fn what_is_evaluated_later_avoids_nothing() {
    // Before 3.11 only the line of an error is known, and what stands where in it is not.
    if python_minor() < 11 {
        return;
    }
    has("n = 3\nassert n > 5, explain(n)\n", "AssertionError", 2, &["certain"]);
    let grid = "grid = [[0] * 3 for _ in range(2)]\nfor i in range(3):\n    grid[i][0] = compute(i)\n";
    has(grid, "IndexError", 3, &["certain"]);
}

#[test]
fn what_nothing_injected_is_to_blame_for_is_raised() {
    has("import json\nprint(json.dumps({'ids': {1, 2}, 'name': name}))\n", "TypeError", 2, &["certain", "conditional"]);
    has("print('{} and {}'.format(first))\n", "IndexError", 1, &["certain"]);
    has("import re\nm = re.search(r'id=(\\d+)', text)\nprint(m.group(1))\n", "AttributeError", 3, &["conditional"]);
    let empty = "def mean(xs):\n    return sum(xs) / len(xs)\nprint(mean(load(path)))\n";
    has(empty, "ZeroDivisionError", 2, &["conditional"]);
}

#[test]
fn real_values_show_what_only_some_of_them_lead_to() {
    // Values of one shape are varied before another shape is taken for what the code itself made of them.
    has(
        "for i in lst:\n    if lst.count(i) > 1:\n        lst.reverse().remove(i)\nprint(lst)\n",
        "AttributeError",
        3,
        &["conditional"],
    );
    has(
        "for i in range(len(lst) - 1):\n    if lst.count(lst[i]) > 1:\n        lst.pop(i)\nprint(lst)\n",
        "IndexError",
        2,
        &["conditional"],
    );
    // No number of the sequence is where `x` belongs.
    has(
        "if x <= seq[0]:\n    place = 0\nfor i in range(len(seq)):\n    if seq[i - 1] <= x <= seq[i]:\n        place = i\n\
         print(place)\n",
        "NameError",
        6,
        &["conditional"],
    );
}

#[test]
fn places_of_a_record_are_known_to_the_code() {
    assert!(!blames("fields = list(code)\nprint(int(fields[0] + fields[1]), fields[2])\n"));
    // Of what else is read, too, nobody knows how long it is.
    has("first = rows[0]\nfor row in rows:\n    print(row - first)\n", "IndexError", 1, &["conditional"]);
}

#[test]
fn what_is_in_a_list_does_not_make_it_a_key() {
    has(
        "seen = set()\nfor row in rows:\n    seen.add([row.a, row.b])\nprint(len(seen))\n",
        "TypeError",
        3,
        &["certain"],
    );
    has("places = {}\nplaces[[x, y]] = 1\n", "TypeError", 2, &["certain"]);
    assert!(!blames("seen = set()\nfor row in rows:\n    seen.add(row.key)\nprint(len(seen))\n"));
}

#[test]
fn what_input_gives_is_a_text_for_functions_too() {
    has("x = input('value: ')\nprint(round(x, 2))\n", "TypeError", 2, &["certain", "conditional"]);
    assert!(!blames("x = float(input('value: '))\nprint(round(x, 2))\n"));
}

#[test]
fn a_program_compares_with_what_it_has() {
    has("s = input()\nif s == A:\n    print(1)\n", "NameError", 2, &["conditional"]);
}

#[test]
fn arguments_of_a_method_are_counted_where_its_class_is_likely() {
    let of = |kind: &str, verdict: &str| vec![(kind.to_owned(), 1, verdict.to_owned())];
    assert_eq!(errors_with_model("rows.append(1, 2)\nprint(rows)\n"), of("TypeError", "conditional"));
    // Other classes have a `get` and a `pop`, too.
    assert_eq!(errors_with_model("name = entry.get()\nprint(name.upper())\n"), []);
    assert_eq!(errors_with_model("job = q.pop(0, timeout=3)\nprint(job)\n"), []);
}

#[test]
fn names_of_python_2_are_undefined_unless_the_code_is_meant_for_it() {
    has("for i in xrange(3):\n    show(i)\n", "NameError", 1, &["conditional"]);
    assert!(!blames("for i in xrange(3):\n    print i\n"));
    assert!(!blames("try:\n    text = unicode\nexcept NameError:\n    text = str\nprint(text(1))\n"));
    assert!(!blames(
        "import sys\nif sys.version_info[0] < 3:\n    text = unicode\nelse:\n    text = str\nshow(text)\n"
    ));
}

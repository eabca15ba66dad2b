//! Conditions and their negations, evaluated by CPython on random values: wherever one holds, the other does not.

use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};

use surmise_instrument::guards::with_negation;

const ATOMS: [&str; 16] = [
    "x",
    "not y",
    "x is None",
    "x is not y",
    "x in (None, 1, 'a')",
    "y not in [0, x]",
    "x == y",
    "x != 0",
    "a < b",
    "a <= b < c",
    "0 >= a == b",
    "isinstance(x, (int, str))",
    "len(items) > a",
    "items[0] is x",
    "a + b * 2 > c",
    "(a < b) == (b < c)",
];

/// Reads lines of a condition and its negation, and evaluates both; numbers are ordered, and `items` may be empty.
const EVALUATE: &str = r"
import random, sys
random.seed(0)
count = held = 0
for line in sys.stdin:
    condition, negation = (compile(text, text, 'eval') for text in line.rstrip('\n').split('\t'))
    for _ in range(40):
        values = {name: random.choice([None, 0, 1, '', 'a', [], True]) for name in 'xy'}
        values.update((name, random.randrange(-2, 3)) for name in 'abc')
        values['items'] = [random.choice([None, 1]) for _ in range(random.randrange(3))]
        found = []
        for code in (condition, negation):
            try:
                found.append(bool(eval(code, dict(values))))
            except Exception as error:
                found.append(type(error).__name__)
        if isinstance(found[0], bool):
            assert found[1] is (not found[0]), (line, values, found)
            held += found[0]
        else:
            assert found[1] == found[0], (line, values, found)
        count += 1
print(count, held)
";

/// Conditions of up to three levels, the same each time.
fn conditions() -> Vec<String> {
    let mut state = 7_u64;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut all: Vec<String> = ATOMS.iter().map(|&atom| atom.to_owned()).collect();
    for _ in 0..600 {
        let (one, other) = (all[next(all.len())].clone(), all[next(all.len())].clone());
        if one.len() + other.len() > 160 {
            continue;
        }
        all.push(match next(3) {
            0 => format!("({one}) and ({other})"),
            1 => format!("({one}) or ({other})"),
            _ => format!("not ({one})"),
        });
    }
    all
}

#[test]
fn a_negation_holds_where_its_condition_does_not() {
    let mut lines = String::new();
    let all = conditions();
    for condition in &all {
        let (spelled, negation) = with_negation(condition).unwrap_or_else(|| panic!("{condition}"));
        let _infallible = writeln!(lines, "{spelled}\t{negation}");
        let back = with_negation(&negation).map(|(_, back)| back);
        assert_eq!(back, Some(spelled), "{condition}: the negation of the negation");
    }
    let mut command = Command::new("python3");
    command.args(["-c", EVALUATE]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("python3 is on PATH");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("it reads all");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "a condition and its negation agree");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let counts: Vec<usize> = text.split_whitespace().map(|count| count.parse().expect("a number")).collect();
    assert_eq!(counts[0], all.len() * 40);
    assert!(counts[1] > counts[0] / 10, "both ways happen: {counts:?}");
}

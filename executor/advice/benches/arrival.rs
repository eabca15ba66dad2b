//! How long it takes from the arrival of an answer until each of its values is used or refused.
//!
//! `cargo bench -p surmise-advice --bench arrival`. Each answer has as many values as one question asks for at most;
//! what divan shows is the time of one answer, and its items are values. The goal is a millisecond a value, which must
//! hold for the largest values that are read and for those that are refused last.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use serde_json::json;
use surmise_advice::{Asked, Missing, Proposals};
use surmise_engine::plan::{Plan, PredictorChoice, Settings};
use surmise_engine::source::Source;

/// Values that a question asks for at most.
const VALUES: usize = 60;

/// A program that lacks so many values.
fn plan() -> Plan {
    let lines: Vec<String> = (1..=VALUES).map(|number| format!("print(value{number})")).collect();
    let text = lines.join("\n");
    let source = Source { name: "many.py".into(), path: None, text };
    let settings = Settings { predictor: PredictorChoice::Naive, ..Settings::default() };
    Plan::new(source, &settings).expect("it parses")
}

/// Values that models write, and the worst that they could: by name, text, and whether they are used.
const ANSWERS: &[&str] = &["number", "text", "table", "largest list", "deepest list", "code", "too large"];

fn main() {
    divan::main();
}

fn missing(plan: &Plan) -> Vec<Missing> {
    let of = |number: usize| {
        let name = format!("value{number}");
        let site = plan.sites.iter().position(|site| site.name == name).expect("each is read once") as u32;
        let (kind, text) = ("variable".to_owned(), name.clone());
        Missing { sites: vec![site], kind, path: name, text, bound: Vec::new(), line: number as u32, probability: 0.1 }
    };
    (1..=VALUES).map(of).collect()
}

/// Text of a value, and whether it is used.
fn value(name: &str) -> (String, bool) {
    match name {
        "number" => ("42".to_owned(), true),
        "text" => ("'2024-01-31T12:00:00'".to_owned(), true),
        "table" => {
            ("{'name': 'Ada', 'size': 3, 'tags': ['a', 'b'], 'born': datetime.date(1815, 12, 10)}".to_owned(), true)
        }
        "largest list" => (format!("[{}]", "1,".repeat(990)), true),
        "deepest list" => ("[".repeat(19) + &"]".repeat(19), true),
        "code" => (format!("[{}__import__('os').system('true')]", "1,".repeat(900)), false),
        "too large" => ("'".to_owned() + &"a".repeat(50_000) + "'", false),
        _ => panic!("no such answer: {name}"),
    }
}

#[divan::bench(args = ANSWERS)]
fn used_or_refused(bencher: Bencher, name: &str) {
    let (text, is_used) = value(name);
    let values: Vec<_> = (1..=VALUES).map(|id| json!({"id": id, "value": text})).collect();
    let answer = json!({"values": values}).to_string();
    let plan = plan();
    let missing = missing(&plan);
    let asked: Asked<'_> = (1..).zip(&missing).collect();
    let read = || Proposals::read(black_box(&answer), &asked, &plan).expect("it is of the asked form");
    let proposals = read();
    let (used, refused) = if is_used { (VALUES, 0) } else { (0, VALUES) };
    assert_eq!((proposals.used.len(), proposals.refused.len()), (used, refused), "{name}: {:?}", proposals.refused);
    bencher.counter(ItemsCount::new(VALUES)).bench_local(read);
}

use std::io::Write;
use std::time::Duration;
use surmise_batch::pool::Pool;
use surmise_batch::store::Store;
use surmise_engine::client::Zygote;
use surmise_engine::source::Source;
use surmise_engine::zygote;
use surmise_engine::zygote::sandbox::Sandbox;
use surmise_identity::Identity;
use surmise_inputs::verify::{Options as Verify, verify};
use surmise_labels::labelling::Labelling;
use surmise_labels::programs;
use surmise_labels::run::Options;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args[1] == zygote::ZYGOTE_ARGUMENT {
        std::process::exit(zygote::serve());
    }
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(move || work(&args)).unwrap();
    thread.join().unwrap();
}

fn sandbox() -> Sandbox {
    Sandbox { cpu_seconds: 10, ..Sandbox::default() }
}

fn work(args: &[String]) {
    let all = programs::read(&[&args[2]]).unwrap();
    if args[1] == "label" {
        let folder = std::path::PathBuf::from(&args[3]);
        let count: u64 = args[4].parse().unwrap();
        let settings = format!("seed=0 per_round=50 timeout=1 programs={}", all.len());
        let mut store = Store::open(&folder, &Identity::built_in().without_model(), &settings).unwrap();
        let labelling = Labelling {
            programs: &all,
            options: Options { seed: 0, timeout: Duration::from_secs(1), per_round: 50 },
            count,
            folder: &folder,
            pool: Pool { jobs: args[5].parse().unwrap(), start: &|| Zygote::start_in(&sandbox()) },
        };
        let begin = std::time::Instant::now();
        let mut next = 1000;
        let (card, progress) = labelling
            .run(&mut store, |p| {
                if p.new >= next {
                    next = p.new + 1000;
                    eprintln!("{} labels, {:.1} a second", p.old + p.new, p.new as f64 / begin.elapsed().as_secs_f64());
                }
            })
            .unwrap();
        let origin =
            "Made by `surmise label` of `codenet_errors_valid.jsonl`, seed 0, 50 mutants of a program in one round.";
        std::fs::write(folder.join("card.md"), card.page(origin)).unwrap();
        eprintln!("{progress:?} in {:?}", begin.elapsed());
        return;
    }
    let half: u32 = args[3].parse().unwrap();
    let take: usize = args[5].parse().unwrap();
    let mut out = std::fs::File::create(&args[4]).unwrap();
    let mut zygote = Zygote::start_in(&sandbox()).unwrap();
    zygote.wait_until_ready().unwrap();
    let mut right = 0;
    for program in all {
        let own = if program.split() == surmise_labels::programs::Split::HeldOut { 2 } else { 1 };
        if own != half {
            continue;
        }
        if program.is_right() {
            right += 1;
            if right > take {
                continue;
            }
        } else if program.trigger_stdin.is_none() {
            continue;
        }
        let source = Source { name: "program.py".into(), path: None, text: program.code.clone().unwrap() };
        let done = verify(&mut zygote, source, Some(&program.description), &Verify::default());
        let row = match done {
            Ok(Ok(v)) => serde_json::json!({"id": program.id, "class": program.error_class, "line": program.error_line,
                "found": v.found, "runs": v.runs, "timeouts": v.timeouts, "missing": v.missing_modules, "origin": v.inputs.origin,
                "grammar": v.inputs.layouts[v.layout].grammar.to_string(), "layout": v.layout, "layouts": v.inputs.layouts.len(), "notes": v.inputs.notes,
                "description": program.description, "code": program.code}),
            other => serde_json::json!({"id": program.id, "failure": format!("{:?}", other.err())}),
        };
        writeln!(out, "{row}").unwrap();
    }
}

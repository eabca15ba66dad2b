//! Runs that nobody waits for any longer: they end at once, and the worker process serves the next program.

use std::time::Duration;

use surmise::client::Zygote;
use surmise::execute::Outcome;
use surmise::plan::{Plan, Settings};
use surmise::search::search;
use surmise::source::Source;
use surmise::stdin::Input;
use surmise::stop::Stop;
use surmise::zygote::sandbox::Sandbox;

/// Longer than any test may take: a run that is not stopped does not end by itself.
const NEVER: Duration = Duration::from_hours(1);

fn searched(zygote: &mut Zygote, text: &str) -> (usize, Outcome) {
    let source = Source { name: "snippet.py".into(), path: None, text: text.into() };
    let settings = Settings { timeout: NEVER, time: NEVER, ..Settings::default() };
    let mut plan = Plan::new(source, &settings).expect("it parses");
    let mut input = Input::open(None).expect("no input is needed");
    let ledger = search(zygote, &mut plan, &settings, &mut input).expect("the zygote is there");
    (ledger.entries().len(), ledger.last().outcome)
}

#[test]
fn a_stopped_search_ends_within_its_run_and_the_next_one_is_whole() {
    let mut zygote = Zygote::start_from(env!("CARGO_BIN_EXE_surmise").into(), &Sandbox::default()).expect("it starts");
    zygote.wait_until_ready().expect("the sandbox is closed");
    // In the first run, and in one that the search makes.
    for text in ["while True: pass\n", "if given:\n    while True: pass\n"] {
        let stop = Stop::default();
        zygote.heed(Some(stop.clone()));
        let asking = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            stop.ask();
        });
        let (runs, outcome) = searched(&mut zygote, text);
        assert!(zygote.is_stopped() && runs < 64 && outcome == Outcome::Timeout, "{text}: {runs} runs, {outcome:?}");
        asking.join().expect("it only asks");
    }
    let stop = Stop::default();
    stop.ask();
    zygote.heed(Some(stop));
    assert_eq!(searched(&mut zygote, "while True: pass\n"), (1, Outcome::Timeout), "it was asked for before");
    zygote.heed(None);
    assert_eq!(searched(&mut zygote, "print(6 * 7)\n"), (1, Outcome::Completed));
}

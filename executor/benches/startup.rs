//! What a run costs before the program does anything: from a cold start, and from a warm zygote.
//!
//! `cargo bench -p surmise-executor --bench startup [-- --json | --quick]`. Cold: `surmise run FILE` on a 5-line
//! snippet, to the finished report, with one run and with as many as a search takes, in turn with `python3 -c pass`.
//! Warm: plans of a trivial snippet executed through the library, in turn with the same without a sandbox and with two
//! baselines: a bare fork of this process, and one of a plain `python3`. Repeated: runs of programs that were handed
//! over before, the trivial one and `argparse` (2,700 lines) with a harness call each. Start: from the request until the
//! worker is behind all steps of the sandbox, beside a fork of a plain `python3` until its child's first line runs.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, fork};
use serde_json::{Value, json};
use support::{Flags, SURMISE, finish, median, millis, python, scratch};
use surmise::client::Zygote;
use surmise::execute::{self, Outcome};
use surmise::identity::Identity;
use surmise::plan::{Plan, PredictorChoice, Settings, Trial};
use surmise::report::Report;
use surmise::search::search;
use surmise::source::Source;
use surmise::stdin::Input;
use surmise::zygote::sandbox::{Mode, Sandbox};

/// Cold starts of each kind.
const COLD_RUNS: usize = 30;
/// Warm runs are done in this many turns with their baselines.
const TURNS: usize = 10;
/// Warm runs, and forks, in a turn.
const RUNS_PER_TURN: usize = 50;

/// Runs of the long module.
const LONG_RUNS: usize = 60;

const TRIVIAL: &str = "print(1 + 1)\n";
/// Five lines with the usual gaps: names, a call, attributes.
const SNIPPET: &str = "\
total = compute(items, scale=2)
for item in items:
    print(item.name, item.price)
if total > limit:
    print('over', total)
";

/// Forks as many children as its argument says and prints how long each took to its first line and to its end, in
/// milliseconds.
const PYTHON_FORKS: &str = "\
import gc, os, sys, time
gc.freeze()
read, write = os.pipe()
for _ in range(int(sys.argv[1])):
    begin = time.monotonic_ns()
    child = os.fork()
    if child == 0:
        os.write(write, str(time.monotonic_ns()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    end = time.monotonic_ns()
    print((int(os.read(read, 99)) - begin) / 1e6, (end - begin) / 1e6)
";

fn main() -> ExitCode {
    // A zygote is this very program, started once more with a hidden argument.
    if std::env::args().nth(1).is_some_and(|argument| argument.starts_with("__")) {
        return surmise::cli::main();
    }
    let flags = Flags::parse();
    let python = python();
    let cold = Cold::measure(flags, &python);
    let warm = Warm::measure(flags, &python);
    let repeated = Repeated::measure(flags, &python);
    if flags.json {
        let document = json!({
            "schema": "surmise.bench-startup/4",
            "python": python.display().to_string(),
            "cold": cold.json(),
            "warm": warm.json(),
            "repeated": repeated.json(),
        });
        println!("{document}");
    } else {
        cold.print();
        warm.print();
        repeated.print();
    }
    ExitCode::SUCCESS
}

/// Wall times of whole processes, in milliseconds. CPU time would not compare: nobody waits for a zygote, which is
/// killed when its parent is done, so what it used is not counted.
struct Cold {
    python: Vec<f64>,
    /// One guided run, with the model.
    once: Vec<f64>,
    /// A search, as by default.
    search: Vec<f64>,
}

impl Cold {
    fn measure(flags: Flags, python: &Path) -> Self {
        let file = scratch("snippet.py", SNIPPET);
        let checked = finish(Command::new(SURMISE).args(["run", "--json"]).arg(&file));
        let report: Value = serde_json::from_str(&checked.stdout)
            .unwrap_or_else(|error| panic!("no report on the snippet: {error}\n{}", checked.stderr));
        assert_eq!(report["outcome"], "completed", "the snippet does not complete: {}", report["error"]);
        assert_eq!(report["lines"]["total"], 5, "the snippet has five lines");
        let mut cold = Self { python: Vec::new(), once: Vec::new(), search: Vec::new() };
        for _ in 0..flags.times(COLD_RUNS) {
            cold.python.push(millis(finish(Command::new(python).args(["-c", "pass"])).wall));
            for (arguments, times) in [(&["--runs", "1"][..], &mut cold.once), (&[], &mut cold.search)] {
                let run = finish(Command::new(SURMISE).arg("run").args(arguments).arg(&file));
                assert_eq!(run.code, Some(0), "the snippet did not complete this time: {}", run.stderr);
                times.push(millis(run.wall));
            }
        }
        cold
    }

    fn ratios(&self) -> (f64, f64) {
        let ratio = |statistic: fn(&[f64]) -> f64| statistic(&self.once) / statistic(&self.python);
        (ratio(median), ratio(minimum))
    }

    fn json(&self) -> Value {
        let (of_medians, of_minima) = self.ratios();
        json!({
            "runs": self.python.len(),
            "python": { "median_ms": median(&self.python), "minimum_ms": minimum(&self.python) },
            "once": { "median_ms": median(&self.once), "minimum_ms": minimum(&self.once) },
            "search": { "median_ms": median(&self.search), "minimum_ms": minimum(&self.search) },
            "ratio": { "median": of_medians, "minimum": of_minima },
        })
    }

    fn print(&self) {
        println!("cold start, {} each, in turn", self.python.len());
        println!("{:<28} {:>9} {:>7}", "", "median ms", "min");
        let rows =
            [("python3 -c pass", &self.python), ("surmise run --runs 1", &self.once), ("surmise run", &self.search)];
        for (name, times) in rows {
            println!("{name:<28} {:>9.1} {:>7.1}", median(times), minimum(times));
        }
        let (of_medians, of_minima) = self.ratios();
        println!("{:<28} {of_medians:>8.2}x {of_minima:>6.2}x\n", "ratio of one run");
    }
}

/// Times of runs and forks, in milliseconds.
#[derive(Default)]
struct Warm {
    ready: f64,
    runs: Vec<f64>,
    open_runs: Vec<f64>,
    own_forks: Vec<f64>,
    python_forks: Vec<f64>,
    starts: Vec<f64>,
    open_starts: Vec<f64>,
    python_fork_starts: Vec<f64>,
}

impl Warm {
    fn measure(flags: Flags, python: &Path) -> Self {
        let settings = Settings { predictor: PredictorChoice::Naive, runs: 1, ..Settings::default() };
        let begin = Instant::now();
        let mut zygote = Zygote::start_in(&Sandbox::default()).expect("a zygote starts");
        zygote.wait_until_ready().expect("a zygote comes up");
        let mut open = Zygote::start_in(&Sandbox { mode: Mode::Off, ..Sandbox::default() }).expect("a zygote starts");
        open.wait_until_ready().expect("a zygote comes up");
        let mut warm = Self { ready: millis(begin.elapsed()), ..Self::default() };
        let checked = run_once(&mut zygote, &settings);
        assert_eq!((checked.outcome, checked.stdout.as_str()), (Outcome::Completed, "2\n"), "{:?}", checked.error);
        for _ in 0..flags.times(TURNS) {
            for (zygote, times, starts) in [
                (&mut zygote, &mut warm.runs, &mut warm.starts),
                (&mut open, &mut warm.open_runs, &mut warm.open_starts),
            ] {
                for _ in 0..RUNS_PER_TURN {
                    let begin = Instant::now();
                    let report = run_once(zygote, &settings);
                    times.push(millis(begin.elapsed()));
                    starts.push(millis(report.times.start));
                    assert_eq!(report.outcome, Outcome::Completed, "{:?}", report.error);
                }
            }
            warm.own_forks.extend((0..RUNS_PER_TURN).map(|_| fork_once()));
            let forks = finish(Command::new(python).args(["-I", "-c", PYTHON_FORKS, &RUNS_PER_TURN.to_string()]));
            for line in forks.stdout.lines() {
                let (start, whole) = line.split_once(' ').expect("the script prints two times");
                warm.python_fork_starts.push(start.parse().expect("the script prints numbers"));
                warm.python_forks.push(whole.parse().expect("the script prints numbers"));
            }
        }
        warm
    }

    fn kinds(&self) -> [(&'static str, &'static str, &[f64]); 7] {
        [
            ("surmise", "surmise, planned and run", &self.runs),
            ("surmise_open", "the same without a sandbox", &self.open_runs),
            ("own_fork", "bare fork of this program", &self.own_forks),
            ("python_fork", "bare fork of python3", &self.python_forks),
            ("surmise_start", "start of a worker", &self.starts),
            ("surmise_open_start", "the same without a sandbox", &self.open_starts),
            ("python_fork_start", "start of a fork of python3", &self.python_fork_starts),
        ]
    }

    fn json(&self) -> Value {
        let mut document = json!({ "runs": self.runs.len(), "zygote_ready_ms": self.ready });
        for (key, _, times) in self.kinds() {
            document[key] = row(times);
        }
        document
    }

    fn print(&self) {
        println!("warm, {} each, in turn (the zygote was ready after {:.1} ms)", self.runs.len(), self.ready);
        print_rows(&self.kinds());
    }
}

/// Times of runs of programs that were handed over before, in milliseconds.
struct Repeated {
    trivial: Vec<f64>,
    /// The first run of the long module, which is handed over with it.
    first: f64,
    long: Vec<f64>,
}

impl Repeated {
    fn measure(flags: Flags, python: &Path) -> Self {
        let settings = Settings { predictor: PredictorChoice::Naive, ..Settings::default() };
        let mut zygote = Zygote::start_in(&Sandbox::default()).expect("a zygote starts");
        zygote.wait_until_ready().expect("a zygote comes up");
        let mut input = Input::open(None).expect("nothing to open");
        let mut run = |plan: &Plan, trial: &Trial| {
            let begin = Instant::now();
            let run = execute::once(&mut zygote, plan, &settings, &mut input, trial, settings.timeout);
            (millis(begin.elapsed()), run.expect("the zygote serves"))
        };
        let source = |name: &str, text: String| Source { name: name.to_owned(), path: None, text };
        let trivial = Plan::new(source("trivial.py", TRIVIAL.to_owned()), &settings).expect("it parses");
        let (_, checked) = run(&trivial, &Trial::default());
        assert_eq!((checked.outcome, checked.stdout.as_str()), (Outcome::Completed, "2\n"), "{:?}", checked.error);
        let runs = flags.times(TURNS) * RUNS_PER_TURN;
        let times = (0..runs).map(|_| run(&trivial, &Trial::default()).0).collect();
        let file = finish(Command::new(python).args(["-c", "import argparse; print(argparse.__file__)"])).stdout;
        let text = std::fs::read_to_string(file.trim()).expect("the standard library has its source");
        let mut long = Plan::new(source("argparse.py", text), &settings).expect("it parses");
        let (first, checked) = run(&long, &Trial::default());
        assert_eq!(checked.outcome, Outcome::Completed, "{:?}", checked.error);
        long.assign_parameters(&settings);
        let functions = long.callable();
        let calls =
            functions.iter().map(|function| Trial { call: Some(function.qualname.clone()), ..Trial::default() });
        let calls: Vec<Trial> = calls.take(flags.times(LONG_RUNS)).collect();
        let mut reached = 0;
        let mut times_of_calls = Vec::new();
        for call in &calls {
            let (time, called) = run(&long, call);
            reached += usize::from(called.covered.len() > checked.covered.len());
            times_of_calls.push(time);
        }
        assert!(reached * 2 > calls.len(), "{reached} of {} calls reached anything", calls.len());
        Self { trivial: times, first, long: times_of_calls }
    }

    fn kinds(&self) -> [(&'static str, &'static str, &[f64]); 3] {
        [
            ("trivial", "trivial snippet, once more", &self.trivial),
            ("long_first", "2,700 lines, first run", std::slice::from_ref(&self.first)),
            ("long", "2,700 lines, a call each", &self.long),
        ]
    }

    fn json(&self) -> Value {
        json!(self.kinds().map(|(key, _, times)| (key, row(times))).into_iter().collect::<BTreeMap<_, _>>())
    }

    fn print(&self) {
        println!("\nrepeated, {} and {} runs", self.trivial.len(), self.long.len());
        print_rows(&self.kinds());
    }
}

fn row(times: &[f64]) -> Value {
    json!({
        "per_second": per_second(times),
        "median_ms": median(times),
        "minimum_ms": minimum(times),
        "p99_ms": last_percent(times),
    })
}

fn print_rows(rows: &[(&str, &str, &[f64])]) {
    println!("{:<28} {:>8} {:>9} {:>7} {:>7}", "", "a second", "median ms", "min", "p99");
    for (_, name, times) in rows {
        let (a_second, median, minimum, last) = (per_second(times), median(times), minimum(times), last_percent(times));
        println!("{name:<28} {a_second:>8.0} {median:>9.2} {minimum:>7.2} {last:>7.2}");
    }
}

fn run_once(zygote: &mut Zygote, settings: &Settings) -> Report {
    let source = Source { name: "trivial.py".to_owned(), path: None, text: TRIVIAL.to_owned() };
    let mut plan = Plan::new(source, settings).expect("the snippet parses");
    let mut input = Input::open(None).expect("nothing to open");
    let ledger = search(zygote, &mut plan, settings, &mut input).expect("the zygote serves");
    Report::new(&plan, settings, ledger, Identity::built_in())
}

fn fork_once() -> f64 {
    let begin = Instant::now();
    // SAFETY: the child calls _exit(2) at once, which is safe after a fork whatever else the process does.
    match unsafe { fork() }.expect("a process can be forked") {
        // SAFETY: ends the child without running anything of the parent's.
        ForkResult::Child => unsafe { libc::_exit(0) },
        ForkResult::Parent { child } => waitpid(child, None).expect("the child can be waited for"),
    };
    millis(begin.elapsed())
}

/// The least value.
fn minimum(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// How many of these fit into a second.
fn per_second(millis: &[f64]) -> f64 {
    let mut count = 0.0;
    let mut total = 0.0;
    for time in millis {
        count += 1.0;
        total += time;
    }
    count / total * 1e3
}

/// What only one in a hundred exceeds.
fn last_percent(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[(sorted.len() * 99 / 100).min(sorted.len() - 1)]
}

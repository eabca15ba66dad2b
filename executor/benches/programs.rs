//! How much slower CPU-bound programs run when rewritten, with all hooks on.
//!
//! `cargo bench -p surmise-executor --bench programs [-- --json | --quick]`. Each program of `benches/programs/`
//! runs under the Python that `surmise` was built with, under `surmise run --plain`, and guided
//! (`surmise run --json --predictor naive`), in turn, so that a busy machine slows all three alike; the least of
//! three times counts, minus that of an empty program. Plain runs are compared by CPU time, guided ones by the wall
//! time that their report gives, as the worker is no child of ours. Output is compared before anything is timed.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use serde::Serialize;
use serde_json::{Value, json};
use support::{Finished, Flags, SURMISE, finish, median, millis, python, scratch};

/// How often each program runs in each way.
const RUNS: usize = 3;

/// Times of a program, in milliseconds.
#[derive(Clone, Copy, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON")]
struct Times {
    python_cpu_ms: f64,
    python_wall_ms: f64,
    plain_cpu_ms: f64,
    guided_wall_ms: f64,
}

impl Times {
    /// Runs a file in all three ways.
    fn measure(python: &Path, file: &Path) -> Self {
        let start = cpu_of_children();
        let plainly = run_python(python, file);
        let between = cpu_of_children();
        run_plain(file);
        let end = cpu_of_children();
        let report = run_guided(file);
        Self {
            python_cpu_ms: millis(between.saturating_sub(start)),
            python_wall_ms: millis(plainly.wall),
            plain_cpu_ms: millis(end.saturating_sub(between)),
            guided_wall_ms: report["time_ms"]["execute"].as_f64().expect("a report has `time_ms.execute`"),
        }
    }

    /// The least times of several runs.
    fn least(runs: usize, python: &Path, file: &Path) -> Self {
        let all = (0..runs).map(|_| Self::measure(python, file));
        all.reduce(|one, other| one.with(other, f64::min)).expect("there is a run")
    }

    fn with(self, other: Self, by: fn(f64, f64) -> f64) -> Self {
        Self {
            python_cpu_ms: by(self.python_cpu_ms, other.python_cpu_ms),
            python_wall_ms: by(self.python_wall_ms, other.python_wall_ms),
            plain_cpu_ms: by(self.plain_cpu_ms, other.plain_cpu_ms),
            guided_wall_ms: by(self.guided_wall_ms, other.guided_wall_ms),
        }
    }

    fn plain_ratio(self) -> f64 {
        self.plain_cpu_ms / self.python_cpu_ms
    }

    fn guided_ratio(self) -> f64 {
        self.guided_wall_ms / self.python_wall_ms
    }
}

/// User and system time of all processes that were waited for. The sum is exact; the kernel only estimates the parts.
fn cpu_of_children() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("getrusage(2) takes this constant");
    let micros = |time: TimeVal| Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap_or(0));
    micros(usage.user_time()) + micros(usage.system_time())
}

fn run_python(python: &Path, file: &Path) -> Finished {
    finish(Command::new(python).arg(file))
}

fn run_plain(file: &Path) -> Finished {
    finish(Command::new(SURMISE).args(["run", "--plain"]).arg(file))
}

fn run_guided(file: &Path) -> Value {
    let arguments = ["run", "--json", "--predictor", "naive", "--runs", "1", "--timeout", "300"];
    let finished = finish(Command::new(SURMISE).args(arguments).arg(file));
    serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("no report on {}: {error}\n{}", file.display(), finished.stderr))
}

/// A ratio of times of different work would mean nothing.
fn check_equal(python: &Path, file: &Path) {
    let name = file.display();
    let expected = run_python(python, file);
    assert_eq!(expected.code, Some(0), "{name} fails: {}", expected.stderr);
    assert!(!expected.stdout.is_empty(), "{name} prints no checksum");
    let plain = run_plain(file);
    assert_eq!(
        (plain.code, &plain.stdout, &plain.stderr),
        (expected.code, &expected.stdout, &expected.stderr),
        "{name} behaves differently under `surmise run --plain`"
    );
    let report = run_guided(file);
    assert_eq!(report["outcome"], "completed", "{name} does not complete under guidance: {}", report["error"]);
    assert_eq!(report["stdout"], expected.stdout.as_str(), "{name} prints something else under guidance");
    assert_eq!(report["injections"], json!([]), "something was injected into {name}, which is complete");
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("`{}`: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("the folder stays readable").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|kind| kind == "py")).collect();
    paths.sort();
    assert!(paths.len() >= 8, "programs are missing from `{}`", folder.display());
    paths
}

fn main() {
    let flags = Flags::parse();
    let python = python();
    let files = programs();
    for file in &files {
        check_equal(&python, file);
    }
    let empty_file = scratch("empty.py", "");
    let empty = Times::least(flags.times(RUNS * 2), &python, &empty_file);
    let mut rows = Vec::new();
    if !flags.json {
        println!("{} against {SURMISE}; start-up (empty program) subtracted:", python.display());
        println!(
            "python {:.1} ms CPU, plain {:.1} ms CPU, guided {:.1} ms wall\n",
            empty.python_cpu_ms, empty.plain_cpu_ms, empty.guided_wall_ms
        );
        println!(
            "{:<14} {:>10} {:>10} {:>7} {:>11} {:>7}",
            "program", "python ms", "plain ms", "ratio", "guided ms", "ratio"
        );
    }
    for file in &files {
        // Without what an empty program costs.
        let times = Times::least(flags.times(RUNS), &python, file).with(empty, std::ops::Sub::sub);
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !flags.json {
            println!(
                "{name:<14} {:>10.0} {:>10.0} {:>6.2}x {:>11.0} {:>6.2}x",
                times.python_cpu_ms,
                times.plain_cpu_ms,
                times.plain_ratio(),
                times.guided_wall_ms,
                times.guided_ratio()
            );
        }
        rows.push((name, times));
    }
    conclude(flags, &python, empty, &rows);
}

fn conclude(flags: Flags, python: &Path, empty: Times, rows: &[(String, Times)]) {
    let plain: Vec<f64> = rows.iter().map(|(_, times)| times.plain_ratio()).collect();
    let guided: Vec<f64> = rows.iter().map(|(_, times)| times.guided_ratio()).collect();
    let worst = |ratios: &[f64]| ratios.iter().copied().fold(0.0, f64::max);
    if !flags.json {
        println!("{:<14} {:>28.2}x {:>18.2}x", "median", median(&plain), median(&guided));
        println!("{:<14} {:>28.2}x {:>18.2}x", "worst", worst(&plain), worst(&guided));
        return;
    }
    let programs: Vec<Value> = rows
        .iter()
        .map(|(name, times)| {
            let mut row = json!(times);
            row["name"] = json!(name);
            row["plain_ratio"] = json!(times.plain_ratio());
            row["guided_ratio"] = json!(times.guided_ratio());
            row
        })
        .collect();
    let document = json!({
        "schema": "surmise.bench-programs/1",
        "python": python.display().to_string(),
        "runs": flags.times(RUNS),
        "startup": empty,
        "programs": programs,
        "plain": { "median": median(&plain), "worst": worst(&plain) },
        "guided": { "median": median(&guided), "worst": worst(&guided) },
    });
    println!("{document}");
}

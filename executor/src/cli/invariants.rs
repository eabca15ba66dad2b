//! `surmise invariants`: conditions that code expects to hold, and guards that it lacks.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use similar::{Algorithm, DiffTag, capture_diff_slices, group_diff_ops};
use surmise_engine::exit::{Exit, Status};
use surmise_engine::plan::Settings;
use surmise_engine::source::{self, Source};
use surmise_instrument::SourceModel;
use surmise_invariants::guided::{self, Prover};
use surmise_invariants::render::{Report, Suite, terminal};
use surmise_invariants::{Found, Invariant, Limits, Per, find, validate};
use surmise_script::{Guard, ScriptError, Writer};
use surmise_value_model::invariants::Invariants;

use super::numbers::seconds;
use super::refusal::{Refusal, write};
use super::{printer, sandbox};

/// Bits that a condition on more code may be less certain by.
const NEARLY_AS_CERTAIN: f32 = 0.5;
/// Guided runs of one variant of a function, and their time together.
const RUNS: u32 = 8;
const TIME: Duration = Duration::from_secs(5);

/// Find conditions that code expects to hold, and guards that it lacks.
///
/// A model that has learned from the guards of other projects is asked for the condition of each region of each function.
/// Nothing is run, unless --validate or --missing-guards asks for it.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "switches that have nothing to do with each other")]
pub(super) struct Arguments {
    /// Python file, or `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print the report as JSON (schema surmise.invariants/1).
    #[arg(long)]
    json: bool,
    /// Write a page with the conditions beside the source.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Conditions of one function at most; with --line or --every-region, of one region.
    #[arg(long, value_name = "N", default_value_t = 3)]
    most: usize,
    /// Only the regions that begin at this line, each by itself: what could a guard there ask for?
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    line: Option<u32>,
    /// Each region by itself: a condition is also listed where another region of the function expects it more certainly.
    #[arg(long, conflicts_with = "line")]
    every_region: bool,
    /// Entropy of a condition at most, in bits: 1 bit is a probability of one half.
    #[arg(long, value_name = "BITS", default_value_t = 4.0)]
    entropy: f32,
    /// Also list conditions whose violation makes the code fail and that no guard asks for. Guided runs in the sandbox
    /// violate each; proved ones come first.
    #[arg(long)]
    missing_guards: bool,
    /// Missing guards that are tried by guided runs at most.
    #[arg(long, value_name = "N", default_value_t = 20)]
    tried: usize,
    /// Print a diff that puts in the guard that is first among the missing ones, with the formatting kept (through
    /// `libcst`).
    #[arg(long, requires = "missing_guards", conflicts_with = "json")]
    fix: bool,
    /// Run this command, such as a test suite, and check the conditions at their places meanwhile.
    #[arg(long, requires = "command")]
    validate: bool,
    /// Folder of another model (`surmise train --predictor invariants`).
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Time limit for one guided run, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    timeout: f64,
    #[command(flatten)]
    confinement: sandbox::Options,
    /// Command for --validate, with its arguments; its output goes to standard error.
    #[arg(last = true, value_name = "CMD", requires = "validate")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  surmise invariants module.py                              the most certain conditions, with entropy and evidence
  surmise invariants --json --most 10 module.py
  surmise invariants --line 12 --entropy 8 module.py        what could a guard in front of line 12 ask for?
  surmise invariants --validate module.py -- pytest -q      do they hold while the tests run?
  surmise invariants --missing-guards module.py             which guards are missing?
  surmise invariants --missing-guards --fix module.py | patch -p0

Exit codes: 0 done, nothing found that is wrong; 1 a guard is missing, proved by a guided run, or a condition was violated \
while the command ran; 2 bad usage, unreadable input, or a source that does not parse; 4 the sandbox could not be set up; \
70 an internal error of Surmise.";

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    let source = source::read(&arguments.file).map_err(|error| Refusal::new(&error, error.hint()))?;
    let hint = "only Python 3 is understood; `python3 -m lib2to3` or a formatter may mend older code";
    let model = SourceModel::parse(source.text.as_str());
    let model = model.map_err(|error| Refusal::new(format!("`{}` {error}", source.name), hint))?;
    let other = arguments.model.as_ref().map(|folder| {
        let hint = "`surmise train --predictor invariants` writes such a folder";
        Invariants::open(folder).map_err(|error| Refusal::new(error, hint))
    });
    let other = other.transpose()?;
    let learned = other.as_ref().unwrap_or_else(|| Invariants::built_in());
    let per = match arguments.line {
        Some(line) => Per::RegionAt(line),
        None if arguments.every_region => Per::Region,
        None => Per::Function,
    };
    let limits = Limits { most: arguments.most, entropy: arguments.entropy, per };
    let Found { mut invariants, left, functions, regions } = find(&model, learned, limits);
    if let (Some(line), 0) = (arguments.line, regions) {
        let hint = "name the line of a statement in a function, of which no more than 400 regions are looked at";
        return Err(Refusal::new(format!("no region of `{}` begins at line {line}", source.name), hint));
    }
    let suite = if arguments.validate { Some(validated(arguments, &mut invariants)?) } else { None };
    let missing = if arguments.missing_guards { Some(missing(arguments, &source, &invariants)?) } else { None };
    let report = Report {
        schema: "surmise.invariants/1",
        file: &source.name,
        functions,
        invariants: &invariants,
        missing: missing.as_deref(),
        left_out: left.into(),
        suite,
    };
    if let Some(path) = &arguments.html {
        write(path, surmise_invariants::page::page(&report, &source.text))?;
    }
    if arguments.fix {
        fix(&source, missing.as_deref().unwrap_or_default())?;
    } else if arguments.json {
        let text = serde_json::to_string_pretty(&report);
        printer::data(&(text.map_err(|error| Refusal::bare(error).with(Exit::Internal))? + "\n"));
    } else {
        printer::data(&terminal(&report));
    }
    let is_violated =
        |found: &Invariant| found.validated.is_some_and(|found| found.status == surmise_invariants::Status::Violated);
    let is_missing = |found: &Invariant| found.proof.as_ref().is_some_and(|proof| proof.proved);
    let found = invariants.iter().any(is_violated) || missing.iter().flatten().any(is_missing);
    Ok(if found { Exit::Found } else { Exit::Success }.into())
}

fn validated(arguments: &Arguments, invariants: &mut [Invariant]) -> Result<Suite, Refusal> {
    if arguments.file.as_os_str() == "-" {
        return Err(Refusal::new("standard input is no module that a command could import", "give --validate a file"));
    }
    let run = validate::validate(&arguments.file, invariants, &arguments.command);
    let (exit_code, imported) = run.map_err(|error| {
        let command = arguments.command[0].to_string_lossy();
        Refusal::new(format!("cannot run `{command}`: {error}"), "give the command after `--`, such as `-- pytest -q`")
    })?;
    if exit_code != 0 {
        printer::warning(&format!("the command ended with {exit_code}: conditions were checked as far as it came"));
    }
    if !imported {
        printer::warning("no Python process of the command imported the file: no condition was checked");
    }
    Ok(Suite { exit_code, imported })
}

/// Of several conditions on one path in one function, the most certain ones first, one says what is missing: the most
/// certain, or one that is nearly as certain and about more code around, where a guard covers both.
fn one_of_each_path<'f>(found: impl Iterator<Item = &'f Invariant>) -> Vec<Invariant> {
    let mut kept: Vec<Invariant> = Vec::new();
    for invariant in found {
        let is_same = |known: &&mut Invariant| {
            known.function == invariant.function && known.slots.first() == invariant.slots.first()
        };
        match kept.iter_mut().find(is_same) {
            None => kept.push(invariant.clone()),
            Some(known) => {
                let is_around = invariant.line <= known.line && invariant.end_line >= known.end_line;
                if is_around && invariant.entropy <= known.entropy + NEARLY_AS_CERTAIN {
                    *known = invariant.clone();
                }
            }
        }
    }
    kept.sort_by(|one, other| one.entropy.total_cmp(&other.entropy));
    kept
}

/// Conditions that can be violated, with what guided runs show of them: proved ones first.
fn missing(arguments: &Arguments, source: &Source, invariants: &[Invariant]) -> Result<Vec<Invariant>, Refusal> {
    let mut missing = one_of_each_path(invariants.iter().filter(|found| guided::can_be_violated(found)));
    missing.truncate(arguments.tried);
    if missing.is_empty() {
        return Ok(missing);
    }
    arguments.confinement.check(&[])?;
    let program = sandbox::Program { paths: &[], folders: &[], readable: &[], timeout: arguments.timeout };
    let mut zygote = arguments.confinement.start(&program)?;
    zygote.wait_until_ready()?;
    arguments.confinement.warn(&zygote);
    let timeout = Duration::from_secs_f64(arguments.timeout);
    let settings = Settings { timeout, runs: RUNS, time: TIME, ..Settings::default() };
    let mut prover = Prover::new(&mut zygote, &settings, source);
    let count = missing.len();
    for (number, found) in missing.iter_mut().enumerate() {
        printer::note(&format!("[{:2}/{count}] {}: {}", number + 1, found.function, found.condition));
        found.proof = prover.prove(found)?;
    }
    let rank = |found: &Invariant| found.proof.as_ref().map_or(2, |proof| u8::from(!proof.proved));
    missing.sort_by(|one, other| rank(one).cmp(&rank(other)).then(one.entropy.total_cmp(&other.entropy)));
    Ok(missing)
}

/// Prints a diff with the guard that is proved and most certain.
fn fix(source: &Source, missing: &[Invariant]) -> Result<(), Refusal> {
    let proved = missing.iter().find(|found| found.proof.as_ref().is_some_and(|proof| proof.proved));
    let Some(found) = proved else {
        printer::note("no missing guard was proved: there is nothing to fix");
        return Ok(());
    };
    let refused = |error: ScriptError| Refusal::new(&error, error.hint());
    let writer = Writer::start().map_err(|error| refused(ScriptError::Failed(error.to_string())))?;
    let guard = Guard { line: found.line, end_line: found.end_line, condition: &found.condition };
    let text = writer.guarded(source.text.as_bytes(), &guard, &[]).map_err(refused)?;
    let text = String::from_utf8(text).map_err(|error| Refusal::bare(error).with(Exit::Internal))?;
    printer::data(&unified(&source.name, &source.text, &text));
    Ok(())
}

/// Lines around a change.
const CONTEXT: usize = 3;

/// The change of a text as `patch` takes it.
fn unified(name: &str, old: &str, new: &str) -> String {
    let [old, new]: [Vec<&str>; 2] = [old, new].map(|text| text.split_inclusive('\n').collect());
    let mut out = format!("--- {name}\n+++ {name}\n");
    for group in group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let range = |from: usize, to: usize| format!("{},{}", from + 1, to - from);
        let ranges = [
            range(first.old_range().start, last.old_range().end),
            range(first.new_range().start, last.new_range().end),
        ];
        let _infallible = writeln!(out, "@@ -{} +{} @@", ranges[0], ranges[1]);
        let mut lines = |sign: char, lines: &[&str]| {
            for line in lines {
                out.push(sign);
                out.push_str(line);
                if !line.ends_with('\n') {
                    out.push_str("\n\\ No newline at end of file\n");
                }
            }
        };
        for op in group {
            let (removed, added) = (&old[op.old_range()], &new[op.new_range()]);
            if op.tag() == DiffTag::Equal {
                lines(' ', removed);
            } else {
                lines('-', removed);
                lines('+', added);
            }
        }
    }
    out
}

//! One run of a plan, and what it found.

use std::path::Path;
use std::time::{Duration, Instant};

use surmise_instrument::cleanup::Repair;

use crate::client::{ClientError, RawRun, Zygote};
use crate::plan::{Plan, Settings};
use crate::protocol::{End, Event, Injection, Raised};

/// Statements that CPython refuses one after the other before we give up.
const MAX_REFUSALS: usize = 20;

/// How a run ended, for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It came to its end, or raised `SystemExit`.
    Completed,
    /// It raised.
    Error,
    /// The deadline passed.
    Timeout,
    /// A signal ended it: a crash, or a limit.
    Killed,
    /// It does not compile.
    SyntaxError,
}

/// Everything known about a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// The file's name.
    pub name: String,
    /// The source as given.
    pub source: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The program's own exit code; 128 plus the signal's number if a signal ended it.
    pub exit_code: i32,
    /// The error that ended it.
    pub error: Option<Raised>,
    /// Lines that count, as CPython's line table has them.
    pub lines: Vec<u32>,
    /// Those of them that were reached.
    pub covered: Vec<u32>,
    /// What was injected and answered, in order.
    pub injections: Vec<Injection>,
    /// Uses of values on reached lines, and those of them that were guided.
    pub uses: (u32, u32),
    /// What the clean-up changed.
    pub repairs: Vec<Repair>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Time for rewriting, predicting and executing.
    pub times: Times,
    /// Our own failure, if the worker reported one.
    pub internal: Option<String>,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Clean-up and rewriting.
    pub instrument: Duration,
    /// Prediction.
    pub predict: Duration,
    /// Execution, the worker's start included.
    pub execute: Duration,
    /// All of it.
    pub total: Duration,
}

impl Report {
    /// Lines that count and were not reached.
    #[must_use]
    pub fn missed(&self) -> Vec<u32> {
        self.lines.iter().copied().filter(|line| self.covered.binary_search(line).is_err()).collect()
    }

    /// The report of a source that could not be run at all.
    #[must_use]
    pub fn of_syntax_error(plan_name: &str, source: &str, line: u32, message: &str) -> Self {
        Self {
            name: plan_name.to_owned(),
            source: source.to_owned(),
            outcome: Outcome::SyntaxError,
            exit_code: 1,
            error: Some(syntax_error(line, message)),
            lines: Vec::new(),
            covered: Vec::new(),
            injections: Vec::new(),
            uses: (0, 0),
            repairs: Vec::new(),
            stdout: String::new(),
            stderr: String::new(),
            times: Times::default(),
            internal: None,
        }
    }
}

fn syntax_error(line: u32, message: &str) -> Raised {
    Raised { kind: "SyntaxError".into(), message: message.into(), line, column: None, end_column: None, exit_code: 1 }
}

/// Runs a plan once. Statements that CPython's compiler refuses are blanked and the rest is run.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub fn execute(
    zygote: &mut Zygote,
    mut plan: Plan,
    settings: &Settings,
    stdin: Option<&Path>,
) -> Result<Report, ClientError> {
    let begin = Instant::now();
    for _ in 0..MAX_REFUSALS {
        let raw = zygote.run(&plan.job(settings, false), stdin, settings.timeout)?;
        let refused = raw.events.iter().find_map(|event| match event {
            Event::End(End::Syntax { line, message }) => Some((*line, message.clone())),
            _ => None,
        });
        match refused {
            Some((line, message)) if plan.injects() => match plan.without_line(line, &message, settings) {
                Some(mended) => plan = mended,
                None => return Ok(judge(&plan, raw, begin)),
            },
            _ => return Ok(judge(&plan, raw, begin)),
        }
    }
    Ok(Report::of_syntax_error(&plan.source.name, &plan.source.text, 0, "too many statements do not compile"))
}

fn judge(plan: &Plan, raw: RawRun, begin: Instant) -> Report {
    let (mut lines, mut injections, mut end) = (Vec::new(), Vec::new(), None);
    for event in raw.events {
        match event {
            // Told before the program starts; what comes later is the program's own invention.
            Event::Lines { lines: table } if lines.is_empty() => lines = table,
            Event::Lines { .. } => {}
            Event::Injected(mut injection) => {
                injection.column = in_characters(&plan.text, injection.line, injection.column);
                injections.push(injection);
            }
            Event::End(ended) => end = Some(ended),
        }
    }
    let marks = &plan.instrumented.marks;
    let mut reached = raw.marks;
    if reached.len() > 1 {
        reached[0] = true;
        marks.close(&mut reached);
    }
    let docstring = |line: u32| marks.docstrings.iter().any(|&(first, last)| (first..=last).contains(&line));
    let mut counted: Vec<u32> =
        lines.into_iter().filter(|&line| !docstring(line)).map(|line| marks.first_line(line)).collect();
    counted.sort_unstable();
    counted.dedup();
    let is_reached = |line: u32| reached.get(line as usize).copied().unwrap_or(false);
    let covered: Vec<u32> = counted.iter().copied().filter(|&line| is_reached(line)).collect();
    let mut internal = None;
    // A worker's word about its end counts only if the kernel says the same.
    let end = end.filter(|end| raw.status == told_status(end));
    let (outcome, exit_code, error) = match (end, raw.timed_out) {
        (Some(End::Completed { exit_code }), _) => (Outcome::Completed, exit_code, None),
        (Some(End::Raised(mut raised)), _) => {
            raised.column = raised.column.map(|column| in_characters(&plan.text, raised.line, column));
            raised.end_column = raised.end_column.map(|column| in_characters(&plan.text, raised.line, column));
            (Outcome::Error, raised.exit_code, Some(raised))
        }
        (Some(End::Syntax { line, message }), _) => (Outcome::SyntaxError, 1, Some(syntax_error(line, &message))),
        (None, true) => (Outcome::Timeout, 128 + libc::SIGKILL, None),
        (Some(End::Internal { message }), _) => {
            internal = Some(message);
            (Outcome::Error, 70, None)
        }
        (None, false) if raw.status >= 256 => (Outcome::Killed, 128 + raw.status - 256, Some(killed(raw.status - 256))),
        (None, false) => (Outcome::Completed, raw.status, None),
    };
    let uses =
        plan.instrumented.sites.iter().filter(|site| !site.name.is_empty() && is_reached(marks.first_line(site.line)));
    let guided = injections.iter().filter(|injection| injection.site.is_some()).count() as u32;
    let total = (uses.count() as u32).max(guided);
    Report {
        name: plan.source.name.clone(),
        source: plan.source.text.clone(),
        outcome,
        exit_code,
        error,
        lines: counted,
        covered,
        injections,
        uses: (total, guided),
        repairs: plan.repairs.clone(),
        stdout: raw.stdout.text(),
        stderr: raw.stderr.text(),
        times: Times {
            instrument: plan.instrument_time,
            predict: plan.predict_time,
            execute: raw.wall,
            total: begin.elapsed() + plan.instrument_time + plan.predict_time,
        },
        internal,
    }
}

/// The wait status of a worker that tells this end.
fn told_status(end: &End) -> i32 {
    match end {
        End::Completed { exit_code } | End::Raised(Raised { exit_code, .. }) => exit_code & 0xff,
        End::Syntax { .. } => 1,
        End::Internal { .. } => 70,
    }
}

/// Columns in characters, as people count them; CPython counts UTF-8 bytes.
fn in_characters(text: &str, line: u32, column: u32) -> u32 {
    let line = (line as usize).checked_sub(1).and_then(|index| text.lines().nth(index)).unwrap_or_default();
    if line.is_ascii() {
        return column;
    }
    line.char_indices().take_while(|(at, _)| *at < column as usize).count() as u32
}

fn killed(signal: i32) -> Raised {
    let name =
        nix::sys::signal::Signal::try_from(signal).map_or_else(|_| signal.to_string(), |s| s.as_str().to_owned());
    Raised {
        kind: "Killed".into(),
        message: format!("ended by {name}"),
        line: 0,
        column: None,
        end_column: None,
        exit_code: 128 + signal,
    }
}

//! One run of a plan, and what it found.

use std::time::Duration;

use crate::client::{ClientError, RawRun, Request, Zygote};
use crate::plan::{Plan, Settings, Trial};
use crate::protocol::{Behaviour, Choice, End, Event, Injection, Raised};
use crate::stdin::Input;

/// Statements that CPython refuses one after the other before we give up.
const MAX_REFUSALS: usize = 20;

/// How a run ended, for the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It came to its end, or raised `SystemExit`.
    #[default]
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

/// What one run left, judged.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// What was different from the plan.
    pub trial: Trial,
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
    /// Answers that could have been others.
    pub chosen: Vec<Chosen>,
    /// Failures that were left alone because the code expects them: key and line.
    pub expected: Vec<(String, u32)>,
    /// Functions that were called aside and raised.
    pub failed: Vec<(String, Raised)>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// From the request to the end of the run.
    pub wall: Duration,
    /// The part of that until the run was behind all steps of the sandbox, if it ever was.
    pub start: Option<Duration>,
    /// What it recorded for a script, if it was asked to.
    pub recording: Option<String>,
    /// What it did, if it is one of a pair.
    pub behaviour: Option<Behaviour>,
    /// Our own failure, if the worker reported one.
    pub internal: Option<String>,
}

/// An answer to an operation on a stand-in.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// What identifies it.
    pub key: String,
    /// Line, from 1.
    pub line: u32,
    /// The answer.
    pub answer: Choice,
}

impl Execution {
    /// True if the line was reached.
    #[must_use]
    pub fn reached(&self, line: u32) -> bool {
        self.covered.binary_search(&line).is_ok()
    }

    /// A run for each function that was called aside and raised: that of its call alone.
    pub fn failed_aside(&self) -> impl Iterator<Item = Self> {
        self.failed.iter().map(|(function, error)| Self {
            trial: Trial { drive: Some(function.clone()), ..self.trial.clone() },
            outcome: Outcome::Error,
            error: Some(error.clone()),
            failed: Vec::new(),
            ..self.clone()
        })
    }

    /// True if a line between two was reached.
    #[must_use]
    pub fn reached_any(&self, (first, last): (u32, u32)) -> bool {
        let at = self.covered.partition_point(|&line| line < first);
        self.covered.get(at).is_some_and(|&line| line <= last)
    }
}

/// Runs a plan for the first time. Statements that CPython's compiler refuses are blanked and the rest is run.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub fn first(
    zygote: &mut Zygote,
    plan: &mut Plan,
    settings: &Settings,
    input: &mut Input,
    timeout: Duration,
) -> Result<Execution, ClientError> {
    for _ in 0..MAX_REFUSALS {
        let execution = once(zygote, plan, settings, input, &Trial::default(), timeout)?;
        let (Outcome::SyntaxError, Some(refused), true) = (execution.outcome, &execution.error, plan.injects()) else {
            return Ok(execution);
        };
        match plan.without_line(refused.line, &refused.message, settings) {
            Some(mended) => *plan = mended,
            None => return Ok(execution),
        }
    }
    once(zygote, plan, settings, input, &Trial::default(), timeout)
}

/// Runs a plan once.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub fn once(
    zygote: &mut Zygote,
    plan: &Plan,
    settings: &Settings,
    input: &mut Input,
    trial: &Trial,
    timeout: Duration,
) -> Result<Execution, ClientError> {
    run(zygote, plan, settings, input, (trial, false), timeout)
}

/// Runs a plan once more, and records what a script needs to give the same again.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub fn recorded(
    zygote: &mut Zygote,
    plan: &Plan,
    settings: &Settings,
    input: &mut Input,
    trial: &Trial,
    timeout: Duration,
) -> Result<Execution, ClientError> {
    run(zygote, plan, settings, input, (trial, true), timeout)
}

fn run(
    zygote: &mut Zygote,
    plan: &Plan,
    settings: &Settings,
    input: &mut Input,
    (trial, record): (&Trial, bool),
    timeout: Duration,
) -> Result<Execution, ClientError> {
    let stdin = input.for_run().map_err(ClientError::Setup)?;
    let request = Request {
        program: plan.program(settings),
        sites: (&plan.sites, &plan.assignment),
        trial: &plan.trial(settings, trial, record),
        once: settings.runs == 1 && !settings.record,
    };
    let raw = zygote.run(&request, stdin, timeout)?;
    Ok(judge(plan, trial, raw))
}

fn judge(plan: &Plan, trial: &Trial, raw: RawRun) -> Execution {
    let (mut injections, mut end) = (Vec::new(), None);
    let (mut chosen, mut expected, mut recording, mut behaviour) = (Vec::new(), Vec::new(), None, None);
    let (mut failed, mut isolated) = (Vec::new(), None);
    let in_text = |mut raised: Raised| {
        raised.column = raised.column.map(|column| in_characters(&plan.text, raised.line, column));
        raised.end_column = raised.end_column.map(|column| in_characters(&plan.text, raised.line, column));
        raised
    };
    for event in raw.events {
        match event {
            Event::IsolatedCallsBegin { error } => isolated = Some(error.map(in_text)),
            Event::IsolatedCallsEnd => isolated = None,
            Event::Failed { function, error } => failed.push((function, in_text(error))),
            Event::Injected(mut injection) => {
                injection.column = in_characters(&plan.text, injection.line, injection.column);
                injections.push(injection);
            }
            Event::Chose { key, line, answer } => chosen.push(Chosen { key, line, answer }),
            Event::Expected { key, line } => expected.push((key, line)),
            Event::Recorded { recording: told } => recording = Some(told),
            Event::Behaviour(told) => behaviour = Some(told),
            Event::End(ended) => end = Some(ended),
        }
    }
    let marks = &plan.instrumented.marks;
    let mut reached = raw.marks;
    let ended = reached.last() == Some(&true);
    if reached.len() > 1 {
        reached[0] = true;
        marks.close(&mut reached);
    }
    let docstring = |line: u32| marks.docstrings.iter().any(|&(first, last)| (first..=last).contains(&line));
    let mut counted: Vec<u32> =
        raw.lines.iter().copied().filter(|&line| !docstring(line)).map(|line| marks.first_line(line)).collect();
    counted.sort_unstable();
    counted.dedup();
    let is_reached = |line: u32| reached.get(line as usize).copied().unwrap_or(false);
    let covered: Vec<u32> = counted.iter().copied().filter(|&line| is_reached(line)).collect();
    let mut internal = None;
    // A worker's word about its end counts only if the kernel says the same.
    let end = end.filter(|end| raw.status == told_status(end));
    let (outcome, exit_code, error) = match (end, raw.timed_out) {
        (Some(End::Completed { exit_code }), _) => (Outcome::Completed, exit_code, None),
        (Some(End::Raised(raised)), _) => (Outcome::Error, raised.exit_code, Some(in_text(raised))),
        (Some(End::Syntax { line, message }), _) => {
            (Outcome::SyntaxError, 1, Some(Raised::of_syntax_error(line, &message)))
        }
        (None, timed_out) => match isolated {
            // What a function does that we call is not how the program ended.
            Some(None) if ended => (Outcome::Completed, 0, None),
            Some(Some(raised)) => (Outcome::Error, raised.exit_code, Some(raised)),
            _ if timed_out => (Outcome::Timeout, 128 + libc::SIGKILL, None),
            _ if raw.status >= 256 => (Outcome::Killed, 128 + raw.status - 256, Some(killed(raw.status - 256))),
            _ => (Outcome::Completed, raw.status, None),
        },
        (Some(End::Internal { message }), _) => {
            internal = Some(message);
            (Outcome::Error, 70, None)
        }
    };
    Execution {
        trial: trial.clone(),
        outcome,
        exit_code,
        error,
        lines: counted,
        covered,
        injections,
        chosen,
        expected,
        failed,
        stdout: raw.stdout.text(),
        stderr: raw.stderr.text(),
        wall: raw.wall,
        start: raw.start,
        recording,
        behaviour,
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

//! One run of a plan, and what it found.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use crate::client::{ClientError, RawRun, Request, Zygote};
use crate::plan::{Plan, Settings, Trial};
use crate::protocol::{Behaviour, Chosen, End, Event, Injection, Program, Raised, Task, Traced};
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
    /// Parts of expressions that were evaluated, by number, if they are marked.
    pub parts: Vec<u32>,
    /// What was injected and answered, in order.
    pub injections: Vec<Injection>,
    /// Answers that could have been others.
    pub chosen: Vec<Chosen>,
    /// Failures that were not repaired, because an enclosing handler of the snippet catches them: key and line.
    pub expected: Vec<(String, u32)>,
    /// Failures besides the error that ended the run: isolated calls (the harness called each function by itself after
    /// the module had run), and, without a name, further statements of a session.
    pub failed: Vec<(Option<String>, Raised)>,
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
    /// What it did, if it is compared with a run of another version.
    pub behaviour: Option<Behaviour>,
    /// Its trace, if it was asked for one and came far enough to tell.
    pub traced: Option<Traced>,
    /// Whether a function ran in its imported module; the text says why it did not though it has one.
    pub in_place: Option<Result<(), String>>,
    /// What the import of that module lacks, in a comparison.
    pub lacking: Vec<String>,
    /// Our own failure, if the worker reported one.
    pub internal: Option<String>,
}

impl Execution {
    /// True if the line was reached.
    #[must_use]
    pub fn reached(&self, line: u32) -> bool {
        self.covered.binary_search(&line).is_ok()
    }

    /// The line by which it is known whether the code on a line ran: the first one of a statement of several lines.
    #[must_use]
    pub fn first_line(&self, line: u32) -> u32 {
        let after = self.lines.partition_point(|own| *own <= line);
        after.checked_sub(1).map_or(line, |at| self.lines[at])
    }

    /// True if the statement on a line was reached.
    #[must_use]
    pub fn reached_statement(&self, line: u32) -> bool {
        self.reached(self.first_line(line))
    }

    /// An execution for each isolated call or further statement of a session that raised: as if it had been all of the
    /// run.
    pub fn further_failures(&self) -> impl Iterator<Item = Self> {
        self.failed.iter().map(|(function, error)| Self {
            trial: Trial { call: function.clone().or_else(|| self.trial.call.clone()), ..self.trial.clone() },
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
    let mut runs = in_series(zygote, plan, &[(settings, trial)], input, timeout)?;
    Ok(runs.swap_remove(0))
}

/// Runs a plan several times, one run after the other in one process, as far as each leaves what the next one starts from as
/// it was: at least the first one. What shows that a run was not the first in its process is not all found; whoever relies on
/// a difference repeats the run by itself. `timeout` is that of each run.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub fn in_series(
    zygote: &mut Zygote,
    plan: &Plan,
    runs: &[(&Settings, &Trial)],
    input: &mut Input,
    timeout: Duration,
) -> Result<Vec<Execution>, ClientError> {
    requested(zygote, plan, None, runs, input, timeout)
}

/// Runs a plan once, in the process of a program whose function stands at the same place of the same module.
///
/// # Errors
/// When the worker process failed us, never for what the snippet does.
pub fn in_process_of(
    zygote: &mut Zygote,
    loaded: &Program,
    plan: &Plan,
    settings: &Settings,
    input: &mut Input,
    trial: &Trial,
    timeout: Duration,
) -> Result<Execution, ClientError> {
    let mut runs = requested(zygote, plan, Some(loaded), &[(settings, trial)], input, timeout)?;
    Ok(runs.swap_remove(0))
}

fn requested(
    zygote: &mut Zygote,
    plan: &Plan,
    loaded: Option<&Program>,
    runs: &[(&Settings, &Trial)],
    input: &mut Input,
    timeout: Duration,
) -> Result<Vec<Execution>, ClientError> {
    let (settings, _) = runs[0];
    let stdins: io::Result<Vec<OwnedFd>> = runs.iter().map(|(_, trial)| input.for_run(trial.sample)).collect();
    let tasks: Vec<Task> = runs.iter().map(|(settings, trial)| plan.task(settings, trial)).collect();
    let request = Request {
        program: plan.program(settings),
        loaded,
        sites: (&plan.sites, &plan.assignment),
        tasks: &tasks,
        once: settings.is_run_once() && runs.len() == 1,
    };
    let made = zygote.run(&request, stdins.map_err(ClientError::Setup)?, timeout)?;
    let judged =
        |(raw, &(_, trial)): (RawRun, &(&Settings, &Trial))| judge(plan, trial, raw, plan.counted_lines(settings));
    Ok(made.into_iter().zip(runs).map(judged).collect())
}

fn judge(plan: &Plan, trial: &Trial, raw: RawRun, counted: Option<(u32, u32)>) -> Execution {
    let mut run = Execution { trial: trial.clone(), wall: raw.wall, start: raw.start, ..Execution::default() };
    (run.stdout, run.stderr) = (raw.stdout.text(), raw.stderr.text());
    let (mut end, mut isolated) = (None, None);
    let in_text = |mut raised: Raised| {
        raised.column = raised.column.map(|column| in_characters(&plan.text, raised.line, column));
        raised.end_column = raised.end_column.map(|column| in_characters(&plan.text, raised.line, column));
        raised
    };
    let mut lines = raw.lines;
    for event in raw.events {
        match event {
            Event::InPlace { lines: own, lacking } => (lines, run.lacking, run.in_place) = (own, lacking, Some(Ok(()))),
            Event::Unplaced { problem } => run.in_place = Some(Err(problem)),
            Event::IsolatedCallsBegin { error } => isolated = Some(error.map(in_text)),
            Event::IsolatedCallsEnd => isolated = None,
            Event::Failed { function, error } => run.failed.push((function, in_text(error))),
            Event::Injected(mut injection) => {
                injection.column = in_characters(&plan.text, injection.line, injection.column);
                run.injections.push(injection);
            }
            Event::Chose(chosen) => run.chosen.push(chosen),
            Event::Expected { key, line } => run.expected.push((key, line)),
            Event::Recorded { recording } => run.recording = Some(recording),
            Event::Traced(traced) => run.traced = Some(traced),
            Event::Behaviour(behaviour) => run.behaviour = Some(behaviour),
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
    if let (Some((first, last)), None | Some(Err(_))) = (counted, &run.in_place) {
        lines.retain(|line| (first..=last).contains(line));
    }
    let docstring = |line: u32| marks.docstrings.iter().any(|&(first, last)| (first..=last).contains(&line));
    run.lines = lines.iter().copied().filter(|&line| !docstring(line)).map(|line| marks.first_line(line)).collect();
    run.lines.sort_unstable();
    run.lines.dedup();
    let is_reached = |&line: &u32| reached.get(line as usize).copied().unwrap_or(false);
    run.covered = run.lines.iter().copied().filter(is_reached).collect();
    let parts = plan.instrumented.parts.len() as u32;
    let first_part = marks.lines - parts + 1;
    run.parts = (0..parts).filter(|part| is_reached(&(first_part + part))).collect();
    // A worker's word about its end counts only if the kernel says the same.
    let end = end.filter(|end| raw.status == end.status());
    (run.outcome, run.exit_code, run.error) = match (end, raw.timed_out) {
        (Some(End::Completed { exit_code }), _) => (Outcome::Completed, exit_code, None),
        (Some(End::Raised(raised)), _) => (Outcome::Error, raised.exit_code, Some(in_text(raised))),
        (Some(End::Endless), _) => (Outcome::Timeout, 128 + libc::SIGKILL, None),
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
            run.internal = Some(message);
            (Outcome::Error, 70, None)
        }
    };
    run
}

/// Columns in characters, as people count them; CPython counts UTF-8 bytes.
pub fn in_characters(text: &str, line: u32, column: u32) -> u32 {
    let line = (line as usize).checked_sub(1).and_then(|index| text.lines().nth(index)).unwrap_or_default();
    if line.is_ascii() {
        return column;
    }
    line.char_indices().take_while(|(at, _)| *at < column as usize).count() as u32
}

fn killed(signal: i32) -> Raised {
    let name =
        nix::sys::signal::Signal::try_from(signal).map_or_else(|_| signal.to_string(), |s| s.as_str().to_owned());
    Raised { kind: "Killed".into(), message: format!("ended by {name}"), exit_code: 128 + signal, ..Raised::default() }
}

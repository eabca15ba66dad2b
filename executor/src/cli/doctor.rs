//! `surmise doctor`: what this machine allows of the sandbox, found out by trying it.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::printer;
use crate::client::Zygote;
use crate::exit::Exit;
use crate::zygote::sandbox::{Finding, Mode, Sandbox, Step};

/// Try every step of the sandbox in a child process, and say which ones this machine refuses and what to do.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Print the steps as JSON (schema surmise.doctor/1).
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let sandbox = Sandbox { mode: Mode::BestEffort, ..Sandbox::default() };
    let started = Zygote::start_in(&sandbox).and_then(|mut zygote| zygote.wait_until_ready().map(|()| zygote));
    let findings = match started {
        Ok(zygote) => zygote.findings().to_vec(),
        Err(error) => {
            printer::error(&error.to_string(), Some(error.hint()));
            return error.exit().into();
        }
    };
    let rows: Vec<Row> = Step::ALL.into_iter().map(|step| Row::new(step, &findings)).collect();
    let strict = rows.iter().all(|row| row.problem.is_none() || !row.step.is_required());
    if arguments.json {
        let steps: Vec<_> = rows.iter().map(Row::json).collect();
        printer::data(&format!("{}\n", json!({"schema": "surmise.doctor/1", "strict": strict, "steps": steps})));
    } else {
        printer::data(&rows.iter().map(Row::text).collect::<String>());
        printer::data(if strict {
            "`--sandbox=strict` works on this machine\n"
        } else {
            "`--sandbox=strict` does not work on this machine\n"
        });
    }
    if strict { Exit::Success.into() } else { Exit::Sandbox.into() }
}

/// A step, and why it is refused.
struct Row {
    step: Step,
    problem: Option<String>,
}

impl Row {
    fn new(step: Step, findings: &[Finding]) -> Self {
        let found = findings.iter().find(|finding| finding.step == step);
        let problem = found.map_or_else(|| Some("not reached".to_owned()), |finding| finding.problem.clone());
        Self { step, problem }
    }

    fn text(&self) -> String {
        let what = self.step.what();
        match &self.problem {
            None => format!("✓ {what}\n"),
            Some(problem) if self.step.is_required() => format!("✗ {what}: {problem}\n  hint: {}\n", self.step.hint()),
            Some(problem) => format!("- {what} (strict goes on without): {problem}\n  hint: {}\n", self.step.hint()),
        }
    }

    fn json(&self) -> serde_json::Value {
        let hint = self.problem.is_some().then(|| self.step.hint());
        json!({
            "step": self.step,
            "what": self.step.what(),
            "required": self.step.is_required(),
            "allowed": self.problem.is_none(),
            "problem": self.problem,
            "hint": hint,
        })
    }
}

//! `surmise doctor`: which steps of the sandbox this machine allows, found out by taking them.

use clap::Args;
use serde_json::json;

use super::printer;
use super::refusal::Refusal;
use surmise_engine::client::Zygote;
use surmise_engine::exit::{Exit, Status};
use surmise_engine::zygote::sandbox::{Finding, Mode, Sandbox, Step};

/// Check which steps of the sandbox this machine allows, and how to allow the others.
///
/// Tries every step in a child process. The exit code is 0 if `--sandbox=strict` works, and 4 if it does not.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Print the steps as JSON (schema surmise.doctor/1).
    #[arg(long)]
    json: bool,
}

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    let sandbox = Sandbox { mode: Mode::BestEffort, ..Sandbox::default() };
    let mut zygote = Zygote::start_in(&sandbox)?;
    zygote.wait_until_ready()?;
    let rows: Vec<Row> = Step::ALL.into_iter().map(|step| Row::new(step, zygote.findings())).collect();
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
    Ok(if strict { Exit::Success } else { Exit::Sandbox }.into())
}

/// A step of the sandbox, with the reason if this machine refuses it.
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

//! `surmise explain`: what a snippet does and why it fails, in sentences that runs confirm.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use surmise_engine::client::ClientError;
use surmise_engine::exit::{Exit, Status};
use surmise_engine::plan::Settings;
use surmise_engine::stdin::Input;
use surmise_explain::{Explanation, Facts, check, question};
use surmise_identity::Identity;
use surmise_project::Environment;
use surmise_report::Report;
use surmise_report::visible::visible;
use surmise_search::search;

use super::numbers::seconds;
use super::prepared::{Prepared, prepared};
use super::refusal::Refusal;
use super::{llm, printer, sandbox, surroundings};

/// Explain what a snippet does and why it fails: a language model writes, runs decide what is shown.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Python file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// File to use as standard input of the program (default: none).
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Seed of random choices; the same seed gives the same runs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Time limit for one run, in seconds of wall-clock time.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,
    /// Print the explanation as JSON (schema surmise.explain/1).
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    llm: llm::Options,
    #[command(flatten)]
    surroundings: surroundings::Options,
    #[command(flatten)]
    confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
The snippet is run first, as by `surmise run`. The model ties each sentence to lines, values and errors of these runs; \
sentences whose ties are missing or wrong are dropped and counted.

Example:
  surmise explain --llm-url http://localhost:8080/v1 --llm-model tiny snippet.py

Exit codes: 0 there is an explanation; 1 no sentence was confirmed; 2 bad usage, unreadable input or no answer; 4 the \
sandbox could not be set up; 70 an internal error of Surmise.";

impl Arguments {
    fn settings(&self, environment: Option<Arc<Environment>>) -> Settings {
        Settings {
            seed: self.seed,
            timeout: Duration::from_secs_f64(self.timeout),
            python_path: self.surroundings.python_path.clone(),
            environment,
            in_place: !self.surroundings.alone,
            probes: true,
            ..Settings::default()
        }
    }

    /// Runs the snippet.
    fn report(&self) -> Result<Report, Refusal> {
        let Prepared { settings, mut plan, mut zygote, .. } =
            prepared(&self.file, &self.confinement, &self.surroundings, self.timeout, |found| self.settings(found))?;
        let mut input = Input::open(self.stdin.as_deref()).map_err(ClientError::Setup)?;
        let ledger = search(&mut zygote, &mut plan, &settings, &mut input)?;
        Ok(Report::new(&plan, &settings, ledger, Identity::built_in()))
    }
}

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    let client = arguments.llm.client()?;
    let report = arguments.report()?;
    let facts = Facts::of(&report);
    let question = question(&report, &facts, arguments.llm.answer_tokens());
    let answer = llm::ask(&client, &question, &report.name, arguments.json)?;
    let Some(explanation) = check(&answer.text, &facts) else {
        let hint = "a model that keeps to JSON schemas is needed; `--no-llm-cache` asks again";
        return Err(Refusal::new("the answer of the language model is not of the asked form", hint));
    };
    let model = client.endpoint().model();
    if arguments.json {
        let document = json!({
            "schema": "surmise.explain/1",
            "file": report.name,
            "model": model,
            "outcome": report.outcome,
            "sentences": explanation.sentences,
            "dropped": explanation.dropped,
            "spent": client.spent(),
        });
        printer::data(&format!("{document}\n"));
    } else {
        printer::data(&text(&explanation, model));
        printer::note(&format!("spent: {}", client.spent()));
    }
    Ok(if explanation.sentences.is_empty() { Exit::Found } else { Exit::Success }.into())
}

/// The explanation for people: each sentence with the lines that it is tied to.
fn text(explanation: &Explanation, model: &str) -> String {
    let mut out = format!("explained by {}\n", visible(model));
    for sentence in &explanation.sentences {
        let mut lines: Vec<u32> = sentence.evidence.iter().map(|claim| claim.line).filter(|line| *line > 0).collect();
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        let place = if lines.is_empty() { String::new() } else { format!(" [{}]", lines.join(", ")) };
        let line = sentence.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let _never_fails = writeln!(out, "- {}{place}", visible(&line));
    }
    let dropped = printer::plural(explanation.dropped.len() as u64, "sentence");
    out + &format!("{dropped} dropped that no run confirms\n")
}

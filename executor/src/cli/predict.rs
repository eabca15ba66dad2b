//! `surmise predict`: which error a program raises and where, before anything runs; with `--orca`, what a language model
//! says that it does.

mod network;
mod orca;

use std::path::PathBuf;

use clap::Args;

use super::numbers::seconds;
use super::refusal::Refusal;
use super::{llm, sandbox, surroundings};
use surmise_engine::exit::Status;

/// Predict which error a program raises and on which line, before anything runs.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Python file, or `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What the program's standard input is like: a text, or the name of a file that has it.
    #[arg(long, value_name = "TEXT|FILE", conflicts_with = "orca")]
    stdin_description: Option<String>,
    /// Folder of a network (`errors.json`, `errors.safetensors`) in place of the built-in one.
    #[arg(long, value_name = "DIR", conflicts_with = "orca")]
    errors_model: Option<PathBuf>,
    /// Also run the program under inputs that fit the description, or what its code reads: 16 times, or `--verify=N`.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "16",
          conflicts_with = "orca", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    verify: Option<u32>,
    /// Statements that the network executes at most.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=4096))]
    max_statements: u32,
    /// Steps of execution at most.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=4096))]
    max_steps: u32,
    /// Ask a language model to walk the control flow graph with a symbol table (ORCA), in one request.
    #[arg(long)]
    orca: bool,
    /// With --orca: file to use as standard input of the program; the model sees it, too.
    #[arg(long, value_name = "FILE", requires = "orca")]
    stdin: Option<PathBuf>,
    /// Seed of random choices; the same seed gives the same inputs and runs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Time limit for one run, in seconds of wall-clock time; with --verify at most 2.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,
    /// Print the prediction as JSON (schema surmise.predict/1, or surmise.predict-orca/1).
    #[arg(long)]
    json: bool,
    /// Write a page: the instruction pointer over time, or the predicted trace beside the executed one.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    llm: llm::Options,
    #[command(flatten)]
    surroundings: surroundings::Options,
    #[command(flatten)]
    confinement: sandbox::Options,
}

const EXAMPLES: &str = "\
A network reads the source and a description of the input, and executes the statements with a soft instruction pointer \
(Exception IPA-GNN). Functions that are called once are followed, and it is said which are not. Lines are those that \
raise the error if there is one.

With --orca, the program is run first: values that are missing are injected, and the model is told which. Its answer is \
read as data and compared with the run that covered most lines.

Examples:
  surmise predict program.py
  surmise predict --stdin-description 'An integer N, then N integers' --html page.html program.py
  surmise predict --stdin-description description.txt --json program.py
  surmise predict --stdin-description description.txt --verify program.py
  surmise predict --orca --llm-url http://localhost:8080/v1 --llm-model tiny program.py

With --verify, the program is then run as `python FILE` would, in the sandbox: each error that is found comes with the \
standard input that raises it.

Exit codes: 0 no error is likely, with --verify none was found, or with --orca the predicted trace and error are those of the run; 1 an error is \
likely, or was found, or they differ; 2 bad usage, unreadable input or no answer; 3 with --orca, the run left no trace, because of a \
timeout or a limit; 4 the sandbox could not be set up; 70 an internal error of Surmise.";

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    if arguments.orca { orca::run(arguments) } else { network::run(arguments) }
}

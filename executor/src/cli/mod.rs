//! The `surmise` command.

mod cover;
mod diff;
mod doctor;
mod eval;
mod explain;
mod invariants;
mod llm;
mod model;
mod numbers;
mod predict;
mod prepared;
mod printer;
pub mod refusal;
mod run;
mod sandbox;
mod script;
pub mod session;
mod surroundings;
mod trace;
mod trace_info;
mod train;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use self::printer::collecting_warnings;
use self::refusal::Refusal;
use surmise_engine::address_space;
use surmise_engine::exit::{Exit, Status};
use surmise_engine::zygote;
use surmise_value_model::t5::undivided_products;

/// Run Python that cannot be run: values that are missing are predicted and injected.
#[derive(Parser, Debug)]
#[command(name = "surmise", version, max_term_width = 110, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  surmise run snippet.py                        run a snippet and show what happened
  surmise run --function Class.method file.py   run one function of a file
  surmise cover src                             how much of many files can be executed
  surmise diff --repo . HEAD                    does the last commit change behaviour?
  surmise predict --orca --llm-url URL --llm-model NAME file.py
                                                what a language model says of a program, beside what it does
  surmise doctor                                does the sandbox work on this machine?

Exit codes: 0 completed; 1 the snippet raised, or differences were found; 2 bad usage or unreadable input; \
3 timeout, limit or interruption; 4 the sandbox could not be set up; 70 an internal error of Surmise. \
`run --plain` and `trace` return the program's own exit code.";

// The help of a command is the documentation of its arguments, which doc comments on these variants would replace.
#[derive(Subcommand, Debug)]
enum Command {
    Run(Box<run::Arguments>),
    Cover(Box<cover::Arguments>),
    Diff(Box<diff::Arguments>),
    Predict(Box<predict::Arguments>),
    Explain(Box<explain::Arguments>),
    Invariants(Box<invariants::Arguments>),
    Trace(Box<trace::Arguments>),
    Train(train::Arguments),
    Eval(eval::Arguments),
    Doctor(doctor::Arguments),
}

/// Entry of the binary: runs the command line, or the zygote or script writer that the command starts from itself.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match arguments.get(1).and_then(|argument| worker(&argument.to_string_lossy())) {
        // A shell sees only the low byte.
        Some(code) => std::process::exit(code & 0xff),
        None => ExitCode::from(command(arguments).0),
    }
}

/// Does the work of a process that one of us started, if that is what this first argument says.
pub fn worker(argument: &str) -> Option<i32> {
    match argument {
        zygote::ZYGOTE_ARGUMENT => Some(zygote::serve()),
        zygote::PLAIN_ARGUMENT => Some(zygote::plain()),
        zygote::SCRIPT_ARGUMENT => Some(surmise_script::serve()),
        _ => None,
    }
}

/// Runs a command line, whose first word is the program's name.
pub fn command(arguments: Vec<OsString>) -> Status {
    if let Err(error) = address_space::check() {
        printer::error(&error.to_string(), Some(error.hint()));
        return Exit::Sandbox.into();
    }
    // Walks of syntax trees recurse deeply. The zygote dies with the thread that starts it, so the thread lives to the
    // end.
    let stack = address_space::stack_bytes(STACK_BYTES, 1);
    match std::thread::Builder::new().stack_size(stack).spawn(|| command_line(arguments)) {
        Ok(thread) => thread.join().unwrap_or(Exit::Internal.into()),
        Err(error) => {
            printer::error(&format!("no thread can be started: {error}"), Some("see `ulimit -a` and free memory"));
            Exit::Internal.into()
        }
    }
}

/// Stack of the thread that runs the command; only the part that is used is committed.
pub const STACK_BYTES: usize = 512 << 20;

fn command_line(arguments: Vec<OsString>) -> Status {
    let parsed = Cli::try_parse_from(arguments);
    if !matches!(parsed, Ok(Cli { command: Command::Train(_) })) {
        undivided_products();
    }
    let ended = match parsed {
        Ok(Cli { command: Command::Run(arguments) }) => run::run(&arguments),
        Ok(Cli { command: Command::Cover(arguments) }) => cover::run(&arguments),
        Ok(Cli { command: Command::Diff(arguments) }) => diff::run(&arguments),
        Ok(Cli { command: Command::Predict(arguments) }) => predict::run(&arguments),
        Ok(Cli { command: Command::Explain(arguments) }) => explain::run(&arguments),
        Ok(Cli { command: Command::Invariants(arguments) }) => invariants::run(&arguments),
        Ok(Cli { command: Command::Trace(arguments) }) => trace::run(*arguments),
        Ok(Cli { command: Command::Train(arguments) }) => train::run(&arguments),
        Ok(Cli { command: Command::Eval(arguments) }) => eval::run(&arguments),
        Ok(Cli { command: Command::Doctor(arguments) }) => doctor::run(&arguments),
        Err(error) => {
            let help = !error.use_stderr();
            let _closed_terminal = error.print();
            Ok(if help { Exit::Success } else { Exit::Usage }.into())
        }
    };
    ended.unwrap_or_else(Refusal::report)
}

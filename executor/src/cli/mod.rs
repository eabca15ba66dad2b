//! The `surmise` command.

mod cover;
mod diff;
mod doctor;
mod eval;
mod model;
mod printer;
mod run;
mod sandbox;
mod script;
mod trace;
mod trace_info;
mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::exit::Exit;
use crate::zygote;

/// Runs Python that cannot be run: missing values are predicted and injected.
#[derive(Parser, Debug)]
#[command(name = "surmise", version, max_term_width = 110, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Exit codes: 0 completed, 1 the snippet raised, 2 bad usage or unreadable input, 3 timeout or killed by a limit,
4 no sandbox, 70 our own failure. `run --plain` and `trace` return the program's own.";

#[derive(Subcommand, Debug)]
enum Command {
    /// Run a snippet and show what happened.
    Run(Box<run::Arguments>),
    /// Run many snippets and tell how much of them was executed.
    Cover(Box<cover::Arguments>),
    /// Tell whether a change of functions changes their behaviour.
    Diff(Box<diff::Arguments>),
    /// Run any command and record what values the modules of a project use.
    Trace(Box<trace::Arguments>),
    /// Learn a predictor from recorded executions.
    Train(train::Arguments),
    /// Measure predictors on recorded executions.
    Eval(eval::Arguments),
    /// Try what this machine allows of the sandbox, and say what to do about the rest.
    Doctor(doctor::Arguments),
}

/// Runs the command line.
#[must_use]
pub fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(zygote::ZYGOTE_ARGUMENT) => return own_code(zygote::serve()),
        Some(zygote::PLAIN_ARGUMENT) => return own_code(zygote::plain()),
        Some(zygote::SCRIPT_ARGUMENT) => return own_code(crate::script::serve()),
        _ => {}
    }
    // Syntax trees are walked recursively. The zygote dies with the thread that starts it, which is this one.
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(command_line);
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(Exit::Internal.into())
}

/// Address space for the walk; committed only as far as it is used.
const STACK_BYTES: usize = 512 << 20;

fn command_line() -> ExitCode {
    match Cli::try_parse() {
        Ok(Cli { command: Command::Run(arguments) }) => run::run(&arguments),
        Ok(Cli { command: Command::Cover(arguments) }) => cover::run(&arguments),
        Ok(Cli { command: Command::Diff(arguments) }) => diff::run(&arguments),
        Ok(Cli { command: Command::Trace(arguments) }) => trace::run(*arguments),
        Ok(Cli { command: Command::Train(arguments) }) => train::run(&arguments),
        Ok(Cli { command: Command::Eval(arguments) }) => eval::run(&arguments),
        Ok(Cli { command: Command::Doctor(arguments) }) => doctor::run(&arguments),
        Err(error) => {
            let help = !error.use_stderr();
            let _closed_terminal = error.print();
            if help { Exit::Success.into() } else { Exit::Usage.into() }
        }
    }
}

fn own_code(code: i32) -> ExitCode {
    // As the shell sees it: the low byte.
    std::process::exit(code & 0xff)
}

//! The `surmise` command.

mod check;
mod completions;
mod config;
mod cover;
mod diff;
mod doctor;
mod eval;
mod explain;
mod invariants;
mod label;
mod llm;
mod lsp;
mod mcp;
mod model;
mod numbers;
mod predict;
mod prepared;
mod printer;
pub mod refusal;
mod run;
mod sandbox;
mod script;
mod serving;
pub mod session;
mod surroundings;
mod trace;
mod trace_info;
mod train;
mod values;
mod version;

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use self::config::nearest_settings;
pub use self::printer::collecting_warnings;
use self::refusal::Refusal;
use surmise_engine::address_space;
use surmise_engine::exit::{Exit, Status};
use surmise_engine::zygote;
use surmise_value_model::t5::undivided_products;

/// Run Python that cannot be run: values that are missing are predicted and injected.
#[derive(Parser, Debug)]
#[command(name = "surmise", version = version::text(), max_term_width = 110, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print results and errors only: no progress and no remarks.
    #[arg(long, short, global = true, help_heading = "Global options")]
    quiet: bool,
    /// When to use colours; `auto` uses them on a terminal and heeds `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    color: ColorChoice,
    /// File with settings, in place of the `surmise.toml` or `pyproject.toml` above what is run.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "isolated", help_heading = "Global options")]
    config: Option<PathBuf>,
    /// Use no file with settings.
    #[arg(long, global = true, help_heading = "Global options")]
    isolated: bool,
}

const AFTER_HELP: &str = "\
Examples:
  surmise run snippet.py                        run a snippet and show what happened
  surmise run --function Class.method file.py   run one function of a file
  surmise cover src                             how much of many files can be executed
  surmise diff --repo . HEAD                    does the last commit change behaviour?
  surmise predict file.py                       which error it raises, and where, before it runs
  surmise predict --orca --llm-url URL --llm-model NAME file.py
                                                what a language model says of a program, beside what it does
  surmise check README.md docs/                 does the Python of the documentation work?
  surmise doctor                                does the sandbox work on this machine?

Exit codes: 0 completed; 1 the snippet raised, or differences were found; 2 bad usage or unreadable input; \
3 timeout, limit or interruption; 4 the sandbox could not be set up; 70 an internal error of Surmise. \
`run --plain` and `trace` return the program's own exit code.";

// The help of a command is the documentation of its arguments, which doc comments on these variants would replace.
#[derive(Subcommand, Debug)]
enum Command {
    Run(Box<run::Arguments>),
    Cover(Box<cover::Arguments>),
    Check(Box<check::Arguments>),
    Diff(Box<diff::Arguments>),
    Predict(Box<predict::Arguments>),
    Explain(Box<explain::Arguments>),
    Invariants(Box<invariants::Arguments>),
    Trace(Box<trace::Arguments>),
    Train(train::Arguments),
    Eval(eval::Arguments),
    Label(label::Arguments),
    Mcp(mcp::Arguments),
    Lsp(lsp::Arguments),
    Doctor(doctor::Arguments),
    Completions(completions::Completions),
    Man(completions::Man),
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
    match std::thread::Builder::new().stack_size(stack).spawn(move || command_line(&arguments)) {
        Ok(thread) => thread.join().unwrap_or(Exit::Internal.into()),
        Err(error) => {
            printer::error(&format!("no thread can be started: {error}"), Some("see `ulimit -a` and free memory"));
            Exit::Internal.into()
        }
    }
}

/// Stack of the thread that runs the command; only the part that is used is committed.
pub const STACK_BYTES: usize = 512 << 20;

/// The definition of the command line.
fn definition() -> clap::Command {
    Cli::command()
}

/// Parses a command line, and adds the settings of the project to it.
fn parsed(arguments: &[OsString]) -> Result<Result<Cli, clap::Error>, Refusal> {
    thread_local! {
        /// Building it takes longer than parsing does. On the heap: a library that is loaded late has little room for what
        /// belongs to threads.
        static DEFINITION: RefCell<Box<clap::Command>> = RefCell::new(Box::new(definition()));
    }
    DEFINITION.with_borrow_mut(|definition| {
        let mut matches = match definition.try_get_matches_from_mut(arguments) {
            Ok(matches) => matches,
            Err(error) => return Ok(Err(error)),
        };
        Ok(match config::with_settings(definition, arguments, &matches)? {
            Some(arguments) => Cli::try_parse_from(arguments),
            None => Cli::from_arg_matches_mut(&mut matches),
        })
    })
}

fn command_line(arguments: &[OsString]) -> Status {
    let parsed = match parsed(arguments) {
        Ok(parsed) => parsed,
        Err(refusal) => return refusal.report(),
    };
    if !matches!(parsed, Ok(Cli { command: Command::Train(_), .. })) {
        undivided_products();
    }
    let ended = match parsed {
        Ok(cli) => {
            printer::set_up(cli.color, cli.quiet);
            run_command(cli.command)
        }
        Err(error) => {
            let help = !error.use_stderr();
            let printed = error.print();
            if help {
                printer::note_failure(printed);
            }
            Ok(if help { Exit::Success } else { Exit::Usage }.into())
        }
    };
    let ended = match printer::unwritten() {
        Some(error) => ended.and(Err(Refusal::bare(format!("cannot write to standard output: {error}")))),
        None => ended,
    };
    ended.unwrap_or_else(Refusal::report)
}

fn run_command(command: Command) -> Result<Status, Refusal> {
    match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Cover(arguments) => cover::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Invariants(arguments) => invariants::run(&arguments),
        Command::Trace(arguments) => trace::run(*arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Label(arguments) => label::run(&arguments),
        Command::Mcp(arguments) => mcp::run(arguments),
        Command::Lsp(arguments) => lsp::run(arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Completions(arguments) => Ok(completions::completions(&arguments)),
        Command::Man(arguments) => completions::man(&arguments),
    }
}

//! `surmise completions` and `surmise man`: what shells and `man` know of the commands, made from their definition.

use std::io;

use clap::Args;
use clap_complete::Shell;

use super::printer;
use super::refusal::Refusal;
use surmise_engine::exit::{Exit, Status};

/// Print a script that lets a shell complete options and files.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS)]
pub(super) struct Completions {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

const COMPLETIONS: &str = "\
Examples:
  surmise completions bash > ~/.local/share/bash-completion/completions/surmise
  surmise completions zsh > ~/.zfunc/_surmise
  surmise completions fish > ~/.config/fish/completions/surmise.fish

Exit codes: 0 printed; 2 bad usage, or standard output cannot be written.";

/// Print the manual page of a command.
#[derive(Args, Debug)]
#[command(after_help = MAN)]
pub(super) struct Man {
    /// The command, such as `cover` (default: the page of `surmise` itself).
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

const MAN: &str = "\
Examples:
  surmise man | man -l -
  surmise man cover > ~/.local/share/man/man1/surmise-cover.1

Exit codes: 0 printed; 2 bad usage, or standard output cannot be written.";

/// Prints the script of a shell.
pub(super) fn completions(arguments: &Completions) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::definition(), "surmise", &mut script);
    printer::data(&String::from_utf8_lossy(&script));
    Exit::Success.into()
}

/// Prints a manual page.
pub(super) fn man(arguments: &Man) -> Result<Status, Refusal> {
    let mut root = super::definition();
    root.build();
    let command = match &arguments.command {
        None => root,
        Some(name) => {
            let unknown = || {
                let names: Vec<&str> = root.get_subcommands().map(clap::Command::get_name).collect();
                Refusal::new(format!("there is no command `{name}`"), format!("the commands are {}", names.join(", ")))
            };
            let found = root.find_subcommand(name).ok_or_else(unknown)?;
            found.clone()
        }
    };
    let mut page = Vec::new();
    let rendered: io::Result<()> = clap_mangen::Man::new(command).render(&mut page);
    rendered.map_err(|error| Refusal::bare(error).with(Exit::Internal))?;
    printer::data(&String::from_utf8_lossy(&page));
    Ok(Exit::Success.into())
}

//! `surmise lsp`: a language server on standard input and output.

use std::io::IsTerminal;

use clap::Args;
use surmise_engine::exit::{Exit, Status};

use super::refusal::Refusal;
use super::{printer, serving};

/// Serve an editor: errors, injected values and coverage, by the Language Server Protocol (stdio).
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    serving: serving::Options,
}

const EXAMPLES: &str = "\
Files are run when they are opened and saved, and a moment after they were changed (large ones only when saved). Errors \
that happen whatever is missing are errors, those that depend on missing values are warnings. `initializationOptions` \
(`runs`, `time`, `timeout`, `debounce`, `largeFile`, `inlayHints`, `codeLenses`, `compareWithHead`) and the set-up of \
editors are in docs/editors.md.

Examples:
  surmise lsp                       as the command of a language server for Python
  surmise lsp --python .venv        with the packages of an environment

Exit codes: 0 the client shut the server down; 1 it ended the connection without that; 2 bad usage, or what came was not \
the protocol; 70 an internal error of Surmise.";

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: Arguments) -> Result<Status, Refusal> {
    if std::io::stdin().is_terminal() {
        printer::note("an editor is to be on standard input; Ctrl-D ends the server");
    }
    let warm = arguments.serving.start()?;
    match surmise_lsp::serve(warm) {
        Ok(true) => Ok(Exit::Success.into()),
        Ok(false) => Ok(Exit::Found.into()),
        Err(error) => Err(Refusal::new(error, "start `surmise lsp` from an editor: docs/editors.md")),
    }
}

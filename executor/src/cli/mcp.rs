//! `surmise mcp`: a server of the Model Context Protocol on standard input and output.

use std::io::IsTerminal;
use std::time::Duration;

use clap::Args;
use surmise_engine::exit::{Exit, Status};
use surmise_mcp::ServeError;
use surmise_serve::{Code, Limits, RunRequest, Stop, Warm};

use super::refusal::Refusal;
use super::{printer, serving};

/// Serve agents: tools that run, compare and explain Python, by the Model Context Protocol (stdio).
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    serving: serving::Options,
}

const EXAMPLES: &str = "\
Tools: `run_snippet`, `run_function`, `compare_versions`, `explain_error`. Code runs in the sandbox, as by `surmise run`; \
a worker process and the model are kept between calls. docs/agents.md has the set-up for agents.

Examples:
  claude mcp add surmise -- surmise mcp               for Claude Code
  surmise mcp --python .venv --allow-read data        with packages, and a folder that programs may read

Exit codes: 0 the client closed the connection; 2 bad usage, or what came was not the protocol; 70 an internal error of \
Surmise.";

/// Runs the command and returns its exit code.
pub(super) fn run(arguments: Arguments) -> Result<Status, Refusal> {
    if std::io::stdin().is_terminal() {
        printer::note("a client of the Model Context Protocol is to be on standard input; Ctrl-D ends the server");
    }
    let warm = arguments.serving.start()?;
    warm_up(&warm);
    match surmise_mcp::serve(warm) {
        Ok(()) => Ok(Exit::Success.into()),
        Err(error @ ServeError::Handshake(_)) => {
            Err(Refusal::new(error, "start `surmise mcp` from a client of the Model Context Protocol: docs/agents.md"))
        }
        Err(error) => Err(Refusal::bare(error).with(Exit::Internal)),
    }
}

/// Starts a worker process and reads the model before the first call. A failure shows again in that call.
fn warm_up(warm: &Warm) {
    let limits = Limits { runs: 1, time: Duration::from_secs(10), timeout: Duration::from_secs(5) };
    let code = Code { name: "<warm-up>".to_owned(), path: None, text: Some("value\n".to_owned()) };
    let request = RunRequest { code, function: None, stdin: String::new(), limits };
    warm.submit(Stop::default(), move |engine, stop| engine.run(&request, stop).map(|_| ()), |_ended| ());
}

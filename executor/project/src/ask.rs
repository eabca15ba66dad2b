//! Asks a program of the machine, such as an interpreter, and does not wait for it too long.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take to answer.
const LIMIT: Duration = Duration::from_secs(30);

/// Standard output of a command that succeeds in time, or else a description of what it did.
///
/// # Errors
/// When the command cannot be started, fails, or does not answer within 30 seconds.
pub fn answer_of(command: &mut Command) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if begin.elapsed() > LIMIT => {
                let _just_gone = child.kill().and_then(|()| child.wait());
                return Err(format!("it does not answer within {} seconds", LIMIT.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    // An answer fits into a pipe's buffer; a command that prints more blocks and runs into the time limit.
    let read = |pipe: Option<&mut dyn Read>| {
        let mut bytes = Vec::new();
        let _nothing_more = pipe.map(|pipe| pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let output = read(child.stdout.as_mut().map(|pipe| pipe as &mut dyn Read));
    if status.success() {
        return Ok(output);
    }
    let errors = read(child.stderr.as_mut().map(|pipe| pipe as &mut dyn Read));
    let last = errors.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
    Err(format!("it fails with {status}{last}"))
}

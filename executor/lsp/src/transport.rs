//! Messages on standard input and output. What comes in is bounded before it is read.

use std::io::{self, BufRead, Read};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::unbounded;
use lsp_server::{Connection, Message};
use surmise_report::visible::visible;

/// Bytes of a message; a source of the largest size fits, with its escapes.
const LONGEST_MESSAGE: usize = 64 << 20;
/// Bytes of the lines in front of a message.
const LONGEST_HEADER: u64 = 4096;

/// Why standard input could not be read on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The lines in front of a message are not those of the protocol.
    #[error("what came on standard input is not the Language Server Protocol: {0}")]
    Header(String),
    /// A message is larger than any that the protocol needs.
    #[error("a message of {0} bytes came on standard input, more than the {LONGEST_MESSAGE} that the server takes")]
    TooLong(usize),
    /// The system failed.
    #[error("standard input cannot be read: {0}")]
    Read(String),
}

/// What became of standard input.
#[derive(Debug, Default)]
pub(crate) struct Input(Arc<Mutex<Option<TransportError>>>);

impl Input {
    /// Why it could not be read on; none where it came to its end.
    pub(crate) fn failure(&self) -> Option<TransportError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A connection over standard input and output. It ends with either of them.
pub(crate) fn stdio() -> (Connection, Input) {
    let (to_server, receiver) = unbounded();
    let (sender, to_client) = unbounded::<Message>();
    let input = Input::default();
    let failure = Arc::clone(&input.0);
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            match read(&mut stdin) {
                Ok(Some(Ok(message))) => {
                    if to_server.send(message).is_err() {
                        return;
                    }
                }
                // A message that is no JSON, or none of the protocol's, has no number that an answer could name.
                Ok(Some(Err(_))) => {}
                Ok(None) => return,
                Err(error) => {
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return;
                }
            }
        }
    });
    std::thread::spawn(move || {
        let mut stdout = io::stdout().lock();
        // A client that no longer reads is gone, and the end of its input says so.
        let _is_gone = to_client.into_iter().try_for_each(|message| message.write(&mut stdout));
    });
    (Connection { sender, receiver }, input)
}

/// The next message, or why it is none; nothing at the end of the input.
fn read(input: &mut impl BufRead) -> Result<Option<Result<Message, serde_json::Error>>, TransportError> {
    let failed = |error: io::Error| TransportError::Read(error.to_string());
    let mut length = None;
    let mut header = (&mut *input).take(LONGEST_HEADER);
    loop {
        let mut line = Vec::new();
        header.read_until(b'\n', &mut line).map_err(failed)?;
        if !line.ends_with(b"\n") {
            return match header.limit() {
                0 => Err(TransportError::Header("the header of a message does not end".to_owned())),
                _ => Ok(None),
            };
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() {
            break;
        }
        let shown = visible(&text.chars().take(60).collect::<String>()).into_owned();
        let (name, value) =
            text.split_once(':').ok_or_else(|| TransportError::Header(format!("`{shown}` is no header")))?;
        if name.eq_ignore_ascii_case("content-length") {
            let number = value.trim().parse::<usize>();
            length = Some(number.map_err(|_| TransportError::Header(format!("`{shown}` has no length")))?);
        }
    }
    let length = length.ok_or_else(|| TransportError::Header("a message has no `Content-Length`".to_owned()))?;
    if length > LONGEST_MESSAGE {
        return Err(TransportError::TooLong(length));
    }
    let mut body = Vec::new();
    let read = input.take(length as u64).read_to_end(&mut body).map_err(failed)?;
    // A client that dies in the middle of a message has said nothing.
    Ok((read == length).then(|| serde_json::from_slice(&body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<bool>, TransportError> {
        let mut input = io::Cursor::new(text.as_bytes());
        let mut read_all = Vec::new();
        while let Some(message) = read(&mut input)? {
            read_all.push(message.is_ok());
        }
        Ok(read_all)
    }

    #[test]
    fn messages_are_read_and_what_is_no_json_is_passed_over() {
        let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let text = format!("Content-Length: 33\r\n\r\n{exit}content-length:2\nContent-Type: x\n\n{{]");
        assert_eq!(all(&text), Ok(vec![true, false]));
        assert_eq!(all("Content-Length: 33\r\n\r\n{}"), Ok(Vec::new()));
        assert_eq!(all(""), Ok(Vec::new()));
    }

    #[test]
    fn what_is_not_the_protocol_is_an_error() {
        let header = |text: &str| Err(TransportError::Header(text.to_owned()));
        assert_eq!(all("hello\n"), header("`hello` is no header"));
        assert_eq!(all("\r\n{}"), header("a message has no `Content-Length`"));
        assert_eq!(all("Content-Length: -1\r\n\r\n"), header("`Content-Length: -1` has no length"));
        assert_eq!(all(&"a: b\n".repeat(1000)), header("the header of a message does not end"));
        assert_eq!(all("Content-Length: 99999999999\r\n\r\n"), Err(TransportError::TooLong(99_999_999_999)));
    }
}

//! Answers as they arrive: server-sent events, or one JSON object, up to a size.

use std::io::{BufRead, BufReader, ErrorKind, Read};

use ureq::Timeout;

use crate::error::LlmError;
use crate::wire::{Chunk, Completion};

/// Bytes of an answer that are read at most.
pub(crate) const MOST_BYTES: u64 = 4 << 20;

/// Reads a stream of server-sent events (WHATWG HTML, section 9.2) with chunks of a completion.
///
/// # Errors
/// [`LlmError::Broken`] where it ends early, [`LlmError::TooLarge`], [`LlmError::NotACompletion`], [`LlmError::Timeout`].
pub(crate) fn events(body: impl Read) -> Result<Completion, LlmError> {
    let mut lines = BufReader::new(body.take(MOST_BYTES + 1));
    let (mut read, mut line, mut data) = (0, Vec::new(), String::new());
    // A page of something else is not asked for again.
    let (mut has_events, mut has_text) = (false, false);
    let mut completion = Completion::default();
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line).map_err(|error| broken(&error))?;
        read += length as u64;
        if read > MOST_BYTES {
            return Err(LlmError::TooLarge { limit: MOST_BYTES });
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r']);
        has_text |= !text.is_empty() && !text.starts_with(':');
        if let Some(value) = text.strip_prefix("data:") {
            has_events = true;
            if !data.is_empty() {
                data.push('\n');
            }
            data.push_str(value.strip_prefix(' ').unwrap_or(value));
        }
        if (text.is_empty() || length == 0) && !data.is_empty() {
            if data == "[DONE]" {
                return Ok(completion);
            }
            completion.add(chunk(data.as_bytes())?);
            data.clear();
        }
        if length == 0 {
            // Some servers close the connection instead of saying that they are done.
            return match completion.finish_reason {
                Some(_) => Ok(completion),
                None if has_text && !has_events => {
                    Err(LlmError::NotACompletion { message: "it has no events".to_owned() })
                }
                None => Err(LlmError::Broken { message: "it ended before its end".to_owned() }),
            };
        }
    }
}

/// Reads the answer of a server that does not stream.
///
/// # Errors
/// As [`events`].
pub(crate) fn whole(body: impl Read) -> Result<Completion, LlmError> {
    let mut data = Vec::new();
    body.take(MOST_BYTES + 1).read_to_end(&mut data).map_err(|error| broken(&error))?;
    if data.len() as u64 > MOST_BYTES {
        return Err(LlmError::TooLarge { limit: MOST_BYTES });
    }
    let mut completion = Completion::default();
    completion.add(chunk(&data)?);
    if completion.finish_reason.is_none() && completion.text.is_empty() {
        return Err(LlmError::NotACompletion { message: "it has no choices".to_owned() });
    }
    Ok(completion)
}

fn chunk(data: &[u8]) -> Result<Chunk, LlmError> {
    let chunk: Chunk =
        serde_json::from_slice(data).map_err(|error| LlmError::NotACompletion { message: format!("{error}") })?;
    match &chunk.error {
        Some(error) if !error.is_null() => {
            let message = error.get("message").and_then(|text| text.as_str()).unwrap_or("an error");
            Err(LlmError::Broken { message: message.to_owned() })
        }
        _ => Ok(chunk),
    }
}

/// What went wrong while an answer was read.
fn broken(error: &std::io::Error) -> LlmError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
        Some(ureq::Error::Timeout(timeout)) => LlmError::Timeout { phase: phase(*timeout) },
        _ if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
            LlmError::Timeout { phase: phase(Timeout::PerRead) }
        }
        _ => LlmError::Broken { message: error.to_string() },
    }
}

/// What took too long.
pub(crate) fn phase(timeout: Timeout) -> &'static str {
    match timeout {
        Timeout::Resolve | Timeout::Connect => "no connection was made",
        Timeout::PerWrite | Timeout::SendRequest | Timeout::SendBody => "it did not take the question",
        Timeout::PerRead | Timeout::RecvResponse => "it fell silent",
        _ => "its answer did not end",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a stream, or what is wrong with it.
    fn text(stream: &str) -> String {
        events(stream.as_bytes()).map_or_else(|error| error.to_string(), |completion| completion.text)
    }

    #[test]
    fn pieces_are_put_together() {
        let stream = ": hello\r\n\r\nevent: message\r\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\r\n\r\n\
                      data:{\"choices\":[{\"delta\":{\"content\":\"on\"}}]}\n\n\
                      data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\n\
                      data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"e\"},\"finish_reason\":\"stop\"}]}\n\n\
                      data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\nrest";
        let completion = events(stream.as_bytes()).expect("it is whole");
        assert_eq!((completion.text.as_str(), completion.finish_reason.as_deref()), ("one", Some("stop")));
        assert_eq!(completion.usage.map(|usage| (usage.prompt_tokens, usage.completion_tokens)), Some((7, 2)));
        let closed = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}";
        assert_eq!(text(closed), "a", "closed instead of `[DONE]`");
    }

    #[test]
    fn what_is_no_whole_answer_is_refused() {
        let broken = "the answer of the language model server broke off: it ended before its end";
        assert_eq!(text("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"), broken);
        assert_eq!(text(""), broken);
        assert_eq!(
            text("data: {\"error\":{\"message\":\"overloaded\"}}\n\n"),
            "the answer of the language model server broke off: overloaded"
        );
        assert!(text("data: nonsense\n\n").contains("not a chat completion"));
        assert!(text("<html>\n<p>Welcome</p>\n</html>\n").contains("not a chat completion: it has no events"));
        assert_eq!(text(": processing\n\n"), broken, "a comment keeps the connection open");
        let endless = std::io::repeat(b'a');
        assert!(matches!(events(endless), Err(LlmError::TooLarge { limit: MOST_BYTES })));
        assert!(matches!(whole(std::io::repeat(b' ')), Err(LlmError::TooLarge { .. })));
        assert!(matches!(whole(&b"{}"[..]), Err(LlmError::NotACompletion { .. })));
        assert!(matches!(whole(&b"[1]"[..]), Err(LlmError::NotACompletion { .. })));
    }
}

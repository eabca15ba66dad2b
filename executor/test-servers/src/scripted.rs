//! A server of OpenAI's protocol of chat completions on the loopback interface, which answers what a test tells it to,
//! well or badly, and keeps what it was asked.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

/// What the server does with one request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Streams this text in small pieces, and tells the number of tokens.
    Streamed(String),
    /// Sends this text as one JSON object, as a server does that does not stream.
    Whole(String),
    /// Answers with a status, further header lines and a body.
    Status(u16, &'static str, String),
    /// Sends this stream of events as it is and closes the connection.
    Events(String),
    /// Sends a stream of this many bytes without an end of line.
    Flood(usize),
    /// Says nothing and keeps the connection open for so long.
    Silence(Duration),
    /// Starts to answer, then says nothing for so long.
    Stall(Duration),
    /// Closes the connection without a word.
    Close,
}

/// A request that the server got.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Request line and headers.
    pub head: String,
    /// The body.
    pub body: Value,
}

impl Asked {
    /// Text of the last message.
    #[must_use]
    pub fn user(&self) -> &str {
        self.body["messages"].as_array().and_then(|all| all.last()?["content"].as_str()).unwrap_or_default()
    }
}

#[derive(Default)]
struct State {
    replies: VecDeque<Reply>,
    asked: Vec<Asked>,
}

/// A running server. Its thread ends with the process.
pub struct Server {
    address: SocketAddr,
    is_secure: bool,
    state: Arc<Mutex<State>>,
}

impl Server {
    /// Starts a server that gives these replies in turn; what comes after them is answered with status 404.
    ///
    /// # Panics
    /// When no port can be had.
    #[must_use]
    pub fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::serve(replies, None)
    }

    /// The same behind TLS, with a certificate that nobody trusts.
    ///
    /// # Panics
    /// When no port or certificate can be had.
    #[must_use]
    pub fn start_secure(replies: impl IntoIterator<Item = Reply>) -> Self {
        let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the provider has them")
            .with_no_client_auth()
            .with_single_cert(vec![certified.cert.der().clone()], key)
            .expect("they belong together");
        Self::serve(replies, Some(Arc::new(config)))
    }

    fn serve(replies: impl IntoIterator<Item = Reply>, config: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of the loopback interface");
        let address = listener.local_addr().expect("it is bound");
        let state = Arc::new(Mutex::new(State { replies: replies.into_iter().collect(), asked: Vec::new() }));
        let (shared, is_secure) = (Arc::clone(&state), config.is_some());
        std::thread::spawn(move || {
            for connection in listener.incoming().filter_map(Result::ok) {
                let (shared, config) = (Arc::clone(&shared), config.clone());
                // Clients hang up in the middle: tests do that on purpose.
                std::thread::spawn(move || {
                    let _hung_up = match config.map(ServerConnection::new) {
                        None => Self::answer(connection, &shared),
                        Some(Ok(secure)) => Self::answer(StreamOwned::new(secure, connection), &shared),
                        Some(Err(_)) => Ok(()),
                    };
                });
            }
        });
        Self { address, is_secure, state }
    }

    /// Base address, for `--llm-url`.
    #[must_use]
    pub fn url(&self) -> String {
        let (scheme, host) = if self.is_secure { ("https", "localhost") } else { ("http", "127.0.0.1") };
        format!("{scheme}://{host}:{}/v1", self.address.port())
    }

    /// What was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        locked(&self.state).asked.clone()
    }

    fn answer(connection: impl Read + Write, state: &Mutex<State>) -> io::Result<()> {
        let mut connection = BufReader::new(connection);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            connection.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        connection.read_exact(&mut body)?;
        let reply = {
            let mut state = locked(state);
            state.asked.push(Asked { head, body: serde_json::from_slice(&body).unwrap_or_default() });
            state.replies.pop_front().unwrap_or_else(|| Reply::Status(404, "", "the script is over".to_owned()))
        };
        send(connection.get_mut(), reply)
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fn send(to: &mut impl Write, reply: Reply) -> io::Result<()> {
    match reply {
        Reply::Streamed(text) => {
            to.write_all(STREAM.as_bytes())?;
            let letters: Vec<char> = text.chars().collect();
            for piece in letters.chunks(7) {
                let delta = json!({"content": piece.iter().collect::<String>()});
                event(to, &json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))?;
            }
            event(to, &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))?;
            event(to, &json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 50}}))?;
            to.write_all(b"data: [DONE]\n\n")?;
        }
        Reply::Whole(text) => {
            let choice =
                json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
            let usage = json!({"prompt_tokens": 100, "completion_tokens": 50});
            let body = json!({"choices": [choice], "usage": usage}).to_string();
            status(to, 200, "content-type: application/json\r\n", &body)?;
        }
        Reply::Status(number, headers, body) => status(to, number, headers, &body)?,
        Reply::Events(stream) => {
            to.write_all(STREAM.as_bytes())?;
            to.write_all(stream.as_bytes())?;
        }
        Reply::Flood(bytes) => {
            to.write_all(STREAM.as_bytes())?;
            let piece = vec![b'a'; 1 << 16];
            for _ in 0..bytes.div_ceil(piece.len()) {
                to.write_all(&piece)?;
            }
        }
        Reply::Silence(time) => sleep(time),
        Reply::Stall(time) => {
            to.write_all(STREAM.as_bytes())?;
            event(to, &json!({"choices": [{"index": 0, "delta": {"content": "well"}}]}))?;
            to.flush()?;
            sleep(time);
        }
        Reply::Close => {}
    }
    to.flush()
}

fn event(to: &mut impl Write, data: &Value) -> io::Result<()> {
    write!(to, "data: {data}\n\n")
}

fn status(to: &mut impl Write, number: u16, headers: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(to, "HTTP/1.1 {number} Scripted\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

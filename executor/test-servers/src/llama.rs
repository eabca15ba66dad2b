//! A real llama.cpp server with a model of random weights: it proves the protocol, and nothing about answers.
//!
//! `./dev llm` installs the server and makes the model (`scripts/test-llm.sh`); tests that use it are ignored otherwise.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Environment variable with the Python interpreter in whose environment the server is installed.
const PYTHON: &str = "SURMISE_LLAMA_PYTHON";
/// Environment variable with the model, a GGUF file.
const MODEL: &str = "SURMISE_LLAMA_MODEL";
/// Time until the server must accept connections.
const START: Duration = Duration::from_mins(1);

/// A running server; it is killed when the value is dropped.
pub struct Llama {
    process: Child,
    port: u16,
}

impl Llama {
    /// Starts a server on a free port and waits until it accepts connections.
    ///
    /// # Panics
    /// When the environment does not say where server and model are, or the server does not start.
    #[must_use]
    pub fn start() -> Self {
        let variable =
            |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: use `./dev llm`"));
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
        let port = free.port();
        let process = Command::new(variable(PYTHON))
            .args(["-m", "llama_cpp.server", "--host", "127.0.0.1", "--port", &port.to_string()])
            .args(["--model", &variable(MODEL), "--n_ctx", "8192", "--n_threads", "1", "--chat_format", "chatml"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begin.elapsed() < START, "the server does not accept connections");
            sleep(Duration::from_millis(100));
        }
        Self { process, port }
    }

    /// Base address, for `--llm-url`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Kills the server, in the middle of whatever it does.
    pub fn kill(&mut self) {
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        self.kill();
    }
}

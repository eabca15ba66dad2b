//! A real llama.cpp server with a model of random weights: it proves the protocol, and nothing about answers.
//!
//! `scripts/test-llm.sh` installs the server and makes the model before it runs the tests that use them.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

/// Environment variable with the Python interpreter in whose environment the server is installed.
const PYTHON: &str = "SURMISE_LLAMA_PYTHON";
/// Environment variable with the model, a GGUF file.
const MODEL: &str = "SURMISE_LLAMA_MODEL";
/// The program that serves the model.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/llama_server.py");

/// A running server; it is killed when the value is dropped.
pub struct Llama {
    process: Child,
    port: u16,
}

impl Llama {
    /// Starts a server on a free port and waits until it has loaded the model.
    ///
    /// # Panics
    /// When the environment does not say where server and model are, or the server does not start.
    #[must_use]
    pub fn start() -> Self {
        let variable =
            |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: use `./dev llm`"));
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
        let port = free.port();
        let mut process = Command::new(variable(PYTHON))
            .args([SCRIPT, &variable(MODEL), &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut ready = String::new();
        let output = process.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut ready).expect("the output of the server can be read");
        assert!(ready.ends_with('\n'), "the server did not start");
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

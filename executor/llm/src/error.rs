//! Why a question has no answer.

use std::time::Duration;

/// Why a question has no answer. No message holds the key.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LlmError {
    /// The address of the server is none.
    #[error("`{url}` is not the address of a language model server: {problem}")]
    Address {
        /// As it was given.
        url: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The server cannot be reached, or the connection broke before an answer came.
    #[error("the language model server at `{url}` cannot be reached: {message}")]
    Unreachable {
        /// Address of the server.
        url: String,
        /// What the system said.
        message: String,
    },
    /// No secure connection could be made.
    #[error("no secure connection to the language model server at `{url}`: {message}")]
    Tls {
        /// Address of the server.
        url: String,
        /// What is wrong.
        message: String,
    },
    /// The server kept silent, or did not come to an end.
    #[error("the language model server did not answer in time: {phase}")]
    Timeout {
        /// What took too long.
        phase: &'static str,
    },
    /// The server asks for patience (429), or failed (5xx).
    #[error("the language model server answered with status {status}: {message}")]
    Busy {
        /// HTTP status.
        status: u16,
        /// First characters of what it said.
        message: String,
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// The server refuses the question.
    #[error("the language model server refused the question with status {status}: {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// First characters of what it said.
        message: String,
    },
    /// The answer ended before its end.
    #[error("the answer of the language model server broke off: {message}")]
    Broken {
        /// How it ended.
        message: String,
    },
    /// The answer is larger than is read.
    #[error("the language model server sent more than {limit} bytes")]
    TooLarge {
        /// Bytes that are read at most.
        limit: u64,
    },
    /// The answer is no chat completion.
    #[error("the answer of the language model server is not a chat completion: {message}")]
    NotACompletion {
        /// What is wrong.
        message: String,
    },
    /// The question would exceed a limit of the run.
    #[error("the question was not sent: it could exceed the limit of {limit}")]
    OverLimit {
        /// The limit, with its unit.
        limit: String,
    },
}

impl LlmError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Address { .. } => {
                "--llm-url takes the base address of an OpenAI-compatible server, such as http://localhost:8080/v1"
            }
            Self::Unreachable { .. } => "start the server, and see that --llm-url has its address and port",
            Self::Tls { .. } => {
                "the certificate must be valid for the host and signed by an authority that this system trusts \
                 (SSL_CERT_FILE adds one); a server without TLS has an address with http://"
            }
            Self::Timeout { .. } => "raise --llm-timeout, or ask a smaller model",
            Self::Busy { .. } | Self::Broken { .. } => "try again later: answers that came are in the cache",
            Self::Refused { status: 401 | 403, .. } => "set SURMISE_LLM_KEY to a key that the server accepts",
            Self::Refused { status: 404, .. } => {
                "see that --llm-url ends as the server wants it (often /v1), and --llm-model"
            }
            Self::Refused { .. } => {
                "see that --llm-model names a model of the server, and that its context is large enough"
            }
            Self::TooLarge { .. } | Self::NotACompletion { .. } => {
                "the server must speak the OpenAI protocol: POST /chat/completions"
            }
            Self::OverLimit { .. } => "raise --llm-requests, --llm-tokens or --llm-cost, or give less to ask about",
        }
    }

    /// True if the same question may be answered when it is asked again.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Busy { .. } | Self::Broken { .. })
    }
}

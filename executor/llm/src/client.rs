//! The client: questions are sent, answers are read, within limits.

use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use backon::{BackoffBuilder, ExponentialBuilder};
use rustls::crypto::ring;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use ureq::http::{HeaderMap, Response};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};

use crate::budget::{Limits, Prices, Spent};
use crate::cache::Cache;
use crate::endpoint::Endpoint;
use crate::error::LlmError;
use crate::question::{Answer, Question, TOKEN_BYTES, Usage};
use crate::stream;
use crate::wire::{Completion, Extensions, SchemaForm, request};

/// How often a question is sent again, and how long is waited before.
const RETRIES: usize = 4;
const FIRST_DELAY: Duration = Duration::from_millis(500);
/// A server that asks for more patience is not asked again.
const MOST_PATIENCE: Duration = Duration::from_mins(1);
/// Bytes that are read of a refusal.
const REFUSAL: u64 = 16 << 10;

/// What is done before a question is sent again: why, and how long is waited.
type Notice = Box<dyn Fn(&LlmError, Duration) + Send + Sync>;

/// Asks one endpoint, within limits that hold for all questions together. Shared by threads.
pub struct Client {
    endpoint: Endpoint,
    agent: Agent,
    limits: Limits,
    prices: Prices,
    cache: Option<Cache>,
    notice: Option<Notice>,
    state: Mutex<State>,
}

/// What the questions so far have left.
struct State {
    spent: Spent,
    extensions: Extensions,
}

/// Servers are trusted that the system trusts.
fn tls() -> TlsConfig {
    let provider = Arc::new(ring::default_provider());
    TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).unversioned_rustls_crypto_provider(provider).build()
}

impl Client {
    /// A client for an endpoint. Nothing is sent before the first question.
    #[must_use]
    pub fn new(endpoint: Endpoint, limits: Limits, prices: Prices, cache: Option<Cache>) -> Self {
        let timeouts = endpoint.timeouts;
        let proxy = if endpoint.is_loopback { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .proxy(proxy)
            .http_status_as_error(false)
            // The key goes to no other server.
            .max_redirects(0)
            .timeout_connect(Some(timeouts.connect))
            .timeout_recv_response(Some(timeouts.silence))
            .timeout_per_read(Some(timeouts.silence))
            .timeout_global(Some(timeouts.answer))
            .tls_config(tls())
            .build();
        let extensions = Extensions { schema: SchemaForm::JsonSchema, usage: true };
        let state = Mutex::new(State { spent: Spent::default(), extensions });
        Self { endpoint, agent: config.into(), limits, prices, cache, notice: None, state }
    }

    /// The client with something that is done before each retry.
    #[must_use]
    pub fn with_notice(self, notice: impl Fn(&LlmError, Duration) + Send + Sync + 'static) -> Self {
        Self { notice: Some(Box::new(notice)), ..self }
    }

    /// The endpoint that is asked.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What may be spent.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What the questions so far have spent.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.locked().spent
    }

    /// Asks a question: the cache, then the server. Failures that pass are waited for, for as long as the server asks.
    ///
    /// # Errors
    /// Every [`LlmError`] but [`LlmError::Address`]. An answer that cannot be kept in the cache is no error.
    pub fn ask(&self, question: &Question) -> Result<Answer, LlmError> {
        if let Some(answer) = self.cache.as_ref().and_then(|cache| cache.find(&self.endpoint.name(), question)) {
            self.locked().spent.cached += 1;
            return Ok(answer);
        }
        let mut delays =
            ExponentialBuilder::new().with_min_delay(FIRST_DELAY).with_max_times(RETRIES).with_jitter().build();
        let mut failure = None;
        let answer = loop {
            let error = match self.send(question) {
                Ok(answer) => break answer,
                // A limit that ends the retries is not why there is no answer.
                Err(LlmError::OverLimit { limit }) => {
                    return Err(failure.unwrap_or(LlmError::OverLimit { limit }));
                }
                Err(error) => error,
            };
            let Some(delay) = delays.next().filter(|_| error.is_passing()) else { return Err(error) };
            let wanted = if let LlmError::Busy { retry_after, .. } = &error { *retry_after } else { None };
            if wanted.is_some_and(|wanted| wanted > MOST_PATIENCE) {
                return Err(error);
            }
            let delay = wanted.map_or(delay, |wanted| wanted.max(delay));
            if let Some(notice) = &self.notice {
                notice(&error, delay);
            }
            sleep(delay);
            failure = Some(error);
        };
        if let Some(cache) = &self.cache {
            let _asked_again_then = cache.keep(&self.endpoint.name(), question, &answer);
        }
        Ok(answer)
    }

    /// Sends a question once; a server that refuses an extension of the protocol is asked again without it.
    fn send(&self, question: &Question) -> Result<Answer, LlmError> {
        let mut extensions = self.locked().extensions;
        let mut refusal = None;
        loop {
            self.reserve(question).map_err(|limit| refusal.take().unwrap_or(limit))?;
            let response = self.post(question, extensions).inspect_err(|error| {
                // A server that is too slow may have worked on it.
                if !matches!(error, LlmError::Timeout { .. }) {
                    self.release(question);
                }
            })?;
            let status = response.status().as_u16();
            if response.status().is_success() {
                // What broke off was paid for, too.
                let completion = completion(response).map_err(|error| self.cleaned(error))?;
                self.release(question);
                self.locked().extensions = extensions;
                return Ok(self.answer(question, &completion));
            }
            self.release(question);
            let retry_after = retry_after(response.headers());
            let mut said = Vec::new();
            let _as_far_as_it_goes = std::io::Read::read_to_end(
                &mut std::io::Read::take(response.into_body().into_reader(), REFUSAL),
                &mut said,
            );
            let message = self.endpoint.message(&String::from_utf8_lossy(&said));
            let is_refused = refuses(status, &message);
            if is_refused && question.schema.is_some() && extensions.schema != SchemaForm::None {
                extensions.schema = extensions.schema.next();
            } else if is_refused && extensions.usage {
                extensions.usage = false;
            } else {
                return Err(match status {
                    408 | 409 | 425 | 429 | 500.. => LlmError::Busy { status, message, retry_after },
                    _ => LlmError::Refused { status, message },
                });
            }
            refusal = Some(LlmError::Refused { status, message });
        }
    }

    /// Counts a request with the most that it can use up, so that questions of other threads cannot use it, too.
    fn reserve(&self, question: &Question) -> Result<(), LlmError> {
        let spent = &mut self.locked().spent;
        spent.allows(question.most(), &self.limits, &self.prices)?;
        spent.requests += 1;
        spent.add(question.most(), &self.prices);
        Ok(())
    }

    /// Takes back what was reserved, but for the request.
    fn release(&self, question: &Question) {
        self.locked().spent.remove(question.most(), &self.prices);
    }

    fn post(&self, question: &Question, extensions: Extensions) -> Result<Response<Body>, LlmError> {
        let body = request(&self.endpoint.model, question, extensions).to_string();
        let mut post = self
            .agent
            .post(format!("{}/chat/completions", self.endpoint.url))
            .header(CONTENT_TYPE, "application/json")
            .header("accept", "text/event-stream, application/json");
        if let Some(key) = &self.endpoint.key {
            post = post.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        post.send(body).map_err(|error| self.unanswered(&error))
    }

    fn answer(&self, question: &Question, completion: &Completion) -> Answer {
        let estimate =
            || Usage { completion_tokens: (completion.text.len() / TOKEN_BYTES) as u64 + 1, ..question.most() };
        let usage = completion.usage.filter(|usage| usage.total() > 0).unwrap_or_else(estimate);
        self.locked().spent.add(usage, &self.prices);
        // A server may repeat the key that it was sent.
        let text = self.endpoint.without_key(&completion.text);
        let is_cut = completion.finish_reason.as_deref() == Some("length");
        Answer { text, usage, is_cut, is_cached: false }
    }

    /// Why no response came at all.
    fn unanswered(&self, error: &ureq::Error) -> LlmError {
        let url = self.endpoint.url.clone();
        let message = self.endpoint.message(&error.to_string());
        let is_tls = |error: &std::io::Error| {
            let inner = error.get_ref();
            inner.is_some_and(|inner| inner.to_string().contains("certificate") || inner.to_string().contains("TLS"))
                || error.kind() == std::io::ErrorKind::InvalidData
        };
        match error {
            ureq::Error::Timeout(timeout) => LlmError::Timeout { phase: stream::phase(*timeout) },
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) => LlmError::Tls { url, message },
            ureq::Error::Io(error) if is_tls(error) => LlmError::Tls { url, message },
            ureq::Error::Http(_) | ureq::Error::BadUri(_) => LlmError::Address { url, problem: "it cannot be asked" },
            _ => LlmError::Unreachable { url, message },
        }
    }

    /// An error whose text is the server's, without the key.
    fn cleaned(&self, error: LlmError) -> LlmError {
        match error {
            LlmError::Broken { message } => LlmError::Broken { message: self.endpoint.message(&message) },
            LlmError::NotACompletion { message } => {
                LlmError::NotACompletion { message: self.endpoint.message(&message) }
            }
            error => error,
        }
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, State> {
        // Nothing panics while it is held; counts would be right even then.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn completion(response: Response<Body>) -> Result<Completion, LlmError> {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_whole = kind.starts_with("application/json");
    let body = response.into_body().into_reader();
    if is_whole { stream::whole(body) } else { stream::events(body) }
}

/// How long a server asks to be left alone, in seconds or until a date (RFC 9110, section 10.2.3).
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    match text.parse() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok(),
    }
}

/// True for the statuses with which servers refuse a field that they do not know; llama.cpp's Python server fails with 500.
fn refuses(status: u16, message: &str) -> bool {
    matches!(status, 400 | 415 | 422 | 501) || (status == 500 && message.contains("validation error"))
}

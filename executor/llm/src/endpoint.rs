//! Where the model is: address, name, key.

use std::fmt;
use std::net::Ipv4Addr;
use std::time::Duration;

use ureq::http::Uri;

use crate::error::LlmError;

/// Environment variable with the server's key, if it wants one. The key is taken from nowhere else.
pub const KEY_VARIABLE: &str = "SURMISE_LLM_KEY";

/// How long a server may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// To connect.
    pub connect: Duration,
    /// Between two pieces of an answer.
    pub silence: Duration,
    /// For a whole answer.
    pub answer: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let [connect, silence, answer] = [10, 60, 300].map(Duration::from_secs);
        Self { connect, silence, answer }
    }
}

/// A model behind an OpenAI-compatible server.
#[derive(Clone)]
pub struct Endpoint {
    /// Base address, without a slash at the end.
    pub(crate) url: String,
    /// Name of the model, as the server knows it.
    pub(crate) model: String,
    pub(crate) key: Option<String>,
    pub(crate) timeouts: Timeouts,
    /// It is this machine: no proxy is asked.
    pub(crate) is_loopback: bool,
}

/// Without the key.
impl fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Endpoint").field("url", &self.url).field("model", &self.model).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint by its base address, such as `https://host/v1`.
    ///
    /// # Errors
    /// [`LlmError::Address`] for what is no address of a server, holds a password, or would send a key in clear text to
    /// another machine.
    pub fn new(url: &str, model: &str, key: Option<String>, timeouts: Timeouts) -> Result<Self, LlmError> {
        let key = key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        let bare = url.trim_end_matches('/');
        // A password must not come back in messages.
        let shown = if bare.contains('@') { "(an address with a password)" } else { bare };
        let wrong = |problem| Err(LlmError::Address { url: shown.to_owned(), problem });
        let Ok(parsed) = bare.parse::<Uri>() else { return wrong("it cannot be parsed") };
        let Some(host) = parsed.host() else { return wrong("it has no host") };
        // By its address: `127.0.0.1.example.org` is another machine.
        let is_address = || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
        let is_loopback = matches!(host, "localhost" | "[::1]") || is_address();
        match parsed.scheme_str() {
            _ if bare.contains('@') => wrong("the key belongs into the environment variable SURMISE_LLM_KEY"),
            _ if parsed.query().is_some() => wrong("it must not have a query"),
            Some("http") if key.is_some() && !is_loopback => wrong("a key is sent to other machines over https only"),
            Some("http" | "https") => {
                Ok(Self { url: bare.to_owned(), model: model.to_owned(), key, timeouts, is_loopback })
            }
            _ => wrong("it must start with http:// or https://"),
        }
    }

    /// Differs from that of any other model or server.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.url, self.model)
    }

    /// Name of the model, as the server knows it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Base address of the server.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A text of the server without the key, if the server repeats it.
    pub(crate) fn without_key(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| text.replace(key.as_str(), "***"))
    }

    /// The same, cut to a length that a message can have.
    pub(crate) fn message(&self, text: &str) -> String {
        const MOST: usize = 300;
        let text = self.without_key(text);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown: String = line.chars().filter(|letter| !letter.is_control()).take(MOST).collect();
        if shown.is_empty() { "no explanation".to_owned() } else { shown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str, key: Option<&str>) -> Result<Endpoint, LlmError> {
        Endpoint::new(url, "m", key.map(str::to_owned), Timeouts::default())
    }

    #[test]
    fn addresses_are_checked() {
        assert_eq!(
            endpoint("http://localhost:8080/v1/", Some("k")).expect("it is fine").url(),
            "http://localhost:8080/v1"
        );
        assert_eq!(endpoint("https://host/v1", Some(" \n")).expect("it is fine").key, None);
        endpoint("http://host/v1", None).expect("there is no key to lose");
        for (url, key) in [
            ("localhost:8080", None),
            ("ftp://host", None),
            ("http://", None),
            ("http://host/v1?key=1", None),
            ("http://host/v1", Some("k")),
            ("http://127.example.org/v1", Some("k")),
            ("http://127.0.0.1.example.org/v1", Some("k")),
            ("https://me:secret@host/v1", None),
        ] {
            let error = endpoint(url, key).expect_err(url).to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn the_key_is_in_no_text() {
        let endpoint = endpoint("https://host/v1", Some("sk-1234")).expect("it is fine");
        assert!(!format!("{endpoint:?}").contains("sk-1234"));
        assert_eq!(endpoint.message("bad key\r\n sk-1234\u{7}!"), "bad key ***!");
        assert_eq!(endpoint.message(&"a".repeat(5000)).len(), 300);
        assert_eq!(endpoint.message("\n"), "no explanation");
    }
}

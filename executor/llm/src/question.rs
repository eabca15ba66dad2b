//! A question and its answer.

use serde::{Deserialize, Serialize};

/// Bytes of a token, for estimates: text of programs has three to four.
pub(crate) const TOKEN_BYTES: usize = 3;

/// Tokens of a question and its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the question.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    #[serde(default)]
    pub completion_tokens: u64,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

/// One question.
#[derive(Clone, Debug)]
pub struct Question {
    /// What the model is to do.
    pub system: String,
    /// What it is to do it with.
    pub user: String,
    /// Tokens of the answer at most.
    pub most_tokens: u32,
    /// The form of the answer, which servers keep to if they can.
    pub schema: Option<Schema>,
}

impl Question {
    /// An upper estimate of the tokens of question and answer.
    pub(crate) fn most(&self) -> Usage {
        let prompt_tokens = ((self.system.len() + self.user.len()) / TOKEN_BYTES) as u64 + 16;
        Usage { prompt_tokens, completion_tokens: self.most_tokens.into() }
    }
}

/// A JSON schema that an answer is to fulfil.
#[derive(Clone, Debug)]
pub struct Schema {
    /// Its name, for the server.
    pub name: &'static str,
    /// The schema.
    pub schema: serde_json::Value,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What the model wrote.
    pub text: String,
    /// Tokens, as the server counts them; estimated where it does not.
    pub usage: Usage,
    /// The answer was cut at its limit of tokens.
    pub is_cut: bool,
    /// It came from the cache.
    pub is_cached: bool,
}

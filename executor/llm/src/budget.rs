//! What a run may spend on questions, and what it has spent.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::LlmError;
use crate::question::Usage;

/// Most that one run may spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Requests, retries included.
    pub requests: u32,
    /// Tokens of questions and answers together.
    pub tokens: u64,
    /// Cost in the currency of the prices; `None` for no limit.
    pub cost: Option<f64>,
}

/// Prices of a server, per million tokens, in any one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// Of questions.
    pub input: f64,
    /// Of answers.
    pub output: f64,
}

impl Prices {
    /// Cost of some tokens.
    #[must_use]
    pub fn cost(&self, usage: Usage) -> f64 {
        (usage.prompt_tokens as f64 * self.input + usage.completion_tokens as f64 * self.output) / 1e6
    }
}

/// What a run has spent so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Requests that were sent, retries included.
    pub requests: u32,
    /// Questions that the cache answered.
    pub cached: u32,
    /// Tokens of the questions, as the server counts them (estimated where it does not).
    pub prompt_tokens: u64,
    /// Tokens of the answers.
    pub completion_tokens: u64,
    /// Their cost by the given prices.
    pub cost: f64,
}

impl fmt::Display for Limits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "at most {} requests, {} tokens", self.requests, self.tokens)?;
        self.cost.map_or(Ok(()), |cost| write!(out, ", a cost of {cost}"))
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = self.prompt_tokens.saturating_add(self.completion_tokens);
        write!(out, "{} requests, {} answers from the cache, {tokens} tokens", self.requests, self.cached)?;
        if self.cost > 0.0 { write!(out, ", a cost of {:.4}", self.cost) } else { Ok(()) }
    }
}

impl Spent {
    /// Whether another request may be sent that uses up to `most`.
    ///
    /// # Errors
    /// [`LlmError::OverLimit`] with the limit that it could exceed.
    pub(crate) fn allows(&self, most: Usage, limits: &Limits, prices: &Prices) -> Result<(), LlmError> {
        let over = |limit: String| Err(LlmError::OverLimit { limit });
        if self.requests >= limits.requests {
            return over(format!("{} requests", limits.requests));
        }
        let tokens = self.prompt_tokens.saturating_add(self.completion_tokens).saturating_add(most.total());
        if tokens > limits.tokens {
            return over(format!("{} tokens", limits.tokens));
        }
        match limits.cost {
            Some(cost) if self.cost + prices.cost(most) > cost => over(format!("a cost of {cost}")),
            _ => Ok(()),
        }
    }

    /// Counts the tokens of an answer.
    pub(crate) fn add(&mut self, usage: Usage, prices: &Prices) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(usage.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(usage.completion_tokens);
        self.cost += prices.cost(usage);
    }

    /// Takes back tokens that were added.
    pub(crate) fn remove(&mut self, usage: Usage, prices: &Prices) {
        self.prompt_tokens = self.prompt_tokens.saturating_sub(usage.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_sub(usage.completion_tokens);
        self.cost = (self.cost - prices.cost(usage)).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_could_exceed_a_limit_is_not_allowed() {
        let (limits, prices) =
            (Limits { requests: 2, tokens: 1000, cost: Some(0.01) }, Prices { input: 2.0, output: 8.0 });
        let most = Usage { prompt_tokens: 100, completion_tokens: 400 };
        let mut spent = Spent::default();
        spent.allows(most, &limits, &prices).expect("500 tokens for 0.0034");
        spent.requests = 1;
        spent.add(Usage { prompt_tokens: 100, completion_tokens: 400 }, &prices);
        assert!((spent.cost - 0.0034).abs() < 1e-12);
        spent.allows(most, &limits, &prices).expect("1000 tokens for 0.0068");
        let over = |spent: &Spent, most| spent.allows(most, &limits, &prices).expect_err("over").to_string();
        let longer = Usage { completion_tokens: 401, ..most };
        assert_eq!(over(&spent, longer), "the question was not sent: it could exceed the limit of 1000 tokens");
        spent.cost = 0.007;
        assert_eq!(over(&spent, most), "the question was not sent: it could exceed the limit of a cost of 0.01");
        spent.requests = 2;
        assert_eq!(over(&spent, most), "the question was not sent: it could exceed the limit of 2 requests");
    }
}

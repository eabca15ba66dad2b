//! Questions to a language model behind one endpoint, and the checking of values in its answers.
//!
//! [`Client::ask`] sends one question to a server that speaks OpenAI's protocol of chat completions, within [`Limits`]
//! that hold for the whole run, and remembers the answer in a [`Cache`] on disk. What a server says is data: it is
//! bounded before it is read, and no part of it is evaluated. [`Literal::parse`] reads the Python values that answers
//! contain, and refuses whatever is no literal or constructor of a known type.
//!
//! This crate knows the endpoint and how Python writes values. It knows nothing of snippets, sites and runs.

mod budget;
mod cache;
mod client;
mod endpoint;
mod error;
mod literal;
mod question;
mod stream;
mod wire;

pub use budget::{Limits, Prices, Spent};
pub use cache::Cache;
pub use client::Client;
pub use endpoint::{Endpoint, KEY_VARIABLE, Timeouts};
pub use error::LlmError;
pub use literal::{Literal, NotALiteral};
pub use question::{Answer, Question, Schema, Usage};

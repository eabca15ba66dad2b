//! For tests: language model servers on this machine.
//!
//! [`scripted`] answers what a test tells it to, well or badly; [`llama`] is a real llama.cpp server with a model of
//! random weights.

pub mod llama;
pub mod scripted;

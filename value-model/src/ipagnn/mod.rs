//! Which run-time error a program raises, and where, predicted from its text: the Instruction Pointer Attention Graph
//! Neural Network and its extension to exceptions (Bieber et al., "Static Prediction of Runtime Errors by Learning to
//! Execute Programs with External Resource Descriptions", 2022).
//!
//! [`Program`] is what a network reads: the statement graph of `instrument::program_graph`, with the tokens of each
//! statement and of the description of the input. [`Encoded`] are the statements as vectors, pooled from the states of
//! a T5 encoder. [`Network`] executes them: at each step every statement with a share of the instruction pointer
//! proposes a new state, and decides how much of its share goes to a handler or the error node, and to which statement
//! the rest goes. [`ErrorModel`] is all of this with weights.
//!
//! Where we differ from the paper: the cell is a GRU, states that meet at a node are averaged by their shares (the sum
//! of the paper divided by the pointer), the statement encoder is the one of the value model, as it is or with low-rank
//! changes (`t5::adapter`), and facts stand beside the embedding of each statement (`doubts`): what the semantic model says of
//! its names and types, and what the description says of what it reads.

mod config;
mod dense;
mod doubts;
mod model;
mod modulation;
mod network;
mod pooling;
mod program;
#[cfg(test)]
mod tests;

#[cfg(feature = "torch")]
pub(crate) use config::HEADS;
#[cfg(any(test, feature = "torch"))]
pub(crate) use config::is_bias;
pub use config::{ErrorConfig, Fusion, NetworkKind, Pooling, Scope};
#[cfg(feature = "torch")]
pub(crate) use doubts::DOUBTS;
pub use doubts::{Doubt, InputDoubt, ResourceDescription};
pub use model::{BadErrorModel, CONFIG, ErrorModel, ErrorPrediction, WEIGHTS, open_encoder};
#[cfg(feature = "torch")]
pub(crate) use model::{encoder, encoder_parts};
#[cfg(feature = "torch")]
pub(crate) use network::SMALL;
pub use network::{Execution, Network};
pub use pooling::{Encoded, StatementEncoder};
#[cfg(feature = "torch")]
pub(crate) use program::NOWHERE;
pub use program::{NO_ERROR, Program};

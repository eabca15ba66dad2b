//! Training with libtorch (feature `torch`).
//!
//! Examples come from a [`Bundle`](crate::encoding::Bundle); the result is a Hugging Face directory of a T5:
//! `config.json`, `tokenizer.json`, `model.safetensors`.

mod adamw;
mod batches;
mod checkpoint;
mod error;
pub mod errors;
mod log;
mod recipe;
mod reranker;
mod stacker;
mod trainer;

pub use batches::{Cut, drawn};
pub use error::TrainError;
pub use log::{HeldOut, Report};
pub use recipe::Recipe;
pub use reranker::{RerankerProgress, RerankerRecipe, RerankerTrainer};
pub use stacker::{Fit, Sites, fit};
pub use trainer::{Progress, Trainer};

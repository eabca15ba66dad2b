//! Training with libtorch (feature `torch`).
//!
//! Data come from a [`Bundle`](crate::encoding::Bundle); what comes out is a Hugging Face directory of a T5:
//! `config.json`, `tokenizer.json`, `model.safetensors`.

mod adamw;
mod batches;
mod checkpoint;
mod log;
mod stacker;
mod trainer;

pub use batches::{Batch, Cut, Epoch, drawn};
pub use log::{HeldOut, Report};
pub use stacker::{Fit, Sites, fit};
pub use trainer::{Progress, Recipe, TrainError, Trainer};

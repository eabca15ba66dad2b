//! The encoder alone, for models that read its states and have no decoder.

use std::sync::{Mutex, PoisonError};

use super::batch::Batch;
use super::config::Config;
use super::encoder::Encoder;
use super::error::{InputError, LoadError};
use super::layers::Scratch;
use super::weights::{Matrix, Weights};

/// Embedding and encoder of a T5. A configuration with fewer blocks than the weights have takes the first ones.
#[derive(Debug)]
pub struct TokenEncoder {
    config: Config,
    embedding: Matrix,
    encoder: Encoder,
    scratch: Mutex<Scratch>,
}

impl TokenEncoder {
    /// Builds the encoder from weights under the names that transformers gives them.
    ///
    /// # Errors
    /// As [`super::T5::load`].
    pub fn load(config: Config, weights: &Weights) -> Result<Self, LoadError> {
        Ok(Self {
            embedding: weights.matrix(weights.embedding(), config.vocab_size, config.d_model)?,
            encoder: Encoder::load(weights, &config)?,
            config,
            scratch: Mutex::default(),
        })
    }

    /// Width of a state.
    pub fn width(&self) -> usize {
        self.config.d_model
    }

    /// Number of tokens that it knows.
    pub fn vocabulary(&self) -> usize {
        self.config.vocab_size
    }

    /// States of all tokens of a batch, row after row.
    ///
    /// # Errors
    /// [`InputError::Token`] for a token outside the vocabulary.
    pub fn states(&self, batch: &Batch) -> Result<Vec<f32>, InputError> {
        batch.check(self.config.vocab_size)?;
        if batch.rows() == 0 {
            return Ok(Vec::new());
        }
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.encoder.run(&self.embedding, batch, self.config.d_model, &mut scratch))
    }
}

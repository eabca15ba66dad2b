//! The whole model: its weights, and its two operations, `encode` and `score`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::batch::{Batch, check_tokens};
use super::buffer::room;
use super::config::Config;
use super::decoder::{Decoder, Memory};
use super::encoder::Encoder;
use super::error::{InputError, LoadError};
use super::kernels::scale;
use super::layers::Scratch;
use super::matrix::{View, multiply};
use super::prefixes::Prefixes;
use super::weights::{HEAD, Matrix, Weights};

/// Queries of a batch that go through the decoder together.
const QUERIES: usize = 512;

/// A T5 ready to run. Calls take `&self` and may come from many threads; each runs on the thread that calls.
#[derive(Debug)]
pub struct T5 {
    config: Config,
    embedding: Matrix,
    /// The head, unless the embedding serves as the head.
    head: Option<Matrix>,
    /// All rows of the head in f32, scaled, once they are asked for.
    whole_head: OnceLock<Vec<f32>>,
    encoder: Encoder,
    decoder: Decoder,
    /// Buffers of calls that have ended, for the next ones to use.
    scratch: Mutex<Vec<Scratch>>,
    /// Number of the model in this process, by which it recognises the batches it encoded.
    number: u64,
}

/// Encoder states of a batch, with what the decoder derives from them once it is asked.
#[derive(Debug)]
pub struct Encoded {
    /// Final states of all tokens, `[tokens, d_model]`.
    states: Vec<f32>,
    starts: Vec<usize>,
    memories: OnceLock<Vec<Memory>>,
    model: u64,
}

impl Encoded {
    /// Number of rows of the encoded batch.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// States of a row, `[tokens, d_model]` after the encoder's last norm; nothing for a row that isn't there.
    pub fn states(&self, row: usize) -> &[f32] {
        let width = self.starts.last().map_or(0, |tokens| self.states.len().checked_div(*tokens).unwrap_or(0));
        match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(start), Some(end)) => &self.states[start * width..end * width],
            _ => &[],
        }
    }
}

impl T5 {
    /// Builds a model of the shape `config` from weights under the names that transformers gives them.
    ///
    /// # Errors
    /// [`LoadError::Missing`], [`LoadError::Shape`], [`LoadError::Dtype`] or [`LoadError::NotFinite`] for the first
    /// tensor that doesn't fit. Tensors that the model doesn't need are of no concern.
    pub fn load(config: Config, weights: &Weights) -> Result<Self, LoadError> {
        static MODELS: AtomicU64 = AtomicU64::new(0);
        let (vocabulary, width) = (config.vocab_size, config.d_model);
        let embedding = weights.matrix(weights.embedding(), vocabulary, width)?;
        let own = weights.has_own_head(&config);
        let head = if own { Some(weights.matrix(HEAD, vocabulary, width)?) } else { None };
        Ok(Self {
            encoder: Encoder::load(weights, &config)?,
            decoder: Decoder::load(weights, &config)?,
            embedding,
            head,
            whole_head: OnceLock::new(),
            config,
            scratch: Mutex::new(Vec::new()),
            number: MODELS.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The shape of the model.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Runs the encoder over all rows of a batch.
    ///
    /// # Errors
    /// [`InputError::Token`] for a token outside the vocabulary.
    pub fn encode(&self, batch: &Batch) -> Result<Encoded, InputError> {
        batch.check(self.config.vocab_size)?;
        let states =
            self.with_scratch(|scratch| self.encoder.run(&self.embedding, batch, self.config.d_model, scratch));
        let starts = if batch.rows() == 0 { vec![0] } else { batch.starts().to_vec() };
        Ok(Encoded { states, starts, memories: OnceLock::new(), model: self.number })
    }

    /// Logits of some tokens after each of many short decoder sequences, `[queries, tokens]`.
    ///
    /// A query is a row of the encoded batch and the decoder's tokens so far, the start token included. This is made
    /// for many queries about few rows: keys and values of a row are computed once for all of them (and kept for
    /// later calls), prefixes that queries have in common too, and of the head only the rows asked for.
    ///
    /// # Errors
    /// [`InputError::Token`] (of a query or asked for), [`InputError::NoRow`], [`InputError::EmptyRow`] with the number
    /// of the query, or [`InputError::OtherModel`].
    pub fn score(
        &self,
        encoded: &Encoded,
        queries: &[(usize, &[u32])],
        tokens: &[u32],
    ) -> Result<Vec<f32>, InputError> {
        self.check(encoded, queries)?;
        check_tokens(tokens, self.config.vocab_size)?;
        let width = self.config.d_model;
        let mut logits = vec![0.0; queries.len() * tokens.len()];
        if logits.is_empty() {
            return Ok(logits);
        }
        self.with_scratch(|scratch| {
            let mut last = Vec::new();
            for (queries, logits) in queries.chunks(QUERIES).zip(logits.chunks_mut(QUERIES * tokens.len())) {
                let prefixes = Prefixes::new(queries);
                let states = self.decoder_states(encoded, &prefixes, scratch);
                last.clear();
                for token in &prefixes.last {
                    last.extend_from_slice(&states[token * width..][..width]);
                }
                self.head_rows(logits, tokens.len(), &last, tokens, scratch);
            }
        });
        Ok(logits)
    }

    pub(super) fn check(&self, encoded: &Encoded, queries: &[(usize, &[u32])]) -> Result<(), InputError> {
        if encoded.model != self.number {
            return Err(InputError::OtherModel);
        }
        for (index, (row, tokens)) in queries.iter().enumerate() {
            if *row >= encoded.rows() {
                return Err(InputError::NoRow { row: *row, rows: encoded.rows() });
            }
            if tokens.is_empty() {
                return Err(InputError::EmptyRow(index));
            }
            if tokens.len() > Batch::MAX_TOKENS {
                return Err(InputError::LongRow { row: index, length: tokens.len(), limit: Batch::MAX_TOKENS });
            }
            check_tokens(tokens, self.config.vocab_size)?;
        }
        Ok(())
    }

    pub(super) fn decoder_states<'s>(
        &self,
        encoded: &Encoded,
        prefixes: &Prefixes,
        scratch: &'s mut Scratch,
    ) -> &'s [f32] {
        let memories = encoded.memories.get_or_init(|| self.decoder.remember(&encoded.states));
        self.decoder.run(&self.embedding, prefixes, memories, &encoded.starts, scratch)
    }

    /// Logits of the vocabulary's `tokens` for rows of states; rows of `out` begin `step` values apart.
    fn head_rows(&self, out: &mut [f32], step: usize, states: &[f32], tokens: &[u32], scratch: &mut Scratch) {
        let width = self.config.d_model;
        let head = self.head.as_ref().unwrap_or(&self.embedding);
        let rows = room(&mut scratch.head, tokens.len() * width);
        for (token, row) in tokens.iter().zip(rows.chunks_exact_mut(width)) {
            head.row(*token as usize, row);
        }
        if self.config.scale_decoder_outputs {
            scale(rows, (width as f32).sqrt().recip());
        }
        let states = View::rows(states, states.len() / width, width, width);
        multiply(out, step, states, View::rows(rows, tokens.len(), width, width).transposed(), false);
    }

    /// The whole head, `[vocab_size, d_model]`, such that its products with states are logits.
    pub(super) fn whole_head(&self) -> &[f32] {
        self.whole_head.get_or_init(|| {
            let (vocabulary, width) = (self.config.vocab_size, self.config.d_model);
            let head = self.head.as_ref().unwrap_or(&self.embedding);
            let mut values = vec![0.0; vocabulary * width];
            values.chunks_exact_mut(width).enumerate().for_each(|(token, row)| head.row(token, row));
            if self.config.scale_decoder_outputs {
                scale(&mut values, (width as f32).sqrt().recip());
            }
            values
        })
    }

    /// Lends buffers to a call. As many stay as calls ever ran at once.
    pub(super) fn with_scratch<R>(&self, call: impl FnOnce(&mut Scratch) -> R) -> R {
        let pool = || self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = pool().pop().unwrap_or_default();
        let result = call(&mut scratch);
        pool().push(scratch);
        result
    }
}

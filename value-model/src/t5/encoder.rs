//! The encoder: every token of a row attends every other.

use super::attention::{Attention, Bias, Projected, attend};
use super::batch::Batch;
use super::buckets::PositionBiases;
use super::buffer::room;
use super::config::Config;
use super::error::LoadError;
use super::layers::{FeedForward, Norm, Scratch};
use super::weights::{Matrix, Weights};

/// Tokens that go through the blocks together: enough for the products, few enough for the caches.
const TOKENS: usize = 512;

/// The encoder's weights.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    blocks: Vec<(Attention, FeedForward)>,
    norm: Norm,
    biases: PositionBiases,
}

impl Encoder {
    pub(super) fn load(weights: &Weights, config: &Config) -> Result<Self, LoadError> {
        let block = |index: usize| {
            let prefix = format!("encoder.block.{index}.layer");
            let attention =
                Attention::load(weights, &format!("{prefix}.0"), "SelfAttention", &["q", "k", "v"], config)?;
            Ok((attention, FeedForward::load(weights, &format!("{prefix}.1"), config)?))
        };
        Ok(Self {
            blocks: (0..config.num_layers).map(block).collect::<Result<_, LoadError>>()?,
            norm: Norm::load(weights, "encoder.final_layer_norm.weight", config)?,
            biases: PositionBiases::load(weights, "encoder", config)?,
        })
    }

    /// Hidden states of all tokens, `[tokens, d_model]`; the caller has checked that they are of the vocabulary.
    pub(super) fn run(&self, embedding: &Matrix, batch: &Batch, width: usize, scratch: &mut Scratch) -> Vec<f32> {
        let mut states = vec![0.0; batch.ids().len() * width];
        let starts = batch.starts();
        let span = starts.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0);
        let mut biases = std::mem::take(&mut scratch.biases);
        let reach = span as isize - 1;
        self.biases.of(-reach, reach, &mut biases);
        let bias = Bias { values: &biases, span };
        let mut first = 0;
        while first < batch.rows() {
            let fits = starts[first + 1..].iter().take_while(|end| **end - starts[first] <= TOKENS).count();
            let next = first + fits.max(1);
            let rows = &starts[first..=next];
            let out = &mut states[rows[0] * width..rows[rows.len() - 1] * width];
            self.run_rows(embedding, batch.ids(), rows, bias, out, scratch);
            first = next;
        }
        scratch.biases = biases;
        states
    }

    /// Runs the rows that begin at `starts`, whose last entry is an end, and writes their states to `out`.
    fn run_rows(
        &self,
        embedding: &Matrix,
        ids: &[u32],
        starts: &[usize],
        bias: Bias<'_>,
        out: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let base = starts[0];
        let count = starts[starts.len() - 1] - base;
        let width = out.len() / count;
        let mut hidden = std::mem::take(&mut scratch.hidden);
        let states = room(&mut hidden, out.len());
        for (id, state) in ids[base..].iter().zip(states.chunks_exact_mut(width)) {
            embedding.row(*id as usize, state);
        }
        for (attention, feed_forward) in &self.blocks {
            let normed = room(&mut scratch.normed, states.len());
            attention.norm.apply(normed, states);
            let step = attention.project.outputs;
            let projected = room(&mut scratch.projected, count * step);
            attention.project.apply(projected, normed, count, false, &mut scratch.quantized);
            let inner = attention.heads.inner();
            let context = room(&mut scratch.context, count * inner);
            for row in starts.windows(2) {
                let (start, rows) = (row[0] - base, row[1] - row[0]);
                let part = |index| Projected { values: &projected[start * step + index * inner..], rows, step };
                let out = &mut context[start * inner..][..rows * inner];
                attend(out, part(0), part(1), part(2), attention.heads, Some(bias), &mut scratch.scores);
            }
            attention.out.apply(states, context, count, true, &mut scratch.quantized);
            feed_forward.apply(states, scratch);
        }
        self.norm.apply(out, states);
        scratch.hidden = hidden;
    }
}

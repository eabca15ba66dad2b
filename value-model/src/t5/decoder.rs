//! The decoder: tokens attend those before them, and the encoder's states of their row.

use super::attention::{Attention, Heads, Projected, attend, map_names};
use super::buckets::PositionBiases;
use super::buffer::room;
use super::config::Config;
use super::error::LoadError;
use super::kernels::{add_scaled, dot, exponents};
use super::layers::{FeedForward, Norm, Scratch};
use super::linear::{Linear, Quantized};
use super::prefixes::Prefixes;
use super::weights::{Matrix, Weights};

/// The decoder's weights.
#[derive(Clone, Debug)]
pub(super) struct Decoder {
    blocks: Vec<Block>,
    norm: Norm,
    biases: PositionBiases,
}

#[derive(Clone, Debug)]
struct Block {
    attention: Attention,
    cross: Attention,
    /// Maps encoder states to the keys and values of cross-attention, side by side.
    memory: Linear,
    feed_forward: FeedForward,
}

/// Keys and values of one block for all tokens of an encoded batch: `[tokens, 2 * inner]`.
pub(super) type Memory = Vec<f32>;

impl Decoder {
    pub(super) fn load(weights: &Weights, config: &Config) -> Result<Self, LoadError> {
        let block = |index: usize| {
            let prefix = |layer: usize| format!("decoder.block.{index}.layer.{layer}");
            let memory = map_names(&prefix(1), "EncDecAttention", &["k", "v"]);
            Ok(Block {
                attention: Attention::load(weights, &prefix(0), "SelfAttention", &["q", "k", "v"], config)?,
                cross: Attention::load(weights, &prefix(1), "EncDecAttention", &["q"], config)?,
                memory: Linear::load(weights, &memory, config.d_model, config.inner())?,
                feed_forward: FeedForward::load(weights, &prefix(2), config)?,
            })
        };
        Ok(Self {
            blocks: (0..config.num_decoder_layers).map(block).collect::<Result<_, LoadError>>()?,
            norm: Norm::load(weights, "decoder.final_layer_norm.weight", config)?,
            biases: PositionBiases::load(weights, "decoder", config)?,
        })
    }

    /// Keys and values that cross-attention reads of encoder states, for each block.
    pub(super) fn remember(&self, states: &[f32]) -> Vec<Memory> {
        let memory = |block: &Block| {
            let count = states.len() / block.memory.inputs;
            let mut memory = vec![0.0; count * block.memory.outputs];
            block.memory.apply(&mut memory, states, count, false, &mut Quantized::default());
            memory
        };
        self.blocks.iter().map(memory).collect()
    }

    /// Final states of all tokens of `prefixes`, `[tokens, d_model]`; `starts` are the starts of the encoded batch's
    /// rows.
    pub(super) fn run<'s>(
        &self,
        embedding: &Matrix,
        prefixes: &Prefixes,
        memories: &[Memory],
        starts: &[usize],
        scratch: &'s mut Scratch,
    ) -> &'s [f32] {
        let count = prefixes.tokens.len();
        let width = self.blocks[0].attention.project.inputs;
        let mut biases = std::mem::take(&mut scratch.biases);
        self.biases.of(1 - prefixes.longest as isize, 0, &mut biases);
        let mut hidden = std::mem::take(&mut scratch.hidden);
        let states = room(&mut hidden, count * width);
        for (token, state) in prefixes.tokens.iter().zip(states.chunks_exact_mut(width)) {
            embedding.row(*token as usize, state);
        }
        for (block, memory) in self.blocks.iter().zip(memories) {
            block.attend_before(states, prefixes, &biases, scratch);
            block.attend_memory(states, prefixes, memory, starts, scratch);
            block.feed_forward.apply(states, scratch);
        }
        let normed = room(&mut scratch.normed, states.len());
        self.norm.apply(normed, states);
        scratch.hidden = hidden;
        scratch.biases = biases;
        &scratch.normed[..count * width]
    }
}

impl Block {
    /// Self-attention over each token's own path.
    fn attend_before(&self, states: &mut [f32], prefixes: &Prefixes, biases: &[f32], scratch: &mut Scratch) {
        let Attention { norm, project, out, heads } = &self.attention;
        let count = prefixes.tokens.len();
        let normed = room(&mut scratch.normed, states.len());
        norm.apply(normed, states);
        let step = project.outputs;
        let projected = room(&mut scratch.projected, count * step);
        project.apply(projected, normed, count, false, &mut scratch.quantized);
        let inner = heads.inner();
        let context = room(&mut scratch.context, count * inner);
        let scores = room(&mut scratch.scores, prefixes.longest);
        for (token, context) in context.chunks_exact_mut(inner).enumerate() {
            attend_path(context, projected, prefixes, token, *heads, biases, scores);
        }
        out.apply(states, context, count, true, &mut scratch.quantized);
    }

    /// Cross-attention to the encoder's states of each token's row.
    fn attend_memory(
        &self,
        states: &mut [f32],
        prefixes: &Prefixes,
        memory: &Memory,
        starts: &[usize],
        scratch: &mut Scratch,
    ) {
        let Attention { norm, project, out, heads } = &self.cross;
        let count = prefixes.tokens.len();
        let normed = room(&mut scratch.normed, states.len());
        norm.apply(normed, states);
        let inner = heads.inner();
        let projected = room(&mut scratch.projected, count * inner);
        project.apply(projected, normed, count, false, &mut scratch.quantized);
        let context = room(&mut scratch.context, count * inner);
        for (row, tokens) in &prefixes.rows {
            let queries = Projected { values: &projected[tokens.start * inner..], rows: tokens.len(), step: inner };
            let (step, rows) = (2 * inner, starts[row + 1] - starts[*row]);
            let part = |index| Projected { values: &memory[starts[*row] * step + index * inner..], rows, step };
            let out = &mut context[tokens.start * inner..tokens.end * inner];
            attend(out, queries, part(0), part(1), *heads, None, &mut scratch.scores);
        }
        out.apply(states, context, count, true, &mut scratch.quantized);
    }
}

/// Writes the context of one token, which attends its path. Rows of `projected` are queries, keys, values.
fn attend_path(
    context: &mut [f32],
    projected: &[f32],
    prefixes: &Prefixes,
    token: usize,
    heads: Heads,
    biases: &[f32],
    scores: &mut [f32],
) {
    let inner = heads.inner();
    let part = |token: usize, part: usize, head: usize| {
        &projected[token * 3 * inner + part * inner + head * heads.width..][..heads.width]
    };
    for (head, context) in context.chunks_exact_mut(heads.width).enumerate() {
        let query = part(token, 0, head);
        let biases = &biases[head * prefixes.longest..][..prefixes.longest];
        let mut length = 0;
        // The path goes backwards from the token itself, as do the biases from their end.
        for ((before, bias), score) in prefixes.path(token).zip(biases.iter().rev()).zip(scores.iter_mut()) {
            *score = dot(query, part(before, 1, head)) + bias;
            length += 1;
        }
        let scores = &mut scores[..length];
        let sum = exponents(scores, None);
        context.fill(0.0);
        for (before, score) in prefixes.path(token).zip(scores) {
            add_scaled(context, part(before, 2, head), *score / sum);
        }
    }
}

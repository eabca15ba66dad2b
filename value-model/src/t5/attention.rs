//! Attention: `softmax(Q K^T + bias) V` for each head, without the usual factor of 1/√d.

use super::buffer::room;
use super::config::Config;
use super::error::LoadError;
use super::kernels;
use super::layers::Norm;
use super::linear::Linear;
use super::matrix::{View, multiply};
use super::weights::Weights;

/// Queries whose scores are held at a time: with 512 keys they fill a quarter of a usual second-level cache.
const QUERIES: usize = 64;

/// The weights of one attention layer, of self-attention or of attention to the encoder.
#[derive(Clone, Debug)]
pub(super) struct Attention {
    pub(super) norm: Norm,
    /// Queries, keys and values side by side in self-attention, queries alone in cross-attention.
    pub(super) project: Linear,
    pub(super) out: Linear,
    pub(super) heads: Heads,
}

/// How a projected row is divided among attention heads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    pub(super) count: usize,
    pub(super) width: usize,
}

impl Heads {
    /// Width of a row of all heads together.
    pub(super) fn inner(self) -> usize {
        self.count * self.width
    }
}

impl Attention {
    /// Reads a layer: `prefix` is the name of the sublayer, `kind` that of its attention, `parts` are the maps that
    /// share its input.
    pub(super) fn load(
        weights: &Weights,
        prefix: &str,
        kind: &str,
        parts: &[&str],
        config: &Config,
    ) -> Result<Self, LoadError> {
        let inner = config.inner();
        let names = map_names(prefix, kind, parts);
        Ok(Self {
            norm: Norm::load(weights, &format!("{prefix}.layer_norm.weight"), config)?,
            project: Linear::load(weights, &names, config.d_model, inner)?,
            out: Linear::load(weights, &map_names(prefix, kind, &["o"]), inner, config.d_model)?,
            heads: Heads { count: config.num_heads, width: config.d_kv },
        })
    }
}

/// Names of the weights of several maps of an attention layer.
pub(super) fn map_names(prefix: &str, kind: &str, parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| format!("{prefix}.{kind}.{part}.weight")).collect()
}

/// Rows of projected values, `step` values apart; the first value is that of the first head.
#[derive(Clone, Copy)]
pub(super) struct Projected<'a> {
    pub(super) values: &'a [f32],
    pub(super) rows: usize,
    pub(super) step: usize,
}

impl<'a> Projected<'a> {
    /// The values of one head in rows `first..first + count`.
    fn head(self, heads: Heads, head: usize, first: usize, count: usize) -> View<'a> {
        View::rows(&self.values[first * self.step + head * heads.width..], count, heads.width, self.step)
    }
}

/// Biases by head and offset: `heads` runs of `2 * span - 1` values, the middle one for the query's own position.
#[derive(Clone, Copy)]
pub(super) struct Bias<'a> {
    pub(super) values: &'a [f32],
    pub(super) span: usize,
}

impl<'a> Bias<'a> {
    /// Biases of the scores of the query at `position`, from the first key on.
    fn of(self, head: usize, position: usize, keys: usize) -> &'a [f32] {
        &self.values[head * (2 * self.span - 1) + self.span - 1 - position..][..keys]
    }
}

/// Writes each query's context to `out` (rows of all heads side by side): every query attends every key.
pub(super) fn attend(
    out: &mut [f32],
    queries: Projected<'_>,
    keys: Projected<'_>,
    values: Projected<'_>,
    heads: Heads,
    bias: Option<Bias<'_>>,
    scores: &mut Vec<f32>,
) {
    let inner = heads.inner();
    let scores = room(scores, QUERIES.min(queries.rows) * keys.rows);
    let mut sums = [0.0; QUERIES];
    for head in 0..heads.count {
        for first in (0..queries.rows).step_by(QUERIES) {
            let count = QUERIES.min(queries.rows - first);
            let scores = &mut scores[..count * keys.rows];
            let every_key = keys.head(heads, head, 0, keys.rows).transposed();
            multiply(scores, keys.rows, queries.head(heads, head, first, count), every_key, false);
            for (query, row) in scores.chunks_exact_mut(keys.rows).enumerate() {
                sums[query] = kernels::exponents(row, bias.map(|bias| bias.of(head, first + query, keys.rows)));
            }
            let out = &mut out[first * inner + head * heads.width..];
            let weighed = values.head(heads, head, 0, values.rows);
            multiply(out, inner, View::rows(scores, count, keys.rows, keys.rows), weighed, false);
            for (query, sum) in sums[..count].iter().enumerate() {
                kernels::scale(&mut out[query * inner..][..heads.width], 1.0 / sum);
            }
        }
    }
}

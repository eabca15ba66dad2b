//! The parts of a block: norms and feed-forward layers.

use super::buffer::room;
use super::config::{Activation, Config};
use super::error::LoadError;
use super::kernels;
use super::linear::{Linear, Quantized};
use super::weights::Weights;

/// Root mean square norm: scales only.
#[derive(Clone, Debug)]
pub(super) struct Norm {
    weight: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    pub(super) fn load(weights: &Weights, name: &str, config: &Config) -> Result<Self, LoadError> {
        Ok(Self { weight: weights.vector(name, config.d_model)?, epsilon: config.layer_norm_epsilon })
    }

    pub(super) fn apply(&self, out: &mut [f32], rows: &[f32]) {
        kernels::layer_norm(out, rows, &self.weight, self.epsilon);
    }
}

/// Norm, a wide map, the activation, and the map back, added to the input.
#[derive(Clone, Debug)]
pub(super) struct FeedForward {
    norm: Norm,
    /// The gate and the gated map side by side, or one map.
    wide: Linear,
    back: Linear,
    activation: Activation,
    gated: bool,
}

impl FeedForward {
    /// `prefix` is that of the sublayer, `encoder.block.0.layer.1` for example.
    pub(super) fn load(weights: &Weights, prefix: &str, config: &Config) -> Result<Self, LoadError> {
        let names: &[&str] = if config.gated { &["wi_0", "wi_1"] } else { &["wi"] };
        let name = |part: &str| format!("{prefix}.DenseReluDense.{part}.weight");
        let wide: Vec<String> = names.iter().map(|part| name(part)).collect();
        Ok(Self {
            norm: Norm::load(weights, &format!("{prefix}.layer_norm.weight"), config)?,
            wide: Linear::load(weights, &wide, config.d_model, config.d_ff)?,
            back: Linear::load(weights, &[name("wo")], config.d_ff, config.d_model)?,
            activation: config.activation,
            gated: config.gated,
        })
    }

    /// Adds the layer's output to `hidden`, rows of `d_model`.
    pub(super) fn apply(&self, hidden: &mut [f32], scratch: &mut Scratch) {
        let width = self.wide.inputs;
        let count = hidden.len() / width;
        // A block of rows at a time: what the first product writes is still in the cache for the second.
        for hidden in hidden.chunks_mut(FEED_FORWARD_ROWS * width) {
            let count = count.min(hidden.len() / width);
            let normed = room(&mut scratch.normed, hidden.len());
            self.norm.apply(normed, hidden);
            let wide = room(&mut scratch.wide, count * self.wide.outputs);
            self.wide.apply(wide, normed, count, false, &mut scratch.quantized);
            let inner: &[f32] = if self.gated {
                let gated = room(&mut scratch.gated, count * self.back.inputs);
                kernels::gate(gated, wide, self.back.inputs, self.activation == Activation::Relu);
                gated
            } else {
                match self.activation {
                    Activation::Relu => kernels::relu(wide),
                    Activation::GeluNew => kernels::gelu(wide),
                }
                wide
            };
            self.back.apply(hidden, inner, count, true, &mut scratch.quantized);
        }
    }
}

const FEED_FORWARD_ROWS: usize = 256;

/// Buffers that calls share one after the other, so that a call allocates little.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) hidden: Vec<f32>,
    pub(super) normed: Vec<f32>,
    pub(super) projected: Vec<f32>,
    pub(super) context: Vec<f32>,
    pub(super) scores: Vec<f32>,
    pub(super) biases: Vec<f32>,
    pub(super) head: Vec<f32>,
    pub(super) quantized: Quantized,
    wide: Vec<f32>,
    gated: Vec<f32>,
}

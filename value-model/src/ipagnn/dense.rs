//! Dense layers and the cell, on the kernels of the T5.

use crate::t5::{LoadError, View, Weights, multiply};

/// A linear map with a bias.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// `[outputs, inputs]`
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl Dense {
    pub(super) fn load(weights: &Weights<'_>, name: &str, outputs: usize, inputs: usize) -> Result<Self, LoadError> {
        let weight = weights.table(&format!("{name}.weight"), outputs, inputs)?;
        let bias = weights.vector(&format!("{name}.bias"), outputs)?;
        Ok(Self { weight, bias, inputs, outputs })
    }

    /// Maps `count` rows.
    pub(super) fn apply(&self, rows: &[f32], count: usize) -> Vec<f32> {
        let mut out = self.bias.repeat(count);
        let view = View::rows(&self.weight, self.outputs, self.inputs, self.inputs).transposed();
        multiply(&mut out, self.outputs, View::rows(rows, count, self.inputs, self.inputs), view, true);
        out
    }
}

/// A gated recurrent unit (Cho et al. 2014), in the form of `torch.nn.GRUCell`: gates reset, update and new.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    input: Dense,
    hidden: Dense,
    width: usize,
}

impl Cell {
    pub(super) fn load(weights: &Weights<'_>, width: usize, input: usize) -> Result<Self, LoadError> {
        Ok(Self {
            input: Dense::load(weights, "cell.input", 3 * width, input)?,
            hidden: Dense::load(weights, "cell.hidden", 3 * width, width)?,
            width,
        })
    }

    /// The part of the gates that the input gives.
    pub(super) fn input(&self, rows: &[f32], count: usize) -> Vec<f32> {
        self.input.apply(rows, count)
    }

    /// New states from the input's part of the gates and the states before.
    pub(super) fn step(&self, gates: &[f32], states: &[f32], count: usize) -> Vec<f32> {
        let width = self.width;
        let own = self.hidden.apply(states, count);
        let mut new = vec![0.0; count * width];
        for row in 0..count {
            let (gates, own) = (&gates[row * 3 * width..][..3 * width], &own[row * 3 * width..][..3 * width]);
            for at in 0..width {
                let reset = logistic(gates[at] + own[at]);
                let update = logistic(gates[width + at] + own[width + at]);
                let proposed = (gates[2 * width + at] + reset * own[2 * width + at]).tanh();
                new[row * width + at] = (1.0 - update) * proposed + update * states[row * width + at];
            }
        }
        new
    }
}

pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Turns logits into probabilities.
pub(super) fn softmax(row: &mut [f32]) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in &mut *row {
        *value = (*value - most).exp();
        sum += *value;
    }
    for value in row.iter_mut() {
        *value /= sum;
    }
}

//! `AdamW` (Loshchilov and Hutter 2019), whose state can be saved; that of tch's own cannot.

use std::collections::BTreeMap;

use tch::{Tensor, no_grad};

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.98;
const EPSILON: f64 = 1e-8;

/// The optimizer: first and second moments of each weight, by name.
pub(super) struct AdamW {
    pub(super) first: BTreeMap<String, Tensor>,
    pub(super) second: BTreeMap<String, Tensor>,
    decay: f64,
}

impl AdamW {
    pub(super) fn new(weights: &BTreeMap<String, Tensor>, decay: f64) -> Self {
        let zeros = || weights.iter().map(|(name, weight)| (name.clone(), weight.detach().zeros_like())).collect();
        Self { first: zeros(), second: zeros(), decay }
    }

    /// Takes the step of number `step`, counted from 1, after gradients are clipped to the norm `most`; clears the
    /// gradients.
    pub(super) fn step(&mut self, weights: &mut BTreeMap<String, Tensor>, rate: f64, step: u64, most: f64) {
        no_grad(|| {
            let gradients: Vec<(String, Tensor)> = weights
                .iter()
                .map(|(name, weight)| (name.clone(), weight.grad()))
                .filter(|(_, g)| g.defined())
                .collect();
            if gradients.is_empty() {
                return;
            }
            // It stays on the device, which need not be waited for.
            let squares: Vec<Tensor> = gradients.iter().map(|(_, g)| g.square().sum(tch::Kind::Double)).collect();
            let norm = Tensor::stack(&squares, 0).sum(tch::Kind::Double).sqrt().clamp_min(1e-12);
            let cut = (most * norm.reciprocal()).clamp_max(1.0).to_kind(tch::Kind::Float);
            let exponent = i32::try_from(step).unwrap_or(i32::MAX);
            let (bias1, bias2) = (1.0 - BETA1.powi(exponent), 1.0 - BETA2.powi(exponent));
            for (name, gradient) in gradients {
                let (Some(weight), Some(first), Some(second)) =
                    (weights.get_mut(&name), self.first.get_mut(&name), self.second.get_mut(&name))
                else {
                    continue;
                };
                let gradient = gradient * &cut;
                let _ = first.lerp_(&gradient, 1.0 - BETA1);
                let squared = gradient.square();
                let _ = second.lerp_(&squared, 1.0 - BETA2);
                // Norms and position biases are not decayed.
                if weight.dim() == 2 && !name.contains("bias") {
                    let _ = weight.g_mul_scalar_(1.0 - rate * self.decay);
                }
                let scale = (&*second / bias2).sqrt() + EPSILON;
                let moved = (&*first / scale) * (-rate / bias1);
                let _ = weight.g_add_(&moved);
                weight.zero_grad();
            }
        });
    }
}

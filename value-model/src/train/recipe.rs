//! The recipe of a training run, and how far the run has come.

use serde::{Deserialize, Serialize};

use crate::t5::Config;

/// Everything that decides what training gives: two runs of one recipe on one machine give the same weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Shape of the model.
    pub config: Config,
    /// Seed of weights and batches.
    pub seed: u64,
    /// Optimizer steps in all.
    pub steps: u64,
    /// Steps at the beginning in which the learning rate rises to its highest.
    pub warm_up: u64,
    /// Steps at the end in which the learning rate falls to zero.
    pub cool_down: u64,
    /// Highest learning rate.
    pub rate: f64,
    /// Weight decay of the matrices (Loshchilov and Hutter 2019).
    pub decay: f64,
    /// Steps between measurements on the held-out projects.
    pub measure_every: u64,
    /// Measurements without a better loss that end training.
    pub patience: u64,
    /// Whether the pairs that a random split holds out are not learned from.
    #[serde(default)]
    pub random_held_out: bool,
    /// Whether products of matrices are computed in bf16.
    #[serde(default)]
    pub bf16: bool,
    /// Share of the projects that is learned from, for learning curves.
    #[serde(default = "whole")]
    pub share: f64,
    /// Power to which a pair weighs more as its class is rarer: 0 weighs all pairs alike, 1 all classes alike.
    #[serde(default)]
    pub balance: f64,
    /// Label smoothing (Szegedy et al. 2016, section 7): this part of each pair goes to all classes alike.
    #[serde(default)]
    pub smoothing: f64,
    /// Share of the activations that each step sets to zero.
    #[serde(default)]
    pub dropout: f64,
}

fn whole() -> f64 {
    1.0
}

/// How far a training run has come; a checkpoint holds it beside the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) step: u64,
    pub(super) epoch: u64,
    /// Batches of the current epoch that are done.
    pub(super) batch: u64,
    /// Sites learned from, over all epochs.
    pub(super) sites: u64,
    /// Seconds spent training, over all runs.
    pub(super) seconds: f64,
    /// The least loss on the held-out projects.
    pub(super) best: Option<f64>,
    /// Measurements since the best.
    pub(super) stale: u64,
}

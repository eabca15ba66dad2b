//! What decides what training gives.

use serde::{Deserialize, Serialize};

use crate::ipagnn::ErrorConfig;

/// Everything that decides what training gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorRecipe {
    /// Kind and sizes of the network.
    pub config: ErrorConfig,
    /// Seed of weights and batches.
    pub seed: u64,
    /// Optimizer steps in all.
    pub steps: u64,
    /// Programs of a batch: half of them have an error, whose classes come by the square roots of their numbers; of the
    /// others half are as people wrote them.
    pub batch: usize,
    /// Highest learning rate, reached after a twentieth of the steps; it falls to zero at the end.
    pub rate: f64,
    /// Weight decay of the matrices.
    pub decay: f64,
    /// Steps between checkpoints and measurements on the part for choices.
    pub measure_every: u64,
}

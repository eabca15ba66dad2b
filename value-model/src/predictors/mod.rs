//! Predictors behind one trait.

mod cached;
mod frequency;
mod majority;
mod model;
mod naive;
mod random;

pub use cached::Cached;
pub use frequency::{BadTable, Frequency, FrequencyBuilder};
pub use majority::Majority;
pub use model::{BadModel, Model};
pub use naive::Naive;
pub use random::Random;

use crate::query::{Prediction, Query};

/// Answers a batch of queries with ranked classes.
pub trait Predictor: Send + Sync {
    /// The name used on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Ranks classes for each query, likeliest first. An empty answer means that nothing is to be injected.
    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>>;
}

/// Plain Python semantics: nothing is ever filled in. The "as is" baseline.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPredictions;

impl Predictor for NoPredictions {
    fn name(&self) -> &'static str {
        "none"
    }

    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        vec![Vec::new(); queries.len()]
    }
}

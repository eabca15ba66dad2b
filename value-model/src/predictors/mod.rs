//! Predictors of the class of a value: the trait and its implementations.

mod cached;
mod frequency;
mod majority;
mod model;
mod naive;
mod observed;
mod random;
mod recorded;

pub use cached::Cached;
pub(crate) use frequency::last_word;
pub use frequency::{Frequency, FrequencyBuilder};
pub use majority::Majority;
pub use model::{BadModel, Model};
pub use naive::Naive;
pub use observed::{Observed, Sample};
pub use random::Random;
pub use recorded::{BadRecordedCall, Recorded, RecordedValue};

use crate::query::{Prediction, Query};

/// Ranks the classes that the value at a site may have.
pub trait Predictor: Send + Sync {
    /// Name of the predictor on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Ranks classes for each query, likeliest first. An empty answer means that nothing is to be injected.
    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>>;
}

/// Predicts nothing, so that nothing is injected: plain Python, the "as is" baseline.
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

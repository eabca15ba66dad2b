//! A stand-in everywhere: the most general answer.

use super::Predictor;
use crate::classes::Class;
use crate::query::{Prediction, Query};

/// Always answers `object`, LExecutor's dummy object. Stand-ins take any operation, so that this is a strong baseline
/// for coverage and a weak one for realism.
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl Predictor for Naive {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        vec![vec![Prediction { class: Class::Object, probability: 1.0 }]; queries.len()]
    }
}

//! Uniformly random answers, for comparison.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Predictor;
use crate::classes::Class;
use crate::query::{Prediction, Query};

/// A seeded random ranking for each query. It depends on the seed and the place of the query alone, so that the same
/// snippet gets the same values whatever else is in the batch.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    /// The seed.
    pub seed: u64,
}

impl Predictor for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        queries.iter().map(|query| self.rank(query)).collect()
    }
}

impl Random {
    fn rank(self, query: &Query<'_>) -> Vec<Prediction> {
        let mut hasher = DefaultHasher::new();
        (self.seed, query.name, query.start, query.end).hash(&mut hasher);
        let mut state = hasher.finish();
        let mut classes = Class::ALL;
        for last in (1..classes.len()).rev() {
            state = split_mix(state);
            classes.swap(last, (state % (last as u64 + 1)) as usize);
        }
        let probability = 1.0 / classes.len() as f32;
        classes.into_iter().map(|class| Prediction { class, probability }).collect()
    }
}

/// One step of `SplitMix64` (Steele et al., OOPSLA 2014).
fn split_mix(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Use;

    fn query(name: &str) -> Query<'_> {
        Query { name, kind: Use::Variable, source: "", start: 0, end: 0, anchor: 0 }
    }

    #[test]
    fn the_seed_decides() {
        let names: Vec<String> = (0..50).map(|number| format!("x{number}")).collect();
        let queries: Vec<_> = names.iter().map(|name| query(name)).collect();
        let one = Random { seed: 1 }.predict(&queries);
        assert_eq!(one, Random { seed: 1 }.predict(&queries));
        assert_ne!(one, Random { seed: 2 }.predict(&queries));
        let first: std::collections::BTreeSet<_> = one.iter().map(|ranked| ranked[0].class).collect();
        assert!(first.len() > 10, "fifty draws from 22 classes give more than ten of them");
    }
}

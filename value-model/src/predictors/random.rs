//! A uniformly random ranking, for comparison.

use super::Predictor;
use crate::classes::Class;
use crate::query::{Prediction, Query};
use crate::seeded;

/// Ranks the classes at random, by the seed and by the name and place of the query: the same snippet gets the same
/// values, whatever else is in the batch.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    /// Seed of all rankings.
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
        let mut classes = Class::ALL;
        seeded((self.seed, query.name, query.start, query.end)).shuffle(&mut classes);
        let probability = 1.0 / classes.len() as f32;
        classes.into_iter().map(|class| Prediction { class, probability }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Use;

    fn query(name: &str) -> Query<'_> {
        Query { name, kind: Use::Variable, source: "", model: None, start: 0, end: 0, anchor: 0 }
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

//! The ranking of classes by their overall frequency.

use super::Predictor;
use crate::classes::Class;
use crate::query::{Prediction, Query};

/// Answers every query with the classes that were seen most: the floor of every accuracy table.
#[derive(Clone, Debug, PartialEq)]
pub struct Majority {
    ranked: Vec<Prediction>,
}

impl Majority {
    /// Ranks the classes by their counts, given in the order of [`Class::ALL`].
    pub fn new(counts: &[u64; Class::ALL.len()]) -> Self {
        let total: u64 = counts.iter().sum();
        let mut ranked: Vec<(u64, Class)> = counts.iter().copied().zip(Class::ALL).filter(|pair| pair.0 > 0).collect();
        ranked.sort_by_key(|&(count, class)| (std::cmp::Reverse(count), class));
        let share = |(count, class): (u64, Class)| Prediction { class, probability: count as f32 / total as f32 };
        Self { ranked: ranked.into_iter().map(share).collect() }
    }
}

impl Predictor for Majority {
    fn name(&self) -> &'static str {
        "majority"
    }

    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        vec![self.ranked.clone(); queries.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_class_comes_first() {
        let mut counts = [0; Class::ALL.len()];
        (counts[Class::Str as usize], counts[Class::None as usize]) = (3, 1);
        let found: Vec<_> = Majority::new(&counts).ranked.iter().map(|one| (one.class, one.probability)).collect();
        assert_eq!(found, [(Class::Str, 0.75), (Class::None, 0.25)]);
    }
}

//! Relative positions: the distance of two tokens selects a bucket, the bucket a bias for each head.
//!
//! Distances below half of the buckets have one each, larger ones share them by their logarithm up to the maximal
//! distance. In the encoder the halves of the buckets are for the two directions; the decoder, which looks back
//! only, has all of them for one.

use super::config::Config;
use super::error::LoadError;
use super::weights::Weights;

/// How relative positions fall into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buckets {
    pub(crate) count: usize,
    pub(crate) max_distance: usize,
    pub(crate) bidirectional: bool,
}

impl Buckets {
    pub(crate) fn new(config: &Config, bidirectional: bool) -> Self {
        let (count, max_distance) = (config.relative_attention_num_buckets, config.relative_attention_max_distance);
        Self { count, max_distance, bidirectional }
    }

    /// The bucket of a key that lies `offset` tokens after its query.
    pub(crate) fn of(self, offset: isize) -> usize {
        let (count, base) = if self.bidirectional {
            (self.count / 2, if offset > 0 { self.count / 2 } else { 0 })
        } else {
            (self.count, 0)
        };
        let distance = if self.bidirectional { offset.unsigned_abs() } else { offset.min(0).unsigned_abs() };
        let exact = count / 2;
        if distance < exact {
            return base + distance;
        }
        // In f32 and in this order, as the reference computes it: the last bit decides at the borders.
        let ratio = (self.max_distance as f64 / exact as f64).ln() as f32;
        let part = (distance as f32 / exact as f32).ln() / ratio * (count - exact) as f32;
        base + (exact + part as usize).min(count - 1)
    }
}

/// The learned biases of one stack: a row of the table for each bucket, with a value for each head.
#[derive(Clone, Debug)]
pub(super) struct PositionBiases {
    buckets: Buckets,
    table: Vec<f32>,
}

impl PositionBiases {
    /// Reads the biases of the stack `encoder` or `decoder`, which its first block holds for all of them.
    pub(super) fn load(weights: &Weights, stack: &str, config: &Config) -> Result<Self, LoadError> {
        let buckets = Buckets::new(config, stack == "encoder");
        let name = format!("{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight");
        Ok(Self { buckets, table: weights.table(&name, buckets.count, config.num_heads)? })
    }

    /// Biases by head and offset: for each head a run of the offsets `first..=last`.
    pub(super) fn of(&self, first: isize, last: isize, out: &mut Vec<f32>) {
        let heads = self.table.len() / self.buckets.count;
        out.clear();
        let buckets: Vec<usize> = (first..=last).map(|offset| self.buckets.of(offset)).collect();
        for head in 0..heads {
            out.extend(buckets.iter().map(|bucket| self.table[bucket * heads + head]));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Case {
        buckets: usize,
        max_distance: usize,
        bidirectional: bool,
        from: isize,
        expected: Vec<usize>,
    }

    #[test]
    fn as_in_transformers() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("../../tests/reference/buckets.json")).unwrap();
        assert!(cases.len() >= 8);
        for case in cases {
            let Case { buckets: count, max_distance, bidirectional, .. } = case;
            let buckets = Buckets { count, max_distance, bidirectional };
            for (offset, expected) in (case.from..).zip(case.expected) {
                assert_eq!(buckets.of(offset), expected, "{buckets:?} at {offset}");
            }
        }
    }

    #[test]
    fn biases_by_head_and_offset() {
        let buckets = Buckets { count: 4, max_distance: 8, bidirectional: false };
        let table = vec![0.0, 10.0, 1.0, 11.0, 2.0, 12.0, 3.0, 13.0];
        let mut biases = Vec::new();
        PositionBiases { buckets, table }.of(-2, 0, &mut biases);
        assert_eq!(biases, [2.0, 1.0, 0.0, 12.0, 11.0, 10.0]);
    }
}

//! Relative positions (Raffel et al. 2020, section 2.1): buckets of distances, and the biases before training.

use tch::Tensor;

use crate::t5::{Buckets, Config};

/// Position biases, [buckets, heads]: the first half of the heads prefers what is near, each to another degree.
pub(super) fn near_by(config: &Config) -> Vec<f32> {
    let half = config.relative_attention_num_buckets / 2;
    let bias = |bucket: usize, head: usize| {
        let slope = if head < config.num_heads / 2 { 0.5_f32.powi(head as i32) } else { 0.0 };
        // A side of its own for each head: before or after.
        let side = if (bucket >= half) == (head % 2 == 1) { 0.0 } else { 1.0 };
        -slope * ((bucket % half) as f32 + 4.0 * side)
    };
    (0..2 * half).flat_map(|bucket| (0..config.num_heads).map(move |head| bias(bucket, head))).collect()
}

/// Buckets of relative positions in both directions, [length, length]: query down, key across.
pub(super) fn buckets(config: &Config, length: i64) -> Tensor {
    let buckets = Buckets::new(config, true);
    let by_offset: Vec<i64> = (1 - length..length).map(|offset| buckets.of(offset as isize) as i64).collect();
    let row = |query: i64| &by_offset[(length - 1 - query) as usize..][..length as usize];
    let all: Vec<i64> = (0..length).flat_map(row).copied().collect();
    Tensor::from_slice(&all).view([length, length])
}

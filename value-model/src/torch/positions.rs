//! Relative positions (Raffel et al. 2020, section 2.1): buckets of distances, and the biases that training begins with.

use tch::Tensor;

use super::dimensions::{BUCKETS, MAX_DISTANCE};

/// Position biases, [buckets, heads]: the first half of the heads prefers what is near, each to another degree.
pub(super) fn near_by(heads: i64) -> Vec<f32> {
    let half = BUCKETS / 2;
    let bias = |bucket: i64, head: i64| {
        let slope = if head < heads / 2 { 1.0 / (1 << head) as f32 } else { 0.0 };
        // A side of its own for each head: before or after.
        let side = if (bucket >= half) == (head % 2 == 1) { 0.0 } else { 1.0 };
        -slope * ((bucket % half) as f32 + 4.0 * side)
    };
    (0..BUCKETS).flat_map(|bucket| (0..heads).map(move |head| bias(bucket, head))).collect()
}

/// T5's buckets of relative positions in both directions, [length, length]: query down, key across.
pub(super) fn buckets(length: i64) -> Tensor {
    let (half, exact) = (BUCKETS / 2, BUCKETS / 4);
    let bucket = |query: i64, key: i64| {
        let distance = (key - query).abs();
        let side = if key > query { half } else { 0 };
        let near = if distance < exact {
            distance
        } else {
            let far = (distance as f64 / exact as f64).ln() / (MAX_DISTANCE as f64 / exact as f64).ln();
            (exact + (far * (half - exact) as f64) as i64).min(half - 1)
        };
        side + near
    };
    let all: Vec<i64> = (0..length).flat_map(|query| (0..length).map(move |key| bucket(query, key))).collect();
    Tensor::from_slice(&all).view([length, length])
}

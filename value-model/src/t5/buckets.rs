//! Relative positions: the distance of two tokens selects a bucket, the bucket a bias for each head.
//!
//! Distances below half of the buckets have one each, larger ones share them by their logarithm up to the maximal
//! distance. In the encoder the halves of the buckets are for the two directions; the decoder, which looks back
//! only, has all of them for one.

/// How positions fall into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Buckets {
    pub(super) count: usize,
    pub(super) max_distance: usize,
    pub(super) bidirectional: bool,
}

impl Buckets {
    /// The bucket of a key that lies `offset` tokens after its query.
    pub(super) fn of(self, offset: isize) -> usize {
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

    /// Biases by head and offset from `table` (`[count, heads]`): `heads` runs of the offsets `first..=last`.
    pub(super) fn biases(self, table: &[f32], first: isize, last: isize, out: &mut Vec<f32>) {
        let heads = table.len() / self.count;
        out.clear();
        let buckets: Vec<usize> = (first..=last).map(|offset| self.of(offset)).collect();
        for head in 0..heads {
            out.extend(buckets.iter().map(|bucket| table[bucket * heads + head]));
        }
    }
}

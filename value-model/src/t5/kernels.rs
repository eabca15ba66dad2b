//! Loops over vectors, with the widest instructions that the processor has.

#![expect(clippy::inline_always, reason = "what is not inlined into a dispatched call lacks its instructions")]

use pulp::{Arch, NullaryFnOnce};

/// Rows of `width` values: each scaled to a root mean square of 1, then by `weight`.
pub(super) fn layer_norm(out: &mut [f32], rows: &[f32], weight: &[f32], epsilon: f32) {
    Arch::new().dispatch(LayerNorm { out, rows, weight, epsilon });
}

/// `row` becomes `exp(row + bias - max)`; returns the sum, by which the caller divides what it weighs.
pub(super) fn exponents(row: &mut [f32], bias: Option<&[f32]>) -> f32 {
    Arch::new().dispatch(Exponents { row, bias })
}

/// The dot product of two vectors of one length.
pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    Arch::new().dispatch(Dot { left, right })
}

/// `gelu_new` of each value: `x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³)))`.
pub(super) fn gelu(values: &mut [f32]) {
    Arch::new().dispatch(Gelu { values });
}

/// Rows `[gate, linear]` of twice `width` values become `activation(gate) * linear` in `out`.
pub(super) fn gate(out: &mut [f32], rows: &[f32], width: usize, relu: bool) {
    Arch::new().dispatch(Gate { out, rows, width, relu });
}

/// Rounds a row to whole numbers around `zero`, which stands for zero: 0 if no value is negative, else [`CENTRE`]. The
/// largest value is as far from it as [`LEVELS`] admits. Returns the value of one step.
pub(super) fn quantize(out: &mut [u8], row: &[f32], zero: u8) -> f32 {
    Arch::new().dispatch(Quantize { out, row, zero })
}

/// The least of some values.
pub(super) fn least(values: &[f32]) -> f32 {
    Arch::new().dispatch(Least { values })
}

/// Largest number that an activation is rounded to. Seven bits, because two products of seven and eight bits fit into
/// sixteen, which is how processors without AVX512-VNNI add them up: with eight the sums would depend on the processor.
const LEVELS: u8 = 127;
/// What zero is rounded to where activations have both signs.
pub(super) const CENTRE: u8 = LEVELS.div_ceil(2);

/// `out = sums * scales * scale`, added to `out` if asked.
pub(super) fn rescale(out: &mut [f32], sums: &[i32], scales: &[f32], scale: f32, add: bool) {
    Arch::new().dispatch(Rescale { out, sums, scales, scale, add });
}

/// `max(x, 0)` of each value.
pub(crate) fn relu(values: &mut [f32]) {
    for value in values {
        *value = if *value > 0.0 { *value } else { 0.0 };
    }
}

/// Multiplies each value of a row by `factor`.
pub(super) fn scale(row: &mut [f32], factor: f32) {
    for value in row {
        *value *= factor;
    }
}

/// Adds `factor` times `other` to `row`.
pub(super) fn add_scaled(row: &mut [f32], other: &[f32], factor: f32) {
    for (value, other) in row.iter_mut().zip(other) {
        *value += factor * other;
    }
}

// What is dispatched are structures: calls of closures go through a function that lacks the instructions.

struct LayerNorm<'a> {
    out: &'a mut [f32],
    rows: &'a [f32],
    weight: &'a [f32],
    epsilon: f32,
}

impl NullaryFnOnce for LayerNorm<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.weight.len();
        for (out, row) in self.out.chunks_exact_mut(width).zip(self.rows.chunks_exact(width)) {
            let square = lanes(row, 0.0, Square);
            let scale = 1.0 / (square / width as f32 + self.epsilon).sqrt();
            for ((out, value), weight) in out.iter_mut().zip(row).zip(self.weight) {
                *out = value * scale * weight;
            }
        }
    }
}

struct Quantize<'a> {
    out: &'a mut [u8],
    row: &'a [f32],
    zero: u8,
}

impl NullaryFnOnce for Quantize<'_> {
    type Output = f32;

    #[inline(always)]
    fn call(self) -> f32 {
        let step = lanes(self.row, 0.0, Largest) / f32::from(LEVELS - self.zero);
        if step < f32::MIN_POSITIVE {
            self.out.fill(self.zero);
            return 0.0;
        }
        let (steps, zero) = (1.0 / step, f32::from(self.zero) + ROUND);
        for (out, value) in self.out.iter_mut().zip(self.row) {
            // The lowest bits of the sum are the whole number nearest to it.
            *out = (value * steps + zero).to_bits() as u8;
        }
        step
    }
}

struct Least<'a> {
    values: &'a [f32],
}

impl NullaryFnOnce for Least<'_> {
    type Output = f32;

    #[inline(always)]
    fn call(self) -> f32 {
        lanes(self.values, f32::INFINITY, Minimum)
    }
}

struct Rescale<'a> {
    out: &'a mut [f32],
    sums: &'a [i32],
    scales: &'a [f32],
    scale: f32,
    add: bool,
}

impl NullaryFnOnce for Rescale<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let parts = self.out.iter_mut().zip(self.sums).zip(self.scales);
        if self.add {
            for ((out, sum), scale) in parts {
                *out += *sum as f32 * (scale * self.scale);
            }
        } else {
            for ((out, sum), scale) in parts {
                *out = *sum as f32 * (scale * self.scale);
            }
        }
    }
}

struct Exponents<'a> {
    row: &'a mut [f32],
    bias: Option<&'a [f32]>,
}

impl NullaryFnOnce for Exponents<'_> {
    type Output = f32;

    #[inline(always)]
    fn call(self) -> f32 {
        if let Some(bias) = self.bias {
            for (value, bias) in self.row.iter_mut().zip(bias) {
                *value += bias;
            }
        }
        let max = lanes(self.row, f32::MIN, Maximum);
        for value in self.row.iter_mut() {
            *value = exp(*value - max);
        }
        lanes(self.row, 0.0, Sum)
    }
}

struct Dot<'a> {
    left: &'a [f32],
    right: &'a [f32],
}

impl NullaryFnOnce for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    fn call(self) -> f32 {
        let mut sums = [0.0; 16];
        let (left, left_rest) = self.left.as_chunks::<16>();
        let (right, right_rest) = self.right.as_chunks::<16>();
        for (left, right) in left.iter().zip(right) {
            for lane in 0..16 {
                sums[lane] += left[lane] * right[lane];
            }
        }
        let mut sum = 0.0;
        for lane in sums {
            sum += lane;
        }
        for (left, right) in left_rest.iter().zip(right_rest) {
            sum += left * right;
        }
        sum
    }
}

struct Gelu<'a> {
    values: &'a mut [f32],
}

impl NullaryFnOnce for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for value in self.values {
            *value = gelu_new(*value);
        }
    }
}

struct Gate<'a> {
    out: &'a mut [f32],
    rows: &'a [f32],
    width: usize,
    relu: bool,
}

impl NullaryFnOnce for Gate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (out, row) in self.out.chunks_exact_mut(self.width).zip(self.rows.chunks_exact(2 * self.width)) {
            let (gate, linear) = row.split_at(self.width);
            for ((out, gate), linear) in out.iter_mut().zip(gate).zip(linear) {
                let gate = if self.relu { Maximum.step(*gate, 0.0) } else { gelu_new(*gate) };
                *out = gate * linear;
            }
        }
    }
}

/// `(1 + tanh(u)) / 2` is the logistic function of `2u`, which needs one exponential.
#[inline(always)]
fn gelu_new(x: f32) -> f32 {
    // √(2/π), twice.
    const FACTOR: f32 = 1.595_769_2;
    x / (1.0 + exp(-FACTOR * (x + 0.044_715 * x * x * x)))
}

/// An operation that folds a row of values into one.
trait Fold: Copy {
    /// Folds the next value in.
    fn step(self, state: f32, value: f32) -> f32;
    /// Joins the folds of two parts of a row.
    fn join(self, left: f32, right: f32) -> f32;
}

#[derive(Clone, Copy)]
struct Sum;

impl Fold for Sum {
    #[inline(always)]
    fn step(self, state: f32, value: f32) -> f32 {
        state + value
    }

    #[inline(always)]
    fn join(self, left: f32, right: f32) -> f32 {
        left + right
    }
}

/// Folds a row into the sum of its squares.
#[derive(Clone, Copy)]
struct Square;

impl Fold for Square {
    #[inline(always)]
    fn step(self, state: f32, value: f32) -> f32 {
        state + value * value
    }

    #[inline(always)]
    fn join(self, left: f32, right: f32) -> f32 {
        left + right
    }
}

#[derive(Clone, Copy)]
struct Maximum;

impl Fold for Maximum {
    #[inline(always)]
    fn step(self, state: f32, value: f32) -> f32 {
        if state > value { state } else { value }
    }

    #[inline(always)]
    fn join(self, left: f32, right: f32) -> f32 {
        self.step(left, right)
    }
}

/// Folds a row into its largest absolute value.
#[derive(Clone, Copy)]
struct Largest;

impl Fold for Largest {
    #[inline(always)]
    fn step(self, state: f32, value: f32) -> f32 {
        Maximum.step(state, value.abs())
    }

    #[inline(always)]
    fn join(self, left: f32, right: f32) -> f32 {
        Maximum.step(left, right)
    }
}

#[derive(Clone, Copy)]
struct Minimum;

impl Fold for Minimum {
    #[inline(always)]
    fn step(self, state: f32, value: f32) -> f32 {
        if state < value { state } else { value }
    }

    #[inline(always)]
    fn join(self, left: f32, right: f32) -> f32 {
        self.step(left, right)
    }
}

/// Folds in lanes: one running value would wait for itself at each step.
#[inline(always)]
fn lanes(row: &[f32], start: f32, fold: impl Fold) -> f32 {
    const LANES: usize = 32;
    let mut state = [start; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            state[lane] = fold.step(state[lane], chunk[lane]);
        }
    }
    let mut all = start;
    for value in rest {
        all = fold.step(all, *value);
    }
    for lane in state {
        all = fold.join(all, lane);
    }
    all
}

/// Adding and taking it away rounds to the nearest integer.
const ROUND: f32 = 12_582_912.0;

/// `e^x` within two units in the last place, without a branch so that compilers vectorize it: `2^n · e^r` with a
/// polynomial for `e^r` (Cephes' `expf`). Arguments beyond the range of f32 saturate.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let polynomial = 1.987_569_1e-4;
    let polynomial = polynomial * r + 1.398_2e-3;
    let polynomial = polynomial * r + 8.333_452e-3;
    let polynomial = polynomial * r + 4.166_579_6e-2;
    let polynomial = polynomial * r + 1.666_666_5e-1;
    let polynomial = polynomial * r + 0.5;
    let mantissa = polynomial * r * r + r + 1.0;
    // The integer lies in the lowest bits of the sum above.
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    mantissa * f32::from_bits(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<f32> {
        (0..count).map(|index| ((index * 37 % 101) as f32 - 50.0) / 25.0).collect()
    }

    #[test]
    fn exponentials_to_the_last_bits() {
        for step in -86_000..88_000 {
            let x = step as f32 / 1000.0;
            let expected = f64::from(x).exp();
            let relative = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(relative < 2.5e-7, "exp({x}) is {relative} off");
        }
        assert_eq!(exp(0.0).to_bits(), 1_f32.to_bits());
        assert!(exp(-1e30) < 1e-37 && exp(f32::INFINITY).is_finite());
    }

    #[test]
    fn activations() {
        let mut values: Vec<f32> = (-400..400).map(|step| step as f32 / 40.0).collect();
        let inputs = values.clone();
        gelu(&mut values);
        for (x, found) in inputs.iter().zip(&values) {
            let x = f64::from(*x);
            let expected = 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh());
            assert!((f64::from(*found) - expected).abs() < 2e-6, "gelu({x})");
        }
        let mut out = [0.0; 3];
        gate(&mut out, &[-1.0, 2.0, 3.0, 5.0, 7.0, 11.0], 3, true);
        assert_eq!(out.to_vec(), [0.0, 14.0, 33.0]);
    }

    #[test]
    fn sums_over_lanes_and_rests() {
        for length in [1, 15, 16, 17, 100] {
            let mut row = numbers(length);
            let bias = numbers(length);
            let expected: Vec<f64> = row.iter().map(|value| 2.0 * f64::from(*value)).collect();
            assert!(
                (f64::from(dot(&row, &bias)) - expected.iter().map(|value| value * value / 4.0).sum::<f64>()) < 1e-4
            );
            let max = expected.iter().copied().fold(f64::MIN, f64::max);
            let sum = exponents(&mut row, Some(&bias));
            let expected: f64 = expected.iter().map(|value| (value - max).exp()).sum();
            assert!((f64::from(sum) - expected).abs() < 1e-4 * expected);
            let weight = vec![2.0; length];
            let mut normed = vec![0.0; length];
            layer_norm(&mut normed, &bias, &weight, 1e-6);
            let square: f32 = normed.iter().map(|value| value * value).sum::<f32>() / length as f32;
            assert!((square - 4.0).abs() < 1e-3);
        }
    }
}

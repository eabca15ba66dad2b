//! Products of matrices: the one place that calls the `gemm` crate.

use std::sync::Once;

use gemm_common::Parallelism;

/// A matrix that lies in a slice of f32, its rows and columns at fixed strides.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    values: &'a [f32],
    rows: usize,
    cols: usize,
    row_step: usize,
    col_step: usize,
}

impl<'a> View<'a> {
    /// A matrix in a slice, whose rows of `cols` values begin `step` values apart.
    pub(crate) fn rows(values: &'a [f32], rows: usize, cols: usize, step: usize) -> Self {
        Self::new(values, rows, cols, step, 1)
    }

    /// The transposed matrix, over the same values.
    pub(crate) fn transposed(self) -> Self {
        Self { rows: self.cols, cols: self.rows, row_step: self.col_step, col_step: self.row_step, ..self }
    }

    fn new(values: &'a [f32], rows: usize, cols: usize, row_step: usize, col_step: usize) -> Self {
        assert!(rows == 0 || cols == 0 || (rows - 1) * row_step + (cols - 1) * col_step < values.len());
        Self { values, rows, cols, row_step, col_step }
    }
}

/// `out[row][col] = (add ? out[row][col] : 0) + left · right`, where rows of `out` begin `step` values apart.
///
/// # Panics
/// If the matrices don't fit each other or their slices: a fault of this crate, never of its input.
pub(crate) fn multiply(out: &mut [f32], step: usize, left: View<'_>, right: View<'_>, add: bool) {
    let (rows, cols, depth) = (left.rows, right.cols, left.cols);
    assert_eq!(depth, right.rows);
    if rows == 0 || cols == 0 {
        return;
    }
    assert!(cols <= step && (rows - 1) * step + cols <= out.len());
    PACKING.call_once(|| gemm_common::gemm::set_lhs_packing_threshold_single_thread(MAX_PACKING_THRESHOLD));
    let gemm = gemm_f32::gemm::f32::get_gemm_fn();
    // SAFETY: the assertions here and in `View::new` keep all rows and columns within their slices; `out` is borrowed
    // mutably, so it overlaps neither of the others.
    unsafe {
        // The kernel wants its target column by column: out^T = right^T · left^T.
        gemm(
            cols,
            rows,
            depth,
            out.as_mut_ptr(),
            step as isize,
            1,
            add,
            right.values.as_ptr(),
            right.row_step as isize,
            right.col_step as isize,
            left.values.as_ptr(),
            left.row_step as isize,
            left.col_step as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// Groups of rows from which the kernel copies the right matrix into its own order: the most that it accepts, because
/// our matrices are in that order already.
const MAX_PACKING_THRESHOLD: usize = 256;
static PACKING: Once = Once::new();

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<f32> {
        (0..count).map(|index| ((index * 37 % 101) as f32 - 50.0) / 25.0).collect()
    }

    #[test]
    fn products_with_strides() {
        for (rows, depth, cols) in [(1, 1, 1), (1, 5, 7), (2, 8, 3), (3, 4, 40), (17, 33, 9), (64, 5, 64)] {
            let (left, right) = (numbers(rows * (depth + 3)), numbers(cols * (depth + 1)));
            let views =
                (View::rows(&left, rows, depth, depth + 3), View::rows(&right, cols, depth, depth + 1).transposed());
            let step = cols + 2;
            let mut out = vec![9.0; rows * step];
            multiply(&mut out, step, views.0, views.1, false);
            multiply(&mut out, step, views.0, views.1, true);
            for row in 0..rows {
                for col in 0..step {
                    let sum: f64 = (0..depth)
                        .map(|k| {
                            f64::from(left[row * (depth + 3) + k]) * f64::from(right[(col % cols) * (depth + 1) + k])
                        })
                        .sum();
                    let expected = if col < cols { 2.0 * sum } else { 9.0 };
                    assert!((f64::from(out[row * step + col]) - expected).abs() < 1e-4);
                }
            }
        }
    }
}

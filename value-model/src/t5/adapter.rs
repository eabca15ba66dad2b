//! Low-rank changes of shared weights ("low-rank adaptation", Hu et al. 2021): each matrix that is changed gets the product
//! of two narrow ones added, which are learned with what reads it, while the matrix itself stays the value model's.

use super::{Config, LoadError, Tensors, Weights};

/// A matrix that is changed: its name, and its numbers of rows (outputs) and columns (inputs).
pub(crate) type Adapted = (String, [usize; 2]);

/// The matrices of the first blocks of an encoder.
#[must_use]
pub(crate) fn adapted(encoder: &Config, blocks: usize) -> Vec<Adapted> {
    let (width, inner, wide) = (encoder.d_model, encoder.inner(), encoder.d_ff);
    let maps: &[&str] = if encoder.gated { &["wi_0", "wi_1"] } else { &["wi"] };
    let mut all = Vec::new();
    for block in 0..blocks {
        let attention = format!("encoder.block.{block}.layer.0.SelfAttention");
        let dense = format!("encoder.block.{block}.layer.1.DenseReluDense");
        all.extend(["q", "k", "v"].map(|name| (format!("{attention}.{name}.weight"), [inner, width])));
        all.push((format!("{attention}.o.weight"), [width, inner]));
        all.extend(maps.iter().map(|name| (format!("{dense}.{name}.weight"), [wide, width])));
        all.push((format!("{dense}.wo.weight"), [width, wide]));
    }
    all
}

/// Names of the two factors of a matrix's change: the first is applied first.
pub(crate) fn factors(matrix: &str) -> [String; 2] {
    ["down", "up"].map(|factor| format!("adapter.{}.{factor}", matrix.trim_end_matches(".weight")))
}

/// Names and shapes of the factors of all changes.
#[cfg(feature = "torch")]
pub(crate) fn factor_shapes(changed: &[Adapted], rank: usize) -> Vec<(String, [usize; 2])> {
    let of = |(matrix, [rows, columns]): &Adapted| {
        let [down, up] = factors(matrix);
        [(down, [rank, *columns]), (up, [*rows, rank])]
    };
    changed.iter().flat_map(of).collect()
}

/// Shared weights, without those of a decoder, with the changes of that rank that another file has.
///
/// # Errors
/// [`LoadError`] of a factor that is missing, of another shape, or not finite.
pub(crate) fn merge(
    shared: &Weights<'_>,
    own: &Weights<'_>,
    changed: &[Adapted],
    rank: usize,
) -> Result<Tensors, LoadError> {
    let mut merged = Tensors::new();
    for name in shared.weight_names().filter(|name| !name.starts_with("decoder.")) {
        let shape = shared.shape(name).unwrap_or_default().to_vec();
        let mut values = shared.values(name)?;
        if let Some((_, [rows, columns])) = changed.iter().find(|(of, _)| of == name) {
            let [down, up] = factors(name);
            let (down, up) = (own.table(&down, rank, *columns)?, own.table(&up, *rows, rank)?);
            for (row, factors) in values.chunks_exact_mut(*columns).zip(up.chunks_exact(rank)) {
                for (&factor, down) in factors.iter().zip(down.chunks_exact(*columns)) {
                    for (value, &down) in row.iter_mut().zip(down) {
                        *value += factor * down;
                    }
                }
            }
        }
        merged.add(name, &shape, &values)?;
    }
    Ok(merged)
}

//! Writing weights: safetensors, in f32 or with int8 matrices.

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView, serialize};

use super::error::LoadError;
use super::weights::{Weights, scale_name};

/// Tensors to be saved, by name.
#[derive(Clone, Debug, Default)]
pub struct Tensors {
    tensors: BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>,
}

impl Tensors {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tensor in f32, values row after row.
    ///
    /// # Errors
    /// [`LoadError::Shape`] if the shape has another number of values, [`LoadError::NotFinite`].
    pub fn add(&mut self, name: &str, shape: &[usize], values: &[f32]) -> Result<(), LoadError> {
        check(name, shape, values)?;
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.tensors.insert(name.into(), (Dtype::F32, shape.into(), bytes));
        Ok(())
    }

    /// Adds a matrix `[rows, cols]` in int8 with a scale for each row.
    ///
    /// # Errors
    /// As [`Tensors::add`].
    pub(crate) fn add_quantized(
        &mut self,
        name: &str,
        rows: usize,
        cols: usize,
        values: &[f32],
    ) -> Result<(), LoadError> {
        self.add_rounded(name, [rows, cols], values, i8::MAX)
    }

    /// Adds a matrix `[rows, cols]` in int8 of which only the values up to `levels` are used, with a scale for each row: few
    /// levels take little room where they are compressed.
    ///
    /// # Errors
    /// As [`Tensors::add`].
    pub(crate) fn add_rounded(
        &mut self,
        name: &str,
        [rows, cols]: [usize; 2],
        values: &[f32],
        levels: i8,
    ) -> Result<(), LoadError> {
        check(name, &[rows, cols], values)?;
        let (integers, scales) = quantize_to(values, cols, levels);
        let bytes = integers.into_iter().map(i8::cast_unsigned).collect();
        self.tensors.insert(name.into(), (Dtype::I8, vec![rows, cols], bytes));
        self.add(&scale_name(name), &[rows], &scales)
    }

    /// The weights of a model with each matrix in int8. Vectors (the norms) and the small tables of position biases
    /// stay in f32, and so do matrices that were int8 already, as they are.
    ///
    /// # Errors
    /// As [`Weights::values`].
    pub fn quantized(weights: &Weights) -> Result<Self, LoadError> {
        let mut tensors = Self::new();
        for name in weights.weight_names() {
            let shape = weights.shape(name).unwrap_or_default().to_vec();
            let values = weights.values(name)?;
            match shape[..] {
                [rows, cols] if !name.contains("relative_attention_bias") => {
                    tensors.add_quantized(name, rows, cols, &values)?;
                }
                _ => tensors.add(name, &shape, &values)?,
            }
        }
        Ok(tensors)
    }

    /// The mean of the weights of two models of one shape (Wortsman et al. 2022, section 3).
    ///
    /// # Errors
    /// [`LoadError::Missing`] or [`LoadError::Shape`] if `other` is of another shape; as [`Weights::values`].
    pub fn mean(weights: &Weights, other: &Weights) -> Result<Self, LoadError> {
        let mut tensors = Self::new();
        for name in weights.names() {
            let shape = weights.shape(name).unwrap_or_default();
            let found = other.shape(name).ok_or_else(|| LoadError::Missing(name.to_owned()))?;
            if found != shape {
                let (found, expected) = (found.to_vec(), shape.to_vec());
                return Err(LoadError::Shape { name: name.to_owned(), found, expected });
            }
            let pairs = weights.values(name)?.into_iter().zip(other.values(name)?);
            let values: Vec<f32> = pairs.map(|(one, another)| f32::midpoint(one, another)).collect();
            tensors.add(name, shape, &values)?;
        }
        Ok(tensors)
    }

    /// The bytes of a safetensors file.
    ///
    /// # Errors
    /// [`LoadError::TooLarge`] if the names alone take 100 MB.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LoadError> {
        let views = self.tensors.iter().map(|(name, (dtype, shape, bytes))| {
            TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name, view))
        });
        let views: Result<Vec<_>, _> = views.collect();
        // The key by which transformers knows that names and layouts are PyTorch's.
        let metadata = [("format".to_owned(), "pt".to_owned())].into();
        let bytes = views.and_then(|views| serialize(views, Some(metadata)));
        bytes.map_err(|error| LoadError::Damaged(error.to_string()))
    }

    /// Writes a safetensors file: under its name there is either the whole file or what was there before.
    ///
    /// # Errors
    /// [`LoadError::Io`], or as [`Tensors::to_bytes`].
    pub fn save(&self, path: &Path) -> Result<(), LoadError> {
        let bytes = self.to_bytes()?;
        crate::files::replace(path, &bytes).map_err(|source| LoadError::Io { path: path.into(), source })
    }
}

/// Int8 values and the scale of each row of `cols` values: the largest of a row becomes ±127, so that each value is
/// off by at most half of its row's scale.
pub fn quantize(values: &[f32], cols: usize) -> (Vec<i8>, Vec<f32>) {
    quantize_to(values, cols, i8::MAX)
}

/// The same with fewer values: the largest of a row becomes ±`levels`.
fn quantize_to(values: &[f32], cols: usize, levels: i8) -> (Vec<i8>, Vec<f32>) {
    let levels = f32::from(levels);
    let mut integers = Vec::with_capacity(values.len());
    let scales = values.chunks(cols.max(1)).map(|row| {
        let largest = row.iter().fold(0.0, |largest: f32, value| largest.max(value.abs()));
        // A row of zeros, or of values too small to divide by, is a row of zeros.
        let scale = if largest < f32::MIN_POSITIVE * 127.0 { 0.0 } else { largest / levels };
        let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        integers.extend(row.iter().map(|value| (value * inverse).round() as i8));
        scale
    });
    let scales = scales.collect();
    (integers, scales)
}

fn check(name: &str, shape: &[usize], values: &[f32]) -> Result<(), LoadError> {
    if shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size)) != Some(values.len()) {
        let (name, found, expected) = (name.into(), vec![values.len()], shape.into());
        return Err(LoadError::Shape { name, found, expected });
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(LoadError::NotFinite(name.into()));
    }
    Ok(())
}

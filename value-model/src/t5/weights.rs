//! Weights as files hold them: tensors by name, in f32, f16, bf16, or int8 with a scale for each row.
//!
//! The int8 format is our own: next to the tensor `NAME` of type I8 and shape `[rows, cols]` lies `NAME.scale` of type
//! F32 and shape `[rows]`; a weight is `scale[row] * value`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use half::f16;
use safetensors::tensor::{Dtype as SafeDtype, SafeTensorError, SafeTensors};

use super::config::Config;
use super::error::LoadError;

/// A T5 of 256 blocks has some 5,000 tensors, with int8 scales twice that.
pub(super) const MAX_TENSORS: usize = 1 << 16;

/// Name of the head, which files lack whose embedding is the head.
pub(crate) const HEAD: &str = "lm_head.weight";

/// Tensors by name. Values are decoded when a model asks for them.
#[derive(Clone, Debug)]
pub struct Weights<'a> {
    bytes: Cow<'a, [u8]>,
    entries: BTreeMap<String, Entry>,
}

/// Type, shape and place of a tensor in the bytes, where it lies in rows without gaps, little-endian.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) range: Range<usize>,
}

/// Type of a tensor's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Dtype {
    F32,
    F16,
    Bf16,
    I8,
    /// A type of the file format that weights cannot have.
    Other(String),
}

impl Dtype {
    fn name(&self) -> &str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::Bf16 => "BF16",
            Self::I8 => "I8",
            Self::Other(name) => name,
        }
    }
}

/// A matrix in its stored type, whose rows are decoded when they are asked for.
#[derive(Clone, Debug)]
pub(super) enum Matrix {
    Float { values: Vec<f32>, cols: usize },
    Int8 { values: Vec<i8>, scales: Vec<f32>, cols: usize },
}

impl Matrix {
    /// Writes row `index` to `out`.
    pub(super) fn row(&self, index: usize, out: &mut [f32]) {
        match self {
            Self::Float { values, cols } => out.copy_from_slice(&values[index * cols..][..*cols]),
            Self::Int8 { values, scales, cols } => {
                let scale = scales[index];
                for (out, value) in out.iter_mut().zip(&values[index * cols..][..*cols]) {
                    *out = f32::from(*value) * scale;
                }
            }
        }
    }
}

impl<'a> Weights<'a> {
    /// The tensors of a safetensors file in memory, for example of the built-in model.
    ///
    /// # Errors
    /// [`LoadError::Truncated`], [`LoadError::TooLarge`] (the header) or [`LoadError::Damaged`].
    pub fn from_safetensors(bytes: impl Into<Cow<'a, [u8]>>) -> Result<Self, LoadError> {
        let bytes = bytes.into();
        let entries = read_header(&bytes)?;
        Ok(Self { bytes, entries })
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn from_parts(bytes: Vec<u8>, entries: BTreeMap<String, Entry>) -> Self {
        Self { bytes: bytes.into(), entries }
    }

    /// Names of all tensors, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Names of all weights, sorted: those of the scales of int8 tensors are left out.
    pub(crate) fn weight_names(&self) -> impl Iterator<Item = &str> {
        self.names().filter(|name| !name.strip_suffix(".scale").is_some_and(|of| self.has(of)))
    }

    /// The shape of a tensor.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.entries.get(name).map(|entry| entry.shape.as_slice())
    }

    /// All values of a tensor in f32, row after row.
    ///
    /// # Errors
    /// [`LoadError::Missing`], [`LoadError::Dtype`], [`LoadError::Shape`] (of an int8 tensor's scales) or
    /// [`LoadError::NotFinite`].
    pub fn values(&self, name: &str) -> Result<Vec<f32>, LoadError> {
        let entry = self.entry(name)?;
        if entry.dtype == Dtype::I8 {
            let [rows, cols] = entry.shape[..] else {
                return Err(LoadError::Dtype { name: name.into(), found: "I8".into(), expected: "F32, F16 or BF16" });
            };
            let matrix = self.matrix(name, rows, cols)?;
            let mut values = vec![0.0; rows * cols];
            for (row, out) in values.chunks_exact_mut(cols.max(1)).enumerate() {
                matrix.row(row, out);
            }
            return Ok(values);
        }
        self.floats(name, entry)
    }

    /// The values of a vector, which must have that length.
    pub(crate) fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, LoadError> {
        let entry = self.shaped(name, &[length])?;
        self.floats(name, entry)
    }

    /// The values of a small matrix in f32, which must have that shape.
    pub(crate) fn table(&self, name: &str, rows: usize, cols: usize) -> Result<Vec<f32>, LoadError> {
        self.shaped(name, &[rows, cols])?;
        self.values(name)
    }

    /// A matrix in its stored type, which must have that shape.
    pub(super) fn matrix(&self, name: &str, rows: usize, cols: usize) -> Result<Matrix, LoadError> {
        let entry = self.shaped(name, &[rows, cols])?;
        if entry.dtype == Dtype::I8 {
            let scales = self.vector(&scale_name(name), rows)?;
            let values = self.bytes[entry.range.clone()].iter().map(|byte| byte.cast_signed()).collect();
            return Ok(Matrix::Int8 { values, scales, cols });
        }
        Ok(Matrix::Float { values: self.floats(name, entry)?, cols })
    }

    /// The name of the embedding: safetensors files name a shared tensor once, under any of its names.
    pub(crate) fn embedding(&self) -> &'static str {
        let names = ["shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"];
        names.into_iter().find(|name| self.has(name)).unwrap_or(names[0])
    }

    /// Whether the head is another matrix than the embedding.
    pub(crate) fn has_own_head(&self, config: &Config) -> bool {
        if self.has(HEAD) { !self.same(HEAD, self.embedding()) } else { !config.tied_head }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Whether two tensors hold the same bytes: published files repeat the embedding under several names.
    pub(super) fn same(&self, left: &str, right: &str) -> bool {
        let bytes = |name: &str| {
            let entry = self.entries.get(name)?;
            let scale = self.entries.get(&scale_name(name)).map(|entry| &self.bytes[entry.range.clone()]);
            Some((&entry.dtype, &entry.shape, &self.bytes[entry.range.clone()], scale))
        };
        bytes(left).is_some_and(|left| Some(left) == bytes(right))
    }

    fn entry(&self, name: &str) -> Result<&Entry, LoadError> {
        self.entries.get(name).ok_or_else(|| LoadError::Missing(name.into()))
    }

    fn shaped(&self, name: &str, expected: &[usize]) -> Result<&Entry, LoadError> {
        let entry = self.entry(name)?;
        if entry.shape != expected {
            let (name, found, expected) = (name.into(), entry.shape.clone(), expected.into());
            return Err(LoadError::Shape { name, found, expected });
        }
        Ok(entry)
    }

    fn floats(&self, name: &str, entry: &Entry) -> Result<Vec<f32>, LoadError> {
        let bytes = &self.bytes[entry.range.clone()];
        let halves = || bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
        let values: Vec<f32> = match entry.dtype {
            Dtype::F32 => bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect(),
            Dtype::F16 => halves().map(|half| f16::from_bits(half).to_f32()).collect(),
            Dtype::Bf16 => halves().map(|half| f32::from_bits(u32::from(half) << 16)).collect(),
            Dtype::I8 | Dtype::Other(_) => {
                let found = entry.dtype.name().into();
                return Err(LoadError::Dtype { name: name.into(), found, expected: "F32, F16 or BF16" });
            }
        };
        // The product is 0 for each finite value and NaN for all others, and a sum of it needs no branch.
        let check = values.chunks(1024).all(|part| part.iter().map(|value| value * 0.0).sum::<f32>() == 0.0);
        if check { Ok(values) } else { Err(LoadError::NotFinite(name.into())) }
    }
}

/// Name of the tensor that holds an int8 tensor's scales.
pub(super) fn scale_name(name: &str) -> String {
    format!("{name}.scale")
}

fn read_header(bytes: &[u8]) -> Result<BTreeMap<String, Entry>, LoadError> {
    let (header, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| describe(&error, bytes))?;
    let tensors = metadata.tensors();
    if tensors.len() > MAX_TENSORS {
        let what = "the list of tensors".into();
        return Err(LoadError::TooLarge { what, size: tensors.len() as u64, limit: MAX_TENSORS as u64 });
    }
    let data = header + size_of::<u64>();
    let entry = |info: &safetensors::tensor::TensorInfo| {
        let dtype = match info.dtype {
            SafeDtype::F32 => Dtype::F32,
            SafeDtype::F16 => Dtype::F16,
            SafeDtype::BF16 => Dtype::Bf16,
            SafeDtype::I8 => Dtype::I8,
            other => Dtype::Other(other.to_string()),
        };
        Entry { dtype, shape: info.shape.clone(), range: data + info.data_offsets.0..data + info.data_offsets.1 }
    };
    Ok(tensors.into_iter().map(|(name, info)| (name, entry(info))).collect())
}

/// Tells files that are cut off apart from damaged ones, in the errors of the crate `safetensors`.
fn describe(error: &SafeTensorError, bytes: &[u8]) -> LoadError {
    match error {
        SafeTensorError::HeaderTooSmall | SafeTensorError::InvalidHeaderLength => {
            LoadError::Truncated("the file ends within its header".into())
        }
        SafeTensorError::HeaderTooLarge => {
            let size = bytes.first_chunk().map_or(0, |size| u64::from_le_bytes(*size));
            LoadError::TooLarge { what: "the header".into(), size, limit: 100_000_000 }
        }
        SafeTensorError::MetadataIncompleteBuffer => {
            LoadError::Truncated(format!("{} bytes are not what the header announces", bytes.len()))
        }
        other => LoadError::Damaged(other.to_string()),
    }
}

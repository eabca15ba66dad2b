//! What pickles of tensors are made of: values, the few names they may mention, and views of storages.

use super::error::LoadError;
use super::pickle::damaged;
use super::weights::Dtype;

/// A value. Containers and tensors are numbers of entries in the machine that runs the pickle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'p> {
    None,
    Bool(bool),
    Int(i64),
    /// More than eight bytes, little-endian.
    Long(&'p [u8]),
    Float,
    Str(&'p str),
    Global(Global),
    Tuple(usize),
    List(usize),
    Dict(usize),
    Storage(usize),
    Tensor(usize),
}

/// Names that may be called or mentioned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Global {
    OrderedDict,
    RebuildTensor,
    RebuildParameter,
    Storage(Element),
}

/// Types of elements, as `PyTorch`'s storages name them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Element {
    name: &'static str,
    pub(super) bytes: usize,
}

impl Element {
    pub(super) fn dtype(self) -> Dtype {
        match self.name {
            "FloatStorage" => Dtype::F32,
            "HalfStorage" => Dtype::F16,
            "BFloat16Storage" => Dtype::Bf16,
            "CharStorage" => Dtype::I8,
            other => Dtype::Other(other.into()),
        }
    }
}

const ELEMENTS: [Element; 9] = [
    Element { name: "FloatStorage", bytes: 4 },
    Element { name: "HalfStorage", bytes: 2 },
    Element { name: "BFloat16Storage", bytes: 2 },
    Element { name: "DoubleStorage", bytes: 8 },
    Element { name: "LongStorage", bytes: 8 },
    Element { name: "IntStorage", bytes: 4 },
    Element { name: "CharStorage", bytes: 1 },
    Element { name: "ByteStorage", bytes: 1 },
    Element { name: "BoolStorage", bytes: 1 },
];

/// Memory that tensors view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Storage<'p> {
    pub(super) key: &'p str,
    pub(super) element: Element,
    pub(super) count: usize,
}

/// A view of a storage; sizes and offsets in elements.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub(super) storage: usize,
    pub(super) offset: usize,
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<usize>,
}

impl Tensor {
    /// Number of elements, if all lie within a storage of `available` and are not more than it holds.
    pub(super) fn reach(&self, available: usize) -> Option<usize> {
        if self.shape.len() != self.strides.len() {
            return None;
        }
        let count = self.shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size))?;
        if count == 0 {
            return (self.offset <= available).then_some(0);
        }
        let mut last = self.offset;
        for (size, stride) in self.shape.iter().zip(&self.strides) {
            last = last.checked_add(stride.checked_mul(size - 1)?)?;
        }
        (last < available && count <= available).then_some(count)
    }

    /// Whether elements lie without gaps, the last dimension fastest.
    pub(super) fn is_contiguous(&self) -> bool {
        if self.shape.contains(&0) {
            return true;
        }
        let mut expected = 1;
        self.shape.iter().zip(&self.strides).rev().all(|(size, stride)| {
            let fits = *size == 1 || *stride == expected;
            expected *= size;
            fits
        })
    }

    /// Appends all elements, the last dimension fastest. The tensor must be within `bytes`.
    pub(super) fn gather(&self, bytes: &[u8], width: usize, out: &mut Vec<u8>) {
        let mut index = vec![0; self.shape.len()];
        loop {
            let at: usize = index.iter().zip(&self.strides).map(|(index, stride)| index * stride).sum();
            out.extend_from_slice(&bytes[at * width..][..width]);
            let Some(dimension) =
                (0..index.len()).rev().find(|dimension| index[*dimension] + 1 < self.shape[*dimension])
            else {
                return;
            };
            index[dimension] += 1;
            index[dimension + 1..].fill(0);
        }
    }
}

/// The names that are known; each other one could be a function that does anything.
pub(super) fn global(module: &str, name: &str) -> Result<Global, LoadError> {
    match (module, name) {
        ("collections", "OrderedDict") => Ok(Global::OrderedDict),
        ("torch._utils", "_rebuild_tensor_v2") => Ok(Global::RebuildTensor),
        ("torch._utils", "_rebuild_parameter") => Ok(Global::RebuildParameter),
        ("torch", _) => ELEMENTS
            .iter()
            .find(|element| element.name == name)
            .map(|element| Global::Storage(*element))
            .ok_or_else(|| LoadError::RunsCode(format!("torch.{name}"))),
        _ => Err(LoadError::RunsCode(format!("{module}.{name}"))),
    }
}

/// An integer of any size, little-endian.
pub(super) fn long(bytes: &[u8]) -> Value<'_> {
    if bytes.len() > size_of::<i64>() {
        return Value::Long(bytes);
    }
    let negative = bytes.last().is_some_and(|last| *last >= 0x80);
    let mut filled = [if negative { 0xff } else { 0 }; 8];
    filled[..bytes.len()].copy_from_slice(bytes);
    Value::Int(i64::from_le_bytes(filled))
}

/// A size, offset or stride.
pub(super) fn whole(value: Value<'_>) -> Result<usize, LoadError> {
    let size = if let Value::Int(size) = value { usize::try_from(size).ok() } else { None };
    size.ok_or_else(|| damaged("a size that is not a whole number"))
}

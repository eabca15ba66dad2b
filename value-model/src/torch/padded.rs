//! Windows as tensors.

use tch::{Device, Tensor};

use crate::encoding::Window;

/// Value that is added to the attention scores of padding.
const NOWHERE: f32 = -1e9;

/// Windows, padded on the right.
#[derive(Debug)]
pub struct Padded {
    /// Tokens, `[rows, length]`.
    pub ids: Tensor,
    /// `[rows, length]`: 0 for a token, very negative for padding.
    pub mask: Tensor,
    /// Marks that are asked, `[rows, queries]`.
    pub marks: Tensor,
}

impl Padded {
    /// Pads windows to the longest with the token `pad`.
    pub fn new<'a>(windows: impl ExactSizeIterator<Item = &'a Window> + Clone, pad: u32) -> Self {
        let rows = windows.len();
        let length = windows.clone().map(|window| window.ids.len()).max().unwrap_or(0);
        let queries = windows.clone().map(|window| window.asked.len()).max().unwrap_or(0);
        let mut ids = vec![i64::from(pad); rows * length];
        let mut mask = vec![NOWHERE; rows * length];
        let mut marks = vec![i64::from(pad); rows * queries];
        for (row, window) in windows.enumerate() {
            for (at, &id) in window.ids.iter().enumerate() {
                ids[row * length + at] = i64::from(id);
                mask[row * length + at] = 0.0;
            }
            for (at, &(_, mark)) in window.asked.iter().enumerate() {
                marks[row * queries + at] = i64::from(mark);
            }
        }
        let shape = |columns: usize| [rows as i64, columns as i64];
        Self {
            ids: Tensor::from_slice(&ids).view(shape(length)),
            mask: Tensor::from_slice(&mask).view(shape(length)),
            marks: Tensor::from_slice(&marks).view(shape(queries)),
        }
    }

    /// Copies the tensors to a device.
    #[must_use]
    pub fn to(&self, device: Device) -> Self {
        let [ids, mask, marks] = [&self.ids, &self.mask, &self.marks].map(|tensor| tensor.to_device(device));
        Self { ids, mask, marks }
    }
}

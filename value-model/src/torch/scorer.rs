//! Answers with libtorch.

use std::sync::{Mutex, PoisonError};

use tch::{Device, Kind, Tensor, no_grad};

use super::{Dimensions, Net, Padded};
use crate::encoding::{Vocabulary, Window};
use crate::t5::{Config, LoadError, Weights};

/// Windows of one pass: more would only take more memory.
const TOGETHER: usize = 256;

/// A model on a device. Whoever asks waits for whoever asked before: the device is one.
pub struct Scorer {
    net: Mutex<(Net, Tensor)>,
    pad: u32,
}

impl Scorer {
    /// Puts a model on a device.
    ///
    /// # Errors
    /// [`LoadError`]: the model is of a kind that [`Net`] does not know, or its weights do not fit.
    pub fn new(
        config: &Config,
        weights: &Weights<'_>,
        vocabulary: &Vocabulary,
        device: Device,
    ) -> Result<Self, LoadError> {
        let mut net = Net::new(Dimensions::of(config)?, vocabulary.marks(), device);
        net.load(weights)?;
        let classes: Vec<i64> = vocabulary.classes().iter().map(|&class| class.into()).collect();
        let classes = Tensor::from_slice(&classes).to_device(device);
        Ok(Self { net: Mutex::new((net, classes)), pad: vocabulary.pad() })
    }

    /// Logits of the classes for each mark of each window, in their order.
    #[must_use]
    pub fn logits(&self, windows: &[Window]) -> Vec<f32> {
        let held = self.net.lock().unwrap_or_else(PoisonError::into_inner);
        let (net, classes) = &*held;
        let width = classes.size()[0] as usize;
        let mut all = Vec::new();
        for part in windows.chunks(TOGETHER) {
            let padded = Padded::new(part.iter(), self.pad);
            let logits = no_grad(|| net.forward(&padded, classes)).to_device(Device::Cpu).to_kind(Kind::Float);
            let logits = logits.contiguous();
            let mut numbers = vec![0_f32; logits.numel()];
            logits.copy_data(&mut numbers, logits.numel());
            let queries = padded.marks.size()[1] as usize;
            for (row, window) in part.iter().enumerate() {
                let start = row * queries * width;
                all.extend_from_slice(&numbers[start..start + window.asked.len() * width]);
            }
        }
        all
    }
}

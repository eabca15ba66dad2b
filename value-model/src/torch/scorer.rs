//! Predicting with libtorch.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

use tch::{Device, Kind, Tensor, no_grad};

use super::{Net, Padded};
use crate::encoding::{Vocabulary, Window};
use crate::t5::{Config, LoadError, Weights};

/// Most windows of one pass: more would only take more memory.
const TOGETHER: usize = 256;

/// A model on a device, which answers in one pass what many threads asked while it was busy.
pub struct Scorer {
    net: Mutex<(Net, Tensor)>,
    waiting: Mutex<Vec<Request>>,
    pad: u32,
}

/// The windows that one thread asks about, and the channel for the answer.
struct Request {
    windows: Vec<Window>,
    answer: Sender<Vec<f32>>,
}

impl Scorer {
    /// Puts a model on a device.
    ///
    /// # Errors
    /// [`LoadError`]: its weights do not fit.
    pub fn new(
        config: &Config,
        weights: &Weights<'_>,
        vocabulary: &Vocabulary,
        device: Device,
    ) -> Result<Self, LoadError> {
        let net = Net::open(config, weights, device)?;
        let classes: Vec<i64> = vocabulary.classes().iter().map(|&class| class.into()).collect();
        let classes = Tensor::from_slice(&classes).to_device(device);
        Ok(Self { net: Mutex::new((net, classes)), waiting: Mutex::default(), pad: vocabulary.pad() })
    }

    /// Logits of the classes for each mark of each window, in their order.
    pub fn logits(&self, windows: Vec<Window>) -> Vec<f32> {
        let (answer, answered) = channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(Request { windows, answer });
        let held = self.net.lock().unwrap_or_else(PoisonError::into_inner);
        // Who had the model before may have answered.
        if let Ok(logits) = answered.try_recv() {
            return logits;
        }
        let requests = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let (net, classes) = &*held;
        answer_all(net, classes, self.pad, &requests);
        answered.try_recv().unwrap_or_default()
    }
}

/// Answers all requests, in passes over windows of about one length.
fn answer_all(net: &Net, classes: &Tensor, pad: u32, requests: &[Request]) {
    let all: Vec<&Window> = requests.iter().flat_map(|request| &request.windows).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&number| all[number].ids.len());
    let mut logits = vec![Vec::new(); all.len()];
    for part in order.chunks(TOGETHER) {
        let windows: Vec<&Window> = part.iter().map(|&number| all[number]).collect();
        for (&number, found) in part.iter().zip(pass(net, classes, pad, &windows)) {
            logits[number] = found;
        }
    }
    let mut logits = logits.into_iter();
    for request in requests {
        // A thread that asked waits for its answer.
        let _ = request.answer.send(logits.by_ref().take(request.windows.len()).flatten().collect());
    }
}

/// Runs one pass, and returns the logits of each window's marks.
fn pass(net: &Net, classes: &Tensor, pad: u32, windows: &[&Window]) -> Vec<Vec<f32>> {
    let width = classes.size()[0] as usize;
    let padded = Padded::new(windows.iter().copied(), pad);
    let logits = no_grad(|| net.forward(&padded, classes)).to_device(Device::Cpu).to_kind(Kind::Float);
    let logits = logits.contiguous();
    let mut numbers = vec![0_f32; logits.numel()];
    logits.copy_data(&mut numbers, logits.numel());
    let row = padded.marks.size()[1] as usize * width;
    let of_row = |(number, window): (usize, &&Window)| numbers[number * row..][..window.asked.len() * width].to_vec();
    windows.iter().enumerate().map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::t5::T5;

    #[test]
    fn threads_that_ask_at_once_get_what_they_would_get_alone() {
        let _lock = crate::torch::lock();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/codet5");
        let vocabulary = Vocabulary::open(&folder).expect("a tokenizer");
        let (config, weights) = T5::parts(&folder).expect("a model");
        let scorer = Scorer::new(&config, &weights, &vocabulary, Device::Cpu).expect("its weights");
        let mark = vocabulary.marks()[0];
        let window = |length: u32| Window { ids: (5..length).chain([mark]).collect(), asked: vec![(0, mark)] };
        let asked: Vec<Vec<Window>> =
            (0..8_u32).map(|thread| (0..thread).map(|number| window(90 - 11 * number - thread)).collect()).collect();
        let single: Vec<Vec<f32>> = asked.iter().map(|windows| scorer.logits(windows.clone())).collect();
        let busy = scorer.net.lock().expect("nothing failed");
        let together: Vec<Vec<f32>> = std::thread::scope(|scope| {
            let handles: Vec<_> = asked.iter().map(|windows| scope.spawn(|| scorer.logits(windows.clone()))).collect();
            while scorer.waiting.lock().expect("nothing failed").len() < asked.len() {
                std::thread::yield_now();
            }
            drop(busy);
            handles.into_iter().map(|handle| handle.join().expect("an answer")).collect()
        });
        for (single, together) in single.iter().zip(&together) {
            assert_eq!(single.len(), together.len());
            let apart = single.iter().zip(together).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-4, "{apart} apart");
        }
    }
}

//! The T5 that says how likely conditions are ([`crate::invariants::reranker`]), to train it.

use std::collections::BTreeMap;

use tch::{Device, Kind, Tensor};

use super::adapted::AdaptedEncoder;
use super::layers::Layers;
use super::shapes::{Weight, shapes};
use crate::invariants::reranker::RerankerConfig;
use crate::t5::LoadError;

/// Value that is added to the attention scores of padding.
const NOWHERE: f32 = -1e9;

/// Questions with the texts to be written, padded.
#[derive(Debug)]
pub struct Asking {
    /// Tokens that are read, `[rows, read]`.
    questions: Tensor,
    /// 0 for a token, very negative for padding.
    mask: Tensor,
    /// Tokens to be written, each text with its end, `[texts, length]`; the first `rows` texts are those of the rows.
    texts: Tensor,
    /// 1 for a token of a text, 0 for padding.
    written: Tensor,
    /// Row of each text.
    rows: Tensor,
}

impl Asking {
    /// Pads questions, each with a text, and further texts, each with the number of its question.
    #[must_use]
    pub fn new(questions: &[(&[u16], &[u16])], more: &[(usize, &[u16])], pad: u32, end: u32) -> Self {
        let read = questions.iter().map(|(question, _)| question.len()).max().unwrap_or(0);
        let texts: Vec<(usize, &[u16])> =
            questions.iter().map(|(_, text)| *text).enumerate().chain(more.iter().copied()).collect();
        let length = texts.iter().map(|(_, text)| text.len() + 1).max().unwrap_or(1);
        let mut ids = vec![i64::from(pad); questions.len() * read];
        let mut mask = vec![NOWHERE; questions.len() * read];
        for (row, (question, _)) in questions.iter().enumerate() {
            for (at, &id) in question.iter().enumerate() {
                ids[row * read + at] = i64::from(id);
                mask[row * read + at] = 0.0;
            }
        }
        let mut written = vec![0.0_f32; texts.len() * length];
        let mut targets = vec![i64::from(pad); texts.len() * length];
        for (number, (_, text)) in texts.iter().enumerate() {
            for (at, id) in text.iter().map(|&id| i64::from(id)).chain([i64::from(end)]).enumerate() {
                targets[number * length + at] = id;
                written[number * length + at] = 1.0;
            }
        }
        let rows: Vec<i64> = texts.iter().map(|(row, _)| *row as i64).collect();
        let matrix = |tensor: Tensor, columns: usize| tensor.view([-1, columns as i64]);
        Self {
            questions: matrix(Tensor::from_slice(&ids), read),
            mask: matrix(Tensor::from_slice(&mask), read),
            texts: matrix(Tensor::from_slice(&targets), length),
            written: matrix(Tensor::from_slice(&written), length),
            rows: Tensor::from_slice(&rows),
        }
    }

    /// Copies the tensors to a device.
    #[must_use]
    pub fn to(&self, device: Device) -> Self {
        let of = |tensor: &Tensor| tensor.to_device(device);
        let Self { questions, mask, texts, written, rows } = self;
        Self { questions: of(questions), mask: of(mask), texts: of(texts), written: of(written), rows: of(rows) }
    }
}

/// The model on a device.
pub struct RerankerNet {
    /// Its sizes.
    pub config: RerankerConfig,
    /// What is learned: factors of the changes of the encoder, and the decoder.
    pub weights: BTreeMap<String, Tensor>,
    shared: AdaptedEncoder,
    device: Device,
    products: Kind,
}

impl RerankerNet {
    /// Makes a model with a random decoder, drawn from torch's generator, and the value model's encoder.
    ///
    /// # Errors
    /// [`LoadError`] of the value model's weights.
    pub fn new(config: RerankerConfig, device: Device, products: Kind) -> Result<Self, LoadError> {
        let (shape, shared, _) = config.parts();
        let decoder = shapes(&shape, false).into_iter().filter(|weight| weight.name.starts_with("decoder."));
        let made = decoder.map(|Weight { name, shape: [rows, columns], deviation }| {
            let on = (Kind::Float, device);
            let tensor = if deviation == 0.0 {
                Tensor::ones([rows], on)
            } else {
                Tensor::randn([rows, columns], on) * deviation
            };
            (name, tensor)
        });
        let mut weights: BTreeMap<String, Tensor> = made.collect();
        let changed = RerankerConfig::changed(&shape, &shared);
        let shared = AdaptedEncoder::new(shape, &shared, changed, device)?;
        weights.extend(shared.factors(config.rank, device));
        let weights = weights.into_iter().map(|(name, tensor)| (name, tensor.set_requires_grad(true))).collect();
        Ok(Self { config, weights, shared, device, products })
    }

    /// The device that it is on.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Logarithms of the probabilities of the texts, `[texts]`, and 1 for each text whose tokens are all the likeliest.
    pub fn forward(&self, asking: &Asking) -> (Tensor, Tensor) {
        let merged = self.shared.merged(&self.weights);
        let layers = Layers { config: &self.shared.shape, weights: &merged, products: self.products, dropout: 0.0 };
        let encoded = layers.encode(&asking.questions, &asking.mask);
        let (memory, mask) = (encoded.index_select(0, &asking.rows), asking.mask.index_select(0, &asking.rows));
        let length = asking.texts.size()[1];
        let start = i64::from(self.shared.shape.decoder_start_token_id);
        let starts = asking.texts.select(1, 0).full_like(start).unsqueeze(1);
        let given = Tensor::cat(&[&starts, &asking.texts.narrow(1, 0, length - 1)], 1);
        let states = layers.decode_sequences(&given, &memory, &mask);
        let scale = (self.shared.shape.d_model as f64).powf(-0.5);
        let head = merged["shared.weight"].to_kind(self.products);
        let logits = (states * scale).matmul(&head.transpose(0, 1));
        let likely = logits.log_softmax(-1, Kind::Float);
        let each = likely.gather(-1, &asking.texts.unsqueeze(-1), false).squeeze_dim(-1);
        let over = [1_i64];
        let sums = (&each * &asking.written).sum_dim_intlist(over.as_slice(), false, Kind::Float);
        let first = likely.argmax(-1, false).eq_tensor(&asking.texts).to_kind(Kind::Float);
        let right = (first + 1.0 - &asking.written).clamp_max(1.0).amin(over.as_slice(), false);
        (sums, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invariants::reranker::Reranker;
    use crate::t5::{Tensors, Weights};

    /// Random weights, through both implementations, on each device that is there.
    #[test]
    fn both_implementations_agree() {
        let _lock = crate::torch::lock();
        tch::manual_seed(3);
        let config = RerankerConfig { rank: 4, decoder_layers: 2 };
        let vocabulary = config.parts().2;
        let conditions = ["x is not None", "x is None", "len(other.items) > 0", "x"];
        let short = |text: &str| -> Vec<u16> { vocabulary.encode(text).ids.iter().map(|&id| id as u16).collect() };
        let texts: Vec<Vec<u16>> = conditions.iter().map(|text| short(text)).collect();
        let questions =
            [short("def f(x):\n    return x.y"), short("def g(other, x):\n    x = other.items[0]\n    x()")];
        for device in crate::torch::devices() {
            let mut net = RerankerNet::new(config, device, Kind::Float).expect("the value model's encoder");
            for (name, tensor) in &mut net.weights {
                if name.rsplit('.').next() == Some("up") {
                    let drawn = Tensor::randn(tensor.size(), (Kind::Float, device)) * 0.02;
                    tch::no_grad(|| tensor.copy_(&drawn));
                }
            }
            let mut tensors = Tensors::new();
            for (name, tensor) in &net.weights {
                let shape: Vec<usize> = tensor.size().iter().map(|&size| size as usize).collect();
                let values: Vec<f32> =
                    Vec::try_from(tensor.detach().to_device(Device::Cpu).flatten(0, -1)).expect("numbers");
                tensors.add(name, &shape, &values).expect("whole");
            }
            let weights = Weights::from_safetensors(tensors.to_bytes().expect("bytes")).expect("weights");
            let reranker = Reranker::load(config, &weights).expect("a model");
            let asked: Vec<(&[u16], &[u16])> =
                questions.iter().zip(&texts).map(|(one, text)| (&**one, &**text)).collect();
            let more = [(1, &*texts[2]), (0, &*texts[3])];
            let asking = Asking::new(&asked, &more, vocabulary.pad(), vocabulary.separator()).to(device);
            let (likely, _) = tch::no_grad(|| net.forward(&asking));
            let found: Vec<f32> = Vec::try_from(likely.to_device(Device::Cpu)).expect("numbers");
            for (number, (row, condition)) in [(0, 0), (1, 1), (1, 2), (0, 3)].into_iter().enumerate() {
                let expected = reranker.likelihoods(&questions[row], &[conditions[condition]]).expect("an answer")[0];
                // One of them computes in int8.
                let apart = (expected - found[number]).abs() / expected.abs();
                assert!(apart < 0.03, "{device:?}, {number}: {expected} and {}", found[number]);
            }
            let together = reranker.likelihoods(&questions[0], &conditions).expect("answers");
            let alone = reranker.likelihoods(&questions[0], &conditions[2..3]).expect("an answer");
            assert!((together[2] - alone[0]).abs() < 1e-3, "{together:?} {alone:?}");
        }
    }
}

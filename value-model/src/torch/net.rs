//! A T5 (Raffel et al. 2020) in tch that answers which class a marked site has.

use std::collections::BTreeMap;

use tch::{Device, Kind, Tensor, no_grad};

use super::Padded;
use super::layers::{Layers, POSITIONS};
use super::positions::near_by;
use super::shapes::{Weight, check, name_in, shapes};
use crate::t5::{Config, HEAD, LoadError, Weights};

/// Standard deviation of the marks' embeddings; those of other tokens have 0.3.
const MARK: f64 = 2.0;
/// Expected score of a state with itself in the first cross-attention, before training.
const OWN_SCORE: f64 = 16.0;

/// A model on a device.
pub struct Net {
    /// Shape of the model.
    pub config: Config,
    /// Weights by the names of transformers.
    pub weights: BTreeMap<String, Tensor>,
    pub(super) device: Device,
    /// Type in which products are computed; weights, sums and norms are f32.
    products: Kind,
}

impl Net {
    /// Makes a model with random weights, drawn from torch's generator.
    ///
    /// Weights start so that the decoder attends to where its mark stands (marks have large embeddings, which survive in
    /// the encoder's states, and the first cross-attention has equal maps of queries and keys), and so that half of the
    /// encoder's heads attend to what is near. Otherwise the first hours of training on a CPU go into learning that.
    pub fn new(config: &Config, own_head: bool, marks: &[u32], device: Device) -> Self {
        let on = (Kind::Float, device);
        let weights = shapes(config, own_head).into_iter().map(|Weight { name, shape: [rows, columns], deviation }| {
            // Norms are vectors.
            let tensor = if deviation == 0.0 {
                Tensor::ones([rows], on)
            } else {
                Tensor::randn([rows, columns], on) * deviation
            };
            (name, tensor)
        });
        let mut weights: BTreeMap<String, Tensor> = weights.collect();
        let [d, head, inner] = [config.d_model, config.d_kv, config.inner()].map(|size| size as i64);
        let rows: Vec<i64> = marks.iter().map(|&mark| mark.into()).collect();
        let rows = Tensor::from_slice(&rows).to_device(device);
        let large = Tensor::randn([marks.len() as i64, d], on) * MARK;
        let _ = weights["shared.weight"].shallow_clone().index_copy_(0, &rows, &large);
        let cross = "decoder.block.0.layer.1.EncDecAttention";
        let same = Tensor::randn([inner, d], on) * (OWN_SCORE / (head * d) as f64).sqrt();
        weights.insert(format!("{cross}.k.weight"), same.copy());
        weights.insert(format!("{cross}.q.weight"), same);
        let own = weights["decoder.block.0.layer.0.SelfAttention.o.weight"].zeros_like();
        weights.insert("decoder.block.0.layer.0.SelfAttention.o.weight".to_owned(), own);
        let near = Tensor::from_slice(&near_by(config)).view([-1, config.num_heads as i64]).to_device(device);
        weights.insert(POSITIONS.to_owned(), near);
        let weights = weights.into_iter().map(|(name, tensor)| (name, tensor.set_requires_grad(true))).collect();
        Self { config: *config, weights, device, products: Kind::Float }
    }

    /// Makes a model with the weights of a checkpoint, whose other tensors are ignored.
    ///
    /// # Errors
    /// [`LoadError`] for one that is missing, of another shape, or not finite.
    pub fn open(config: &Config, weights: &Weights<'_>, device: Device) -> Result<Self, LoadError> {
        let own_head = weights.has_own_head(config);
        // Before room is made for what a false configuration asks for.
        check(&shapes(config, own_head), weights)?;
        let mut net = Self::new(config, own_head, &[], device);
        for (name, tensor) in &mut net.weights {
            let read = Tensor::from_slice(&weights.values(name_in(weights, name))?).view(tensor.size().as_slice());
            no_grad(|| tensor.copy_(&read));
        }
        Ok(net)
    }

    /// Computes products in bf16 from now on.
    pub(crate) fn use_bf16(&mut self) {
        self.products = Kind::BFloat16;
    }

    /// Logits of the classes, [rows, queries, classes]. `classes` are their tokens.
    pub fn forward(&self, windows: &Padded, classes: &Tensor) -> Tensor {
        self.forward_with(windows, classes, 0.0)
    }

    /// The same with this share of the activations set to zero, for training.
    pub(crate) fn forward_with(&self, windows: &Padded, classes: &Tensor, dropout: f64) -> Tensor {
        let Padded { ids, mask, marks } = windows.to(self.device);
        let layers = Layers { config: &self.config, weights: &self.weights, products: self.products, dropout };
        let encoded = layers.encode(&ids, &mask);
        let queries = layers.decode(&marks, &encoded, &mask);
        let head = if self.weights.contains_key(HEAD) { HEAD } else { "shared.weight" };
        let head = self.weights[head].index_select(0, classes);
        let scale = if self.config.scale_decoder_outputs { (self.config.d_model as f64).powf(-0.5) } else { 1.0 };
        (queries * scale).matmul(&head.transpose(0, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{Vocabulary, Window};
    use crate::t5::{Batch, Config, T5};

    /// Rows of several lengths, asked one to three times, through both implementations, on each device that is there.
    #[test]
    fn both_implementations_agree() {
        let _lock = crate::torch::lock();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/codet5");
        let vocabulary = Vocabulary::open(&folder).expect("a tokenizer");
        let (config, weights) = T5::parts(&folder).expect("a model");
        let mut rng = fastrand::Rng::with_seed(5);
        let mut window = |length: usize, asked: usize| {
            let mut ids: Vec<u32> = (0..length).map(|_| rng.u32(5..300)).collect();
            let asked: Vec<(usize, u32)> = (0..asked).map(|site| (site, vocabulary.marks()[site])).collect();
            for (site, mark) in &asked {
                ids.insert(length / 4 * (site + 1), *mark);
            }
            Window { ids, asked }
        };
        let all = [window(200, 3), window(9, 1), window(77, 2)];
        let classes: Vec<i64> = vocabulary.classes().iter().map(|&class| class.into()).collect();
        let rows: Vec<&[u32]> = all.iter().map(|window| window.ids.as_slice()).collect();
        let own = T5::open(&folder).expect("the same model");
        let encoded = own.encode(&Batch::new(&rows).expect("rows")).expect("tokens of its vocabulary");
        for device in crate::torch::devices() {
            let net = Net::open(&config, &weights, device).expect("its weights");
            let asked = Tensor::from_slice(&classes).to_device(device);
            let logits = net.forward(&Padded::new(all.iter(), vocabulary.pad()), &asked).to_device(Device::Cpu);
            // A GPU adds in another order.
            let within = if device == Device::Cpu { 1e-4 } else { 1e-3 };
            for (row, window) in all.iter().enumerate() {
                for (query, &(_, mark)) in window.asked.iter().enumerate() {
                    let expected = own.score(&encoded, &[(row, &[mark])], vocabulary.classes()).expect("an answer");
                    let found: Vec<f32> = Vec::try_from(&logits.get(row as i64).get(query as i64)).expect("a vector");
                    let apart = expected.iter().zip(&found).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
                    assert!(apart < within, "{device:?}, row {row}, query {query}: {apart} apart");
                }
            }
        }
    }

    #[test]
    fn weights_of_another_shape_are_refused() {
        let _lock = crate::torch::lock();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/codet5");
        let (config, weights) = T5::parts(&folder).expect("a model");
        let wider = Config { d_ff: 64, ..config };
        let problem = Net::open(&wider, &weights, Device::Cpu).err();
        assert!(matches!(problem, Some(LoadError::Shape { .. })), "{problem:?}");
    }
}

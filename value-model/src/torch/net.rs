//! T5 (Raffel et al. 2020) in tch; reference: `T5ForConditionalGeneration` of transformers.
//!
//! The decoder is asked with one token, a mark, and answers with the class token that would follow: its self-attention
//! sees nothing but that token, so that queries and keys of it have no effect and are left out.

use std::collections::BTreeMap;

use tch::{Device, Kind, Tensor, no_grad};

use super::Padded;
use super::dimensions::{BUCKETS, Dimensions, EPSILON};
use super::positions::{buckets, near_by};
use crate::t5::{LoadError, Weights};

/// Standard deviation of the marks' embeddings; those of other tokens have 0.3.
const MARK: f64 = 2.0;
/// What a state that meets itself scores in the first cross-attention, before the encoder adds to it.
const OWN_SCORE: f64 = 16.0;

/// A model on a device.
pub struct Net {
    /// Its sizes.
    pub dimensions: Dimensions,
    /// Its weights by the names of transformers.
    pub weights: BTreeMap<String, Tensor>,
    pub(super) device: Device,
    /// What products are computed in; weights, sums and norms are f32.
    products: Kind,
}

impl Net {
    /// With random weights, from torch's seed.
    ///
    /// They start so that the decoder looks where its mark stands (marks have large embeddings, which survive in the
    /// encoder's states, and the first cross-attention has equal maps of queries and keys), and so that half of the
    /// encoder's heads look near by. Otherwise the first hours of training on a processor go into finding that out.
    #[must_use]
    pub fn new(dimensions: Dimensions, marks: &[u32], device: Device) -> Self {
        let on = (Kind::Float, device);
        let weights = dimensions.weights().into_iter().map(|(name, [rows, columns], deviation)| {
            // Norms are vectors.
            let tensor = if deviation == 0.0 {
                Tensor::ones([rows], on)
            } else {
                Tensor::randn([rows, columns], on) * deviation
            };
            (name, tensor)
        });
        let mut weights: BTreeMap<String, Tensor> = weights.collect();
        let rows: Vec<i64> = marks.iter().map(|&mark| mark.into()).collect();
        let rows = Tensor::from_slice(&rows).to_device(device);
        let large = Tensor::randn([marks.len() as i64, dimensions.model], on) * MARK;
        let _ = weights["shared.weight"].shallow_clone().index_copy_(0, &rows, &large);
        let cross = "decoder.block.0.layer.1.EncDecAttention";
        let same = Tensor::randn([dimensions.heads * dimensions.head, dimensions.model], on)
            * (OWN_SCORE / (dimensions.head * dimensions.model) as f64).sqrt();
        weights.insert(format!("{cross}.k.weight"), same.copy());
        weights.insert(format!("{cross}.q.weight"), same);
        let own = weights["decoder.block.0.layer.0.SelfAttention.o.weight"].zeros_like();
        weights.insert("decoder.block.0.layer.0.SelfAttention.o.weight".to_owned(), own);
        let near = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";
        weights.insert(
            near.to_owned(),
            Tensor::from_slice(&near_by(dimensions.heads)).view([BUCKETS, -1]).to_device(device),
        );
        let weights = weights.into_iter().map(|(name, tensor)| (name, tensor.set_requires_grad(true))).collect();
        Self { dimensions, weights, device, products: Kind::Float }
    }

    /// Computes products in bf16 from now on.
    pub fn use_bf16(&mut self) {
        self.products = Kind::BFloat16;
    }

    /// Takes the weights of a checkpoint of the same sizes; what else it holds is left aside.
    ///
    /// # Errors
    /// [`LoadError`] for one that is missing, of another shape, or not finite.
    pub fn load(&mut self, weights: &Weights<'_>) -> Result<(), LoadError> {
        for (name, tensor) in &mut self.weights {
            let expected: Vec<usize> = tensor.size().iter().map(|&size| size as usize).collect();
            let found = weights.shape(name).ok_or_else(|| LoadError::Missing(name.clone()))?;
            if found != expected {
                return Err(LoadError::Shape { name: name.clone(), found: found.to_vec(), expected });
            }
            let read = Tensor::from_slice(&weights.values(name)?).view(tensor.size().as_slice());
            no_grad(|| tensor.copy_(&read));
        }
        Ok(())
    }

    fn weight(&self, name: &str) -> &Tensor {
        &self.weights[name]
    }

    /// Logits of the classes, [rows, queries, classes]. `classes` are their tokens.
    pub fn forward(&self, windows: &Padded, classes: &Tensor) -> Tensor {
        let Padded { ids, mask, marks } = windows.to(self.device);
        let encoded = self.encode(&ids, &mask);
        let queries = self.decode(&marks, &encoded, &mask);
        let head = self.weight("shared.weight").index_select(0, classes);
        (queries * (self.dimensions.model as f64).powf(-0.5)).matmul(&head.transpose(0, 1))
    }

    /// `ids` [rows, length], `mask` [rows, length] 0 or very negative; returns [rows, length, width].
    fn encode(&self, ids: &Tensor, mask: &Tensor) -> Tensor {
        let (rows, length) = ids.size2().expect("a matrix of tokens");
        let Dimensions { heads, head, encoder, .. } = self.dimensions;
        let mut x = Tensor::embedding(self.weight("shared.weight"), ids, -1, false, false);
        let near = self.weight("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight");
        let bias = near.index_select(0, &buckets(length).to_device(self.device).view([-1]));
        let bias = bias.view([length, length, heads]).permute([2, 0, 1]).unsqueeze(0);
        let bias = (bias + mask.view([rows, 1, 1, length])).reshape([rows * heads, length, length]);
        let bias = bias.to_kind(self.products);
        for block in 0..encoder {
            let prefix = format!("encoder.block.{block}.layer.0");
            let normed = self.norm(&x, &format!("{prefix}.layer_norm.weight"));
            let project = |name: &str| {
                let made = self.linear(&normed, &format!("{prefix}.SelfAttention.{name}.weight"));
                made.view([rows, length, heads, head]).transpose(1, 2).reshape([rows * heads, length, head])
            };
            let scores = bias.baddbmm(&project("q"), &project("k").transpose(1, 2), 1.0, 1.0);
            let mixed = scores.softmax(-1, self.products).bmm(&project("v"));
            let mixed = mixed.view([rows, heads, length, head]).transpose(1, 2).reshape([rows, length, heads * head]);
            // Not `+=`, which changes in place what the gradient needs.
            x = &x + self.linear(&mixed, &format!("{prefix}.SelfAttention.o.weight"));
            x = self.feed_forward(x, &format!("encoder.block.{block}.layer.1"));
        }
        self.norm(&x, "encoder.final_layer_norm.weight")
    }

    /// `marks` [rows, queries]; returns [rows, queries, width].
    fn decode(&self, marks: &Tensor, encoded: &Tensor, mask: &Tensor) -> Tensor {
        let (rows, queries) = marks.size2().expect("a matrix of marks");
        let length = encoded.size()[1];
        let Dimensions { heads, head, decoder, .. } = self.dimensions;
        let mut x = Tensor::embedding(self.weight("shared.weight"), marks, -1, false, false);
        for block in 0..decoder {
            let prefix = format!("decoder.block.{block}.layer.0");
            let normed = self.norm(&x, &format!("{prefix}.layer_norm.weight"));
            let own = self.linear(&normed, &format!("{prefix}.SelfAttention.v.weight"));
            x = &x + self.linear(&own, &format!("{prefix}.SelfAttention.o.weight"));
            let prefix = format!("decoder.block.{block}.layer.1");
            let normed = self.norm(&x, &format!("{prefix}.layer_norm.weight"));
            let project = |from: &Tensor, name: &str, count: i64| {
                let made = self.linear(from, &format!("{prefix}.EncDecAttention.{name}.weight"));
                made.view([rows, count, heads, head]).transpose(1, 2)
            };
            let scores = project(&normed, "q", queries).matmul(&project(encoded, "k", length).transpose(2, 3));
            let scores = scores + mask.view([rows, 1, 1, length]).to_kind(self.products);
            let mixed = scores.softmax(-1, self.products).matmul(&project(encoded, "v", length));
            let mixed = mixed.transpose(1, 2).reshape([rows, queries, heads * head]);
            x = &x + self.linear(&mixed, &format!("{prefix}.EncDecAttention.o.weight"));
            x = self.feed_forward(x, &format!("decoder.block.{block}.layer.2"));
        }
        self.norm(&x, "decoder.final_layer_norm.weight").to_kind(Kind::Float)
    }

    fn feed_forward(&self, x: Tensor, prefix: &str) -> Tensor {
        let normed = self.norm(&x, &format!("{prefix}.layer_norm.weight"));
        let inner = self.linear(&normed, &format!("{prefix}.DenseReluDense.wi.weight")).relu();
        x + self.linear(&inner, &format!("{prefix}.DenseReluDense.wo.weight"))
    }

    /// Ready for products.
    fn norm(&self, x: &Tensor, name: &str) -> Tensor {
        x.rms_norm([self.dimensions.model], Some(self.weight(name)), EPSILON).to_kind(self.products)
    }

    fn linear(&self, x: &Tensor, name: &str) -> Tensor {
        x.linear::<&Tensor>(&self.weight(name).to_kind(self.products), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{Vocabulary, Window};
    use crate::t5::{Batch, Config, T5};

    /// Rows of several lengths, asked one to three times, through both implementations.
    #[test]
    fn both_implementations_agree() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/codet5");
        let vocabulary = Vocabulary::open(&folder).expect("a tokenizer");
        let (config, weights) = T5::parts(&folder).expect("a model");
        let mut net = Net::new(Dimensions::of(&config).expect("a plain T5"), vocabulary.marks(), Device::Cpu);
        net.load(&weights).expect("its weights");
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
        let logits = net.forward(&Padded::new(all.iter(), vocabulary.pad()), &Tensor::from_slice(&classes));

        let rows: Vec<&[u32]> = all.iter().map(|window| window.ids.as_slice()).collect();
        let own = T5::open(&folder).expect("the same model");
        let encoded = own.encode(&Batch::new(&rows).expect("rows")).expect("tokens of its vocabulary");
        for (row, window) in all.iter().enumerate() {
            for (query, &(_, mark)) in window.asked.iter().enumerate() {
                let expected = own.score(&encoded, &[(row, &[mark])], vocabulary.classes()).expect("an answer");
                let found = logits.get(row as i64).get(query as i64);
                let found: Vec<f32> = Vec::try_from(&found).expect("a vector");
                let apart = expected.iter().zip(&found).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
                assert!(apart < 1e-4, "row {row}, query {query}: {apart} apart");
            }
        }
    }

    #[test]
    fn weights_of_another_shape_are_refused() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/codet5");
        let (config, weights) = T5::parts(&folder).expect("a model");
        let wider = Dimensions { feed_forward: 64, ..Dimensions::of(&config).expect("a plain T5") };
        let problem = Net::new(wider, &[300], Device::Cpu).load(&weights);
        assert!(matches!(problem, Err(LoadError::Shape { .. })), "{problem:?}");
        for odd in [Config { gated: true, ..config.clone() }, Config { tied_head: false, ..config.clone() }] {
            assert!(matches!(Dimensions::of(&odd), Err(LoadError::Config { .. })));
        }
    }
}

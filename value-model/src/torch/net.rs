//! T5 (Raffel et al. 2020) in tch; reference: `T5ForConditionalGeneration` of transformers.
//!
//! The decoder is asked with one token, a mark, and answers with the class token that would follow: its self-attention
//! sees nothing but that token, so that queries and keys of it have no effect and are left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tch::{Device, Kind, Tensor, no_grad};

use super::Padded;
use crate::t5::{Activation, Config, LoadError, Weights};

const EPSILON: f64 = 1e-6;
const BUCKETS: i64 = 32;
const MAX_DISTANCE: i64 = 128;

/// Standard deviation of the marks' embeddings; those of other tokens have 0.3.
const MARK: f64 = 2.0;
/// What a state that meets itself scores in the first cross-attention, before the encoder adds to it.
const OWN_SCORE: f64 = 16.0;

/// The sizes of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimensions {
    /// Entries of the tokenizer.
    pub vocabulary: i64,
    /// Width.
    pub model: i64,
    /// Attention heads.
    pub heads: i64,
    /// Width of a head.
    pub head: i64,
    /// Width of the feed-forward layers.
    pub feed_forward: i64,
    /// Encoder blocks.
    pub encoder: i64,
    /// Decoder blocks.
    pub decoder: i64,
}

impl Dimensions {
    /// Those of a model that is trained further.
    ///
    /// # Errors
    /// If it has parts that training does not know: a head of its own, gates, another activation, other buckets.
    pub fn of(config: &Config) -> Result<Self, LoadError> {
        let odd = |key, value: &dyn std::fmt::Display, expected: &dyn std::fmt::Display| LoadError::Config {
            key,
            value: value.to_string(),
            expected: format!("{expected}, to train it further"),
        };
        if config.gated || config.activation != Activation::Relu {
            return Err(odd("feed_forward_proj", &"another", &"relu"));
        }
        if !config.tied_head || !config.scale_decoder_outputs {
            return Err(odd("tie_word_embeddings", &false, &true));
        }
        if config.relative_attention_num_buckets as i64 != BUCKETS {
            return Err(odd("relative_attention_num_buckets", &config.relative_attention_num_buckets, &BUCKETS));
        }
        if config.relative_attention_max_distance as i64 != MAX_DISTANCE {
            return Err(odd("relative_attention_max_distance", &config.relative_attention_max_distance, &MAX_DISTANCE));
        }
        Ok(Self {
            vocabulary: config.vocab_size as i64,
            model: config.d_model as i64,
            heads: config.num_heads as i64,
            head: config.d_kv as i64,
            feed_forward: config.d_ff as i64,
            encoder: config.num_layers as i64,
            decoder: config.num_decoder_layers as i64,
        })
    }

    /// As `config.json` of transformers.
    #[must_use]
    pub fn config(&self) -> Value {
        json!({
            "architectures": ["T5ForConditionalGeneration"],
            "model_type": "t5",
            "is_encoder_decoder": true,
            "vocab_size": self.vocabulary,
            "d_model": self.model,
            "d_kv": self.head,
            "d_ff": self.feed_forward,
            "num_layers": self.encoder,
            "num_decoder_layers": self.decoder,
            "num_heads": self.heads,
            "relative_attention_num_buckets": BUCKETS,
            "relative_attention_max_distance": MAX_DISTANCE,
            "layer_norm_epsilon": EPSILON,
            "feed_forward_proj": "relu",
            "tie_word_embeddings": true,
            "pad_token_id": 0,
            "eos_token_id": 2,
            "decoder_start_token_id": 0,
            "dropout_rate": 0.0,
        })
    }

    /// Names and shapes of the weights, with the standard deviation they start with; 0 means ones.
    fn weights(&self) -> Vec<(String, [i64; 2], f64)> {
        let (d, inner) = (self.model, self.heads * self.head);
        let wide = (d as f64).powf(-0.5);
        let mut weights = vec![("shared.weight".to_owned(), [self.vocabulary, d], 0.3)];
        for (side, blocks) in [("encoder", self.encoder), ("decoder", self.decoder)] {
            for block in 0..blocks {
                let mut layers = vec![("SelfAttention", true)];
                if side == "decoder" {
                    layers.push(("EncDecAttention", false));
                }
                let feed_forward = layers.len();
                for (layer, (attention, positions)) in layers.into_iter().enumerate() {
                    let prefix = format!("{side}.block.{block}.layer.{layer}");
                    let head = ((d * self.head) as f64).powf(-0.5);
                    weights.push((format!("{prefix}.{attention}.q.weight"), [inner, d], head));
                    weights.push((format!("{prefix}.{attention}.k.weight"), [inner, d], wide));
                    weights.push((format!("{prefix}.{attention}.v.weight"), [inner, d], wide));
                    weights.push((format!("{prefix}.{attention}.o.weight"), [d, inner], (inner as f64).powf(-0.5)));
                    if positions && block == 0 {
                        let name = format!("{prefix}.{attention}.relative_attention_bias.weight");
                        weights.push((name, [BUCKETS, self.heads], wide));
                    }
                    weights.push((format!("{prefix}.layer_norm.weight"), [d, 1], 0.0));
                }
                let prefix = format!("{side}.block.{block}.layer.{feed_forward}");
                weights.push((format!("{prefix}.DenseReluDense.wi.weight"), [self.feed_forward, d], wide));
                let narrow = (self.feed_forward as f64).powf(-0.5);
                weights.push((format!("{prefix}.DenseReluDense.wo.weight"), [d, self.feed_forward], narrow));
                weights.push((format!("{prefix}.layer_norm.weight"), [d, 1], 0.0));
            }
            weights.push((format!("{side}.final_layer_norm.weight"), [d, 1], 0.0));
        }
        weights
    }
}

/// A model on a device.
pub struct Net {
    /// Its sizes.
    pub dimensions: Dimensions,
    /// Its weights by the names of transformers.
    pub weights: BTreeMap<String, Tensor>,
    device: Device,
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

    /// Takes the weights of a narrower model, whose widths divide this one's, so that it answers as that one does.
    ///
    /// Units are repeated, and what reads them shares each weight out among the copies at random, which then learn
    /// different things (Chen et al. 2016, Net2Net, section 2.3).
    ///
    /// # Errors
    /// As [`Net::load`].
    pub fn load_narrower(&mut self, weights: &Weights<'_>) -> Result<(), LoadError> {
        let narrow = weights.shape("decoder.final_layer_norm.weight").and_then(|shape| shape.first().copied());
        let times = self.dimensions.model as f64 / narrow.unwrap_or(1) as f64;
        for (name, tensor) in &mut self.weights {
            let expected: Vec<usize> = tensor.size().iter().map(|&size| size as usize).collect();
            let found = weights.shape(name).ok_or_else(|| LoadError::Missing(name.clone()))?;
            let divides = expected.len() == found.len()
                && expected.iter().zip(found).all(|(wide, narrow)| *narrow > 0 && wide.is_multiple_of(*narrow));
            if !divides {
                return Err(LoadError::Shape { name: name.clone(), found: found.to_vec(), expected });
            }
            let repeats: Vec<i64> = expected.iter().zip(found).map(|(wide, narrow)| (wide / narrow) as i64).collect();
            let shape: Vec<i64> = found.iter().map(|&size| size as i64).collect();
            let read = Tensor::from_slice(&weights.values(name)?).view(shape.as_slice()).to_device(self.device);
            let mut wide = read.repeat(repeats.as_slice());
            if name == "decoder.final_layer_norm.weight" {
                // The head's product grows with the width, and is divided by its root.
                wide /= times.sqrt();
            } else if reads_units(name) {
                let [rows, columns] = [expected[0] as i64, shape[1]];
                let share = Tensor::rand([rows, repeats[1], columns], (Kind::Float, self.device)) + 0.5;
                let share = &share / share.sum_dim_intlist([1_i64].as_slice(), true, Kind::Float);
                wide *= share.view([rows, repeats[1] * columns]);
            }
            no_grad(|| tensor.copy_(&wide));
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

/// True of a matrix that is multiplied with units of the layer before.
fn reads_units(name: &str) -> bool {
    name != "shared.weight" && !name.contains("relative_attention_bias") && !name.contains("layer_norm")
}

/// Position biases, [buckets, heads]: the first half of the heads prefers what is near, each to another degree.
fn near_by(heads: i64) -> Vec<f32> {
    let half = BUCKETS / 2;
    let bias = |bucket: i64, head: i64| {
        let slope = if head < heads / 2 { 1.0 / (1 << head) as f32 } else { 0.0 };
        // A side of its own for each head: before or after.
        let side = if (bucket >= half) == (head % 2 == 1) { 0.0 } else { 1.0 };
        -slope * ((bucket % half) as f32 + 4.0 * side)
    };
    (0..BUCKETS).flat_map(|bucket| (0..heads).map(move |head| bias(bucket, head))).collect()
}

/// T5's buckets of relative positions in both directions, [length, length]: query down, key across.
fn buckets(length: i64) -> Tensor {
    let (half, exact) = (BUCKETS / 2, BUCKETS / 4);
    let bucket = |query: i64, key: i64| {
        let distance = (key - query).abs();
        let side = if key > query { half } else { 0 };
        let near = if distance < exact {
            distance
        } else {
            let far = (distance as f64 / exact as f64).ln() / (MAX_DISTANCE as f64 / exact as f64).ln();
            (exact + (far * (half - exact) as f64) as i64).min(half - 1)
        };
        side + near
    };
    let all: Vec<i64> = (0..length).flat_map(|query| (0..length).map(move |key| bucket(query, key))).collect();
    Tensor::from_slice(&all).view([length, length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{Vocabulary, Window};
    use crate::t5::{Batch, T5};

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
    fn a_wider_model_answers_as_the_narrow_one() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/codet5");
        let vocabulary = Vocabulary::open(&folder).expect("a tokenizer");
        let (config, weights) = T5::parts(&folder).expect("a model");
        let narrow = Dimensions::of(&config).expect("a plain T5");
        let wide = Dimensions {
            model: narrow.model * 3,
            heads: narrow.heads * 2,
            feed_forward: narrow.feed_forward * 4,
            ..narrow
        };
        let mark = vocabulary.marks()[0];
        let window = Window { ids: (5..60).chain([mark]).chain(60..90).collect(), asked: vec![(0, mark)] };
        let windows = Padded::new(std::iter::once(&window), vocabulary.pad());
        let classes: Vec<i64> = vocabulary.classes().iter().map(|&class| class.into()).collect();
        let classes = Tensor::from_slice(&classes);
        let mut first = Net::new(narrow, vocabulary.marks(), Device::Cpu);
        first.load(&weights).expect("its weights");
        let mut second = Net::new(wide, vocabulary.marks(), Device::Cpu);
        second.load_narrower(&weights).expect("a third as wide");
        let apart = (first.forward(&windows, &classes) - second.forward(&windows, &classes)).abs().max();
        assert!(apart.double_value(&[]) < 1e-3, "{apart}");
        let copies = second.weights["encoder.block.0.layer.1.DenseReluDense.wo.weight"].shallow_clone();
        let copies = copies.split(narrow.feed_forward, 1);
        assert!(!copies[0].allclose(&copies[1], 1e-3, 1e-5, false), "the copies must be free to part");
        let odd = Dimensions { model: narrow.model + 1, ..narrow };
        let refused = Net::new(odd, vocabulary.marks(), Device::Cpu).load_narrower(&weights);
        assert!(matches!(refused, Err(LoadError::Shape { .. })), "{refused:?}");
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

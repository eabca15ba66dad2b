//! The blocks of a T5 (Raffel et al. 2020) in tch; reference: `T5ForConditionalGeneration` of transformers.
//!
//! The decoder is asked with one token, a mark, and answers with the class token that would follow: its self-attention
//! sees nothing but that token, so that queries and keys of it have no effect and are left out.

use std::collections::BTreeMap;

use tch::{Kind, Tensor};

use super::positions::buckets;
use crate::t5::{Activation, Config};

/// Name of the encoder's position biases, which its blocks share.
pub(super) const POSITIONS: &str = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";

/// Weights by the names of transformers, with the shape of their model.
pub(super) struct Layers<'a> {
    pub(super) config: &'a Config,
    pub(super) weights: &'a BTreeMap<String, Tensor>,
    /// Type in which products are computed; weights, sums and norms are f32.
    pub(super) products: Kind,
    /// Share of the activations that are set to zero: 0 except in training (Srivastava et al., JMLR 2014).
    pub(super) dropout: f64,
}

impl Layers<'_> {
    pub(super) fn weight(&self, name: &str) -> &Tensor {
        &self.weights[name]
    }

    /// Number of attention heads, and the width of each.
    pub(super) fn heads(&self) -> [i64; 2] {
        [self.config.num_heads as i64, self.config.d_kv as i64]
    }

    /// The encoder: `ids` [rows, length], `mask` [rows, length] 0 or very negative; returns [rows, length, width].
    pub(super) fn encode(&self, ids: &Tensor, mask: &Tensor) -> Tensor {
        let (rows, length) = ids.size2().expect("a matrix of tokens");
        let [heads, head] = self.heads();
        let mut x = self.dropped(Tensor::embedding(self.weight("shared.weight"), ids, -1, false, false));
        let near = buckets(self.config, length).to_device(ids.device()).view([-1]);
        let bias = self.weight(POSITIONS).index_select(0, &near);
        let bias = bias.view([length, length, heads]).permute([2, 0, 1]).unsqueeze(0);
        let bias = (bias + mask.view([rows, 1, 1, length])).reshape([rows * heads, length, length]);
        let bias = bias.to_kind(self.products);
        for block in 0..self.config.num_layers {
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
            x = &x + self.dropped(self.linear(&mixed, &format!("{prefix}.SelfAttention.o.weight")));
            x = self.feed_forward(x, &format!("encoder.block.{block}.layer.1"));
        }
        self.dropped(self.norm(&x, "encoder.final_layer_norm.weight"))
    }

    /// The decoder: `marks` [rows, queries]; returns [rows, queries, width].
    pub(super) fn decode(&self, marks: &Tensor, encoded: &Tensor, mask: &Tensor) -> Tensor {
        let (rows, queries) = marks.size2().expect("a matrix of marks");
        let length = encoded.size()[1];
        let [heads, head] = self.heads();
        let mut x = Tensor::embedding(self.weight("shared.weight"), marks, -1, false, false);
        for block in 0..self.config.num_decoder_layers {
            let prefix = format!("decoder.block.{block}.layer.0");
            let normed = self.norm(&x, &format!("{prefix}.layer_norm.weight"));
            let own = self.linear(&normed, &format!("{prefix}.SelfAttention.v.weight"));
            x = &x + self.dropped(self.linear(&own, &format!("{prefix}.SelfAttention.o.weight")));
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
            x = &x + self.dropped(self.linear(&mixed, &format!("{prefix}.EncDecAttention.o.weight")));
            x = self.feed_forward(x, &format!("decoder.block.{block}.layer.2"));
        }
        self.dropped(self.norm(&x, "decoder.final_layer_norm.weight")).to_kind(Kind::Float)
    }

    pub(super) fn feed_forward(&self, x: Tensor, prefix: &str) -> Tensor {
        let normed = self.norm(&x, &format!("{prefix}.layer_norm.weight"));
        let map = |name: &str| self.linear(&normed, &format!("{prefix}.DenseReluDense.{name}.weight"));
        let activate = |x: Tensor| match self.config.activation {
            Activation::Relu => x.relu(),
            Activation::GeluNew => x.gelu("tanh"),
        };
        let inner = if self.config.gated { activate(map("wi_0")) * map("wi_1") } else { activate(map("wi")) };
        x + self.dropped(self.linear(&self.dropped(inner), &format!("{prefix}.DenseReluDense.wo.weight")))
    }

    fn dropped(&self, x: Tensor) -> Tensor {
        if self.dropout > 0.0 { x.dropout(self.dropout, true) } else { x }
    }

    /// A norm, whose result has the type of products.
    pub(super) fn norm(&self, x: &Tensor, name: &str) -> Tensor {
        x.rms_norm([self.config.d_model as i64], Some(self.weight(name)), f64::from(self.config.layer_norm_epsilon))
            .to_kind(self.products)
    }

    pub(super) fn linear(&self, x: &Tensor, name: &str) -> Tensor {
        x.linear::<&Tensor>(&self.weight(name).to_kind(self.products), None)
    }
}

//! The decoder over whole sequences: each token attends those before it, and the encoder's states.

use tch::{Kind, Tensor};

use super::layers::Layers;
use crate::t5::Buckets;

/// Name of the decoder's position biases, which its blocks share.
const POSITIONS: &str = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";

impl Layers<'_> {
    /// States after each token of sequences, `[rows, length, width]`: `ids` `[rows, length]`, `encoded` `[rows, read, width]`,
    /// `mask` `[rows, read]` 0 or very negative.
    pub(super) fn decode_sequences(&self, ids: &Tensor, encoded: &Tensor, mask: &Tensor) -> Tensor {
        let (rows, length) = ids.size2().expect("a matrix of tokens");
        let read = encoded.size()[1];
        let [heads, head] = self.heads();
        let bias = self.looking_back(length).to_device(ids.device()).to_kind(self.products);
        let mask = mask.view([rows, 1, 1, read]).to_kind(self.products);
        let mut x = Tensor::embedding(self.weight("shared.weight"), ids, -1, false, false);
        for block in 0..self.config.num_decoder_layers {
            for (layer, attention) in ["SelfAttention", "EncDecAttention"].into_iter().enumerate() {
                let prefix = format!("decoder.block.{block}.layer.{layer}");
                let normed = self.norm(&x, &format!("{prefix}.layer_norm.weight"));
                let (from, count, added) = if layer == 0 { (&normed, length, &bias) } else { (encoded, read, &mask) };
                let project = |from: &Tensor, name: &str, count: i64| {
                    let made = self.linear(from, &format!("{prefix}.{attention}.{name}.weight"));
                    made.view([rows, count, heads, head]).transpose(1, 2)
                };
                let scores = project(&normed, "q", length).matmul(&project(from, "k", count).transpose(2, 3)) + added;
                let mixed = scores.softmax(-1, self.products).matmul(&project(from, "v", count));
                let mixed = mixed.transpose(1, 2).reshape([rows, length, heads * head]);
                x = &x + self.linear(&mixed, &format!("{prefix}.{attention}.o.weight"));
            }
            x = self.feed_forward(x, &format!("decoder.block.{block}.layer.2"));
        }
        self.norm(&x, "decoder.final_layer_norm.weight")
    }

    /// What is added to the scores of self-attention, `[1, heads, length, length]`.
    fn looking_back(&self, length: i64) -> Tensor {
        let buckets = Buckets::new(self.config, false);
        let table = self.weight(POSITIONS);
        let near: Vec<i64> = (0..length)
            .flat_map(|query| (0..length).map(move |key| buckets.of((key - query) as isize) as i64))
            .collect();
        let near = Tensor::from_slice(&near).to_device(table.device());
        let [heads, _] = self.heads();
        let bias = table.index_select(0, &near).view([length, length, heads]).permute([2, 0, 1]).unsqueeze(0);
        let later = Tensor::ones([length, length], (Kind::Float, table.device())).triu(1) * -1e9;
        bias + later
    }
}

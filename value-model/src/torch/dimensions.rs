//! The sizes of a T5, and what follows from them: its `config.json`, the names and shapes of its weights.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::t5::{Activation, Config, LoadError};

/// Of the norms.
pub(super) const EPSILON: f64 = 1e-6;
/// Of relative positions, and the distance from which on all are one.
pub(super) const BUCKETS: i64 = 32;
pub(super) const MAX_DISTANCE: i64 = 128;

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
    pub(super) fn weights(&self) -> Vec<(String, [i64; 2], f64)> {
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

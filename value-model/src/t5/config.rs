//! The shape of a model: `config.json` as Hugging Face transformers writes it for T5 and `CodeT5`.

use serde::{Deserialize, Serialize};

use super::error::LoadError;
use crate::query::QueryForm;

/// Above T5-11B in each direction, and low enough that no product of two overflows.
const MAX_VOCABULARY: usize = 1 << 20;
const MAX_WIDTH: usize = 1 << 16;
const MAX_LAYERS: usize = 256;
const MAX_BUCKETS: usize = 1 << 12;
const MAX_DISTANCE: usize = 1 << 20;

/// The function between the two halves of a feed-forward layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `max(x, 0)`
    Relu,
    /// The tanh approximation of GELU, `gelu_new` in transformers.
    GeluNew,
}

/// The shape of a model. Widths are numbers of f32.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "File", try_from = "File")]
#[non_exhaustive]
pub struct Config {
    /// Rows of the embedding and of the head.
    pub vocab_size: usize,
    /// Width of the hidden states.
    pub d_model: usize,
    /// Width of a head's keys and values; heads together may be wider or narrower than `d_model`.
    pub d_kv: usize,
    /// Width between the two halves of a feed-forward layer.
    pub d_ff: usize,
    /// Blocks of the encoder.
    pub num_layers: usize,
    /// Blocks of the decoder.
    pub num_decoder_layers: usize,
    /// Attention heads of each block.
    pub num_heads: usize,
    /// Rows of the table of position biases.
    pub relative_attention_num_buckets: usize,
    /// Positions farther apart share the last bucket.
    pub relative_attention_max_distance: usize,
    /// Activation of the feed-forward layers.
    pub activation: Activation,
    /// Whether the activation gates a second linear map (T5 1.1) or stands alone (T5 1.0).
    pub gated: bool,
    /// Added to the mean square under the root of a norm.
    pub layer_norm_epsilon: f32,
    /// Token that fills padded batches, and that attention ignores.
    pub pad_token_id: u32,
    /// The decoder's first token.
    pub decoder_start_token_id: u32,
    /// Whether hidden states are scaled by `d_model^-0.5` before the head, as T5 1.0 does.
    pub scale_decoder_outputs: bool,
    /// Whether `lm_head.weight` may be missing from the weights because the embedding is the head.
    pub tied_head: bool,
    /// Form of the queries that the model was trained on, which does not concern the forward pass.
    pub query: QueryForm,
}

/// Keys of `config.json` that concern the forward pass; others are ignored.
#[derive(Deserialize, Serialize)]
struct File {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    architectures: Option<Vec<String>>,
    vocab_size: usize,
    d_model: usize,
    d_kv: usize,
    d_ff: usize,
    num_layers: usize,
    num_decoder_layers: Option<usize>,
    num_heads: usize,
    #[serde(default = "default_buckets")]
    relative_attention_num_buckets: usize,
    #[serde(default = "default_distance")]
    relative_attention_max_distance: usize,
    feed_forward_proj: Option<String>,
    is_gated_act: Option<bool>,
    dense_act_fn: Option<String>,
    #[serde(default = "default_epsilon")]
    layer_norm_epsilon: f64,
    pad_token_id: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    eos_token_id: Option<serde_json::Value>,
    decoder_start_token_id: Option<u32>,
    tie_word_embeddings: Option<bool>,
    scale_decoder_outputs: Option<bool>,
    #[serde(default = "yes")]
    is_encoder_decoder: bool,
    /// Our own key, which transformers leaves alone.
    #[serde(default, rename = "surmise_query", skip_serializing_if = "QueryForm::is_usual")]
    query: QueryForm,
}

fn default_buckets() -> usize {
    32
}

fn default_distance() -> usize {
    128
}

fn default_epsilon() -> f64 {
    1e-6
}

fn yes() -> bool {
    true
}

impl Config {
    /// Reads the text of a `config.json`.
    ///
    /// # Errors
    /// [`LoadError::ConfigSyntax`] for what isn't JSON or lacks a size, [`LoadError::Config`] for a size out of range
    /// or an architecture other than T5.
    pub fn from_json(text: &str) -> Result<Self, LoadError> {
        serde_json::from_str::<File>(text).map_err(LoadError::ConfigSyntax)?.try_into()
    }

    /// The shape that training from nothing takes: T5 1.0 with heads of 32 and one block that answers.
    pub fn small(vocabulary: usize, width: usize, layers: usize) -> Self {
        Self {
            vocab_size: vocabulary,
            d_model: width,
            d_kv: 32,
            d_ff: 4 * width,
            num_layers: layers,
            num_decoder_layers: 1,
            num_heads: width / 32,
            relative_attention_num_buckets: default_buckets(),
            relative_attention_max_distance: default_distance(),
            activation: Activation::Relu,
            gated: false,
            layer_norm_epsilon: default_epsilon() as f32,
            pad_token_id: 0,
            decoder_start_token_id: 0,
            scale_decoder_outputs: true,
            tied_head: true,
            query: QueryForm::Marks,
        }
    }

    /// This shape with `times` the width, the heads and the inner width.
    #[must_use]
    pub fn widened(self, times: usize) -> Self {
        Self { d_model: self.d_model * times, num_heads: self.num_heads * times, d_ff: self.d_ff * times, ..self }
    }

    /// This shape with another number of blocks in the encoder.
    #[must_use]
    pub fn deepened(self, layers: usize) -> Self {
        Self { num_layers: layers, ..self }
    }

    /// This shape for a model that is trained on another form of queries.
    #[must_use]
    pub fn asked(self, query: QueryForm) -> Self {
        Self { query, ..self }
    }

    /// Checks the limits that concern several values at once.
    fn check(self) -> Result<Self, LoadError> {
        if self.inner() > MAX_WIDTH {
            let value = format!("{} heads of {}", self.num_heads, self.d_kv);
            return Err(unknown("num_heads", &value, &format!("at most {MAX_WIDTH} in all")));
        }
        // Both directions of the encoder have half of the buckets, and half of those are for single distances.
        let buckets = self.relative_attention_num_buckets;
        if buckets < 4 || !buckets.is_multiple_of(2) {
            return Err(unknown("relative_attention_num_buckets", &buckets.to_string(), "an even number from 4"));
        }
        if self.relative_attention_max_distance <= buckets / 2 {
            let expected = format!("more than half of the {buckets} buckets");
            let value = self.relative_attention_max_distance.to_string();
            return Err(unknown("relative_attention_max_distance", &value, &expected));
        }
        Ok(self)
    }

    /// Text of a `config.json` that transformers 4 and 5, and [`Config::from_json`], read as this configuration.
    ///
    /// transformers 4 takes the scale and whether the head is tied from one key, so `tie_word_embeddings` is written
    /// as it understands it.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Width of a row of all attention heads together.
    pub fn inner(&self) -> usize {
        self.num_heads * self.d_kv
    }
}

impl TryFrom<File> for Config {
    type Error = LoadError;

    fn try_from(file: File) -> Result<Self, LoadError> {
        if let Some(kind) = file.model_type.as_deref().filter(|kind| *kind != "t5") {
            return Err(unknown("model_type", kind, "t5"));
        }
        if !file.is_encoder_decoder {
            return Err(unknown("is_encoder_decoder", "false", "true"));
        }
        let (activation, gated) = feed_forward(&file)?;
        let num_decoder_layers = file.num_decoder_layers.unwrap_or(file.num_layers);
        for (key, value, limit) in [
            ("vocab_size", file.vocab_size, MAX_VOCABULARY),
            ("d_model", file.d_model, MAX_WIDTH),
            ("d_kv", file.d_kv, MAX_WIDTH),
            ("d_ff", file.d_ff, MAX_WIDTH),
            ("num_layers", file.num_layers, MAX_LAYERS),
            ("num_decoder_layers", num_decoder_layers, MAX_LAYERS),
            ("num_heads", file.num_heads, MAX_WIDTH),
            ("relative_attention_num_buckets", file.relative_attention_num_buckets, MAX_BUCKETS),
            ("relative_attention_max_distance", file.relative_attention_max_distance, MAX_DISTANCE),
        ] {
            if value == 0 || value > limit {
                return Err(unknown(key, &value.to_string(), &format!("1 to {limit}")));
            }
        }
        let vocab_size = file.vocab_size;
        let pad_token_id = token("pad_token_id", file.pad_token_id.unwrap_or(0), vocab_size)?;
        let start = file.decoder_start_token_id.unwrap_or(pad_token_id);
        if !(file.layer_norm_epsilon > 0.0 && file.layer_norm_epsilon < 1.0) {
            return Err(unknown("layer_norm_epsilon", &file.layer_norm_epsilon.to_string(), "a small positive number"));
        }
        let config = Self {
            vocab_size,
            d_model: file.d_model,
            d_kv: file.d_kv,
            d_ff: file.d_ff,
            num_layers: file.num_layers,
            num_decoder_layers,
            num_heads: file.num_heads,
            relative_attention_num_buckets: file.relative_attention_num_buckets,
            relative_attention_max_distance: file.relative_attention_max_distance,
            activation,
            gated,
            layer_norm_epsilon: file.layer_norm_epsilon as f32,
            pad_token_id,
            decoder_start_token_id: token("decoder_start_token_id", start, vocab_size)?,
            // transformers 5 always writes `tie_word_embeddings: true`, and what T5 meant by it to the other key.
            scale_decoder_outputs: file
                .scale_decoder_outputs
                .unwrap_or_else(|| file.tie_word_embeddings.unwrap_or(true)),
            tied_head: file.scale_decoder_outputs.is_some() || file.tie_word_embeddings.unwrap_or(true),
            query: file.query,
        };
        config.check()
    }
}

impl From<Config> for File {
    fn from(config: Config) -> Self {
        let (activation, feed_forward) = match (config.activation, config.gated) {
            (Activation::Relu, false) => ("relu", "relu"),
            (Activation::Relu, true) => ("relu", "gated-relu"),
            (Activation::GeluNew, false) => ("gelu_new", "gelu_new"),
            (Activation::GeluNew, true) => ("gelu_new", "gated-gelu"),
        };
        Self {
            model_type: Some("t5".into()),
            architectures: Some(vec!["T5ForConditionalGeneration".into()]),
            vocab_size: config.vocab_size,
            d_model: config.d_model,
            d_kv: config.d_kv,
            d_ff: config.d_ff,
            num_layers: config.num_layers,
            num_decoder_layers: Some(config.num_decoder_layers),
            num_heads: config.num_heads,
            relative_attention_num_buckets: config.relative_attention_num_buckets,
            relative_attention_max_distance: config.relative_attention_max_distance,
            feed_forward_proj: Some(feed_forward.into()),
            is_gated_act: Some(config.gated),
            dense_act_fn: Some(activation.into()),
            // The shortest decimal of the f32, not the f64 nearest to it.
            layer_norm_epsilon: config.layer_norm_epsilon.to_string().parse().unwrap_or(1e-6),
            pad_token_id: Some(config.pad_token_id),
            eos_token_id: None,
            decoder_start_token_id: Some(config.decoder_start_token_id),
            tie_word_embeddings: Some(config.scale_decoder_outputs),
            scale_decoder_outputs: Some(config.scale_decoder_outputs),
            is_encoder_decoder: true,
            query: config.query,
        }
    }
}

/// The activation and whether it gates: `feed_forward_proj`, and the two keys that newer files add, which take
/// precedence as they do in transformers.
fn feed_forward(file: &File) -> Result<(Activation, bool), LoadError> {
    let projection = file.feed_forward_proj.as_deref().unwrap_or("relu");
    let (gated, name) = match projection.strip_prefix("gated-") {
        // T5 1.1 means the approximation.
        Some("gelu") => (true, "gelu_new"),
        Some(name) => (true, name),
        None => (false, projection),
    };
    let name = file.dense_act_fn.as_deref().unwrap_or(name);
    let activation = match name {
        "relu" => Activation::Relu,
        "gelu_new" => Activation::GeluNew,
        _ => {
            let key = if file.dense_act_fn.is_some() { "dense_act_fn" } else { "feed_forward_proj" };
            return Err(unknown(key, name, "relu or gated-gelu (gelu_new)"));
        }
    };
    Ok((activation, file.is_gated_act.unwrap_or(gated)))
}

fn token(key: &'static str, value: u32, vocabulary: usize) -> Result<u32, LoadError> {
    if value as usize >= vocabulary {
        return Err(unknown(key, &value.to_string(), &format!("a token of the {vocabulary} in the vocabulary")));
    }
    Ok(value)
}

fn unknown(key: &'static str, value: &str, expected: &str) -> LoadError {
    LoadError::Config { key, value: value.into(), expected: expected.into() }
}

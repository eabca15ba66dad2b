//! Names, shapes and initial deviations of a T5's weights.

use crate::t5::{Config, HEAD, LoadError, Weights};

/// A weight that a model has: its name, its shape, and the standard deviation it starts with; 0 means ones.
pub(super) struct Weight {
    pub(super) name: String,
    /// Rows and columns; norms have one column.
    pub(super) shape: [i64; 2],
    pub(super) deviation: f64,
}

/// All weights of a model, by the names of transformers.
pub(super) fn shapes(config: &Config, own_head: bool) -> Vec<Weight> {
    let [d, inner, wide] = [config.d_model, config.inner(), config.d_ff].map(|size| size as i64);
    let deviation = |inputs: i64| (inputs as f64).powf(-0.5);
    let mut all = Vec::new();
    let mut add = |name: String, shape: [i64; 2], deviation: f64| all.push(Weight { name, shape, deviation });
    add("shared.weight".to_owned(), [config.vocab_size as i64, d], 0.3);
    if own_head {
        add(HEAD.to_owned(), [config.vocab_size as i64, d], deviation(d));
    }
    for (side, blocks) in [("encoder", config.num_layers), ("decoder", config.num_decoder_layers)] {
        for block in 0..blocks {
            let mut layers = vec![("SelfAttention", true)];
            if side == "decoder" {
                layers.push(("EncDecAttention", false));
            }
            let feed_forward = layers.len();
            for (layer, (attention, positions)) in layers.into_iter().enumerate() {
                let prefix = format!("{side}.block.{block}.layer.{layer}");
                let query = deviation(d * config.d_kv as i64);
                add(format!("{prefix}.{attention}.q.weight"), [inner, d], query);
                add(format!("{prefix}.{attention}.k.weight"), [inner, d], deviation(d));
                add(format!("{prefix}.{attention}.v.weight"), [inner, d], deviation(d));
                add(format!("{prefix}.{attention}.o.weight"), [d, inner], deviation(inner));
                if positions && block == 0 {
                    let table = [config.relative_attention_num_buckets, config.num_heads].map(|size| size as i64);
                    add(format!("{prefix}.{attention}.relative_attention_bias.weight"), table, deviation(d));
                }
                add(format!("{prefix}.layer_norm.weight"), [d, 1], 0.0);
            }
            let prefix = format!("{side}.block.{block}.layer.{feed_forward}");
            let maps: &[&str] = if config.gated { &["wi_0", "wi_1"] } else { &["wi"] };
            for map in maps {
                add(format!("{prefix}.DenseReluDense.{map}.weight"), [wide, d], deviation(d));
            }
            add(format!("{prefix}.DenseReluDense.wo.weight"), [d, wide], deviation(wide));
            add(format!("{prefix}.layer_norm.weight"), [d, 1], 0.0);
        }
        add(format!("{side}.final_layer_norm.weight"), [d, 1], 0.0);
    }
    all
}

/// Name under which a checkpoint holds a weight.
pub(super) fn name_in<'a>(weights: &Weights<'_>, name: &'a str) -> &'a str {
    if name == "shared.weight" { weights.embedding() } else { name }
}

/// Checks that a checkpoint holds all weights in their shapes.
pub(super) fn check(shapes: &[Weight], weights: &Weights<'_>) -> Result<(), LoadError> {
    for Weight { name, shape: [rows, columns], deviation } in shapes {
        let name = name_in(weights, name);
        let expected = if *deviation == 0.0 { vec![*rows as usize] } else { vec![*rows as usize, *columns as usize] };
        let found = weights.shape(name).ok_or_else(|| LoadError::Missing(name.to_owned()))?;
        if found != expected {
            return Err(LoadError::Shape { name: name.to_owned(), found: found.to_vec(), expected });
        }
    }
    Ok(())
}

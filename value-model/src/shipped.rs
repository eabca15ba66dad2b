//! The value model that ships: its shape, weights and tokenizer, as they lie in the binary.

use crate::encoding::Vocabulary;
use crate::t5::{Config, Weights};

const BROKEN: &str = "the built-in model is whole";

/// The shape of the model, its weights and its tokenizer.
pub(crate) fn value_model() -> (Config, Weights<'static>, Vocabulary) {
    let config = Config::from_json(include_str!("../data/model/config.json")).expect(BROKEN);
    let weights = include_bytes!("../data/model/model.safetensors").as_slice();
    let weights = Weights::from_safetensors(weights).expect(BROKEN);
    let vocabulary = Vocabulary::from_json(include_bytes!("../data/model/tokenizer.json")).expect(BROKEN);
    (config, weights, vocabulary)
}

//! A reranker: a T5 that says how likely conditions are at a place (as the model of `BodyGuard`, section 3.2, does): its encoder
//! reads the function around the region, and its decoder gives a probability to each token of a condition.
//!
//! The encoder is the value model's with low-rank changes ([`crate::t5::merge`]), the decoder its own. The network of the
//! parent module says which conditions there could be; this one only says how likely each is, and so none that does not
//! parse or names what is not in scope is ever written.

mod bundle;
mod question;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::encoding::Vocabulary;
use crate::t5::{Adapted, Batch, Config, InputError, LoadError, T5, Tensors, Weights, adapted, merge};
use crate::{files, shipped};

pub use bundle::{Asked, Part, Questions, QuestionsError};
pub use question::{asked_elsewhere, question};

/// Name of the weights in a model's folder.
pub const WEIGHTS: &str = "reranker.safetensors";

/// Name of the file with the sizes.
pub const CONFIG: &str = "reranker.json";
/// Most bytes of that file.
const MAX_CONFIG: u64 = 1 << 16;
/// Values that the weights as they ship have on either side of zero.
const LEVELS: i8 = 7;

/// Sizes of what is learned beside the value model's encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RerankerConfig {
    /// Rank of the changes of the encoder's matrices and of the embedding.
    pub rank: usize,
    /// Blocks of the decoder.
    pub decoder_layers: usize,
}

impl RerankerConfig {
    /// The sizes, if they are in range.
    pub(crate) fn checked(self) -> Result<Self, LoadError> {
        let sizes = [("rank", self.rank, 1 << 10), ("decoder_layers", self.decoder_layers, 64)];
        match sizes.into_iter().find(|(_, size, most)| !(1..=*most).contains(size)) {
            None => Ok(self),
            Some((key, size, most)) => {
                Err(LoadError::Config { key, value: size.to_string(), expected: format!("1 to {most}") })
            }
        }
    }

    /// The shape of the whole model, the weights of the value model, and its vocabulary.
    #[must_use]
    pub fn parts(self) -> (Config, Weights<'static>, Vocabulary) {
        let (shape, shared, vocabulary) = shipped::value_model();
        (Config { num_decoder_layers: self.decoder_layers, ..shape }, shared, vocabulary)
    }

    /// The matrices that are changed: those of the encoder, and the embedding, which is the head, too.
    pub(crate) fn changed(shape: &Config, shared: &Weights<'_>) -> Vec<Adapted> {
        let mut all = adapted(shape, shape.num_layers);
        all.push((shared.embedding().to_owned(), [shape.vocab_size, shape.d_model]));
        all
    }
}

/// The tokens that questions consist of: those of the value model.
#[must_use]
pub fn vocabulary() -> Vocabulary {
    shipped::value_model().2
}

/// The model, ready to be asked.
#[derive(Debug)]
pub struct Reranker {
    t5: T5,
    vocabulary: Vocabulary,
}

impl Reranker {
    /// Reads the folder that training left: sizes and weights.
    ///
    /// # Errors
    /// [`LoadError`] with the file that is at fault.
    pub fn open(folder: &Path) -> Result<(RerankerConfig, Weights<'static>), LoadError> {
        let path = folder.join(CONFIG);
        let bytes = files::read(&path, MAX_CONFIG).map_err(|source| LoadError::Io { path: path.clone(), source })?;
        let config: RerankerConfig =
            serde_json::from_slice(&bytes).map_err(|error| LoadError::ConfigSyntax(error).at(&path))?;
        Ok((config.checked().map_err(|problem| problem.at(&path))?, Weights::open(&folder.join(WEIGHTS))?))
    }

    /// The weights as they ship: matrices in few levels.
    ///
    /// # Errors
    /// [`LoadError`] of weights that are not finite.
    pub fn rounded(own: &Weights<'_>) -> Result<Tensors, LoadError> {
        let mut tensors = Tensors::new();
        for name in own.weight_names() {
            let (shape, values) = (own.shape(name).unwrap_or_default().to_vec(), own.values(name)?);
            match shape[..] {
                [rows, cols] if !name.contains("relative_attention_bias") => {
                    tensors.add_rounded(name, [rows, cols], &values, LEVELS)?;
                }
                _ => tensors.add(name, &shape, &values)?,
            }
        }
        Ok(tensors)
    }

    /// Builds the model from its own weights: factors of the changes, and the decoder's.
    ///
    /// # Errors
    /// [`LoadError`] of weights that are missing or of another shape.
    pub fn load(config: RerankerConfig, own: &Weights<'_>) -> Result<Self, LoadError> {
        let (shape, shared, vocabulary) = config.parts();
        let mut merged = merge(&shared, own, &RerankerConfig::changed(&shape, &shared), config.rank)?;
        for name in own.weight_names().filter(|name| name.starts_with("decoder.")) {
            let size = own.shape(name).unwrap_or_default().to_vec();
            merged.add(name, &size, &own.values(name)?)?;
        }
        let whole = Weights::from_safetensors(merged.to_bytes()?)?;
        Ok(Self { t5: T5::load(shape, &whole)?, vocabulary })
    }

    /// Logarithms of the probabilities of conditions, given a question.
    ///
    /// # Errors
    /// [`InputError`] of a question that is empty or has tokens of another vocabulary.
    pub fn likelihoods(&self, question: &[u16], conditions: &[&str]) -> Result<Vec<f32>, InputError> {
        let end = self.vocabulary.separator();
        let texts: Vec<Vec<u32>> =
            conditions.iter().map(|text| self.vocabulary.encode(text).ids.into_iter().chain([end]).collect()).collect();
        let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
        let question: Vec<u32> = question.iter().map(|&id| id.into()).collect();
        let encoded = self.t5.encode(&Batch::new(&[&question])?)?;
        self.t5.likelihoods(&encoded, 0, &texts)
    }

    /// The tokens that it splits texts into.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::t5::factors;

    /// Sizes and weights of a reranker that changes nothing of the encoder and has the value model's decoder.
    pub(crate) fn untrained() -> (RerankerConfig, Weights<'static>) {
        let config = RerankerConfig { rank: 2, decoder_layers: 1 };
        let (shape, shared, _) = config.parts();
        let mut own = Tensors::new();
        for (matrix, [rows, columns]) in RerankerConfig::changed(&shape, &shared) {
            let [down, up] = factors(&matrix);
            own.add(&down, &[2, columns], &vec![0.01; 2 * columns]).expect("whole");
            own.add(&up, &[rows, 2], &vec![0.0; 2 * rows]).expect("whole");
        }
        for name in shared.weight_names().filter(|name| name.starts_with("decoder.")) {
            own.add(name, shared.shape(name).expect("a shape"), &shared.values(name).expect("values")).expect("whole");
        }
        (config, Weights::from_safetensors(own.to_bytes().expect("bytes")).expect("weights"))
    }

    #[test]
    fn texts_have_the_same_likelihood_alone_and_together() {
        let (config, own) = untrained();
        let reranker = Reranker::load(config, &own).expect("a model");
        let question: Vec<u16> =
            reranker.vocabulary().encode("def f(x):\n    return x.y").ids.iter().map(|&id| id as u16).collect();
        let conditions = ["x is not None", "x is None", "x"];
        let together = reranker.likelihoods(&question, &conditions).expect("answers");
        for (condition, expected) in conditions.iter().zip(together) {
            let alone = reranker.likelihoods(&question, &[condition]).expect("an answer")[0];
            assert!((alone - expected).abs() < 1e-3 && alone < 0.0, "{condition}: {alone} {expected}");
        }
        assert!(reranker.likelihoods(&[], &conditions).is_err());
        assert!(reranker.likelihoods(&[60_000], &conditions).is_err());
    }

    #[test]
    fn a_folder_that_is_none_is_refused() {
        let (config, own) = untrained();
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Reranker::open(folder.path()).is_err());
        let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("written");
        put(CONFIG, &serde_json::to_vec(&config).expect("JSON"));
        assert!(Reranker::open(folder.path()).is_err(), "no weights");
        put(WEIGHTS, &own.bytes()[..own.bytes().len() / 2]);
        assert!(Reranker::open(folder.path()).is_err(), "half of them");
        put(WEIGHTS, own.bytes());
        let (config, read) = Reranker::open(folder.path()).expect("whole");
        assert!(Reranker::load(RerankerConfig { rank: 3, ..config }, &read).is_err(), "of another rank");
        put(CONFIG, br#"{"rank": 0, "decoder_layers": 1}"#);
        assert!(Reranker::open(folder.path()).is_err(), "no rank");
    }
}

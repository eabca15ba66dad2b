//! The predictor of errors: vocabulary, encoder and network.

use std::path::Path;

use surmise_instrument::SourceModel;
use surmise_instrument::program_graph::Limits;

use super::config::ErrorConfig;
use super::doubts::{Doubt, Doubts, ResourceDescription};
use super::network::{Execution, Network};
use super::pooling::StatementEncoder;
use super::program::Program;
use crate::encoding::Vocabulary;
use crate::files;
use crate::shipped;
use crate::t5::{Config, InputError, LoadError, TokenEncoder, Weights, adapted, merge};

/// Name of the configuration in a model's folder.
pub const CONFIG: &str = "errors.json";
/// Name of the weights in a model's folder.
pub const WEIGHTS: &str = "errors.safetensors";
/// Most bytes of a configuration.
const MAX_CONFIG: u64 = 1 << 20;

/// Why a predictor of errors cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadErrorModel {
    /// The configuration cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Path of the file.
        path: std::path::PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The configuration or the weights do not fit.
    #[error(transparent)]
    Weights(#[from] LoadError),
}

/// A predictor of errors with its weights.
pub struct ErrorModel {
    config: ErrorConfig,
    vocabulary: Vocabulary,
    encoder: StatementEncoder,
    network: Network,
}

/// What is predicted of a program.
#[derive(Clone, Debug)]
pub struct ErrorPrediction {
    /// The program as the network saw it.
    pub program: Program,
    /// What its execution came to.
    pub execution: Execution,
}

impl ErrorModel {
    /// The model that ships in the binary.
    ///
    /// # Panics
    /// Never: the tests load what is built in.
    #[must_use]
    pub fn built_in() -> Self {
        let text = include_str!("../../data/errors/errors.json");
        let bytes: &'static [u8] = include_bytes!("../../data/errors/errors.safetensors");
        let read = || Self::new(ErrorConfig::from_json(text)?, &Weights::from_safetensors(bytes)?);
        read().expect("the built-in model of errors is whole")
    }

    /// Reads a folder with `errors.json` and `errors.safetensors`, as `surmise train --predictor errors` writes it.
    ///
    /// # Errors
    /// [`BadErrorModel`], with the file that is at fault.
    pub fn open(folder: &Path) -> Result<Self, BadErrorModel> {
        let path = folder.join(CONFIG);
        let bytes = files::read(&path, MAX_CONFIG);
        let bytes = bytes.map_err(|source| BadErrorModel::Io { path: path.clone(), source })?;
        let text = String::from_utf8_lossy(&bytes);
        let config = ErrorConfig::from_json(&text).map_err(|problem| problem.at(&path))?;
        let path = folder.join(WEIGHTS);
        let weights = Weights::open(&path)?;
        Ok(Self::new(config, &weights).map_err(|problem| problem.at(&path))?)
    }

    fn new(config: ErrorConfig, weights: &Weights<'_>) -> Result<Self, LoadError> {
        let network = Network::load(&config, weights)?;
        let (vocabulary, encoder) = encoder(&config, Some(weights))?;
        Ok(Self { config, vocabulary, encoder, network })
    }

    /// Kind and sizes of the network.
    #[must_use]
    pub fn config(&self) -> &ErrorConfig {
        &self.config
    }

    /// Predicts what a program raises when it reads an input of that description, whose text may be empty.
    ///
    /// # Errors
    /// [`InputError`] if the encoder does not take the vocabulary's tokens.
    pub fn predict(
        &self,
        source: &SourceModel,
        description: &ResourceDescription,
        limits: Limits,
    ) -> Result<ErrorPrediction, InputError> {
        let program = Program::new(source, description, &self.vocabulary, &self.config, limits);
        let encoded = self.encoder.encode(&program)?;
        let execution = self.network.execute(&program, &encoded);
        Ok(ErrorPrediction { program, execution })
    }
}

/// The vocabulary and the encoder of networks that take that of the value model as it is.
///
/// # Errors
/// [`LoadError`] if it is of another width, or has fewer blocks.
pub fn open_encoder(config: &ErrorConfig) -> Result<(Vocabulary, StatementEncoder), LoadError> {
    encoder(&ErrorConfig { adapter: None, ..config.clone() }, None)
}

/// The vocabulary and the encoder of the value model, with the changes among a network's weights.
///
/// # Errors
/// [`LoadError`] of changes that do not fit its shape.
pub(crate) fn encoder(
    config: &ErrorConfig,
    own: Option<&Weights<'_>>,
) -> Result<(Vocabulary, StatementEncoder), LoadError> {
    let (shape, shared, vocabulary) = encoder_parts(config)?;
    let merged = match (own, config.adapter) {
        (Some(own), Some(rank)) => {
            let changed = adapted(&shape, config.encoder_layers);
            Weights::from_safetensors(merge(&shared, own, &changed, rank)?.to_bytes()?)?
        }
        _ => shared,
    };
    Ok((vocabulary, StatementEncoder::new(TokenEncoder::load(shape, &merged)?, config.clone())))
}

/// The shape of the encoder with the blocks that run, the weights of the value model, and its vocabulary.
///
/// # Errors
/// [`LoadError`] if it is of another width, or has fewer blocks.
pub(crate) fn encoder_parts(config: &ErrorConfig) -> Result<(Config, Weights<'static>, Vocabulary), LoadError> {
    let (mut shape, shared, vocabulary) = shipped::value_model();
    if config.encoder_layers > shape.num_layers || config.encoder_width != shape.d_model {
        let value = format!("{} blocks of width {}", config.encoder_layers, config.encoder_width);
        let expected = format!("at most {} of width {}", shape.num_layers, shape.d_model);
        return Err(LoadError::Config { key: "encoder_layers", value, expected });
    }
    shape.num_layers = config.encoder_layers;
    Ok((shape, shared, vocabulary))
}

impl ErrorPrediction {
    /// What is in doubt about lines of the source, without what counts no more than half.
    #[must_use]
    pub fn doubts(&self) -> Vec<(u32, Doubt)> {
        let lines = self.program.lines.iter().zip(&self.program.doubts);
        let of = |(&line, shares): (&u32, &Doubts)| {
            let kinds = Doubt::ALL.into_iter().zip(*shares).filter(|(_, share)| *share > 0.5);
            kinds.map(|(kind, _)| (line, kind)).collect::<Vec<_>>()
        };
        let mut found: Vec<(u32, Doubt)> = lines.flat_map(of).collect();
        found.sort_by_key(|(line, kind)| (*line, *kind as usize));
        found.dedup();
        found
    }

    /// Probabilities of lines to be where the error is raised, given that there is one; likeliest first.
    #[must_use]
    pub fn lines(&self) -> Vec<(u32, f32)> {
        let mut lines: std::collections::BTreeMap<u32, f32> = std::collections::BTreeMap::new();
        for (&line, &share) in self.program.lines.iter().zip(&self.execution.provenance) {
            if line > 0 {
                *lines.entry(line).or_default() += share;
            }
        }
        let all: f32 = lines.values().sum();
        let mut lines: Vec<(u32, f32)> =
            lines.into_iter().filter(|(_, share)| *share > 0.0).map(|(line, share)| (line, share / all)).collect();
        lines.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        lines
    }
}

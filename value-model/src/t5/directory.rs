//! A model's directory as transformers writes it: `config.json`, and the weights in `model.safetensors` or
//! `pytorch_model.bin`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::checkpoint;
use super::config::Config;
use super::error::LoadError;
use super::model::T5;
use super::weights::Weights;
use crate::files;

/// A `config.json` has a few kilobytes.
const MAX_CONFIG: u64 = 1 << 20;
/// Larger files are not read: `CodeT5-large` in f32 has 3 GB.
const MAX_WEIGHTS: u64 = 4 << 30;
/// Bytes that distinguish a safetensors file, whose header is JSON after its length, from a `.bin` of `PyTorch`.
const START: u64 = 9;

impl T5 {
    /// Loads the model of a directory.
    ///
    /// # Errors
    /// [`LoadError`], with the file that is at fault.
    pub fn open(directory: &Path) -> Result<Self, LoadError> {
        let (config, path) = find(directory)?;
        Self::load(config, &Weights::open(&path)?).map_err(|problem| problem.at(&path))
    }

    /// The configuration and the weights that a directory holds.
    ///
    /// # Errors
    /// [`LoadError`], with the file that is at fault.
    pub fn parts(directory: &Path) -> Result<(Config, Weights<'static>), LoadError> {
        let (config, path) = find(directory)?;
        Ok((config, Weights::open(&path)?))
    }
}

impl Weights<'static> {
    /// Reads a whole file of any of the known formats, recognised by its first bytes: safetensors, or the `.bin` of
    /// `PyTorch`.
    ///
    /// # Errors
    /// [`LoadError::File`] with the problem, [`LoadError::Io`].
    pub fn open(path: &Path) -> Result<Self, LoadError> {
        let io = |source| LoadError::Io { path: path.into(), source };
        let mut start = Vec::new();
        File::open(path).map_err(io)?.take(START).read_to_end(&mut start).map_err(io)?;
        // A stream of pickles says its protocol first.
        let is_stream = start.first() == Some(&0x80) || path.extension().is_some_and(|extension| extension == "bin");
        let weights = if start.starts_with(b"PK") || (start.get(8) != Some(&b'{') && is_stream) {
            checkpoint::read(path, MAX_WEIGHTS)
        } else {
            Self::from_safetensors(files::read(path, MAX_WEIGHTS).map_err(io)?)
        };
        weights.map_err(|problem| problem.at(path))
    }
}

/// The configuration of a directory, and the file of its weights.
fn find(directory: &Path) -> Result<(Config, PathBuf), LoadError> {
    let path = directory.join("config.json");
    let bytes = files::read(&path, MAX_CONFIG).map_err(|source| LoadError::Io { path: path.clone(), source })?;
    let text = String::from_utf8(bytes).map_err(|_| LoadError::Damaged("not UTF-8".into()).at(&path))?;
    let config = Config::from_json(&text).map_err(|problem| problem.at(&path))?;
    let files = ["model.safetensors", "pytorch_model.bin"].map(|name| directory.join(name));
    let path = files.into_iter().find(|path| path.exists()).ok_or_else(|| LoadError::NoWeights.at(directory))?;
    Ok((config, path))
}

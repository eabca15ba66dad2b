//! What results depend on besides their input: the weights that predicted, and the runtime that ran and judged.
//!
//! Results that are kept carry both, so that those of another model under the same path, or of another version of the
//! runtime, are never taken for those of this one.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

/// Hexadecimal digits that are shown and compared: 128 bits.
const DIGITS: usize = 32;
/// The files of a model's folder that decide what it answers.
const FILES: [&str; 10] = [
    "added_tokens.json",
    "config.json",
    "merges.txt",
    "model.safetensors",
    "pytorch_model.bin",
    "special_tokens_map.json",
    "stacker.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.json",
];

/// The weights and the runtime that results depend on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Identity {
    /// A hash of the sources that this program was built of.
    pub runtime: &'static str,
    /// A hash of the weights that predict; none where no predictor has weights.
    pub model: Option<String>,
}

impl Identity {
    /// The identity of this program with the weights that are built in.
    pub fn built_in() -> Self {
        Self { runtime: shortened(env!("SURMISE_RUNTIME")), model: Some(shortened(env!("SURMISE_WEIGHTS")).to_owned()) }
    }

    /// The identity of this program with the weights in a folder.
    ///
    /// # Errors
    /// When one of its files cannot be read.
    pub fn of_model(folder: &Path) -> io::Result<Self> {
        let mut hash = Sha256::new();
        for name in FILES {
            match File::open(folder.join(name)) {
                Ok(mut file) => {
                    hash.update(format!("{name}\0{}\0", file.metadata()?.len()));
                    io::copy(&mut file, &mut hash)?;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { model: Some(shortened(&format!("{:x}", hash.finalize())).to_owned()), ..Self::built_in() })
    }

    /// The identity of this program where no predictor has weights.
    #[must_use]
    pub fn without_model(&self) -> Self {
        Self { runtime: self.runtime, model: None }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "runtime={} model={}", self.runtime, self.model.as_deref().unwrap_or("none"))
    }
}

fn shortened(hash: &str) -> &str {
    &hash[..DIGITS]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_by_its_files_and_not_by_its_path() {
        let of = |weights: &str, notes: &str| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            for (name, text) in [("config.json", "{}"), ("model.safetensors", weights), ("README.md", notes)] {
                std::fs::write(folder.path().join(name), text).expect("it can be written");
            }
            Identity::of_model(folder.path()).expect("it can be read")
        };
        assert_eq!(of("0123", "a"), of("0123", "b"));
        assert_ne!(of("0123", "a"), of("0124", "a"));
        assert_ne!(of("0123", "a").model, Identity::built_in().model);
        assert_eq!(of("0123", "a").runtime, Identity::built_in().runtime);
    }
}

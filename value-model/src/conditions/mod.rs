//! Which way the conditions of a source go in real calls: logistic regression over hashed features of the source
//! (Weinberger et al., ICML 2009), learned from recorded calls.

mod fit;

use std::path::Path;
use std::sync::LazyLock;

use twox_hash::XxHash64;

use crate::t5::{LoadError, Tensors, Weights};

pub use fit::{Example, Fit, fit};

/// Number of weights, a power of two.
const SIZE: usize = 1 << 16;
/// Names of the tensors of a model.
const WEIGHTS: &str = "conditions.weight";
const BIAS: &str = "conditions.bias";
/// Rows and columns of the matrix that the weights are stored as: a scale for each row.
const ROWS: usize = 256;

/// Probabilities that conditions hold, and that loops have an element.
#[derive(Clone, Debug)]
pub struct Conditions {
    weights: Vec<f32>,
    bias: f32,
}

impl Conditions {
    /// The model that ships in the binary.
    ///
    /// # Panics
    /// Never: the tests load what is built in.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Conditions> = LazyLock::new(|| {
            let bytes: &'static [u8] = include_bytes!("../../data/model/conditions.safetensors");
            let read = Weights::from_safetensors(bytes).and_then(|weights| Conditions::load(&weights));
            read.expect("the built-in model of conditions is whole")
        });
        &BUILT_IN
    }

    /// Reads a model from a file.
    ///
    /// # Errors
    /// [`LoadError`] of a file that cannot be read or holds no such model.
    pub fn open(path: &Path) -> Result<Self, LoadError> {
        Weights::open(path).and_then(|weights| Self::load(&weights)).map_err(|problem| problem.at(path))
    }

    /// Reads a model from its tensors.
    ///
    /// # Errors
    /// [`LoadError`] of a tensor that is missing, of another shape or type, or not finite.
    pub fn load(weights: &Weights<'_>) -> Result<Self, LoadError> {
        let table = weights.table(WEIGHTS, ROWS, SIZE / ROWS)?;
        Ok(Self { weights: table, bias: weights.vector(BIAS, 1)?[0] })
    }

    /// The tensors of the model, weights in int8.
    ///
    /// # Errors
    /// [`LoadError::NotFinite`] if fitting went astray.
    pub fn tensors(&self) -> Result<Tensors, LoadError> {
        let mut tensors = Tensors::new();
        tensors.add_quantized(WEIGHTS, ROWS, SIZE / ROWS, &self.weights)?;
        tensors.add(BIAS, &[1], &[self.bias])?;
        Ok(tensors)
    }

    /// How likely a condition with these features holds when a call first comes to it.
    #[must_use]
    pub fn probability(&self, features: &[String]) -> f32 {
        logistic(self.logit(&places(features)))
    }

    fn logit(&self, places: &[u32]) -> f32 {
        places.iter().map(|&place| self.weights[place as usize]).sum::<f32>() + self.bias
    }
}

fn logistic(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// Where the weights of features are, each once.
fn places(features: &[String]) -> Vec<u32> {
    let place = |feature: &String| (XxHash64::oneshot(0, feature.as_bytes()) as usize & (SIZE - 1)) as u32;
    let mut found: Vec<u32> = features.iter().map(place).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_is_whole() {
        let probability = Conditions::built_in().probability(&["kind|name".to_owned()]);
        assert!(probability > 0.0 && probability < 1.0, "{probability}");
    }

    #[test]
    fn what_is_no_model_of_conditions_is_refused() {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/model");
        let other = Conditions::open(&shipped.join("model.safetensors")).expect_err("the model of classes");
        assert!(other.to_string().contains(WEIGHTS), "{other}");
        assert!(Conditions::open(Path::new("/nowhere")).is_err());
        let bytes = std::fs::read(shipped.join("conditions.safetensors")).expect("a file that ships");
        for length in [0, 7, 100, bytes.len() / 2, bytes.len() - 1] {
            let read = Weights::from_safetensors(&bytes[..length]).and_then(|weights| Conditions::load(&weights));
            assert!(read.is_err(), "{length} of {} bytes", bytes.len());
        }
    }
}

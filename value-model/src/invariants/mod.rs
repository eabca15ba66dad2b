//! Conditions that a region of code expects to hold, ranked: a decoder of three steps over hashed features.
//!
//! After "Learning to infer run-time invariants from source code" (`BodyGuard`), with another model: it writes a condition
//! as its authors' decoder does, one part after the other, but the parts are what a condition is *about* (a path that is
//! in scope), its *template* (`$0 is not None`, `isinstance($0, $1)`), and then each further slot. Each step is a softmax
//! over linear scores of hashed features (Weinberger et al., ICML 2009) of [`surmise_instrument::guards::View`]. So each
//! answer parses, names only what is in scope, and has a probability; the logical negation of a test is another template,
//! which the loss keeps apart by the paper's hinge.

pub mod corpus;
mod decode;
mod fit;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::files;
use crate::t5::{LoadError, Tensors, Weights};

pub use decode::Predicted;
pub use fit::{Example, Measured, Options, examples, fit, measure, templates, without_duplicates};

/// Logarithms (base 2) of the numbers of weights: for what a condition is about, its template, the other slots.
const SIZES: [usize; 3] = [18, 21, 19];
const NAMES: [&str; 3] = ["invariants.subject", "invariants.template", "invariants.object"];
/// Columns of the matrices that the weights are stored as: a scale for each row.
const COLUMNS: usize = 256;
/// Bytes of a table of templates at most, to reject other files early.
const MAX_TABLE: u64 = 4 << 20;

/// A template of conditions, and how often guards of the training projects have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The template, with `$0` for what the condition is about.
    pub template: String,
    /// Number of guards.
    pub guards: u32,
    /// Number of projects.
    pub projects: u32,
}

/// The model.
#[derive(Clone, Debug)]
pub struct Invariants {
    templates: Vec<Known>,
    /// For each template, the number of the template of its negation.
    negations: Vec<Option<usize>>,
    subject: Vec<f32>,
    template: Vec<f32>,
    object: Vec<f32>,
}

/// Why a model of invariants cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The weights cannot be read.
    #[error(transparent)]
    Weights(#[from] LoadError),
    /// The table of templates cannot be read.
    #[error("cannot read `{}`: {problem}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl Invariants {
    /// The model that ships in the binary.
    ///
    /// # Panics
    /// Never: the tests load what is built in.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Invariants> = LazyLock::new(|| {
            let weights: &'static [u8] = include_bytes!("../../data/invariants/invariants.safetensors");
            let table = include_bytes!("../../data/invariants/invariants.json");
            let templates: Vec<Known> =
                serde_json::from_slice(table).expect("the built-in table of templates is whole");
            let read = Weights::from_safetensors(weights).and_then(|weights| Invariants::load(&weights, templates));
            read.expect("the built-in model of invariants is whole")
        });
        &BUILT_IN
    }

    /// Reads a model from a folder with `invariants.safetensors` and `invariants.json`.
    ///
    /// # Errors
    /// [`OpenError`] of files that cannot be read or hold no such model.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let path = folder.join("invariants.json");
        let table = |problem: String| OpenError::Table { path: path.clone(), problem };
        let bytes = files::read(&path, MAX_TABLE).map_err(|error| table(error.to_string()))?;
        let templates = serde_json::from_slice(&bytes).map_err(|error| table(error.to_string()))?;
        let path = folder.join("invariants.safetensors");
        let read = Weights::open(&path).and_then(|weights| Self::load(&weights, templates));
        Ok(read.map_err(|problem| problem.at(&path))?)
    }

    fn load(weights: &Weights<'_>, templates: Vec<Known>) -> Result<Self, LoadError> {
        let table = |at: usize| weights.table(NAMES[at], (1 << SIZES[at]) / COLUMNS, COLUMNS);
        let [subject, template, object] = [table(0)?, table(1)?, table(2)?];
        Ok(Self { negations: negations(&templates), templates, subject, template, object })
    }

    /// Writes the model into a folder.
    ///
    /// # Errors
    /// [`LoadError`] of files that cannot be written, or if fitting went astray.
    pub fn save(&self, folder: &Path) -> Result<(), LoadError> {
        let mut tensors = Tensors::new();
        for (at, values) in [&self.subject, &self.template, &self.object].into_iter().enumerate() {
            tensors.add_quantized(NAMES[at], values.len() / COLUMNS, COLUMNS, values)?;
        }
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| LoadError::Io { path, source }
        };
        std::fs::create_dir_all(folder).map_err(io(folder))?;
        tensors.save(&folder.join("invariants.safetensors"))?;
        let path = folder.join("invariants.json");
        let table =
            serde_json::to_vec_pretty(&self.templates).map_err(|error| LoadError::Damaged(error.to_string()))?;
        files::replace(&path, &table).map_err(io(&path))
    }

    /// The templates that it can write, the most frequent first.
    #[must_use]
    pub fn templates(&self) -> &[Known] {
        &self.templates
    }

    fn empty(templates: Vec<Known>) -> Self {
        let zeros = |at: usize| vec![0.0; 1 << SIZES[at]];
        let (subject, template, object) = (zeros(0), zeros(1), zeros(2));
        Self { negations: negations(&templates), templates, subject, template, object }
    }
}

fn negations(templates: &[Known]) -> Vec<Option<usize>> {
    let negated = |known: &Known| surmise_instrument::guards::negated_template(&known.template);
    templates.iter().map(|known| templates.iter().position(|other| other.template == negated(known))).collect()
}

/// The probabilities of scores.
fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

/// A feature crossed with a number.
fn crossed(feature: u32, with: u32) -> u32 {
    (feature ^ with.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0xc2b2_ae35).rotate_left(13)
}

/// Where the weight of a feature is in a table of 2^size.
fn place(feature: u32, size: usize) -> usize {
    (feature.wrapping_mul(0x9e37_79b1) >> (32 - size)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_is_whole() {
        assert!(Invariants::built_in().templates().iter().any(|known| known.template == "$0 is not None"));
    }

    #[test]
    fn what_is_no_model_of_invariants_is_refused() {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        assert!(Invariants::open(&shipped.join("model")).is_err());
        let folder = tempfile::tempdir().expect("a folder");
        let copy = |name: &str, part: usize| {
            let bytes = std::fs::read(shipped.join("invariants").join(name)).expect("a file that ships");
            std::fs::write(folder.path().join(name), &bytes[..bytes.len() / part]).expect("written");
        };
        for (table, weights) in [(2, 1), (1, 2)] {
            copy("invariants.json", table);
            copy("invariants.safetensors", weights);
            assert!(Invariants::open(folder.path()).is_err(), "{table} {weights}");
        }
        copy("invariants.json", 1);
        copy("invariants.safetensors", 1);
        assert!(Invariants::open(folder.path()).is_ok());
    }
}

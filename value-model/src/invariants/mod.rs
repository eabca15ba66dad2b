//! Conditions that a region of code expects to hold, ranked: written in steps by a small network over hashed features.
//!
//! After "Learning to infer run-time invariants from source code" (`BodyGuard`), with another model: it writes a condition
//! as its authors' decoder does, one part after the other, but the parts are what a condition is *about* (a path that is
//! in scope), its *template* (`$0 is not None`, `isinstance($0, $1)`), and then each further slot. Each step is a softmax
//! over scores of hashed features (Weinberger et al., ICML 2009) of [`surmise_instrument::guards::View`]. So each
//! answer parses, names only what is in scope, and has a probability; the logical negation of a test is another template,
//! which the loss keeps apart by the paper's hinge.

pub mod corpus;
mod decode;
mod examples;
mod fit;
mod measure;
mod mix;
mod network;
pub mod reranker;
mod vocabulary;

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use surmise_instrument::guards::{Location, View};

use crate::files;
use crate::t5::{LoadError, Tensors, Weights};

pub use decode::Predicted;
pub use examples::{Example, examples, templates, without_duplicates};
pub use fit::{Options, fit};
pub use measure::{Measured, measure};

use mix::Mix;
use network::{COPIED_OBJECTS, COPIES, Network, Numbers, OBJECTS, WIDTH};
use reranker::{Reranker, RerankerConfig, asked_elsewhere, question};
use vocabulary::Vocabulary;

/// Version of the features and of the weights: those of others give no sense.
const FORMAT: u32 = 2;
/// Features that a model can have.
const MOST_FEATURES: usize = 1 << 20;
/// Columns of the matrix that the weights of further slots are stored as: a scale for each row.
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

/// What lies beside the weights.
#[derive(Debug, Serialize, Deserialize)]
struct Table {
    format: u32,
    features: usize,
    templates: Vec<Known>,
    /// Sizes of the reranker and its share; without it the network answers alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reranker: Option<(RerankerConfig, Mix)>,
}

/// The model.
#[derive(Clone, Debug)]
pub struct Invariants {
    templates: Vec<Known>,
    network: Network,
    reranking: Option<Reranking>,
}

/// The model that says how likely the conditions are that the network lists.
#[derive(Clone, Debug)]
struct Reranking {
    config: RerankerConfig,
    mix: Mix,
    model: Arc<Reranker>,
    /// Its weights as they are stored.
    stored: Arc<Weights<'static>>,
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
            let table = table(include_bytes!("../../data/invariants/invariants.json"));
            let read = Weights::from_safetensors(weights).and_then(|weights| {
                let table = table.expect("the built-in table of templates is whole");
                Invariants::load(&weights, table, || Err(LoadError::Missing("reranker".to_owned())))
            });
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
        let bytes = files::read(&path, MAX_TABLE).map_err(|error| error.to_string());
        let table = bytes.and_then(|bytes| table(&bytes)).map_err(|problem| OpenError::Table { path, problem })?;
        let path = folder.join("invariants.safetensors");
        let weights = Weights::open(&path)?;
        let own = || Weights::open(&folder.join(reranker::WEIGHTS));
        Ok(Self::load(&weights, table, own).map_err(|problem| problem.at(&path))?)
    }

    fn load(
        weights: &Weights<'_>,
        table: Table,
        own: impl FnOnce() -> Result<Weights<'static>, LoadError>,
    ) -> Result<Self, LoadError> {
        let (features, count) = (table.features, table.templates.len());
        let row = |name: &str, length: usize| weights.table(&format!("invariants.{name}"), 1, length);
        let vocabulary = Vocabulary::from_distances(&row("features", features)?);
        let network = Network {
            vocabulary: vocabulary.ok_or_else(|| LoadError::Damaged("features that are out of order".to_owned()))?,
            numbers: Numbers::of(&table.templates),
            rows: row("rows", features * WIDTH)?,
            direct: row("direct", features)?,
            subject: row("subject", WIDTH)?,
            templates: weights.table("invariants.templates", count, WIDTH)?,
            biases: row("biases", count)?,
            copies: row("copies", COPIES)?,
            copied_objects: row("copied_objects", COPIED_OBJECTS)?,
            objects: weights.table("invariants.objects", (1 << OBJECTS) / COLUMNS, COLUMNS)?,
        };
        let reranking = match table.reranker {
            None => None,
            Some((config, mix)) => Some(Reranking::new(config.checked()?, mix, own()?)?),
        };
        Ok(Self { templates: table.templates, network, reranking })
    }

    /// The model with a reranker, whose weights are rounded to what ships, and whose share is fitted on examples.
    ///
    /// # Errors
    /// [`LoadError`] of weights that are not those of a reranker.
    pub fn with_reranker(
        mut self,
        (config, own): (RerankerConfig, &Weights<'_>),
        examples: &[Example],
    ) -> Result<Self, LoadError> {
        let stored = Weights::from_safetensors(Reranker::rounded(own)?.to_bytes()?)?;
        let reranking = Reranking::new(config, Mix::default(), stored)?;
        self.reranking = Some(Reranking { mix: self.fitted_mix(&reranking.model, examples), ..reranking });
        Ok(self)
    }

    /// What the reranker reads of a place of that source; nothing if there is no reranker.
    #[must_use]
    pub fn question(&self, view: &View, location: &Location, source: &str) -> Vec<u16> {
        let of = |reranking: &Reranking| {
            question(reranking.model.vocabulary(), &location.excerpt(source), &asked_elsewhere(view))
        };
        self.reranking.as_ref().map(of).unwrap_or_default()
    }

    /// Writes the model into a folder.
    ///
    /// # Errors
    /// [`LoadError`] of files that cannot be written, or if fitting went astray.
    pub fn save(&self, folder: &Path) -> Result<(), LoadError> {
        let mut tensors = Tensors::new();
        let network = &self.network;
        // One scale for all rows: those that hardly matter become zero, which takes no room where it is compressed.
        for (name, values) in [("rows", &network.rows), ("direct", &network.direct)] {
            tensors.add_quantized(&format!("invariants.{name}"), 1, values.len(), values)?;
        }
        tensors.add_quantized("invariants.templates", self.templates.len(), WIDTH, &network.templates)?;
        tensors.add_quantized("invariants.objects", network.objects.len() / COLUMNS, COLUMNS, &network.objects)?;
        let distances = network.vocabulary.distances();
        for (name, values) in [
            ("features", &distances),
            ("subject", &network.subject),
            ("biases", &network.biases),
            ("copies", &network.copies),
            ("copied_objects", &network.copied_objects),
        ] {
            tensors.add(&format!("invariants.{name}"), &[1, values.len()], values)?;
        }
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| LoadError::Io { path, source }
        };
        std::fs::create_dir_all(folder).map_err(io(folder))?;
        tensors.save(&folder.join("invariants.safetensors"))?;
        if let Some(reranking) = &self.reranking {
            let path = folder.join(reranker::WEIGHTS);
            files::replace(&path, reranking.stored.bytes()).map_err(io(&path))?;
        }
        let path = folder.join("invariants.json");
        let reranker = self.reranking.as_ref().map(|reranking| (reranking.config, reranking.mix));
        let table = Table { format: FORMAT, features: distances.len(), templates: self.templates.clone(), reranker };
        let table = serde_json::to_vec_pretty(&table).map_err(|error| LoadError::Damaged(error.to_string()))?;
        files::replace(&path, &table).map_err(io(&path))
    }

    /// The templates that it can write, the most frequent first.
    #[must_use]
    pub fn templates(&self) -> &[Known] {
        &self.templates
    }

    fn with(templates: Vec<Known>, network: impl FnOnce(&[Known]) -> Network) -> Self {
        let network = network(&templates);
        Self { templates, network, reranking: None }
    }
}

impl Reranking {
    fn new(config: RerankerConfig, mix: Mix, stored: Weights<'static>) -> Result<Self, LoadError> {
        let model = Arc::new(Reranker::load(config, &stored)?);
        Ok(Self { config, mix, model, stored: Arc::new(stored) })
    }
}

/// Reads the table of templates.
fn table(bytes: &[u8]) -> Result<Table, String> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let version = Version::deserialize(&value).map_or(1, |version| version.format);
    if version != FORMAT {
        return Err(format!(
            "it is of format {version}, and this version reads format {FORMAT}: train the model again"
        ));
    }
    let table = Table::deserialize(value).map_err(|error| error.to_string())?;
    if table.features > MOST_FEATURES || table.templates.is_empty() {
        return Err("it has too many features, or no templates".to_owned());
    }
    Ok(table)
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
    use surmise_instrument::SourceModel;
    use surmise_instrument::guards::{places, samples};

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

    #[test]
    fn a_model_of_another_format_is_refused_with_what_to_do() {
        let old = br#"[{"template": "$0", "guards": 3, "projects": 2}]"#;
        let newer = br#"{"format": 3, "features": 0, "templates": []}"#;
        for (bytes, format) in [(old.as_slice(), 1), (newer, 3)] {
            let error = table(bytes).expect_err("another format");
            let expected =
                format!("it is of format {format}, and this version reads format {FORMAT}: train the model again");
            assert_eq!(error, expected);
        }
    }

    /// A model of three small projects, in which callbacks are compared with `None` and lists are asked for truth.
    fn small() -> Invariants {
        let projects = ["alpha", "beta", "gamma"].map(|name| {
            let of = |number: usize| {
                format!(
                    "def {name}_{number}(callback=None):\n    if callback is not None:\n        callback()\n\n\n\
                     def each_{name}_{number}(items):\n    if items:\n        items.sort()\n\n\n"
                )
            };
            let text: String = (0..8).map(of).collect();
            let found = samples(&SourceModel::parse(text).expect("Python")).found;
            found.into_iter().map(|sample| (sample, Vec::new())).collect::<Vec<_>>()
        });
        let numbered = projects.iter().enumerate();
        let known =
            templates(numbered.flat_map(|(number, found)| found.iter().map(move |(sample, _)| (number, sample))));
        let learned: Vec<Example> =
            projects.into_iter().zip(0..).flat_map(|(found, number)| examples(found, &known, number)).collect();
        fit(&learned, known, Options { passes: 20, seed: 0, hinge: true }, |_, _| {})
    }

    fn first_of(model: &Invariants, text: &str) -> String {
        let place = places(&SourceModel::parse(text).expect("Python")).found.swap_remove(0);
        let question = model.question(&place.view, &place.location, text);
        model.predict(&place.view, &question, 1).swap_remove(0).condition
    }

    #[test]
    fn a_model_with_a_reranker_is_written_and_read_again() {
        let (config, own) = reranker::tests::untrained();
        let model = small().with_reranker((config, &own), &[]).expect("a reranker");
        let folder = tempfile::tempdir().expect("a folder");
        model.save(folder.path()).expect("written");
        let again = Invariants::open(folder.path()).expect("read");
        let text = "def other(callback=None):\n    callback()\n";
        let place = places(&SourceModel::parse(text).expect("Python")).found.swap_remove(0);
        let question = model.question(&place.view, &place.location, text);
        assert!(!question.is_empty());
        let [found, read] = [&model, &again].map(|model| model.predict(&place.view, &question, 5));
        assert_eq!(found.len(), read.len());
        for (found, read) in found.iter().zip(&read) {
            // The network's weights are rounded where they are stored.
            assert_eq!(found.condition, read.condition);
            assert!((found.entropy - read.entropy).abs() < 0.1, "{found:?} {read:?}");
        }
        let alone = &small().predict(&place.view, &question, 1)[0];
        assert!((found[0].entropy - alone.entropy).abs() > 0.5, "the reranker has a share: {found:?} {alone:?}");
        std::fs::remove_file(folder.path().join(reranker::WEIGHTS)).expect("removed");
        assert!(Invariants::open(folder.path()).is_err());
    }

    #[test]
    fn what_guards_say_is_learned_and_written_and_read_again() {
        let model = small();
        let folder = tempfile::tempdir().expect("a folder");
        model.save(folder.path()).expect("written");
        let again = Invariants::open(folder.path()).expect("read");
        for model in [&model, &again] {
            assert_eq!(first_of(model, "def other(callback=None):\n    callback()\n"), "callback is not None");
            assert_eq!(first_of(model, "def another(items):\n    items.sort()\n"), "items");
        }
    }
}

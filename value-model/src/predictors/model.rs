//! The T5 model as a predictor.

use std::path::{Path, PathBuf};

use crate::encoding::{BadVocabulary, Plain, Shape, Tokens, Vocabulary, Window, windows};
use crate::shipped;
use crate::stacking::{CLASSES, Features, Stacker};
use crate::t5::{Batch, Config, InputError, LoadError, T5, Weights};
#[cfg(feature = "torch")]
use crate::torch::Scorer;
use crate::{Class, Prediction, Predictor, Query, QueryForm};

/// Shape of the windows that the model reads. Training uses windows of 256 with zones of 192; smaller ones, with less
/// context, answer as well (seven shapes were tried on the `dev` projects) and cost a third less.
const SHAPE: Shape = Shape { length: 192, zone: 160 };
/// Windows that one thread takes at once.
const TOGETHER: usize = 4;
/// Logits are multiplied by this where no second model does it: the model, and sites that agree, are surer of code they
/// have not seen than they should be (0.7 to 1 were tried on the `dev` projects).
const CERTAINTY: f32 = 0.87;
/// File of the second model, beside the weights.
const STACKER: &str = "stacker.safetensors";

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadModel {
    /// The weights or the configuration cannot be read.
    #[error(transparent)]
    Weights(#[from] LoadError),
    /// The tokenizer cannot be read.
    #[error("{path}: {problem}", path = path.display())]
    Vocabulary {
        /// Folder of the model.
        path: PathBuf,
        /// What is wrong with the tokenizer.
        problem: BadVocabulary,
    },
    /// The tokenizer and the weights are of different models.
    #[error("the tokenizer has {tokens} entries, the model {weights}")]
    Mismatch {
        /// Number of tokens of the tokenizer.
        tokens: usize,
        /// Number of rows of the embedding.
        weights: usize,
    },
}

/// The predictor `model`: a T5 with its tokenizer, and the second model that corrects its answers.
pub struct Model {
    backend: Backend,
    vocabulary: Vocabulary,
    /// The second model, which models from elsewhere do not have.
    stacker: Option<Stacker>,
    /// Makes the queries of a model that was trained on one site at a time.
    plain: Option<Plain>,
}

/// The implementation of the forward pass; both give the same logits.
enum Backend {
    /// Our own forward pass, on the CPU.
    Own(Box<T5>),
    /// The forward pass of libtorch, on the CPU or a GPU.
    #[cfg(feature = "torch")]
    Torch(Scorer),
}

impl Model {
    /// Reads a Hugging Face directory: `config.json`, `tokenizer.json` or `vocab.json` with `merges.txt`, the weights,
    /// and if it is there `stacker.safetensors`, a second model that was trained for this one.
    pub fn open(folder: &Path) -> Result<Self, BadModel> {
        Self::new(T5::open(folder)?, vocabulary(folder)?, stacker(folder)?)
    }

    /// Reads a directory as [`Model::open`] does, or takes the built-in model, to be computed by libtorch on a device.
    #[cfg(feature = "torch")]
    pub fn open_on(folder: Option<&Path>, device: tch::Device) -> Result<Self, BadModel> {
        let (config, weights, vocabulary, stacker) = match folder {
            Some(folder) => {
                let (config, weights) = T5::parts(folder)?;
                (config, weights, vocabulary(folder)?, stacker(folder)?)
            }
            None => built_in_parts(),
        };
        check_sizes(&vocabulary, &config)?;
        let scorer = Scorer::new(&config, &weights, &vocabulary, device)?;
        let plain = plain(&vocabulary, &config);
        Ok(Self { backend: Backend::Torch(scorer), vocabulary, stacker, plain })
    }

    /// The model that ships in the binary.
    ///
    /// # Panics
    /// Never: a test loads what is built in.
    pub fn built_in() -> Self {
        let (config, weights, vocabulary, stacker) = built_in_parts();
        Self::new(T5::load(config, &weights).expect(BROKEN), vocabulary, stacker).expect(BROKEN)
    }

    fn new(t5: T5, vocabulary: Vocabulary, stacker: Option<Stacker>) -> Result<Self, BadModel> {
        check_sizes(&vocabulary, t5.config())?;
        let plain = plain(&vocabulary, t5.config());
        Ok(Self { backend: Backend::Own(Box::new(t5)), vocabulary, stacker, plain })
    }

    /// The features that the second model reads of queries about one source.
    pub fn features(&self, queries: &[&Query<'_>]) -> Features {
        let logits = self.logits(queries);
        // Tokens and lengths are of this model's own making: it takes them.
        debug_assert!(logits.is_ok(), "{logits:?}");
        Features::of(queries, &logits.unwrap_or_else(|_| vec![0.0; queries.len() * CLASSES]))
    }

    /// Logits of the T5 for queries of one source.
    fn logits(&self, queries: &[&Query<'_>]) -> Result<Vec<f32>, InputError> {
        let Some(first) = queries.first() else { return Ok(Vec::new()) };
        let tokens: Tokens = self.vocabulary.encode(first.source);
        let place = |(number, query): (usize, &&Query<'_>)| (tokens.before(query.anchor) as u32, number);
        let mut sites: Vec<(u32, usize)> = queries.iter().enumerate().map(place).collect();
        sites.sort_unstable();
        let places: Vec<u32> = sites.iter().map(|&(token, _)| token).collect();
        let all = match &self.plain {
            None => windows(&tokens.ids, &places, self.vocabulary.marks(), SHAPE, 0, 0),
            Some(plain) => {
                let kind = |site: usize| queries[sites[site].1].kind;
                let window = |(site, &place)| plain.window(&tokens.ids, site, place, kind(site), SHAPE);
                places.iter().enumerate().map(window).collect()
            }
        };
        let scored = match &self.backend {
            Backend::Own(t5) => in_threads(t5, &all, self.vocabulary.classes())?,
            #[cfg(feature = "torch")]
            Backend::Torch(scorer) => scorer.logits(all.clone()),
        };
        let mut logits = vec![0.0; queries.len() * CLASSES];
        let asked = all.iter().flat_map(|window| &window.asked).map(|&(site, _)| sites[site].1);
        for (number, scored) in asked.zip(scored.chunks_exact(CLASSES)) {
            logits[number * CLASSES..][..CLASSES].copy_from_slice(scored);
        }
        Ok(logits)
    }

    /// Ranks classes for queries of one source.
    fn of_source(&self, queries: &[&Query<'_>]) -> impl Iterator<Item = Vec<Prediction>> {
        let features = self.features(queries);
        let logits = match &self.stacker {
            Some(stacker) => stacker.logits(&features),
            None => features.mixed.iter().map(|logit| logit * CERTAINTY).collect(),
        };
        let ranked: Vec<_> = logits.chunks_exact(CLASSES).map(rank).collect();
        ranked.into_iter()
    }
}

const BROKEN: &str = "the built-in model is whole";

/// The model that ships, with the second model.
fn built_in_parts() -> (Config, Weights<'static>, Vocabulary, Option<Stacker>) {
    let (config, weights, vocabulary) = shipped::value_model();
    let stacker = include_bytes!("../../data/model/stacker.safetensors").as_slice();
    let stacker = Weights::from_safetensors(stacker).and_then(|weights| Stacker::load(&weights)).expect(BROKEN);
    (config, weights, vocabulary, Some(stacker))
}

fn stacker(folder: &Path) -> Result<Option<Stacker>, BadModel> {
    let path = folder.join(STACKER);
    if !path.exists() {
        return Ok(None);
    }
    let loaded = Weights::open(&path).and_then(|weights| Stacker::load(&weights).map_err(|problem| problem.at(&path)));
    Ok(Some(loaded?))
}

fn vocabulary(folder: &Path) -> Result<Vocabulary, BadModel> {
    Vocabulary::open(folder).map_err(|problem| BadModel::Vocabulary { path: folder.to_owned(), problem })
}

fn plain(vocabulary: &Vocabulary, config: &Config) -> Option<Plain> {
    (config.query == QueryForm::Plain).then(|| Plain::new(vocabulary))
}

/// Checks that there is a row of the embedding for each token; there may be more, for alignment.
fn check_sizes(vocabulary: &Vocabulary, config: &Config) -> Result<(), BadModel> {
    let (tokens, weights) = (vocabulary.size(), config.vocab_size);
    if tokens > weights { Err(BadModel::Mismatch { tokens, weights }) } else { Ok(()) }
}

/// Logits of the classes for each mark of each window, in their order; a batch a thread.
fn in_threads(t5: &T5, windows: &[Window], classes: &[u32]) -> Result<Vec<f32>, InputError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<&[Window]> = windows.chunks(windows.len().div_ceil(threads).clamp(1, TOGETHER)).collect();
    let threads = threads.min(parts.len());
    let scored = if threads <= 1 {
        parts.iter().map(|part| score(t5, part, classes)).collect::<Vec<_>>()
    } else {
        let share = parts.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let all = |parts: &[&[Window]]| parts.iter().map(|part| score(t5, part, classes)).collect::<Vec<_>>();
            let handles: Vec<_> = parts.chunks(share).map(|parts| scope.spawn(move || all(parts))).collect();
            handles.into_iter().flat_map(|handle| handle.join().expect("scoring does not panic")).collect()
        })
    };
    scored.into_iter().collect::<Result<Vec<_>, _>>().map(|parts| parts.concat())
}

fn score(t5: &T5, windows: &[Window], classes: &[u32]) -> Result<Vec<f32>, InputError> {
    let rows: Vec<&[u32]> = windows.iter().map(|window| window.ids.as_slice()).collect();
    let encoded = t5.encode(&Batch::new(&rows)?)?;
    let asked = windows
        .iter()
        .enumerate()
        .flat_map(|(row, window)| window.asked.iter().map(move |(_, mark)| (row, std::slice::from_ref(mark))));
    t5.score(&encoded, &asked.collect::<Vec<(usize, &[u32])>>(), classes)
}

/// Classes by probability, from their logits.
fn rank(logits: &[f32]) -> Vec<Prediction> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let sum: f32 = weights.iter().sum();
    let mut ranked: Vec<Prediction> = Class::ALL
        .into_iter()
        .zip(weights)
        .map(|(class, weight)| Prediction { class, probability: weight / sum })
        .collect();
    ranked.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    ranked
}

impl Predictor for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    /// One pass of the encoder for each window of a source, however many sites it has. Queries of one source follow
    /// one another.
    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        let all: Vec<&Query<'_>> = queries.iter().collect();
        all.chunk_by(|a, b| std::ptr::eq(a.source, b.source)).flat_map(|part| self.of_source(part)).collect()
    }
}

//! The T5 model as a predictor.

use std::path::{Path, PathBuf};

use crate::encoding::{BadVocabulary, Shape, Tokens, Vocabulary, Window, windows};
use crate::t5::{Batch, Config, InputError, LoadError, T5, Weights};
use crate::{Class, Prediction, Predictor, Query};

/// Windows as the model reads them. Training asks in a wider zone: it takes each file once, prediction has the time.
const SHAPE: Shape = Shape { length: 256, zone: 160 };
/// Windows that one thread takes at once.
const TOGETHER: usize = 4;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadModel {
    /// Its weights or configuration.
    #[error(transparent)]
    Weights(#[from] LoadError),
    /// Its tokenizer.
    #[error("{path}: {problem}", path = path.display())]
    Vocabulary {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        problem: BadVocabulary,
    },
    /// Tokenizer and weights are of different models.
    #[error("the tokenizer has {tokens} entries, the model {weights}")]
    Mismatch {
        /// Entries of the tokenizer.
        tokens: usize,
        /// Rows of the embedding.
        weights: usize,
    },
}

/// A T5 with its tokenizer.
pub struct Model {
    t5: T5,
    vocabulary: Vocabulary,
}

impl Model {
    /// Reads a Hugging Face directory: `config.json`, `tokenizer.json` or `vocab.json` with `merges.txt`, and the
    /// weights.
    ///
    /// # Errors
    /// [`BadModel`].
    pub fn open(folder: &Path) -> Result<Self, BadModel> {
        let vocabulary = Vocabulary::open(folder);
        let vocabulary = vocabulary.map_err(|problem| BadModel::Vocabulary { path: folder.to_owned(), problem })?;
        Self::new(T5::open(folder)?, vocabulary)
    }

    /// The one that ships with Surmise.
    ///
    /// # Panics
    /// Never: a test loads what is built in.
    #[must_use]
    pub fn built_in() -> Self {
        const BROKEN: &str = "the built-in model is whole";
        let config = Config::from_json(include_str!("../../data/model/config.json")).expect(BROKEN);
        let weights = include_bytes!("../../data/model/model.safetensors").as_slice();
        let weights = Weights::from_safetensors(weights).expect(BROKEN);
        let tokenizer = include_bytes!("../../data/model/tokenizer.json");
        let vocabulary = Vocabulary::from_json(tokenizer).expect(BROKEN);
        Self::new(T5::load(config, &weights).expect(BROKEN), vocabulary).expect(BROKEN)
    }

    fn new(t5: T5, vocabulary: Vocabulary) -> Result<Self, BadModel> {
        // Models may have more rows than tokens, for alignment.
        let (tokens, weights) = (vocabulary.size(), t5.config().vocab_size);
        if tokens > weights { Err(BadModel::Mismatch { tokens, weights }) } else { Ok(Self { t5, vocabulary }) }
    }

    /// Ranks classes for queries of one source.
    fn of_source(&self, queries: &[(usize, &Query<'_>)], answers: &mut [Vec<Prediction>]) -> Result<(), InputError> {
        let tokens: Tokens = self.vocabulary.encode(queries[0].1.source);
        let mut sites: Vec<(u32, usize)> =
            queries.iter().map(|&(number, query)| (tokens.before(query.anchor) as u32, number)).collect();
        sites.sort_unstable();
        let places: Vec<u32> = sites.iter().map(|&(token, _)| token).collect();
        let all = windows(&tokens.ids, &places, self.vocabulary.marks(), SHAPE, 0, 0);
        let parts: Vec<&[Window]> = all.chunks(TOGETHER).collect();
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(parts.len());
        let scored = if threads <= 1 {
            parts.iter().map(|part| self.score(part)).collect::<Vec<_>>()
        } else {
            let share = parts.len().div_ceil(threads);
            std::thread::scope(|scope| {
                let handles: Vec<_> = parts
                    .chunks(share)
                    .map(|parts| scope.spawn(move || parts.iter().map(|part| self.score(part)).collect::<Vec<_>>()))
                    .collect();
                handles.into_iter().flat_map(|handle| handle.join().expect("scoring does not panic")).collect()
            })
        };
        for scores in scored {
            for (site, ranked) in scores? {
                answers[sites[site].1] = ranked;
            }
        }
        Ok(())
    }

    /// Ranked classes by number of the site.
    fn score(&self, windows: &[Window]) -> Result<Vec<(usize, Vec<Prediction>)>, InputError> {
        let rows: Vec<&[u32]> = windows.iter().map(|window| window.ids.as_slice()).collect();
        let encoded = self.t5.encode(&Batch::new(&rows)?)?;
        let asked: Vec<(usize, [u32; 1], usize)> = windows
            .iter()
            .enumerate()
            .flat_map(|(row, window)| window.asked.iter().map(move |&(site, mark)| (row, [mark], site)))
            .collect();
        let queries: Vec<(usize, &[u32])> = asked.iter().map(|(row, mark, _)| (*row, mark.as_slice())).collect();
        let logits = self.t5.score(&encoded, &queries, self.vocabulary.classes())?;
        let ranked = logits.chunks_exact(Class::ALL.len()).map(rank);
        Ok(asked.iter().map(|&(_, _, site)| site).zip(ranked).collect())
    }
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
        let mut answers = vec![Vec::new(); queries.len()];
        let numbered: Vec<(usize, &Query<'_>)> = queries.iter().enumerate().collect();
        for part in numbered.chunk_by(|(_, a), (_, b)| std::ptr::eq(a.source, b.source)) {
            // Tokens and lengths are of this model's own making: it takes them.
            let taken = self.of_source(part, &mut answers);
            debug_assert!(taken.is_ok(), "{taken:?}");
        }
        answers
    }
}

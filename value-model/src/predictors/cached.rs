//! A predictor that remembers its answers.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::{Prediction, Predictor, Query};

/// Bytes that the answers may take.
const MOST_BYTES: u64 = 64 << 20;
/// Bytes that the answers about a typical source take, to size the table.
const TYPICAL_BYTES: u64 = 4 << 10;

type Answers = Arc<Vec<Vec<Prediction>>>;

/// A predictor that remembers its answers by content: the same questions about the same source, whatever file they
/// come from, are asked once. What was not asked for long is forgotten.
pub struct Cached<P> {
    inner: P,
    /// Answers by two hashes of the queries. Their keys are random, so that nobody can make sources that collide.
    answers: Cache<u128, Answers, Bytes>,
    keys: [RandomState; 2],
}

#[derive(Clone)]
struct Bytes;

impl Weighter<u128, Answers> for Bytes {
    fn weight(&self, _key: &u128, answers: &Answers) -> u64 {
        let predictions: usize = answers.iter().map(Vec::len).sum();
        (64 + answers.len() * size_of::<Vec<Prediction>>() + predictions * size_of::<Prediction>()) as u64
    }
}

impl<P: Predictor> Cached<P> {
    /// Wraps a predictor; nothing is remembered yet.
    pub fn new(inner: P) -> Self {
        let answers = Cache::with_weighter((MOST_BYTES / TYPICAL_BYTES) as usize, MOST_BYTES, Bytes);
        Self { inner, answers, keys: std::array::from_fn(|_| RandomState::new()) }
    }

    fn key(&self, queries: &[Query<'_>]) -> u128 {
        let [high, low] = [0, 1].map(|half| {
            let mut hasher = self.keys[half].build_hasher();
            for (number, query) in queries.iter().enumerate() {
                // Queries of one source follow one another.
                if number == 0 || !std::ptr::eq(queries[number - 1].source, query.source) {
                    hasher.write(query.source.as_bytes());
                    hasher.write_u8(0xff);
                }
                for place in [query.start, query.end, query.anchor, query.kind as usize] {
                    hasher.write_usize(place);
                }
                hasher.write(query.name.as_bytes());
                hasher.write_u8(0xff);
            }
            hasher.finish()
        });
        u128::from(high) << 64 | u128::from(low)
    }
}

impl<P: Predictor> Predictor for Cached<P> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        if queries.is_empty() {
            return Vec::new();
        }
        let key = self.key(queries);
        if let Some(known) = self.answers.get(&key) {
            return known.to_vec();
        }
        let answers = self.inner.predict(queries);
        self.answers.insert(key, Arc::new(answers.clone()));
        answers
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{Class, Use};

    /// Answers with the number of the batch.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Predictor for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
            let probability = self.0.fetch_add(1, Ordering::Relaxed) as f32;
            vec![vec![Prediction { class: Class::None, probability }]; queries.len()]
        }
    }

    fn query(source: &str, start: usize) -> Query<'_> {
        let end = start + 1;
        Query { name: &source[start..end], kind: Use::Variable, source, model: None, start, end, anchor: end }
    }

    #[test]
    fn the_same_questions_about_the_same_source_are_asked_once() {
        let cached = Cached::new(Counting::default());
        let first = cached.predict(&[query("a+b", 0), query("a+b", 2)]);
        let other_text = "a+b".to_owned();
        assert_eq!(cached.predict(&[query(&other_text, 0), query(&other_text, 2)]), first);
        assert_ne!(cached.predict(&[query("a+b", 0)]), first[..1], "fewer questions are others");
        assert_ne!(cached.predict(&[query("a-b", 0), query("a-b", 2)]), first, "another source");
        assert_eq!(cached.inner.0.load(Ordering::Relaxed), 3);
        assert!(cached.predict(&[]).is_empty());
    }
}

//! Which questions are learned from together: drawn by the seed, and of like length, so that little is padding.

use crate::invariants::reranker::{Part, Questions};
use crate::seeded;

/// Batches whose questions are sorted by length together.
const SORTED_TOGETHER: usize = 32;

/// The batches of each pass over the questions.
pub(super) struct Batches<'q> {
    questions: &'q Questions,
    learned: Vec<usize>,
    size: usize,
    seed: u64,
    /// The last pass that was asked for, and its order.
    pass: Option<u64>,
    order: Vec<usize>,
}

impl<'q> Batches<'q> {
    /// Of the questions to learn from; `None` if there are fewer than a batch has.
    pub(super) fn of(questions: &'q Questions, size: usize, seed: u64) -> Option<Self> {
        let learned = questions.of(Part::Train);
        (size > 0 && learned.len() >= size).then_some(Self {
            questions,
            order: learned.clone(),
            learned,
            size,
            seed,
            pass: None,
        })
    }

    /// The questions of a step.
    pub(super) fn at(&mut self, step: u64) -> Vec<usize> {
        let in_pass = self.learned.len() / self.size;
        let (pass, number) = (step / in_pass as u64, (step % in_pass as u64) as usize);
        if self.pass != Some(pass) {
            self.order.clone_from(&self.learned);
            seeded((self.seed, pass)).shuffle(&mut self.order);
            self.pass = Some(pass);
        }
        let pool = number / SORTED_TOGETHER;
        let start = pool * SORTED_TOGETHER * self.size;
        let count = SORTED_TOGETHER.min(in_pass - pool * SORTED_TOGETHER);
        let mut pool_of = self.order[start..start + count * self.size].to_vec();
        pool_of.sort_by_key(|&at| self.questions.get(at).question.len());
        let mut turns: Vec<usize> = (0..count).collect();
        seeded((self.seed, pass, pool as u64)).shuffle(&mut turns);
        pool_of[turns[number % SORTED_TOGETHER] * self.size..][..self.size].to_vec()
    }
}

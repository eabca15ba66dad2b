//! How likely whole texts are.

use super::batch::check_tokens;
use super::error::InputError;
use super::kernels::exponents;
use super::matrix::{View, multiply};
use super::model::{Encoded, T5};
use super::prefixes::Prefixes;

/// States whose logits are computed at a time: 8,192 tokens of each take 4 MB.
const TOGETHER: usize = 128;

impl T5 {
    /// Logarithms of the probabilities that the decoder writes each of the texts about a row of an encoded batch. What texts
    /// begin with in common is computed once.
    ///
    /// # Errors
    /// [`InputError::NoRow`], [`InputError::Token`], or [`InputError::EmptyRow`] with the number of the text.
    pub fn likelihoods(&self, encoded: &Encoded, row: usize, texts: &[&[u32]]) -> Result<Vec<f32>, InputError> {
        let start = self.config().decoder_start_token_id;
        let given: Vec<Vec<u32>> = texts
            .iter()
            .map(|text| std::iter::once(start).chain(text[..text.len().saturating_sub(1)].iter().copied()).collect())
            .collect();
        let queries: Vec<(usize, &[u32])> = given.iter().map(|given| (row, given.as_slice())).collect();
        if let Some(empty) = texts.iter().position(|text| text.is_empty()) {
            return Err(InputError::EmptyRow(empty));
        }
        texts.iter().try_for_each(|text| check_tokens(text, self.config().vocab_size))?;
        self.check(encoded, &queries)?;
        let prefixes = Prefixes::new(&queries);
        // For each text the states that its tokens follow.
        let paths: Vec<Vec<usize>> = prefixes
            .last
            .iter()
            .map(|&last| {
                let mut path: Vec<usize> = prefixes.path(last).collect();
                path.reverse();
                path
            })
            .collect();
        let mut wanted: Vec<Vec<(usize, u32)>> = vec![Vec::new(); prefixes.tokens.len()];
        for (number, (path, text)) in paths.iter().zip(texts).enumerate() {
            path.iter().zip(*text).for_each(|(&state, &token)| wanted[state].push((number, token)));
        }
        let mut sums = vec![0.0_f32; texts.len()];
        let (vocabulary, width) = (self.config().vocab_size, self.config().d_model);
        self.with_scratch(|scratch| {
            let states = self.decoder_states(encoded, &prefixes, scratch).to_vec();
            let head = self.whole_head();
            let mut logits = vec![0.0_f32; TOGETHER * vocabulary];
            for (chunk, wanted) in states.chunks(TOGETHER * width).zip(wanted.chunks(TOGETHER)) {
                let left = View::rows(chunk, chunk.len() / width, width, width);
                let right = View::rows(head, vocabulary, width, width).transposed();
                multiply(&mut logits, vocabulary, left, right, false);
                for (logits, wanted) in logits.chunks_exact_mut(vocabulary).zip(wanted) {
                    for &(text, token) in wanted {
                        sums[text] += logits[token as usize];
                    }
                    let most = logits.iter().copied().fold(f32::MIN, f32::max);
                    let all = most + exponents(logits, None).ln();
                    for &(text, _) in wanted {
                        sums[text] -= all;
                    }
                }
            }
        });
        Ok(sums)
    }
}

#[cfg(test)]
mod tests {
    use crate::t5::{Batch, T5};

    #[test]
    fn a_text_is_as_likely_as_its_tokens_together() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/codet5");
        let model = T5::open(&folder).expect("a model");
        let encoded = model.encode(&Batch::new(&[&[7, 8][..], &[9, 10, 11][..]]).expect("rows")).expect("tokens");
        let all: Vec<u32> = (0..model.config().vocab_size as u32).collect();
        let texts: [&[u32]; 3] = [&[12, 13, 2], &[12, 14, 15, 2], &[2]];
        let found = model.likelihoods(&encoded, 1, &texts).expect("answers");
        for (text, found) in texts.iter().zip(found) {
            let expected: f32 = (0..text.len())
                .map(|at| {
                    let given: Vec<u32> = std::iter::once(0).chain(text[..at].iter().copied()).collect();
                    let logits = model.score(&encoded, &[(1, &given)], &all).expect("logits");
                    let sum: f64 = logits.iter().map(|&logit| f64::from(logit).exp()).sum();
                    logits[text[at] as usize] - sum.ln() as f32
                })
                .sum();
            assert!((found - expected).abs() < 1e-3, "{text:?}: {found} {expected}");
        }
        assert!(model.likelihoods(&encoded, 2, &texts).is_err(), "no such row");
        assert!(model.likelihoods(&encoded, 0, &[&[]]).is_err(), "an empty text");
        assert!(model.likelihoods(&encoded, 0, &[&[1 << 30]]).is_err(), "no such token");
    }
}

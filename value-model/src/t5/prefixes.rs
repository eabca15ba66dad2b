//! Decoder sequences of one batch as a forest: what sequences of a row have in common is computed once.
//!
//! The decoder looks back only, so the state of a token depends on the row and on the tokens up to it. A hundred
//! sequences `[start, <extra_id_k>]` of one row have 101 states, not 200.

use std::collections::HashMap;
use std::ops::Range;

/// Marks a token without a predecessor.
const NONE: usize = usize::MAX;

/// Tokens with their predecessors. Those of a row are contiguous, and each comes after its predecessor.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    pub(super) tokens: Vec<u32>,
    predecessors: Vec<usize>,
    /// Rows of the encoded batch with the tokens that belong to them.
    pub(super) rows: Vec<(usize, Range<usize>)>,
    /// The last token of each query, in the caller's order.
    pub(super) last: Vec<usize>,
    /// Number of tokens of the longest sequence.
    pub(super) longest: usize,
}

impl Prefixes {
    /// Joins queries `(row, tokens)`, none of which is empty.
    pub(super) fn new(queries: &[(usize, &[u32])]) -> Self {
        let mut order: Vec<usize> = (0..queries.len()).collect();
        order.sort_by_key(|query| queries[*query].0);
        let mut prefixes = Self { last: vec![NONE; queries.len()], ..Self::default() };
        let mut known = HashMap::new();
        for query in order {
            let (row, tokens) = queries[query];
            if prefixes.rows.last().is_none_or(|(last, _)| *last != row) {
                let start = prefixes.tokens.len();
                prefixes.rows.push((row, start..start));
                known.clear();
            }
            let mut node = NONE;
            for token in tokens {
                node = *known.entry((node, *token)).or_insert_with(|| {
                    prefixes.tokens.push(*token);
                    prefixes.predecessors.push(node);
                    prefixes.tokens.len() - 1
                });
            }
            prefixes.last[query] = node;
            prefixes.longest = prefixes.longest.max(tokens.len());
            if let Some((_, range)) = prefixes.rows.last_mut() {
                range.end = prefixes.tokens.len();
            }
        }
        prefixes
    }

    /// A token and all before it in its sequence, backwards.
    pub(super) fn path(&self, token: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(token), |token| Some(self.predecessors[*token]).filter(|before| *before != NONE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_prefixes_of_a_row_are_one() {
        let prefixes = Prefixes::new(&[(1, &[0, 7]), (0, &[0, 5]), (1, &[0]), (1, &[0, 8, 7]), (1, &[0, 7])]);
        assert_eq!(prefixes.tokens, [0, 5, 0, 7, 8, 7]);
        assert_eq!(prefixes.rows, [(0, 0..2), (1, 2..6)]);
        assert_eq!(prefixes.last, [3, 1, 2, 5, 3]);
        assert_eq!(prefixes.longest, 3);
        assert_eq!(prefixes.path(5).collect::<Vec<_>>(), [5, 4, 2]);
    }
}

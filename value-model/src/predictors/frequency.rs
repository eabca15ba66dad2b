//! The most frequent classes by kind and name, then by the name's last word, then by kind alone.
//!
//! The paper's strongest simple baseline, and what the model must beat. The table is built from recordings
//! (`surmise train frequency`), lies in the binary and is searched in place: nothing is parsed at start-up.
//!
//! Layout, little-endian: magic, then for each of the three kinds a fallback [`Ranking`], then the number of entries,
//! their offsets into the text (one more than entries), the rankings, the text. Keys are `kind byte, N or W, name`,
//! sorted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Predictor;
use crate::classes::Class;
use crate::query::{Prediction, Query, Use};

const MAGIC: &[u8; 8] = b"SURMFRQ1";
/// Classes kept of one entry.
const RANKS: usize = 4;
const RANKING_BYTES: usize = RANKS * 2;
/// Names and words seen less often are not kept: their table would be larger than the others together.
const MIN_NAME: u32 = 12;
const MIN_WORD: u32 = 40;
const KINDS: [Use; 3] = [Use::Variable, Use::Attribute, Use::ReturnValue];

static BUILT_IN: &[u8] = include_bytes!("../../data/frequency.bin");

/// Why a table cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a frequency table of this version, or a damaged one")]
pub struct BadTable;

/// Looks the most frequent classes up.
#[derive(Clone, Debug)]
pub struct Frequency {
    table: Cow<'static, [u8]>,
    entries: usize,
}

/// Class numbers and probabilities in 255ths; 255 ends the list.
type Ranking = [u8; RANKING_BYTES];

impl Frequency {
    /// The table in the binary.
    ///
    /// # Panics
    /// Never: a test reads it.
    #[must_use]
    pub fn built_in() -> Self {
        Self::new(Cow::Borrowed(BUILT_IN)).expect("the table in the binary is whole")
    }

    /// A table from a file.
    ///
    /// # Errors
    /// [`BadTable`].
    pub fn new(table: Cow<'static, [u8]>) -> Result<Self, BadTable> {
        let head = MAGIC.len() + KINDS.len() * RANKING_BYTES;
        let count = table.get(head..head + 4).ok_or(BadTable)?;
        let entries = u32::from_le_bytes(count.try_into().map_err(|_| BadTable)?) as usize;
        if !table.starts_with(MAGIC) {
            return Err(BadTable);
        }
        let frequency = Self { table, entries };
        let text = frequency.text_start().ok_or(BadTable)?;
        let end = frequency.offset(entries).ok_or(BadTable)?;
        if frequency.table.len() != text + end {
            return Err(BadTable);
        }
        Ok(frequency)
    }

    fn offsets_start() -> usize {
        MAGIC.len() + KINDS.len() * RANKING_BYTES + 4
    }

    fn text_start(&self) -> Option<usize> {
        let offsets = self.entries.checked_add(1)?.checked_mul(4)?;
        offsets.checked_add(self.entries.checked_mul(RANKING_BYTES)?)?.checked_add(Self::offsets_start())
    }

    fn offset(&self, entry: usize) -> Option<usize> {
        let at = Self::offsets_start() + entry * 4;
        Some(u32::from_le_bytes(self.table.get(at..at + 4)?.try_into().ok()?) as usize)
    }

    fn key(&self, entry: usize) -> Option<&[u8]> {
        let text = self.table.get(self.text_start()?..)?;
        text.get(self.offset(entry)?..self.offset(entry + 1)?)
    }

    fn ranking(&self, start: usize) -> &[u8] {
        self.table.get(start..start + RANKING_BYTES).unwrap_or(&[])
    }

    fn find(&self, key: &[u8]) -> Option<&[u8]> {
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low.midpoint(high);
            match self.key(middle)?.cmp(key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let rankings = Self::offsets_start() + (self.entries + 1) * 4;
                    return Some(self.ranking(rankings + middle * RANKING_BYTES));
                }
            }
        }
        None
    }

    /// The ranked classes of a name.
    #[must_use]
    pub fn rank(&self, kind: Use, name: &str) -> Vec<Prediction> {
        let found = self.find(&key(kind, b'N', name)).or_else(|| self.find(&key(kind, b'W', last_word(name))));
        let fallback = MAGIC.len() + kind_number(kind) as usize * RANKING_BYTES;
        decode(found.unwrap_or_else(|| self.ranking(fallback)))
    }
}

impl Predictor for Frequency {
    fn name(&self) -> &'static str {
        "frequency"
    }

    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        queries.iter().map(|query| self.rank(query.kind, query.name)).collect()
    }
}

fn kind_number(kind: Use) -> u8 {
    match kind {
        Use::Variable => 0,
        Use::Attribute => 1,
        Use::ReturnValue => 2,
    }
}

fn key(kind: Use, level: u8, name: &str) -> Vec<u8> {
    [&[kind_number(kind), level], name.as_bytes()].concat()
}

/// `max_retries` and `maxRetries` end in `retries`: what a name is about comes last.
fn last_word(name: &str) -> &str {
    let name = name.trim_end_matches('_');
    let after_underscore = name.rfind('_').map_or(0, |at| at + 1);
    let starts_word = |(at, char): (usize, char)| {
        let before = name[..at].chars().next_back();
        (char.is_uppercase() && before.is_some_and(char::is_lowercase)).then_some(at)
    };
    let at_case = name.char_indices().filter_map(starts_word).next_back().unwrap_or(0);
    &name[after_underscore.max(at_case)..]
}

fn decode(ranking: &[u8]) -> Vec<Prediction> {
    let (pairs, _) = ranking.as_chunks::<2>();
    let known = pairs.iter().map_while(|&[class, share]| Some((*Class::ALL.get(class as usize)?, share)));
    known.map(|(class, share)| Prediction { class, probability: f32::from(share) / 255.0 }).collect()
}

/// Counts (site, class) pairs and makes a table of them.
#[derive(Clone, Debug, Default)]
pub struct FrequencyBuilder {
    counts: BTreeMap<Vec<u8>, [u32; Class::ALL.len()]>,
    kinds: [[u32; Class::ALL.len()]; 3],
}

impl FrequencyBuilder {
    /// Adds one pair.
    pub fn add(&mut self, kind: Use, name: &str, class: Class) {
        let class = class as usize;
        for key in [key(kind, b'N', name), key(kind, b'W', last_word(name))] {
            self.counts.entry(key).or_insert([0; Class::ALL.len()])[class] += 1;
        }
        self.kinds[kind_number(kind) as usize][class] += 1;
    }

    /// Makes the table, in the format of the file.
    #[must_use]
    pub fn build(&self) -> Vec<u8> {
        let keep = |(key, counts): &(&Vec<u8>, &[u32; Class::ALL.len()])| {
            let total: u32 = counts.iter().sum();
            total >= if key[1] == b'N' { MIN_NAME } else { MIN_WORD }
        };
        let kept: Vec<_> = self.counts.iter().filter(keep).collect();
        let mut table = MAGIC.to_vec();
        for counts in &self.kinds {
            table.extend(rank(counts));
        }
        table.extend((kept.len() as u32).to_le_bytes());
        let mut offset = 0_u32;
        for (key, _) in &kept {
            table.extend(offset.to_le_bytes());
            offset += key.len() as u32;
        }
        table.extend(offset.to_le_bytes());
        for (_, counts) in &kept {
            table.extend(rank(counts));
        }
        for (key, _) in &kept {
            table.extend(key.iter());
        }
        table
    }
}

fn rank(counts: &[u32; Class::ALL.len()]) -> Ranking {
    let total: u32 = counts.iter().sum();
    let mut order: Vec<usize> = (0..counts.len()).filter(|&class| counts[class] > 0).collect();
    order.sort_by_key(|&class| (std::cmp::Reverse(counts[class]), class));
    let mut ranking = [u8::MAX; RANKING_BYTES];
    for (pair, class) in ranking.chunks_exact_mut(2).zip(order) {
        let share = (u64::from(counts[class]) * 255).div_ceil(u64::from(total)).min(254);
        pair.copy_from_slice(&[class as u8, share as u8]);
    }
    ranking
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(pairs: &[(Use, &str, Class, u32)]) -> Frequency {
        let mut builder = FrequencyBuilder::default();
        for &(kind, name, class, times) in pairs {
            (0..times).for_each(|_| builder.add(kind, name, class));
        }
        Frequency::new(Cow::Owned(builder.build())).expect("what was built is whole")
    }

    #[test]
    fn names_come_first_then_their_last_word_then_the_kind() {
        let frequency = table(&[
            (Use::Variable, "max_retries", Class::PositiveInt, 30),
            (Use::Variable, "max_retries", Class::ZeroInt, 10),
            (Use::Variable, "path", Class::Str, 50),
            (Use::Attribute, "path", Class::None, 3),
        ]);
        let first = |kind, name| frequency.rank(kind, name)[0].class;
        assert_eq!(first(Use::Variable, "max_retries"), Class::PositiveInt);
        assert_eq!(first(Use::Variable, "minRetries"), Class::Str, "words keep their case");
        assert_eq!(first(Use::Variable, "min_retries"), Class::PositiveInt);
        assert_eq!(first(Use::Attribute, "path"), Class::None, "kinds are apart");
        assert_eq!(first(Use::Variable, "unheard_of"), Class::Str);
        let ranked = frequency.rank(Use::Variable, "max_retries");
        assert_eq!(ranked.len(), 2);
        assert!((ranked[0].probability - 0.75).abs() < 0.01 && ranked[1].class == Class::ZeroInt);
    }

    #[test]
    fn damaged_tables_are_refused() {
        let good = table(&[(Use::Variable, "x", Class::Str, 3)]).table.into_owned();
        for len in 0..good.len() {
            assert!(Frequency::new(Cow::Owned(good[..len].to_vec())).is_err(), "{len} bytes");
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0xff;
            if let Ok(frequency) = Frequency::new(Cow::Owned(bad)) {
                // Whatever it says, it says it without a panic.
                let _ranked = frequency.rank(Use::Variable, "x");
            }
        }
    }

    #[test]
    fn the_built_in_table_knows_common_names() {
        let frequency = Frequency::built_in();
        assert_eq!(frequency.rank(Use::Variable, "filename")[0].class, Class::Str);
        assert_eq!(frequency.rank(Use::ReturnValue, "isinstance").len(), 2);
    }
}

//! The most frequent classes by kind and name, then by the name's last word, then by kind alone.
//!
//! The paper's strongest simple baseline, and what the model must beat. The table is built from recordings
//! (`surmise train frequency`), lies in the binary and is searched in place: nothing is parsed at start-up.
//!
//! A table is a finite-state transducer (crate `fst`) of the keys `kind, N, name`, `kind, W, word` and `kind`, where a
//! kind is one byte; the value of a key is its [`Ranking`] as a little-endian number.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Predictor;
use crate::classes::Class;
use crate::query::{Prediction, Query, Use};

/// Classes that an entry keeps.
const RANKS: usize = 4;
/// Names and words seen less often are not kept: their table would be larger than the others together.
const MIN_NAME: u32 = 12;
const MIN_WORD: u32 = 40;

static BUILT_IN: &[u8] = include_bytes!("../../data/frequency.fst");

/// A table of the most frequent classes of names.
#[derive(Clone, Debug)]
pub struct Frequency(fst::Map<Cow<'static, [u8]>>);

/// Numbers of classes, each with its probability in 255ths; the number 255 ends the list.
type Ranking = [u8; RANKS * 2];

impl Frequency {
    /// The table that ships in the binary.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn built_in() -> Self {
        Self(fst::Map::new(Cow::Borrowed(BUILT_IN)).expect("the table in the binary is whole"))
    }

    /// The bytes of the table, as they ship in the binary.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_fst().as_bytes()
    }

    /// Ranks the classes that a name had, or else its last word, or else its kind of use.
    pub fn rank(&self, kind: Use, name: &str) -> Vec<Prediction> {
        let keys = [key(kind, b"N", name), key(kind, b"W", last_word(name)), key(kind, b"", "")];
        let ranking = keys.iter().find_map(|key| self.0.get(key)).unwrap_or(u64::MAX).to_le_bytes();
        let known = ranking.as_chunks::<2>().0.iter();
        let known = known.map_while(|&[class, share]| Some((*Class::ALL.get(class as usize)?, share)));
        known.map(|(class, share)| Prediction { class, probability: f32::from(share) / 255.0 }).collect()
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

fn key(kind: Use, level: &[u8], name: &str) -> Vec<u8> {
    [&[kind as u8], level, name.as_bytes()].concat()
}

/// `max_retries` and `maxRetries` end in `retries`: what a name is about comes last.
pub(crate) fn last_word(name: &str) -> &str {
    let name = name.trim_end_matches('_');
    let after_underscore = name.rfind('_').map_or(0, |at| at + 1);
    let starts_word = |(at, char): (usize, char)| {
        let before = name[..at].chars().next_back();
        (char.is_uppercase() && before.is_some_and(char::is_lowercase)).then_some(at)
    };
    let at_case = name.char_indices().filter_map(starts_word).next_back().unwrap_or(0);
    &name[after_underscore.max(at_case)..]
}

/// Counts pairs of a site and a class, and makes a table of the counts.
#[derive(Clone, Debug, Default)]
pub struct FrequencyBuilder(BTreeMap<Vec<u8>, [u32; Class::ALL.len()]>);

impl FrequencyBuilder {
    /// Counts one pair.
    pub fn add(&mut self, kind: Use, name: &str, class: Class) {
        for key in [key(kind, b"N", name), key(kind, b"W", last_word(name)), key(kind, b"", "")] {
            self.0.entry(key).or_default()[class as usize] += 1;
        }
    }

    /// Makes the table.
    ///
    /// # Panics
    /// Never: keys are sorted and memory can be written.
    pub fn build(&self) -> Frequency {
        let keep = |(key, counts): &(&Vec<u8>, &[u32; Class::ALL.len()])| {
            let least = match key.get(1) {
                Some(b'N') => MIN_NAME,
                Some(_) => MIN_WORD,
                None => 1,
            };
            counts.iter().sum::<u32>() >= least
        };
        let rankings = self.0.iter().filter(keep).map(|(key, counts)| (key, u64::from_le_bytes(rank(counts))));
        let map = fst::Map::from_iter(rankings).expect("keys are sorted");
        Frequency(map.map_data(Cow::Owned).expect("the table was just written"))
    }
}

fn rank(counts: &[u32; Class::ALL.len()]) -> Ranking {
    let total: u32 = counts.iter().sum();
    let mut order: Vec<usize> = (0..counts.len()).filter(|&class| counts[class] > 0).collect();
    order.sort_by_key(|&class| (std::cmp::Reverse(counts[class]), class));
    let mut ranking = [u8::MAX; RANKS * 2];
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
        builder.build()
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
        assert_eq!(frequency.rank(Use::ReturnValue, "unheard_of"), [], "of this kind nothing was seen");
        let ranked = frequency.rank(Use::Variable, "max_retries");
        assert_eq!(ranked.len(), 2);
        assert!((ranked[0].probability - 0.75).abs() < 0.01 && ranked[1].class == Class::ZeroInt);
    }

    #[test]
    fn the_built_in_table_knows_common_names() {
        let frequency = Frequency::built_in();
        frequency.0.as_fst().verify().expect("its checksum is right");
        assert_eq!(frequency.rank(Use::Variable, "filename")[0].class, Class::Str);
        assert_eq!(frequency.rank(Use::ReturnValue, "isinstance").len(), 2);
    }
}

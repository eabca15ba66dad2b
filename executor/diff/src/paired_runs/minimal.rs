//! The smallest values that show a difference (delta debugging).

use surmise_engine::client::ClientError;

use super::refusals::is_refusal_elsewhere;
use super::{Given, PairedRuns};
use crate::behaviour::{difference, is_whole};

/// Pairs of runs that minimizing may take.
const MOST_TRIES: u32 = 16;

/// One of the values of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// That strings, numbers, truths and lengths differ from the usual ones.
    Seed,
    /// That the function may be called again.
    Again,
    /// The class of an access path.
    Class(String),
    /// The answer to an operation.
    Choice(String),
}

impl PairedRuns<'_> {
    /// Runs that differ in the same kind of thing, with as few values other than the usual ones as were found: these,
    /// and the numbers of both entries.
    pub(super) fn minimal(
        &mut self,
        given: &Given,
        mut numbers: [usize; 2],
    ) -> Result<(Given, [usize; 2]), ClientError> {
        let kind = self.kind_of_difference(given, numbers);
        let mut best = given.clone();
        best.classes.retain(|path, (class, literal)| literal.is_some() || self.shared.usual(path) != Some(*class));
        let mut parts: Vec<Part> = best.classes.keys().cloned().map(Part::Class).collect();
        parts.extend(best.choices.keys().cloned().map(Part::Choice));
        if best.seed != 0 {
            parts.splice(..0, [Part::Seed, Part::Again]);
        }
        let mut tries = 0;
        let mut size = parts.len();
        while size > 0 {
            let mut at = 0;
            while at < parts.len() {
                if tries == MOST_TRIES || self.begin.elapsed() >= self.budget.1 {
                    return Ok((best, numbers));
                }
                tries += 1;
                let end = (at + size).min(parts.len());
                let fewer = without(&best, &parts[at..end]);
                let fewer_numbers = self.run_both(&fewer)?;
                if kind.is_some() && self.kind_of_difference(&fewer, fewer_numbers) == kind {
                    parts.drain(at..end);
                    (best, numbers) = (fewer, fewer_numbers);
                } else {
                    at = end;
                }
            }
            size /= 2;
        }
        Ok((best, numbers))
    }

    /// What runs differ in first: a call, the result, an exception, ... `None` if the difference does not count.
    fn kind_of_difference(&self, given: &Given, numbers: [usize; 2]) -> Option<String> {
        let [old, new] = self.entries(numbers);
        let counts = is_whole(old) && is_whole(new) && !self.is_weak_under(given, [old, new]);
        let refused = [old, new].iter().any(|entry| entry.error.as_ref().is_some_and(is_refusal_elsewhere));
        difference(old, new).filter(|_| counts && !refused).map(|witness| witness.kind)
    }
}

fn without(given: &Given, parts: &[Part]) -> Given {
    let mut fewer = given.clone();
    for part in parts {
        match part {
            Part::Seed => fewer.seed = 0,
            Part::Again => fewer.once = true,
            Part::Class(path) => drop(fewer.classes.remove(path)),
            Part::Choice(key) => drop(fewer.choices.remove(key)),
        }
    }
    fewer
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use surmise_engine::protocol::Choice;
    use surmise_value_model::Class;

    use super::*;

    #[test]
    fn parts_are_left_out() {
        let given = Given {
            seed: 5,
            once: false,
            classes: BTreeMap::from([("a".to_owned(), (Class::List, None)), ("b".to_owned(), (Class::Object, None))]),
            choices: BTreeMap::from([("c".to_owned(), Choice::Truth(true))]),
            ..Given::default()
        };
        let fewer = without(&given, &[Part::Seed, Part::Again, Part::Class("a".to_owned())]);
        assert_eq!((fewer.seed, fewer.once, fewer.classes.contains_key("a")), (0, true, false));
        assert_eq!(fewer.choices.len(), 1);
        assert!(without(&given, &[Part::Choice("c".to_owned())]).choices.is_empty());
    }
}

//! The mutants of one program, in an order without an end.

use std::collections::BTreeMap;

use surmise_instrument::SourceModel;
use surmise_instrument::mutate::{Mutant, Operator, mutants};
use surmise_value_model::seeded;

/// A changed program, and what was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// The operator, or two of them with `+` between.
    pub operator: String,
    /// The changed source.
    pub text: String,
}

/// Mutants of a program: those with one bug, every operator in turn, then those with two.
pub struct Bugs<'m> {
    text: &'m str,
    single: Vec<Mutant>,
    seed: u64,
}

impl<'m> Bugs<'m> {
    /// All bugs of a source, in an order that the seed decides.
    #[must_use]
    pub fn of(model: &'m SourceModel, seed: u64) -> Self {
        let mut by_operator: BTreeMap<Operator, Vec<Mutant>> = BTreeMap::new();
        for mutant in mutants(model) {
            by_operator.entry(mutant.operator).or_default().push(mutant);
        }
        let mut random = seeded((seed, model.text(), "mutants"));
        let mut groups: Vec<Vec<Mutant>> = by_operator.into_values().collect();
        for group in &mut groups {
            random.shuffle(group);
        }
        random.shuffle(&mut groups);
        let mut single = Vec::new();
        while !groups.is_empty() {
            single.extend(groups.iter_mut().filter_map(Vec::pop));
            groups.retain(|group| !group.is_empty());
        }
        Self { text: model.text(), single, seed }
    }

    /// How many mutants have one bug.
    #[must_use]
    pub fn singles(&self) -> usize {
        self.single.len()
    }

    /// A slice of the order. Beyond the mutants with one bug the numbers draw pairs, not all of which can be made.
    pub fn slice(&self, from: usize, count: usize) -> impl Iterator<Item = Bug> {
        (from..from + count).filter_map(|number| self.bug(number))
    }

    fn bug(&self, number: usize) -> Option<Bug> {
        if let Some(mutant) = self.single.get(number) {
            return Some(Bug { operator: mutant.operator.name().to_owned(), text: mutant.apply(self.text) });
        }
        if self.single.len() < 2 {
            return None;
        }
        let mut random = seeded((self.seed, self.text, number, "pairs"));
        let (one, other) =
            (&self.single[random.usize(..self.single.len())], &self.single[random.usize(..self.single.len())]);
        let both = one.with(other)?;
        let operator = format!("{}+{}", one.operator.name(), other.operator.name());
        Some(Bug { operator, text: both.apply(self.text) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_order_has_each_mutant_once_and_then_pairs() {
        let source =
            "n = int(input())\na = list(map(int, input().split()))\nfor i in range(n):\n    print(a[i] // 2)\n";
        let model = SourceModel::parse(source).expect("the source parses");
        let bugs = Bugs::of(&model, 3);
        let singles: Vec<Bug> = bugs.slice(0, bugs.singles()).collect();
        let texts: BTreeSet<&str> = singles.iter().map(|bug| bug.text.as_str()).collect();
        assert_eq!((texts.len(), singles.len()), (bugs.singles(), bugs.singles()));
        assert!(bugs.singles() > 60, "{}", bugs.singles());
        let early: BTreeSet<&str> = singles.iter().take(15).map(|bug| bug.operator.as_str()).collect();
        assert_eq!(early.len(), 15, "every operator has its turn first");
        let pairs: Vec<Bug> = bugs.slice(bugs.singles(), 200).collect();
        assert!(pairs.len() > 150 && pairs.iter().all(|bug| bug.operator.contains('+')));
        assert_eq!(pairs, Bugs::of(&model, 3).slice(bugs.singles(), 200).collect::<Vec<_>>());
    }

    #[test]
    fn a_program_without_anything_to_change_has_no_mutants() {
        let model = SourceModel::parse("pass\n").expect("the source parses");
        assert_eq!(Bugs::of(&model, 0).slice(0, 50).count(), 0);
    }
}

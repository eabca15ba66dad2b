//! Which programs a network learns from next: balanced batches in an order that the seed decides.

use std::ops::Range;

use super::data::{Example, Examples, Part};
use super::recipe::ErrorRecipe;

/// Batches that are drawn together and sorted by length, so that little is padded.
const TOGETHER: usize = 8;

/// What batches are drawn from.
pub(super) struct Draw<'e> {
    recipe: ErrorRecipe,
    /// Programs without an error: as people wrote them, and mutants.
    right: [Vec<&'e Example>; 2],
    /// Programs with an error, by its class.
    wrong: Vec<Vec<&'e Example>>,
}

impl<'e> Draw<'e> {
    /// Of the programs to learn from; `None` without one that has an error and one that has none.
    pub(super) fn new(recipe: &ErrorRecipe, examples: &'e Examples) -> Option<Self> {
        let of = |holds: &dyn Fn(&Example) -> bool| -> Vec<&Example> {
            examples.all.iter().filter(|example| example.part == Part::Train && holds(example)).collect()
        };
        let is_right = |example: &Example, is_original: bool| example.target == 0 && example.is_original == is_original;
        let right = [true, false].map(|is_original| of(&|example| is_right(example, is_original)));
        let classes = 1..=recipe.config.classes.len();
        let wrong = classes.map(|class| of(&|example| example.target == class)).filter(|some| !some.is_empty());
        let wrong: Vec<Vec<&Example>> = wrong.collect();
        let is_whole = right.iter().any(|some| !some.is_empty()) && !wrong.is_empty();
        is_whole.then(|| Self { recipe: recipe.clone(), right, wrong })
    }

    /// The batches of `TOGETHER` steps, which do not depend on what was drawn before.
    fn batches(&self, number: u64) -> Vec<Vec<&'e Example>> {
        let mut random = crate::seeded((self.recipe.seed, "errors", number));
        // Mutants are easier to make for some classes than bugs are for people: rare classes come more often than they are.
        let shares: Vec<f64> = self.wrong.iter().map(|some| (some.len() as f64).sqrt()).collect();
        let all: f64 = shares.iter().sum();
        let class_at = |mut place: f64| {
            let passed = |share: &f64| {
                place -= share;
                place < 0.0
            };
            shares.iter().position(passed).unwrap_or(shares.len() - 1)
        };
        let mut drawn: Vec<&Example> = (0..TOGETHER * self.recipe.batch)
            .map(|number| {
                // Half have an error. Of those without, half are as people wrote them, if there are any.
                let from = match number % 4 {
                    1 | 3 => &self.wrong[class_at(random.f64() * all)],
                    0 if !self.right[0].is_empty() || self.right[1].is_empty() => &self.right[0],
                    2 if self.right[1].is_empty() => &self.right[0],
                    _ => &self.right[1],
                };
                from[random.usize(..from.len())]
            })
            .collect();
        drawn.sort_by_key(|example| example.program.steps);
        let mut batches: Vec<Vec<&Example>> = drawn.chunks(self.recipe.batch).map(<[_]>::to_vec).collect();
        random.shuffle(&mut batches);
        batches
    }

    /// The batches of steps.
    pub(super) fn of(&self, steps: Range<u64>) -> impl Iterator<Item = Vec<&'e Example>> {
        let together = TOGETHER as u64;
        let groups = steps.start / together..steps.end.div_ceil(together);
        let first = steps.start % together;
        let count = steps.end.saturating_sub(steps.start);
        groups.flat_map(|number| self.batches(number)).skip(first as usize).take(count as usize)
    }
}

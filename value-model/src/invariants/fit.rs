//! Fitting: the negative log-likelihood of all steps, with the paper's hinge on the negation, by stochastic gradient
//! descent with a rate for each weight (`AdaGrad`, Duchi et al., JMLR 2011).

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use surmise_instrument::guards::{GuardKind, Sample, View};

use super::decode::{object_features, slots};
use super::{Invariants, Known, SIZES, place};

const RATE: f32 = 0.1;
/// What a weight adds to its gradient, by which it shrinks.
const DECAY: f32 = 1e-4;
/// Bits by which a negation is to be less likely than the condition.
const MARGIN_BITS: f32 = 2.0;
/// Templates with fewer guards, or of fewer projects, are not learned.
const FEWEST_GUARDS: u32 = 12;
const FEWEST_PROJECTS: usize = 3;
const MOST_TEMPLATES: usize = 480;
/// Probabilities below this are not worth a step.
const NEGLIGIBLE: f32 = 1e-4;

/// How a model is fitted.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Passes over the examples.
    pub passes: u32,
    /// Seed of the order.
    pub seed: u64,
    /// Whether negations are kept apart.
    pub hinge: bool,
}

/// A guard to learn from or to measure on.
#[derive(Clone, Debug)]
pub struct Example {
    /// The place without its guard.
    pub view: View,
    /// The whole condition, as it is spelled.
    pub condition: String,
    /// How the condition was written.
    pub kind: GuardKind,
    /// The tests that hold if it does: template, and the candidates in its slots. Those that cannot be written are left
    /// out.
    tests: Vec<(usize, Vec<usize>)>,
}

/// Makes examples of samples. What has no test that the model could write is kept: it counts where accuracy is measured.
pub fn examples(samples: Vec<Sample>, templates: &[Known]) -> Vec<Example> {
    let numbers: FxHashMap<&str, usize> =
        templates.iter().enumerate().map(|(number, known)| (known.template.as_str(), number)).collect();
    let of = |sample: Sample| {
        let find = |text: &str| sample.view.candidates.iter().position(|candidate| candidate.text == text);
        let tests = sample.condition.required().into_iter().filter_map(|test| {
            let number = *numbers.get(test.template.text.as_str())?;
            let slots: Option<Vec<usize>> = test.template.slots.iter().map(|slot| find(&slot.text)).collect();
            Some((number, slots?))
        });
        let tests = tests.filter(|(_, slots)| !sample.view.candidates[slots[0]].is_text).collect();
        Example { condition: sample.condition.to_string(), kind: sample.kind, tests, view: sample.view }
    };
    samples.into_iter().map(of).collect()
}

/// The templates that are frequent enough to be learned, of samples with the numbers of their projects.
pub fn templates<'s>(samples: impl Iterator<Item = (usize, &'s Sample)>) -> Vec<Known> {
    let mut counts: FxHashMap<String, (u32, FxHashSet<usize>)> = FxHashMap::default();
    for (project, sample) in samples {
        for test in sample.condition.required() {
            let entry = counts.entry(test.template.text.to_string()).or_default();
            entry.0 += 1;
            entry.1.insert(project);
        }
    }
    let mut known: Vec<Known> = counts
        .into_iter()
        .filter(|(_, (guards, projects))| *guards >= FEWEST_GUARDS && projects.len() >= FEWEST_PROJECTS)
        .map(|(template, (guards, projects))| Known { template, guards, projects: projects.len() as u32 })
        .collect();
    known.sort_by(|one, other| (other.guards, &one.template).cmp(&(one.guards, &other.template)));
    known.truncate(MOST_TEMPLATES);
    known
}

struct Table {
    squares: Vec<f32>,
}

impl Table {
    fn step(&mut self, weights: &mut [f32], at: usize, gradient: f32) {
        let gradient = gradient + DECAY * weights[at];
        self.squares[at] += gradient * gradient;
        weights[at] -= RATE * gradient / self.squares[at].sqrt();
    }
}

/// Fits a model; `report` gets the number of each pass and the model after it.
pub fn fit(
    learned: &[Example],
    templates: Vec<Known>,
    options: Options,
    mut report: impl FnMut(u32, &Invariants),
) -> Invariants {
    let mut model = Invariants::empty(templates);
    let mut tables = SIZES.map(|size| Table { squares: vec![1.0; 1 << size] });
    let mut random = fastrand::Rng::with_seed(options.seed);
    let mut order: Vec<usize> = (0..learned.len()).filter(|&at| !learned[at].tests.is_empty()).collect();
    for pass in 1..=options.passes {
        random.shuffle(&mut order);
        for &at in &order {
            let example = &learned[at];
            let weight = 1.0 / example.tests.len() as f32;
            for (template, slots) in &example.tests {
                model.learn(&mut tables, &example.view, (*template, slots), weight, options.hinge);
            }
        }
        report(pass, &model);
    }
    model
}

impl Invariants {
    fn learn(
        &mut self,
        tables: &mut [Table; 3],
        view: &View,
        (template, filled): (usize, &[usize]),
        weight: f32,
        hinge: bool,
    ) {
        let subject = filled[0];
        for (number, probability) in self.subjects(view).into_iter().enumerate() {
            let gradient = probability - f32::from(u8::from(number == subject));
            if gradient.abs() > NEGLIGIBLE {
                for &feature in &view.candidates[number].features {
                    tables[0].step(&mut self.subject, place(feature, SIZES[0]), weight * gradient);
                }
            }
        }
        let mut gradients = self.shapes(view, subject);
        if hinge && let Some(negation) = self.negations[template] {
            let ahead = (gradients[template].max(1e-9) / gradients[negation].max(1e-9)).ln();
            let lacking = (MARGIN_BITS * std::f32::consts::LN_2 - ahead).max(0.0);
            // The derivative of the squared hinge, kept from running away.
            let push = (2.0 * lacking).min(1.0);
            gradients[template] -= push;
            gradients[negation] += push;
        }
        gradients[template] -= 1.0;
        let rows: Vec<usize> = self.rows(view, subject).collect();
        for row in rows {
            for (number, gradient) in gradients.iter().enumerate() {
                if gradient.abs() > NEGLIGIBLE {
                    tables[1].step(&mut self.template, row + number, weight * gradient);
                }
            }
        }
        for slot in 1..filled.len() {
            let probabilities = self.objects(view, template, slot, &filled[..slot]);
            for (number, probability) in probabilities.into_iter().enumerate() {
                let gradient = probability - f32::from(u8::from(number == filled[slot]));
                if gradient.abs() > NEGLIGIBLE {
                    for feature in object_features(view, template, slot, subject, number) {
                        tables[2].step(&mut self.object, place(feature, SIZES[2]), weight * gradient);
                    }
                }
            }
        }
        debug_assert_eq!(slots(&self.templates[template].template), filled.len());
    }
}

/// Measurements on examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Number of guards.
    pub guards: usize,
    /// Share whose whole condition the model could write.
    pub in_reach: f64,
    /// Share whose condition is the first answer.
    pub first: f64,
    /// Share whose condition is among the first five answers.
    pub first_five: f64,
    /// Share of first answers that are right among the tenth, and the half, that are the most certain.
    pub precision: [f64; 2],
    /// The entropy up to which answers belong to that tenth and to that half.
    pub entropy: [f32; 2],
    /// Share whose first answer is the negation of the condition.
    pub negated: f64,
}

/// Asks a model for the conditions of examples and compares.
pub fn measure<'e>(model: &Invariants, held_out: impl Iterator<Item = &'e Example>) -> Measured {
    let (mut found, mut answers) = (Measured::default(), Vec::new());
    for example in held_out {
        found.guards += 1;
        found.in_reach += f64::from(u8::from(example.tests.len() == 1 && !example.condition.contains(" and ")));
        let predicted = model.predict(&example.view, 5);
        let right = predicted.iter().position(|answer| answer.condition == example.condition);
        found.first += f64::from(u8::from(right == Some(0)));
        found.first_five += f64::from(u8::from(right.is_some()));
        if let Some(first) = predicted.first() {
            answers.push((first.entropy, right == Some(0)));
            let negation = surmise_instrument::guards::with_negation(&example.condition).map(|(_, negation)| negation);
            found.negated += f64::from(u8::from(negation.as_ref() == Some(&first.condition)));
        }
    }
    answers.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    for (at, percent) in [10, 50].into_iter().enumerate() {
        let count = (answers.len() * percent).div_ceil(100);
        let right = answers[..count].iter().filter(|(_, right)| *right).count();
        found.precision[at] = right as f64 / count.max(1) as f64;
        found.entropy[at] = answers.get(count.saturating_sub(1)).map_or(0.0, |(entropy, _)| *entropy);
    }
    let guards = found.guards.max(1) as f64;
    for share in [&mut found.in_reach, &mut found.first, &mut found.first_five, &mut found.negated] {
        *share /= guards;
    }
    found
}

/// Removes samples of functions that were seen before, in this project or another; returns how many.
pub fn without_duplicates(samples: &mut Vec<Sample>, seen: &mut BTreeSet<u64>) -> usize {
    let before = samples.len();
    let own: BTreeSet<u64> = samples.iter().map(|sample| sample.function_key).collect();
    let new: FxHashSet<u64> = own.into_iter().filter(|key| seen.insert(*key)).collect();
    samples.retain(|sample| new.contains(&sample.function_key));
    before - samples.len()
}

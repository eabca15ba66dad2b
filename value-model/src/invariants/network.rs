//! The network: scores of the steps in which a condition is written.
//!
//! A bag of embedded features with one hidden layer (as in Joulin et al., EACL 2017, with a rectifier): the rows of the
//! features of a candidate and of the region are added up, and what is positive of the sum decides what the condition is
//! about and which template it has. Both steps have weights besides that do not go through the layer: what a condition is
//! about has one for each feature, and templates and further slots have some for what guards elsewhere in the file ask
//! for, which say how far it may be copied (a pointer, as in Vinyals et al., NIPS 2015).

use rustc_hash::FxHashMap;
use surmise_instrument::guards::View;

use super::vocabulary::Vocabulary;
use super::{Known, crossed, place, softmax};

/// Width of the hidden layer.
pub(super) const WIDTH: usize = 48;
/// Logarithm (base 2) of the number of weights of further slots.
pub(super) const OBJECTS: usize = 18;
/// Weights of copied templates, each for the test itself and for its negation: of guards about a path, three distances, once
/// or several times; of guards that are near or alike, five.
pub(super) const COPIES: usize = 22;
/// Weights of copied fillings of further slots: three distances with the same template, the negation or another one; and
/// with the same template about something else.
pub(super) const COPIED_OBJECTS: usize = 10;

/// The numbers of templates and of their negations.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    of: FxHashMap<String, usize>,
    /// For each template, the number of the template of its negation.
    pub(super) negations: Vec<Option<usize>>,
}

impl Numbers {
    pub(super) fn of(templates: &[Known]) -> Self {
        let of: FxHashMap<String, usize> =
            templates.iter().enumerate().map(|(number, known)| (known.template.clone(), number)).collect();
        let negated = |known: &Known| surmise_instrument::guards::negated_template(&known.template);
        let negations = templates.iter().map(|known| of.get(&negated(known)).copied()).collect();
        Self { of, negations }
    }

    pub(super) fn get(&self, template: &str) -> Option<usize> {
        self.of.get(template).copied()
    }
}

/// Weights.
#[derive(Clone, Debug)]
pub(super) struct Network {
    pub(super) vocabulary: Vocabulary,
    pub(super) numbers: Numbers,
    /// A row for each feature.
    pub(super) rows: Vec<f32>,
    /// For each feature, what it says of a candidate by itself.
    pub(super) direct: Vec<f32>,
    /// What the hidden layer says of a candidate.
    pub(super) subject: Vec<f32>,
    /// A row for each template.
    pub(super) templates: Vec<f32>,
    /// For each template, how frequent it is.
    pub(super) biases: Vec<f32>,
    pub(super) copies: Vec<f32>,
    pub(super) copied_objects: Vec<f32>,
    /// What hashed features say of further slots.
    pub(super) objects: Vec<f32>,
}

/// A place with the rows of its features.
pub(super) struct Rows {
    pub(super) region: Vec<usize>,
    pub(super) candidates: Vec<Vec<usize>>,
}

/// The hidden layer of each candidate, and its probability to be what the condition is about.
pub(super) struct Layer {
    pub(super) hidden: Vec<[f32; WIDTH]>,
    pub(super) subjects: Vec<f32>,
}

impl Network {
    /// The rows of the features of a place that are known.
    pub(super) fn known(&self, view: &View) -> Rows {
        let of = |features: &[u32]| features.iter().filter_map(|&feature| self.vocabulary.row(feature)).collect();
        let of_candidate = |candidate: &surmise_instrument::guards::Candidate| {
            if candidate.is_text { Vec::new() } else { of(&candidate.features) }
        };
        Rows { region: of(&view.features), candidates: view.candidates.iter().map(of_candidate).collect() }
    }

    /// What a condition is about.
    pub(super) fn layer(&self, view: &View, rows: &Rows) -> Layer {
        let mut region = [0.0; WIDTH];
        rows.region.iter().for_each(|&row| self.add_row(row, &mut region));
        let mut hidden = vec![[0.0; WIDTH]; view.candidates.len()];
        let mut subjects = vec![f32::MIN; view.candidates.len()];
        for (at, candidate) in view.candidates.iter().enumerate() {
            if candidate.is_text {
                continue;
            }
            let mut sum = region;
            rows.candidates[at].iter().for_each(|&row| self.add_row(row, &mut sum));
            for value in &mut sum {
                *value = value.max(0.0);
            }
            let direct: f32 = rows.candidates[at].iter().map(|&row| self.direct[row]).sum();
            subjects[at] = direct + dot(&self.subject, &sum);
            hidden[at] = sum;
        }
        softmax(&mut subjects);
        Layer { hidden, subjects }
    }

    fn add_row(&self, row: usize, sum: &mut [f32; WIDTH]) {
        let weights = &self.rows[row * WIDTH..][..WIDTH];
        sum.iter_mut().zip(weights).for_each(|(value, weight)| *value += weight);
    }

    /// The template of a condition about a candidate: probabilities of all templates.
    pub(super) fn shapes(&self, view: &View, subject: usize, hidden: &[f32; WIDTH]) -> Vec<f32> {
        let rows = self.templates.chunks_exact(WIDTH);
        let mut scores: Vec<f32> = self.biases.iter().zip(rows).map(|(bias, row)| bias + dot(row, hidden)).collect();
        for (template, copy) in self.copied(view, subject) {
            scores[template] += self.copies[copy];
        }
        softmax(&mut scores);
        scores
    }

    /// Templates that guards elsewhere in the file have, and the weights that say what follows from it.
    pub(super) fn copied(&self, view: &View, subject: usize) -> Vec<(usize, usize)> {
        let about = view.candidates[subject].asked.iter();
        let about =
            about.map(|asked| (&asked.template, asked.nearness as usize * 4 + usize::from(asked.times > 1) * 2));
        let like = view.like.iter().map(|(template, likeness)| (template, 12 + *likeness as usize * 2));
        let mut found = Vec::new();
        for (template, copy) in about.chain(like) {
            let Some(template) = self.numbers.get(template) else { continue };
            found.push((template, copy));
            found.extend(self.numbers.negations[template].map(|negation| (negation, copy + 1)));
        }
        found
    }

    /// The filling of a further slot: probabilities of the candidates.
    pub(super) fn objects(&self, view: &View, (template, slot): (usize, usize), filled: &[usize]) -> Vec<f32> {
        let mut scores: Vec<f32> = (0..view.candidates.len())
            .map(|object| {
                if filled.contains(&object) {
                    return f32::MIN;
                }
                let features = object_features(view, template, slot, filled[0], object);
                features.into_iter().map(|feature| self.objects[place(feature, OBJECTS)]).sum()
            })
            .collect();
        for (object, copy) in self.copied_objects(view, (template, slot), filled[0]) {
            if !filled.contains(&object) {
                scores[object] += self.copied_objects[copy];
            }
        }
        softmax(&mut scores);
        scores
    }

    /// Fillings of a slot that guards elsewhere in the file have, and the weights that say what follows from it.
    pub(super) fn copied_objects(
        &self,
        view: &View,
        (template, slot): (usize, usize),
        subject: usize,
    ) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (at, candidate) in view.candidates.iter().enumerate() {
            for asked in &candidate.asked {
                let Some(text) = asked.others.get(slot - 1) else { continue };
                let Some(object) = view.candidates.iter().position(|candidate| candidate.text == *text) else {
                    continue;
                };
                let number = self.numbers.get(&asked.template);
                let kind = match number {
                    Some(number) if number == template => 0,
                    Some(number) if self.numbers.negations[template] == Some(number) => 1,
                    _ => 2,
                };
                let copy = if at == subject { asked.nearness as usize * 3 + kind } else { 9 };
                if (at == subject || kind < 2) && !found.contains(&(object, copy)) {
                    found.push((object, copy));
                }
            }
        }
        found
    }
}

/// What is looked at of a candidate for a further slot.
pub(super) fn object_features(view: &View, template: usize, slot: usize, subject: usize, object: usize) -> Vec<u32> {
    let key = (template * 4 + slot) as u32;
    let own = &view.candidates[object].features;
    let together = view.together(subject, object);
    own.iter().chain(&together).flat_map(|&feature| [crossed(feature, key), crossed(feature, u32::MAX)]).collect()
}

/// The scalar product.
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    for (one, other) in one.chunks_exact(8).zip(other.chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums.iter().sum()
}

//! The steps of the decoder, and the beam over them.

use surmise_instrument::guards::{View, fill};

use super::{Invariants, SIZES, crossed, place, softmax};

/// Answers of each step that are followed.
const SUBJECTS: usize = 4;
const TEMPLATES: usize = 6;
const OBJECTS: usize = 3;

/// A condition with its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// The condition.
    pub condition: String,
    /// Its template: an index into [`Invariants::templates`].
    pub template: usize,
    /// What its slots stand for: indices into the candidates of the view.
    pub slots: Vec<usize>,
    /// Minus the logarithm of its probability, in bits.
    pub entropy: f32,
}

impl Invariants {
    /// The likeliest conditions of a place, at most `most`, the most certain first.
    #[must_use]
    pub fn predict(&self, view: &View, most: usize) -> Vec<Predicted> {
        let mut found = Vec::new();
        let subjects = self.subjects(view);
        for (subject, p_subject) in best(&subjects, SUBJECTS) {
            let templates = self.shapes(view, subject);
            for (template, p_template) in best(&templates, TEMPLATES) {
                let text = &self.templates[template].template;
                let mut open = vec![(vec![subject], p_subject * p_template)];
                for slot in 1..slots(text) {
                    let mut next = Vec::new();
                    for (filled, probability) in open {
                        let objects = self.objects(view, template, slot, &filled);
                        next.extend(best(&objects, OBJECTS).into_iter().map(|(object, p_object)| {
                            let filled: Vec<usize> = filled.iter().copied().chain([object]).collect();
                            (filled, probability * p_object)
                        }));
                    }
                    next.sort_by(|(_, one), (_, other)| other.total_cmp(one));
                    next.truncate(OBJECTS);
                    open = next;
                }
                found.extend(open.into_iter().map(|(slots, probability)| {
                    let texts: Vec<&str> = slots.iter().map(|&slot| view.candidates[slot].text.as_str()).collect();
                    let entropy = -probability.max(f32::MIN_POSITIVE).log2();
                    Predicted { condition: fill(text, &texts), template, slots, entropy: entropy.max(0.0) }
                }));
            }
        }
        found.sort_by(|one, other| one.entropy.total_cmp(&other.entropy));
        found.truncate(most);
        found
    }

    /// What a condition is about: probabilities of the candidates that are paths.
    pub(super) fn subjects(&self, view: &View) -> Vec<f32> {
        let score = |features: &[u32]| features.iter().map(|&feature| self.subject[place(feature, SIZES[0])]).sum();
        let mut scores: Vec<f32> = view.candidates.iter().map(|candidate| score(&candidate.features)).collect();
        for (score, candidate) in scores.iter_mut().zip(&view.candidates) {
            if candidate.is_text {
                *score = f32::MIN;
            }
        }
        softmax(&mut scores);
        scores
    }

    /// The template of a condition about a candidate: probabilities of all templates.
    pub(super) fn shapes(&self, view: &View, subject: usize) -> Vec<f32> {
        let mut scores = vec![0.0; self.templates.len()];
        for row in self.rows(view, subject) {
            // A feature has its weights for all templates side by side.
            scores.iter_mut().zip(&self.template[row..]).for_each(|(score, weight)| *score += weight);
        }
        softmax(&mut scores);
        scores
    }

    /// Where the weights of the features of a candidate and of the region begin.
    pub(super) fn rows<'v>(&'v self, view: &'v View, subject: usize) -> impl Iterator<Item = usize> + 'v {
        let last = (1 << SIZES[1]) - self.templates.len();
        let features = view.candidates[subject].features.iter().chain(&view.features);
        features.map(move |&feature| place(feature, SIZES[1]) % last)
    }

    /// The filling of a further slot: probabilities of the candidates.
    pub(super) fn objects(&self, view: &View, template: usize, slot: usize, filled: &[usize]) -> Vec<f32> {
        let mut scores: Vec<f32> = (0..view.candidates.len())
            .map(|object| {
                if filled.contains(&object) {
                    return f32::MIN;
                }
                let features = object_features(view, template, slot, filled[0], object);
                features.into_iter().map(|feature| self.object[place(feature, SIZES[2])]).sum()
            })
            .collect();
        softmax(&mut scores);
        scores
    }
}

/// What is looked at of a candidate for a further slot.
pub(super) fn object_features(view: &View, template: usize, slot: usize, subject: usize, object: usize) -> Vec<u32> {
    let key = (template * 4 + slot) as u32;
    let own = &view.candidates[object].features;
    let together = view.together(subject, object);
    own.iter().chain(&together).flat_map(|&feature| [crossed(feature, key), crossed(feature, u32::MAX)]).collect()
}

/// Number of slots of a template.
pub(super) fn slots(template: &str) -> usize {
    (1..4).rev().find(|number| template.contains(&format!("${}", number - 1))).unwrap_or(0)
}

fn best(probabilities: &[f32], most: usize) -> Vec<(usize, f32)> {
    let mut order: Vec<(usize, f32)> = probabilities.iter().copied().enumerate().filter(|(_, p)| *p > 1e-6).collect();
    order.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    order.truncate(most);
    order
}

//! The steps of the decoder, and the beam over them.

use surmise_instrument::guards::{View, fill};

use super::Invariants;

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
        let layer = self.network.layer(view, &self.network.known(view));
        for (subject, p_subject) in best(&layer.subjects, SUBJECTS) {
            let templates = self.network.shapes(view, subject, &layer.hidden[subject]);
            for (template, p_template) in best(&templates, TEMPLATES) {
                let text = &self.templates[template].template;
                let mut open = vec![(vec![subject], p_subject * p_template)];
                for slot in 1..slots(text) {
                    let mut next = Vec::new();
                    for (filled, probability) in open {
                        let objects = self.network.objects(view, (template, slot), &filled);
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

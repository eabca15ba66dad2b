//! The steps of the decoder, and the beam over them.

use rayon::prelude::*;
use surmise_instrument::guards::{View, fill};

use super::mix::{List, Mix};
use super::reranker::Reranker;
use super::{Example, Invariants};

/// Answers of each step that are followed.
const SUBJECTS: usize = 6;
const TEMPLATES: usize = 8;
const OBJECTS: usize = 3;
/// Conditions that the reranker is asked about.
const LISTED: usize = 24;

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
    /// The likeliest conditions of a place, at most `most`, the most certain first; `question` is what the reranker reads of it
    /// ([`Invariants::question`]).
    #[must_use]
    pub fn predict(&self, view: &View, question: &[u16], most: usize) -> Vec<Predicted> {
        let Some(reranking) = &self.reranking else { return self.by_network(view, most) };
        let (mut listed, list) = self.listed(view, &reranking.model, question);
        let probabilities = reranking.mix.probabilities(&list);
        for (answer, probability) in listed.iter_mut().zip(probabilities) {
            answer.entropy = -probability.max(f32::MIN_POSITIVE).log2().min(0.0);
        }
        listed.sort_by(|one, other| one.entropy.total_cmp(&other.entropy));
        listed.truncate(most);
        listed
    }

    /// What the network lists for a place, and how likely the reranker finds it.
    fn listed(&self, view: &View, reranker: &Reranker, question: &[u16]) -> (Vec<Predicted>, List) {
        let listed = self.by_network(view, LISTED);
        let texts: Vec<&str> = listed.iter().map(|answer| answer.condition.as_str()).collect();
        // A question is never empty, and has no tokens of other vocabularies.
        let written = reranker.likelihoods(question, &texts).unwrap_or_else(|_| vec![0.0; texts.len()]);
        let ln = |answer: &Predicted| -answer.entropy * std::f32::consts::LN_2;
        let left = 1.0 - listed.iter().map(|answer| ln(answer).exp()).sum::<f32>();
        let likely = listed.iter().zip(written).map(|(answer, written)| [ln(answer), written]).collect();
        (listed, List { likely, rest: left.max(1e-3).ln() })
    }

    /// The mix of the network and a reranker that suits examples.
    pub(super) fn fitted_mix(&self, reranker: &Reranker, examples: &[Example]) -> Mix {
        let of = |example: &Example| {
            let (listed, list) = self.listed(&example.view, reranker, &example.question);
            (list, listed.iter().position(|answer| answer.condition == example.condition))
        };
        Mix::fit(&examples.par_iter().map(of).collect::<Vec<_>>())
    }

    /// The likeliest conditions as the network has them.
    fn by_network(&self, view: &View, most: usize) -> Vec<Predicted> {
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

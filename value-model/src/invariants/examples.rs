//! Guards as examples: which templates are learned, and which of them a guard has.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use surmise_instrument::guards::{GuardKind, Sample, View};

use super::Known;

/// Templates with fewer guards, or of fewer projects, are not learned.
const FEWEST_GUARDS: u32 = 8;
const FEWEST_PROJECTS: usize = 3;
const MOST_TEMPLATES: usize = 720;

/// A guard to learn from or to measure on.
#[derive(Clone, Debug)]
pub struct Example {
    /// The place without its guard.
    pub view: View,
    /// The whole condition, as it is spelled.
    pub condition: String,
    /// How the condition was written.
    pub kind: GuardKind,
    /// What the reranker reads of the place; empty in what only the network learns from.
    pub question: Vec<u16>,
    /// The tests that hold if it does: template, and the candidates in its slots. Those that cannot be written are left
    /// out.
    pub(super) tests: Vec<(usize, Vec<usize>)>,
    /// The number of its project.
    pub(super) project: u32,
}

impl Example {
    /// True if the model could write the whole condition.
    #[must_use]
    pub fn is_in_reach(&self) -> bool {
        self.tests.len() == 1 && !self.condition.contains(" and ")
    }
}

/// Makes examples of the samples of one project. What has no test that the model could write is kept: it counts where accuracy
/// is measured.
pub fn examples(samples: Vec<(Sample, Vec<u16>)>, templates: &[Known], project: u32) -> Vec<Example> {
    let numbers: FxHashMap<&str, usize> =
        templates.iter().enumerate().map(|(number, known)| (known.template.as_str(), number)).collect();
    let of = |(sample, question): (Sample, Vec<u16>)| {
        let find = |text: &str| sample.view.candidates.iter().position(|candidate| candidate.text == text);
        let tests = sample.condition.required().into_iter().filter_map(|test| {
            let number = *numbers.get(test.template.text.as_str())?;
            let slots: Option<Vec<usize>> = test.template.slots.iter().map(|slot| find(&slot.text)).collect();
            Some((number, slots?))
        });
        let tests = tests.filter(|(_, slots)| !sample.view.candidates[slots[0]].is_text).collect();
        let condition = sample.condition.to_string();
        Example { condition, kind: sample.kind, question, tests, view: sample.view, project }
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

/// Removes samples of functions that were seen before, in this project or another; returns how many.
pub fn without_duplicates<T>(samples: &mut Vec<(Sample, T)>, seen: &mut BTreeSet<u64>) -> usize {
    let before = samples.len();
    let own: BTreeSet<u64> = samples.iter().map(|(sample, _)| sample.function_key).collect();
    let new: FxHashSet<u64> = own.into_iter().filter(|key| seen.insert(*key)).collect();
    samples.retain(|(sample, _)| new.contains(&sample.function_key));
    before - samples.len()
}

//! What the model says of a source.

use std::collections::BTreeMap;

use surmise_instrument::SourceModel;
use surmise_instrument::guards::{Left, Place, Test, Tested, negated_template, places};
use surmise_value_model::invariants::{Invariants, Predicted};

use crate::invariant::Invariant;

/// Answers for a region that are looked at.
const ANSWERS: usize = 4;
/// Templates that ask whether something is there.
const PRESENCE: [&str; 4] = ["$0", "not $0", "$0 is None", "$0 is not None"];

/// How many conditions are wanted, and how certain.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Conditions of one function, or of one region, at most.
    pub most: usize,
    /// Entropy at most, in bits.
    pub entropy: f32,
    /// What has so many of them.
    pub per: Per,
}

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Each function: a condition that several of its regions expect is listed once, where it is most certain.
    Function,
    /// Each region by itself.
    Region,
    /// Each region that begins at a line.
    RegionAt(u32),
}

/// What was found in a source.
#[derive(Debug)]
pub struct Found {
    /// The conditions, the most certain first.
    pub invariants: Vec<Invariant>,
    /// What was left out.
    pub left: Left,
    /// Functions that were looked at.
    pub functions: usize,
    /// Regions that were asked about.
    pub regions: usize,
}

/// The most certain conditions of a source.
#[must_use]
pub fn find(model: &SourceModel, learned: &Invariants, limits: Limits) -> Found {
    let mut listed = places(model);
    if let Per::RegionAt(line) = limits.per {
        listed.found.retain(|place| place.line == line);
    }
    let mut all = match limits.per {
        Per::Function => of_functions(model, &listed.found, learned, limits),
        Per::Region | Per::RegionAt(_) => of_regions(model, &listed.found, learned, limits),
    };
    all.sort_by(|one, other| one.entropy.total_cmp(&other.entropy).then(one.line.cmp(&other.line)));
    Found { invariants: all, left: listed.left, functions: listed.functions, regions: listed.found.len() }
}

/// The most certain conditions of each region.
fn of_regions(model: &SourceModel, places: &[Place], learned: &Invariants, limits: Limits) -> Vec<Invariant> {
    let mut all = Vec::new();
    for place in places {
        // Some answers are known already.
        let answers = answers(model, place, learned, limits.most.saturating_add(ANSWERS));
        let kept = answers.into_iter().filter(|answer| answer.entropy <= limits.entropy);
        let news = kept.filter(|answer| is_news(answer, place, learned)).take(limits.most);
        all.extend(news.map(|answer| invariant(answer, place, learned, model)));
    }
    all
}

/// The likeliest conditions of a region.
fn answers(model: &SourceModel, place: &Place, learned: &Invariants, most: usize) -> Vec<Predicted> {
    let question = learned.question(&place.view, &place.location, model.text());
    learned.predict(&place.view, &question, most)
}

/// The most certain conditions of each function: none twice, and none that contradicts a more certain one.
fn of_functions(model: &SourceModel, places: &[Place], learned: &Invariants, limits: Limits) -> Vec<Invariant> {
    let mut by_function: BTreeMap<&str, Vec<Invariant>> = BTreeMap::new();
    for place in places {
        let found = by_function.entry(&place.function).or_default();
        let answers = answers(model, place, learned, ANSWERS);
        let kept = answers.into_iter().filter(|answer| answer.entropy <= limits.entropy);
        for answer in kept {
            if !is_news(&answer, place, learned) || is_of_another_region(&answer, place, model) {
                continue;
            }
            let invariant = invariant(answer, place, learned, model);
            match found.iter_mut().find(|known| known.condition == invariant.condition) {
                Some(known) if known.entropy <= invariant.entropy => {}
                Some(known) => *known = invariant,
                None => found.push(invariant),
            }
        }
    }
    let mut all: Vec<Invariant> = Vec::new();
    for mut found in by_function.into_values() {
        found.sort_by(|one, other| one.entropy.total_cmp(&other.entropy));
        let mut kept: Vec<Invariant> = Vec::new();
        for invariant in found {
            let contradicts = |known: &Invariant| {
                known.slots == invariant.slots && known.template == negated_template(&invariant.template)
            };
            if kept.len() < limits.most && !kept.iter().any(contradicts) {
                kept.push(invariant);
            }
        }
        all.append(&mut kept);
    }
    all
}

/// True for a condition that the guards around do not decide already, about something that is not of the module.
fn is_news(answer: &Predicted, place: &Place, learned: &Invariants) -> bool {
    let candidates: Vec<_> = answer.slots.iter().map(|&slot| &place.view.candidates[slot]).collect();
    if candidates[0].is_global {
        return false;
    }
    let template = &learned.templates()[answer.template].template;
    let negation = negated_template(template);
    let is_same = |fact: &Test, template: &str| {
        fact.template.text == template
            && fact.template.slots.len() == candidates.len()
            && fact.template.slots.iter().zip(&candidates).all(|(slot, candidate)| slot.text == candidate.text)
    };
    let subject = &candidates[0].text;
    let spellings = |template: &str| template.replace("$0", subject);
    let is_presence = |text: &str| PRESENCE.iter().any(|template| text == spellings(template));
    let condition = &answer.condition;
    let is_tested = |text: &String| {
        text == condition || *text == spellings(&negation) || (is_presence(text) && is_presence(condition))
    };
    // The region asks for it itself.
    if candidates[0].tested.iter().any(|tested| tested.is_here && is_tested(&tested.condition)) {
        return false;
    }
    let is_known = |fact: &Test| {
        let about = fact.template.slots.first().is_some_and(|slot| slot.text == *subject);
        let something = fact.template.text == "$0" || fact.template.text.starts_with("isinstance($0");
        // What is true, or of a class, is not `None`.
        is_same(fact, template) || is_same(fact, &negation) || (about && something && template == "$0 is not None")
    };
    !place.facts.iter().any(is_known)
}

/// True for a condition that the function tests elsewhere, about something that the region does not name.
fn is_of_another_region(answer: &Predicted, place: &Place, model: &SourceModel) -> bool {
    let subject = &place.view.candidates[answer.slots[0]];
    let region = &model.text()[place.location.region.start as usize..place.location.region.end as usize];
    let is_same = |tested: &Tested| !tested.is_here && tested.condition == answer.condition;
    subject.tested.iter().any(is_same) && !region.contains(subject.text.as_str())
}

fn invariant(answer: Predicted, place: &Place, learned: &Invariants, model: &SourceModel) -> Invariant {
    let known = &learned.templates()[answer.template];
    let mut evidence = place.view.candidates[answer.slots[0]].notes.clone();
    evidence.dedup();
    evidence.truncate(4);
    evidence.push(format!("{} guards of {} projects are written `{}`", known.guards, known.projects, known.template));
    let (_, column) = model.lines().position(place.location.region.start);
    Invariant {
        function: place.function.clone(),
        line: place.line,
        end_line: place.end_line,
        condition: answer.condition,
        entropy: (answer.entropy * 1000.0).round() / 1000.0,
        kind: if place.is_body { "precondition" } else { "region" },
        evidence,
        validated: None,
        proof: None,
        template: known.template.clone(),
        slots: answer.slots.iter().map(|&slot| place.view.candidates[slot].text.to_string()).collect(),
        column,
        start: place.location.region.start,
    }
}

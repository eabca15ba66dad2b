//! What a place looks like to the model: paths that a condition may name, and the region.

use compact_str::CompactString;
use rustc_hash::FxHashMap;

use super::asked::is_in;
use super::features::begins;
use super::occurrences::Occurrence;
use super::surroundings::{Candidate, Spot, Surroundings, View};

/// Paths and texts of a function that are candidates at most.
const MOST_PATHS: usize = 40;
const MOST_TEXTS: usize = 16;
/// The rank of what the function does not name.
const UNNAMED: usize = MOST_PATHS + MOST_TEXTS;
/// Attributes of `self` that are candidates although the function does not name them.
const MOST_CLASS_ATTRIBUTES: usize = 8;
/// Paths of the module and of `self` that are candidates because guards elsewhere in the file test them.
const MOST_ASKED_PATHS: usize = 8;
/// Texts and names of the module that are candidates because guards elsewhere in the file compare a path with them.
const MOST_COMPARED: usize = 12;

impl Surroundings<'_> {
    fn is_visible(&self, root: &str, spot: &Spot<'_>) -> bool {
        match self.occurrences.bound.get(root) {
            Some(places) => places.iter().any(|&at| at == 0 || (at < spot.region.start && !is_in(at, &spot.removed))),
            None => spot.kind == "expression" || !self.occurrences.inner.contains(root),
        }
    }

    /// Whether the names in the brackets of a path are visible, too.
    fn is_spelled_by_visible_names(&self, text: &str, spot: &Spot<'_>) -> bool {
        text.split('[')
            .skip(1)
            .filter_map(|part| part.split(']').next())
            .all(|name| !name.starts_with(|c: char| c.is_alphabetic() || c == '_') || self.is_visible(name, spot))
    }

    /// The view of a place; with `notes`, in words, too.
    pub(super) fn view(&self, spot: &Spot<'_>, notes: bool) -> View {
        let mut order: Vec<(&str, &str, Vec<&Occurrence>)> = Vec::new();
        let mut known: FxHashMap<&str, usize> = FxHashMap::default();
        for occurrence in &self.occurrences.all {
            let slot = &occurrence.slot;
            if is_in(slot.start, &spot.removed) {
                continue;
            }
            if let Some(&at) = known.get(slot.text.as_str()) {
                order[at].2.push(occurrence);
                continue;
            }
            let is_visible = self.is_visible(&slot.root, spot) && self.is_spelled_by_visible_names(&slot.text, spot);
            if !(slot.is_text() || is_visible) {
                continue;
            }
            known.insert(&slot.text, order.len());
            order.push((&slot.text, &slot.root, vec![occurrence]));
        }
        let mut names: Vec<&CompactString> =
            self.declared.keys().filter(|name| !known.contains_key(name.as_str())).collect();
        names.sort_unstable();
        order.extend(names.into_iter().map(|name| (name.as_str(), name.as_str(), Vec::new())));
        // The nearest first: what the region reads, then what was used before it, the latest first.
        let near = |uses: &[&Occurrence]| {
            let inside = uses.iter().map(|used| used.slot.start).find(|start| spot.region.contains(start));
            let before = uses.iter().map(|used| used.slot.start).filter(|&start| start < spot.region.start).max();
            match (inside, before) {
                (Some(start), _) => (0, start),
                (None, Some(start)) => (1, u32::MAX - start),
                (None, None) => (2, 0),
            }
        };
        order.sort_by_cached_key(|(_, _, uses)| near(uses));
        let mut counts = [0, 0];
        order.retain(|(_, root, _)| {
            let count = &mut counts[usize::from(root.is_empty())];
            *count += 1;
            *count <= if root.is_empty() { MOST_TEXTS } else { MOST_PATHS }
        });
        let region = self.region(spot, &order);
        let mut candidates: Vec<Candidate> = order
            .iter()
            .enumerate()
            .map(|(rank, (text, root, uses))| self.candidate((text, root), uses, rank, spot, notes))
            .collect();
        candidates.extend(self.unnamed(&known, spot));
        let compared = self.compared(&candidates);
        let of = |text: &CompactString| {
            let root = if text.starts_with('\'') { "" } else { text.split(['.', '[']).next().unwrap_or_default() };
            self.candidate((text, root), &[], UNNAMED, spot, false)
        };
        candidates.extend(compared.iter().map(of));
        let like = self.guards.like(spot.region.start, &begins(spot.first), &spot.removed);
        View { candidates, features: region, like }
    }

    /// Texts, classes and constants that guards elsewhere in the file compare the candidates with.
    fn compared(&self, candidates: &[Candidate]) -> Vec<CompactString> {
        let mut found: Vec<CompactString> = Vec::new();
        for text in candidates.iter().flat_map(|candidate| &candidate.asked).flat_map(|asked| &asked.others) {
            let root = text.split(['.', '[']).next().unwrap_or_default();
            let last = text.rsplit('.').next().unwrap_or_default();
            let is_of_the_module = || {
                last.starts_with(|c: char| c.is_ascii_uppercase())
                    && !text.contains('[')
                    && !self.occurrences.bound.contains_key(root)
                    && self.own.as_deref() != Some(root)
            };
            let is_new = !found.contains(text) && !candidates.iter().any(|candidate| candidate.text == *text);
            if is_new && (text.starts_with('\'') || is_of_the_module()) {
                found.push(text.clone());
            }
        }
        found.truncate(MOST_COMPARED);
        found
    }

    /// Attributes of the instance and names of the module that the function itself does not name.
    fn unnamed(&self, known: &FxHashMap<&str, usize>, spot: &Spot<'_>) -> Vec<Candidate> {
        let mut found = Vec::new();
        if let (Some(own), Some(class)) = (&self.own, self.class) {
            let mut attributes: Vec<(&CompactString, &Vec<CompactString>)> = class.iter().collect();
            attributes.sort_by_key(|(name, stored)| (std::cmp::Reverse(stored.len()), *name));
            let attributes = attributes.into_iter().map(|(name, _)| format!("{own}.{name}"));
            let attributes = attributes.filter(|text| !known.contains_key(text.as_str())).take(MOST_CLASS_ATTRIBUTES);
            for text in attributes {
                found.push(self.candidate((&text, own), &[], UNNAMED, spot, false));
            }
        }
        let asked = self.guards.paths(self.own.as_deref(), &spot.removed, MOST_ASKED_PATHS * 2);
        let is_new = |text: &&CompactString| {
            let root = text.split(['.', '[']).next().unwrap_or_default();
            let is_bound = self.occurrences.bound.contains_key(root) && self.own.as_deref() != Some(root);
            !(is_bound || known.contains_key(text.as_str()) || self.classes.contains(text))
                && self.is_spelled_by_visible_names(text, spot)
        };
        for text in asked.into_iter().filter(is_new).take(MOST_ASKED_PATHS) {
            if !found.iter().any(|candidate: &Candidate| candidate.text == *text) {
                let root = text.split(['.', '[']).next().unwrap_or_default();
                found.push(self.candidate((text, root), &[], UNNAMED, spot, false));
            }
        }
        for name in self.classes.iter().filter(|name| !known.contains_key(name.as_str())) {
            found.push(self.candidate((name, name), &[], UNNAMED, spot, false));
        }
        found
    }
}

//! Values that recordings of the user's own project have, which go before what a predictor has learned elsewhere.

use std::collections::{BTreeMap, HashMap};

use crate::classes::Class;
use crate::predictors::RecordedValue;
use crate::query::{Prediction, Use};

/// Position of an expression: line from 1 and column in bytes from 0, of its begin and of its end.
pub type Place = (u32, u32, u32, u32);

/// Observations of one site that count for its name, so that a hot loop does not outweigh all other sites.
const MOST_OF_SITE: u32 = 100;
/// Share of the classes that were observed; the others have the rest.
const OBSERVED: f32 = 0.98;

/// Values that were observed in recorded runs: at places of files, and under names anywhere.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// By the file's path, relative to the folder that holds its top-level package.
    files: HashMap<String, HashMap<(Place, Use), Sample>>,
    names: HashMap<(Use, String), Sample>,
    sources: Vec<String>,
}

/// What was observed at one place, or under one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    name: String,
    classes: BTreeMap<Class, u32>,
    literals: BTreeMap<(Class, String), u32>,
}

impl Sample {
    /// Counts a class of values.
    pub fn add_class(&mut self, class: Class, count: u32) {
        let sum = self.classes.entry(class).or_default();
        *sum = sum.saturating_add(count);
    }

    /// Counts a string, which is as it was, or a number, as Python's `repr` prints it.
    pub fn add_literal(&mut self, class: Class, text: &str, count: u32) {
        let sum = self.literals.entry((class, text.to_owned())).or_default();
        *sum = sum.saturating_add(count);
    }

    fn join(&mut self, other: &Self) {
        for (class, count) in &other.classes {
            self.add_class(*class, (*count).min(MOST_OF_SITE));
        }
        for ((class, text), count) in &other.literals {
            self.add_literal(*class, text, (*count).min(MOST_OF_SITE));
        }
    }

    /// The classes that were observed, the most frequent first; then those of another ranking, which share what is left of
    /// the probability.
    pub fn ranked(&self, others: &[Prediction]) -> Vec<Prediction> {
        let total: f32 = self.classes.values().map(|count| *count as f32).sum();
        let mut order: Vec<(Class, u32)> = self.classes.iter().map(|(class, count)| (*class, *count)).collect();
        order.sort_by_key(|&(class, count)| (std::cmp::Reverse(count), class));
        let share = |(class, count)| Prediction { class, probability: OBSERVED * count as f32 / total };
        let mut ranked: Vec<Prediction> = order.into_iter().map(share).collect();
        let rest = others.iter().filter(|other| !self.classes.contains_key(&other.class));
        let scaled = |other: &Prediction| Prediction { probability: (1.0 - OBSERVED) * other.probability, ..*other };
        ranked.extend(rest.map(scaled));
        ranked
    }

    /// The values of a class, as far as the recording has any, the most frequent first.
    pub fn values(&self, class: Class) -> Vec<RecordedValue> {
        let of_class = self.literals.iter().filter(|((of, _), _)| *of == class);
        let mut found: Vec<(&str, u32)> = of_class.map(|((_, text), count)| (text.as_str(), *count)).collect();
        found.sort_by_key(|&(text, count)| (std::cmp::Reverse(count), text));
        let value = |(text, _): (&str, u32)| RecordedValue { class, literal: Some(text.to_owned()), length: None };
        found.into_iter().map(value).collect()
    }
}

impl Observed {
    /// Adds what was observed at a site.
    pub fn add(&mut self, file: &str, place: Place, kind: Use, name: &str, sample: Sample) {
        if sample.classes.is_empty() {
            return;
        }
        self.names.entry((kind, name.to_owned())).or_default().join(&sample);
        let sites = self.files.entry(file.to_owned()).or_default();
        sites.insert((place, kind), Sample { name: name.to_owned(), ..sample });
    }

    /// What was observed at a place of a file, if the same name is read there, with true; else under this name anywhere,
    /// with false.
    pub fn sample(&self, path: &str, place: Place, kind: Use, name: &str) -> Option<(&Sample, bool)> {
        // The same file may be recorded below folders of several depths: the longest path is the most certain.
        let tails = path.char_indices().filter(|&(at, char)| at == 0 || char == '/');
        let tails = tails.map(|(at, char)| &path[at + usize::from(char == '/')..]);
        let mut files = tails.filter_map(|tail| self.files.get(tail));
        let here = files.find_map(|sites| sites.get(&(place, kind)).filter(|sample| sample.name == name));
        let of_name = || self.names.get(&(kind, name.to_owned())).map(|sample| (sample, false));
        here.map(|sample| (sample, true)).or_else(of_name)
    }

    /// Notes the hash of a recording, of all that results may depend on.
    pub fn add_source(&mut self, hash: &str) {
        self.sources.push(hash.to_owned());
    }

    /// The hashes of the recordings, in the order in which they were added.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Number of sites.
    pub fn sites(&self) -> usize {
        self.files.values().map(HashMap::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(classes: &[(Class, u32)], literals: &[(Class, &str, u32)]) -> Sample {
        let mut sample = Sample::default();
        for &(class, count) in classes {
            sample.add_class(class, count);
        }
        for &(class, text, count) in literals {
            sample.add_literal(class, text, count);
        }
        sample
    }

    #[test]
    fn a_place_goes_before_its_name() {
        let mut observed = Observed::default();
        let at = |line| (line, 4, line, 8);
        observed.add("shop/a.py", at(1), Use::Variable, "mode", sample(&[(Class::Str, 2)], &[(Class::Str, "r", 2)]));
        observed.add("shop/b.py", at(7), Use::Variable, "mode", sample(&[(Class::None, 9)], &[]));
        let first = |path, line, kind, name| {
            observed.sample(path, at(line), kind, name).map(|(sample, is_here)| (sample.ranked(&[])[0].class, is_here))
        };
        assert_eq!(first("/home/me/shop/a.py", 1, Use::Variable, "mode"), Some((Class::Str, true)));
        assert_eq!(first("shop/a.py", 1, Use::Variable, "mode"), Some((Class::Str, true)));
        assert_eq!(
            first("/home/me/workshop/a.py", 1, Use::Variable, "mode"),
            Some((Class::None, false)),
            "another file"
        );
        assert_eq!(
            first("shop/a.py", 2, Use::Variable, "mode"),
            Some((Class::None, false)),
            "the commonest under this name"
        );
        assert_eq!(first("shop/a.py", 1, Use::Variable, "other"), None, "another name is read there now");
        assert_eq!(first("shop/a.py", 1, Use::Attribute, "mode"), None);
        assert_eq!(observed.sites(), 2);
    }

    #[test]
    fn what_was_observed_comes_first_and_what_was_predicted_after_it() {
        let sample = sample(
            &[(Class::None, 1), (Class::Str, 3)],
            &[(Class::Str, "b", 1), (Class::Str, "a", 1), (Class::PositiveInt, "7", 5)],
        );
        let predicted =
            [(Class::Str, 0.4), (Class::Object, 0.5)].map(|(class, probability)| Prediction { class, probability });
        let ranked = sample.ranked(&predicted);
        let classes: Vec<Class> = ranked.iter().map(|prediction| prediction.class).collect();
        assert_eq!(classes, [Class::Str, Class::None, Class::Object]);
        assert!((ranked[0].probability - 0.735).abs() < 1e-6 && ranked[2].probability <= 0.0101, "{ranked:?}");
        let texts = sample.values(Class::Str).into_iter().filter_map(|value| value.literal);
        assert_eq!(texts.collect::<Vec<_>>(), ["a", "b"], "the same each time");
        assert_eq!(sample.values(Class::PositiveFloat), []);
    }

    #[test]
    fn one_hot_site_does_not_outweigh_the_others() {
        let mut observed = Observed::default();
        for line in 0..3 {
            observed.add("a.py", (line, 0, line, 1), Use::Attribute, "x", sample(&[(Class::Str, 60)], &[]));
        }
        observed.add("a.py", (9, 0, 9, 1), Use::Attribute, "x", sample(&[(Class::None, 1_000_000)], &[]));
        let (found, _) = observed.sample("b.py", (1, 0, 1, 1), Use::Attribute, "x").expect("the name was seen");
        assert_eq!(found.ranked(&[])[0].class, Class::Str);
    }
}

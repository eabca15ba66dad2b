//! Counts which strings names were.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Literals, key};
use crate::predictors::last_word;

/// A string is kept that is the commonest of a name and that so many projects have under it: what one project alone has says
/// little of others, and two may share code.
const PROJECTS: usize = 3;
/// The same for the last word of a name.
const PROJECTS_OF_WORD: usize = 4;
/// Least share of a string that is kept. Of 0.05 to 0.7, with each project held out in turn: smaller ones add many wrong strings
/// and few right ones, and larger ones leave out right ones.
const LEAST: f64 = 0.2;

/// Strings with a number for each.
type Counts<N> = BTreeMap<String, N>;

/// Counts the strings of names, project by project.
#[derive(Clone, Debug, Default)]
pub struct LiteralsBuilder {
    /// By key: the sum of the shares that a string has in projects, and their number.
    totals: BTreeMap<Vec<u8>, Counts<(f64, usize)>>,
    /// Projects that have a key.
    projects: BTreeMap<Vec<u8>, usize>,
    project: BTreeMap<Vec<u8>, Counts<f64>>,
}

impl LiteralsBuilder {
    /// Counts the strings that were observed at one site, each with how often.
    pub fn add(&mut self, name: &str, strings: &[(String, u32)]) {
        let total: f64 = strings.iter().map(|(_, count)| f64::from(*count)).sum();
        for (string, count) in strings {
            for key in [key(b'N', name), key(b'W', last_word(name))] {
                *self.project.entry(key).or_default().entry(string.clone()).or_default() += f64::from(*count) / total;
            }
        }
    }

    /// Ends a project: what is added from now on is of another one.
    pub fn end_project(&mut self) {
        for (key, strings) in std::mem::take(&mut self.project) {
            let sites: f64 = strings.values().sum();
            *self.projects.entry(key.clone()).or_default() += 1;
            let of_key = self.totals.entry(key).or_default();
            for (string, count) in strings {
                let total = of_key.entry(string).or_default();
                *total = (total.0 + count / sites, total.1 + 1);
            }
        }
    }

    /// Makes the table of the projects that have ended.
    ///
    /// # Panics
    /// Never: keys are sorted and memory can be written.
    #[must_use]
    pub fn build(&self) -> Literals {
        let entry = |(key, strings): (&Vec<u8>, &Counts<(f64, usize)>)| {
            let least = if key[0] == b'N' { PROJECTS } else { PROJECTS_OF_WORD };
            let (string, share) = commonest(strings, self.projects[key], least)?;
            Some(([key.as_slice(), string.as_bytes()].concat(), (share * 255.0).round() as u64))
        };
        let entries: BTreeMap<Vec<u8>, u64> = self.totals.iter().filter_map(entry).collect();
        let map = fst::Map::from_iter(entries).expect("keys are sorted");
        Literals(map.map_data(Cow::Owned).expect("the table was just written"))
    }
}

/// The commonest string of a key that enough projects have, with its share, if that is large enough.
fn commonest(strings: &Counts<(f64, usize)>, projects: usize, least: usize) -> Option<(&str, f64)> {
    let kept = strings.iter().filter(|(_, (_, of))| *of >= least);
    let best = kept.max_by(|(_, (one, _)), (_, (other, _))| one.total_cmp(other));
    best.map(|(string, (sum, _))| (string.as_str(), sum / projects as f64)).filter(|(_, share)| *share >= LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of a project, with their strings.
    type Project<'a> = &'a [(&'a str, &'a [(&'a str, u32)])];

    fn table(projects: &[Project<'_>]) -> Literals {
        let mut builder = LiteralsBuilder::default();
        for project in projects {
            for (name, strings) in *project {
                let strings: Vec<_> = strings.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect();
                builder.add(name, &strings);
            }
            builder.end_project();
        }
        builder.add("encoding", &[("never ended".to_owned(), 1)]);
        builder.build()
    }

    #[test]
    fn what_several_projects_have_is_kept() {
        let same: Project<'_> = &[("encoding", &[("utf-8", 3), ("ascii", 1)]), ("mode", &[("r", 1)])];
        let other: Project<'_> = &[("encoding", &[("ascii", 9), ("utf-8", 1)]), ("mode", &[("w", 1)])];
        let three = table(&[same, same, other]);
        assert_eq!(three.of("encoding").as_deref(), Some("utf-8"), "each project counts once");
        assert_eq!(three.of("mode"), None, "two projects have one, one has the other");
        assert_eq!(three.of("file_encoding"), None, "a word needs four");
        assert_eq!(three.of("encodin"), None, "the beginning of a name");
        let four = table(&[same, same, same, other]);
        assert_eq!(four.of("mode").as_deref(), Some("r"));
        assert_eq!(four.of("fileEncoding"), None, "words keep their case");
        assert_eq!(four.of("file_encoding").as_deref(), Some("utf-8"));
        assert_eq!(four.len(), 3, "two names and a word");
    }

    #[test]
    fn what_is_one_of_many_is_not_kept() {
        let names: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        let strings = |own: &'static str| -> Vec<(&str, u32)> {
            names.iter().map(|name| (name.as_str(), 1)).chain([(own, 2)]).collect()
        };
        let [one, two, three] = ["a", "b", "c"].map(strings);
        let rows = [&one, &two, &three].map(|strings| [("text", strings.as_slice())]);
        assert!(table(&[&rows[0], &rows[1], &rows[2]]).is_empty());
    }
}

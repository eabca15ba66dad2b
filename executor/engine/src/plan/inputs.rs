//! What a program asks of texts that come from outside: standard input, arguments, the environment, files.

use std::collections::BTreeMap;
use std::ops::Range;

use surmise_instrument::paths::{Hint, Wish};
use surmise_instrument::{Kind, Site};

use super::Plan;

/// Most texts of one call of `input()`.
const MOST: usize = 12;
/// The largest number of a call that is asked for numbers again and again.
const LARGEST: u32 = 100;

/// True for a call of `input()`.
pub(super) fn is_input(site: &Site) -> bool {
    site.kind == Kind::ReturnValue && matches!(site.name.as_str(), "input" | "raw_input")
}

/// The largest number and the smallest but one, the next ones, and so on: both are on either side of what is between.
fn counted() -> Vec<String> {
    let pairs = (2..=LARGEST / 2 + 1).flat_map(|small| [LARGEST + 2 - small, small]);
    pairs.map(|number| number.to_string()).collect()
}

impl Plan {
    /// Texts with which conditions compare the answers of a call of `input()`, in the order of the code, by the number of
    /// its site. A menu in a loop gets one after the other, so that each choice is made and the loop ends.
    ///
    /// What the code takes apart (`name, value = input().split("=")`) has no such texts, and what it makes a number of has
    /// numbers only: where conditions name none, each number is given once, as the program may have drawn one.
    pub(super) fn input_texts(&self) -> BTreeMap<u32, Vec<String>> {
        let calls = self.input_calls();
        if calls.is_empty() {
            return BTreeMap::new();
        }
        let paths = self.paths();
        let reaching = |subject: &Range<u32>| self.reaching(&calls, subject);
        let mut texts: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for hint in &paths.hints {
            let text = match &hint.wish {
                Wish::Text(text) => text.clone(),
                Wish::Integer(number) => number.to_string(),
                Wish::Real(number) => number.to_string(),
                _ => continue,
            };
            for number in reaching(&hint.subject) {
                let known = texts.entry(number).or_default();
                if known.len() < MOST && !known.contains(&text) {
                    known.push(text.clone());
                }
            }
        }
        for format in &paths.formats {
            let Wish::Text(format_text) = &format.wish else { continue };
            let is_number = format_text.parse::<f64>().is_ok();
            for number in reaching(&format.subject) {
                if let Some(known) = texts.get_mut(&number) {
                    known.retain(|text| is_number && text.parse::<f64>().is_ok());
                } else if format_text == "1" {
                    texts.insert(number, counted());
                }
            }
        }
        texts.retain(|_, known| !known.is_empty());
        texts
    }

    /// The texts that the code takes apart (`name, value = input().split("=")`), with all bytes that they may come from.
    pub(super) fn formats_from(&self) -> Vec<(Range<u32>, &Hint)> {
        let mut found = Vec::new();
        if !["input", "environ", "argv"].iter().any(|name| self.text.contains(name)) {
            return found;
        }
        let paths = self.paths();
        for hint in &paths.formats {
            let near = paths.origins.near(hint.subject.clone());
            found.extend(near.into_iter().map(|(_, range)| (range, hint)));
        }
        found
    }

    /// Texts in the form in which the code takes arguments and variables of the environment apart
    /// (`os.environ["ADDRESS"].split(":")`), by the lines that read them.
    pub(super) fn outer_texts(&self) -> BTreeMap<u32, String> {
        let lines = self.model.lines();
        let mut texts = BTreeMap::new();
        for (range, hint) in self.formats_from() {
            let (Wish::Text(text), source) = (&hint.wish, &self.text[range.start as usize..range.end as usize]) else {
                continue;
            };
            if source.contains("environ") || source.contains("argv") {
                texts.entry(lines.line(range.start)).or_insert_with(|| text.clone());
            }
        }
        texts
    }

    /// True for code that reads standard input otherwise than by `input()`.
    pub(super) fn reads_input(&self) -> bool {
        let names = [".stdin", "stdin", "fileinput"];
        // Most code mentions none of them, and is not walked for them.
        names.iter().any(|name| self.text.contains(name) && self.paths().reads_of(name) > 0)
    }

    /// Lines of the tables that the code reads with `csv`, by the lines of its calls.
    pub(super) fn tables(&self) -> BTreeMap<u32, Vec<String>> {
        if !self.text.contains("csv") {
            return BTreeMap::new();
        }
        let lines = self.model.lines();
        self.paths().tables().into_iter().map(|(start, table)| (lines.line(start), table)).collect()
    }

    /// Calls of `input()`: the numbers of their sites, and their bytes.
    fn input_calls(&self) -> Vec<(u32, Range<u32>)> {
        let calls = (0..).zip(self.uses()).filter(|(_, site)| is_input(site));
        calls.map(|(number, site)| (number, site.start..site.end)).collect()
    }

    /// Those of the calls whose answers may reach a range.
    fn reaching(&self, calls: &[(u32, Range<u32>)], subject: &Range<u32>) -> Vec<u32> {
        let near = self.paths().origins.near(subject.clone());
        let holds =
            |call: &Range<u32>| near.iter().any(|(_, range)| range.start <= call.start && call.end <= range.end);
        calls.iter().filter(|(_, call)| holds(call)).map(|(number, _)| *number).collect()
    }
}

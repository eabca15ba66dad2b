//! Inputs that fit a grammar: typical ones, those at the edges of what is allowed, and those inside.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use fastrand::Rng;
use surmise_value_model::seeded;

use crate::expression::Expression;
use crate::grammar::{Block, Field, Grammar, Kind, Variable};

/// Which of the allowed values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Few lines of small numbers, as examples have them.
    Typical,
    /// Any values.
    Inside,
    /// The smallest of everything.
    Least,
    /// The largest numbers, in not too many lines.
    Most,
    /// The smallest, the largest or any value, each drawn by itself.
    Mixed,
}

impl Profile {
    /// All profiles.
    pub const ALL: &[Self] = &[Self::Typical, Self::Inside, Self::Least, Self::Most, Self::Mixed];
    /// The order in which samples are drawn.
    const ORDER: &[Self] =
        &[Self::Typical, Self::Least, Self::Typical, Self::Inside, Self::Most, Self::Typical, Self::Mixed, Self::Mixed];
}

/// An input that fits a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The text.
    pub text: String,
    /// Which values were drawn.
    pub profile: Profile,
    /// The input would be longer: a number of lines or values was larger than what is sampled.
    pub is_cut: bool,
}

/// Values in an input at most.
const MOST_VALUES: usize = 4000;
/// Lines, values of a row or characters that are drawn where more are allowed.
const LARGE_SIZE: i64 = 50;
/// Typical sizes begin here and there are so many of them.
const TYPICAL_SIZE: (i64, i64) = (2, 4);
/// Typical numbers are among the first so many that are allowed.
const TYPICAL_SPAN: i64 = 9;
/// Lines that are drawn until one has the relations that its values must have.
const ATTEMPTS: usize = 200;
/// Bounds where none are known.
const UNKNOWN: (i64, i64) = (1, 100);

impl Grammar {
    /// Draws an input. The same seed gives the same input.
    #[must_use]
    pub fn sample(&self, profile: Profile, seed: u64) -> Sample {
        let mut draw = Draw {
            grammar: self,
            sizes: self.sizes().into_iter().map(|name| name.trim_matches('|').to_owned()).collect(),
            profile,
            random: seeded((seed, profile, "standard input")),
            known: BTreeMap::new(),
            used: BTreeMap::new(),
            text: String::new(),
            values: 0,
            is_cut: false,
        };
        draw.blocks(&self.blocks);
        Sample { text: draw.text, profile, is_cut: draw.is_cut }
    }

    /// Draws different inputs, typical ones first; fewer than asked for where the grammar does not have more.
    #[must_use]
    pub fn samples(&self, count: usize, seed: u64) -> Vec<Sample> {
        let mut found: Vec<Sample> = Vec::new();
        for (turn, profile) in (0..).zip(Profile::ORDER.iter().cycle()).take(count * 4) {
            if found.len() == count {
                break;
            }
            let sample = self.sample(*profile, seed.wrapping_add(turn));
            if found.iter().all(|known| known.text != sample.text) {
                found.push(sample);
            }
        }
        found
    }
}

/// One input that is being drawn.
struct Draw<'g> {
    grammar: &'g Grammar,
    sizes: BTreeSet<String>,
    profile: Profile,
    random: Rng,
    /// The values of numbers, the latest of each name, and the lengths of texts.
    known: BTreeMap<String, i64>,
    /// Values that were drawn, of names whose values are different or ascending.
    used: BTreeMap<String, Vec<i64>>,
    text: String,
    values: usize,
    is_cut: bool,
}

impl Draw<'_> {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Line(fields) => self.line(fields),
                Block::Repeat { count, body } => self.repeat(count.as_ref(), body),
            }
        }
    }

    fn repeat(&mut self, count: Option<&Expression>, body: &[Block]) {
        let count = self.count(count);
        let is_case = body.len() > 1 || matches!(body, [Block::Repeat { .. }]);
        let edges = self.edges(count, body);
        for turn in 0..count {
            if self.values >= MOST_VALUES {
                self.is_cut = true;
                return;
            }
            if is_case {
                self.used.clear();
            }
            match (edges.get(turn as usize), body) {
                (Some(&(one, other)), [Block::Line(fields)]) => {
                    let rest = self.fields(&fields[2..]);
                    let _ = write!(self.text, "{one} {other}");
                    if !rest.is_empty() {
                        let _ = write!(self.text, " {rest}");
                    }
                    self.text.push('\n');
                }
                _ => self.blocks(body),
            }
        }
    }

    fn count(&mut self, count: Option<&Expression>) -> i64 {
        let value = match count {
            Some(count) => count.value(&self.known).unwrap_or(TYPICAL_SIZE.0 + 1),
            None => self.random.i64(1..=TYPICAL_SIZE.1),
        };
        if value > MOST_VALUES as i64 {
            self.is_cut = true;
        }
        value.clamp(0, MOST_VALUES as i64)
    }

    /// The edges of a tree or a graph, where lines of pairs are such.
    fn edges(&mut self, count: i64, body: &[Block]) -> Vec<(i64, i64)> {
        let [Block::Line(fields)] = body else { return Vec::new() };
        let (Some(Field::One(one)), Some(Field::One(other))) = (fields.first(), fields.get(1)) else {
            return Vec::new();
        };
        let nodes = self.grammar.variable(one).filter(|of| !of.is_text()).and_then(|of| of.most.first());
        let same = self.grammar.variable(other).and_then(|of| of.most.first()) == nodes;
        let Some(nodes) = nodes.filter(|_| same).and_then(|nodes| nodes.value(&self.known)) else { return Vec::new() };
        let mut found = Vec::new();
        if self.grammar.is_tree && count == nodes - 1 {
            for node in 2..=nodes {
                found.push((self.random.i64(1..node), node));
            }
        } else if self.grammar.is_graph && (2..=1000).contains(&nodes) && count <= nodes * (nodes - 1) / 2 {
            let mut all: Vec<(i64, i64)> =
                (1..nodes).flat_map(|one| (one + 1..=nodes).map(move |other| (one, other))).collect();
            self.random.shuffle(&mut all);
            // A graph that hangs together begins with a tree.
            let tree = (2..=nodes).map(|node| (self.random.i64(1..node), node)).collect::<Vec<_>>();
            all.retain(|edge| !tree.contains(edge));
            found = tree.into_iter().chain(all).take(count as usize).collect();
        }
        found
    }

    fn line(&mut self, fields: &[Field]) {
        let before = (self.known.clone(), self.used.clone());
        let values = self.values;
        for attempt in 1..=ATTEMPTS {
            let text = self.fields(fields);
            if attempt == ATTEMPTS || self.is_allowed() {
                self.text.push_str(&text);
                self.text.push('\n');
                return;
            }
            (self.known, self.used) = before.clone();
            self.values = values;
        }
    }

    /// True if the values that are known have the relations that the grammar asks for.
    fn is_allowed(&self) -> bool {
        self.grammar.relations.iter().all(|relation| {
            let (left, right) = (relation.left.value(&self.known), relation.right.value(&self.known));
            let (Some(left), Some(right)) = (left, right) else { return true };
            match relation.sign {
                '<' => left < right,
                '≤' => left <= right,
                '≠' => left != right,
                _ => left == right,
            }
        })
    }

    fn fields(&mut self, fields: &[Field]) -> String {
        let mut parts = Vec::new();
        for field in fields {
            match field {
                Field::One(name) => parts.push(self.value(name)),
                Field::Row { variable, count, separator } => {
                    let count = self.count(Some(count));
                    parts.push(self.row(variable, count, separator));
                }
                Field::Literal(text) => parts.push(text.clone()),
            }
        }
        parts.join(" ")
    }

    fn row(&mut self, name: &str, count: i64, separator: &str) -> String {
        let left = (MOST_VALUES.saturating_sub(self.values)) as i64;
        self.is_cut |= count > left;
        let count = count.min(left);
        let of = self.grammar.variable(name);
        if of.is_some_and(|of| of.is_permutation) {
            let mut all: Vec<i64> = (1..=count).collect();
            self.random.shuffle(&mut all);
            self.values += all.len();
            return all.iter().map(i64::to_string).collect::<Vec<_>>().join(separator);
        }
        if separator.is_empty()
            && let Some(Kind::Text(letters)) = of.map(|of| &of.kind)
        {
            let letters = letters.clone();
            self.values += 1;
            return self.letters(&letters, count);
        }
        self.used.remove(name);
        let values: Vec<String> = (0..count).map(|_| self.value(name)).collect();
        values.join(separator)
    }

    fn value(&mut self, name: &str) -> String {
        self.values += 1;
        let unknown = Variable::new(name);
        let of = self.grammar.variable(name).unwrap_or(&unknown);
        match &of.kind {
            Kind::Integer => {
                let value = self.number(of);
                self.known.insert(name.to_owned(), value);
                value.to_string()
            }
            Kind::Real => {
                let value = self.number(of);
                format!("{value}.{}", self.random.u32(0..100))
            }
            Kind::Text(_) if !of.words.is_empty() && self.random.usize(..=of.words.len()) > 0 => {
                of.words[self.random.usize(..of.words.len())].clone()
            }
            Kind::Text(letters) => {
                let (least, most) = self.bounds(of);
                let length = self.size(least.max(0), most);
                self.known.insert(format!("|{name}|"), length);
                self.letters(letters, length)
            }
            Kind::Word(words) => words.get(self.random.usize(..words.len().max(1))).cloned().unwrap_or_default(),
        }
    }

    fn letters(&mut self, letters: &[char], length: i64) -> String {
        let any = |random: &mut Rng| letters[random.usize(..letters.len())];
        let length = length.clamp(0, MOST_VALUES as i64);
        match (letters, self.profile) {
            ([], _) => String::new(),
            (_, Profile::Least) => (0..length).map(|_| letters[0]).collect(),
            (_, Profile::Most) => (0..length).map(|_| letters[letters.len() - 1]).collect(),
            _ => (0..length).map(|_| any(&mut self.random)).collect(),
        }
    }

    /// The tightest bounds of a variable whose parts are known.
    fn bounds(&self, of: &Variable) -> (i64, i64) {
        let least = of.least.iter().filter_map(|bound| bound.value(&self.known)).max();
        let most = of.most.iter().filter_map(|bound| bound.value(&self.known)).min();
        match (least, most) {
            (Some(least), Some(most)) => (least, most.max(least)),
            (Some(least), None) => (least, least.saturating_add(UNKNOWN.1)),
            (None, Some(most)) => (UNKNOWN.0.min(most), most),
            (None, None) if of.is_text() => (UNKNOWN.0, 10),
            (None, None) => UNKNOWN,
        }
    }

    /// A number of lines, of values or of characters.
    fn size(&mut self, least: i64, most: i64) -> i64 {
        let large = most.min(LARGE_SIZE.max(least));
        let first = TYPICAL_SIZE.0.clamp(least, most.max(least));
        match self.profile {
            Profile::Typical => self.random.i64(first..=(first + TYPICAL_SIZE.1 - 1).min(most.max(first))),
            Profile::Inside => self.random.i64(least..=large.min(least.saturating_add(12)).max(least)),
            Profile::Least => least,
            Profile::Most => large.max(least),
            Profile::Mixed => match self.random.u8(0..4) {
                0 => least,
                1 => least.saturating_add(1).min(large.max(least)),
                _ => self.random.i64(least..=large.min(least.saturating_add(12)).max(least)),
            },
        }
    }

    fn number(&mut self, of: &Variable) -> i64 {
        let (mut least, most) = self.bounds(of);
        let used = self.used.get(&of.name);
        if of.is_increasing {
            let last = used.and_then(|used| used.last().copied());
            least = last.map_or(least, |last| last.saturating_add(i64::from(of.is_distinct))).min(most);
        }
        let is_kept = of.is_increasing || of.is_distinct;
        let mut value = least;
        for attempt in 0..ATTEMPTS {
            value = if of.is_increasing {
                self.random.i64(least..=least.saturating_add(2).min(most))
            } else {
                self.any_number(&of.name, least, most, attempt)
            };
            if let Some(parity) = of.parity
                && value.rem_euclid(2) != parity
            {
                value = if value < most { value + 1 } else { value - 1 };
            }
            let is_new = !of.is_distinct || !self.used.get(&of.name).is_some_and(|used| used.contains(&value));
            if is_new {
                break;
            }
        }
        if is_kept {
            self.used.entry(of.name.clone()).or_default().push(value);
        }
        value
    }

    /// A number between bounds. Where many were refused, the range is wider.
    fn any_number(&mut self, name: &str, least: i64, most: i64, attempt: usize) -> i64 {
        if self.sizes.contains(name) {
            return self.size(least, most);
        }
        let any = |random: &mut Rng| random.i64(least..=most);
        if attempt > ATTEMPTS / 4 {
            return any(&mut self.random);
        }
        match self.profile {
            Profile::Typical if least > 10 * TYPICAL_SPAN => any(&mut self.random),
            Profile::Typical => {
                let first =
                    if least <= 0 && most >= 1 { least.max(if least < 0 { -TYPICAL_SPAN } else { 1 }) } else { least };
                let first = first.max(least);
                let last =
                    if least < 0 { most.min(TYPICAL_SPAN) } else { first.saturating_add(TYPICAL_SPAN).min(most) };
                self.random.i64(first..=last.max(first))
            }
            Profile::Inside => any(&mut self.random),
            // Values that have to be different cannot all be the smallest.
            Profile::Least => least.saturating_add(attempt as i64 / 2).min(most),
            Profile::Most => most.saturating_sub(attempt as i64 / 2).max(least),
            Profile::Mixed => match self.random.u8(0..5) {
                0 => least,
                1 => most,
                2 => least.saturating_add(1).min(most),
                _ => any(&mut self.random),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::Description;

    fn grammar(text: &str) -> Grammar {
        Description::read(text).grammars.remove(0).0
    }

    #[test]
    fn samples_are_different_and_depend_on_the_seed_alone() {
        let grammar = grammar("format : N A_1 ... A_N Constraints : 1 ≤ N ≤ 100 1 ≤ A_i ≤ 100");
        let samples = grammar.samples(12, 7);
        assert_eq!(samples, grammar.samples(12, 7));
        assert_ne!(samples, grammar.samples(12, 8));
        let texts: BTreeSet<&str> = samples.iter().map(|sample| sample.text.as_str()).collect();
        assert_eq!(texts.len(), 12);
        assert!(texts.contains("1\n1\n"), "the smallest input is among them: {texts:?}");
        assert_eq!(grammar.samples(5, 0).len(), 5);
    }

    #[test]
    fn properties_hold() {
        let of =
            |said: &str| grammar(&format!("format : N A_1 ... A_N Constraints : 3 ≤ N ≤ 8 1 ≤ A_i ≤ 50 . {said} ."));
        for seed in 0..40 {
            for profile in Profile::ALL {
                let row = |grammar: &Grammar| -> Vec<i64> {
                    let text = grammar.sample(*profile, seed).text;
                    text.lines()
                        .nth(1)
                        .expect("a row")
                        .split(' ')
                        .map(|field| field.parse().expect("a number"))
                        .collect()
                };
                let distinct = row(&of("A_i are all distinct"));
                assert_eq!(distinct.iter().collect::<BTreeSet<_>>().len(), distinct.len());
                let mut permutation = row(&of("A_1 , ... , A_N is a permutation"));
                permutation.sort_unstable();
                assert!(permutation.iter().zip(1..).all(|(value, place)| *value == place));
                assert!(row(&of("A_1 < A_2 < ... < A_N")).windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }

    #[test]
    fn trees_are_trees() {
        let grammar = grammar(
            "format : N a_1 b_1 : a_ { N - 1 } b_ { N - 1 } Constraints : 2 ≤ N ≤ 10 ^ 5 1 ≤ a_i , b_i ≤ N The given graph is a tree .",
        );
        for seed in 0..40 {
            let text = grammar.sample(Profile::Inside, seed).text;
            let rows: Vec<Vec<usize>> = text
                .lines()
                .map(|line| line.split(' ').map(|field| field.parse().expect("a number")).collect())
                .collect();
            assert_eq!(rows.len(), rows[0][0]);
            let reached = rows[1..].iter().fold(BTreeSet::from([1]), |mut reached, row| {
                assert!(reached.contains(&row[0]) && reached.insert(row[1]), "{text}");
                reached
            });
            assert_eq!(reached.len(), rows[0][0]);
        }
    }

    #[test]
    fn huge_inputs_are_cut() {
        let huge = grammar("format : N A_1 ... A_N Constraints : 10 ^ 9 ≤ N ≤ 10 ^ 18 1 ≤ A_i ≤ 9");
        let sample = huge.sample(Profile::Least, 0);
        assert!(sample.is_cut && sample.text.len() < 1 << 16, "{}", sample.text.len());
        let nested = grammar(
            "format : N M A_ { 1 , 1 } ... A_ { 1 , M } : A_ { N , 1 } ... A_ { N , M } Constraints : 1000000 ≤ N , M ≤ 10 ^ 9",
        );
        let sample = nested.sample(Profile::Most, 0);
        assert!(sample.is_cut && sample.text.len() < 1 << 17, "{}", sample.text.len());
    }
}

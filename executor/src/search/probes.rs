//! Runs on real values, once coverage has nothing left to try.
//!
//! A stand-in bears whatever is done with it, so it hides the errors that a real list or number would raise. A probe
//! gives every name whose use is that of builtin values a real value of one shape. First shapes are looked for with
//! which the code comes to its end, led by its errors; then the values vary inside them. What fails then is the
//! code's doing, as far as these are the values that it is meant for: `blame` judges by that.

use std::collections::{BTreeMap, BTreeSet};

use surmise_instrument::Kind;
use surmise_value_model::CoarseClass;

use super::Search;
use super::shapes::Shape;
use super::texts;
use crate::client::ClientError;
use crate::execute::{Execution, Outcome};
use crate::plan::{Trial, Value};
use crate::protocol::{Assigned, Literal, Raised};

/// Runs that look for shapes, and runs that vary values, when only the module's own code is probed.
const FOR_SHAPES: usize = 26;
const FOR_VALUES: usize = 18;
/// Functions that are probed, besides the module.
const FUNCTIONS: usize = 3;
/// Names that an error may be changed by.
const NAMES: usize = 4;
/// So many places later in the queue stands what reaches the failing operation from one name farther away.
const FARTHER: usize = 3;
/// Probes that may run into the time limit.
const ENDLESS: usize = 2;
/// Alternatives that also run with nothing in any container.
const EMPTIED: usize = 6;

/// What a name is given: a shape, and the value as Python writes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Given {
    pub(super) shape: Shape,
    pub(super) text: String,
}

impl Given {
    fn ordinary(shape: Shape) -> Self {
        Self { shape, text: shape.values()[0].to_owned() }
    }
}

/// By name; parameters by their site.
pub(super) type Values = BTreeMap<String, Given>;

/// A name that can be given real values.
pub(super) struct Typed {
    pub(super) sites: Vec<u32>,
    pub(super) shapes: Vec<Shape>,
}

/// A probe that may be run: those that come from the farthest run come first, then the likeliest.
struct Candidate {
    progress: usize,
    rank: usize,
    values: Values,
}

impl Search<'_> {
    /// All probes.
    pub(super) fn probe(&mut self) -> Result<(), ClientError> {
        let mut drives: Vec<Option<String>> = Vec::new();
        for run in &self.runs {
            if drives.len() <= FUNCTIONS && !drives.contains(&run.trial.drive) {
                drives.push(run.trial.drive.clone());
            }
        }
        drives.retain(|drive| !self.typed_names(drive.as_ref()).is_empty());
        let share = drives.len().max(1);
        for drive in drives {
            self.probe_one(drive.as_ref(), FOR_SHAPES / share, FOR_VALUES / share)?;
        }
        Ok(())
    }

    fn probe_one(&mut self, drive: Option<&String>, for_shapes: usize, for_values: usize) -> Result<(), ClientError> {
        let mut queue = vec![Candidate { progress: 0, rank: 0, values: Values::new() }];
        let mut known: BTreeSet<Values> = BTreeSet::new();
        let (mut left, mut endless, mut emptied) = (for_shapes, 0, 0);
        let mut clean: Option<Values> = None;
        let mut failures: BTreeSet<(String, u32)> = BTreeSet::new();
        while left > 0 && endless < ENDLESS && clean.is_none() && !queue.is_empty() {
            queue.sort_by_key(|candidate| (std::cmp::Reverse(candidate.progress), candidate.rank));
            let Candidate { rank, values, .. } = queue.remove(0);
            let values = self.completed(drive, values);
            if !known.insert(values.clone()) {
                continue;
            }
            let Some(at) = self.run_probe(drive, &values)? else { return Ok(()) };
            left -= 1;
            let progress = self.runs[at].covered.len();
            let fuller = self.completed(drive, values.clone());
            if fuller != values {
                // More names were reached: they get real values, too.
                queue.push(Candidate { progress: progress + 1, rank: 0, values: fuller });
                continue;
            }
            match self.runs[at].outcome {
                Outcome::Completed => clean = Some(values),
                Outcome::Timeout => endless += 1,
                _ => {
                    let Some(error) = self.runs[at].error.clone() else { continue };
                    // Where a change did nothing, others come first.
                    let again = !failures.insert((error.kind.clone(), error.line));
                    let rank = rank + if again { FARTHER } else { 0 };
                    for (place, changed) in self.mended(at, &error, &values) {
                        queue.push(Candidate { progress, rank: rank + place, values: changed });
                    }
                    if super::blame::is_of_types(&error) && emptied < EMPTIED && left > 0 {
                        let empty = emptied_of(&values);
                        if known.insert(empty.clone()) {
                            emptied += 1;
                            left -= 1;
                            if self.run_probe(drive, &empty)?.is_none() {
                                return Ok(());
                            }
                        }
                    }
                }
            }
        }
        let Some(clean) = clean else {
            if queue.is_empty() || for_shapes == FOR_SHAPES {
                self.unsolved.insert(drive.cloned());
            }
            return Ok(());
        };
        let mut left = for_values;
        for values in varied(&clean, self.settings.seed) {
            if left == 0 {
                break;
            }
            let values = self.completed(drive, values);
            if known.insert(values.clone()) {
                left -= 1;
                let Some(at) = self.run_probe(drive, &values)? else { return Ok(()) };
                endless += usize::from(self.runs[at].outcome == Outcome::Timeout);
                if endless >= ENDLESS {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Runs a probe; `None` if runs or time are used up.
    fn run_probe(&mut self, drive: Option<&String>, values: &Values) -> Result<Option<usize>, ClientError> {
        if !self.may_run() {
            return Ok(None);
        }
        let trial = self.trial_of(drive, values);
        let run = self.run(&trial)?;
        self.probes.push((self.runs.len(), values.clone()));
        self.add(run);
        Ok(Some(self.runs.len() - 1))
    }

    fn trial_of(&self, drive: Option<&String>, values: &Values) -> Trial {
        let mut trial = Trial { drive: drive.cloned(), ..Trial::default() };
        for (number, site) in (0..).zip(&self.plan.sites) {
            let Some(given) = self.key(number).and_then(|key| values.get(&key)) else { continue };
            if site.kind == Kind::Attribute {
                continue;
            }
            let class = given.shape.class(&given.text);
            let ranking = self.plan.rankings.get(number as usize).map_or(&[][..], Vec::as_slice);
            let place = ranking.iter().position(|prediction| prediction.class == class);
            let probability = place.map_or(0.0, |place| ranking[place].probability);
            let rank = place.unwrap_or(ranking.len()) as u16 + 1;
            let assigned = Assigned { class, probability, rank };
            trial.values.insert(number, Value { assigned, literal: Some(Literal::Given(given.text.clone())) });
        }
        trial
    }

    /// What a site's value is known by, if it can be given a real one.
    pub(super) fn key(&self, site: u32) -> Option<String> {
        let row = self.plan.sites.get(site as usize)?;
        match row.kind {
            Kind::Variable if (site as usize) < self.plan.uses().len() => Some(row.name.to_string()),
            Kind::Variable => Some(format!("{}#{site}", row.name)),
            Kind::ReturnValue if matches!(row.name.as_str(), "input" | "raw_input") => Some(format!("input()#{site}")),
            _ => None,
        }
    }

    /// The names that some run injected and whose uses are those of builtin values.
    pub(super) fn typed_names(&self, drive: Option<&String>) -> BTreeMap<String, Typed> {
        let mut names: BTreeMap<String, Typed> = BTreeMap::new();
        let runs = self.runs.iter().filter(|run| run.trial.drive.as_ref() == drive);
        for site in runs.flat_map(|run| &run.injections).filter_map(|injection| injection.site) {
            let Some(key) = self.key(site) else { continue };
            let row = &self.plan.sites[site as usize];
            let entry = names.entry(key).or_insert_with(|| Typed { sites: Vec::new(), shapes: Vec::new() });
            if entry.sites.contains(&site) {
                continue;
            }
            entry.sites.push(site);
            let shapes = if row.kind == Kind::ReturnValue {
                vec![Shape::Text]
            } else {
                let ranking = self.plan.rankings.get(site as usize).map_or(&[][..], Vec::as_slice);
                let weight = |coarse: CoarseClass| {
                    let of_class = ranking.iter().filter(|prediction| prediction.class.coarse() == coarse);
                    of_class.map(|prediction| prediction.probability).sum()
                };
                Shape::of(row, weight)
            };
            if entry.sites.len() == 1 {
                entry.shapes = shapes;
            } else {
                entry.shapes.retain(|shape| shapes.contains(shape));
            }
        }
        names.retain(|_, typed| !typed.shapes.is_empty());
        names
    }

    /// With the ordinary value of the likeliest shape for each name that has none.
    fn completed(&self, drive: Option<&String>, mut values: Values) -> Values {
        for (key, typed) in self.typed_names(drive) {
            values.entry(key).or_insert_with(|| Given::ordinary(typed.shapes[0]));
        }
        values
    }

    /// Names whose values reach the failing operation, nearest first.
    pub(super) fn typed_operands(&self, run: &Execution, error: &Raised, values: &Values) -> Vec<String> {
        let mut sites = Vec::new();
        for range in self.failing(error) {
            self.sites_feeding(run, range, &mut sites);
        }
        let mut names: Vec<String> = Vec::new();
        for key in sites.into_iter().filter_map(|site| self.key(site)) {
            if values.contains_key(&key) && !names.contains(&key) {
                names.push(key);
            }
        }
        // What others pass to functions is not followed: there it could be any.
        if names.is_empty() && self.plan.paths().has_functions() {
            names.extend(values.keys().cloned());
        }
        names
    }

    /// Values that may come past an error, with how far they are to seek: first what reaches the failing operation
    /// nearest.
    fn mended(&self, at: usize, error: &Raised, values: &Values) -> Vec<(usize, Values)> {
        let run = &self.runs[at];
        let names = self.typed_names(run.trial.drive.as_ref());
        let of_types = super::blame::is_of_types(error);
        let mut found = Vec::new();
        for (distance, key) in self.typed_operands(run, error, values).iter().take(NAMES).enumerate() {
            let now = &values[key];
            let mut others: Vec<Given> = Vec::new();
            let same = |text: &str| Given { shape: now.shape, text: text.to_owned() };
            let pool = now.shape.values();
            if !of_types && now.shape == Shape::Text {
                others.extend(texts::after(&now.text, error).iter().map(|text| same(&texts::quoted(text))));
            } else if !of_types && now.shape != Shape::Dict {
                // With nothing in it much code comes to its end: that says little of its shape, and comes last.
                let empty = |place: usize| now.shape.is_container() && place == 1;
                others.extend((0..pool.len()).filter(|place| !empty(*place)).map(|place| same(pool[place])));
            }
            let shapes = names.get(key).map_or(&[][..], |typed| typed.shapes.as_slice());
            others.extend(shapes.iter().filter(|shape| **shape != now.shape).map(|shape| Given::ordinary(*shape)));
            if !of_types && now.shape.is_container() {
                others.extend(pool.get(1).map(|text| same(text)));
            }
            let changed = others.into_iter().filter(|given| given != now).enumerate();
            found.extend(changed.map(|(place, given)| {
                let mut all = values.clone();
                all.insert(key.clone(), given);
                (place + distance * FARTHER, all)
            }));
        }
        found
    }
}

/// The same shapes with nothing in them.
fn emptied_of(values: &Values) -> Values {
    let empty = |given: &Given| {
        let text = given.shape.values().get(1).filter(|_| given.shape.is_container() && given.shape != Shape::Text);
        Given { text: text.map_or_else(|| given.text.clone(), |text| (*text).to_owned()), ..given.clone() }
    };
    values.iter().map(|(key, given)| (key.clone(), empty(given))).collect()
}

/// Other values of the same shapes: one name after the other, then several at once.
fn varied(values: &Values, seed: u64) -> Vec<Values> {
    let choices: Vec<(&String, Shape, Vec<String>)> = values
        .iter()
        .map(|(key, given)| {
            let pool = match given.shape {
                Shape::Text => texts::like(&given.text),
                shape => shape.values().iter().map(|text| (*text).to_owned()).collect(),
            };
            (key, given.shape, pool)
        })
        .collect();
    let with = |key: &String, shape: Shape, text: &String| {
        let mut all = values.clone();
        all.insert(key.clone(), Given { shape, text: text.clone() });
        all
    };
    let mut found = Vec::new();
    let most = choices.iter().map(|(.., pool)| pool.len()).max().unwrap_or(0);
    for place in 0..most {
        // Containers first: that they are empty is the commonest surprise.
        for containers in [true, false] {
            for (key, shape, pool) in choices.iter().filter(|(_, shape, _)| shape.is_container() == containers) {
                found.extend(pool.get(place).map(|text| with(key, *shape, text)));
            }
        }
        if place == 1 {
            found.push(emptied_of(values));
        }
    }
    // Deterministic draws: which values meet is left to chance, which is chosen by the seed.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let singles = found.len();
    if choices.len() > 1 {
        for _ in 0..FOR_VALUES * 2 {
            let drawn = choices.iter().map(|(key, shape, pool)| {
                let text = pool[draw(pool.len())].clone();
                ((*key).clone(), Given { shape: *shape, text })
            });
            let drawn = drawn.collect();
            found.push(drawn);
        }
        // Half of the runs are for those, if there are so many of the others.
        let together = found.split_off(singles);
        let mut rest = found.split_off(singles.min(FOR_VALUES / 2));
        found.extend(together.into_iter().take(FOR_VALUES / 2));
        found.append(&mut rest);
    }
    found
}

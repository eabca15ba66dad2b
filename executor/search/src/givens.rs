//! Real values for names: of which shapes they can be, what comes past an error, and how values vary.

use std::collections::BTreeMap;

use surmise_engine::plan::{Trial, Value};
use surmise_engine::protocol::{Assigned, Literal, Raised};
use surmise_instrument::Kind;
use surmise_ledger::shapes::{Given, Shape, Values};
use surmise_ledger::{Entry, Facts, blamed_type, is_of_types};
use surmise_value_model::{CoarseClass, seeded};

use crate::texts;

/// Names that an error may be changed by.
const NAMES: usize = 4;
/// So many places later in the queue stands what reaches the failing operation from one name farther away.
pub(crate) const FARTHER: usize = 3;
/// Runs that vary values, when only the module's own code is probed.
pub(crate) const FOR_VALUES: usize = 18;

/// A name that can be given real values.
pub(crate) struct Typed {
    sites: Vec<u32>,
    shapes: Vec<Shape>,
}

/// A run in which names have these values.
pub(crate) fn trial_of(facts: Facts<'_>, call: Option<&String>, values: &Values) -> Trial {
    let mut trial = Trial { call: call.cloned(), ..Trial::default() };
    for (number, site) in (0..).zip(&facts.plan.sites) {
        let Some(given) = facts.name_of(number).and_then(|key| values.get(&key)) else { continue };
        if site.kind == Kind::Attribute {
            continue;
        }
        let class = given.shape.class(&given.text);
        let ranking = facts.plan.ranking(number);
        let place = ranking.iter().position(|prediction| prediction.class == class);
        let probability = place.map_or(0.0, |place| ranking[place].probability);
        let rank = place.unwrap_or(ranking.len()) as u16 + 1;
        let assigned = Assigned { class, probability, rank };
        trial.values.insert(number, Value { assigned, literal: Some(Literal::Given(given.text.clone())) });
    }
    trial
}

/// The names that some run injected and whose uses are those of builtin values.
pub(crate) fn typed_names(facts: Facts<'_>, call: Option<&String>) -> BTreeMap<String, Typed> {
    let mut names: BTreeMap<String, Typed> = BTreeMap::new();
    let runs = facts.ledger.of_call(call);
    for site in runs.flat_map(|run| &run.injections).filter_map(|injection| injection.site) {
        let Some(key) = facts.name_of(site) else { continue };
        let row = &facts.plan.sites[site as usize];
        let entry = names.entry(key).or_insert_with(|| Typed { sites: Vec::new(), shapes: Vec::new() });
        if entry.sites.contains(&site) {
            continue;
        }
        entry.sites.push(site);
        let shapes = if row.kind == Kind::ReturnValue {
            vec![Shape::Text]
        } else {
            let ranking = facts.plan.ranking(site);
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

/// These values, with the ordinary value of the likeliest shape for each other name.
pub(crate) fn completed(facts: Facts<'_>, call: Option<&String>, mut values: Values) -> Values {
    for (key, typed) in typed_names(facts, call) {
        values.entry(key).or_insert_with(|| Given::ordinary(typed.shapes[0]));
    }
    values
}

/// Values that may come past an error, with how far they are to seek: first what reaches the failing operation
/// nearest.
pub(crate) fn mended(facts: Facts<'_>, run: &Entry, error: &Raised) -> Vec<(usize, Values)> {
    let values = &run.given;
    let names = typed_names(facts, run.trial.call.as_ref());
    let of_types = is_of_types(error);
    let mut found = Vec::new();
    for (distance, key) in facts.named_operands(run, error).iter().take(NAMES).enumerate() {
        let now = &values[key];
        let mut others: Vec<Given> = Vec::new();
        let same = |text: &str| Given { shape: now.shape, text: text.to_owned() };
        let pool = now.shape.values();
        // The code itself made what has the wrong type, on the way that these values lead: `None`, a method.
        let is_foreign = of_types && blamed_type(error).is_some_and(|blamed| !now.shape.types().contains(&blamed));
        if is_foreign && now.shape.is_container() && now.shape != Shape::Text {
            others.extend(pool.iter().skip(2).map(|text| same(text)));
        }
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

/// Values of these shapes with nothing in them.
pub(crate) fn emptied_of(values: &Values) -> Values {
    let empty = |given: &Given| {
        let text = given.shape.values().get(1).filter(|_| given.shape.is_container() && given.shape != Shape::Text);
        Given { text: text.map_or_else(|| given.text.clone(), |text| (*text).to_owned()), ..given.clone() }
    };
    values.iter().map(|(key, given)| (key.clone(), empty(given))).collect()
}

/// Other values of the same shapes: one name after the other, then several at once.
pub(crate) fn varied(values: &Values, seed: u64) -> Vec<Values> {
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
    let mut random = seeded(seed);
    let singles = found.len();
    if choices.len() > 1 {
        for _ in 0..FOR_VALUES * 2 {
            let drawn = choices.iter().map(|(key, shape, pool)| {
                let text = pool[random.usize(..pool.len())].clone();
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

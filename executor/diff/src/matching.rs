//! What two versions share: the class of each value by the kind and name of its use, and parameters that were renamed.

use std::collections::{BTreeMap, BTreeSet};

use surmise_instrument::extract::{Given, Variadic, variadic};
use surmise_instrument::mappings::{is_container, is_mapping, is_sequence, is_text, ways};
use surmise_instrument::same::Named;
use surmise_instrument::{Kind, Role, Site, SourceModel};
use surmise_value_model::{Class, Prediction, seeded};

use super::asked_otherwise::{
    compared_texts, compared_with_bools, counted_otherwise, equated_by_both, in_other_ways, keep_fitting,
};
use super::checked_values::{Checked, callables, checked_values, told_from_texts, written_whole};
use surmise_engine::plan::{Plan, Settings, satisfies, shared_key};
use surmise_engine::protocol::{Aliases, Drawing, Literal};

/// Texts that injected values are made from.
const MOST_TEXTS: usize = 40;
/// Characters that tell a text of one version from one of the other.
const MOST_CHARACTERS: usize = 3;
/// Classes of the ranking that runs draw from.
const RANKED: usize = 6;

/// What both versions take.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The usual values: one of these for each version, which differ in what they say of parameters only.
    pub base: [Drawing; 2],
    /// For each use, the classes that it may take, the likeliest first.
    pub likely: BTreeMap<String, Vec<Class>>,
    /// Values of classes that only one version checks for, by use.
    pub(crate) checked: Checked,
    /// The same of what both versions check, and no search finds.
    pub(crate) checked_by_both: Checked,
}

/// Matches the uses of two versions: the first use of a name decides, in the old version if it has the name. `aliases`
/// are those of [`aliases`], and `own` is what each version is with the variables that changed.
pub fn shared(
    plans: [&Plan; 2],
    own: [&SourceModel; 2],
    named: [&Named; 2],
    [aliases_of_old, aliases]: [Aliases; 2],
) -> Shared {
    let parameters = named.map(parameters);
    let mut uses: BTreeMap<String, (Vec<Class>, Vec<&Site>)> = BTreeMap::new();
    for (plan, aliases) in plans.into_iter().zip([&aliases_of_old, &aliases]) {
        for (number, site) in plan.sites.iter().enumerate() {
            let ranked =
                || plan.rankings.get(number).into_iter().flatten().map(|prediction| prediction.class).collect();
            uses.entry(shared_key(site, aliases)).or_insert_with(|| (ranked(), Vec::new())).1.push(site);
        }
    }
    let called = called(&uses, &parameters);
    let objects = uses.iter().filter(|(_, (_, sites))| sites.iter().any(|site| is_object(site)));
    let objects = objects.map(|(key, _)| key.clone()).collect();
    let counts = uses
        .iter()
        .filter_map(|(key, (_, sites))| Some((key.clone(), sites.iter().filter_map(|site| site.elements()).max()?)));
    let counts = counts.collect();
    let models: [&SourceModel; 2] = [&plans[0].model, &plans[1].model];
    let compared = compared_texts(models);
    let likely = |(key, (ranked, sites)): (String, (Vec<Class>, Vec<&Site>))| {
        let texts = compared.contains(&key).then(|| fitting(&[Class::Str, Class::EmptyStr], &sites));
        (key, texts.filter(|texts| texts[0] == Class::Str).unwrap_or_else(|| fitting(&ranked, &sites)))
    };
    let likely: BTreeMap<String, Vec<Class>> = uses.into_iter().map(likely).collect();
    let mut classes: BTreeMap<String, (Class, Option<Literal>)> =
        likely.iter().map(|(key, classes)| (key.clone(), (classes[0], None))).collect();
    let [in_old, in_new] = models.map(ways);
    let in_new: BTreeMap<String, BTreeSet<String>> =
        in_new.into_iter().map(|(key, ways)| (aliases.key(&key), ways)).collect();
    let containers = in_old.iter().chain(&in_new).filter(|(_, ways)| is_container(ways));
    let containers: BTreeSet<String> = containers.map(|(key, _)| key.clone()).collect();
    let measured = in_old.iter().chain(&in_new).filter(|(_, ways)| ways.contains("length"));
    let measured = measured.map(|(key, _)| key.clone()).collect();
    let flags = compared_with_bools([&in_old, &in_new]);
    let asked = in_other_ways(in_old, &in_new);
    let of = |is_such: fn(&BTreeSet<String>) -> bool| -> BTreeSet<String> {
        asked.iter().filter(|(_, ways)| is_such(ways)).map(|(key, _)| key.clone()).collect()
    };
    let (mappings, sequences, mut asked_as_texts) = (of(is_mapping), of(is_sequence), of(is_text));
    asked_as_texts.extend(compared.into_iter().filter(|key| likely.get(key).is_some_and(|all| all[0] == Class::Str)));
    classes.extend(mappings.iter().map(|key| (key.clone(), (Class::Dict, None))));
    classes.extend(sequences.iter().map(|key| (key.clone(), (Class::List, None))));
    classes.extend(asked_as_texts.iter().map(|key| (key.clone(), (Class::Str, None))));
    classes.extend(flags.iter().map(|key| (key.clone(), (Class::True, None))));
    let mut whole = written_whole(models, &aliases);
    whole.extend(counted_otherwise(models, &aliases));
    classes.extend(whole.iter().map(|key| (key.clone(), (Class::PositiveInt, None))));
    let (texts, numbers, raises) = named_by_either(named);
    let lacks = |own: &[String], other: &[String], aliases: &Aliases| {
        let is_alias = |name: &String| aliases.parameters.iter().any(|(new, old)| new == name || old == name);
        let known = |name: &String| own.contains(name) || is_alias(name) || is_bound(name);
        other.iter().filter(|name| !known(name)).cloned().collect()
    };
    let given = |part: fn(Variadic) -> Given| {
        let mut given = given_by_callers(plans, part);
        // Each version knows a function that was renamed by another name.
        given.retain(|function, _| !function.split('.').any(|name| aliases.knows(name)));
        given
    };
    let extra: [Vec<String>; 2] = [0, 1].map(|at| lacks(&parameters[at], &parameters[1 - at], &aliases));
    let by_key = extra.iter().zip(named).flat_map(|(extra, own)| extra.iter().filter(|name| own.texts.contains(name)));
    let by_key = by_key.cloned().collect();
    let [extra, extra_of_new] = extra;
    let old = Drawing {
        extra,
        by_key,
        classes,
        texts,
        characters: of_one_version([&named[0].texts, &named[1].texts]),
        numbers,
        raises,
        called,
        objects,
        counts,
        mappings,
        sequences,
        asked_as_texts,
        containers,
        flags,
        equated: equated_by_both([&plans[0].model, &plans[1].model], &aliases),
        callables: callables([&plans[0].model, &plans[1].model], &aliases),
        told_from_texts: told_from_texts([&plans[0].model, &plans[1].model], &aliases),
        whole,
        needed: given(|one| one.needed),
        possible: given(|one| one.possible),
        aliases: aliases_of_old,
        ..Drawing::default()
    };
    let new = Drawing { extra: extra_of_new, aliases, ..old.clone() };
    let [mut checked, checked_by_both] = checked_values(
        [0, 1].map(|version| [&plans[version].model, own[version]]),
        &new.aliases,
        [&new.containers, &measured],
        &new.equated,
    );
    keep_fitting(&mut checked, &new, &called_by_both(plans, [&old.aliases, &new.aliases]));
    Shared { base: [old, new], likely, checked, checked_by_both }
}

/// Characters that a text of one version has and a text of the other that is much like it lacks: `':/%'` and `':/'`.
fn of_one_version(texts: [&[String]; 2]) -> Vec<String> {
    let [old, new] = [0, 1].map(|at| texts[at].iter().filter(move |text| !texts[1 - at].contains(text)));
    let mut found = BTreeSet::new();
    for (old, new) in old.flat_map(|old| new.clone().map(move |new| (old, new))) {
        let lacking = |text: &str, other: &str| -> BTreeSet<char> {
            text.chars().filter(|&character| !other.contains(character)).collect()
        };
        let other: BTreeSet<char> = lacking(old, new).union(&lacking(new, old)).copied().collect();
        if !other.is_empty() && other.len() <= MOST_CHARACTERS && old.len().min(new.len()) > other.len() {
            found.extend(other.into_iter().map(String::from));
        }
    }
    found.into_iter().take(MOST_CHARACTERS).collect()
}

/// What the callers of either version give, for `*args` and `**kwargs`, by the qualified names of functions.
fn given_by_callers(plans: [&Plan; 2], part: fn(Variadic) -> Given) -> BTreeMap<String, (u32, Vec<String>)> {
    let mut found: BTreeMap<String, (u32, Vec<String>)> = BTreeMap::new();
    for one in plans.into_iter().flat_map(|plan| variadic(&plan.model)) {
        let (values, keys) = found.entry(one.function.clone()).or_default();
        let given = part(one);
        *values = given.values.max(*values);
        for key in given.keys {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    found
}

/// Texts, whole numbers and exceptions that either version names.
fn named_by_either(named: [&Named; 2]) -> (Vec<String>, Vec<i64>, Vec<String>) {
    let mut texts: Vec<String> = named.iter().flat_map(|named| named.texts.iter().cloned()).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.truncate(MOST_TEXTS);
    let mut numbers: Vec<i64> = named.iter().flat_map(|named| named.numbers.iter().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut raises: Vec<String> = named.iter().flat_map(|named| named.raises.iter().cloned()).collect();
    if named[0].cleanups != named[1].cleanups {
        raises.push("Exception".to_owned()); // what only one version cleans up after
    }
    raises.sort_unstable();
    raises.dedup();
    (texts, numbers, raises)
}

/// Results of functions that both versions call.
fn called_by_both(plans: [&Plan; 2], aliases: [&Aliases; 2]) -> BTreeSet<String> {
    let [old, new] = [0, 1].map(|version| -> BTreeSet<String> {
        let calls = plans[version].sites.iter().filter(|site| site.kind == Kind::ReturnValue);
        calls.map(|site| shared_key(site, aliases[version])).collect()
    });
    old.intersection(&new).cloned().collect()
}

/// Names of the module that are called, and attributes of which nothing else is asked: their value is a function, whereas
/// that of a parameter may be anything.
fn called(uses: &BTreeMap<String, (Vec<Class>, Vec<&Site>)>, parameters: &[Vec<String>; 2]) -> BTreeSet<String> {
    let is_called = |site: &&Site| site.role == Role::Callee;
    let is_parameter = |site: &&Site| parameters.iter().flatten().any(|name| *name == site.name);
    let found = uses.iter().filter(|(_, (_, sites))| match sites[0].kind {
        Kind::Variable => sites.iter().any(is_called) && !sites.iter().any(is_parameter),
        Kind::Attribute => sites.iter().all(is_called),
        Kind::ReturnValue => false,
    });
    found.map(|(key, _)| key.clone()).collect()
}

/// True for a site whose value has to be an object of some class: it is called, or has an attribute that no plain value has.
fn is_object(site: &Site) -> bool {
    let mut roles = std::iter::once(site.role).chain(site.downstream.iter());
    roles.any(|role| role == Role::Callee || matches!(role, Role::Base(types) if types.is_empty()))
}

/// Classes of a ranking whose values allow what all uses do with them; never empty.
fn fitting(ranked: &[Class], sites: &[&Site]) -> Vec<Class> {
    let fits = |class: &Class| sites.iter().all(|site| satisfies(*class, site));
    let mut classes: Vec<Class> = ranked.iter().copied().filter(fits).take(RANKED).collect();
    if classes.is_empty() {
        classes.push(Class::Object);
    }
    classes
}

/// Names in either version for what goes by another name in both: mostly names of the new version for what the old one has by
/// other names. `definitions` are those of classes and functions, and `behind` attributes that a version has behind properties.
pub fn aliases(
    named: [&Named; 2],
    definitions: &BTreeMap<String, String>,
    behind: &BTreeMap<String, String>,
) -> [Aliases; 2] {
    let [mut old, mut new] = named.map(parameters);
    let is_method = |names: &[String]| names.first().is_some_and(|name| is_bound(name));
    // A method may become a function without the object, and the reverse.
    match (is_method(&old), is_method(&new)) {
        (true, false) => _ = old.remove(0),
        (false, true) => _ = new.remove(0),
        _ => {}
    }
    let mut of_new = definitions.clone();
    of_new.extend(behind.clone());
    [
        Aliases { definitions: behind.clone(), ..Aliases::default() },
        Aliases { parameters: renamed(&old, &new), definitions: of_new },
    ]
}

/// True for the name of the parameter that is the object or the class a method is called on.
fn is_bound(name: &str) -> bool {
    matches!(name, "self" | "cls")
}

fn parameters(named: &Named) -> Vec<String> {
    named.parameters.first().cloned().unwrap_or_default()
}

/// Predicts the values of both versions: of the new one only those of uses that the old one lacks, since others have one value
/// in both.
pub fn predict([old, new]: [&mut Plan; 2], settings: &[Settings; 2], aliases: &[Aliases; 2]) {
    old.predict(&settings[0], &|_site| None);
    let mut known: BTreeMap<String, &Vec<Prediction>> = BTreeMap::new();
    for (site, ranking) in old.sites.iter().zip(&old.rankings) {
        known.entry(shared_key(site, &aliases[0])).or_insert(ranking);
    }
    new.predict(&settings[1], &|site| known.get(&shared_key(site, &aliases[1])).map(|ranking| (*ranking).clone()));
}

/// New names of parameters that stand where another name stood.
fn renamed(old: &[String], new: &[String]) -> BTreeMap<String, String> {
    let pairs = old.iter().zip(new).filter(|(old, new)| old != new);
    let pairs = pairs.filter(|(before, after)| !new.contains(before) && !old.contains(after));
    pairs.map(|(old, new)| (new.clone(), old.clone())).collect()
}

impl Shared {
    /// The class that the value of an access path has if nothing else is drawn.
    pub fn usual(&self, path: &str) -> Option<Class> {
        self.base[0].classes.get(path).map(|(class, _)| *class)
    }

    /// Classes of a run that draws them.
    pub fn drawn(&self, seed: u64) -> BTreeMap<String, (Class, Option<Literal>)> {
        let usual = [9, 7, 6, 5][(seed / 2 % 4) as usize];
        let class = |(key, classes): (&String, &Vec<Class>)| {
            let mut random = seeded((seed, key));
            // Mostly the likeliest: with all of them unusual no run would come far.
            let at = if random.u64(..10) < usual { 0 } else { random.usize(..classes.len()) };
            (key.clone(), (classes[at], None))
        };
        let mut classes: BTreeMap<String, (Class, Option<Literal>)> = self.likely.iter().map(class).collect();
        let [old, _] = &self.base;
        let both = old.mappings.iter().map(|key| (key, Class::Dict, Class::EmptyDict));
        let both = both.chain(old.sequences.iter().map(|key| (key, Class::List, Class::EmptyList)));
        for (key, usual, empty) in both.chain(old.asked_as_texts.iter().map(|key| (key, Class::Str, Class::EmptyStr))) {
            let class = if seeded((seed, "mapping", key)).u64(..6) > 0 { usual } else { empty };
            classes.insert(key.clone(), (class, None));
        }
        classes.extend(old.flags.iter().map(|key| {
            let class = if seeded((seed, "flag", key)).bool() { Class::True } else { Class::False };
            (key.clone(), (class, None))
        }));
        classes.extend(old.whole.iter().map(|key| {
            let is_zero = seeded((seed, "whole", key)).u64(..6) == 0;
            (key.clone(), (if is_zero { Class::ZeroInt } else { Class::PositiveInt }, None))
        }));
        for (key, values) in self.checked.iter().chain(&self.checked_by_both).filter(|_| seed % 2 == 1) {
            let mut random = seeded((seed, "checked", key));
            if random.u64(..3) > 0 {
                // One after the other at first, in the runs with few unusual values as in those with many.
                let number = (seed / 8 * 2 + seed / 2 % 2) as usize;
                let at = if number < values.len() { number } else { random.usize(..values.len()) };
                classes.insert(key.clone(), values[at].clone());
            }
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_one_version_are_those_of_texts_that_are_alike() {
        let found = |old: &str, new: &str| of_one_version([&[old.to_owned()], &[new.to_owned()]]);
        assert_eq!(found(":/#?", ":/%#?"), ["%"]);
        assert_eq!(found("[]!*", "\\[]!*"), ["\\"]);
        assert!(found("list", "list_start!?").is_empty(), "too many");
        assert!(found("a", "b").is_empty(), "they have nothing in common");
    }

    #[test]
    fn parameters_are_renamed_where_they_stand() {
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let aliases = renamed(&names("self path mode"), &names("self name mode"));
        assert_eq!(aliases.into_iter().collect::<Vec<_>>(), [("name".to_owned(), "path".to_owned())]);
        assert!(renamed(&names("a b"), &names("b a")).is_empty(), "the order is another thing");
    }
}

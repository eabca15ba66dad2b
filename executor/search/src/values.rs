//! What a site may take instead of what it takes.

use surmise_engine::plan::{Value, satisfies};
use surmise_engine::protocol::{Assigned, Literal};
use surmise_instrument::paths::Wish;
use surmise_ledger::{Entry, Facts};
use surmise_value_model::Class;
use surmise_value_model::classes::Concretization;

/// Values that a site may take instead of what it takes.
pub(crate) struct Alternatives<'a> {
    pub(crate) facts: Facts<'a>,
    pub(crate) concretization: Concretization,
    /// The runs are compared with those of another version.
    pub(crate) is_compared: bool,
}

impl Alternatives<'_> {
    /// Other classes for a site, first those whose values allow what the code does with them, by the predictor's rank.
    pub(crate) fn others(&self, run: &Entry, site: u32, wanted: impl Fn(Class) -> bool) -> Vec<Value> {
        if self.facts.plan.sites[site as usize].annotation {
            return Vec::new();
        }
        let given = run.trial.values.contains_key(&site) || run.sites().any(|other| other == site);
        let now = self.facts.assigned(run, site).filter(|_| given).map(|assigned| assigned.class);
        let ranked = self.ranked(site);
        let fits = |class: Class| Some(class) != now && wanted(class);
        let mut values: Vec<Value> = Vec::new();
        let row = &self.facts.plan.sites[site as usize];
        for satisfying in [true, false] {
            for (class, value) in &ranked {
                if fits(*class)
                    && satisfies(*class, row) == satisfying
                    && values.iter().all(|v| v.assigned.class != *class)
                {
                    values.push(value.clone());
                }
            }
            if satisfying {
                // Another value of the same class: what was equal is not any more.
                let literal = match now {
                    Some(Class::PositiveInt) => Some(Literal::Integer(2)),
                    Some(Class::PositiveFloat) => Some(Literal::Real(2.0)),
                    Some(Class::Str) => Some(Literal::Text("b".to_owned())),
                    _ => None,
                };
                let same = ranked.iter().find(|(class, _)| Some(*class) == now).filter(|_| literal.is_some());
                values.extend(same.map(|(_, value)| Value { literal, ..value.clone() }));
            }
        }
        values
    }

    /// Other values of its class that recorded runs had at a site, or under its name, the most frequent first.
    pub(crate) fn observed(&self, run: &Entry, site: u32) -> Vec<Value> {
        let now = run.trial.values.get(&site).or_else(|| self.facts.plan.assignment.get(site as usize)?.as_ref());
        let Some(now) = now else { return Vec::new() };
        let of_class = self.facts.plan.observed(site).iter().filter(|(class, _)| *class == now.assigned.class);
        let literals = of_class.map(|(_, literal)| Some(literal.clone())).filter(|literal| *literal != now.literal);
        literals.map(|literal| Value { literal, ..now.clone() }).collect()
    }

    /// All classes for a site, in the predictor's order; those it did not rank come last.
    fn ranked(&self, site: u32) -> Vec<(Class, Value)> {
        let ranking = self.facts.plan.ranking(site);
        let named = ranking.iter().map(|prediction| (prediction.class, prediction.probability));
        let last = [Class::Object, Class::Str, Class::PositiveInt, Class::List, Class::Dict, Class::None];
        let rest = last.into_iter().chain(Class::ALL).map(|class| (class, 0.0));
        let mut found: Vec<(Class, Value)> = Vec::new();
        for (class, probability) in named.chain(rest) {
            let class = self.concretization.concretize(class, 0);
            if found.iter().all(|(other, _)| *other != class) {
                let rank = found.len() as u16 + 1;
                let assigned = Assigned { class, probability, rank };
                let mut observed = self.facts.plan.observed(site).iter();
                let literal = observed.find(|(of, _)| *of == class).map(|(_, literal)| literal.clone());
                found.push((class, Value { assigned, literal }));
            }
        }
        found
    }

    /// A value as Python writes it.
    pub(crate) fn written(&self, site: u32, text: &str) -> Option<Value> {
        let ranked = self.ranked(site);
        let (_, value) = ranked.iter().find(|(class, _)| *class == Class::Object)?;
        Some(Value { literal: Some(Literal::Written(text.to_owned())), ..value.clone() })
    }

    /// The value that fulfils a wish, if the site can have one.
    pub(crate) fn granted(&self, run: &Entry, site: u32, wish: &Wish) -> Option<Value> {
        let ranked = self.ranked(site);
        let value = |class: Class, literal: Option<Literal>| {
            let (_, value) = ranked.iter().find(|(other, _)| *other == class)?;
            Some(Value { literal, ..value.clone() })
        };
        let container = |classes: &[Class]| {
            let row = &self.facts.plan.sites[site as usize];
            let fits = |class: &Class| classes.contains(class) && satisfies(*class, row);
            ranked.iter().map(|(class, _)| *class).find(fits)
        };
        // No class of the model: an object that is made as an instance.
        let instance = |name: &str| value(Class::Object, Some(Literal::Instance(name.to_owned())));
        let different = |granted: Value| (run.trial.values.get(&site) != Some(&granted)).then_some(granted);
        let is_input = self.facts.name_of(site).is_some_and(|name| name.starts_with("input()"));
        let granted = match wish {
            Wish::Length(length) if is_input => {
                value(Class::Str, Some(Literal::Text("a".repeat(usize::from(*length)))))
            }
            // As long as before: another condition may ask for that.
            Wish::Text(text) if is_input && text.chars().count() == 1 => {
                value(Class::Str, Some(Literal::Text(text.repeat(length(run, site).max(1)))))
            }
            Wish::Text(text) if text.is_empty() => value(Class::EmptyStr, None),
            Wish::Text(text) => value(Class::Str, Some(Literal::Text(text.clone()))),
            Wish::Integer(number) if let Some((separator, count)) = fields(run, site) => {
                value(Class::Str, Some(Literal::Text(vec![number.to_string(); count].join(separator))))
            }
            Wish::Integer(number) => {
                let class = [Class::NegativeInt, Class::ZeroInt, Class::PositiveInt][(number.signum() + 1) as usize];
                value(class, Some(Literal::Integer(*number)))
            }
            Wish::Real(number) if *number < 0.0 => value(Class::NegativeFloat, Some(Literal::Real(*number))),
            Wish::Real(number) if *number > 0.0 => value(Class::PositiveFloat, Some(Literal::Real(*number))),
            Wish::Real(_) => value(Class::ZeroFloat, None),
            Wish::Nothing => value(Class::None, None),
            Wish::Truth(true) => value(Class::True, None),
            Wish::Truth(false) => value(Class::False, None),
            Wish::Length(0) => {
                let empty = [Class::EmptyList, Class::EmptyStr, Class::EmptyTuple, Class::EmptyDict, Class::EmptySet];
                value(container(&empty).unwrap_or(Class::EmptyList), None)
            }
            Wish::Length(length) => {
                let full = [Class::List, Class::Tuple, Class::Str, Class::Object];
                // What it is now, another condition may have asked for.
                let now = self.facts.assigned(run, site).map(|assigned| assigned.class);
                let now = now.filter(|class| run.trial.values.contains_key(&site) && full[..3].contains(class));
                value(now.or_else(|| container(&full)).unwrap_or(Class::List), Some(Literal::Length(*length)))
            }
            Wish::Holds(text) => {
                let full = [Class::Dict, Class::List, Class::Tuple, Class::Set, Class::Str];
                value(container(&full).unwrap_or(Class::Dict), Some(Literal::Holds(text.clone())))
            }
            Wish::Instance(name) => {
                let class = match *name {
                    "str" => Class::Str,
                    "int" => Class::PositiveInt,
                    "float" => Class::PositiveFloat,
                    "bool" => Class::True,
                    "list" => Class::List,
                    "tuple" => Class::Tuple,
                    "dict" => Class::Dict,
                    "set" => Class::Set,
                    "callable" => Class::Callable,
                    other => return different(instance(other)?),
                };
                value(class, None)
            }
            // What a name stands for is not made of its own value.
            Wish::Named(name) | Wish::Member(name) if self.facts.name_of(site).is_some_and(|own| own == *name) => None,
            Wish::Named(name) => value(Class::Object, Some(Literal::Named(name.clone()))),
            // Two versions may have other elements.
            Wish::Member(_) if self.is_compared => None,
            Wish::Member(name) => value(Class::Str, Some(Literal::Member(name.clone()))),
            Wish::OtherInstance(name) => instance(name),
        }?;
        different(granted)
    }
}

/// How long the text is that a site takes in a run.
fn length(run: &Entry, site: u32) -> usize {
    match run.trial.values.get(&site).and_then(|value| value.literal.as_ref()) {
        // One character again and again: what was granted for a length.
        Some(Literal::Text(text)) if text.chars().all(|character| text.starts_with(character)) => text.chars().count(),
        _ => 0,
    }
}

/// What separates the fields of the text that a site takes in a run, and how many they are, if there are several: it was
/// granted because the code takes them apart.
fn fields(run: &Entry, site: u32) -> Option<(&str, usize)> {
    let Some(Literal::Text(text)) = &run.trial.values.get(&site)?.literal else { return None };
    let separator = text.matches([' ', '-', '.', ':', ',', '/', ';']).next()?;
    let fields: Vec<&str> = text.split(separator).collect();
    let are_alike = fields.iter().all(|field| !field.is_empty() && *field == fields[0]);
    are_alike.then_some((separator, fields.len()))
}

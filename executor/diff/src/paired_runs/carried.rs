//! What a search found out about one version, in terms of both: values go by kind and name of their use. What is expected at a
//! site goes by its number, which is that of another site in the other version; between versions it goes by the use and how
//! many such uses stand before.

use std::collections::BTreeMap;

use surmise_engine::plan::{Plan, Trial, shared_key};
use surmise_engine::protocol::{Aliases, Choice};
use surmise_value_model::Class;

use super::{Given, PairedRuns};
use crate::candidate::Version;

/// How the keys of choices begin which say whether an exception is expected at a site.
const EXPECTED: &str = "expected:";

impl PairedRuns<'_> {
    /// A trial of one version in terms of both. Values by names that one of them lacks are left out.
    pub(super) fn carried(&self, versions: [&Version; 2], version: usize, trial: &Trial) -> Given {
        let aliases = self.aliases(version);
        let values = trial.values.iter().filter_map(|(&site, value)| {
            let site = self.plans[version].sites.get(site as usize)?;
            Some((shared_key(site, aliases), (value.assigned.class, value.literal.clone())))
        });
        let values =
            values.filter(|(_, (_, value))| value.as_ref().is_none_or(|value| self.is_of_both(versions, value)));
        let called = &self.shared.base[0].called;
        let (mappings, sequences) = (&self.shared.base[0].mappings, &self.shared.base[0].sequences);
        let values = values.filter(|(key, (class, _))| !called.contains(key) || is_callable(*class));
        let values = values.filter(|(key, (class, _))| !mappings.contains(key) || is_dictionary(*class));
        let values = values.filter(|(key, (class, _))| !sequences.contains(key) || is_list(*class));
        let (texts, flags) = (&self.shared.base[0].asked_as_texts, &self.shared.base[0].flags);
        let values = values.filter(|(key, (class, _))| !texts.contains(key) || is_text(*class));
        let values = values.filter(|(key, (class, _))| !flags.contains(key) || is_flag(*class));
        let whole = &self.shared.base[0].whole;
        let values = values.filter(|(key, (class, _))| !whole.contains(key) || is_whole_number(*class));
        let choices = trial
            .choices
            .iter()
            .map(|(key, choice)| (shared_choice(&self.plans[version], aliases, key), choice.clone()));
        Given { classes: values.collect(), choices: choices.collect(), ..Given::default() }
    }
}

/// True for the classes whose values can be called.
const fn is_callable(class: Class) -> bool {
    matches!(class, Class::Object | Class::Callable)
}

/// True for the classes of whole numbers.
const fn is_whole_number(class: Class) -> bool {
    matches!(class, Class::PositiveInt | Class::NegativeInt | Class::ZeroInt)
}

/// True for the classes whose values are dictionaries.
const fn is_dictionary(class: Class) -> bool {
    matches!(class, Class::Dict | Class::EmptyDict)
}

/// True for the classes whose values are lists.
const fn is_list(class: Class) -> bool {
    matches!(class, Class::List | Class::EmptyList)
}

/// True for the classes of texts.
const fn is_text(class: Class) -> bool {
    matches!(class, Class::Str | Class::EmptyStr)
}

const fn is_flag(class: Class) -> bool {
    matches!(class, Class::True | Class::False)
}

/// The key of a choice of one version in terms of both.
fn shared_choice(plan: &Plan, aliases: &Aliases, key: &str) -> String {
    let number = key.strip_prefix(EXPECTED).and_then(|number| number.parse::<usize>().ok());
    let Some((number, site)) = number.and_then(|number| Some((number, plan.sites.get(number)?))) else {
        return key.to_owned();
    };
    let name = shared_key(site, aliases);
    let before = plan.sites[..number].iter().filter(|site| shared_key(site, aliases) == name).count();
    format!("{EXPECTED}{name}#{before}")
}

/// Choices in terms of one version, as far as it has what they are about.
pub(super) fn own_choices(
    plan: &Plan,
    aliases: &Aliases,
    choices: &BTreeMap<String, Choice>,
) -> BTreeMap<String, Choice> {
    let own = choices.iter().filter_map(|(key, choice)| {
        let Some((name, before)) = key.strip_prefix(EXPECTED).and_then(|what| what.rsplit_once('#')) else {
            return Some((key.clone(), choice.clone()));
        };
        let mut same = plan.sites.iter().enumerate().filter(|(_, site)| shared_key(site, aliases) == name);
        let (number, _) = same.nth(before.parse().ok()?)?;
        Some((format!("{EXPECTED}{number}"), choice.clone()))
    });
    own.collect()
}

#[cfg(test)]
mod tests {
    use surmise_engine::plan::Settings;
    use surmise_engine::source::Source;

    use super::*;

    #[test]
    fn expectations_go_by_the_use_and_not_by_its_number() {
        let plan = |text: &str| {
            let source = Source { name: "f.py".to_owned(), path: None, text: text.to_owned() };
            Plan::new(source, &Settings::default()).expect("it parses")
        };
        let (old, new) = (plan("load(a)\nload(b)\n"), plan("x = other\nread(a)\nread(b)\n"));
        let aliases = Aliases { definitions: [("read".to_owned(), "load".to_owned())].into(), ..Aliases::default() };
        let second =
            |plan: &Plan, name: &str| plan.sites.iter().rposition(|site| &*site.name == name).expect("it is called");
        let key = shared_choice(&old, &Aliases::default(), &format!("{EXPECTED}{}", second(&old, "load")));
        let own = own_choices(&new, &aliases, &[(key, Choice::Truth(true))].into());
        assert_eq!(own.into_keys().collect::<Vec<_>>(), [format!("{EXPECTED}{}", second(&new, "read"))]);
        let kept = own_choices(&new, &aliases, &[("expected:import:json".to_owned(), Choice::Truth(true))].into());
        assert_eq!(kept.into_keys().collect::<Vec<_>>(), ["expected:import:json"]);
        let gone = own_choices(&new, &aliases, &[(format!("{EXPECTED}variable:c#0"), Choice::Truth(true))].into());
        assert!(gone.is_empty());
    }
}

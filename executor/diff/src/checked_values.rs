//! Values of the classes that only one version checks for, and of those next to them: these tell the versions apart. A
//! truth that only one version asks for has the falsy value of each type, and an exception that only one version catches
//! values that many a function answers with it.

use std::collections::{BTreeMap, BTreeSet};

use surmise_engine::protocol::{Aliases, Literal};
use surmise_instrument::SourceModel;
use surmise_instrument::checked::{
    Check, Equated, FAILING, FALSY, ITSELF, NEAR, NUMBER, OFFERS, ONE_OF, RAISING, TEXT, called_values, checks,
    writes_whole_numbers,
};
use surmise_search::raising;
use surmise_value_model::Class;

/// How names begin that say yes or no.
const PREDICATES: [&str; 5] = ["is_", "has_", "can_", "was_", "should_"];

/// A class of values, with one of them if that is not the usual one.
pub(crate) type Drawn = (Class, Option<Literal>);

/// Values that tell versions apart, by use.
pub(crate) type Checked = BTreeMap<String, Vec<Drawn>>;

/// For each value of which only one version asks whether it is of a class, values that answer it one way or the other; then
/// values for what both versions ask of elements, which no search changes, and for what both write as a number.
/// `models` are what runs of each version, and the version with the variables that changed; `aliases` are the names of the new one,
/// and `containers` the values that hold something, and those whose length a version asks for. `equated` are constants that values
/// are compared with.
pub(crate) fn checked_values(
    models: [[&SourceModel; 2]; 2],
    aliases: &Aliases,
    containers: [&BTreeSet<String>; 2],
    equated: &BTreeMap<String, Vec<Equated>>,
) -> [Checked; 2] {
    let [old, new] = checks_of(models, aliases);
    let may_be_none = old.union(&new).filter(|(_, class)| class == "None").map(|(key, _)| key.as_str()).collect();
    let called = callables(models.map(|[run, _]| run), aliases);
    let values =
        |checks: &mut dyn Iterator<Item = &Check>| values(checks, &called, containers, (&may_be_none, equated));
    let mut only = values(&mut old.symmetric_difference(&new));
    // A class that both check for may be that of a value of which only one goes on to ask something.
    let mut instances = old.intersection(&new).filter(|(key, class)| only.contains_key(key) && is_instance(class));
    let instances = values(&mut instances);
    for (key, values) in instances {
        only.entry(key).or_default().extend(values);
    }
    let is_open = |(key, class): &&Check| {
        let is_element = key.starts_with("element:") || key.starts_with("part ");
        !only.contains_key(key) && (is_element || is_form(class) || is_instance(class))
    };
    let both = values(&mut old.intersection(&new).filter(is_open));
    [only, both]
}

/// Values by use. `called` are the uses whose values a version calls: of the values that are false they have none but
/// `None`, and containers of them none at all. `containers` are no numbers, nor are those of which a version asks the length
/// `None` unless a version asks for that, too; what is compared with constants is of their type. A match of a regular expression is
/// one or `None`.
fn values(
    checks: &mut dyn Iterator<Item = &Check>,
    called: &BTreeSet<String>,
    [containers, measured]: [&BTreeSet<String>; 2],
    (may_be_none, equated): (&BTreeSet<&str>, &BTreeMap<String, Vec<Equated>>),
) -> Checked {
    let mut found = Checked::new();
    for (key, class) in checks {
        let values = found.entry(key.clone()).or_default();
        let name = key.split_once(':').map_or("", |(_, name)| name);
        let is_match = key.starts_with("return value:") && matches!(name, "match" | "search" | "fullmatch");
        let possible = match class.as_str() {
            FALSY | "None" if is_match => drawn(&["None"]),
            _ if is_match => Vec::new(),
            FALSY if let Some(constants) = equated.get(key).filter(|_| !may_be_none.contains(key.as_str())) => {
                alike(constants)
            }
            FALSY if measured.contains(key) && !may_be_none.contains(key.as_str()) => drawn(&["''", "[]", "{}"]),
            FALSY if containers.contains(key) => drawn(&["None", "''", "[]", "{}"]),
            FALSY if called.contains(key) && key.starts_with("element:") => Vec::new(),
            FALSY if called.contains(key) => drawn(&["None"]),
            FALSY if PREDICATES.iter().any(|beginning| name.starts_with(beginning)) => drawn(&["True", "False"]),
            _ => values_of(class),
        };
        for value in possible {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    found.retain(|_, values| !values.is_empty());
    found
}

/// Values of the type of constants that a version compares a value with, where the other asks whether it is true.
fn alike(constants: &[Equated]) -> Vec<Drawn> {
    let is_number = constants.iter().any(|constant| matches!(constant, Equated::Number(_)));
    let is_text = constants.iter().any(|constant| matches!(constant, Equated::Text(_)));
    [is_number.then_some(["0", "2"]), is_text.then_some(["''", "'ab'"])]
        .iter()
        .flatten()
        .flat_map(|one| drawn(one))
        .collect()
}

/// True for a class of which an instance is made.
fn is_instance(class: &str) -> bool {
    matches!(values_of(class).as_slice(), [(_, Some(Literal::Instance(_)))])
}

/// True for a form in which numbers alone are written: `.2f`, `'%d'`.
fn is_form(class: &str) -> bool {
    let Some((_, form)) = class.strip_prefix(NUMBER).and_then(|rest| rest.split_once('\0')) else { return false };
    let form = form.trim_end_matches(['}', '\'', '"']);
    let is_name = form.len() > 1 && form.chars().all(char::is_alphabetic); // of a function: `round`
    !is_name && form.ends_with(['d', 'e', 'f', 'g', 'x', '%'])
}

/// True for a form in which whole numbers are written.
fn is_whole(class: &str) -> bool {
    let form = class.strip_prefix(NUMBER).and_then(|rest| rest.split_once('\0'));
    form.is_some_and(|(_, form)| writes_whole_numbers(form))
}

/// Values that only one version writes as whole numbers. What else they may be, such as a fraction that `%d` cuts off, says more
/// about the values than about the change.
pub(crate) fn written_whole(models: [&SourceModel; 2], aliases: &Aliases) -> BTreeSet<String> {
    let [old, new] = checks_of(models.map(|model| [model]), aliases);
    let whole = |checks: &BTreeSet<Check>| -> BTreeSet<String> {
        checks.iter().filter(|(_, class)| is_whole(class)).map(|(key, _)| key.clone()).collect()
    };
    whole(&old).symmetric_difference(&whole(&new)).cloned().collect()
}

/// Values that a version asks whether they are texts.
pub(crate) fn told_from_texts(models: [&SourceModel; 2], aliases: &Aliases) -> BTreeSet<String> {
    let is_text = |(_, class): &Check| matches!(class.rsplit('.').next(), Some("str" | "basestring" | "string_types"));
    checks_of(models.map(|model| [model]), aliases).into_iter().flatten().filter(is_text).map(|(key, _)| key).collect()
}

/// Values that a version calls, by the old names.
pub(crate) fn callables(models: [&SourceModel; 2], aliases: &Aliases) -> BTreeSet<String> {
    let [old, new] = models.map(called_values);
    old.into_iter().chain(new.into_iter().map(|key| aliases.key(&key))).collect()
}

/// What each version checks, by the old names.
fn checks_of<const N: usize>(models: [[&SourceModel; N]; 2], aliases: &Aliases) -> [BTreeSet<Check>; 2] {
    let [old, new] = models.map(|models| models.into_iter().flat_map(checks).collect::<BTreeSet<Check>>());
    [old, new.into_iter().map(|(key, class)| (aliases.key(&key), class)).collect()]
}

/// Instances of a class, of classes that derive from it, and of classes that pass for it elsewhere.
fn values_of(class: &str) -> Vec<Drawn> {
    if let Some(name) = class.strip_prefix(ITSELF) {
        return vec![(Class::Object, Some(Literal::Named(name.to_owned())))];
    }
    if let Some(literal) = class.strip_prefix(ONE_OF) {
        return around(literal.split('\0').next().unwrap_or_default());
    }
    if let Some(error) = class.strip_prefix(FAILING) {
        return vec![(Class::Object, Some(Literal::Raises(Some(error.to_owned()))))];
    }
    if let Some(operation) = class.strip_prefix(TEXT) {
        return drawn(texts(operation.split('\0').next().unwrap_or_default()));
    }
    if let Some(bound) = class.strip_prefix(NEAR) {
        let bound: i64 = bound.split('\0').next().and_then(|number| number.parse().ok()).unwrap_or_default();
        return drawn(&[bound, bound + 1, bound - 1].map(|number| number.to_string()));
    }
    if let Some(asked) = class.strip_prefix(OFFERS) {
        return offering(asked.split('\0').next().unwrap_or_default());
    }
    if is_whole(class) || class.ends_with("\0//") {
        return drawn(&["5", "-7", "123456789"]);
    }
    if class.starts_with(NUMBER) {
        return drawn(&["0.29", "-2.5", "-0.05", "2.5", "1e-07", "123456789.5", "-7"]);
    }
    let last = class.rsplit('.').next().unwrap_or(class);
    if let Some(error) = class.strip_prefix(RAISING) {
        return drawn(raising(error));
    }
    let written: &[&str] = match last {
        "None" | "NoneType" => &["None"],
        // A class, and what passes for one and has whatever else is asked of it.
        "type" => return [a_class(), vec![(Class::Object, Some(Literal::Instance("type".to_owned())))]].concat(),
        FALSY => &["None", "True", "0", "''", "[]", "{}", "False"],
        "str" | "basestring" | "unicode" | "text_type" | "string_types" => &["'ab'", "b'ab'"],
        "bytes" | "bytearray" | "binary_type" => &["b'ab'", "bytearray(b'ab')", "'ab'"],
        "int" | "integer_types" | "Integral" => &["2", "True"],
        "bool" => &["True", "False", "1"],
        "float" | "complex" | "Real" | "Number" => &["1.5", "2", "decimal.Decimal('1.5')"],
        "dict" | "Mapping" | "MutableMapping" => {
            &["{'a': 1}", "collections.UserDict({'a': 1})", "collections.OrderedDict(a=1)"]
        }
        "list" | "tuple" | "Sequence" | "MutableSequence" | "Iterable" | "Collection" | "Sized" | "Container" => {
            &["['a', 'b']", "('a', 'b')", "'ab'", "{'a'}", "range(2)", "collections.deque(('a', 'b'))"]
        }
        "set" | "Set" | "frozenset" => &["{'a', 'b'}", "frozenset(('a', 'b'))", "['a', 'b']"],
        _ => return vec![(Class::Object, Some(Literal::Instance(class.to_owned())))],
    };
    drawn(written)
}

/// A value with an attribute of this name that cannot be called; for a special method a class, whose instances have the method.
fn offering(name: &str) -> Vec<Drawn> {
    if name.starts_with("__") { a_class() } else { drawn(&[format!("types.SimpleNamespace({name}=1)")]) }
}

/// A class as the value itself.
fn a_class() -> Vec<Drawn> {
    vec![(Class::Object, Some(Literal::Named("dict".to_owned())))]
}

/// A literal, and texts that hold it: an expression that matches it may not match these.
fn around(literal: &str) -> Vec<Drawn> {
    let mut found = drawn(&[literal]);
    if let Some(inner) = literal.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        found.extend(drawn(&[format!("'{inner}x'"), format!("' {inner}'")]));
    }
    found
}

/// Texts that methods of a kind change, or tell from others.
fn texts(kind: &str) -> &'static [&'static str] {
    match kind {
        "space" => &["' ab '", "'ab\\n'", "'\\ta b'"],
        "case" => &["'Ab c'", "'AB'", "'\\xdf'"],
        "joined" => &["'ab'", "''", "' c'"],
        "parts" => &["'a b  c'", "'a\\nb\\r\\nc'", "' a=b=c:d:e'"],
        _ => &["'1'", "'a1'", "'\\xe9'", "'\\xb2'", "''"],
    }
}

fn drawn(written: &[impl AsRef<str>]) -> Vec<Drawn> {
    written.iter().map(|text| (Class::Object, Some(Literal::Written(text.as_ref().to_owned())))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_one_version_checks_for_is_drawn() {
        let model = |text: &str| SourceModel::parse(text).expect("it parses");
        let old = model("def f(a, b):\n    return isinstance(a, dict) or isinstance(b, m.C)\n");
        let new = model("def f(x, b):\n    return isinstance(x, Mapping) or isinstance(b, m.C)\n");
        let aliases = Aliases { parameters: [("x".to_owned(), "a".to_owned())].into(), ..Aliases::default() };
        let [found, _] = checked_values([[&old; 2], [&new; 2]], &aliases, [&BTreeSet::new(); 2], &BTreeMap::new());
        assert_eq!(found.keys().collect::<Vec<_>>(), ["variable:a"]);
        let user = Literal::Written("collections.UserDict({'a': 1})".to_owned());
        assert!(found["variable:a"].contains(&(Class::Object, Some(user))), "a mapping that is no dictionary");
        assert!(
            checked_values([[&old; 2]; 2], &Aliases::default(), [&BTreeSet::new(); 2], &BTreeMap::new())[0].is_empty()
        );
    }

    #[test]
    fn forms_are_those_of_numbers() {
        let forms = ["d", ".2f", "05d", "'%d'", "'{:.3g}'", "'%5.1f%%'"];
        assert!(forms.iter().all(|form| is_form(&format!("{NUMBER}\0{form}"))));
        for other in ["round", "divmod", "//", "", "'%s'", ">10", "'{}'"] {
            assert!(!is_form(&format!("{NUMBER}\0{other}")), "{other}");
        }
        assert!(!is_form("dict") && !is_form("None"));
    }
}

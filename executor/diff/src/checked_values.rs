//! Values of the classes that only one version checks for, and of those next to them: these tell the versions apart. A
//! truth that only one version asks for has the falsy value of each type.

use std::collections::{BTreeMap, BTreeSet};

use surmise_engine::protocol::{Aliases, Literal};
use surmise_instrument::SourceModel;
use surmise_instrument::checked::{Check, FALSY, ITSELF, checks};
use surmise_value_model::Class;

/// A class of values, with one of them if that is not the usual one.
pub(crate) type Drawn = (Class, Option<Literal>);

/// For each value of which only one version asks whether it is of a class, values that answer it one way or the other.
/// `aliases` are the names of the new version.
pub(crate) fn checked_values(models: [&SourceModel; 2], aliases: &Aliases) -> BTreeMap<String, Vec<Drawn>> {
    let [old, new] = models.map(checks);
    let new: BTreeSet<Check> = new.into_iter().map(|(key, class)| (aliases.key(&key), class)).collect();
    let mut found: BTreeMap<String, Vec<Drawn>> = BTreeMap::new();
    for (key, class) in old.symmetric_difference(&new) {
        let values = found.entry(key.clone()).or_default();
        for value in values_of(class) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    found
}

/// Instances of a class, of classes that derive from it, and of classes that pass for it elsewhere.
fn values_of(class: &str) -> Vec<Drawn> {
    if let Some(name) = class.strip_prefix(ITSELF) {
        return vec![(Class::Object, Some(Literal::Named(name.to_owned())))];
    }
    let last = class.rsplit('.').next().unwrap_or(class);
    let written: &[&str] = match last {
        "None" | "NoneType" => &["None"],
        FALSY => &["None", "0", "''", "[]", "{}", "False"],
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
    written.iter().map(|&text| (Class::Object, Some(Literal::Written(text.to_owned())))).collect()
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
        let found = checked_values([&old, &new], &aliases);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["variable:a"]);
        let user = Literal::Written("collections.UserDict({'a': 1})".to_owned());
        assert!(found["variable:a"].contains(&(Class::Object, Some(user))), "a mapping that is no dictionary");
        assert!(checked_values([&old, &old], &Aliases::default()).is_empty());
    }
}

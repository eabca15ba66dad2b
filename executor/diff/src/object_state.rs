//! What the attributes of objects count as where the versions of a file keep state in different ways: private names may be
//! renamed, moved behind a property or into the class, and those that one version has alone do not count.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use surmise_instrument::SourceModel;
use surmise_instrument::object_attributes::{ObjectAttributes, is_private, name_in_class, object_attributes};

use super::renamed_definitions::{is_part_of_name, names_in};

/// Of the lines with a name that is gone, the share that must have the new name in its place.
const MOSTLY: f64 = 0.5;

/// What attributes of objects count as, in both versions of a file; by their names at runtime, which may be mangled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectState {
    /// Attributes that one version has behind a property, and the other by the property's name: `_x`, with `x`.
    pub behind: BTreeMap<String, String>,
    /// Attributes that objects have in one version, and their class in the other.
    pub of_classes: BTreeSet<String>,
    /// Private attributes of one version that the other has nothing of the name of: how a version keeps what its methods show.
    pub internal: BTreeSet<String>,
    /// Attributes of one version that a property computes in the other.
    pub computed: BTreeSet<String>,
}

impl ObjectState {
    /// Of both versions of a file, in which some private names were `renamed`: new names, with the old ones.
    pub fn of(old: Option<&SourceModel>, new: Option<&SourceModel>, renamed: &BTreeMap<String, String>) -> Self {
        let (Some(old), Some(new)) = (old, new) else { return Self::default() };
        let both = [old, new].map(object_attributes);
        let mut found = Self::default();
        for (number, text) in [(0, new.text()), (1, old.text())] {
            let (own, other) = (&both[number], &both[1 - number]);
            let names = names_in(text);
            let is_known = |name: &str| {
                if own.mangled.contains_key(name) { other.mangled.contains_key(name) } else { names.contains(name) }
            };
            let is_alone = |name: &str| is_private(name) && !is_known(name);
            let moved = own.given_by.iter().filter(|(name, property)| {
                let is_property = other.given_by.values().any(|one| one == *property);
                is_alone(name) && other.written.contains(*property) && !is_property
            });
            found.behind.extend(moved.map(|(name, property)| (name.clone(), property.clone())));
            let of_class = own.written.intersection(&other.of_classes);
            found.of_classes.extend(of_class.filter(|name| !own.of_classes.contains(*name)).cloned());
            found.internal.extend(own.written.iter().filter(|name| is_alone(name)).cloned());
            let computed = own.written.intersection(&other.computed);
            found.computed.extend(computed.filter(|name| !own.computed.contains(*name)).cloned());
        }
        let Self { behind, internal, .. } = &mut found;
        internal
            .retain(|name| !behind.contains_key(name) && !renamed.iter().any(|(new, old)| new == name || old == name));
        found
    }
}

impl ObjectState {
    /// Attributes that only one version keeps: they do not count.
    pub fn of_one_version(&self) -> impl Iterator<Item = &String> {
        self.internal.iter().chain(&self.computed)
    }

    /// An attribute that a property computes in the other version, and that only one of these texts names: its value is not compared.
    pub fn computed_for_one(&self, texts: [&str; 2]) -> Option<&String> {
        let [old, new] = texts.map(names_in);
        self.computed.iter().find(|name| old.contains(name.as_str()) != new.contains(name.as_str()))
    }

    /// Lets a private attribute of one version count if other modules of its revision name it, too: `named` are the numbers of
    /// modules with each name, and `own` is the file itself.
    pub fn keep_unnamed_in(&mut self, named: &HashMap<String, usize>, own: &str) {
        let own = names_in(own);
        self.internal
            .retain(|name| named.get(name).copied().unwrap_or_default() <= usize::from(own.contains(name.as_str())));
    }
}

/// The new names of private attributes, functions and variables, with the old ones: of names that each version has alone, those
/// that stand in each other's place in most lines.
pub fn renamed_privates(old: &str, new: &str) -> BTreeMap<String, String> {
    let [olds, news] = [old, new].map(names_in);
    let gone: BTreeSet<&str> = olds.difference(&news).copied().filter(|name| is_private(name)).collect();
    let come: BTreeSet<&str> = news.difference(&olds).copied().filter(|name| is_private(name)).collect();
    if gone.is_empty() || come.is_empty() {
        return BTreeMap::new();
    }
    let (before, after) = (lines_with(old, &gone), lines_with(new, &come));
    let mut votes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut total: BTreeMap<&str, usize> = BTreeMap::new();
    for name in before.values().flatten().flatten() {
        *total.entry(name).or_default() += 1;
    }
    for (line, lines) in &before {
        let Some(others) = after.get(line).filter(|others| others.len() == lines.len()) else { continue };
        for (was, is) in lines.iter().flatten().zip(others.iter().flatten()) {
            *votes.entry((was, is)).or_default() += 1;
        }
    }
    let is_only = |was: &str, is: &str| votes.keys().all(|(one, other)| (*one == was) == (*other == is));
    let most = votes.iter().filter(|((was, is), count)| {
        is_only(was, is) && **count as f64 >= MOSTLY * total.get(was).copied().unwrap_or_default() as f64
    });
    most.map(|((was, is), _)| ((*is).to_owned(), (*was).to_owned())).collect()
}

/// Adds the mangled names (Language Reference, 6.2.1) of attributes to `renamed`: `_B__y`, with `_A__x`, where `__y` has been
/// `__x` and `B` has been `A`.
pub fn add_mangled_names(renamed: &mut BTreeMap<String, String>, new: &ObjectAttributes) {
    let was = |name: &String| renamed.get(name).unwrap_or(name).clone();
    let mangled = new.mangled.iter().map(|(mangled, (class, name))| (mangled, name_in_class(&was(name), &was(class))));
    let changed: Vec<_> = mangled.filter(|(name, was)| *name != was).collect();
    renamed.extend(changed.into_iter().map(|(name, was)| (name.clone(), was)));
}

/// The lines of a text that have some of the names, without these; with the names of each such line in their order.
fn lines_with<'t>(text: &'t str, names: &BTreeSet<&str>) -> BTreeMap<String, Vec<Vec<&'t str>>> {
    let mut found: BTreeMap<String, Vec<Vec<&str>>> = BTreeMap::new();
    for line in text.lines() {
        let mut has = Vec::new();
        let mut rest = String::new();
        for word in line.trim().split_inclusive(|letter| !is_part_of_name(letter)) {
            let name = word.trim_end_matches(|letter| !is_part_of_name(letter));
            if names.contains(name) {
                has.push(name);
                rest.push('?');
                rest.push_str(&word[name.len()..]);
            } else {
                rest.push_str(word);
            }
        }
        if !has.is_empty() {
            found.entry(rest).or_default().push(has);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(old: &str, new: &str) -> ObjectState {
        let [old, new] = [old, new].map(|text| SourceModel::parse(text).expect("it parses"));
        ObjectState::of(Some(&old), Some(&new), &BTreeMap::new())
    }

    #[test]
    fn private_attributes_of_one_version_do_not_count() {
        let class = "class A:\n    def __init__(self):\n        self.x = 1\n";
        let with = |line: &str| format!("{class}        {line}\n");
        assert_eq!(of(&with("self._y = []"), class).internal, ["_y".to_owned()].into());
        assert_eq!(of(class, &with("self.y = []")).internal, [].into(), "others may read it");
        assert_eq!(of(&with("self._y = 1"), &with("self._y = 2")).internal, [].into(), "both have it");
        assert_eq!(of(&with("self._y = 1"), &with("return self._y")).internal, [].into(), "both know it");
    }

    #[test]
    fn private_attributes_count_that_other_modules_name() {
        let old = "class A:\n    def __init__(self):\n        self.x = 1\n";
        let new = format!("{old}        self._y = self._z = 1\n");
        let mut state = of(old, &new);
        let named = [("_y".to_owned(), 1), ("_z".to_owned(), 2)].into();
        state.keep_unnamed_in(&named, &new);
        assert_eq!(state.internal, ["_y".to_owned()].into());
        state.keep_unnamed_in(&named, old);
        assert_eq!(state.internal, [].into(), "another module has it");
    }

    #[test]
    fn attributes_go_behind_properties_and_into_classes() {
        let old = "class A:\n    def __init__(self, x):\n        self.x = x\n        self.rows = None\n";
        let new = "class A:\n    rows = None\n    def __init__(self, x):\n        self._x = x\n    \
                   @property\n    def x(self):\n        return self._x\n";
        for (one, other) in [(old, new), (new, old)] {
            let found = of(one, other);
            assert_eq!(found.behind, [("_x".to_owned(), "x".to_owned())].into());
            assert_eq!(found.of_classes, ["rows".to_owned()].into());
        }
        assert_eq!(of(&format!("{old}        self._x = 0\n"), new).behind, [].into(), "it is another one there");
    }

    #[test]
    fn attributes_go_by_their_mangled_names() {
        let old = "class A:\n    def __init__(self):\n        self.__x = []\nclass B:\n    def __init__(self):\n        self.__y = 1\n";
        let found = of(old, &old.replace("self.__x = []", "self.__y = {}"));
        assert_eq!(
            found.internal,
            ["_A__x".to_owned(), "_A__y".to_owned()].into(),
            "that of another class is another one"
        );
        let new = SourceModel::parse(old.replace("__x", "__z").replace("B:", "C:")).expect("it parses");
        let mut renamed = [("__z".to_owned(), "__x".to_owned()), ("C".to_owned(), "B".to_owned())].into();
        add_mangled_names(&mut renamed, &object_attributes(&new));
        assert_eq!((renamed["_A__z"].as_str(), renamed["_C__y"].as_str(), renamed.len()), ("_A__x", "_B__y", 4));
    }

    #[test]
    fn properties_compute_what_the_other_version_keeps() {
        let old = "class A:\n    def __init__(self, x):\n        self.x = x\n        self.twice = 2 * x\n";
        let kept = "        self.twice = 2 * x\n";
        let property = "    @property\n    def twice(self):\n        return 2 * self.x\n";
        for (one, other) in [(old, old.replace(kept, property)), (&old.replace(kept, property), old.to_owned())] {
            let found = of(one, &other);
            assert_eq!((found.computed, found.behind), (["twice".to_owned()].into(), [].into()));
        }
        let plain = old.replace(kept, "    def twice(self):\n        return 2 * self.x\n");
        assert_eq!(of(old, &plain).computed, [].into(), "a method is called");
    }

    #[test]
    fn private_names_are_renamed_where_they_stand() {
        let renamed = |old: &str, new: &str| renamed_privates(old, new).into_iter().collect::<Vec<_>>();
        let pair = |new: &str, old: &str| (new.to_owned(), old.to_owned());
        let old = "self._a = x\nself._b = y\nreturn self._a + self._b\n";
        assert_eq!(renamed(old, &old.replace("_a", "_c")), [pair("_c", "_a")]);
        assert_eq!(renamed(old, &old.replace("_a", "_c").replace("_b", "_d")), [pair("_c", "_a"), pair("_d", "_b")]);
        assert_eq!(renamed(old, &old.replace("_a", "_b")), [], "it has been there");
        assert_eq!(renamed(old, &old.replace("_a", "a")), [], "now others may read it");
        assert_eq!(renamed(old, "self._c = f(x)\nself._b = y\nreturn self._c.sum(self._b)\n"), []);
    }
}

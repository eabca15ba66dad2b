//! Values that the source of a version declares: annotations, docstrings and defaults of parameters, and the initial values of
//! attributes in constructors.

use std::collections::{BTreeMap, BTreeSet};

use surmise_engine::protocol::Literal;
use surmise_instrument::SourceModel;
use surmise_instrument::hints::{Hints, hints};
use surmise_instrument::initial::Held;
use surmise_instrument::object_attributes::is_private;
use surmise_value_model::Class;

use super::matching::Shared;
use super::object_state::ObjectState;

impl Shared {
    /// Lets parameters have what annotations and docstrings say, where both versions say the same.
    pub fn heed_hints(&mut self, functions: [(&SourceModel, &str); 2]) {
        let text_of_old = functions[0].0.text();
        let [old, new] = functions.map(|(model, qualname)| hints(model, qualname));
        let aliases = self.base[1].aliases.clone();
        let in_old = |name: &String| aliases.parameters.get(name).unwrap_or(name).clone();
        let in_new = |name: &String| {
            let alias = aliases.parameters.iter().find(|(_, old)| *old == name);
            alias.map_or_else(|| name.clone(), |(new, _)| new.clone())
        };
        self.base[0].required = new.required.iter().map(in_old).filter(|name| !old.required.contains(name)).collect();
        self.base[1].required = old.required.iter().map(in_new).filter(|name| !new.required.contains(name)).collect();
        self.heed_defaults(&old, &new, text_of_old, in_new);
        for base in &mut self.base {
            let same = old.annotations.iter().filter(|(name, text)| new.annotations.get(*name) == Some(*text));
            base.annotated = same.map(|(name, _)| name.clone()).collect();
            let all: BTreeSet<&String> = old.annotations.keys().chain(new.annotations.keys()).collect();
            base.annotated_otherwise = all.into_iter().filter(|name| !base.annotated.contains(name)).cloned().collect();
            let inner =
                old.inner.iter().filter(|(name, texts)| texts.len() == 1 && new.inner.get(*name) == Some(*texts));
            base.inner = inner.map(|(name, _)| name.clone()).collect();
            base.documented = old.docstring == new.docstring;
        }
    }

    /// Lets parameters whose defaults differ in kind have values of one kind, and leaves out what only stands for a default.
    fn heed_defaults(&mut self, old: &Hints, new: &Hints, text_of_old: &str, in_new: impl Fn(&String) -> String) {
        for (name, (was, old_class)) in &old.defaults {
            let Some((is, new_class)) = new.defaults.get(&in_new(name)) else { continue };
            if was == is || old_class.is_some() && old_class == new_class {
                continue;
            }
            let stands_for_it = |value: &Literal| matches!(value, Literal::Named(named) if named == was || named == is);
            for checked in [&mut self.checked, &mut self.checked_by_both] {
                if let Some(values) = checked.get_mut(&format!("variable:{name}")) {
                    values.retain(|(_, value)| !value.as_ref().is_some_and(stands_for_it));
                }
            }
            let class = old_class.or(*new_class).unwrap_or_default();
            // Where the old default is a sentinel (the function compares the parameter with it), `None` is an ordinary argument.
            let is_asked_for = old_class.is_some() && text_of_old.matches(was.as_str()).count() > 1;
            let is_taken = was.starts_with(['[', '{', '(']) || old_class.is_some() && !is_asked_for;
            for base in &mut self.base {
                base.defaults.insert(name.clone(), class.to_owned());
                base.none_by_default.extend((is == "None" && is_taken).then(|| name.clone()));
            }
        }
        for checked in [&mut self.checked, &mut self.checked_by_both] {
            checked.retain(|_, values| !values.is_empty());
        }
    }

    /// Lets attributes of the object that a method is called on be of the kind that the constructors of both versions give them.
    pub fn heed_constructors(&mut self, attributes: [&BTreeMap<String, Held>; 2]) {
        let [old, new] = [0, 1].map(|version| -> BTreeMap<String, Held> {
            let named = |(name, held): (&String, &Held)| (self.base[version].aliases.member(name).to_owned(), *held);
            attributes[version].iter().map(named).collect()
        });
        let [old, new] = [&old, &new];
        for (name, held) in old {
            let key = format!("attribute:{name}");
            let Some(other) = new.get(name) else { continue };
            if held != other {
                self.regroup(&key, [*held, *other]);
                continue;
            }
            let Some(classes) = classes_of(*held).filter(|_| self.likely.contains_key(&key)) else { continue };
            for base in &mut self.base {
                base.classes.insert(key.clone(), (classes[0], None));
            }
            self.likely.insert(key, classes.to_vec());
        }
    }

    /// Lets a private attribute be of the kind that each version's constructor gives it.
    fn regroup(&mut self, key: &str, held: [Held; 2]) {
        let name = key.rsplit(':').next().unwrap_or_default();
        let values = match held {
            // A stand-in for both: a real list finds a stand-in by `==`, and a real set by its hash. In `drawn_calls.py`, calls of
            // `append` are written down as those of `add`.
            [Held::List | Held::Set | Held::Deque, Held::List | Held::Set | Held::Deque] => {
                held.map(|_| (Class::Object, None))
            }
            [Held::Dict | Held::DefaultDict(_), Held::Dict | Held::DefaultDict(_)] => held.map(|one| match one {
                Held::DefaultDict(kind) => {
                    (Class::Object, Some(Literal::Written(format!("collections.defaultdict({kind})"))))
                }
                _ => (Class::EmptyDict, None),
            }),
            _ => return,
        };
        if !is_private(name) {
            return;
        }
        for (base, value) in self.base.iter_mut().zip(values) {
            base.regrouped.push(name.to_owned());
            base.mappings.remove(key);
            base.sequences.remove(key);
            if self.likely.contains_key(key) {
                base.classes.insert(key.to_owned(), value);
            }
        }
        self.likely.remove(key);
    }

    /// Lets attributes that only one version keeps be what its constructor leaves in them.
    pub fn heed_internal(&mut self, attributes: [&BTreeMap<String, Held>; 2], state: &ObjectState) {
        let internal: BTreeSet<&String> = state.of_one_version().collect();
        for (base, attributes) in self.base.iter_mut().zip(attributes) {
            for (name, held) in attributes.iter().filter(|(name, _)| internal.contains(*name)) {
                let key = format!("attribute:{name}");
                let class = match held {
                    Held::List => Class::EmptyList,
                    Held::Dict => Class::EmptyDict,
                    Held::Set => Class::EmptySet,
                    Held::Nothing => Class::None,
                    Held::DefaultDict(_) | Held::Deque | Held::Int | Held::Str | Held::Bool => continue,
                };
                if self.likely.remove(&key).is_some() {
                    base.classes.insert(key.clone(), (class, None));
                    base.mappings.remove(&key);
                    base.sequences.remove(&key);
                }
            }
        }
    }
}

/// The classes of what constructors put into an attribute and methods change; none for what no class says.
fn classes_of(held: Held) -> Option<[Class; 2]> {
    Some(match held {
        Held::List => [Class::List, Class::EmptyList],
        Held::Dict => [Class::Dict, Class::EmptyDict],
        Held::DefaultDict(_) | Held::Deque | Held::Nothing => return None,
        Held::Set => [Class::Set, Class::EmptySet],
        Held::Int => [Class::PositiveInt, Class::ZeroInt],
        Held::Str => [Class::Str, Class::EmptyStr],
        Held::Bool => [Class::True, Class::False],
    })
}

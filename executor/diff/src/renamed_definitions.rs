//! Classes, functions and methods that have another name in the new version of a file.

use std::collections::{BTreeMap, HashSet};

use surmise_instrument::SourceModel;
use surmise_instrument::extract::{Definition, DefinitionKind, definitions};

use super::renames::likeness;

/// How alike the lines of two classes must be to be one class under two names: methods may have changed with it.
const ALIKE: f64 = 0.7;

/// The new names of classes, with the old ones: of a class that only the new file has, that of the only class alike which
/// only the old file has, if the two are alike each other alone.
pub fn renamed_classes(old: Option<&SourceModel>, new: Option<&SourceModel>) -> BTreeMap<String, String> {
    let (Some(old), Some(new)) = (old, new) else { return BTreeMap::new() };
    let [olds, news] = [old, new].map(definitions);
    let gone = only(&olds, &news);
    let come = only(&news, &olds);
    let mut found = BTreeMap::new();
    for (name, lines) in &come {
        let alike: Vec<_> = gone.iter().filter(|(_, others)| likeness(lines, others) >= ALIKE).collect();
        if let [(was, others)] = alike[..]
            && come.iter().filter(|(_, lines)| likeness(lines, others) >= ALIKE).count() == 1
        {
            found.insert((*name).to_owned(), (*was).to_owned());
        }
    }
    found
}

/// The new names of functions and methods, with the old ones, where the old file has the new name nowhere: `pairs` are
/// qualified names, old and new.
pub fn renamed_functions<'p>(
    pairs: impl Iterator<Item = (&'p str, &'p str)>,
    old: &str,
) -> impl Iterator<Item = (String, String)> {
    let known = names_in(old);
    let last = |name: &'p str| name.rsplit('.').next().unwrap_or(name);
    let names = pairs.map(move |(was, is)| (last(is), last(was)));
    names.filter(move |(is, was)| is != was && !known.contains(is)).map(|(is, was)| (is.to_owned(), was.to_owned()))
}

/// All names in a text, words of comments and strings among them.
pub fn names_in(text: &str) -> HashSet<&str> {
    text.split(|letter| !is_part_of_name(letter)).collect()
}

/// True for a letter of a name.
pub fn is_part_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The classes of a file that another one has nothing of the name of, by their lines.
fn only<'d>(own: &'d [Definition], other: &[Definition]) -> Vec<(&'d str, Vec<String>)> {
    let is_class = |one: &&Definition| one.kind == DefinitionKind::Class || is_made_by_call(one);
    let is_alone = |class: &&Definition| other.iter().all(|definition| definition.name != class.name);
    own.iter()
        .filter(is_class)
        .filter(is_alone)
        .map(|class| (class.name.as_str(), nameless(&class.text, &class.name)))
        .collect()
}

/// True for a class that a call makes and names, and not a statement: `Point = namedtuple("Point", "x y")`.
fn is_made_by_call(definition: &Definition) -> bool {
    let name = &definition.name;
    let is_named = ["'", "\""].iter().any(|quote| definition.text.contains(&format!("({quote}{name}{quote},")));
    definition.kind == DefinitionKind::Variable && is_named
}

/// The lines of a class, with something else in place of its name.
fn nameless(text: &str, name: &str) -> Vec<String> {
    let without = |line: &str| {
        let words = line.split_inclusive(|letter| !is_part_of_name(letter));
        words
            .map(|word| {
                if word.trim_end_matches(|letter| !is_part_of_name(letter)) == name {
                    word.replacen(name, "?", 1)
                } else {
                    word.to_owned()
                }
            })
            .collect::<String>()
    };
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(without).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_names_that_the_old_file_lacks() {
        let renamed = |old: &str| renamed_functions([("C.start", "C.begin"), ("f", "f")].into_iter(), old).collect();
        let found: Vec<(String, String)> = renamed("class C:\n    def start(self): self.beginning = 1\n");
        assert_eq!(found, [("begin".to_owned(), "start".to_owned())]);
        let found: Vec<(String, String)> = renamed("class C:\n    def start(self): self.lock.begin()\n");
        assert_eq!(found, [], "it is called like something else");
    }

    #[test]
    fn classes_are_found_under_their_new_names() {
        let found = |old: &str, new: &str| {
            let [old, new] = [old, new].map(|text| SourceModel::parse(text).expect("it parses"));
            renamed_classes(Some(&old), Some(&new)).into_iter().collect::<Vec<_>>()
        };
        let class =
            |name: &str, base: &str| format!("class {name}({base}):\n    def of(self): return {name}(Other{name})\n");
        let pair = |new: &str, old: &str| (new.to_owned(), old.to_owned());
        assert_eq!(found(&class("A", "X"), &class("B", "X").replace("OtherB", "OtherA")), [pair("B", "A")]);
        assert_eq!(found(&class("A", "X"), &class("B", "Y")), [], "it has another base");
        let both = [class("A", "X"), class("B", "Y")].concat();
        assert_eq!(found(&class("A", "X"), &both), [], "the old one is still there");
        let errors = |names: [&str; 2]| names.map(|name| format!("class {name}(Exception): pass\n")).concat();
        assert_eq!(found(&errors(["A", "B"]), &errors(["C", "D"])), [], "each may be either");
        assert_eq!(found(&errors(["A", "B"]), &errors(["A", "D"])), [pair("D", "B")]);
        let made = |name: &str, fields: &str| format!("{name} = namedtuple('{name}',\n    {fields})\n");
        assert_eq!(found(&made("A", "'x y'"), &made("B", "'x y'")), [pair("B", "A")]);
        assert_eq!(found(&made("A", "'x y'"), &made("B", "'x z'")), []);
        assert_eq!(found("A = f(1)\n", "B = f(1)\n"), [], "this may be anything");
    }
}

//! What a version of a function takes from the module around it.

use std::collections::{BTreeMap, BTreeSet};

use surmise_instrument::SourceModel;
use surmise_instrument::checked::bindings;
use surmise_instrument::extract::{self, Definition, Variable, variables};
use surmise_instrument::same::{Sameness, sameness};

/// Which definitions of its module a function runs with (`--context`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Context {
    /// The imports, and the functions, classes and variables that are the same in both versions or that only one has.
    #[default]
    Module,
    /// Only the imports; everything else is missing.
    None,
}

/// What stands around both versions in their modules.
#[derive(Clone, Debug, Default)]
pub struct Siblings {
    /// The names of definitions that each version may take.
    pub taken: [BTreeSet<String>; 2],
    /// What only one of the modules defines, functions and methods by qualified name.
    pub defined: [BTreeSet<String>; 2],
    /// Variables, also those of classes (`Box.limit`), that have another value in either version, as far as their modules say.
    pub changed: BTreeSet<String>,
}

impl Siblings {
    /// Of the modules around both versions: what is the same code in both, for it says nothing about the change; and
    /// what one version lacks, for it is part of the change (a function that was taken out of another). What differs
    /// is a change of its own, and missing in both.
    pub fn of(old: Option<&SourceModel>, new: Option<&SourceModel>) -> Self {
        let [olds, news] = [old, new].map(|model| model.map_or_else(Vec::new, extract::definitions));
        let by_name = |all: &[Definition]| -> BTreeMap<String, Definition> {
            all.iter().map(|definition| (definition.name.clone(), definition.clone())).collect()
        };
        let (before, after) = (by_name(&olds), by_name(&news));
        let taken = |own: &[Definition], other: &BTreeMap<String, Definition>| {
            let fits = |definition: &&Definition| match other.get(&definition.name) {
                // Methods that both have are answered by `self`, which is a stand-in.
                Some(other) => !definition.name.contains('.') && is_same(&definition.text, &other.text),
                None => definition.is_plain,
            };
            own.iter().filter(fits).map(|definition| definition.name.clone()).collect()
        };
        let changed = changed_variables(old, new);
        let [own, other] = [old, new].map(|model| model.map(defined).unwrap_or_default());
        let defined = [&own - &other, &other - &own];
        Self { taken: [taken(&olds, &after), taken(&news, &before)], defined, changed }
    }

    /// Nothing for either version.
    pub fn none() -> Self {
        Self::default()
    }
}

/// The qualified names of the functions and methods of a module, and what else it binds but for imports: another function that is
/// imported is another call.
fn defined(model: &SourceModel) -> BTreeSet<String> {
    let functions = extract::qualnames(model).into_iter().map(|function| function.qualname);
    let is_statement = |texts: &BTreeSet<String>| texts.iter().any(|text| text.contains([':', '=']));
    let bound = bindings(model).into_iter().filter(|(_, texts)| is_statement(texts)).map(|(name, _)| name);
    functions.chain(bound).collect()
}

/// Variables of both modules whose assignments differ, or that build on such ones.
pub fn changed_variables(old: Option<&SourceModel>, new: Option<&SourceModel>) -> BTreeSet<String> {
    let [old, new] = [old, new].map(|model| model.map_or_else(Vec::new, variables));
    let before: BTreeMap<&str, &Variable> = old.iter().map(|variable| (variable.name.as_str(), variable)).collect();
    let both = || new.iter().filter_map(|variable| Some((*before.get(variable.name.as_str())?, variable)));
    let mut changed: BTreeSet<String> =
        both().filter(|(was, is)| !is_same(&was.text, &is.text)).map(|(_, is)| is.name.clone()).collect();
    loop {
        let known = changed.len();
        let builds = both().filter(|(_, is)| !is.reads.is_disjoint(&changed)).map(|(_, is)| is.name.clone());
        let builds: Vec<String> = builds.collect();
        changed.extend(builds);
        if changed.len() == known {
            return changed;
        }
    }
}

fn is_same(old: &str, new: &str) -> bool {
    let parsed = |text: &str| SourceModel::parse(text).ok();
    let same = || sameness(&parsed(old)?, &parsed(new)?);
    old == new || same() == Some(Sameness::Code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_or_on_one_side_alone_is_taken() {
        let old = "A = 1\nB = 1\ndef f(): pass\ndef same(): return 1\ndef other(): return 1\nclass C:\n    def m(self): pass\n";
        let new = "A = 1\nB = 2\ndef f(): pass\ndef same():\n    return 1  # it\ndef other(): return 2\n@d\ndef gone(): pass\ndef come(): pass\nD = g()\nclass C:\n    def m(self): pass\n    def n(self): pass\n";
        let Siblings { taken: [before, after], changed, .. } =
            Siblings::of(SourceModel::parse(old).ok().as_ref(), SourceModel::parse(new).ok().as_ref());
        assert_eq!(before.into_iter().collect::<Vec<_>>(), ["A", "f", "same"]);
        assert_eq!(after.into_iter().collect::<Vec<_>>(), ["A", "C.n", "come", "f", "same"]);
        assert_eq!(changed.into_iter().collect::<Vec<_>>(), ["B"]);
    }
}

//! What two versions of a function share in a comparison, and what a run of one of them did.

use std::collections::{BTreeMap, BTreeSet};

use pyo3::pyclass;
use serde::{Deserialize, Serialize};
use surmise_instrument::checked::Equated;
use surmise_value_model::Class;

use super::Literal;

/// What two versions of a function share.
#[pyclass(frozen)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::unsafe_derive_deserialize, reason = "the `unsafe` is PyO3's, and relies on nothing in the fields")]
#[allow(clippy::struct_excessive_bools, reason = "what both versions agree in, each for itself")]
pub struct Drawing {
    /// Draws values and answers; 0 takes the usual ones.
    #[pyo3(get)]
    pub seed: u64,
    /// The function is called once, whatever the seed.
    #[pyo3(get)]
    pub once: bool,
    /// Classes and values, by kind and name of the use (`attribute:total`).
    pub classes: BTreeMap<String, (Class, Option<Literal>)>,
    /// Texts that either version names.
    #[pyo3(get)]
    pub texts: Vec<String>,
    /// Characters that only one version's texts have.
    pub characters: Vec<String>,
    /// Numbers that either version names.
    pub numbers: Vec<i64>,
    /// Exceptions that either version waits for, as dotted names.
    #[pyo3(get)]
    pub raises: Vec<String>,
    /// The folder of the version's revision, which is none of its behaviour; empty where there is none.
    #[pyo3(get)]
    pub root: String,
    /// New names, with the old ones.
    pub aliases: Aliases,
    /// Parameters that only the other version has.
    #[pyo3(get)]
    pub extra: Vec<String>,
    /// Parameters of one version that the other takes from `**kwargs`, by their names.
    #[pyo3(get)]
    pub by_key: BTreeSet<String>,
    /// Names that a version calls and that are no parameters: `variable:name`.
    pub called: BTreeSet<String>,
    /// Kinds and names of uses whose values have to be objects of some class.
    pub objects: BTreeSet<String>,
    /// Kinds and names of uses whose values a version calls.
    pub callables: BTreeSet<String>,
    /// Kinds and names of uses whose values are dictionaries: the versions ask them in different ways what they hold.
    pub mappings: BTreeSet<String>,
    /// The same of lists.
    pub sequences: BTreeSet<String>,
    /// The same of texts: the versions call different methods of them.
    pub asked_as_texts: BTreeSet<String>,
    /// Kinds and names of uses that a version asks whether they are texts.
    pub told_from_texts: BTreeSet<String>,
    /// By kind and name of use, texts and numbers that a version compares values with, or by which it looks them up.
    pub equated: BTreeMap<String, Vec<Equated>>,
    /// Kinds and names of uses whose values hold something, in either version: they are no numbers.
    pub containers: BTreeSet<String>,
    /// Kinds and names of uses that only one version compares with `True` or `False`: they are one of these.
    pub flags: BTreeSet<String>,
    /// Kinds and names of uses that only one version writes as whole numbers, as `%d` does, or that the versions count with
    /// in different ways.
    pub whole: BTreeSet<String>,
    /// Parameters of which both versions have the same annotation.
    #[pyo3(get)]
    pub annotated: Vec<String>,
    /// Parameters that the versions annotate in different ways, or only one of them: what else they are said to be does not
    /// count either.
    #[pyo3(get)]
    pub annotated_otherwise: Vec<String>,
    /// Parameters with a default that the other version does not have: each call gives them.
    #[pyo3(get)]
    pub required: Vec<String>,
    /// Parameters of inner functions that have one annotation, or none, in both versions.
    #[pyo3(get)]
    pub inner: Vec<String>,
    /// Both versions have the same docstring.
    #[pyo3(get)]
    pub documented: bool,
    /// Attributes that objects have in one version, and their class in the other.
    #[pyo3(get)]
    pub of_classes: Vec<String>,
    /// Attributes that only one version keeps: they do not count.
    #[pyo3(get)]
    pub internal: Vec<String>,
    /// Private attributes in which the constructors of the versions put containers of other kinds.
    #[pyo3(get)]
    pub regrouped: Vec<String>,
    /// Parameters whose defaults differ in kind: the class of values that both versions get where the default is plain in one of
    /// them, and nothing where it is plain in neither.
    #[pyo3(get)]
    pub defaults: BTreeMap<String, String>,
    /// Parameters to which `None` says the same as nothing in the new version, and in the old one has not said anything.
    #[pyo3(get)]
    pub none_by_default: Vec<String>,
    /// Both versions of the class of a method have the same constructor, and its bases in the file have the same ones.
    #[pyo3(get)]
    pub constructed: bool,
    /// Parameters of that constructor which the versions annotate in different ways.
    #[pyo3(get)]
    pub constructors_annotated_otherwise: Vec<String>,
    /// The versions store their state in different attributes: objects are made by constructors, and methods add elements.
    #[pyo3(get)]
    pub keeps_otherwise: bool,
    /// By qualified name, how many values for `*args`, and which keys of `**kwargs`, callers of either version have to give.
    #[pyo3(get)]
    pub needed: BTreeMap<String, (u32, Vec<String>)>,
    /// The same of what they may give, and what the function asks for.
    #[pyo3(get)]
    pub possible: BTreeMap<String, (u32, Vec<String>)>,
    /// How many elements a version takes of variables, by kind and name of use: as many have they in both.
    pub counts: BTreeMap<String, u16>,
    /// The text of exceptions counts.
    #[pyo3(get)]
    pub strict_messages: bool,
    /// Calls that log count.
    pub strict_logging: bool,
    /// The function is called as tests call it, and the sessions of its docstring.
    pub calls_tests: bool,
    /// The files with those tests.
    #[pyo3(get)]
    pub tests: Vec<TestFile>,
    /// The folder of the revision whose tests these are.
    #[pyo3(get)]
    pub root_of_tests: String,
    /// The only one of these calls that is made: the name of the test, and the number of its call.
    #[pyo3(get)]
    pub test: Option<(String, u32)>,
}

/// Names that the new version has for what has others in the old one, with those.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aliases {
    /// Of parameters.
    pub parameters: BTreeMap<String, String>,
    /// Of classes, functions, methods and private attributes.
    pub definitions: BTreeMap<String, String>,
}

impl Aliases {
    /// The old name of a parameter or of a definition.
    #[must_use]
    pub fn old<'a>(&'a self, name: &'a str) -> &'a str {
        self.parameters.get(name).map_or_else(|| self.member(name), String::as_str)
    }

    /// The old name of an attribute: one that is called as a parameter is has nothing to do with it.
    #[must_use]
    pub fn member<'a>(&'a self, name: &'a str) -> &'a str {
        self.definitions.get(name).map_or(name, String::as_str)
    }

    /// True for a name that is another one in either version.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.definitions.iter().any(|(new, old)| new == name || old == name)
    }

    /// The kind and name of a use (`attribute:total`) as the old version has it.
    #[must_use]
    pub fn key(&self, key: &str) -> String {
        match key.split_once(':') {
            Some(("attribute", name)) => format!("attribute:{}", self.member(name)),
            Some((kind, name)) => format!("{kind}:{}", self.old(name)),
            None => key.to_owned(),
        }
    }
}

/// What a run did that is compared with one of another version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behaviour {
    /// What happened, in order: kind and description.
    pub entries: Vec<(String, String)>,
    /// What was injected and answered: path and value.
    pub given: Vec<(String, String)>,
    /// A value that was injected is of another class than is predicted there, or absent.
    pub is_unusual: bool,
    /// The call of the function as a Python expression, with the modules that it needs, where its arguments can be
    /// written as such and there was one call.
    pub call: Option<(Vec<String>, String)>,
    /// What it returned, as an expression.
    pub result: Option<String>,
    /// What calls of tests came to, in a run that makes all of them.
    pub of_tests: Vec<CallOfTest>,
}

/// A file with tests that may call the function.
#[pyclass(frozen, get_all)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestFile {
    /// Where it lies.
    pub path: String,
    /// What of it runs: assertions only evaluate what they test, and tests that nobody calls are left out.
    pub text: String,
    /// The lines on which the functions begin that may call it, with their decorators.
    pub lines: Vec<u32>,
    /// Names of tests that go before others.
    pub first: Vec<String>,
}

/// A call that a test makes of the function: the name of the test, the number of the call, a digest of the arguments and one
/// of what it did.
pub type CallOfTest = (String, u32, u32, u32);

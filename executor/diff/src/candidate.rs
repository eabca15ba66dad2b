//! What is compared: both versions of a function.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use surmise_engine::source::Source;
use surmise_instrument::constructors::Constructors;
use surmise_instrument::initial::Held;
use surmise_instrument::object_attributes::{is_private, name_in_class};

use super::companions::Found;
use super::object_state::ObjectState;
use super::project_tests::ProjectTests;
use super::renamed_definitions::{is_part_of_name, names_in};
use super::verdict::Verdict;

/// One version of a function.
#[derive(Clone, Debug)]
pub struct Version {
    /// What runs: the function, what it takes to define it, and what it uses of its module.
    pub source: Source,
    /// The function with its imports, and with the variables that it reads and whose definitions differ.
    pub own: String,
    /// Such variables, with the lines on which it reads them.
    pub reads: BTreeMap<String, BTreeSet<u32>>,
    /// The function with the functions of its file that only this version of it calls: where it runs in its module, these run
    /// as its own code does.
    pub with_helpers: String,
    /// What only this version of its file defines, functions and methods by qualified name.
    pub defined_here: BTreeSet<String>,
    /// What it finds of other modules of its repository.
    pub around: Found,
    /// The constructors of the class that a method is of, and of its bases in the file.
    pub constructors: Constructors,
    /// What they put into attributes.
    pub attributes: BTreeMap<String, Held>,
    /// New names of classes, functions and what is private, with the old ones; for a new version.
    pub renamed: BTreeMap<String, String>,
    /// What attributes of objects count as in both versions; for a new version.
    pub state: ObjectState,
    /// The file that it stands in, if it is to run there.
    pub place: Option<Place>,
    /// The function's qualified name in the source.
    pub qualname: String,
    /// The function's first line.
    pub line: u32,
    /// The function's last line.
    pub last_line: u32,
}

impl Version {
    /// True for a new version whose objects are constructed as those of the old one, but for their private attributes.
    pub fn is_constructed_as(&self, old: &Self) -> bool {
        let class = self.qualname.rsplit('.').nth(1).unwrap_or_default();
        let counts = |line: &&str| {
            let name = line.trim().strip_prefix("self.").and_then(|rest| rest.split([' ', ':', '=']).next());
            let name = name.map(|name| name_in_class(name, class));
            !name.is_some_and(|name| self.state.of_one_version().any(|one| *one == name))
        };
        let renamed = |word: &str| {
            let name = word.trim_end_matches(|letter| !is_part_of_name(letter));
            let was = self.renamed.get(name).or_else(|| self.state.behind.get(name)).map_or(name, String::as_str);
            format!("{was}{}", &word[name.len()..])
        };
        let words =
            |line: &str| -> String { line.split_inclusive(|letter| !is_part_of_name(letter)).map(renamed).collect() };
        let [before, after] = [old, self].map(|version| version.constructors.text.lines().filter(counts).map(words));
        before.eq(after)
    }

    /// Parameters of the constructors that have other annotations in the old version, or none in one of the two.
    pub fn annotates_otherwise(&self, old: &Self) -> Vec<String> {
        let all = [old, self].map(|version| &version.constructors.annotations);
        let names: BTreeSet<&String> = all.iter().flat_map(|annotations| annotations.keys()).collect();
        names.into_iter().filter(|name| all[0].get(*name) != all[1].get(*name)).cloned().collect()
    }

    /// True for a new version whose constructor has the parameters of the old one, and stores state in other attributes, in
    /// containers of other types, or as fields of a dataclass: only objects that the constructors made are alike in both.
    pub fn keeps_otherwise(&self, old: &Self) -> bool {
        let class = self.qualname.rsplit('.').nth(1).unwrap_or_default();
        let own: BTreeSet<&String> = self.state.of_one_version().collect();
        let keeps = |version: &Self| {
            names_in(&version.constructors.text).into_iter().any(|name| own.contains(&name_in_class(name, class)))
        };
        let is_of_another_kind = |(name, held): (&String, &Held)| {
            let was = old.attributes.get(self.renamed.get(name).unwrap_or(name));
            let kinds = [*held, was.copied().unwrap_or(*held)];
            is_private(name) && kinds[0] != kinds[1] && kinds.iter().all(|kind| kind.is_container())
        };
        let is_made = old.constructors.is_made != self.constructors.is_made;
        let differs = is_made || keeps(old) || keeps(self) || self.attributes.iter().any(is_of_another_kind);
        differs && parameters_of(&old.constructors.text) == parameters_of(&self.constructors.text)
    }
}

/// The parameter lists of constructors, as words.
fn parameters_of(constructors: &str) -> Vec<String> {
    let headers = constructors.split("def __init__(").skip(1);
    let up_to_body = |text: &str| text.lines().take_while(|line| !line.trim_end().ends_with(':')).count();
    let header = |text: &str| text.lines().take(up_to_body(text) + 1).flat_map(str::split_whitespace).collect();
    headers.map(header).collect()
}

/// Where a version stands: among the modules of its own revision.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The folder of the revision.
    pub root: PathBuf,
    /// Differs from that of any other content of the modules.
    pub content: String,
    /// The files with tests of the new revision.
    pub tests: Arc<ProjectTests>,
}

/// A function to compare.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// How it is called in reports.
    pub name: String,
    /// The file it lies in, or lay in if it is gone; empty for records.
    pub path: String,
    /// The versions; or what is known without comparing them.
    pub versions: Result<Box<(Version, Version)>, Known>,
}

/// A verdict that takes no comparison, and the first lines of both versions.
pub type Known = (Verdict, (u32, u32));

impl Candidate {
    /// First line in the old version and in the new; 0 where it has none.
    pub fn lines(&self) -> (u32, u32) {
        match &self.versions {
            Ok(versions) => (versions.0.line, versions.1.line),
            Err((_, lines)) => *lines,
        }
    }
}

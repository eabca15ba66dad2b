//! Packages that should have been recorded but were never imported, and why.

use std::collections::BTreeMap;
use std::process::Command;

use serde::Deserialize;
use surmise_project::answer_of;
use surmise_recorder::config::Module;

use super::interpreter::Interpreter;
use super::launch::Environment;

const FIND: &str = include_str!("../runtime/find_packages.py");

/// A package that no recorded process imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Name of the package.
    pub package: String,
    /// Why the package may not have been imported.
    pub why: Why,
}

/// Why a package was not imported, as far as its interpreter can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The interpreter does not find the package.
    NotFound,
    /// The package exists at this path, without Python source.
    Compiled(String),
    /// The package exists at this path, with Python source, but the command did not import it.
    NotImported(String),
}

#[derive(Deserialize)]
struct Found {
    source: bool,
    place: String,
}

/// The requested packages of which no recorded process imported a module.
pub fn absent(
    packages: &[String],
    modules: &[Module],
    interpreter: &Interpreter,
    environment: &Environment,
) -> Vec<Absent> {
    let is_in = |package: &str, name: &str| {
        name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let unseen: Vec<&String> =
        packages.iter().filter(|package| !modules.iter().any(|module| is_in(package, &module.name))).collect();
    if unseen.is_empty() {
        return Vec::new();
    }
    let mut command = Command::new(&interpreter.path);
    command.args(["-c", FIND]).args(&unseen);
    environment.apply(&mut command);
    let answer = answer_of(&mut command).unwrap_or_default();
    let last = answer.lines().last().unwrap_or_default();
    let mut found: BTreeMap<String, Option<Found>> = serde_json::from_str(last).unwrap_or_default();
    let why = |found: Option<Found>| match found {
        None => Why::NotFound,
        Some(found) if found.source => Why::NotImported(found.place),
        Some(found) => Why::Compiled(found.place),
    };
    let entry = |package: &String| Absent { package: package.clone(), why: why(found.remove(package).flatten()) };
    unseen.into_iter().map(entry).collect()
}

impl Absent {
    /// Hint that says what to do about the absent package.
    pub fn hint(&self, interpreter: &Interpreter) -> String {
        match &self.why {
            Why::NotFound => format!(
                "`{}` does not find it: is it installed there, or does it belong to another environment \
                 (`--python VENV/bin/python`)?",
                interpreter.path.display()
            ),
            Why::Compiled(_) => "only modules with Python source can be recorded".to_owned(),
            Why::NotImported(_) => "processes started with `-I`, `-E` or `-S`, or without PYTHONPATH, are not \
                                    recorded, nor are files that `--exclude` names"
                .to_owned(),
        }
    }
}

impl std::fmt::Display for Absent {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let package = &self.package;
        match &self.why {
            Why::NotFound => write!(out, "package `{package}` was never imported: it is not found"),
            Why::Compiled(place) => write!(out, "package `{package}` is compiled (`{place}`): it has no Python source"),
            Why::NotImported(place) => {
                write!(out, "package `{package}` (`{place}`) was never imported by a recorded process")
            }
        }
    }
}

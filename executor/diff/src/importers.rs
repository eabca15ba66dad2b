//! Files that import variables whose values changed: what a constant is worth shows in the functions that read it, wherever
//! these stand.

use std::collections::{BTreeMap, BTreeSet};

use surmise_instrument::SourceModel;
use surmise_instrument::extract::imported;

/// Variables that changed, by the last name of their module.
#[derive(Debug, Default)]
pub struct ChangedVariables {
    by_module: BTreeMap<String, BTreeSet<String>>,
    /// The folders of their files.
    folders: BTreeSet<String>,
}

impl ChangedVariables {
    /// Adds those of a file.
    pub fn add(&mut self, path: &str, names: impl IntoIterator<Item = String>) {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.split('.').next().unwrap_or_default();
        let module = if stem == "__init__" { folder.rsplit('/').next().unwrap_or_default() } else { stem };
        let mut names = names.into_iter().filter(|name| !name.contains('.')).peekable();
        if names.peek().is_some() {
            self.by_module.entry(module.to_owned()).or_default().extend(names);
            self.folders.insert(folder.to_owned());
        }
    }

    /// True if no variable changed.
    pub fn is_empty(&self) -> bool {
        self.by_module.is_empty()
    }

    /// True for files in the folders of the variables, and below, that are no tests.
    pub fn may_be_imported_by(&self, path: &str) -> bool {
        let is_below = |folder: &String| {
            folder.is_empty() || path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let mut parts = path.split('/');
        let is_test = |part: &str| matches!(part, "test" | "tests") || part.starts_with("test_");
        self.folders.iter().any(is_below) && !parts.any(is_test)
    }

    /// The variables that a source imports, by the names that it reads them by: `LIMIT`, or `constants.LIMIT`.
    pub fn imported_by(&self, text: &str) -> BTreeSet<String> {
        let is_named = |(module, names): (&String, &BTreeSet<String>)| {
            text.contains(module.as_str()) && names.iter().any(|name| text.contains(name.as_str()))
        };
        if !self.by_module.iter().any(is_named) {
            return BTreeSet::new();
        }
        let Ok(model) = SourceModel::parse(text) else { return BTreeSet::new() };
        let mut found = BTreeSet::new();
        for import in imported(&model).imports {
            let last = import.module.rsplit('.').next().unwrap_or_default();
            let names = import.names.unwrap_or_default();
            if let Some(changed) = self.by_module.get(last) {
                found.extend(names.iter().filter(|name| changed.contains(*name)).cloned());
            }
            // The module itself: `from . import constants`, `import constants`.
            let whole = Some(import.module.as_str()).filter(|_| names.is_empty());
            for module in names.iter().map(String::as_str).chain(whole) {
                let changed = self.by_module.get(module).into_iter().flatten();
                found.extend(changed.map(|name| format!("{module}.{name}")));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed() -> ChangedVariables {
        let mut changed = ChangedVariables::default();
        changed.add("src/p/constants.py", ["LIMIT", "Box.size"].map(str::to_owned));
        changed.add("src/p/sub/__init__.py", ["NAMES".to_owned()]);
        changed.add("src/q/other.py", ["Box.size".to_owned()]);
        changed
    }

    #[test]
    fn variables_are_imported_by_name_or_with_their_module() {
        let found = |text: &str| changed().imported_by(text).into_iter().collect::<Vec<_>>();
        assert_eq!(found("from .constants import LIMIT, OTHER\n"), ["LIMIT"]);
        assert_eq!(found("from p import constants, sub\nconstants.LIMIT\n"), ["constants.LIMIT", "sub.NAMES"]);
        assert_eq!(found("from p.sub import NAMES\n"), ["NAMES"]);
        assert_eq!(found("import constants\nconstants.LIMIT\n"), ["constants.LIMIT"]);
        assert!(found("from .elsewhere import LIMIT  # not of constants\n").is_empty());
        assert!(found("from .constants import (\n").is_empty(), "it does not parse");
    }

    #[test]
    fn importers_stand_beside_or_below_and_are_no_tests() {
        let may = |path: &str| changed().may_be_imported_by(path);
        assert!(may("src/p/a.py") && may("src/p/deep/a.py"));
        assert!(!may("src/q/a.py") && !may("src/pq/a.py") && !may("src/p/tests/a.py") && !may("src/p/test_a.py"));
        assert!(ChangedVariables::default().is_empty() && !changed().is_empty());
    }
}

//! Which modules are imported before programs ask for them: by the zygote, what programs have imported again and again;
//! by a template, what its own program imports.

use std::collections::{BTreeMap, BTreeSet};

use crate::protocol::{Preload, Program};

/// Programs that import a module before the zygote does. One may be the only one.
const OFTEN: u32 = 3;

/// What the programs of a zygote have imported, and what became of it.
#[derive(Debug, Default)]
pub(super) struct PreloadPolicy {
    imported: BTreeMap<String, u32>,
    unfit: BTreeSet<String>,
    /// Programs whose imports ended their template.
    bare: BTreeSet<u64>,
    /// Why functions do not run in their modules, by program.
    unplaced: BTreeMap<u64, String>,
}

impl PreloadPolicy {
    /// Counts the standard modules of a program; returns those that are imported often now.
    pub(super) fn by_program(&mut self, modules: &[String]) -> Vec<String> {
        let mut often = Vec::new();
        for module in modules {
            let count = self.imported.entry(module.clone()).or_default();
            *count += 1;
            if *count == OFTEN {
                often.push(module.clone());
            }
        }
        often
    }

    /// What a template imports for its program.
    pub(super) fn of(&self, program: &Program) -> Vec<Preload> {
        // What a module imports is imported with it.
        if self.bare.contains(&program.id) || self.is_in_place(program) {
            return Vec::new();
        }
        program.preloads.iter().filter(|preload| !self.unfit.contains(&preload.module)).cloned().collect()
    }

    /// Leaves a module to the runs from now on, each for itself: that it was preloaded would show.
    pub(super) fn leave(&mut self, module: String) {
        self.unfit.insert(module);
    }

    /// Leaves all imports of a program to its runs, or the function of an excerpt to run as such; false if that is so
    /// already. `ended` says how the process of the imports did.
    pub(super) fn leave_all(&mut self, program: &Program, ended: &str) -> bool {
        if self.is_in_place(program) {
            return self.leave_place(program, format!("importing its module {ended}"));
        }
        !program.preloads.is_empty() && self.bare.insert(program.id)
    }

    /// Lets the function of an excerpt run as such from now on; false if it does already.
    pub(super) fn leave_place(&mut self, program: &Program, problem: String) -> bool {
        self.unplaced.insert(program.id, problem).is_none()
    }

    /// Why the function of an excerpt does not run in its module.
    pub(super) fn unplaced(&self, program: &Program) -> Option<String> {
        self.unplaced.get(&program.id).cloned()
    }

    fn is_in_place(&self, program: &Program) -> bool {
        program.in_place.is_some() && !self.unplaced.contains_key(&program.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_once_when_programs_import_them_again() {
        let mut policy = PreloadPolicy::default();
        let often: Vec<Vec<String>> = [&["json", "re"][..], &["json"], &["json", "re"], &["json", "re"]]
            .map(|modules| policy.by_program(&modules.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()))
            .into();
        assert_eq!(often, [vec![], vec![], vec!["json".to_owned()], vec!["re".to_owned()]]);
    }
}

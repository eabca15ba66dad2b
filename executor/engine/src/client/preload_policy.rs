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
        if self.bare.contains(&program.id) {
            return Vec::new();
        }
        program.preloads.iter().filter(|preload| !self.unfit.contains(&preload.module)).cloned().collect()
    }

    /// Leaves a module to the runs from now on, each for itself: that it was preloaded would show.
    pub(super) fn leave(&mut self, module: String) {
        self.unfit.insert(module);
    }

    /// Leaves all imports of a program to its runs; false if they are already.
    pub(super) fn leave_all(&mut self, program: &Program) -> bool {
        !program.preloads.is_empty() && self.bare.insert(program.id)
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
